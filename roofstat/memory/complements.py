"""What sites touch together of which a guard leaves out threads all over: ``if (!(i & 16)) o[i] = a[i] + a[i ^ 16]``.

Whether one site touches what the other one leaves out is told by the sample: by the granules that some thread would touch with each
of both, were there no guard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct
from roofstat.memory.fits import LOOP_AXIS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from roofstat.execution.trace import Lanes
    from roofstat.memory.fits import Fit
    from roofstat.memory.sites import AccessSite

_EVENTS = 8
_ANY = 0.9
"""A guard that leaves more of the threads than this leaves nothing worth a look for others."""
_FEWEST = 8
"""Granules known of both sites that tell how many they share."""
_NONE = np.zeros(0, dtype=np.int64)


def left_out(site: AccessSite, fit: Fit, lanes: Lanes) -> NDArray[np.int64]:
    """Addresses that sampled threads would reach if no guard kept them from it; none where few are kept."""
    active = site.active[:_EVENTS]
    kept = float((active * lanes.weight).sum())
    everyone: NDArray[np.bool_] = np.broadcast_to(lanes.exists, active.shape)
    if not fit.is_linear or kept > _ANY * float((everyone * lanes.weight).sum()):
        return _NONE
    coordinates = (*lanes.tid, *lanes.bid)
    address = np.zeros(active.shape, dtype=np.int64)
    for axis in fit.axes:
        if axis.axis < LOOP_AXIS:
            address = address + axis.slope * coordinates[axis.axis]
    # The loop part is the same for all lanes of an execution: take it from a lane that was active.
    rows, anchor = np.arange(len(active)), active.argmax(axis=1)
    address += (site.address[:_EVENTS][rows, anchor] - address[rows, anchor])[:, None]
    kept_from = everyone & ~active
    kept_from &= np.any(active, axis=1, keepdims=True)
    return address[kept_from]


def fresh_shares(
    parts: Sequence[tuple[Iterable[NDArray[np.int64]], Iterable[NDArray[np.int64]]]], granule: int
) -> list[float] | None:
    """Share of what each part touches that no part before it does; None where the sample does not tell.

    Args:
        parts: Addresses that sampled threads touch, and those that guards keep them from.
        granule: Bytes.
    """
    shares: list[float] = []
    seen = known = _NONE
    for touched, kept_from in parts:
        mine = distinct(np.concatenate([*touched]) // granule)
        all_mine = distinct(np.concatenate([mine, *(each // granule for each in kept_from)]))
        if not shares:
            shares, seen, known = [1.0], mine, all_mine
            continue
        told = mine[np.isin(mine, known)]
        if len(told) < _FEWEST:
            return None
        shares.append(1.0 - float(np.isin(told, seen).mean()))
        known = known[np.isin(known, all_mine)]
        seen = distinct(np.concatenate([seen, mine]))
    return shares
