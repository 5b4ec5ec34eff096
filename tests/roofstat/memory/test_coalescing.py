"""Warp requests, sectors and bank conflicts."""

from __future__ import annotations

import kernels
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from synthetic import Access, Kernel, brute_sectors, sampled_trace
from test_footprint import analyse

from roofstat.memory.coalescing import (
    count_bank_use,
    count_requests,
    lane_stride_bytes,
    warp_sectors,
)
from roofstat.memory.modelling import SiteModeller
from roofstat.memory.sites import collect_sites
from roofstat.program.code import Op, Space


@pytest.mark.parametrize(
    ("stride_bytes", "sectors"),
    # A warp spans 31 strides and 4 bytes; beyond 32 bytes every lane has its own sector.
    [(0, 1), (4, 4), (8, 8), (16, 16), (32, 32), (128, 32)],
)
def test_sectors_of_a_strided_load(stride_bytes: int, sectors: int) -> None:
    access = analyse(kernels.strided(4096, stride_bytes)).accesses[0]
    assert access.sectors_per_request == sectors
    assert access.stride_bytes == stride_bytes


@pytest.mark.parametrize(
    ("stride_bytes", "lines"),
    # 31 strides and 4 bytes, in lines of 128: from 128 bytes on every lane has a line of its own.
    [(0, 1), (4, 1), (8, 2), (32, 8), (64, 16), (128, 32), (256, 32)],
)
def test_l1_passes_a_line_for_each_that_a_warp_touches(stride_bytes: int, lines: int) -> None:
    memory = analyse(kernels.strided(4096, stride_bytes))
    assert memory.l1_passes == lines * memory.global_load_requests


def test_l1_takes_the_addresses_of_a_warp_at_a_time() -> None:
    """16 load and store units take two clocks for a warp's addresses, whatever line they are in."""
    memory = analyse(kernels.strided(4096, 4), "a10")
    assert memory.l1_passes == 2 * memory.global_load_requests
    assert analyse(kernels.strided(4096, 64), "a10").l1_passes == 16 * memory.global_load_requests


def test_vector_elements_widen_the_request() -> None:
    kernel = Kernel((32, 1, 1), (128, 1, 1), [Access(lambda t: t.x * 16, 16)])
    memory = analyse(kernel)
    assert memory.accesses[0].sectors_per_request == 32 * 16 / 32
    assert memory.global_load_requests == 32 * 128 / 32


def test_executions_that_are_looked_at_stand_for_all() -> None:
    """Of 25 executions the 10 of the outer loop's first two iterations read one place, the others a sector for each lane."""

    def place(t, outer, inner):
        return (5 * outer + inner) * 65_536 + t.x * 32 * (outer > 1)

    access = Access(place, loops=(5, 5))
    memory = analyse(Kernel((4, 1, 1), (32, 1, 1), [access]))
    assert memory.accesses[0].sectors_per_request == pytest.approx((10 * 1 + 15 * 32) / 25)


def test_misaligned_elements_touch_both_sectors() -> None:
    """32 floats from byte 30 on: byte 30 to 157 lie in sectors 0 to 4."""
    kernel = Kernel((32, 1, 1), (32, 1, 1), [Access(lambda t: t.x * 0 + t.tx * 4 + 30)])
    assert analyse(kernel).accesses[0].sectors_per_request == 5


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.elementwise(50_000),
        kernels.stencil_2d(500, 130),
        kernels.transpose(256),
        kernels.matmul_naive(96, 128, 48),
        kernels.grid_stride(100_000, 32),
        kernels.block_reduction(640),
    ],
    ids=["elementwise", "stencil", "transpose", "matmul", "grid stride", "reduction"],
)
def test_requests_and_sectors_of_the_launch(kernel: Kernel) -> None:
    memory = analyse(kernel)
    for op, requests, sectors in (
        (Op.LOAD, memory.global_load_requests, memory.global_load_sectors),
        (Op.STORE, memory.global_store_requests, memory.global_store_sectors),
    ):
        counted = [brute_sectors(kernel, a) for a in kernel.accesses if a.op is op]
        assert requests == pytest.approx(sum(c[0] for c in counted), rel=0.02)
        assert sectors == pytest.approx(sum(c[1] for c in counted), rel=0.02)


def test_stores_and_loads_are_kept_apart() -> None:
    memory = analyse(kernels.elementwise(4096))
    assert memory.global_load_sectors == 2 * 4096 * 4 / 32
    assert memory.global_store_sectors == 4096 * 4 / 32


_lanes = st.lists(st.integers(0, 4096), min_size=32, max_size=32)


@pytest.mark.property
@settings(max_examples=100, deadline=None)
@given(
    words=_lanes, active=st.lists(st.booleans(), min_size=32, max_size=32), seed=st.integers(0, 99)
)
def test_permuting_the_lanes_of_a_warp_changes_nothing(words, active, seed) -> None:
    order = np.random.default_rng(seed).permutation(32)
    address = np.array([words], dtype=np.int64) * 4
    mask = np.array([active])
    one = warp_sectors(address, mask, 4)
    two = warp_sectors(address[:, order], mask[:, order], 4)
    assert one.tolist() == two.tolist()


@pytest.mark.property
@settings(max_examples=100, deadline=None)
@given(words=_lanes, active=st.lists(st.booleans(), min_size=32, max_size=32))
def test_sectors_lie_between_bytes_and_lanes(words, active) -> None:
    address = np.array([words], dtype=np.int64) * 4
    mask = np.array([active])
    sectors = int(warp_sectors(address, mask, 4)[0, 0])
    distinct = {word for word, on in zip(words, active, strict=True) if on}
    assert -(-len(distinct) // 8) <= sectors <= len(distinct)


def shared_use(offset, element_bytes: int = 4, threads: int = 32):
    kernel = Kernel((2, 1, 1), (threads, 1, 1), [Access(offset, element_bytes)], space=Space.SHARED)
    sites, _ = collect_sites(sampled_trace(kernel))
    return count_bank_use(sites[0])


@pytest.mark.parametrize(
    ("words", "wavefronts"),
    # A stride of w words hits 32 / gcd(w, 32) banks.
    [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1)],
)
def test_bank_conflicts_of_a_stride(words: int, wavefronts: int) -> None:
    use = shared_use(lambda t: t.tx * 4 * words)
    assert use.wavefronts_per_request == wavefronts
    assert use.conflicts_per_request == wavefronts - 1


@pytest.mark.parametrize(("element_bytes", "wavefronts"), [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)])
def test_wide_elements_need_passes_but_do_not_conflict(element_bytes: int, wavefronts: int) -> None:
    use = shared_use(lambda t: t.tx * element_bytes, element_bytes)
    assert use.wavefronts_per_request == wavefronts
    assert use.conflicts_per_request == 0


@pytest.mark.parametrize(
    ("element_bytes", "lanes_together", "fewest"),
    # 32 doubles are 64 words in 32 banks; one double for all is 2 words, a pair of them for half a warp each is 4.
    [(8, 1, 2), (8, 32, 1), (8, 16, 1), (16, 1, 4), (16, 8, 1)],
)
def test_no_more_passes_are_certain_than_the_banks_need(
    element_bytes: int, lanes_together: int, fewest: int
) -> None:
    use = shared_use(lambda t: t.tx // lanes_together * element_bytes, element_bytes)
    assert use.wavefronts_per_request == element_bytes // (4 if lanes_together == 1 else 8)
    assert use.fewest_per_request == fewest


@pytest.mark.parametrize(
    ("place", "element_bytes", "wavefronts", "conflicts"),
    [
        (lambda t: 0 * t.tx, 16, 2, 0),
        (lambda t: 0 * t.tx, 8, 1, 0),
        # Measured: four, where every fourth lane reads the same and neighbours do not.
        (lambda t: t.tx % 4, 16, 4, 0),
        (lambda t: t.tx % 2, 16, 2, 0),
        (lambda t: t.tx // 2, 16, 2, 0),
        # A half warp reads eight rows of 128 bytes: all in the same four banks.
        (lambda t: t.tx // 2 * 8, 16, 16, 14),
    ],
)
def test_wide_loads_that_lanes_share_in_pairs_are_served_in_half_as_many_parts(
    place, element_bytes: int, wavefronts: int, conflicts: int
) -> None:
    use = shared_use(lambda t: place(t) * element_bytes, element_bytes)
    assert use.wavefronts_per_request == wavefronts
    assert use.conflicts_per_request == conflicts


def test_column_of_a_padded_tile_does_not_conflict() -> None:
    assert shared_use(lambda t: t.tx * 33 * 4).conflicts_per_request == 0
    assert shared_use(lambda t: t.tx * 32 * 4).conflicts_per_request == 31


def test_shared_traffic_is_no_global_traffic() -> None:
    kernel = Kernel(
        (8, 1, 1), (64, 1, 1), [Access(lambda t: t.tx * 8)], {0: 512}, space=Space.SHARED
    )
    memory = analyse(kernel)
    assert memory.global_load_requests == 0
    assert memory.unique_read_bytes == 0
    # 8 blocks of 2 warps; a stride of 2 words takes 2 passes, one more than needed.
    assert memory.shared_wavefronts == 8 * 2 * 2
    assert memory.shared_bank_conflicts == 8 * 2


def test_stride_is_none_without_a_majority() -> None:
    sites, _ = collect_sites(sampled_trace(kernels.gather(8192, 20_000)))
    assert lane_stride_bytes(sites[0]) is None
    assert lane_stride_bytes(sites[1]) == 4


@pytest.mark.parametrize(
    ("index", "trips", "passes"),
    [
        # Eight floats a thread, 32 bytes apart: two wide loads. A quarter warp spans 256 bytes, two passes.
        ("t * 8 + k", 8, 2 * 4 * 2 / 8),
        # A run that begins in the middle of 16 bytes is no wide load: eight words apart, eight lanes meet in a bank.
        ("t * 8 + k + 1", 8, 8),
        # All lanes at one run: a pass for each half warp and wide load.
        ("k", 8, 2 * 2 / 8),
        # A trip count of its own for each lane is not unrolled.
        ("t * 8 + k", "1 + t % 8", None),
    ],
)
def test_neighbours_of_an_unrolled_loop_are_one_load_from_shared_memory(run, index, trips, passes):
    text = f"""
    __global__ void look(const float *x, float *y) {{
      __shared__ float s[1024];
      int t = threadIdx.x;
      for (int i = t; i < 1024; i += 32) s[i] = x[i];
      __syncthreads();
      float sum = 0;
      for (int k = 0; k < {trips}; k++) sum += s[{index}];
      y[t] = sum;
    }}"""
    ran = run(text, arguments={"x": 1024, "y": 32})
    sites, _ = collect_sites(ran.trace)
    (site,) = [
        site for site in sites if site.space is Space.SHARED and site.instruction.op is Op.LOAD
    ]
    if passes is not None:
        assert count_bank_use(site).wavefronts_per_request == pytest.approx(passes)
    else:
        assert count_bank_use(site).wavefronts_per_request > 2


def test_a_byte_reaches_no_farther_than_its_type(run):
    """Tables of 256 bytes, one for each warp: 32 bytes anywhere in 8 sectors meet in 8 (1 - (7/8)^32) = 7.9 of them."""
    text = """
    __global__ void look(const unsigned char *tables, const unsigned char *x, unsigned char *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
      y[i] = tables[(i / 32) * 256 + v];
    }"""
    ran = run(text, grid=16, block=256, arguments={"tables": 128 * 256, "x": 4096, "y": 4096})
    sites, _ = collect_sites(ran.trace)
    (site,) = [site for site in sites if site.array == "tables"]
    assert count_requests(site).sectors_per_request == pytest.approx(7.9, rel=0.03)


@pytest.mark.parametrize(
    ("start", "sectors"),
    [
        # Lanes 16 bytes apart and warps 512: two share a sector in each of the four steps.
        ("0", 16),
        # Rows of 1,001 floats begin anywhere in a sector, whatever the steps: half of them in one sector more.
        ("blockIdx.x * 1001", 16.5),
    ],
)
def test_steps_of_a_loop_that_were_all_seen_have_no_other_alignment(run, start, sectors):
    text = f"""
    __global__ void fill(float *y) {{
      int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
      for (int b = 0; b < 4; b++) y[{start} + i + b] = b;
    }}"""
    ran = run(text, grid=64, block=256, arguments={"y": 1 << 20})
    (site,) = collect_sites(ran.trace)[0]
    found = SiteModeller(ran.trace).model(site).requests.sectors_per_request
    assert found == pytest.approx(sectors)
