"""Fits and footprints on the lanes that the abstract machine samples: stars of blocks, and dense samples."""

from __future__ import annotations

import dataclasses
import math

import kernels
import pytest
from synthetic import Access, Kernel, Threads, machine_lanes, sampled_trace, with_block_source
from test_footprint import truth

from roofstat.hardware import load_gpu
from roofstat.memory.affine import fit_site
from roofstat.memory.lane_pairs import LanePairs
from roofstat.memory.model import model_memory
from roofstat.memory.records import MemoryTraffic
from roofstat.memory.sites import collect_sites
from roofstat.program.code import Op, SpecialRegister

STORE = Op.STORE


_BLOCKS = (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z)


def analyse(kernel: Kernel, *, dense: bool, gpu: str = "h100") -> MemoryTraffic:
    trace = sampled_trace(kernel, sample=machine_lanes(kernel, dense=dense))
    return model_memory(
        with_block_source(trace, *_BLOCKS) if kernel.accesses else trace,
        load_gpu(gpu),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )


def box(nx: int, ny: int, nz: int) -> Kernel:
    """Seven points of a box of doubles, one thread each, in blocks of 32 by 4 by 2."""

    def inside(t: Threads):
        return (t.x > 0) & (t.x < nx - 1) & (t.y > 0) & (t.y < ny - 1) & (t.z > 0) & (t.z < nz - 1)

    def index(t: Threads):
        return (t.z * ny + t.y) * nx + t.x

    offsets = (0, 1, -1, nx, -nx, nx * ny, -nx * ny)
    reads = [Access(lambda t, d=d: (index(t) + d) * 8, 8, active=inside) for d in offsets]
    write = Access(lambda t: index(t) * 8, 8, op=STORE, buffer=1, active=inside)
    return Kernel((nx // 32, ny // 4, nz // 2), (32, 4, 2), [*reads, write])


def periodic(nx: int, ny: int) -> Kernel:
    """Nine neighbours with wrap-around at the borders; a block is a piece of a row."""
    shifts = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    reads = [
        Access(lambda t, dx=dx, dy=dy: ((t.y + dy) % ny * nx + (t.x + dx) % nx) * 4)
        for dx, dy in shifts
    ]
    return Kernel((nx // 128, ny, 1), (128, 1, 1), reads)


def taps(width: int, height: int) -> Kernel:
    """Three by three bytes read in two loops."""

    def inside(t: Threads, i, j):
        return (t.x > 0) & (t.y > 0) & (t.x < width - 1) & (t.y < height - 1)

    read = Access(
        lambda t, i, j: (t.y + i - 1) * width + t.x + j - 1, 1, loops=(3, 3), active=inside
    )
    return Kernel((width // 64, height // 4, 1), (64, 4, 1), [read])


@pytest.mark.parametrize("dense", [False, True], ids=["star", "dense"])
@pytest.mark.parametrize(
    "kernel",
    [
        box(96, 80, 64),
        periodic(640, 96),
        taps(512, 240),
        kernels.stencil_2d(512, 256),
        kernels.stencil_3d(128, 96, 24),
    ],
    ids=["box", "periodic", "taps", "stencil 2d", "stencil 3d"],
)
def test_footprints_agree_with_every_thread(kernel: Kernel, dense: bool) -> None:
    memory = analyse(kernel, dense=dense)
    assert memory.unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.06)
    if any(access.op is STORE for access in kernel.accesses):
        assert memory.unique_write_bytes == pytest.approx(truth(kernel, (STORE,)), rel=0.06)


@pytest.mark.parametrize("dense", [False, True], ids=["star", "dense"])
def test_an_axis_that_is_sampled_with_others_only_is_fitted(dense: bool) -> None:
    """No two sampled warps of a block of 32 by 4 by 2 differ in z alone."""
    kernel = box(96, 80, 64)
    trace = sampled_trace(kernel, sample=machine_lanes(kernel, dense=dense))
    found = fit_site(collect_sites(trace)[0][0], LanePairs(trace))
    assert found.core is None
    plane = 96 * 80 * 8
    assert [found.stride(axis) for axis in range(6)] == [8, 768, plane, 256, 3072, 2 * plane]
    assert all(axis.step == 1 for axis in found.axes)


@pytest.mark.parametrize("dense", [False, True], ids=["star", "dense"])
@pytest.mark.parametrize("face", range(6))
def test_a_face_of_a_box_is_as_large_as_it_is(face: int, dense: bool) -> None:
    """Writing one face of 64 * 64 * 64 doubles: 4,096 elements, in whole sectors where x varies."""
    n = 64
    axis, end = divmod(face, 2)

    def on_face(t: Threads):
        return (t.x, t.y, t.z)[axis] == end * (n - 1)

    kernel = Kernel(
        (n // 8, n // 8, n // 4),
        (8, 8, 4),
        [Access(lambda t: ((t.z * n + t.y) * n + t.x) * 8, 8, op=STORE, active=on_face)],
    )
    sectors = n * n if axis == 0 else n * n // 4
    # A star counts the edges of the box to two faces each and leaves the rest a little short.
    tolerance = 0.02 if dense else 0.35
    found = analyse(kernel, dense=dense).unique_write_bytes
    assert found == pytest.approx(32 * sectors, rel=tolerance)


def test_faces_of_different_direction_add_up() -> None:
    """Columns and rows of a matrix meet in corners only."""
    n = 1024
    column = Access(
        lambda t: (t.y * n + t.x) * 8, 8, op=STORE, active=lambda t: (t.x == 0) | (t.x == n - 1)
    )
    row = Access(
        lambda t: (t.y * n + t.x) * 8, 8, op=STORE, active=lambda t: (t.y == 0) | (t.y == n - 1)
    )
    kernel = Kernel((n // 32, n // 8, 1), (32, 8, 1), [column, row])
    found = analyse(kernel, dense=True).unique_write_bytes
    assert found == pytest.approx(truth(kernel, (STORE,)), rel=0.05)


@pytest.mark.parametrize("width", [30, 126, 1000])
def test_rows_of_a_flattened_loop_are_as_good_as_affine(width: int) -> None:
    """i / width * (width + 2) + i % width: a few bytes more for each row leave the footprint of a linear index."""
    rows = 200
    n = width * rows

    def offset(t: Threads):
        return ((t.x // width + 1) * (width + 2) + t.x % width + 1) * 4

    def inside(t: Threads):
        return t.x < n

    reads = [
        Access(lambda t, d=d: offset(t) + d * 4, active=inside)
        for d in (0, 1, -1, width + 2, -width - 2)
    ]
    kernel = Kernel((math.ceil(n / 128), 1, 1), (128, 1, 1), reads)
    memory = analyse(kernel, dense=False, gpu="rtx3080")
    assert memory.unique_read_bytes == pytest.approx(truth(kernel, (Op.LOAD,)), rel=0.06)
    # All in the L2: each byte is read once.
    floor = analyse(dataclasses.replace(kernel, accesses=[]), dense=False).profiled.read_bytes
    assert memory.profiled.read_bytes - floor == pytest.approx(memory.unique_read_bytes, rel=0.02)
