"""Fit the addresses of a site as an affine function of thread, block and loop coordinates.

Coefficients come from pairs of samples that differ in one coordinate only (adjacent lanes, the same lane of two sampled
blocks, two iterations): the median difference, kept where most pairs agree. So a clamp at a border or a wrap-around does
not spoil the fit. Coordinates that do not fit stay in the `Core` of the fit: a range of addresses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roofstat.memory.lane_pairs import BLOCK_AXIS, LOOP_AXIS, LanePairs
from roofstat.memory.records import SECTOR_BYTES, WARP_SIZE
from roofstat.memory.trend import thread_trend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.sites import AccessSite

_EVENTS = 6
"""Executions looked at for the lane coordinates."""
_AGREEMENT = 0.8
"""Least share of agreeing pairs."""
_EXACT = 0.9
"""Least weight of samples that the whole fit must explain."""
_LEAST_PHASE = 4
"""Bytes; finer alignments than this make no difference worth the work."""
_IRREGULAR = 0.5
"""More distinct differences between adjacent lanes than this share: random, not piecewise affine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedAxis:
    """Addresses step by `stride_bytes` along this coordinate, `extent` times."""

    axis: int
    stride_bytes: int
    """Magnitude of the distance between neighbours that are both active."""
    slope: int
    """Bytes for a coordinate that is greater by 1."""
    step: int
    """Distance of the coordinates that are active: 2 where only every second thread works."""
    first: int
    """Smallest coordinate seen active."""
    extent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """What the affine axes do not explain."""

    low: int
    high: int
    """Range of first bytes after the affine part is removed; `high` is inclusive."""
    granule_bytes: int
    """Greatest common divisor of the differences; 0 where all are equal."""
    axes: tuple[int, ...]
    """Coordinates that it depends on."""
    unseen_factor: float
    """By how much the range may be larger: blocks of the launch over blocks between the outermost sampled ones."""
    is_random: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Address = origin + sum of stride * (coordinate - first) + a value of the core."""

    origin: int
    axes: tuple[FittedAxis, ...]
    core: Core | None

    def stride(self, axis: int) -> int | None:
        """Stride along a coordinate; 0 where the address does not depend on it, None where it does not fit."""
        if self.core is not None and axis in self.core.axes:
            return None
        return next((fitted.slope for fitted in self.axes if fitted.axis == axis), 0)


def phase_bytes(fit: Fit, block: tuple[int, int, int]) -> int:
    """Return the unit of the alignment within a sector that warps have over the launch; a sector where all agree.

    Only affine fits tell; for others the samples have to do.
    """
    if fit.core is not None:
        return SECTOR_BYTES
    lanes_inside = (1, block[0], block[0] * block[1])
    unit = SECTOR_BYTES
    for axis in fit.axes:
        # Along the axes of a warp, warps are as many coordinates apart as fit into one.
        apart = max(1, WARP_SIZE // lanes_inside[axis.axis]) if axis.axis < 3 else 1
        unit = math.gcd(unit, axis.slope * apart)
    # Elements are aligned to their size; smaller shifts would tear them.
    return unit if unit >= _LEAST_PHASE else SECTOR_BYTES


def fit_site(site: AccessSite, pairs: LanePairs) -> Fit:
    """Fit one site."""
    executions = np.flatnonzero(site.active.any(axis=1))
    address = site.address[executions]
    active = site.active[executions]
    lanes_used: NDArray[np.bool_] = np.any(active, axis=0)
    strides: dict[int, int] = {}
    loose: list[int] = []
    unseen = [
        axis
        for axis in range(LOOP_AXIS)
        if not _fit_lane_axis(axis, address, active, pairs, strides, loose)
    ]
    for depth, loop in enumerate(site.loops):
        steps = site.iterations[depth, executions]
        stride = _loop_stride(depth, address, active, site.iterations[:, executions])
        if stride is None:
            if bool((steps != steps.flat[0]).any()):
                loose.append(LOOP_AXIS + loop)
        elif stride:
            strides[LOOP_AXIS + loop] = stride
    _guess_strides(site, pairs, lanes_used, unseen, strides)
    residual = address
    for axis, stride in strides.items():
        residual = residual - stride * _coordinate(axis, site, pairs, executions)
    weight = site.weight[executions]
    values = residual[active]
    middle = int(np.partition(values, len(values) // 2)[len(values) // 2])
    weights = weight[active]
    explained = float(weights[values == middle].sum()) / float(weights.sum())
    if explained >= _EXACT:
        axes, origin = _extents(site, pairs, strides, lanes_used, executions, active, middle)
        return Fit(origin=origin, axes=axes, core=None)
    is_random = site.guess_share > 0.5 or _is_irregular(address, active)
    if is_random:
        trend = thread_trend(site, pairs, executions, values)
        if trend:
            strides = trend
            for axis, stride in strides.items():
                address = address - stride * _coordinate(axis, site, pairs, executions)
            values = address[active]
    core_axes = tuple(loose) or tuple(
        axis for axis in range(LOOP_AXIS) if pairs.sizes[axis] > 1 and axis not in strides
    )
    axes, origin = _extents(site, pairs, strides, lanes_used, executions, active, 0)
    low, high = int(values.min()), int(values.max())
    core = Core(
        low=low,
        high=high,
        granule_bytes=int(np.gcd.reduce(values - low)),
        axes=core_axes,
        unseen_factor=_unseen_factor(pairs, core_axes, lanes_used),
        is_random=is_random,
    )
    return Fit(origin=origin, axes=axes, core=core)


def _unseen_factor(pairs: LanePairs, axes: tuple[int, ...], lanes_used: NDArray[np.bool_]) -> float:
    """Blocks of the launch over blocks between the outermost sampled ones, for the coordinates of a core."""
    factor = 1.0
    for axis in axes:
        if 3 <= axis < LOOP_AXIS:
            values = pairs.coordinates[axis][lanes_used]
            factor = max(factor, pairs.sizes[axis] / float(values.max() - values.min() + 1))
    return factor


def _fit_lane_axis(
    axis: int,
    address: NDArray[np.int64],
    active: NDArray[np.bool_],
    pairs: LanePairs,
    strides: dict[int, int],
    loose: list[int],
) -> bool:
    """Find the stride along one coordinate; False where no two active lanes differ in it alone."""
    first, second, step = pairs.pairs[axis]
    if not len(first):
        return pairs.sizes[axis] <= 1
    some = slice(None)
    if len(address) > _EVENTS:
        some = slice(0, len(address), -(-len(address) // _EVENTS))
    both = active[some][:, first] & active[some][:, second]
    change = (address[some][:, second] - address[some][:, first])[both]
    if not len(change):
        return False
    stride = _common_ratio(change, np.broadcast_to(step, both.shape)[both])
    if stride is None:
        loose.append(axis)
    elif stride:
        strides[axis] = stride
    return True


def _guess_strides(
    site: AccessSite,
    pairs: LanePairs,
    lanes_used: NDArray[np.bool_],
    unseen: list[int],
    strides: dict[int, int],
) -> None:
    """Strides between blocks along grid axes of which the samples show one active position only.

    Blocks are taken to go on where the threads of their axis end, or else where everything inside them ends, if the
    code computes the address from that block coordinate at all.
    """
    for axis in unseen:
        if axis < BLOCK_AXIS or pairs.sizes[axis] <= 1 or not lanes_used.any():
            continue
        if not pairs.is_source(site.instruction, axis):
            continue
        inner = strides.get(axis - BLOCK_AXIS, 0) * pairs.sizes[axis - BLOCK_AXIS]
        if not inner:
            inner = site.element_bytes
            for other, stride in strides.items():
                extent = pairs.sizes[other] if other < LOOP_AXIS else 1
                inner += abs(stride) * (extent - 1)
        strides[axis] = inner


def _common_ratio(change: NDArray[np.int64], step: NDArray[np.int64]) -> int | None:
    """Return the ratio that most pairs share, None where they disagree."""
    ratio = change // step
    middle = int(np.partition(ratio, len(ratio) // 2)[len(ratio) // 2])
    agreeing = float((change == middle * step).mean())
    return middle if agreeing >= _AGREEMENT else None


def _loop_stride(
    depth: int,
    address: NDArray[np.int64],
    active: NDArray[np.bool_],
    iterations: NDArray[np.int64],
) -> int | None:
    """Stride along one loop; 0 without any pair of iterations, None where pairs disagree."""
    first, second = _event_pairs(depth, iterations)
    if not len(first):
        return 0
    step = iterations[depth, second] - iterations[depth, first]
    both = active[second] & active[first] & (step != 0)
    others = np.delete(iterations, depth, axis=0)
    both &= (others[:, second] == others[:, first]).all(axis=0)
    change = (address[second] - address[first])[both]
    if not len(change):
        return 0
    return _common_ratio(change, np.broadcast_to(step, both.shape)[both])


def _event_pairs(
    depth: int, iterations: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Executions that differ in this loop and in no other (by their first lane), each with the next."""
    table = iterations[:, :, 0]
    others = np.delete(table, depth, axis=0)
    order = np.lexsort((table[depth], *others))
    one, two = order[:-1], order[1:]
    same = (others[:, one] == others[:, two]).all(axis=0)
    if iterations.shape[2] == 1:
        same &= table[depth, one] != table[depth, two]
    return one[same], two[same]


def _coordinate(
    axis: int, site: AccessSite, pairs: LanePairs, executions: NDArray[np.int64]
) -> NDArray[np.int64]:
    if axis < LOOP_AXIS:
        return pairs.coordinates[axis]
    result: NDArray[np.int64] = site.iterations[site.loops.index(axis - LOOP_AXIS), executions]
    return result


def _extents(
    site: AccessSite,
    pairs: LanePairs,
    strides: dict[int, int],
    lanes_used: NDArray[np.bool_],
    executions: NDArray[np.int64],
    active: NDArray[np.bool_],
    constant: int,
) -> tuple[tuple[FittedAxis, ...], int]:
    """Axes with the coordinates that were active, and the lowest address of the affine part."""
    axes = []
    origin = constant
    for axis, stride in strides.items():
        step = 1
        if axis < LOOP_AXIS:
            first, last = pairs.active_range(axis, lanes_used)
            if axis < 3 and last > first:
                values = pairs.coordinates[axis][lanes_used]
                step = _step(values, int(values.min()))
                if step > 1:
                    first = int(values.min())
            extent = float((last - first) // step + 1)
        else:
            depth = site.loops.index(axis - LOOP_AXIS)
            seen = np.broadcast_to(site.iterations[depth, executions], active.shape)[active]
            first = int(seen.min())
            # A loop that is left early is seen in fewer iterations than its trip count says, never in more.
            extent = max(site.trips[depth] - first, float(seen.max()) - first + 1.0, 1.0)
        origin += stride * first
        if stride < 0:
            origin += stride * step * (math.ceil(extent) - 1)
        if extent > 1.0:
            axes.append(
                FittedAxis(
                    axis=axis,
                    stride_bytes=abs(stride) * step,
                    slope=stride,
                    step=step,
                    first=first,
                    extent=extent,
                )
            )
    return tuple(axes), origin


def _step(values: NDArray[np.int64], first: int) -> int:
    """Distance between the coordinates that are active (2 where only even threads work)."""
    return max(int(np.gcd.reduce(values - first)), 1)


def _is_irregular(address: NDArray[np.int64], active: NDArray[np.bool_]) -> bool:
    both = active[:, 1:] & active[:, :-1]
    both[:, 31::32] = False
    change = (address[:, 1:] - address[:, :-1])[both]
    if len(change) < 16:
        return False
    return len(np.unique(change)) > _IRREGULAR * len(change)
