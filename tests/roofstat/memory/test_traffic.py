"""L2 and DRAM traffic: reuse against a simulated cache, the two regimes, the floor, local memory."""

from __future__ import annotations

import dataclasses
import math

import kernels
import numpy as np
import pytest
from synthetic import (
    Access,
    Kernel,
    lru_misses,
    lru_misses_adrift,
    machine_lanes,
    sampled_trace,
    with_block_source,
)
from test_footprint import analyse

from clang_queries.ir.expressions import Position
from clang_queries.ir.types import Scalar
from roofstat.execution.trace import LaunchTrace
from roofstat.hardware import load_gpu
from roofstat.memory.affine import fit_site
from roofstat.memory.coalescing import count_requests
from roofstat.memory.footprint import ModelledSite
from roofstat.memory.lane_pairs import LanePairs
from roofstat.memory.model import model_memory
from roofstat.memory.modelling import SiteModeller
from roofstat.memory.parameters import memory_parameters
from roofstat.memory.records import MemoryTraffic
from roofstat.memory.reuse import Cache, Part, ReuseModel, group_by_buffer, wave_levels
from roofstat.memory.sites import collect_sites
from roofstat.program.code import Op, Slot, Space, SpecialRegister

_MIB = 1 << 20
_STREAM = 64 * _MIB
_FOREIGN = 2_350_000
"""Dirty bytes that others leave in a large L2."""


def streaming(read_arrays: int, bytes_each: int = _STREAM) -> Kernel:
    """Reads some arrays and writes one, all of the same size."""
    threads = bytes_each // 4
    accesses = [Access(lambda t: t.x * 4, buffer=n) for n in range(read_arrays)]
    accesses.append(Access(lambda t: t.x * 4, op=Op.STORE, buffer=read_arrays))
    return Kernel((threads // 256, 1, 1), (256, 1, 1), accesses)


def model_traffic(trace: LaunchTrace) -> MemoryTraffic:
    return model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )


def modelled_misses(
    kernel: Kernel, capacity_bytes: int, resident_blocks: int, drift: float = 0.0
) -> float:
    return sum(misses_by_buffer(kernel, capacity_bytes, resident_blocks, drift))


def misses_by_buffer(
    kernel: Kernel, capacity_bytes: int, resident_blocks: int, drift: float = 0.0
) -> list[float]:
    trace = sampled_trace(kernel)
    pairs = LanePairs(trace)
    sites = [
        ModelledSite(
            site=site,
            requests=count_requests(site),
            fit=fit_site(site, pairs),
            block_extents=tuple(float(size) for size in trace.grid),
        )
        for site in collect_sites(trace)[0]
    ]
    groups = group_by_buffer(sites)
    levels = wave_levels(trace.grid, resident_blocks)
    cache = Cache(capacity_bytes=capacity_bytes, lost_at=2.0)
    reuse = ReuseModel(groups, Part.ALL, [1.0] * len(groups), levels[0].blocks, cache)
    return [reuse.misses_of_launch(g, Part.READS, levels, drift) for g in groups if g.reads]


@pytest.mark.parametrize("capacity_kib", [16, 64, 1024])
@pytest.mark.parametrize(
    "kernel",
    [
        kernels.elementwise(20_000),
        kernels.stencil_2d(256, 64),
        kernels.matmul_naive(64, 64, 64),
        kernels.broadcast(256, 32),
        kernels.stencil_3d(32, 60, 24),
    ],
    ids=["elementwise", "stencil 2d", "matmul", "broadcast", "stencil 3d"],
)
def test_reuse_agrees_with_a_simulated_cache(kernel: Kernel, capacity_kib: int) -> None:
    """Far below and far above the working sets the model is close to LRU; in between it is within a factor of 2."""
    capacity = capacity_kib * 1024
    simulated = lru_misses(kernel, capacity, resident_blocks=8)
    found = modelled_misses(kernel, capacity, resident_blocks=8)
    assert simulated / 2.2 <= found <= simulated * 2.2
    if capacity_kib == 1024:
        assert found == pytest.approx(simulated, rel=0.05)


@pytest.mark.parametrize("capacity_kib", [8, 24, 128])
def test_blocks_adrift_share_what_a_window_of_them_holds(capacity_kib: int) -> None:
    """Rows of A are shared by blocks that start together, columns of B by those a row of blocks apart."""
    kernel = kernels.matmul_naive(128, 128, 64)
    resident = 24
    drifting = modelled_misses(kernel, capacity_kib << 10, resident, drift=1.0)
    simulated = lru_misses_adrift(kernel, capacity_kib << 10, resident)
    assert simulated / 1.5 <= drifting <= simulated * 1.5
    half = modelled_misses(kernel, capacity_kib << 10, resident, drift=0.5)
    in_step = modelled_misses(kernel, capacity_kib << 10, resident)
    assert in_step <= half <= max(drifting, in_step)


@pytest.mark.parametrize("capacity_kib", [8, 24, 128])
def test_blocks_adrift_share_nothing_where_one_alone_fills_the_cache(capacity_kib: int) -> None:
    """48 blocks walk over the same 64 KiB: 2,048 sectors each time, or once where they fit."""
    walk = Access(lambda t, i: (i * 256 + t.tx) * 4, loops=(64,))
    kernel = Kernel((48, 1, 1), (256, 1, 1), [walk])
    drifting = modelled_misses(kernel, capacity_kib << 10, 24, drift=1.0)
    assert drifting == pytest.approx(lru_misses_adrift(kernel, capacity_kib << 10, 24), rel=0.1)
    assert drifting == pytest.approx(2_048 if capacity_kib == 128 else 48 * 2_048, rel=0.05)


def test_gathers_leave_room_for_what_is_read_beside_them() -> None:
    """In one iteration 64 of 256 blocks gather a 64th of 1 MiB, 16 KiB, beside 64 KiB that they read again in the next.

    Anywhere they would touch 227 KiB of it, and 128 KiB would hold nothing until then.
    """
    gather = Access(
        lambda t, i: (t.x * 16 + i) * 2654435761 % (1 << 18) * 4, loops=(16,), is_guess=True
    )
    beside = Access(lambda t, i: (t.x + i) * 8, buffer=1, loops=(16,), element_bytes=8)
    kernel = Kernel((256, 1, 1), (128, 1, 1), [gather, beside], {0: 1 << 20})
    assert misses_by_buffer(kernel, 128 << 10, 64)[1] == pytest.approx(256 * 128 * 8 / 32, rel=0.05)


def binary_search(steps: int, threads: int, *, in_loop: bool) -> Kernel:
    """Each thread looks for a number of its own among 2^steps sorted ones, by the bits of the index."""

    def place(t, step):
        wanted = t.x * 2654435761 % (1 << 32) >> (32 - steps)
        below = steps - 1 - step
        return ((wanted >> below) | 1) * 4 << below

    if in_loop:
        probes = [Access(place, is_guess=True, loops=(steps,))]
    else:
        probes = [Access(lambda t, k=k: place(t, k), is_guess=True) for k in range(steps)]
    return Kernel((threads // 128, 1, 1), (128, 1, 1), probes, {0: 4 << steps})


def bisection(length: int, threads: int) -> Kernel:
    """Each thread looks for a number of its own among sorted ones, by midpoints that are rounded down."""

    def place(t, step):
        wanted = t.x * 2654435761 % length
        low, high = 0, length
        for done in range(step + 1):
            middle = (low + high) // 2
            if done < step:
                below = middle < wanted
                low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        return middle * 4 + wanted * 0

    steps = (length - 1).bit_length()
    probes = [Access(place, is_guess=True, loops=(steps,))]
    return Kernel((threads // 128, 1, 1), (128, 1, 1), probes, {0: 4 * length})


def misses_at_random(kernel: Kernel, capacity_bytes: int) -> tuple[float, float]:
    """Sectors that the spread reads of a search ask for, and the misses that the model gives them."""
    trace = sampled_trace(kernel, sample=machine_lanes(kernel, dense=True))
    with_block_source(trace, SpecialRegister.CTAID_X)
    groups = group_by_buffer([SiteModeller(trace).model(s) for s in collect_sites(trace)[0]])
    levels = wave_levels(trace.grid, 2)
    assert any(site.is_spread for site in groups[0].reads)
    cache = Cache(capacity_bytes=capacity_bytes, lost_at=2.0)
    reuse = ReuseModel(groups, Part.ALL, [1.0], levels[0].blocks, cache)
    requested = sum(site.requests.sectors for site in groups[0].reads)
    return requested, reuse.misses_at_random(groups[0], Part.READS, requested, levels[-1])


@pytest.mark.parametrize("in_loop", [False, True], ids=["straight", "loop"])
@pytest.mark.parametrize("capacity_kib", [16, 64])
def test_the_first_steps_of_a_search_stay_in_the_cache(capacity_kib: int, *, in_loop: bool) -> None:
    """Of a loop a few steps are sampled, and those between them follow."""
    kernel = binary_search(steps=16, threads=1 << 15, in_loop=in_loop)
    requested, found = misses_at_random(kernel, capacity_kib << 10)
    simulated = lru_misses(kernel, capacity_kib << 10, resident_blocks=2)
    assert found == pytest.approx(simulated, rel=0.25)
    # If every step fell anywhere, nearly all would miss.
    assert requested > 1.8 * simulated


@pytest.mark.parametrize("capacity_kib", [64, 128])
def test_steps_of_a_search_are_told_in_tables_of_any_length(capacity_kib: int) -> None:
    """Rounded midpoints of 150,000 elements: beyond a step with more places than the 4,320 sampled lanes, gaps are no measure."""
    kernel = bisection(150_000, threads=1 << 15)
    _, found = misses_at_random(kernel, capacity_kib << 10)
    simulated = lru_misses(kernel, capacity_kib << 10, resident_blocks=2)
    # Five of 18 steps are sampled.
    assert found == pytest.approx(simulated, rel=0.35)


def test_a_search_in_a_loop_does_not_lose_its_first_steps_between_iterations() -> None:
    """2^22 floats on 5 MB of L2 (of which 4.2 MB can be filled), a line of 128 bytes for each of 2^s places of step s.

    In 8,192 searches the steps below 12 have seen nearly all of their places (4,096 lines), those from 12 to 16, where
    lines are their smallest parts, up to 8,192 each: that many searches fit, 33,000 lines. So of the steps from 13 on half
    or more miss, 4.8 in all, and those from 19 on are in the sector that step 18 has brought. The few sampled steps count up to
    a quarter more sectors.
    """
    threads = 1 << 20
    kernel = binary_search(steps=22, threads=threads, in_loop=True)
    trace = sampled_trace(kernel, sample=machine_lanes(kernel, dense=True))
    with_block_source(trace, SpecialRegister.CTAID_X)
    memory = model_memory(
        trace,
        load_gpu("rtx3080"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    sectors = memory.profiled.read_bytes / 32 / threads
    assert 4.0 < sectors < 6.5


def test_a_smaller_cache_never_moves_less() -> None:
    kernel = kernels.matmul_naive(128, 128, 128)
    misses = [modelled_misses(kernel, size << 10, 16) for size in (1024, 64, 32, 16, 8, 4, 2)]
    assert misses == sorted(misses)


def test_hit_share_falls_from_all_to_nothing() -> None:
    cache = Cache(capacity_bytes=10, lost_at=2.0)
    assert cache.hit_share(10) == 1.0
    assert cache.hit_share(15) == 0.5
    assert cache.hit_share(20) == 0.0
    assert cache.hit_share(100) == 0.0


@pytest.mark.parametrize("gpu", ["h100", "a100-sxm-40", "rtx3080"])
def test_streaming_moves_each_byte_once(gpu: str) -> None:
    memory = analyse(streaming(2), gpu)
    assert memory.profiled.read_bytes == pytest.approx(2 * _STREAM, rel=0.001)
    assert memory.steady.write_bytes == pytest.approx(_STREAM, rel=0.001)
    assert memory.l2_bytes == pytest.approx(3 * _STREAM, rel=0.001)


def test_dirty_bytes_left_in_the_l2_are_not_seen_by_a_profiler() -> None:
    """min(stored, c * L2, k * L2 * write share), the write share of two reads and a write being a third."""
    card = load_gpu("h100")
    kept = min(
        card.write_back_l2_share * card.l2_bytes, card.write_back_write_share * card.l2_bytes / 3
    )
    memory = analyse(streaming(2))
    assert memory.profiled.write_bytes == pytest.approx(_STREAM - kept + _FOREIGN, rel=0.001)


@pytest.mark.parametrize(
    ("gpu", "read_mib", "swept"),
    [
        # All of 2.35 MB, half of it at 0.6 of 50 MiB, nothing at 0.4; 31 % of an L2 of 5 MiB.
        ("h100", 256, _FOREIGN),
        ("h100", 30, _FOREIGN / 2),
        ("h100", 20, 0.0),
        ("rtx3080", 256, 0.31 * 5 * _MIB),
    ],
)
def test_dirty_lines_of_others_are_swept_out(gpu: str, read_mib: int, swept: float) -> None:
    kernel = streaming(1, read_mib * _MIB)
    memory = analyse(dataclasses.replace(kernel, accesses=kernel.accesses[:1]), gpu)
    assert memory.profiled.write_bytes == pytest.approx(swept, rel=0.01)
    assert memory.dram_terms.foreign_bytes == memory.profiled.write_bytes
    assert memory.steady.write_bytes == 0


def test_dirty_lines_of_others_make_way_for_those_of_the_launch() -> None:
    """A GA102 keeps 2.36 MB dirty in all: of 1.6 MB and 1.9 MB 1.16 MB go out, where a profiler saw 1.0 to 1.25."""
    kernel = streaming(1, 1_900_000 // 1024 * 1024)
    memory = analyse(dataclasses.replace(kernel, accesses=kernel.accesses[1:]), "rtx3080")
    assert memory.profiled.write_bytes == pytest.approx(1.16e6, rel=0.03)


def test_what_is_written_where_it_was_read_takes_no_further_room() -> None:
    """In place the lines read are the lines written: all that passes the L2 is dirty in the end, not half of it."""
    card = load_gpu("h100")
    kept = card.l2_bytes * min(card.write_back_l2_share, card.write_back_write_share)
    place = Access(lambda t: t.x * 4)
    kernel = Kernel(
        (_STREAM // 1024, 1, 1), (256, 1, 1), [place, dataclasses.replace(place, op=Op.STORE)]
    )
    memory = analyse(kernel)
    assert memory.profiled.read_bytes == pytest.approx(_STREAM, rel=0.001)
    assert memory.profiled.write_bytes == pytest.approx(_STREAM - kept + _FOREIGN, rel=0.001)


def test_a_small_store_stays_in_the_l2() -> None:
    memory = analyse(streaming(0, _MIB))
    assert memory.profiled.write_bytes == 0
    assert memory.steady.write_bytes == _MIB


def test_inline_ecc_moves_more() -> None:
    card = load_gpu("a10")
    assert card.ecc_dram_factor > 1
    memory = analyse(streaming(2), "a10")
    assert memory.steady.write_bytes == pytest.approx(_STREAM * card.ecc_dram_factor, rel=0.001)


def test_floor_of_a_launch_without_accesses() -> None:
    """2,432 bytes and the lines of the code: 64 instructions of 16 bytes are 8 lines of 128."""
    kernel = Kernel((1, 1, 1), (32, 1, 1), [])
    assert analyse(kernel).profiled.read_bytes == 2432 + 8 * 128
    assert analyse(kernel).profiled.write_bytes == 0


def strided_stores(count: int, stride: int) -> Kernel:
    """Each thread stores 4 bytes."""
    return Kernel((count // 256, 1, 1), (256, 1, 1), [Access(lambda t: t.x * stride, op=Op.STORE)])


@pytest.mark.parametrize(
    ("count", "stride", "read_mb", "write_mb"),
    [
        (1 << 15, 1024, 0.0, 0.0),
        (1 << 18, 128, 6.8, 4.4),
        (1 << 18, 1024, 6.9, 4.5),
        (1 << 19, 128, 15.2, 12.4),
        (1 << 20, 64, 30.6, 25.3),
        (1 << 20, 4096, 32.0, 29.5),
        (1 << 21, 32, 60.5, 51.0),
        (1 << 21, 1024, 65.5, 62.8),
    ],
)
def test_sectors_written_in_part_fill_the_l2_by_lines(
    count: int, stride: int, read_mb: float, write_mb: float
) -> None:
    """Against counters of an H100: a line with one dirty sector takes the room of one with four."""
    memory = analyse(strided_stores(count, stride)).profiled
    assert memory.read_bytes / 1e6 == pytest.approx(read_mb, rel=0.1, abs=0.1)
    assert memory.write_bytes / 1e6 == pytest.approx(write_mb, rel=0.12, abs=0.1)


def test_only_cards_with_ecc_words_read_what_is_written_in_part() -> None:
    kernel = strided_stores(1 << 20, 128)
    floor = analyse(Kernel((1, 1, 1), (32, 1, 1), [])).profiled.read_bytes
    fill = memory_parameters().hbm_fill
    assert analyse(kernel).steady.read_bytes - floor == fill * 32 * (1 << 20)
    assert analyse(kernel, "rtx3080").profiled.read_bytes == floor


def test_atomics_far_apart_read_more_than_their_sector() -> None:
    """48 bytes each on an H100: 50.3 MB of 2^20 atomics 4 KiB apart."""
    access = Access(lambda t: t.x * 4096, op=Op.ATOMIC)
    memory = analyse(Kernel((1 << 12, 1, 1), (256, 1, 1), [access]))
    assert memory.profiled.read_bytes == pytest.approx(48 << 20, rel=0.01)


@pytest.mark.parametrize(
    ("columns", "written_mb"), [(1 << 8, 256), (1 << 12, 260), (1 << 16, 387), (1 << 18, 1228)]
)
def test_columns_written_side_by_side_leave_before_their_sectors_are_full(
    columns: int, written_mb: float
) -> None:
    """2^26 floats, row by row into columns that lie one behind the other, against counters of an H100."""
    rows = (1 << 26) // columns
    access = Access(lambda t: (t.x % columns * rows + t.x // columns) * 4, op=Op.STORE)
    memory = analyse(Kernel((1 << 18, 1, 1), (256, 1, 1), [access]))
    assert memory.profiled.write_bytes / 1e6 == pytest.approx(written_mb, rel=0.4)


@pytest.mark.parametrize(("threads", "most"), [(1 << 14, 1.01), (1 << 19, math.inf)])
def test_rows_read_word_by_word_come_back_where_open_lines_exceed_the_l2(
    threads: int, most: float
) -> None:
    """Each thread walks along a row of 1 KiB: 104,448 resident ones hold open 13 MB of lines in 5 MB."""
    walk = Access(lambda t, i: t.x * 1024 + i * 4, loops=(256,))
    memory = analyse(Kernel((threads // 256, 1, 1), (256, 1, 1), [walk]), "rtx3080")
    unique = threads * 1024
    least = 1.0 if most < 2.0 else 3.0
    assert least * unique <= memory.profiled.read_bytes <= most * unique + 1e4


def mixed(number):
    """32 well mixed bits."""
    for _ in range(2):
        number = (number ^ (number >> 16)) * 0x45D9F3B % (1 << 32)
    return number ^ (number >> 16)


@pytest.mark.parametrize(("mega", "written_mb"), [(40, 380), (100, 500), (1000, 530)])
def test_stores_at_random_leave_one_by_one(mega: int, written_mb: float) -> None:
    """2^24 stores of 4 bytes each anywhere in so many MiB, against counters of an H100."""
    words = mega << 18
    access = Access(lambda t: mixed(t.x) * words // (1 << 32) * 4, op=Op.STORE)
    kernel = Kernel((1 << 16, 1, 1), (256, 1, 1), [access], {0: mega << 20})
    trace = sampled_trace(kernel, sample=machine_lanes(kernel, dense=True))
    assert model_traffic(trace).profiled.write_bytes / 1e6 == pytest.approx(written_mb, rel=0.25)


def test_stores_through_unknown_data_lie_between_locality_and_none() -> None:
    words = 100 << 18
    traffic = {}
    for is_guess in (False, True):
        place = Access(
            lambda t: mixed(t.x) * words // (1 << 32) * 4, op=Op.STORE, is_guess=is_guess
        )
        kernel = Kernel((1 << 16, 1, 1), (256, 1, 1), [place], {0: 4 * words})
        traffic[is_guess] = model_traffic(
            sampled_trace(kernel, sample=machine_lanes(kernel, dense=True))
        )
    none, once = traffic[False].steady.write_bytes, traffic[True].unique_write_bytes
    assert traffic[True].steady.write_bytes == pytest.approx((none * once) ** 0.5, rel=0.01)


def test_hbm_reads_two_sectors_for_one() -> None:
    """A column of single floats, 4 KiB apart."""
    kernel = kernels.strided(4096, 4096)
    floor = analyse(Kernel((1, 1, 1), (32, 1, 1), [])).profiled.read_bytes
    assert analyse(kernel).profiled.read_bytes - floor == 4096 * 64
    assert analyse(kernel, "rtx3080").profiled.read_bytes - floor == 4096 * 32


def test_reading_back_what_was_just_written_costs_no_dram_read() -> None:
    kernel = Kernel(
        (64, 1, 1),
        (128, 1, 1),
        [Access(lambda t: t.x * 4, op=Op.STORE), Access(lambda t: t.x * 4)],
    )
    floor = analyse(Kernel((1, 1, 1), (32, 1, 1), [])).profiled.read_bytes
    assert analyse(kernel).profiled.read_bytes == floor


def test_rows_summed_in_place_are_read_though_their_first_is_only_written() -> None:
    """Row 0 is cleared; each other one is read by all threads but those of column 0, then written."""
    width, rows = 64 * 128, 40

    def place(t, row):
        return (t.x + (row + 1) * width) * 4

    kernel = Kernel(
        (64, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t: t.x * 4, op=Op.STORE),
            Access(
                lambda t, i: place(t, i) * (t.x > 0), loops=(rows,), active=lambda t, _: t.x > 0
            ),
            Access(place, loops=(rows,), op=Op.STORE),
        ],
    )
    assert analyse(kernel).profiled.read_bytes == pytest.approx(4 * width * rows, rel=0.01)


def test_atomics_read_their_sectors() -> None:
    kernel = Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: t.x * 4, op=Op.ATOMIC)])
    memory = analyse(kernel)
    floor = analyse(Kernel((1, 1, 1), (32, 1, 1), [])).profiled.read_bytes
    assert memory.profiled.read_bytes - floor == 64 * 128 * 4
    assert memory.atomic_threads == 64 * 128
    assert memory.global_load_requests == memory.global_store_requests == 0
    assert memory.atomic_addresses == 64 * 128 * 4 / 32


def test_atomics_of_integers_meet_once_for_each_warp_and_those_of_floats_every_time() -> None:
    kernel = Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: t.x * 0, op=Op.ATOMIC)])

    def contention(scalar: Scalar) -> tuple[float, float]:
        trace = sampled_trace(kernel)
        trace.atomic_conflicts[0] = 32.0
        block = trace.code.body[0]
        block.instructions = [dataclasses.replace(block.instructions[0], scalar=scalar)]
        memory = model_traffic(trace)
        return memory.atomic_contention_int, memory.atomic_contention_float

    assert contention(Scalar.I32) == (64 * 4, 0)
    assert contention(Scalar.F32) == (0, 64 * 128)


def test_contention_spreads_over_the_elements_of_a_buffer() -> None:
    """32 counters of 4 bytes: lanes that share a sector do not share an address."""
    kernel = Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: t.x % 32 * 4, op=Op.ATOMIC)])
    memory = model_traffic(sampled_trace(kernel))
    assert memory.atomic_contention_float == pytest.approx(64 * 128 / 32)
    # each of the four sectors takes part in every request
    assert memory.atomic_contention_sector == 64 * 4


def test_atomics_behind_a_guessed_branch_meet_but_bound_nothing() -> None:
    trace = sampled_trace(
        Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: t.x * 0, op=Op.ATOMIC)])
    )
    trace.sites[0].doubtful_threads = 0.75 * trace.sites[0].threads
    memory = model_traffic(trace)
    assert memory.atomic_contention_float == 64 * 128
    assert memory.certain_contention.floating == 64 * 128 / 4
    assert memory.certain_contention.sector == 64 * 4 / 4


def test_l1_serves_the_neighbours_of_a_stencil() -> None:
    """Five loads of each row element, but little more than one of them leaves the SM."""
    kernel = kernels.stencil_2d(4096, 1024)
    memory = analyse(kernel)
    array = 4096 * 1024 * 4
    assert memory.global_load_sectors * 32 > 4.9 * array
    # 8 rows of a block need 10 rows of input and half a line more on either side; stores add one array.
    assert 2.0 * array < memory.l2_bytes < 2.8 * array


def local_kernel(words: int, *, uniform: bool) -> Kernel:
    """Each thread walks over its own array, all at the same index or each at its own."""

    def offset(t, i):
        return (i if uniform else (i + t.tx) % words) * 4 + t.x * 0

    return Kernel(
        (256, 1, 1),
        (128, 1, 1),
        [
            Access(offset, op=Op.STORE, loops=(words,)),
            Access(offset, loops=(words,)),
        ],
        {0: 4 * words},
        space=Space.LOCAL,
    )


def written_back(resident_bytes: float) -> float:
    """Share of lines stored to in turn that leave an L2 of 50 MiB each time: its sets keep 16 of them, the oldest go first.

    Lines fall into sets at random; a set with more than it keeps loses each of its lines before its next turn.
    """
    room = 0.46 * 50 * _MIB - _FOREIGN
    sets = 20_000
    lines = np.random.default_rng(5).integers(0, sets, round(sets * 16 * resident_bytes / room))
    in_set = np.bincount(lines, minlength=sets)
    return float(in_set[in_set > 16].sum() / in_set.sum())


def analyse_local(kernel: Kernel, slots: frozenset[int]):
    slot = Slot(
        name="buffer0", size_bytes=256, space=Space.LOCAL, position=Position("kernel.cu", 1, 1)
    )
    return model_memory(
        sampled_trace(kernel, [slot]),
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=slots,
    )


def test_promoted_arrays_move_nothing() -> None:
    assert analyse_local(local_kernel(64, uniform=True), frozenset()).local_bytes == 0


def test_small_arrays_with_known_indices_are_unrolled_away() -> None:
    """16 words walked by all lanes together are registers; 16 words at the lane's own index are not."""
    assert analyse_local(local_kernel(16, uniform=True), frozenset({0})).local_bytes == 0
    assert analyse_local(local_kernel(16, uniform=False), frozenset({0})).local_bytes > 0


def test_stores_to_private_arrays_go_through_the_l1() -> None:
    """Copies of 64 bytes, 16 blocks of 128 threads on an SM: 128 KiB, which the L1 holds. The loads find them there."""
    memory = analyse_local(local_kernel(16, uniform=False), frozenset({0}))
    assert memory.l2_bytes == pytest.approx(memory.local_bytes / 2, rel=0.02)


def test_private_bytes_bring_in_the_rest_of_their_words() -> None:
    """A store of one byte of each word fills no sector: the copies of 132 SMs * 16 blocks * 128 threads come in once.

    4,096 blocks run on 2,112 places, at the same 64 bytes for each thread: 17.3 MB. That is less than what the L2 keeps dirty,
    whole words or not: about a fifth of it leaves the fullest sets, and nothing has to come back.
    """
    words = local_kernel(16, uniform=False)
    words = dataclasses.replace(words, grid=(4096, 1, 1))
    byte_accesses = [
        dataclasses.replace(
            access, offset=lambda t, i: (i + t.tx) % 64, loops=(64,), element_bytes=1
        )
        for access in words.accesses
    ]
    of_bytes = dataclasses.replace(words, accesses=byte_accesses)
    whole, parts = (analyse_local(each, frozenset({0})).profiled for each in (words, of_bytes))
    again = (4096 - 2112) * 128 * 64
    assert whole.write_bytes == pytest.approx(written_back(132 * 16 * 128 * 64) * again, rel=0.05)
    assert parts.write_bytes == pytest.approx(whole.write_bytes, rel=0.01)
    assert parts.read_bytes - whole.read_bytes == pytest.approx(132 * 16 * 128 * 64, rel=0.01)


def test_private_arrays_beyond_what_stays_dirty_are_written() -> None:
    """132 SMs * 16 blocks * 128 threads of 96 bytes are 26.0 MB: less than an L2, more than it keeps dirty beside what others left.

    So what the first blocks store goes out where a set has more lines than it keeps, when the blocks after them store at the same
    places. What the last of them store stays as far as there is room, and nothing comes back.
    """
    kernel = dataclasses.replace(local_kernel(24, uniform=False), grid=(4096, 1, 1))
    memory = analyse_local(kernel, frozenset({0}))
    profiled = memory.profiled
    resident = 132 * 16 * 128 * 96
    room = 0.46 * 50 * _MIB - _FOREIGN
    assert [access.share for access in memory.accesses] == pytest.approx([1, 0], abs=0.01)
    gone = written_back(resident) * (4096 * 128 * 96 - room)
    assert profiled.write_bytes == pytest.approx(gone, rel=0.05)
    assert profiled.read_bytes < 0.01 * profiled.write_bytes


def test_what_lies_between_two_parts_of_a_private_array_takes_no_room() -> None:
    """A mark at element 500 behind a walk over 24 words: 100 bytes of a thread, not 2,004."""
    walk = dataclasses.replace(local_kernel(24, uniform=False), grid=(4096, 1, 1))
    mark = Access(lambda t: 2000 + t.x * 0, op=Op.STORE)
    marked = dataclasses.replace(walk, accesses=[mark, *walk.accesses], buffer_bytes={0: 2004})
    profiled = analyse_local(marked, frozenset({0})).profiled
    gone = written_back(132 * 16 * 128 * 100) * (4096 * 128 * 100 - 0.46 * 50 * _MIB + _FOREIGN)
    assert profiled.write_bytes == pytest.approx(gone, rel=0.05)


def test_indices_that_go_round_stay_in_their_private_array() -> None:
    """5,000 rounds over 19 words, counted on: 4,096 * 128 threads of 76 bytes, of which the L2 keeps half, once."""
    walk = dataclasses.replace(local_kernel(19, uniform=False), grid=(4096, 1, 1))
    accesses = [
        dataclasses.replace(access, offset=lambda t, i: (i + t.tx) * 4, loops=(5000,))
        for access in walk.accesses
    ]
    ring = dataclasses.replace(walk, accesses=accesses)
    profiled = analyse_local(ring, frozenset({0})).profiled
    assert 0 < profiled.write_bytes < 4096 * 128 * 76


def test_lanes_at_one_index_share_a_line() -> None:
    """256 stores and 256 loads of a warp, 4 sectors each."""
    memory = analyse_local(local_kernel(256, uniform=True), frozenset({0}))
    assert memory.local_bytes == 256 * 4 * 2 * 256 * 4 * 32
    assert memory.global_load_requests == 0


def test_lanes_at_their_own_indices_do_not() -> None:
    memory = analyse_local(local_kernel(64, uniform=False), frozenset({0}))
    assert memory.local_bytes == 256 * 4 * 2 * 64 * 32 * 32


def test_large_private_arrays_reach_dram() -> None:
    """2,048 threads of 132 SMs with 4 KiB each are over a gigabyte: far beyond the L2."""
    kernel = local_kernel(1024, uniform=True)
    memory = analyse_local(dataclasses.replace(kernel, grid=(4096, 1, 1)), frozenset({0}))
    assert memory.profiled.write_bytes > 0.5 * memory.local_bytes / 2
    small = analyse_local(local_kernel(16, uniform=False), frozenset({0}))
    assert small.profiled.write_bytes == 0


def test_places_of_a_private_array_that_go_by_data_come_back_with_each_access() -> None:
    """4,096 * 128 threads load 8,000 times one of 1,000 words of their own: each comes from DRAM, not each word once."""
    walk = dataclasses.replace(local_kernel(1000, uniform=True), grid=(4096, 1, 1))
    store, load = walk.accesses
    load = dataclasses.replace(
        load, offset=lambda t, i: i * 37 % 1000 * 4 + t.x * 0, loops=(8000,), is_guess=True
    )
    profiled = analyse_local(
        dataclasses.replace(walk, accesses=[store, load]), frozenset({0})
    ).profiled
    assert profiled.read_bytes == pytest.approx(4096 * 128 * 4 * 8000, rel=0.1)


def test_the_ring_of_a_generator_is_no_large_table() -> None:
    """14 accesses of a round go over 24 words: more is dirty than the L2 keeps, but a thread's copy does not go out each time."""
    walk = dataclasses.replace(local_kernel(24, uniform=False), grid=(4096, 1, 1))
    accesses = [
        dataclasses.replace(
            access, offset=lambda t, i: (i * 13 + t.tx) % 24 * 4, loops=(2400,), is_guess=True
        )
        for access in walk.accesses
        for _ in range(7)
    ]
    profiled = analyse_local(dataclasses.replace(walk, accesses=accesses), frozenset({0})).profiled
    assert profiled.write_bytes < 4096 * 128 * 24 * 4


def test_private_arrays_go_out_each_time_that_a_thread_turns_to_them() -> None:
    """4 KiB for each of 135,168 threads at once is far more than the L2; ten rounds over it move ten times as much."""
    once = dataclasses.replace(local_kernel(1024, uniform=True), grid=(4096, 1, 1))
    rounds = dataclasses.replace(
        once,
        accesses=[
            dataclasses.replace(
                access, offset=lambda t, _, i, walk=access.offset: walk(t, i), loops=(10, 1024)
            )
            for access in once.accesses
        ],
    )
    one, ten = (analyse_local(kernel, frozenset({0})).profiled for kernel in (once, rounds))
    assert ten.read_bytes == pytest.approx(10 * one.read_bytes, rel=0.01)
    assert ten.write_bytes == pytest.approx(10 * one.write_bytes, rel=0.05)


def test_unknown_addresses_count_as_new_bytes_and_are_listed() -> None:
    trace = sampled_trace(kernels.elementwise(4096))
    trace.events = [event for event in trace.events if event.site != 0]
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert [a.kind for a in memory.assumptions] == ["unknown-address"]
    # 64 instructions of 16 bytes and what the count leaves out: 13 lines.
    assert memory.profiled.read_bytes == pytest.approx(2432 + 8 * 128 + 2 * 4096 * 4)


def test_a_pointer_into_two_buffers_is_split() -> None:
    """Even blocks read one array, odd blocks another."""
    kernel = Kernel(
        (64, 1, 1), (128, 1, 1), [Access(lambda t: t.x * 4), Access(lambda t: t.x * 4, buffer=1)]
    )
    trace = sampled_trace(kernel)
    first, second = trace.events
    odd = trace.lanes.bid[0] % 2 == 1
    first.address = first.address + odd * (second.address - first.address)
    first.buffer = None
    trace.events = [first]
    del trace.sites[1]
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    assert len(memory.accesses) == 2
    assert memory.global_load_requests == pytest.approx(64 * 4)
    assert memory.unique_read_bytes == pytest.approx(64 * 128 * 4, rel=0.3)


def test_shares_sum_to_one() -> None:
    memory = analyse(kernels.matmul_naive(96, 128, 48))
    assert sum(a.share for a in memory.accesses) == pytest.approx(1.0)


def test_a_repeated_load_is_not_emitted_again() -> None:
    """The same element twice with nothing in between, then once more after a store that may alias."""
    same = Access(lambda t: t.x * 4)
    store = Access(lambda t: t.x * 4, op=Op.STORE, buffer=1)
    kernel = Kernel((64, 1, 1), (128, 1, 1), [same, same, store, same])
    assert analyse(kernel).global_load_requests == 2 * 64 * 128 / 32


def test_a_sliding_window_is_carried_in_registers() -> None:
    """a[i], a[i + 1] in iteration i: one load for each iteration and one before the loop."""
    trips = 8
    kernel = Kernel(
        (64, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t, i: (t.x * 100 + i) * 4, loops=(trips,)),
            Access(lambda t, i: (t.x * 100 + i + 1) * 4, loops=(trips,)),
        ],
    )
    warps = 64 * 128 / 32
    assert analyse(kernel).global_load_requests == pytest.approx((trips + 1) * warps)


def test_an_invariant_load_is_hoisted() -> None:
    kernel = Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t, i: t.x * 4 + i * 0, loops=(50,))])
    assert analyse(kernel).global_load_requests == pytest.approx(64 * 128 / 32)


def test_stores_to_one_place_stay_in_the_loop_where_loads_may_see_them() -> None:
    """Without a promise that the pointers differ, each iteration stores; with nothing else there, the last one does."""
    store = Access(lambda t, i: t.x * 4 + i * 0, op=Op.STORE, loops=(50,))
    load = Access(lambda t, i: (t.x + i * 8192) * 4, buffer=1, loops=(50,))
    alone = analyse(Kernel((64, 1, 1), (128, 1, 1), [store]))
    beside = analyse(Kernel((64, 1, 1), (128, 1, 1), [store, load]))
    assert alone.global_store_requests == pytest.approx(64 * 128 / 32)
    assert beside.global_store_requests == pytest.approx(50 * 64 * 128 / 32)


def test_stores_of_a_warp_into_one_sector_leave_as_one() -> None:
    """The two halves of 8-byte records, stored one after the other: 8 sectors each, 8 together."""
    kernel = Kernel(
        (64, 1, 1),
        (128, 1, 1),
        [Access(lambda t, d=d: t.x * 8 + d, op=Op.STORE) for d in (0, 4)],
    )
    memory = analyse(kernel)
    assert memory.global_store_sectors == 2 * 8 * 64 * 4
    assert memory.l2_bytes == 32 * 8 * 64 * 4


def test_two_passes_over_a_large_array_read_it_twice() -> None:
    """Two loops one after the other; each row is 32 KiB, 8,192 rows are far more than the L2."""
    rows, trips = 8192, 1024

    access = Access(lambda t, i: (t.x * trips + i) * 32, loops=(trips,))
    kernel = Kernel((rows // 64, 1, 1), (64, 1, 1), [access, access])
    trace = sampled_trace(kernel)
    order = 0
    for site in (0, 1):
        for event in trace.events:
            if event.site == site:
                event.order = order
                order += 1
                event.loops = tuple(dataclasses.replace(c, loop=site) for c in event.loops)
    trace.events.sort(key=lambda event: event.order)
    memory = model_memory(
        trace,
        load_gpu("h100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    once = rows * trips * 32
    assert memory.unique_read_bytes == pytest.approx(once)
    assert memory.profiled.read_bytes == pytest.approx(2 * once, rel=0.01)


@pytest.mark.parametrize(("blocks", "most"), [(204, 1.05), (408, 9.0)])
def test_what_the_l1_holds_is_read_once(blocks: int, most: float) -> None:
    """Each thread walks over 2 KiB of its own by 4 bytes; the lines of all threads are more than 5 MB of L2.

    204 blocks are 3 on each of 68 SMs, 768 threads with a line of 128 bytes each: 98 KB, which an L1 of 128 KB holds. 408
    blocks are 6 on each, 197 KB: lines are gone before their other sectors and words are asked for.
    """
    walk = Access(lambda t, i: t.x * 2048 + i * 4, loops=(512,))
    memory = analyse(Kernel((blocks, 1, 1), (256, 1, 1), [walk]), "rtx3080")
    once = blocks * 256 * 2048
    assert once <= memory.profiled.read_bytes - 2560 <= most * once
    assert (memory.profiled.read_bytes > 4 * once) is (blocks == 408)


def test_data_of_single_blocks_may_fill_both_partitions_of_an_l2() -> None:
    """Each thread walks over three rows of 2 KiB of its own by 4 bytes, all of 264 blocks of 384 threads at once.

    A line for each is 38.9 MB: more than 132 times 256 KB of L1, less than 0.8 * 52.4 MB of L2. Of data that all SMs read,
    which both partitions hold, 26.2 MB would fit.
    """
    walks = [Access(lambda t, i, n=n: (t.x * 3 + n) * 2048 + i * 4, loops=(512,)) for n in range(3)]
    memory = analyse(Kernel((264, 1, 1), (384, 1, 1), walks), "h100")
    assert memory.profiled.read_bytes == pytest.approx(264 * 384 * 3 * 2048, rel=0.01)


def test_data_that_later_waves_read_again_lies_in_both_partitions_of_an_l2() -> None:
    """Each of 4 planes of blocks reads the same 31.5 MB, every block from an SM that may be on either side.

    One copy is less than the 41.9 MB (0.8 of 52.4 MB) that the L2 holds; 1.6 copies are 50.3 MB, 1.2 times as much, so that
    a fifth is lost: 31.5 MB * (1 + 3 * 0.2) = 50.3 MB.
    """
    plane = 30 * _MIB
    kernel = Kernel((plane // 1024, 1, 4), (256, 1, 1), [Access(lambda t: t.x * 4)])
    memory = analyse(kernel, "h100")
    assert memory.profiled.read_bytes == pytest.approx(1.6 * plane, rel=0.01)
