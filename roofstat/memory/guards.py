"""What a guard around an access (`if (i < n)`, `if (mask[i])`) leaves of its sectors.

A guard that cuts whole warps leaves as many sectors as threads; one that drops scattered lanes, or the ends of rows,
leaves nearly all sectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.hardware.units import WARP_SIZE
from roofstat.memory.coalescing import warp_sectors
from roofstat.memory.fits import LOOP_AXIS, Fit

if TYPE_CHECKING:
    from roofstat.execution.trace import Lanes
    from roofstat.memory.sites import AccessSite

_EVENTS = 4


def guard_scatter(site: AccessSite, fit: Fit, lanes: Lanes) -> float:
    """Return the share of sectors left over the share of threads left; at least 1, and 1 without a guard.

    The sectors that all lanes would touch follow from the affine fit.
    """
    if not fit.is_linear:
        return 1.0
    events = np.linspace(0, len(site.orders) - 1, min(_EVENTS, len(site.orders))).astype(int)
    active = site.active[events]
    possible = _possible(fit, lanes)
    if not (possible & ~active).any():
        return 1.0
    coordinates = (*lanes.tid, *lanes.bid)
    address = np.full((len(events), lanes.count), 0, dtype=np.int64)
    for axis in fit.axes:
        if axis.axis < LOOP_AXIS:
            address = address + axis.slope * coordinates[axis.axis]
    # The loop part is the same for all lanes of an execution: take it from a lane that was active.
    anchor = active.argmax(axis=1)
    rows = np.arange(len(events))
    address += (site.address[events][rows, anchor] - address[rows, anchor])[:, None]
    everyone = np.broadcast_to(possible, active.shape)
    scale = lanes.weight.reshape(-1, WARP_SIZE).max(axis=1)
    left = warp_sectors(site.address[events], active, site.element_bytes) * scale
    full = warp_sectors(address, everyone, site.element_bytes) * scale
    threads_left = float((active * lanes.weight).sum())
    threads_full = float((everyone * lanes.weight).sum())
    if threads_left <= 0.0 or float(full.sum()) <= 0.0:
        return 1.0
    return max(1.0, float(left.sum()) / float(full.sum()) / (threads_left / threads_full))


def _possible(fit: Fit, lanes: Lanes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Lanes within the box of coordinates that the fit counts."""
    coordinates = (*lanes.tid, *lanes.bid)
    possible = lanes.exists.copy()
    for axis in fit.axes:
        if axis.axis < LOOP_AXIS:
            place = coordinates[axis.axis] - axis.first
            possible &= (place >= 0) & (place < axis.extent * axis.step)
            if axis.step > 1:
                possible &= place % axis.step == 0
    return possible
