"""What an isolated launch leaves in the L2, which no profiler of DRAM sees, and what it sweeps out of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.parameters import memory_parameters
from roofstat.memory.records import DramTraffic

if TYPE_CHECKING:
    from roofstat.hardware import Gpu
    from roofstat.memory.parameters import MemoryParameters

__all__ = ["foreign_bytes", "kept_in_l2", "own_room", "pushed_out", "streamed", "swept_out"]


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
    most = _room(gpu, write_share)
    filled = occupied_bytes / most
    first = parameters.leaking_from
    # The tangent from where lines begin to leak to what is kept of more than there is room for.
    all_kept = 1.0 + math.sqrt(1.0 - first)
    if filled >= all_kept:
        return most
    leak = max(filled - first, 0.0) / all_kept**2
    return occupied_bytes * (1.0 - leak)


def own_room(gpu: Gpu, write_share: float, parameters: MemoryParameters) -> float:
    """Bytes that the L2 keeps dirty of one launch as long as others' dirty lines are there, too."""
    return max(_room(gpu, write_share) - foreign_bytes(gpu, parameters), 0.0)


def pushed_out(occupied_bytes: float, room_bytes: float) -> float:
    """Share of lines that are stored to in turn, again and again, and that leave the L2 before their next turn.

    Lines fall into sets at random, and the lines of a set that has more of them than it keeps dirty all leave it in turn: the
    chance that besides a line so many others are in its set, which is that of a Poisson distribution.

    Args:
        occupied_bytes: Room that all lines take which are stored to between two turns.
        room_bytes: What the L2 keeps dirty.
    """
    mean = _DIRTY_WAYS * occupied_bytes / room_bytes if room_bytes > 0.0 else math.inf
    if mean > _CERTAIN:
        return 1.0
    fewer = sum(mean**k / math.factorial(k) for k in range(_DIRTY_WAYS))
    return max(1.0 - math.exp(-mean) * fewer, 0.0)


_DIRTY_WAYS = 16
"""Lines of a set that stay dirty (see `clean_weight` in the constants of the model)."""
_CERTAIN = 4.0 * _DIRTY_WAYS


def _room(gpu: Gpu, write_share: float) -> float:
    return gpu.l2_bytes * min(gpu.write_back_l2_share, gpu.write_back_write_share * write_share)


def foreign_bytes(gpu: Gpu, parameters: MemoryParameters) -> float:
    """Dirty bytes of others that a launch under a profiler finds in the L2."""
    return min(parameters.foreign_bytes, parameters.foreign_l2_share * gpu.l2_bytes)


def swept_out(
    gpu: Gpu,
    moved_bytes: float,
    occupied_bytes: float,
    write_share: float,
    parameters: MemoryParameters,
) -> float:
    """What of them reaches DRAM: as the launch moves so much through the L2, or as its own dirty lines take their room.

    Args:
        gpu: The card.
        moved_bytes: Room in the L2 that everything which the launch reads and writes would take.
        occupied_bytes: Room that all written lines would take.
        write_share: Part of the launch's DRAM traffic that is written.
        parameters: Constants of the model.
    """
    others = foreign_bytes(gpu, parameters)
    first, last = parameters.sweep_l2_shares(gpu)
    way = min(max((moved_bytes / gpu.l2_bytes - first) / (last - first), 0.0), 1.0)
    swept = way * way * (3.0 - 2.0 * way) * others
    if occupied_bytes <= 0.0:
        return swept
    met = write_share * others
    alone, together = (
        kept_in_l2(gpu, occupied_bytes + beside, write_share, parameters) for beside in (0.0, met)
    )
    return max(swept, met - (together - alone))


def streamed(gpu: Gpu, read_bytes: float, write_bytes: float) -> tuple[DramTraffic, DramTraffic]:
    """Return the profiled and the steady DRAM traffic of a launch that reads and writes everything once."""
    factor = gpu.ecc_dram_factor
    parameters = memory_parameters()
    kept = 0.0
    moved = read_bytes + write_bytes
    share = write_bytes / moved if moved > 0.0 else 0.0
    if write_bytes > 0.0:
        kept = kept_in_l2(gpu, write_bytes, share, parameters)
    left = write_bytes - kept if write_bytes - kept >= SECTOR_BYTES else 0.0
    left += swept_out(gpu, moved, write_bytes, share, parameters)
    return (
        DramTraffic(read_bytes=factor * read_bytes, write_bytes=factor * left),
        DramTraffic(read_bytes=factor * read_bytes, write_bytes=factor * write_bytes),
    )
