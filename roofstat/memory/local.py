"""Local memory: private arrays that the compiler could not keep in registers.

Each thread has its own copy; the copies of a warp are interleaved by 4-byte words, so that lanes that touch the same
word of their copies touch one 128-byte line together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.memory.coalescing import count_distinct, in_step
from roofstat.memory.private_turns import WORD_BYTES, Return, Turns, find_walks
from roofstat.memory.records import Direction
from roofstat.memory.write_back import foreign_bytes, own_room, pushed_out
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.memory.caches import Residency
    from roofstat.memory.parameters import MemoryParameters
    from roofstat.memory.sites import AccessSite

_UNROLLED_BYTES = 512
"""Arrays up to this size are promoted to registers where their indices are known."""
_LANES_PER_SECTOR = SECTOR_BYTES // WORD_BYTES
_ARGUMENTS = -2
"""Stands for the array that all arguments are copied to."""
_FRAME = -3
"""Stands for the words that no variable has."""
_SPILLS = -4
"""Stands for the values that have no register."""
_ROW_BYTES = 128
"""One word of each thread of a warp."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTraffic:
    """Bytes that local accesses move."""

    requested_bytes: float
    l2_bytes: float
    dram_read_bytes: float
    dram_write_bytes: float
    dirty_bytes: float = 0.0
    """Room of what the resident threads have stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenWords:
    """What threads keep in local memory besides their private arrays."""

    argument_copy_bytes: int = 0
    """Of arguments, stored by each thread when the kernel begins."""
    frame_bytes: int = 0
    """Of each thread, without a variable of the source."""
    stored: float = 0.0
    """Words of those that are stored, by a warp at once."""
    spilled_bytes: int = 0
    """Of each thread, for values that have no register."""
    spilled: float = 0.0
    """Words of those that are stored, by a warp at once."""
    reloaded: float = 0.0
    """Words of those that are loaded, by a warp at once."""


def in_memory(
    sites: list[AccessSite], indexed_by_data: frozenset[int] = frozenset()
) -> list[AccessSite]:
    """Leave out private arrays that a compiler keeps in registers after unrolling.

    Arrays that are indexed by data stay. Where all lanes always use the same element of others, the index comes from a loop
    whose count is known, as a rule: of 22 kernels with such arrays up to 304 bytes a profiler saw local traffic in none, and
    in all with an index that differs between lanes or with a frame of kilobytes.
    """
    kept: dict[int | None, bool] = {}
    for site in sites:
        number = site.buffer.number if site.buffer is not None else None
        large = site.buffer is None or (site.buffer.size_bytes or 0) > _UNROLLED_BYTES
        kept[number] = (
            kept.get(number, False)
            or large
            or _differs_between_lanes(site)
            or site.number in indexed_by_data
        )
    return [s for s in sites if kept[s.buffer.number if s.buffer is not None else None]]


def _differs_between_lanes(site: AccessSite) -> bool:
    for address, active in zip(site.address, site.active, strict=True):
        used = address[active]
        if len(used) and bool((used != used[0]).any()):
            return True
    return False


def local_sectors_per_request(site: AccessSite) -> float:
    """Sectors of the interleaved layout that a warp touches, on average."""
    words = max(1, -(-site.element_bytes // WORD_BYTES))
    shape = (site.address.shape[0], -1, WARP_SIZE)
    eighth = np.arange(site.address.shape[1]) % WARP_SIZE // _LANES_PER_SECTOR
    base = site.buffer.base if site.buffer is not None else 0
    address = in_step(site)
    first = int(address.flat[site.active.argmax()])
    if bool((address[site.active] == first).all()):
        # All lanes at one index: the sectors of one word row that hold an active lane.
        used = site.active.reshape(shape[0], -1, WARP_SIZE // _LANES_PER_SECTOR, _LANES_PER_SECTOR)
        counted = used.any(axis=3).sum(axis=2) * words
    else:
        word = (address - base) // WORD_BYTES
        sector = word * (WARP_SIZE // _LANES_PER_SECTOR) + eighth
        counted = count_distinct(np.where(site.active, sector, -1).reshape(shape)) * words
    total = float(site.warp_weight.sum())
    return float((site.warp_weight * counted).sum()) / total if total > 0.0 else 0.0


def local_traffic(
    trace: LaunchTrace,
    gpu: Gpu,
    sites: list[tuple[AccessSite, float]],
    residency: Residency,
    parameters: MemoryParameters,
    indexed_by_data: frozenset[int] = frozenset(),
    beside_bytes: float = 0.0,
    hidden: HiddenWords | None = None,
) -> LocalTraffic:
    """Return what private arrays in memory move: L1 keeps them as far as the resident threads' copies fit.

    What is stored goes through to the L2 all the same: of eight kernels whose copies fit into the L1 a profiler saw 0.27 to
    0.88 of the local bytes there.

    Args:
        trace: The launch.
        gpu: The card.
        sites: Accesses to private arrays, with their sectors for each request.
        residency: Blocks that run together.
        parameters: Constants of the model.
        indexed_by_data: Sites at an index that no unrolling makes constant.
        beside_bytes: Room that what the resident blocks write and read elsewhere takes from it.
        hidden: What no variable of the source stands for.
    """
    hidden = hidden or HiddenWords()
    reads = SECTOR_BYTES * sum(
        site.warps * per_request for site, per_request in sites if site.direction is Direction.READ
    )
    reads += _ROW_BYTES * hidden.reloaded
    threads = trace.block[0] * trace.block[1] * trace.block[2]
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    copied = hidden.argument_copy_bytes * threads * blocks
    writes = (
        SECTOR_BYTES * _stored_sectors(sites)
        + _ROW_BYTES * (hidden.stored + hidden.spilled)
        + copied
    )
    if reads + writes <= 0.0:
        return LocalTraffic(
            requested_bytes=0.0, l2_bytes=0.0, dram_read_bytes=0.0, dram_write_bytes=0.0
        )
    arrays: dict[int, list[AccessSite]] = {}
    for site, _ in sites:
        arrays.setdefault(_array(site), []).append(site)
    turns = Turns(find_walks(sites, _array, threads * blocks))
    touched = dict(turns.arrays)
    if hidden.argument_copy_bytes:
        touched[_ARGUMENTS] = float(hidden.argument_copy_bytes)
    if hidden.frame_bytes:
        touched[_FRAME] = float(hidden.frame_bytes)
    if hidden.spilled_bytes:
        touched[_SPILLS] = float(hidden.spilled_bytes)
    copies = sum(touched.values())
    on_sm = threads * residency.blocks_per_sm
    running = threads * residency.blocks
    l1 = parameters.usable_l1_bytes(gpu, residency.shared_bytes_per_sm)
    room = own_room(gpu, 1.0, parameters)
    # Others' dirty lines are soon gone where threads store in turn.
    own_turns = parameters.own_turns * (room + foreign_bytes(gpu, parameters))
    fetched = parameters.fetch_bytes(gpu) / SECTOR_BYTES
    missed, again = 0.0, 0.0
    reloaded = _reloads(hidden, copies, threads * blocks)
    for back in [turns.first_loads(copies), *turns.returns(Direction.READ), *reloaded]:
        from_l1 = _gone(back.between_bytes * on_sm / l1, parameters.l1_swept)
        between = back.between_bytes * running / gpu.l2_bytes
        from_l2 = _drawn(between) if back.by_data else _gone(between, parameters.l2_swept)
        missed += back.touched_bytes * from_l1
        # What the L1 still has is not asked for, and what it has the L2 mostly has as well.
        again += back.touched_bytes * min(from_l1, from_l2) * (fetched if back.by_data else 1.0)
    # Of words of the library nothing was seen to leave: 12 rows of an RTX 3080 have the reads and stores of their arrays alone.
    stored = turns.first_bytes(Direction.WRITE) + hidden.argument_copy_bytes + hidden.spilled_bytes
    occupied = copies * running + beside_bytes
    last = stored * running * (room / occupied if occupied > room else 1.0)
    written = pushed_out(occupied, room) * max(stored * threads * blocks - last, 0.0)
    for back in turns.returns(Direction.WRITE):
        own = back.between_bytes * running
        between = own + beside_bytes / back.times
        gone = pushed_out(between, own_turns)
        if back.is_read and not back.by_data:
            filled = between / gpu.l2_bytes
            early = min(gone, parameters.left_early * _gone(filled, parameters.leaving))
            # What others store in between goes on, however few threads are at work.
            early += (gone - early) * (1.0 - own / between)
            gone = max(early, _gone(filled, parameters.l2_swept))
        written += threads * blocks * back.touched_bytes * gone
    narrow = sum(
        touched[key] for key in arrays if _is_stored_in_parts(arrays[key], indexed_by_data)
    )
    filled = narrow * running
    return LocalTraffic(
        requested_bytes=reads + writes,
        l2_bytes=min(missed * threads * blocks, reads) + writes,
        dram_read_bytes=filled + min(again * threads * blocks, reads),
        dram_write_bytes=min(written, writes),
        dirty_bytes=copies * running,
    )


def _reloads(hidden: HiddenWords, copies: float, threads: float) -> list[Return]:
    """What threads load of the values that they have no register for: each time after all the others."""
    if hidden.reloaded <= 0.0:
        return []
    touched = _ROW_BYTES * hidden.reloaded / threads
    return [
        Return(
            touched_bytes=touched,
            between_bytes=copies,
            times=max(touched / hidden.spilled_bytes, 1.0),
            by_data=False,
            is_read=True,
        )
    ]


def _gone(filled: float, swept: tuple[float, float]) -> float:
    """Share of the places of walks that are gone when threads come back to them.

    Args:
        filled: What all threads that share a cache touch in between, over its size.
        swept: Fillings from which on some, and all of them are gone.
    """
    low, high = swept
    return min(max((filled - low) / (high - low), 0.0), 1.0)


def _drawn(filled: float) -> float:
    """Share of places drawn from arrays that are gone, of whose lines the L2 keeps parts that nobody asks for.

    Measured on an H200 for arrays of 0.83 to 17.6 times its L2: 0.05 at 0.83, 0.28 at 1.1, 0.60 at 1.65, 0.85 at 3.3, 0.98 at 17.6.
    """
    return 1.0 - 1.0 / max(2.0 * filled - 1.0, 1.0)


def _array(site: AccessSite) -> int:
    if site.space is not Space.LOCAL:
        return _ARGUMENTS
    return site.buffer.number if site.buffer is not None else -1


def _is_stored_in_parts(sites: list[AccessSite], indexed_by_data: frozenset[int]) -> bool:
    """Whether the first stores fill no whole sectors, so that the first load of each has to fetch the rest of it.

    Where indices are constant, compilers store several elements at once.
    """
    stores = [site for site in sites if site.direction is Direction.WRITE]
    if not stores:
        return False
    first = min(stores, key=lambda site: site.orders[0])
    is_alone = first.number in indexed_by_data or _differs_between_lanes(first)
    return is_alone and first.element_bytes < WORD_BYTES


def _stored_sectors(sites: list[tuple[AccessSite, float]]) -> float:
    """Sectors stored, narrow stores to one word in direct succession being one."""
    total = 0.0
    last: tuple[int, int] | None = None
    for site, per_request in sorted(sites, key=lambda entry: entry[0].orders[0]):
        if site.direction is Direction.READ:
            last = None
            continue
        if site.element_bytes < WORD_BYTES and site.buffer is not None:
            word = int(site.address.flat[0] - site.buffer.base) // WORD_BYTES
            if last == (site.buffer.number, word) and len(site.orders) == 1:
                continue
            last = (site.buffer.number, word)
        total += site.warps * per_request
    return total
