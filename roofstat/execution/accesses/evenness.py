"""Whether the lanes of a warp do the same with memory, so that one of them tells of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from roofstat.execution.accesses.addresses import Target
from roofstat.execution.numbers.values import (
    Mixed,
    Unknown,
    Value,
)
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.mask import Mask
    from roofstat.execution.stored.address_space import MemoryObject

UNEVEN: Final = "uneven"
"""State of a private array in which lanes of a warp may have stored different values."""


def loads_evenly(found: MemoryObject, target: Target, mask: Mask) -> bool:
    """Whether all lanes of a warp read the same: one address, and of private arrays nothing else was stored."""
    if found.buffer.space is Space.LOCAL and found.state.get(UNEVEN):
        return False
    return isinstance(target.address, int) or agrees_in_warps(target.address, mask)


def stores_evenly(value: Value, target: Target, mask: Mask) -> bool:
    """Whether the lanes of each warp store one value to one address, most of their warps being whole."""
    if isinstance(value, Mixed) or mask.diverges:
        return False
    if isinstance(value, Unknown):
        if not value.uniform or value.lane_index is not None:
            return False
        value = value.offset
    if isinstance(value, np.ndarray) and not agrees_in_warps(value, mask):
        return False
    return isinstance(target.address, int) or agrees_in_warps(target.address, mask)


def agrees_in_warps(values: NDArray[np.generic] | None, mask: Mask) -> bool:
    """Whether the active lanes of each warp have the same value."""
    if values is None:
        return False
    lanes = mask.lanes
    if lanes[0] and lanes[1] and values[0] != values[1]:
        return False  # as most addresses differ, which is seen soonest here
    rows = values.reshape(-1, WARP_SIZE)
    agrees = rows == rows[mask.leaders][:, None]
    if not isinstance(mask.rows, slice):
        agrees |= ~lanes.reshape(-1, WARP_SIZE)
    return bool(agrees.all())
