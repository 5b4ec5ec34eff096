"""Slopes of random addresses that follow the thread number at some distance (meshes, bands)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.memory.fits import LOOP_AXIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.lane_pairs import LanePairs
    from roofstat.memory.sites import AccessSite

_LEAST_TREND_BYTES = 1 << 16
_TREND_LEAVES = 0.25
"""A trend must explain all but this share of the range of random addresses."""
_TREND_SAMPLES = 2048


def thread_trend(
    site: AccessSite,
    pairs: LanePairs,
    executions: NDArray[np.int64],
    residual: NDArray[np.int64],
) -> dict[int, int]:
    """Return the slope along each lane coordinate, in bytes; empty where addresses follow none.

    Least squares over all coordinates; kept where what remains spans a small part of what there was.
    """
    active = site.active[executions]
    address = site.address[executions][active]
    span = int(address.max()) - int(address.min())
    axes = [axis for axis in range(LOOP_AXIS) if pairs.sizes[axis] > 1]
    if span < _LEAST_TREND_BYTES or not axes or len(address) <= 4 * len(axes):
        return {}
    thin = slice(None, None, -(-len(address) // _TREND_SAMPLES))
    columns = [
        np.broadcast_to(pairs.coordinates[axis], active.shape)[active][thin] for axis in axes
    ]
    matrix = np.stack(columns, axis=1).astype(np.float64)
    matrix -= matrix.mean(axis=0)
    target = address[thin].astype(np.float64)
    slopes = np.linalg.lstsq(matrix, target - target.mean(), rcond=None)[0]
    rest = target - matrix @ slopes
    old = min(float(np.ptp(residual)), float(span))
    if float(np.ptp(rest)) > _TREND_LEAVES * old:
        return {}
    return {
        axis: round(float(slope)) for axis, slope in zip(axes, slopes, strict=True) if round(slope)
    }
