"""How much of an array in shared memory an access reaches, of whose executions a few were looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.sites import AccessSite

__all__ = ["shared_span"]


def shared_span(site: AccessSite) -> float:
    """Return the bytes from the first to the last that an access touches, in all iterations of the loops around it.

    Where addresses move evenly with the iterations that were looked at, they do so in the others; else what was seen is
    all that is known.
    """
    events = np.flatnonzero(site.active.any(axis=1))
    first = np.where(site.active, site.address, np.iinfo(np.int64).max).min(axis=1)[events]
    last = np.where(site.active, site.address, np.iinfo(np.int64).min).max(axis=1)[events]
    seen = float(last.max() - first.min())
    reach = _reach(site, events, (first - first.min()).astype(float), float((last - first).max()))
    span = max(seen, reach) + site.element_bytes
    size = site.buffer.size_bytes if site.buffer is not None else None
    return min(span, float(size)) if size else span


def _reach(
    site: AccessSite, events: NDArray[np.int64], first: NDArray[np.float64], width: float
) -> float:
    """What the loops add to the width of one execution; 0 where its place is no linear function of their iterations."""
    if not site.loops or site.iterations.shape[2] != 1:
        return 0.0
    iterations = site.iterations[:, events, 0].astype(float)
    moving = [depth for depth, row in enumerate(iterations) if np.ptp(row) > 0.0]
    columns = np.column_stack([*(iterations[depth] for depth in moving), np.ones(len(events))])
    slopes, _, rank, _ = np.linalg.lstsq(columns, first, rcond=None)
    if rank < columns.shape[1] or np.abs(columns @ slopes - first).max() > 0.5:
        return 0.0
    steps = (
        abs(slope) * max(site.trips[depth] - 1.0, 0.0)
        for depth, slope in zip(moving, slopes, strict=False)
    )
    return width + float(sum(steps))
