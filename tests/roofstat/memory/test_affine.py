"""Fits of sampled addresses."""

from __future__ import annotations

import dataclasses
import math

import kernels
import numpy as np
import pytest
from synthetic import BASE, Access, Kernel, Threads, sampled_trace, with_block_source
from test_footprint import analyse

from roofstat.memory.affine import fit_site
from roofstat.memory.fits import Fit
from roofstat.memory.lane_pairs import LanePairs
from roofstat.memory.sites import collect_sites
from roofstat.program.code import SpecialRegister


def fit(kernel: Kernel, site: int = 0) -> Fit:
    trace = sampled_trace(kernel)
    return fit_site(collect_sites(trace)[0][site], LanePairs(trace))


def test_strides_of_all_coordinates() -> None:
    """Each coefficient is read off by itself: x 4, y 400, z 5,000, blocks 64,000, 1,000,000 and 7,000,000, loop -8."""

    def offset(t: Threads, i):
        return (
            7_000_000 * t.bz
            + 1_000_000 * t.by
            + 64_000 * t.bx
            + 5_000 * t.tz
            + 400 * t.ty
            + 4 * t.tx
            - 8 * i
            + 4096
        )

    found = fit(Kernel((6, 7, 9), (32, 2, 2), [Access(offset, loops=(40,))]))
    strides = [found.stride(axis) for axis in range(7)]
    assert strides == [4, 400, 5_000, 64_000, 1_000_000, 7_000_000, -8]
    assert found.core is None
    # The lowest address is reached in the last iteration.
    assert found.origin == BASE + 4096 - 8 * 39
    assert {axis.axis: axis.extent for axis in found.axes} == {
        0: 32, 1: 2, 2: 2, 3: 6, 4: 7, 5: 9, 6: 40,
    }  # fmt: skip


def test_descending_threads_have_a_negative_stride_and_the_same_bytes() -> None:
    kernel = Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: (64 * 128 - 1 - t.x) * 4)])
    assert fit(kernel).stride(0) == -4
    assert fit(kernel).origin == BASE
    assert analyse(kernel).unique_read_bytes == 64 * 128 * 4


def test_a_wrap_around_is_a_split_index() -> None:
    """Every seventh block begins again: 896 elements, over and over."""
    found = fit(Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: (t.tx + t.bx % 7 * 128) * 4)]))
    assert found.core is None
    assert found.stride(0) == 4
    assert found.split is not None
    assert (found.split.inner_bytes, found.split.outer_bytes, found.split.period) == (4, 0, 896)


@pytest.mark.parametrize(("rows", "pitch"), [(96, 4096), (1000, 4096), (768, 2056)])
def test_a_flattened_transpose_is_a_split_index(rows: int, pitch: int) -> None:
    """Consecutive threads walk down a column of `rows` rows, then go on with the next column."""

    def offset(t: Threads):
        return t.x % rows * pitch + t.x // rows * 4

    kernel = Kernel((400, 1, 1), (256, 1, 1), [Access(offset)])
    found = fit(kernel)
    assert found.split is not None
    assert (found.split.inner_bytes, found.split.outer_bytes, found.split.period) == (
        pitch,
        4,
        rows,
    )
    # Neighbouring columns share sectors: 32 bytes of each row are touched by eight columns.
    columns = 400 * 256 / rows
    touched = rows * math.ceil(4 * columns / 32) * 32
    assert analyse(kernel).unique_read_bytes == pytest.approx(touched, rel=0.1)


def test_sampled_blocks_far_apart_show_the_period_of_a_long_column() -> None:
    """517,000 blocks: the columns of those that are sampled have 979 as a common factor of their numbers."""
    rows, pitch = 90112, 23500
    kernel = Kernel(
        (517000, 1, 1), (1024, 1, 1), [Access(lambda t: t.x % rows * pitch + t.x // rows * 4)]
    )
    found = fit(kernel)
    assert found.split is not None
    assert (found.split.outer_bytes, found.split.period) == (4, rows)


def test_a_quadratic_block_offset_is_a_core_in_that_coordinate_only() -> None:
    found = fit(Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: (t.tx + t.bx * t.bx * 128) * 4)]))
    assert found.stride(0) == 4
    assert found.stride(3) is None
    assert found.core is not None
    assert not found.core.is_random


def test_random_offsets_around_the_thread_follow_a_trend() -> None:
    """Neighbours within 1,000 elements of the thread: blocks far apart share nothing."""
    threads = 1 << 20
    jitter = np.random.default_rng(3).integers(0, 1000, threads)
    kernel = Kernel(
        (threads // 256, 1, 1),
        (256, 1, 1),
        [Access(lambda t: (t.x + jitter[t.x]) * 4, is_guess=True)],
    )
    found = fit(kernel)
    assert found.core is not None
    assert found.core.is_random
    assert found.stride(3) is None or found.stride(3) == pytest.approx(1024, rel=0.05)
    assert found.core.high - found.core.low < 0.1 * 4 * threads


@pytest.mark.parametrize("depends", [True, False])
def test_an_axis_without_two_active_positions_is_continued_if_the_code_depends_on_it(
    depends: bool,
) -> None:
    """Only block z = 3 is sampled: 16 planes follow each other if the address uses blockIdx.z, else there is one."""
    plane = 32 * 8 * 4

    def offset(t: Threads):
        return (t.ty * 32 + t.tx) * 4 + t.bz * plane

    kernel = Kernel((1, 1, 16), (32, 8, 1), [Access(offset)])
    trace = sampled_trace(kernel)
    keep = trace.lanes.bid[2] == 0
    lanes = trace.lanes
    trace.lanes = dataclasses.replace(
        lanes,
        tid=tuple(axis[keep] for axis in lanes.tid),
        bid=(
            lanes.bid[0][keep], lanes.bid[1][keep], lanes.bid[2][keep] + 3,
        ),
        exists=lanes.exists[keep],
        weight=lanes.weight[keep] * 16,
        warp_of_block=lanes.warp_of_block[keep],
        block_slot=lanes.block_slot[keep],
    )  # fmt: skip
    event = trace.events[0]
    event.address, event.active = event.address[keep], event.active[keep]
    event.weight = event.weight[keep] * 16
    if depends:
        with_block_source(trace, SpecialRegister.CTAID_Z)
    found = fit_site(collect_sites(trace)[0][0], LanePairs(trace))
    assert found.stride(5) == (plane if depends else 0)


def test_vector_members_are_counted_with_the_vector() -> None:
    """The further members of a vector access carry no bytes of their own."""
    trace = sampled_trace(kernels.strided(4096, 16))
    instruction = trace.code.body[0].instructions[0]
    instruction.detail = dataclasses.replace(instruction.detail, access_bytes=0)
    assert collect_sites(trace) == ([], [])
