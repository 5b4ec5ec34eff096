"""Grids and amounts of measured kernels, by hand."""

from __future__ import annotations

import dataclasses

import pytest

from roofstat.libraries.table import LibraryKernel, library_kernels, variants_of

KERNEL = LibraryKernel(
    name="part::Sweep",
    variant="",
    pattern="",
    element="float",
    block=(256, 1),
    tile=1024,
    blocks_per_sm=2,
    blocks=0,
    spread=False,
    terms={
        "sp_flop": (1.0, 100.0, 0.0),
        "int_op": (2.0, 0.0, 50.0),
        "read_bytes": (4.0, 16.0, 3000.0),
        "sectors": (0.125, 1.0, 0.0),
    },
    write_bytes=4.0,
)


def test_a_block_takes_a_tile_until_the_card_is_full():
    # 10 SMs hold 20 blocks: 5,000 items are 4.9 tiles, 50,000 items 48.8
    assert KERNEL.grid(5_000, 10) == 5
    assert KERNEL.grid(50_000, 10) == 20
    assert KERNEL.grid(0, 10) == 1


def test_grids_that_do_not_depend_on_the_items():
    fixed = dataclasses.replace(KERNEL, tile=None)
    assert fixed.grid(5, 10) == fixed.grid(10**9, 10) == 20
    assert dataclasses.replace(fixed, blocks_per_sm=0, blocks=4).grid(10**9, 10) == 4
    assert fixed.items_of(20) is None


@pytest.mark.parametrize(("items", "blocks"), [(1_000, 4), (50_000, 98), (10**6, 977)])
def test_few_items_are_spread_over_the_card(items, blocks):
    # 10 SMs hold 20,480 threads. 1,000 items: one each, 1,000 / 256. 50,000: two each, 50,000 / 512.
    # 1,000,000 are 48 each, more than the four of a tile: 1,000,000 / 1,024.
    spread = dataclasses.replace(KERNEL, blocks_per_sm=0, spread=True)
    assert spread.grid(items, 10) == blocks


def test_amounts_are_those_of_items_blocks_and_launch():
    found = KERNEL.amounts(5_000, 5, 4)
    assert found.sp_flop == 5_000 + 5 * 100
    assert found.dp_flop == 0
    assert found.int_op == 2 * 5_000 + 50
    assert found.read_bytes == 4 * 5_000 + 5 * 16 + 3_000
    assert found.write_bytes == 4 * 5_000
    assert found.l2_bytes == 32 * (5_000 / 8 + 5)


def test_elements_of_another_size_move_other_bytes():
    wide, usual = KERNEL.amounts(5_000, 5, 16), KERNEL.amounts(5_000, 5, 4)
    assert wide.read_bytes - usual.read_bytes == 12 * 5_000
    assert wide.write_bytes == 4 * usual.write_bytes
    assert wide.int_op == usual.int_op


@pytest.mark.parametrize(
    ("full_name", "variants"),
    [
        (
            (
                "void reduce::DeviceReduceKernel<reduce::policy_hub<int, unsigned int, cuda::plus<void>>::Policy1000, int *,"
                " unsigned int, cuda::plus<void>, int, cuda::__identity>(T2, T5 *)"
            ),
            {"sum"},
        ),
        (
            (
                "void reduce::DeviceReduceSingleTileKernel<reduce::policy_hub<float, unsigned int, cuda::plus<void>>::Policy1000,"
                " float *, float *, int, cuda::plus<void>, float, float, cuda::__identity>(T2, T3)"
            ),
            {"sum-partials"},
        ),
        (
            "void radix_sort::DeviceRadixSortOnesweepKernel<radix::policy_hub<int, int, unsigned long long>::Policy1000, 0>",
            {"pairs-long"},
        ),
        # its launches differ in their grids alone
        ("void asum_kernel<int, float, float>(cublasAsumParams<T2, T3>)", {"", "partials"}),
        ("void own(int *)", set()),
    ],
)
def test_template_arguments_tell_the_variant(full_name, variants):
    assert variants_of(full_name) == variants


def test_the_shipped_table_has_each_kernel_of_elements_for_its_types():
    for (name, variant), kernels in library_kernels().items():
        assert kernels, (name, variant)
        for element, kernel in kernels.items():
            assert (kernel.name, kernel.variant, kernel.element) == (name, variant, element)
            assert kernel.threads >= 1
            assert kernel.tile is None or kernel.tile >= kernel.threads
            assert all(term >= 0 for terms in kernel.terms.values() for term in terms)
