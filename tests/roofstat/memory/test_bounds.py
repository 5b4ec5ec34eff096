"""What holds for every trace: nothing negative, nothing larger than what was asked for; and reuse of accesses at random."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from synthetic import Access, Kernel, sampled_trace
from test_footprint import analyse

from clang_queries.ir.types import Scalar
from roofstat.hardware import load_gpu
from roofstat.memory.model import model_memory
from roofstat.memory.records import Direction, MemoryTraffic
from roofstat.memory.sites import collect_sites
from roofstat.program.code import Op

_MIB = 1 << 20
_OPS = st.sampled_from([Op.LOAD, Op.LOAD, Op.STORE, Op.ATOMIC])
_STRIDES = st.sampled_from([-8, 0, 0, 4, 4, 8, 36, 512])


@st.composite
def _accesses(draw: st.DrawFn) -> Access:
    lane, block, outer, inner = (draw(_STRIDES) for _ in range(4))
    modulus = draw(st.sampled_from([1, 7, 64, 10**9]))
    guard = draw(st.sampled_from([None, lambda t, *_: t.x % 5 == 0, lambda t, *_: t.x < 100]))
    loops = draw(st.sampled_from([(), (1,), (40,), (3, 50)]))

    def offset(t, *iterations):
        moved = sum(s * i for s, i in zip((outer, inner), iterations, strict=False))
        return 4096 + t.tx * lane + t.bx % modulus * 32 * block + moved

    return Access(
        offset,
        op=draw(_OPS),
        buffer=draw(st.integers(0, 1)),
        loops=loops,
        active=guard,
        is_guess=draw(st.booleans()),
    )


def _numbers(memory: MemoryTraffic) -> dict[str, float]:
    found = {
        field.name: getattr(memory, field.name)
        for field in dataclasses.fields(memory)
        if isinstance(getattr(memory, field.name), float | int)
    }
    for name, traffic in (("profiled", memory.profiled), ("steady", memory.steady)):
        found[f"{name} read"] = traffic.read_bytes
        found[f"{name} write"] = traffic.write_bytes
    return found


@pytest.mark.property
@settings(max_examples=120, deadline=None)
@given(
    accesses=st.lists(_accesses(), min_size=1, max_size=6),
    grid=st.sampled_from([1, 3, 70, 5000]),
    hidden=st.integers(0, 5),
    size=st.sampled_from([None, 256, 1 << 20]),
    gpu=st.sampled_from(["h100", "a10", "rtx3080"]),
)
def test_nothing_is_negative_or_undefined(accesses, grid, hidden, size, gpu) -> None:
    """Also where stores are promoted out of loops and some addresses are unknown."""
    kernel = Kernel((grid, 1, 1), (96, 1, 1), accesses, {0: size})
    trace = sampled_trace(kernel)
    trace.events = [event for event in trace.events if event.site != hidden]
    memory = model_memory(
        trace,
        load_gpu(gpu),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    for name, value in _numbers(memory).items():
        assert math.isfinite(value), name
        assert value >= 0.0, name
    others = load_gpu(gpu).ecc_dram_factor * memory.dram_terms.foreign_bytes
    assert memory.profiled.write_bytes <= memory.steady.write_bytes + others
    assert all(0.0 <= access.share <= 1.0 for access in memory.accesses)


def test_accumulation_in_memory_keeps_one_load_and_one_store() -> None:
    """`m[j] = b * m[j] + ...` in 200 steps, three arrays of their own: each is loaded once and stored once."""
    steps = 200
    accesses = []
    for buffer in range(3):
        place = {"buffer": buffer, "loops": (steps,)}
        accesses.append(Access(lambda t, i: t.x * 4 + 0 * i, **place))
        accesses.append(Access(lambda t, i: t.x * 4 + 0 * i, op=Op.STORE, **place))
    trace = sampled_trace(Kernel((40, 1, 1), (256, 1, 1), accesses))
    for instruction in trace.code.body[0].instructions:
        instruction.args = (instruction.site // 2,)
    trace.code.body[0].instructions[:0] = _slot_sources(trace, 3)
    trace.code.register_types[:] = [Scalar.U64] * 3
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    warps = 40 * 256 / 32
    assert memory.global_load_requests == pytest.approx(3 * warps)
    assert memory.global_store_requests == pytest.approx(3 * warps)


def _slot_sources(trace, count: int) -> list:
    """Each pointer register comes from an object of its own."""
    template = trace.code.body[0].instructions[0]
    return [
        dataclasses.replace(
            template, op=Op.SLOT, dest=number, args=(), site=900 + number, detail=number
        )
        for number in range(count)
    ]


def test_a_sum_over_the_inner_loop_is_loaded_once_for_each_element() -> None:
    """`out[i][j] += ...` in three loops of 7: 49 elements of a thread, each loaded in the first of 7 steps only."""

    def place(t, i, j, k):
        return (t.x * 49 + i * 7 + j) * 4 + 0 * k

    kernel = Kernel(
        (8, 1, 1),
        (256, 1, 1),
        [Access(place, loops=(7, 7, 7)), Access(place, op=Op.STORE, loops=(7, 7, 7))],
    )
    memory = analyse(kernel)
    warps = 8 * 256 / 32
    assert memory.global_load_requests == pytest.approx(49 * warps, rel=0.15)
    assert memory.unique_read_bytes == pytest.approx(8 * 256 * 49 * 4, rel=0.15)


def gather(elements: int, threads: int, *, is_guess: bool) -> Kernel:
    """Each thread reads eight elements anywhere."""
    places = np.random.default_rng(11).integers(0, elements, threads)

    def offset(t, i):
        return (places[t.x % threads] + i * 7919 * 13) % elements * 4

    return Kernel(
        (threads // 256, 1, 1),
        (256, 1, 1),
        [Access(offset, loops=(8,), is_guess=is_guess)],
        {0: 4 * elements},
    )


@pytest.mark.parametrize("size_mib", [8, 200])
def test_loads_at_random_miss_as_far_as_the_cache_is_too_small(size_mib: int) -> None:
    """Half of the 50 MiB of L2 hold shared data: arrays below that are fetched once, above only a share is found."""
    threads = 1 << 20
    kernel = gather(size_mib * _MIB // 4, threads, is_guess=False)
    gpu = load_gpu("h100")
    size = size_mib * _MIB
    requested = 8 * threads
    places = size / 64
    touched = places * (1.0 - math.exp(-requested / places))
    hit = min(1.0, 0.5 * gpu.l2_bytes / (64 * touched))
    expected = 64 * (touched + (requested - touched) * (1.0 - hit))
    assert analyse(kernel).profiled.read_bytes == pytest.approx(expected, rel=0.2)


def test_gathers_through_unknown_data_fetch_what_they_touch_once() -> None:
    """Nobody knows the indices; real ones have locality."""
    threads = 1 << 20
    kernel = gather(50 * _MIB, threads, is_guess=True)
    memory = analyse(kernel)
    assert memory.profiled.read_bytes <= 2.1 * memory.unique_read_bytes


def test_records_at_unknown_places_reach_as_far_as_their_threads_walk() -> None:
    """64 times 16 bytes from a place of its own for each of 2^16 threads, in a buffer of unknown size."""
    threads, steps = 1 << 16, 64

    def record(t, i):
        return (t.x * 0x9E3779B1 % (1 << 20)) * 1024 + i * 16

    kernel = Kernel(
        (threads // 128, 1, 1),
        (128, 1, 1),
        [Access(record, 16, loops=(steps,), is_guess=True)],
        {0: None},
    )
    walked = 16 * steps * threads
    assert 0.5 * walked < analyse(kernel).unique_read_bytes <= walked


def test_unknown_addresses_move_no_more_than_all_arrays_hold() -> None:
    """A load of unknown address in a long loop, beside an array of 64 KiB."""
    known = Access(lambda t, i: t.x * 4 + 0 * i, loops=(10_000,))
    lost = Access(lambda t, i: t.x * 4 + 0 * i, buffer=1, loops=(10_000,))
    kernel = Kernel((64, 1, 1), (256, 1, 1), [known, lost], {0: 65536})
    trace = sampled_trace(kernel)
    trace.events = [event for event in trace.events if event.site == 0]
    del trace.buffers[1]
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert memory.profiled.read_bytes < 3 * 65536


def test_a_load_of_partly_unknown_address_reads_what_is_left_of_its_array() -> None:
    """Two arrays of 1 MB; half of the loads from the first, which the other half reads in whole, have no address."""
    threads = 1 << 18
    loads = [Access(lambda t: t.x * 4, buffer=n) for n in (0, 1)]
    kernel = Kernel((threads // 256, 1, 1), (256, 1, 1), loads, {0: 4 * threads, 1: 4 * threads})
    trace = sampled_trace(kernel)
    trace.sites[0].threads += threads
    trace.sites[0].warps += threads / 32
    trace.sites[0].unknown_address_threads = threads
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert memory.profiled.read_bytes == pytest.approx(2 * 4 * threads, rel=0.01)
    assert memory.global_load_requests == pytest.approx(3 * threads / 32)


def test_atomics_of_unknown_address_cost_no_dram() -> None:
    """Counters and histograms are small."""
    kernel = Kernel((5000, 1, 1), (256, 1, 1), [Access(lambda t: t.x * 4, op=Op.ATOMIC)])
    trace = sampled_trace(kernel)
    trace.events = []
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert memory.profiled.total_bytes < 10_000
    assert memory.l2_bytes >= 5000 * 256 * 4


def test_one_pass_after_another_finds_what_fits_between_them() -> None:
    """Read 24 MB, then read it again and write as much: the second reading starts 24 MB and ends 36 MB after the first."""
    trips, rows = 24, 4000
    pitch = trips * 128
    load = Access(lambda t, i: t.x // 32 * pitch + i * 128 + t.x % 32 * 4, loops=(trips,))
    store = dataclasses.replace(load, op=Op.STORE, buffer=1)
    trace = sampled_trace(Kernel((rows // 4, 1, 1), (128, 1, 1), [load, load, store]))
    ordered = sorted(trace.events, key=lambda event: (event.site > 0, event.order))
    for order, event in enumerate(ordered):
        event.order = order
        event.loops = tuple(dataclasses.replace(c, loop=int(event.site > 0)) for c in event.loops)
    trace.events = ordered
    memory = model_memory(
        trace,
        load_gpu("a100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert memory.profiled.read_bytes == pytest.approx(rows * pitch, rel=0.05)


@pytest.mark.parametrize("is_guess", [False, True])
def test_loads_at_random_ask_the_l2_for_their_sectors(*, is_guess: bool) -> None:
    """The L1s (at most 228 KiB of 200 MiB) hold nothing of the array that another block has loaded."""
    threads = 1 << 20
    memory = analyse(gather(50 * _MIB, threads, is_guess=is_guess))
    assert memory.l2_bytes == pytest.approx(32 * 8 * threads, rel=0.02)
    assert memory.l2_bytes >= 0.5 * memory.profiled.read_bytes  # the DRAM fetches pairs of sectors


def test_loads_at_random_of_a_small_table_stay_in_the_l1() -> None:
    threads = 1 << 20
    memory = analyse(gather(1024, threads, is_guess=True))
    assert memory.l2_bytes < 0.05 * 32 * 8 * threads


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        ("c[i] = x; c[i] = x * 2.0f;", 1),
        ("if (i < 7) c[i] = x; c[i] = 2.0f;", 1),
        ("for (int k = 0; k < 4; k++) { c[i + 64 * k] = x; c[i + 64 * k] = 2.0f; }", 4),
        # what may be read in between, or only in part or in some iterations overwritten, is stored
        ("c[i] = x; x += a[i]; c[i] = x;", 2),
        ("c[i] = x; if (i < 40) c[i] = 2.0f;", 2),
        ("c[i] = x; __syncthreads(); c[i] = 2.0f;", 2),
        ("c[i] = x; atomicAdd(c + n, x); c[i] = 2.0f;", 2),
        ("((double *)c)[i] = x; c[2 * i] = 2.0f;", 2),
        (
            """for (int k = 0; k < 6; k++) for (int l = 0; l <= k; l++) {
                 c[i + 8 * (k + 6 * l)] = x; c[i + 8 * (l + 6 * k)] = x; }""",
            42,
        ),
    ],
)
def test_stores_that_are_overwritten_are_not_made(run, body: str, stores: float) -> None:
    text = f"""
    __global__ void k(float *a, float *c, int n, float x) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {body}
    }}"""
    ran = run(text, block=64, arguments={"a": 64, "c": 512, "n": 500, "x": 2.0})
    sites = [site for site in collect_sites(ran.trace)[0] if site.direction is Direction.WRITE]
    assert sum(site.warps for site in sites) == 2 * stores
