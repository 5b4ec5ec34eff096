"""Local memory: private arrays that the compiler could not keep in registers.

Each thread has its own copy; the copies of a warp are interleaved by 4-byte words, so that lanes that touch the same
word of their copies touch one 128-byte line together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.memory.coalescing import count_distinct
from roofstat.memory.records import Direction
from roofstat.memory.write_back import own_room, pushed_out
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.memory.caches import Residency
    from roofstat.memory.parameters import MemoryParameters
    from roofstat.memory.sites import AccessSite

_WORD_BYTES = 4
_UNROLLED_BYTES = 512
"""Arrays up to this size are promoted to registers where their indices are known."""
_LANES_PER_SECTOR = SECTOR_BYTES // _WORD_BYTES
_OWN_TURNS = 1.25
"""Room for what a thread itself stores again, over that for what the next block stores in its place."""
_ARGUMENTS = -2
"""Stands for the array that all arguments are copied to."""
_FRAME = -3
"""Stands for the words that no variable has."""
_ROW_BYTES = 128
"""One word of each thread of a warp."""
_FEW_TIMES = 4
"""An array has hardly more elements than accesses up to this many for each."""


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
    words = max(1, -(-site.element_bytes // _WORD_BYTES))
    shape = (site.address.shape[0], -1, WARP_SIZE)
    eighth = np.arange(site.address.shape[1]) % WARP_SIZE // _LANES_PER_SECTOR
    base = site.buffer.base if site.buffer is not None else 0
    first = int(site.address.flat[site.active.argmax()])
    if bool((site.address == first).all()):
        # All lanes at one index: the sectors of one word row that hold an active lane.
        used = site.active.reshape(shape[0], -1, WARP_SIZE // _LANES_PER_SECTOR, _LANES_PER_SECTOR)
        counted = used.any(axis=3).sum(axis=2) * words
    else:
        word = (site.address - base) // _WORD_BYTES
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
    threads = trace.block[0] * trace.block[1] * trace.block[2]
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    copied = hidden.argument_copy_bytes * threads * blocks
    writes = SECTOR_BYTES * _stored_sectors(sites) + _ROW_BYTES * hidden.stored + copied
    if reads + writes <= 0.0:
        return LocalTraffic(
            requested_bytes=0.0, l2_bytes=0.0, dram_read_bytes=0.0, dram_write_bytes=0.0
        )
    arrays: dict[int, list[AccessSite]] = {}
    for site, _ in sites:
        arrays.setdefault(_array(site), []).append(site)
    touched = {key: _bytes_per_thread(arrays[key]) for key in arrays}
    passes = {key: _passes(arrays[key]) for key in arrays}
    if hidden.argument_copy_bytes:
        arrays.setdefault(_ARGUMENTS, [])
        touched[_ARGUMENTS], passes[_ARGUMENTS] = float(hidden.argument_copy_bytes), 1.0
    if hidden.frame_bytes:
        once = hidden.frame_bytes * threads * blocks
        arrays[_FRAME], touched[_FRAME] = [], float(hidden.frame_bytes)
        passes[_FRAME] = max(_ROW_BYTES * hidden.stored / once, 1.0)
    block = sum(touched.values()) * threads
    per_sm = block * residency.blocks_per_sm
    resident = block * residency.blocks
    turned = {
        key: max(
            blocks * threads * touched[key] * passes[key],
            _drawn_bytes(sites, arrays[key], touched[key]),
        )
        for key in arrays
    }
    passed = sum(turned.values())
    l1 = parameters.usable_l1_bytes(gpu, residency.shared_bytes_per_sm)
    # Threads come back to their own data in no particular order: what fits is found again.
    missed = 1.0 - min(1.0, l1 / per_sm)
    lost = 1.0 - min(1.0, parameters.usable_l2_bytes(gpu) / resident)
    stored = min(1.0, writes / passed)
    room = own_room(gpu, 1.0, parameters)
    # Of words of the library nothing was seen to leave: 12 rows of an RTX 3080 have the reads and stores of their arrays alone.
    gone = sum(
        _written_back(
            touched[key],
            turned[key] * stored,
            threads * blocks,
            threads * residency.blocks,
            (resident + beside_bytes, resident + beside_bytes / passes[key]),
            room,
        )
        for key in arrays
        if key != _FRAME
    )
    narrow = sum(
        touched[key] for key in arrays if _is_stored_in_parts(arrays[key], indexed_by_data)
    )
    filled = narrow * threads * residency.blocks
    return LocalTraffic(
        requested_bytes=reads + writes,
        l2_bytes=missed * reads + writes,
        # A thread's copy goes out and comes back about once each time that the thread turns to it, or a part with each
        # access that goes to any.
        dram_read_bytes=filled + lost * min(missed * reads, passed),
        dram_write_bytes=gone,
        dirty_bytes=resident,
    )


def _written_back(
    touched_bytes: float,
    stored_bytes: float,
    threads: float,
    resident_threads: float,
    occupied: tuple[float, float],
    room: float,
) -> float:
    """What of an array's stores leaves the L2 before a thread turns to the array again, though nobody reads it any more.

    Threads of later blocks take the places of earlier ones; what the last of them stored stays as far as there is room.

    Args:
        touched_bytes: Of each thread.
        stored_bytes: By all threads.
        threads: Of the launch.
        resident_threads: Of those, the ones that run together.
        occupied: Room of what is stored until the next block comes, and until a thread comes back.
        room: What the L2 keeps dirty.
    """
    first = min(stored_bytes, touched_bytes * threads)
    last = touched_bytes * resident_threads * min(1.0, room / occupied[0])
    by_blocks = pushed_out(occupied[0], room) * max(first - last, 0.0)
    return by_blocks + pushed_out(occupied[1], _OWN_TURNS * room) * (stored_bytes - first)


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
    return is_alone and first.element_bytes < _WORD_BYTES


def _passes(sites: list[AccessSite]) -> float:
    """How often a thread turns to an array: iterations of the loops that hold all accesses to it.

    The innermost ones walk over the array instead.
    """
    count = 1.0
    deepest = max(len(site.loops) for site in sites)
    for depth, (loop, trips) in enumerate(zip(sites[0].loops, sites[0].mean_trips, strict=True)):
        is_shared = all(site.loops[depth : depth + 1] == (loop,) for site in sites)
        if not is_shared or depth + 1 == deepest:
            break
        count *= max(trips, 1.0)
    return count


def _drawn_bytes(
    sites: list[tuple[AccessSite, float]], array: list[AccessSite], touched_bytes: float
) -> float:
    """What loads of one array move at places that go by data: each of them is as likely to be gone as any other.

    An array of hardly more elements than there are accesses in the code (the ring of a generator) is gone over whole.
    """
    if touched_bytes <= _FEW_TIMES * sum(site.element_bytes for site in array):
        return 0.0
    drawn = {id(site) for site in array if site.guess_share + site.even_share > 0.5}
    return SECTOR_BYTES * sum(
        site.warps * per_request
        for site, per_request in sites
        if site.direction is Direction.READ and id(site) in drawn
    )


def _stored_sectors(sites: list[tuple[AccessSite, float]]) -> float:
    """Sectors stored, narrow stores to one word in direct succession being one."""
    total = 0.0
    last: tuple[int, int] | None = None
    for site, per_request in sorted(sites, key=lambda entry: entry[0].orders[0]):
        if site.direction is Direction.READ:
            last = None
            continue
        if site.element_bytes < _WORD_BYTES and site.buffer is not None:
            word = int(site.address.flat[0] - site.buffer.base) // _WORD_BYTES
            if last == (site.buffer.number, word) and len(site.orders) == 1:
                continue
            last = (site.buffer.number, word)
        total += site.warps * per_request
    return total


def _bytes_per_thread(sites: list[AccessSite]) -> float:
    """Bytes of a thread's copy that the sites of one array reach: between the least and the greatest of each, once.

    Indices that go round come back to places that were reached before: no more than there are.
    """
    reached = sorted(
        (int(used.min()), int(used.max()) + site.element_bytes)
        for site in sites
        if (used := site.address[site.active]).size
    )
    total, end = 0, 0
    for low, high in reached:
        total += max(high - max(low, end), 0)
        end = max(end, high)
    size = sites[0].buffer.size_bytes if sites[0].buffer is not None else None
    return float(min(total, size) if size else total)
