"""Traffic between L1 and L2, and between L2 and DRAM, of the global accesses of a launch."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roofstat.memory.coalescing import count_distinct, lane_sectors
from roofstat.memory.footprint import Level
from roofstat.memory.records import LINE_BYTES, SECTOR_BYTES, Direction, FootprintMethod
from roofstat.memory.reuse import (
    BufferSites,
    Cache,
    Part,
    ReuseModel,
    depends_on_block,
    wave_levels,
)

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.memory.footprint import ModelledSite
    from roofstat.memory.parameters import MemoryParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Residency:
    """How the blocks of a launch share the GPU."""

    blocks_per_sm: int
    blocks: int
    """Resident on the whole GPU."""
    shared_bytes_per_sm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalTraffic:
    """Bytes that global accesses move."""

    l2_read_bytes: float
    l2_write_bytes: float
    dram_read_bytes: float
    """Cold reads, reads again after eviction, and the rest of sectors written in part."""
    dram_write_bytes: float
    """Everything written, as if nothing stayed in L2."""
    unique_read_bytes: float
    unique_write_bytes: float


def global_traffic(
    trace: LaunchTrace,
    gpu: Gpu,
    sites: list[ModelledSite],
    groups: list[BufferSites],
    residency: Residency,
    parameters: MemoryParameters,
) -> GlobalTraffic:
    """Return what the global accesses move between L1, L2 and DRAM."""
    levels = wave_levels(trace.grid, residency.blocks)
    whole = levels[-1]
    cache = Cache(capacity_bytes=parameters.usable_l2_bytes(gpu), lost_at=parameters.l2_lost_at)
    reuse = ReuseModel(groups, Part.ALL, [1.0] * len(groups), levels[0].blocks, cache)
    stays = cache.hit_share(reuse.working_set_bytes(whole))
    l2_reads = _l1_misses(trace, gpu, groups, residency, parameters)
    l2_writes = SECTOR_BYTES * (
        sum(site.requests.sectors for group in groups for site in group.writes)
        - _merged_store_sectors(sites)
    )
    dram_reads = dram_writes = unique_reads = unique_writes = 0.0
    for group in groups:
        reads = group.granules(Part.READS, whole)
        writes = group.granules(Part.WRITES, whole)
        unique_reads += reads
        unique_writes += writes
        missed = reuse.misses_of_launch(group, Part.READS, levels) if group.reads else 0.0
        if group.writes:
            dram_writes += reuse.misses_of_launch(group, Part.WRITES, levels)
            if _is_written_first(group):
                missed -= stays * min(reads, writes)
            elif group.atomics:
                missed = max(missed, writes)
            if reads < 0.5 * writes:
                missed += parameters.partial_fill(gpu) * _partial_sectors(group, whole)
        dram_reads += max(missed, 0.0)
    return GlobalTraffic(
        l2_read_bytes=l2_reads,
        l2_write_bytes=l2_writes,
        dram_read_bytes=SECTOR_BYTES * dram_reads,
        dram_write_bytes=SECTOR_BYTES * dram_writes,
        unique_read_bytes=SECTOR_BYTES * unique_reads,
        unique_write_bytes=SECTOR_BYTES * unique_writes,
    )


def _l1_misses(
    trace: LaunchTrace,
    gpu: Gpu,
    groups: list[BufferSites],
    residency: Residency,
    parameters: MemoryParameters,
) -> float:
    """Bytes that loads ask from the L2: each SM caches for its resident blocks."""
    reading = [group for group in groups if group.reads]
    if not reading:
        return 0.0
    per_sm = min(residency.blocks_per_sm, -(-_block_count(trace) // gpu.sm_count))
    cache = Cache(
        capacity_bytes=parameters.usable_l1_bytes(gpu, residency.shared_bytes_per_sm),
        lost_at=parameters.l1_lost_at,
        granule_bytes=LINE_BYTES,
    )
    copies = [float(per_sm) if depends_on_block(group.reads) else 1.0 for group in reading]
    one_block = (1.0, 1.0, 1.0)
    reuse = ReuseModel(reading, Part.READS, copies, one_block, cache)
    busy_sms = min(gpu.sm_count, _block_count(trace))
    total = 0.0
    for group in reading:
        in_block = reuse.misses(group, Part.READS)
        requested = sum(site.sectors(Level(one_block, 0)) for site in group.reads)
        launched = sum(site.requests.sectors for site in group.reads)
        everywhere = in_block * (launched / requested if requested > 0.0 else 1.0)
        if not depends_on_block(group.reads):
            hit = reuse.hit()
            kept = min(everywhere, in_block * busy_sms)
            everywhere = hit * kept + (1.0 - hit) * everywhere
        total += min(everywhere, launched)
    return SECTOR_BYTES * total


def _block_count(trace: LaunchTrace) -> int:
    return trace.grid[0] * trace.grid[1] * trace.grid[2]


def _is_written_first(group: BufferSites) -> bool:
    """Whether the kernel reads back what it wrote itself."""
    if not group.reads:
        return False
    first_read = min(order for site in group.reads for order in site.site.orders)
    stores = [s for s in group.writes if s.site.direction is Direction.WRITE]
    return bool(stores) and min(o for s in stores for o in s.site.orders) < first_read


def _partial_sectors(group: BufferSites, whole: Level) -> float:
    """Written sectors of which some byte is never written."""
    if any(site.method is FootprintMethod.RANDOM for site in group.writes):
        narrow = [s for s in group.writes if s.site.element_bytes < SECTOR_BYTES]
        return group.granules(Part.WRITES, whole) if len(narrow) == len(group.writes) else 0.0
    sectors = group.granules(Part.WRITES, whole)
    covered = group.granules(Part.WRITES, whole, 1) / SECTOR_BYTES
    # Long runs leave edges only; a third of the bytes missing means that the runs are shorter than sectors.
    return sectors if covered < 0.67 * sectors else 0.0


def _merged_store_sectors(sites: list[ModelledSite]) -> float:
    """Sectors that consecutive stores of a warp to the same sector save on the way to L2."""
    stores = [s for s in sites if s.site.direction is Direction.WRITE]
    if len(stores) < 2:
        return 0.0
    timeline = sorted(
        (order, index, event)
        for index, site in enumerate(sites)
        for event, order in enumerate(site.site.orders)
    )
    saved = 0.0
    for is_store, run in itertools.groupby(
        timeline, key=lambda entry: sites[entry[1]].site.direction is Direction.WRITE
    ):
        entries = list(run)
        if is_store and len(entries) > 1:
            saved += _saved_by_run([(sites[index], event) for _, index, event in entries])
    return saved


def _saved_by_run(run: list[tuple[ModelledSite, int]]) -> float:
    """Sectors saved by a run of stores without a load in between."""
    by_warp = [
        lane_sectors(
            site.site.address[event : event + 1],
            site.site.active[event : event + 1],
            site.site.element_bytes,
        )[0]
        for site, event in run
    ]
    apart = sum(count_distinct(values) for values in by_warp)
    together = count_distinct(np.concatenate(by_warp, axis=1))
    weights = np.stack([site.site.warp_weight[event] for site, event in run]).max(axis=0)
    first = run[0][0]
    scale = first.requests.requests / max(float(first.site.warp_weight.sum()), 1e-300)
    return float(((apart - together) * weights).sum()) * scale
