"""Unique bytes against brute force over all threads."""

from __future__ import annotations

import dataclasses

import kernels
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from synthetic import Access, Kernel, analyse, brute_footprint_bytes, sampled_trace

from roofstat.hardware import load_gpu
from roofstat.memory.model import model_memory
from roofstat.memory.modelling import SiteModeller
from roofstat.memory.records import FootprintMethod
from roofstat.memory.sites import collect_sites
from roofstat.program.code import Op

_WRITES = (Op.STORE, Op.ATOMIC)


def truth(kernel: Kernel, ops: tuple[Op, ...]) -> int:
    return sum(brute_footprint_bytes(kernel, buffer, ops) for buffer in kernel.buffers)


_SHAPES = {
    "elementwise with a tail": kernels.elementwise(50_000),
    "stencil 1d": kernels.stencil_1d(20_000, 4),
    "stencil 2d": kernels.stencil_2d(500, 130),
    "stencil 3d": kernels.stencil_3d(64, 60, 40),
    "transpose": kernels.transpose(256),
    "matmul naive": kernels.matmul_naive(96, 128, 48),
    "matmul tiled": kernels.matmul_tiled(96, 128, 48),
    "strided within a sector": kernels.strided(4096, 12),
    "strided beyond a sector": kernels.strided(4096, 100),
    "array of structs": kernels.array_of_structs(4096, 64, 10),
    "sparse array of structs": kernels.array_of_structs(4096, 96, 3),
    "broadcast": kernels.broadcast(500, 16),
    "gather": kernels.gather(8192, 20_000),
    "block reduction": kernels.block_reduction(640),
    "grid stride": kernels.grid_stride(100_000, 32),
    "split index": kernels.padded_rows(100, 104, 80),
}


@pytest.mark.parametrize("name", _SHAPES)
def test_unique_read_bytes_agree_with_every_thread(name: str) -> None:
    kernel = _SHAPES[name]
    assert analyse(kernel).unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.05)


@pytest.mark.parametrize(
    "name", [n for n in _SHAPES if any(a.op is Op.STORE for a in _SHAPES[n].accesses)]
)
def test_unique_written_bytes_agree_with_every_thread(name: str) -> None:
    kernel = _SHAPES[name]
    expected = truth(kernel, _WRITES)
    assert analyse(kernel).unique_write_bytes == pytest.approx(expected, rel=0.05, abs=64)


def test_stencil_neighbours_share_their_bytes() -> None:
    """Nine points of a row of n floats: n * 4 bytes, not nine times as much."""
    n = 1 << 16
    memory = analyse(kernels.stencil_1d(n, 4))
    assert memory.unique_read_bytes == pytest.approx(4 * n, rel=0.01)
    assert sum(a.footprint_bytes for a in memory.accesses if a.array == "buffer0") > 8.9 * 4 * n


def test_footprint_does_not_exceed_the_buffer() -> None:
    """A quarter of the threads too many does not make the array longer."""
    kernel = kernels.strided(4096, 4)
    kernel.buffer_bytes = {0: 4096 * 3}
    assert analyse(kernel).unique_read_bytes == 4096 * 3


def test_a_size_that_most_accesses_exceed_is_not_believed() -> None:
    kernel = kernels.strided(4096, 64)
    kernel.buffer_bytes = {0: 1024}
    assert analyse(kernel).unique_read_bytes == 4096 * 32


def test_disjoint_halves_of_a_buffer_add_up() -> None:
    half = 4096 * 4
    kernel = Kernel(
        (32, 1, 1),
        (128, 1, 1),
        [Access(lambda t: t.x * 4), Access(lambda t: t.x * 4 + half)],
    )
    assert analyse(kernel).unique_read_bytes == 2 * half


def test_halves_of_blocks_add_up_where_the_last_block_lacks_one() -> None:
    """64 blocks of 128 threads read 256 words each; of the last one, 56 words are there."""

    def at(t, half):
        return t.bx * 256 + t.tx + 128 * half

    kernel = Kernel(
        (64, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t, h=h: at(t, h) * 4, active=lambda t, h=h: at(t, h) < 64 * 256 - 200)
            for h in (0, 1)
        ],
    )
    assert analyse(kernel).unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.02)


def test_planes_of_which_the_last_block_lacks_some_are_all_there() -> None:
    """18 blocks take four of 70 planes each, the last one two: those that all blocks take lie beside the others."""
    kernel = Kernel(
        (10, 18, 8),
        (96, 1, 1),
        [
            Access(
                lambda t, k=k: ((t.bz * 70 + t.by * 4 + k) * 960 + t.x) * 4,
                active=lambda t, k=k: t.by * 4 + k < 70,
            )
            for k in range(4)
        ],
    )
    assert analyse(kernel).unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.02)


def test_a_loop_over_rows_of_many_images_reaches_the_last_one(run) -> None:
    """A block for each of 16 channels walks 3,360 words of each of 24 images, 512 threads at a time: all of them."""
    text = """
    __global__ void k(const float *x, float *y, int images, int words) {
      int c = blockIdx.x; float s = 0;
      for (int j = threadIdx.x; j < images * words; j += blockDim.x) {
        int n = j / words, i = j - n * words;
        s += x[(n * gridDim.x + c) * words + i];
      }
      y[c * blockDim.x + threadIdx.x] = s;
    }
    """
    elements = 16 * 24 * 3360
    arguments = {"x": elements, "y": 16 * 512, "images": 24, "words": 3360}
    ran = run(text, grid=16, block=512, arguments=arguments)
    memory = model_memory(
        ran.trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert memory.unique_read_bytes == pytest.approx(4 * elements, rel=0.05)


def test_every_second_thread_still_touches_every_sector() -> None:
    kernel = Kernel(
        (32, 1, 1), (128, 1, 1), [Access(lambda t: t.x * 4, active=lambda t: t.x % 2 == 0)]
    )
    assert analyse(kernel).unique_read_bytes == 4096 * 4


def test_a_triangle_is_half_of_the_square() -> None:
    n = 256
    kernel = Kernel(
        (n // 16, n // 16, 1),
        (16, 16, 1),
        [Access(lambda t: (t.y * n + t.x) * 4, active=lambda t: t.x <= t.y)],
    )
    assert analyse(kernel).unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.15)


def test_a_clamp_at_the_border_does_not_spoil_the_fit() -> None:
    n = 512

    def clamped(t):
        return (t.y * n + (t.x - 1).clip(0)) * 4

    kernel = Kernel((n // 32, 16, 1), (32, 8, 1), [Access(clamped)])
    memory = analyse(kernel)
    assert memory.accesses[0].method is FootprintMethod.AFFINE
    assert memory.unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.05)


def test_methods_are_reported() -> None:
    methods = {a.array: a.method for a in analyse(kernels.gather(8192, 20_000)).accesses}
    assert methods == {"buffer0": FootprintMethod.RANDOM, "buffer1": FootprintMethod.AFFINE}
    quadratic = Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: (t.tx + t.bx * t.bx * 128) * 4)])
    assert [a.method for a in analyse(quadratic).accesses] == [FootprintMethod.LATTICE]


def test_gather_is_listed_as_an_assumption() -> None:
    assumptions = analyse(kernels.gather(8192, 20_000)).assumptions
    assert [a.kind for a in assumptions] == ["gather"]
    assert 0.5 < assumptions[0].weight <= 1.0


@pytest.mark.parametrize("skew", [1, 2, 4])
def test_rows_that_are_asked_for_more_often_are_fewer(skew: int) -> None:
    """Each warp gathers a row of 256 bytes; rows are drawn as u^skew: for 1 evenly, else the more often the lower."""
    rows, warps = 4000, 8192
    row = (np.random.default_rng(5).random(warps) ** skew * rows).astype(np.int64)
    kernel = Kernel(
        (warps // 4, 1, 1),
        (128, 1, 1),
        [Access(lambda t: row[(t.x // 32) % warps] * 256 + t.x % 32 * 8, is_guess=True)],
        {0: 256 * rows},
    )
    assert analyse(kernel).unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.12)


def test_neighbours_behind_an_unknown_base_share_its_sectors() -> None:
    """Each block has 1,024 bytes of its own somewhere: 32 sectors, which both members of all pairs lie in."""
    blocks = 1024
    base = np.random.default_rng(3).permutation(1 << 16)[:blocks] * 1024
    kernel = Kernel(
        (blocks, 1, 1),
        (128, 1, 1),
        [
            Access(
                lambda t, m=member: base[t.bx % blocks] + t.tx * 8 + 4 * m,
                op=Op.STORE,
                is_guess=True,
            )
            for member in (0, 1)
        ],
        {0: 1 << 26},
    )
    assert analyse(kernel).unique_write_bytes == pytest.approx(1024 * blocks, rel=0.05)


@pytest.mark.property
@settings(max_examples=60, deadline=None)
@given(
    grid=st.tuples(st.integers(1, 9), st.integers(1, 6), st.just(1)),
    block=st.sampled_from([(32, 1, 1), (64, 2, 1), (16, 8, 1), (100, 1, 1), (8, 4, 4)]),
    trips=st.integers(1, 9),
    strides=st.tuples(*[st.sampled_from([0, 4, 8, 12, 32, 64, 96, 100]) for _ in range(3)]),
    outer=st.tuples(*[st.sampled_from([0, 1, 2, 3]) for _ in range(3)]),
    element_bytes=st.sampled_from([4, 8]),
)
def test_affine_kernels_within_bounds(grid, block, trips, strides, outer, element_bytes) -> None:
    """Nested strides (each coordinate steps over what the inner ones span, a multiple of it, or not at all)."""
    tid_stride, loop_stride, extra = strides
    span = max(tid_stride * (block[0] - 1) + element_bytes, 4)
    pitch_y = outer[0] * (span + extra - (span + extra) % 4)
    span_y = span + pitch_y * (block[1] - 1)
    pitch_bx = outer[1] * (span_y - span_y % 4)
    span_bx = span_y + pitch_bx * (grid[0] - 1)
    pitch_by = outer[2] * (span_bx - span_bx % 4)

    def offset(t, i):
        return (
            t.tx * tid_stride + t.ty * pitch_y + t.bx * pitch_bx + t.by * pitch_by + i * loop_stride
        )

    kernel = Kernel(grid, block, [Access(offset, element_bytes, loops=(trips,))])
    expected = brute_footprint_bytes(kernel, 0, (Op.LOAD,))
    found = analyse(kernel).unique_read_bytes
    # Interleaved progressions (a stride that falls between two others) are bounded, not exact.
    assert found <= 1.6 * expected + 64
    assert found >= 0.6 * expected - 64


@pytest.mark.property
@settings(max_examples=60, deadline=None)
@given(
    width=st.integers(2, 9),
    height=st.integers(2, 9),
    row_bytes=st.sampled_from([0, 4, 32, 96, 160]),
    points=st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=7, unique=True
    ),
)
def test_any_stencil_on_rows_within_5_percent(width, height, row_bytes, points) -> None:
    pitch = width * 64 * 4 + row_bytes
    kernel = Kernel(
        (width, height, 1),
        (64, 2, 1),
        [
            Access(lambda t, dx=dx, dy=dy: (t.y + 3 + dy) * pitch + (t.x + 3 + dx) * 4)
            for dx, dy in points
        ],
    )
    expected = brute_footprint_bytes(kernel, 0, (Op.LOAD,))
    assert analyse(kernel).unique_read_bytes == pytest.approx(expected, rel=0.05, abs=96)


def test_accesses_of_an_empty_range_are_even() -> None:
    trace = sampled_trace(kernels.gather(8192, 20_000))
    sites = [SiteModeller(trace).model(site) for site in collect_sites(trace)[0]]
    for site in sites:
        assert set(site.density(100, 100)) == {1 / 8}


def test_samples_that_stand_for_no_thread_are_no_steps() -> None:
    trace = sampled_trace(kernels.matmul_naive(64, 64, 64))
    for site in (site for site in collect_sites(trace)[0] if len(site.weight) > 1):
        weight = site.weight.copy()
        weight[0] = 0.0
        rest = SiteModeller(trace).model(dataclasses.replace(site, weight=weight))
        assert len(rest.sampled_steps()) == len(weight) - 1
