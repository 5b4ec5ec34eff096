"""What an isolated launch leaves in the L2: written data that no profiler of DRAM sees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.parameters import memory_parameters
from roofstat.memory.records import DramTraffic

if TYPE_CHECKING:
    from roofstat.hardware import Gpu
    from roofstat.memory.parameters import MemoryParameters

__all__ = ["kept_in_l2", "streamed"]


def kept_in_l2(
    gpu: Gpu, occupied_bytes: float, write_share: float, parameters: MemoryParameters
) -> float:
    """Room that dirty lines still take in the L2 when a launch ends.

    Args:
        gpu: The card.
        occupied_bytes: Room that all written lines would take.
        write_share: Part of the launch's DRAM traffic that is written.
        parameters: Constants of the model.
    """
    most = gpu.l2_bytes * min(gpu.write_back_l2_share, gpu.write_back_write_share * write_share)
    filled = occupied_bytes / most
    first = parameters.leaking_from
    # The tangent from where lines begin to leak to what is kept of more than there is room for.
    all_kept = 1.0 + math.sqrt(1.0 - first)
    if filled >= all_kept:
        return most
    leak = max(filled - first, 0.0) / all_kept**2
    return occupied_bytes * (1.0 - leak)


def streamed(gpu: Gpu, read_bytes: float, write_bytes: float) -> tuple[DramTraffic, DramTraffic]:
    """Return the profiled and the steady DRAM traffic of a launch that reads and writes everything once."""
    factor = gpu.ecc_dram_factor
    kept = 0.0
    if write_bytes > 0.0:
        share = write_bytes / (read_bytes + write_bytes)
        kept = kept_in_l2(gpu, write_bytes, share, memory_parameters())
    left = write_bytes - kept if write_bytes - kept >= SECTOR_BYTES else 0.0
    return (
        DramTraffic(read_bytes=factor * read_bytes, write_bytes=factor * left),
        DramTraffic(read_bytes=factor * read_bytes, write_bytes=factor * write_bytes),
    )
