"""How much of an array in shared memory an access reaches, of whose executions a few were looked at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.sites import AccessSite

__all__ = ["shared_footprint"]


def shared_footprint(site: AccessSite, warps_per_block: int) -> float:
    """Return the bytes that the threads of a block touch, in all iterations of the loops around the access.

    They lie between the first and the last place, and are no more than what all executions of its warps touch, each for
    itself: what lies between rows that are left out does not count. Where addresses move evenly with the iterations that
    were looked at, they do so in the others; else the places that were seen are all that is known.

    Args:
        site: The access.
        warps_per_block: Warps of a block.
    """
    events = np.flatnonzero(site.active.any(axis=1))
    first = np.where(site.active, site.address, np.iinfo(np.int64).max).min(axis=1)[events]
    last = np.where(site.active, site.address, np.iinfo(np.int64).min).max(axis=1)[events]
    seen = float(last.max() - first.min())
    steps = _steps(site, events, (first - first.min()).astype(float))
    span = seen
    touched = math.inf
    if steps is not None:
        reach = sum(
            abs(step or 0.0) * max(trips - 1.0, 0.0)
            for step, trips in zip(steps, site.trips, strict=True)
        )
        span = max(seen, float((last - first).max()) + reach)
        places = math.prod(
            trips for step, trips in zip(steps, site.trips, strict=True) if step != 0.0
        )
        touched = _bytes_of_warp(site, events) * warps_per_block * max(places, 1.0)
    found = min(span + site.element_bytes, touched)
    size = site.buffer.size_bytes if site.buffer is not None else None
    return min(found, float(size)) if size else found


def _bytes_of_warp(site: AccessSite, events: NDArray[np.int64]) -> float:
    """The most bytes at places of their own that one execution by a warp touches."""
    shape = (len(events), -1, WARP_SIZE)
    active = site.active[events].reshape(shape)
    none = np.iinfo(np.int64).max
    places = np.sort(np.where(active, site.address[events].reshape(shape), none), axis=2)
    is_new = np.diff(places, axis=2, prepend=-1) != 0
    return float((is_new & (places != none)).sum(axis=2).max()) * site.element_bytes


def _steps(
    site: AccessSite, events: NDArray[np.int64], first: NDArray[np.float64]
) -> list[float | None] | None:
    """How far an iteration of each loop moves the access, None for one of which a single iteration was looked at.

    None for all where its place is no linear function of the iterations.
    """
    if not site.loops:
        return []
    if site.iterations.shape[2] != 1:
        return None
    iterations = site.iterations[:, events, 0].astype(float)
    moving = [depth for depth, row in enumerate(iterations) if np.ptp(row) > 0.0]
    columns = np.column_stack([*(iterations[depth] for depth in moving), np.ones(len(events))])
    slopes, _, rank, _ = np.linalg.lstsq(columns, first, rcond=None)
    if rank < columns.shape[1] or np.abs(columns @ slopes - first).max() > _EVEN:
        return None
    found = dict(zip(moving, slopes, strict=False))
    return [_even(found.get(depth)) for depth in range(len(site.loops))]


def _even(step: float | None) -> float | None:
    return step if step is None or abs(step) > _EVEN else 0.0


_EVEN = 0.5
"""Bytes that a place may be off a straight line: numbers are rounded."""
