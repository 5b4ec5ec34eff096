"""Local memory: private arrays that the compiler could not keep in registers.

Each thread has its own copy; the copies of a warp are interleaved by 4-byte words, so that lanes that touch the same
word of their copies touch one 128-byte line together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roofstat.memory.coalescing import count_distinct
from roofstat.memory.records import SECTOR_BYTES, WARP_SIZE, Direction
from roofstat.memory.reuse import Cache

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.memory.caches import Residency
    from roofstat.memory.parameters import MemoryParameters
    from roofstat.memory.sites import AccessSite

_WORD_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTraffic:
    """Bytes that local accesses move."""

    requested_bytes: float
    l2_bytes: float
    dram_read_bytes: float
    dram_write_bytes: float


def local_sectors_per_request(site: AccessSite) -> float:
    """Sectors of the interleaved layout that a warp touches, on average."""
    words = max(1, -(-site.element_bytes // _WORD_BYTES))
    base = site.buffer.base if site.buffer is not None else 0
    word = (site.address - base) // _WORD_BYTES
    lane_in_warp = np.arange(site.address.shape[1]) % WARP_SIZE
    # A word of a warp is a line of four sectors; eight lanes share a sector.
    sector = word * (WARP_SIZE * _WORD_BYTES // SECTOR_BYTES) + lane_in_warp // 8
    shape = (site.address.shape[0], -1, WARP_SIZE)
    counted = count_distinct(np.where(site.active, sector, -1).reshape(shape)) * words
    weights = site.warp_weight * (counted > 0)
    total = float(weights.sum())
    return float((weights * counted).sum()) / total if total > 0.0 else 0.0


def local_traffic(
    trace: LaunchTrace,
    gpu: Gpu,
    sites: list[AccessSite],
    residency: Residency,
    parameters: MemoryParameters,
) -> LocalTraffic:
    """Return what private arrays in memory move: L1 keeps them as far as the resident threads' copies fit."""
    reads = writes = 0.0
    touched: dict[int, float] = {}
    for site in sites:
        moved = SECTOR_BYTES * site.warps * local_sectors_per_request(site)
        if site.direction is Direction.READ:
            reads += moved
        else:
            writes += moved
        key = site.buffer.number if site.buffer is not None else -1
        touched[key] = max(touched.get(key, 0.0), _bytes_per_thread(site))
    if reads + writes <= 0.0:
        return LocalTraffic(
            requested_bytes=0.0, l2_bytes=0.0, dram_read_bytes=0.0, dram_write_bytes=0.0
        )
    per_thread = sum(touched.values())
    threads = trace.block[0] * trace.block[1] * trace.block[2]
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    per_sm = per_thread * threads * residency.blocks_per_sm
    resident = per_thread * threads * min(residency.blocks, blocks)
    capacity = parameters.usable_l1_bytes(gpu, residency.shared_bytes_per_sm)
    l1 = Cache(capacity_bytes=capacity, lost_at=parameters.l1_lost_at)
    missed = 1.0 - l1.hit_share(per_sm)
    once = min(reads + writes, per_thread * threads * blocks)
    l2_bytes = max(missed * (reads + writes), min(once, writes))
    l2 = Cache(capacity_bytes=parameters.usable_l2_bytes(gpu), lost_at=parameters.l2_lost_at)
    lost = 1.0 - l2.hit_share(resident)
    share = writes / (reads + writes)
    return LocalTraffic(
        requested_bytes=reads + writes,
        l2_bytes=l2_bytes,
        dram_read_bytes=lost * l2_bytes * (1.0 - share),
        dram_write_bytes=max(lost * l2_bytes * share, 0.0),
    )


def _bytes_per_thread(site: AccessSite) -> float:
    """Bytes of a thread's copy that the site reaches."""
    if site.buffer is not None and site.buffer.size_bytes:
        return float(site.buffer.size_bytes)
    values = site.address[site.active]
    return float(values.max() - values.min() + site.element_bytes) if len(values) else 0.0
