"""How many blocks of a kernel live on an SM at once.

The rules are those of the CUDA occupancy calculator, in own words: registers are given to warps in whole units and
out of the register file of one sub-partition; shared memory is given to blocks in whole units, with a fixed part
taken by the system; the smallest of the limits holds. For AMD and Intel the same arithmetic is used with their units.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.gpu import Gpu

__all__ = ["Occupancy", "OccupancyLimiter", "occupancy"]


class OccupancyLimiter(enum.Enum):
    """Which resource keeps further blocks off an SM."""

    BLOCKS = "blocks"
    THREADS = "threads"
    REGISTERS = "registers"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Residency of one launch configuration on one SM.

    Attributes:
        blocks_per_sm: Resident blocks; 0 where the configuration cannot run at all.
        warps_per_block: Warps of one block, the last perhaps partly filled.
        warps_per_sm: Resident warps.
        share: Resident warps over the most that fit; 0 to 1.
        limiter: What holds it there; of equal limits the first of `OccupancyLimiter`.
        limits: Blocks that each resource would allow.
    """

    blocks_per_sm: int
    warps_per_block: int
    warps_per_sm: int
    share: float
    limiter: OccupancyLimiter
    limits: Mapping[OccupancyLimiter, int]


def occupancy(
    gpu: Gpu, *, threads_per_block: int, registers_per_thread: int, shared_bytes_per_block: int = 0
) -> Occupancy:
    """Return how many blocks of a launch are resident on one SM.

    Args:
        gpu: The card.
        threads_per_block: Threads of a block, all dimensions multiplied; at least 1.
        registers_per_thread: 32-bit registers of a thread, as the compiler reports them.
        shared_bytes_per_block: Static plus dynamic shared memory of a block.

    >>> from roofstat.hardware import load_gpu
    >>> occupancy(load_gpu("a100"), threads_per_block=256, registers_per_thread=64).blocks_per_sm
    4
    """
    if threads_per_block < 1:
        raise ValueError(f"a block has at least one thread, not {threads_per_block}")
    warps = _ceil_div(threads_per_block, gpu.warp_size)
    limits = {
        OccupancyLimiter.BLOCKS: gpu.max_blocks_per_sm,
        OccupancyLimiter.THREADS: gpu.max_warps_per_sm // warps,
        OccupancyLimiter.REGISTERS: _register_limit(gpu, warps, registers_per_thread),
        OccupancyLimiter.SHARED: _shared_limit(gpu, shared_bytes_per_block),
    }
    if threads_per_block > gpu.max_threads_per_block:
        limits[OccupancyLimiter.THREADS] = 0
    limiter = min(limits, key=lambda resource: limits[resource])
    blocks = limits[limiter]
    return Occupancy(
        blocks_per_sm=blocks,
        warps_per_block=warps,
        warps_per_sm=blocks * warps,
        share=blocks * warps / gpu.max_warps_per_sm,
        limiter=limiter,
        limits=limits,
    )


def _register_limit(gpu: Gpu, warps: int, registers_per_thread: int) -> int:
    if registers_per_thread > gpu.max_registers_per_thread:
        return 0
    per_warp = _round_up(max(registers_per_thread, 1) * gpu.warp_size, gpu.register_unit)
    # The check at launch spreads a block over all register files, so it counts whole rounds of them.
    if per_warp * _round_up(warps, gpu.sub_partitions) > gpu.registers_per_sm:
        return 0
    warps_per_file = gpu.registers_per_sm // gpu.sub_partitions // per_warp
    return warps_per_file * gpu.sub_partitions // warps


def _shared_limit(gpu: Gpu, shared_bytes: int) -> int:
    if shared_bytes > gpu.shared_bytes_per_block:
        return 0
    taken = _round_up(shared_bytes + gpu.shared_reserved_bytes, gpu.shared_unit_bytes)
    return gpu.shared_bytes_per_sm // taken if taken else gpu.max_blocks_per_sm


def _ceil_div(amount: int, unit: int) -> int:
    return -(-amount // unit)


def _round_up(amount: int, unit: int) -> int:
    return _ceil_div(amount, unit) * unit
