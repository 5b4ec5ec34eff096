"""Traffic between L1 and L2, and between L2 and DRAM, of the global accesses of a launch."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.stored.distinct import distinct
from roofstat.hardware.units import LINE_BYTES, SECTOR_BYTES
from roofstat.memory.bursts import NO_BURSTS
from roofstat.memory.coalescing import count_distinct, lane_sectors
from roofstat.memory.footprint import Level, buffer_granules
from roofstat.memory.partial_sectors import partial_share
from roofstat.memory.records import CertainTraffic, Direction, FootprintMethod
from roofstat.memory.reuse import (
    BufferSites,
    Cache,
    Part,
    ReuseModel,
    depends_on_block,
    wave_levels,
)
from roofstat.memory.same_record import fresh_parts
from roofstat.memory.write_back import own_room

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.memory.bursts import Bursts
    from roofstat.memory.footprint import ModelledSite
    from roofstat.memory.parameters import MemoryParameters
    from roofstat.memory.sites import AccessSite


_EXECUTIONS_MERGED = 3
"""Executions of each store that are looked at for merging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Residency:
    """How the blocks of a launch share the GPU."""

    blocks_per_sm: int
    blocks: int
    """Resident on the whole GPU."""
    shared_bytes_per_sm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferTraffic:
    """What the accesses to one buffer move, or those to all."""

    l2_read_bytes: float
    dram_read_bytes: float
    """Cold reads and reads again after eviction."""
    dram_write_bytes: float
    """Everything written, as if nothing stayed in L2."""
    partial_write_bytes: float
    """The part of `dram_write_bytes` in sectors that are never written whole and were not read before."""
    partial_lines: float
    """L2 lines that hold those sectors."""
    unique_read_bytes: float
    distinct_read_bytes: float
    """The part of `dram_read_bytes` that is read for the first time, what atomics change included."""
    beside_read_bytes: float
    """The part of it that is not asked for: DRAM gives more than one sector at a time."""
    unique_write_bytes: float
    overwritten_bytes: float
    """The part of `unique_read_bytes` that is written, too."""
    written_lines: float
    """L2 lines that hold a written sector."""
    certain_l2_read_bytes: float
    certain_dram_read_bytes: float
    certain_dram_write_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalTraffic:
    """Bytes that global accesses move."""

    total: BufferTraffic
    by_buffer: tuple[BufferTraffic, ...]
    """In the order of the groups of sites."""
    l2_write_bytes: float
    """Stores that merge on their way do so whatever buffer they go to."""

    @property
    def certain(self) -> CertainTraffic:
        """The part that surely moves."""
        total = self.total
        l2_reads = max(total.certain_l2_read_bytes, total.certain_dram_read_bytes)
        return CertainTraffic(
            dram_read_bytes=total.certain_dram_read_bytes,
            dram_write_bytes=total.certain_dram_write_bytes,
            l2_bytes=l2_reads + total.certain_dram_write_bytes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _L2:
    """The L2 as the accesses of a launch find it."""

    levels: list[Level]
    resident_blocks: int
    drift: float
    """How far the blocks of a wave are from running in step."""
    fetch_bytes: int
    """What DRAM gives at a time."""
    atomic_fetch_share: float
    reads: ReuseModel
    writes: ReuseModel
    random_reads: ReuseModel
    random_writes: ReuseModel
    dirty: Cache
    """What of it may be dirty."""

    @property
    def whole(self) -> Level:
        """The launch."""
        return self.levels[-1]


def global_traffic(
    trace: LaunchTrace,
    gpu: Gpu,
    sites: list[ModelledSite],
    groups: list[BufferSites],
    residency: Residency,
    parameters: MemoryParameters,
    bursts: Bursts = NO_BURSTS,
) -> GlobalTraffic:
    """Return what the global accesses move between L1, L2 and DRAM."""
    l2 = _l2(trace, gpu, groups, residency, parameters, bursts)
    asked = _l1_misses(trace, gpu, groups, residency, parameters, bursts)
    merged = _merged_share(sites)
    l2_writes = SECTOR_BYTES * sum(
        site.requests.sectors * (1.0 - merged if site.site.direction is Direction.WRITE else 1.0)
        for group in groups
        for site in group.writes
    )
    found = [
        _buffer_traffic(group, sectors, l2) for group, sectors in zip(groups, asked, strict=True)
    ]
    names = [field.name for field in dataclasses.fields(BufferTraffic)]
    total = BufferTraffic(**{name: sum(getattr(each, name) for each in found) for name in names})
    return GlobalTraffic(
        total=total,
        by_buffer=tuple(found),
        l2_write_bytes=max(l2_writes, total.unique_write_bytes),
    )


def _l2(
    trace: LaunchTrace,
    gpu: Gpu,
    groups: list[BufferSites],
    residency: Residency,
    parameters: MemoryParameters,
    bursts: Bursts,
) -> _L2:
    levels = wave_levels(trace.grid, residency.blocks)
    blocks = levels[0].blocks
    # A line with one sector takes the room of one with four.
    cache = Cache(
        capacity_bytes=parameters.usable_l2_bytes(gpu),
        lost_at=parameters.l2_lost_at,
        granule_bytes=LINE_BYTES,
        fetch_bytes=parameters.fetch_bytes(gpu),
    )
    for_writes = dataclasses.replace(cache, fetch_bytes=SECTOR_BYTES)
    # What is read at random is followed request by request: it has all of the L2, and all of that is used.
    at_random = dataclasses.replace(cache, capacity_bytes=float(gpu.l2_bytes))
    # Of what is written at random, the L2 keeps no more than it keeps dirty.
    dirty = dataclasses.replace(
        for_writes,
        # Each store is to a sector that was read before it.
        capacity_bytes=own_room(gpu, 0.5, parameters),
        granule_bytes=SECTOR_BYTES,
    )
    of_shared = parameters.copies_of_shared(gpu)
    copies = [_copies_held(of_shared, group, levels[0]) for group in groups]
    # Blocks of later waves that read it again run on other SMs.
    later = [_copies_held(of_shared, group, levels[-1]) for group in groups]
    waves = _block_count(trace) / residency.blocks
    return _L2(
        levels=levels,
        resident_blocks=residency.blocks,
        drift=parameters.drift * (1.0 - 1.0 / max(waves, 1.0)),
        fetch_bytes=cache.fetch_bytes,
        atomic_fetch_share=parameters.atomic_fetch_share,
        reads=ReuseModel(groups, Part.ALL, copies, blocks, cache, bursts, later),
        writes=ReuseModel(groups, Part.ALL, copies, blocks, for_writes),
        random_reads=ReuseModel(groups, Part.ALL, copies, blocks, at_random),
        random_writes=ReuseModel(groups, Part.WRITES, [1.0] * len(groups), blocks, dirty),
        dirty=dirty,
    )


def _buffer_traffic(group: BufferSites, asked: float, l2: _L2) -> BufferTraffic:
    """What the accesses to one buffer move, given the sectors that its loads ask from the L2."""
    whole, fetch = l2.whole, l2.fetch_bytes
    reads = group.granules(Part.READS, whole)
    writes = group.granules(Part.WRITES, whole)
    fetched = _fetched_bytes(group, asked, l2) if reads else 0.0
    written, in_parts = _written_bytes(group, l2) if writes else (0.0, 1.0)
    lines = group.granules(Part.WRITES, whole, LINE_BYTES)
    partial = 0.0
    if writes and _is_written_first(group):
        both = SECTOR_BYTES * l2.writes.misses_of_launch(group, Part.ALL, l2.levels)
        fetched = min(fetched, max(both - _unfetched(group, l2, written), 0.0))
    elif writes and group.atomics:
        pairs = fetch * group.granules(Part.WRITES, whole, fetch)
        alone = l2.atomic_fetch_share * pairs / (SECTOR_BYTES * writes)
        fetched = max(fetched, written * max(1.0, alone))
    elif reads < 0.5 * writes:
        partial = in_parts * partial_share(group, whole)
    first_read = min(_distinct_read_bytes(group, whole), fetched)
    brought = fetch * group.granules(Part.READS if reads else Part.WRITES, whole, fetch)
    asked_bytes = SECTOR_BYTES * asked
    l2_reads = asked_bytes
    if group.reads and not group.atomics:
        l2_reads = max(asked_bytes, fetched * SECTOR_BYTES / fetch)
    overwritten = 0.0
    if reads and writes:
        overwritten = max(reads + writes - group.granules(Part.ALL, whole), 0.0)
    certain_reads = _certain_share(group.reads)
    certain_writes = _certain_share(group.writes)
    return BufferTraffic(
        l2_read_bytes=l2_reads,
        dram_read_bytes=fetched,
        dram_write_bytes=written,
        partial_write_bytes=partial * written,
        partial_lines=partial * lines,
        unique_read_bytes=SECTOR_BYTES * reads,
        distinct_read_bytes=first_read,
        beside_read_bytes=max(min(brought, fetched) - first_read, 0.0),
        unique_write_bytes=SECTOR_BYTES * writes,
        overwritten_bytes=SECTOR_BYTES * overwritten,
        written_lines=lines,
        certain_l2_read_bytes=certain_reads * asked_bytes,
        certain_dram_read_bytes=certain_reads * min(fetched, SECTOR_BYTES * reads),
        certain_dram_write_bytes=certain_writes * min(written, SECTOR_BYTES * writes),
    )


def _fetched_bytes(group: BufferSites, asked: float, l2: _L2) -> float:
    """What the loads of a buffer fetch from DRAM, as if nothing wrote to it."""
    whole, fetch = l2.whole, l2.fetch_bytes
    touched = fetch * group.granules(Part.READS, whole, fetch)
    if _is_local(group.reads):
        fetched = touched
    else:
        fetched = fetch * l2.reads.misses_of_launch(group, Part.READS, l2.levels, l2.drift)
    if any(site.is_spread for site in group.reads):
        drawn = _drawn_sectors(group.reads, asked, fetch, whole)
        at_random = fetch * l2.random_reads.misses_at_random(group, Part.READS, drawn, whole)
        fetched = at_random if _is_spread(group.reads) else max(fetched, at_random)
    # What the L1 holds is not asked for again.
    return max(min(fetched, max(fetch * asked, touched)), 0.0)


def _written_bytes(group: BufferSites, l2: _L2) -> tuple[float, float]:
    """What the stores and atomics of a buffer write to DRAM in the end, and the share of it that is written in parts."""
    whole = l2.whole
    touched = group.granules(Part.WRITES, whole)
    stored = sum(site.requests.sectors for site in group.writes)
    # Steps that shorten with an outer loop (triangles) leave more in all than the mean of their iterations.
    written = max(l2.writes.misses_of_launch(group, Part.WRITES, l2.levels), min(touched, stored))
    in_parts = 1.0
    if any(site.may_be_spread or (site.is_spread and site.walks_rows) for site in group.writes):
        drawn = _drawn_sectors(group.writes, stored, SECTOR_BYTES, whole)
        evicted = l2.random_writes.misses_at_random(group, Part.WRITES, drawn, whole)
        if _is_local(group.writes):
            filled = _filled_in_order(group.writes, l2.resident_blocks, l2.dirty)
            written, in_parts = _scattered(touched, max(evicted, touched), filled)
        else:
            written = max(written, evicted)
    return SECTOR_BYTES * written, in_parts


def _distinct_read_bytes(group: BufferSites, whole: Level) -> float:
    """Bytes of a group that are read for the first time; atomics read what they change."""
    part = Part.READS if group.reads else Part.WRITES
    sites = group.sites(part)
    if len(sites) > 1 and all(site.method is FootprintMethod.AFFINE for site in sites):
        seen = [distinct(site.site.address[site.site.active] // SECTOR_BYTES) for site in sites]
        if len(distinct(np.concatenate(seen))) == sum(map(len, seen)):
            # No two of them meet, whatever the estimate of the union says that they share.
            each = (buffer_granules([site], group.buffer, whole) for site in sites)
            return SECTOR_BYTES * sum(each)
    return SECTOR_BYTES * group.granules(part, whole)


def _copies_held(of_shared: float, group: BufferSites, level: Level) -> float:
    """Room that what a level touches takes over its size: given for data that several blocks read, 1 for what one reads.

    Nor does the L2 fill with what is written: less than half of it is ever dirty.
    """
    if group.writes:
        return of_shared
    each = group.granules(Part.READS, Level((1.0, 1.0, 1.0), 0))
    apart = group.blocks(Part.READS, level) * each
    return of_shared if group.granules(Part.READS, level) < 0.5 * apart else 1.0


def _is_local(sites: list[ModelledSite]) -> bool:
    """Whether most of the accesses have the locality of gathers."""
    local = sum(site.requests.sectors for site in sites if site.is_local)
    return local > 0.5 * sum(site.requests.sectors for site in sites)


def _scattered(touched: float, anywhere: float, filled: float | None) -> tuple[float, float]:
    """Sectors that stores through data that nobody knows write, and the share of them that is written in parts.

    Args:
        touched: Sectors.
        anywhere: What would be written if stores fell on them at any time.
        filled: Share of the stores that fill one sector after the other; None where nobody knows.
    """
    if filled is None:
        # Sorting by block has the locality of gathers, other stores have none: between the two.
        return math.sqrt(touched * anywhere), 1.0
    apart = (1.0 - filled) * anywhere
    written = filled * touched + apart
    return written, apart / written if written > 0.0 else 1.0


def _filled_in_order(sites: list[ModelledSite], resident_blocks: int, cache: Cache) -> float | None:
    """Share of stores whose sectors fill up before they leave the cache; None where nobody knows.

    Blocks that count in shared memory where to go on (radix sorts, buckets) fill one sector for each counter after the
    other.
    """
    counters = [site.counters for site in sites if site.is_local]
    known = [count for count in counters if count is not None]
    if not known or len(known) < len(counters):
        return None
    return cache.hit_share(SECTOR_BYTES * resident_blocks * max(known))


def _drawn_sectors(sites: list[ModelledSite], asked: float, granule: int, whole: Level) -> float:
    """Those of the sectors asked for that are not in the granule of the request before."""
    drawn = sum(
        site.drawn_granules(whole, granule) * part
        for site, part in zip(sites, fresh_parts(sites), strict=True)
    )
    return min(asked, drawn)


def _is_spread(sites: list[ModelledSite]) -> bool:
    """Whether most of the accesses fall anywhere."""
    spread = sum(site.requests.sectors for site in sites if site.is_spread)
    return spread > 0.5 * sum(site.requests.sectors for site in sites)


def _l1_misses(
    trace: LaunchTrace,
    gpu: Gpu,
    groups: list[BufferSites],
    residency: Residency,
    parameters: MemoryParameters,
    bursts: Bursts = NO_BURSTS,
) -> list[float]:
    """Sectors that the loads of each group ask from the L2: each SM caches for its resident blocks."""
    reading = [group for group in groups if group.reads]
    per_sm = min(residency.blocks_per_sm, -(-_block_count(trace) // gpu.sm_count))
    cache = Cache(
        capacity_bytes=parameters.usable_l1_bytes(gpu, residency.shared_bytes_per_sm),
        lost_at=parameters.l1_lost_at,
        granule_bytes=LINE_BYTES,
    )
    copies = [float(per_sm) if depends_on_block(group.reads) else 1.0 for group in reading]
    one_block = (1.0, 1.0, 1.0)
    whole = wave_levels(trace.grid, residency.blocks)[-1]
    reuse = ReuseModel(reading, Part.READS, copies, one_block, cache, bursts)
    asked = []
    for group in groups:
        if not group.reads:
            asked.append(0.0)
            continue
        in_block = reuse.misses(group, Part.READS)
        requested = sum(site.sectors(Level(one_block, 0)) for site in group.reads)
        launched = sum(site.requests.sectors for site in group.reads)
        everywhere = in_block * (launched / requested if requested > 0.0 else 1.0)
        if not depends_on_block(group.reads):
            hit = reuse.hit()
            busy_sms = min(float(gpu.sm_count), group.blocks(Part.READS, whole))
            kept = min(everywhere, in_block * busy_sms)
            everywhere = hit * kept + (1.0 - hit) * everywhere
            # What all SMs ask for at the same time is asked from the L2 once for several of them.
            everywhere *= max(parameters.request_share(gpu), 1.0 / busy_sms)
        scattered = _scattered_misses(group, whole, cache)
        asked.append(min(max(everywhere, scattered), launched))
    return asked


def _certain_share(sites: list[ModelledSite]) -> float:
    """Share of the sectors asked for by accesses that surely run, at known addresses that follow a law.

    Of other known addresses the sampled ones only are known: what threads between them share is an estimate.
    """
    asked = sum(site.requests.sectors for site in sites)
    certain = sum(
        site.requests.sectors * site.site.certain_share * (1.0 - site.site.guess_share)
        for site in sites
        if site.method is FootprintMethod.AFFINE
    )
    return certain / asked if asked > 0.0 else 0.0


def _scattered_misses(group: BufferSites, whole: Level, cache: Cache) -> float:
    """Sectors that loads at random addresses ask from the L2, and those that go past the L1.

    What one block loads at random tells nothing of what another one loads: a cache holds what they look for as far as
    it holds the buffer.
    """
    asked = 0.0
    for site, part in zip(group.reads, fresh_parts(group.reads), strict=True):
        if site.site.is_volatile:
            asked += site.requests.sectors
        elif site.method is FootprintMethod.RANDOM:
            lines = buffer_granules([site], group.buffer, whole, cache.granule_bytes)
            kept = min(1.0, cache.capacity_bytes / (cache.granule_bytes * max(lines, 1.0)))
            fresh = site.fresh_share(SECTOR_BYTES) * part
            asked += site.requests.sectors * fresh * (1.0 - kept)
    return asked


def _block_count(trace: LaunchTrace) -> int:
    return trace.grid[0] * trace.grid[1] * trace.grid[2]


def _is_written_first(group: BufferSites) -> bool:
    """Whether the kernel reads back what it wrote itself."""
    if not group.reads:
        return False
    first_read = min(order for site in group.reads for order in site.site.orders)
    stores = [s for s in group.writes if s.site.direction is Direction.WRITE]
    return bool(stores) and min(o for s in stores for o in s.site.orders) < first_read


def _unfetched(group: BufferSites, l2: _L2, written: float) -> float:
    """Of the written bytes those of stores that need nothing from DRAM: no load beside them in the loop has read the place."""
    loads = [load.site for load in group.reads]
    fresh = [
        store
        for store in group.writes
        if not any(_reads_before(load, store.site) for load in loads)
    ]
    if len(fresh) == len(group.writes):
        return written
    alone = BufferSites(buffer=group.buffer, reads=[], writes=fresh)
    return min(SECTOR_BYTES * l2.writes.misses_of_launch(alone, Part.WRITES, l2.levels), written)


def _reads_before(load: AccessSite, store: AccessSite) -> bool:
    """Whether each execution of a store goes to where a load of most of its lanes has been just before."""
    if load.loops != store.loops or load.orders[0] > store.orders[0]:
        return False
    both = load.active[0] & store.active[0]
    is_most = 2 * np.count_nonzero(both) > np.count_nonzero(store.active[0])
    return bool(is_most and np.array_equal(load.address[0][both], store.address[0][both]))


def _merged_share(sites: list[ModelledSite]) -> float:
    """Share of the stored sectors that is saved on the way to the L2.

    Consecutive stores of a warp into the same sector, without a load in between, go down as one.
    """
    stores = sum(site.site.direction is Direction.WRITE for site in sites)
    if stores < 2:
        return 0.0
    timeline = sorted(
        (order, index, event)
        for index, site in enumerate(sites)
        for event, order in enumerate(site.site.orders[:_EXECUTIONS_MERGED])
    )
    apart = together = 0.0
    for is_store, run in itertools.groupby(
        timeline, key=lambda entry: sites[entry[1]].site.direction is Direction.WRITE
    ):
        if is_store:
            counted = _run_sectors([(sites[index].site, event) for _, index, event in run])
            apart += counted[0]
            together += counted[1]
    return 1.0 - together / apart if apart > 0.0 else 0.0


def _run_sectors(run: list[tuple[AccessSite, int]]) -> tuple[float, float]:
    """Sectors of a run of stores: one by one, and together."""
    touched = [
        lane_sectors(
            site.address[event : event + 1], site.active[event : event + 1], site.element_bytes
        )[0]
        for site, event in run
    ]
    weights = np.stack([site.warp_weight[event] for site, event in run])
    apart = sum(
        float((count_distinct(sectors) * weight).sum())
        for sectors, weight in zip(touched, weights, strict=True)
    )
    if len(run) == 1:
        return apart, apart
    together = count_distinct(np.concatenate(touched, axis=1)) * weights.max(axis=0)
    return apart, min(float(together.sum()), apart)
