"""How much DRAM traffic rests on the room that the L2 has for what is read again.

What a working set near the size of the L2 loses is known badly: it depends on where lines lie, on how far blocks drift apart and on
what else goes through. So the traffic is modelled with less and with more room as well, and how far the two lie apart is what it may be off by.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from roofstat.execution.trace import RunAssumption

if TYPE_CHECKING:
    from roofstat.hardware import Gpu
    from roofstat.memory.caches import GlobalTraffic
    from roofstat.memory.footprint import ModelledSite
    from roofstat.memory.parameters import MemoryParameters

__all__ = ["doubtful_room"]

_LEAST_SHARE = 0.2
"""Of the L2, that a working set takes at least that does not fit with less room."""
_NOTABLE = 0.05
"""Least spread that is said."""


def doubtful_room(
    model: Callable[[MemoryParameters], GlobalTraffic],
    found: GlobalTraffic,
    gpu: Gpu,
    parameters: MemoryParameters,
    sites: list[ModelledSite],
) -> tuple[RunAssumption, ...]:
    """Return what DRAM bytes rest on the room in the L2, if they do; its weight is their spread, as a natural logarithm.

    Args:
        model: Models the traffic of the launch with other constants.
        found: What it is with the shipped ones.
        gpu: The card.
        parameters: The shipped constants.
        sites: The accesses.
    """
    total = found.total
    if total.unique_read_bytes < _LEAST_SHARE * gpu.l2_bytes:
        return ()
    if total.l2_read_bytes <= total.unique_read_bytes:
        return ()
    most, least = (
        model(with_room(parameters, factor)).total
        for factor in (1.0 / parameters.room_factor, parameters.room_factor)
    )
    high = most.dram_read_bytes + most.dram_write_bytes
    low = least.dram_read_bytes + least.dram_write_bytes
    spread = 0.5 * math.log(high / low) if high > low > 0.0 else 0.0
    if spread < _NOTABLE:
        return ()
    text = (
        f"how much of what is read again stays in the L2: {low / 1e9:.3g} to {high / 1e9:.3g} GB of DRAM traffic "
        f"with {parameters.room_factor:g} times as much room and with as much less"
    )
    busiest = max(sites, key=lambda each: each.requests.sectors)
    position = busiest.site.instruction.position
    return (RunAssumption(kind="l2-room", text=text, position=position, weight=spread),)


def with_room(parameters: MemoryParameters, factor: float) -> MemoryParameters:
    """Return the constants with so many times the room for working sets."""
    return dataclasses.replace(
        parameters,
        l2_usable_share=factor * parameters.l2_usable_share,
        l2_partitioned_usable_share=factor * parameters.l2_partitioned_usable_share,
    )
