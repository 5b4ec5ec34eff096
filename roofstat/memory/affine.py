"""Fit the addresses of a site as an affine function of thread, block and loop coordinates.

Coefficients come from pairs of samples that differ in one coordinate only (adjacent lanes, the same lane of two sampled
blocks, two iterations): the most frequent ratio, pairs counting by the threads that they stand for. So a clamp at a border
or a wrap-around does not spoil the fit. Where no such pair was sampled, pairs that also differ in coordinates whose stride
is known stand in. Coordinates that do not fit stay in the `Core` of the fit: a range of addresses. A core that only
jitters within what the affine part covers anyway (rows of a flattened loop, each a few bytes off) is dropped.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct
from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.fits import (
    BLOCK_AXIS,
    LOOP_AXIS,
    Core,
    Fit,
    FittedAxis,
    SplitIndex,
    WrappedIndex,
)
from roofstat.memory.lane_pairs import LanePairs
from roofstat.memory.progression import build, count_granules
from roofstat.memory.slopes import Slope, common_slope, loop_changes, mixed_slope
from roofstat.memory.split_index import find_period
from roofstat.memory.trend import thread_trend
from roofstat.memory.wrapping import MAX_PLACES, step_within, unit_bytes, wraps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.sites import AccessSite

_EVENTS = 4
"""Executions looked at for the lane coordinates."""
_EXACT = 0.9
"""Least weight of samples that the whole fit must explain."""
_INSIDE = 0.96
"""Weight of the samples whose jitter is looked at; the rest are borders."""
_NEARLY = 1.0 / 64.0
"""Part of a loop's stride by which its iterations may be off where those of the loops inside differ as well."""
_DENSE_ENOUGH = 1.1
"""Jitter is dropped where the sectors grow by less than this when every access is widened by it."""
_WRAPPED = 1.25
"""A stride that would lead this much farther than the addresses that were seen wraps around."""
_MAX_PERIOD = 1 << 48
"""Bytes after which no address begins again: more than there are addresses."""
_MOVES_ON = 0.5
"""A core moves on with a loop where its mean values at the first and the last iteration seen lie this share of its range apart."""
_IRREGULAR = 0.5
"""More distinct differences between adjacent lanes than this share: random, not piecewise affine."""
_SCATTERED = 0.15
_ALONE = 1.001
"""Times its weight in the launch up to which a lane stands for nothing else, rounding apart."""
_COMMONEST = 0.4
"""So are differences with this share of distinct ones of which the most frequent has less than that share (searches)."""


def fit_site(site: AccessSite, pairs: LanePairs) -> Fit:
    """Fit one site."""
    return _SiteFit(site, pairs).fit()


class _SiteFit:
    """The steps of fitting one site, and what they find out."""

    def __init__(self, site: AccessSite, pairs: LanePairs) -> None:
        self._site = site
        self._pairs = pairs
        self._executions = np.flatnonzero(site.active.any(axis=1))
        self._address = site.address[self._executions]
        self._active = site.active[self._executions]
        self._weight = site.weight[self._executions]
        self._lanes_used: NDArray[np.bool_] = np.any(self._active, axis=0)
        self._strides: dict[int, int] = {}
        self._loose: list[int] = []
        """Coordinates whose stride is not the same everywhere."""

    def fit(self) -> Fit:
        """Return the affine function, or the function of as many coordinates as possible and a core."""
        unseen = [axis for axis in range(LOOP_AXIS) if not self._fit_lane_axis(axis)]
        self._fit_loops()
        wrapped = self._wrapped()
        if wrapped is not None and wrapped.split is None:
            return wrapped
        unseen = [axis for axis in unseen if not self._fit_unpaired_axis(axis, unseen)]
        self._guess_strides(unseen)
        residual = self._without(self._strides)
        values, weights = residual[self._active], self._weight[self._active]
        middle = int(np.partition(values, len(values) // 2)[len(values) // 2])
        explained = float(weights[values == middle].sum()) / float(weights.sum())
        if explained >= _EXACT and self._recurs(residual == middle):
            axes, origin = self._extents(self._strides, middle)
            return Fit(origin=origin, axes=axes, core=None)
        is_random = self._site.guess_share > 0.5 or _is_irregular(self._address, self._active)
        if is_random:
            return self._random(values)
        split = self._split() or wrapped
        if split is not None:
            return split
        if self._drop_wrapped():
            values = self._without(self._strides)[self._active]
        return self._dense(values, weights) or self._with_core(
            self._strides, values, tuple(self._loose), is_random=False
        )

    def _wrapped(self) -> Fit | None:
        """A linear index of which the code takes a remainder, where it goes beyond the end of its period.

        One that it divides besides has a split index, too; it is returned where there is no other.
        """
        remainders = self._pairs.remainders(self._site.instruction)
        if not remainders or self._site.guess_share > 0.0:
            return None
        changes = self._changes()
        if changes is None:
            return None
        periods = (item.divisor * item.unit_bytes for item in remainders)
        divided: Fit | None = None
        for period in periods:
            fit = self._wrapped_at(period, changes) if 0 < period <= _MAX_PERIOD else None
            if fit is not None and fit.split is None:
                return fit
            divided = divided or fit
        return divided

    def _changes(self) -> dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
        """For each coordinate that matters, differences of addresses and coordinates of pairs; None where one has none."""
        found = {}
        for axis in range(LOOP_AXIS):
            pairs = self._lane_changes(axis)
            if pairs is not None:
                found[axis] = pairs[:2]
            elif self._pairs.sizes[axis] > 1 and (
                axis < BLOCK_AXIS or self._pairs.is_source(self._site.instruction, axis)
            ):
                return None
        iterations = self._site.iterations[:, self._executions]
        for depth, loop in enumerate(self._site.loops):
            changes = loop_changes(depth, self._address, self._active, iterations)
            if changes is not None:
                found[LOOP_AXIS + loop] = changes
            elif bool((iterations[depth] != iterations[depth].flat[0]).any()):
                return None
        return found

    def _wrapped_at(
        self, period: int, changes: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]]
    ) -> Fit | None:
        """The wrapped index with a period; what steps by more than the period is no part of it."""
        outside = {
            axis: stride
            for axis, stride in self._strides.items()
            if abs(stride) >= period and axis not in self._loose
        }
        steps = {
            axis: step_within(*pairs, period)
            for axis, pairs in changes.items()
            if axis not in outside
        }
        known = {axis: step for axis, step in steps.items() if step is not None}
        address = self._without(outside)
        used = address[self._active]
        lowest = int(used.min())
        if len(known) < len(steps):
            return None
        parts, _ = self._extents({axis: 1 for axis, step in known.items() if step}, 0)
        for part in parts:
            address = address - known[part.axis] * (self._coordinate(part.axis) - part.first)
        places = address[self._active] % period
        if bool((places != places[0]).any()):
            return None
        buffer = self._site.buffer
        base = lowest
        if buffer is not None and not outside and used.max() - period < buffer.base <= lowest:
            base = buffer.base
        split = None
        if int(used.max()) - lowest >= period:
            loops = [axis for axis in known if axis >= LOOP_AXIS]
            split = self._quotient((used - base) // period * period, period, loops)
            if split is None:
                return None
        axes, origin = self._extents(outside, base)
        index = WrappedIndex(
            period_bytes=period,
            start_bytes=(int(places[0]) - base) % period,
            parts=tuple(
                (part.axis, known[part.axis] * part.step % period, part.extent) for part in parts
            ),
        )
        if not wraps(index) or period // unit_bytes(index) > MAX_PLACES:
            return None
        return Fit(origin=origin, axes=axes, core=None, wrapped=index, split=split)

    def _quotient(
        self, whole: NDArray[np.int64], period: int, loops: list[int]
    ) -> SplitIndex | None:
        """Where the linear index of a remainder is divided by a greater number besides: digits between the two lead nowhere.

        Args:
            whole: What addresses are beyond the remainder, in bytes.
            period: Of the remainder, in bytes.
            loops: Axes of the loops that the index depends on.
        """
        sizes = self._pairs.sizes
        if len(loops) > 1 or max(sizes[1], sizes[2], sizes[4], sizes[5]) > 1:
            return None
        steps = {0: 1, BLOCK_AXIS: sizes[0]}
        steps |= dict.fromkeys(loops, sizes[0] * sizes[BLOCK_AXIS])
        index = np.zeros(self._address.shape, dtype=np.int64)
        for axis, step in steps.items():
            index = index + step * self._coordinate(axis)
        seen = index[self._active]
        found = find_period(seen - int(seen.min()), whole, 0, period)
        if found is None:
            return None
        parts, _ = self._extents(dict.fromkeys(steps, 1), 0)
        return SplitIndex(
            inner_bytes=0,
            outer_bytes=found.jump_bytes,
            period=found.length,
            parts=tuple((part.axis, part.extent * part.step) for part in parts),
        )

    def _drop_wrapped(self) -> bool:
        """Give up strides along which the addresses turn back: they reach farther than anything that was seen."""
        used = self._address[self._active]
        seen = int(used.max() - used.min())
        dropped = False
        for axis in sorted(self._strides):
            places = np.broadcast_to(self._coordinate(axis), self._active.shape)[self._active]
            reach = abs(self._strides[axis]) * int(places.max() - places.min())
            if reach > _WRAPPED * max(seen, 1):
                del self._strides[axis]
                dropped = True
        return dropped

    def _recurs(self, lanes: NDArray[np.bool_]) -> bool:
        """Whether what lanes have in common is seen in more than one iteration of every loop that does not fit.

        One iteration in the middle stands for nearly all others; that it agrees with itself says nothing.
        """
        agreeing = lanes & self._active
        for axis in self._loose:
            if axis < LOOP_AXIS:
                continue
            seen = np.broadcast_to(self._coordinate(axis), agreeing.shape)
            if len(distinct(seen[agreeing])) < min(2, len(distinct(seen[self._active]))):
                return False
        return True

    def _split(self) -> Fit | None:
        """A linear index that is divided, where the grid and the blocks have one axis and threads step evenly."""
        sizes = self._pairs.sizes
        if 0 in self._loose or max(sizes[1], sizes[2], sizes[4], sizes[5]) > 1:
            return None
        mine = {0: 1, BLOCK_AXIS: sizes[0]}
        loops = [axis for axis in self._loose if axis >= LOOP_AXIS]
        if len(loops) > 1:
            return None
        mine |= dict.fromkeys(loops, sizes[0] * sizes[BLOCK_AXIS])
        inner = self._strides.get(0, 0)
        rest = {axis: stride for axis, stride in self._strides.items() if axis not in mine}
        index = np.zeros(self._address.shape, dtype=np.int64)
        for axis, step in mine.items():
            index = index + step * self._coordinate(axis)
        # The first index of all is where the first period begins.
        index -= index[self._active].min()
        residual = self._without(rest) - inner * index
        unit = math.gcd(inner, self._site.element_bytes)
        period = find_period(index[self._active], residual[self._active], inner, unit)
        if period is None:
            return None
        values = (residual - period.explained(index))[self._active]
        weights = self._weight[self._active]
        middle = int(np.partition(values, len(values) // 2)[len(values) // 2])
        if float(weights[values == middle].sum()) < _EXACT * float(weights.sum()):
            return None
        axes, origin = self._extents(rest, middle)
        parts, _ = self._extents(dict.fromkeys(mine, 1), 0)
        outer = period.jump_bytes + inner * period.length
        reached = tuple((part.axis, part.extent * part.step) for part in parts)
        count = math.prod(extent for _, extent in reached)
        origin += min(inner, 0) * (min(period.length, math.ceil(count)) - 1)
        origin += min(outer, 0) * (math.ceil(count / period.length) - 1)
        return Fit(
            origin=origin,
            axes=axes,
            core=None,
            split=SplitIndex(
                inner_bytes=inner,
                outer_bytes=outer,
                period=period.length,
                parts=reached,
            ),
        )

    def _random(self, values: NDArray[np.int64]) -> Fit:
        """Addresses that rest on data: a range, perhaps around a trend."""
        trend = thread_trend(self._site, self._pairs, self._executions, values)
        if not trend:
            return self._with_core(self._strides, values, tuple(self._loose), is_random=True)
        values = self._without(trend)[self._active]
        return self._with_core(trend, values, tuple(self._loose), is_random=True)

    def _with_core(
        self,
        strides: dict[int, int],
        values: NDArray[np.int64],
        loose: tuple[int, ...],
        *,
        is_random: bool,
    ) -> Fit:
        axes, origin = self._extents(strides, 0)
        core_axes = loose or tuple(
            axis for axis in range(LOOP_AXIS) if self._pairs.sizes[axis] > 1 and axis not in strides
        )
        low, high = int(values.min()), int(values.max())
        core = Core(
            low=low,
            high=high,
            granule_bytes=int(np.gcd.reduce(values - low)),
            axes=core_axes,
            unseen_factor=self._unseen_factor(core_axes, values),
            is_random=is_random,
        )
        return Fit(origin=origin, axes=axes, core=core)

    def _dense(self, values: NDArray[np.int64], weights: NDArray[np.float64]) -> Fit | None:
        """The affine part alone, where what is left of the addresses makes no difference to the footprint."""
        order = np.argsort(values)
        reached = np.cumsum(weights[order])
        edge = 0.5 * (1.0 - _INSIDE) * reached[-1]
        first = int(np.searchsorted(reached, edge, side="right"))
        last = int(np.searchsorted(reached, reached[-1] - edge))
        low, high = (int(values[order[min(place, len(order) - 1)]]) for place in (first, last))
        inside = np.zeros_like(self._active)
        inside[self._active] = (values >= low) & (values <= high)
        if not self._recurs(inside):
            return None
        axes, origin = self._extents(self._strides, low)
        affine = tuple(sorted((axis.stride_bytes, axis.extent) for axis in axes))
        sizes = [
            count_granules(
                build(self._site.element_bytes + wider, affine, SECTOR_BYTES), [0], SECTOR_BYTES
            )
            for wider in (0, high - low)
        ]
        if sizes[1] > _DENSE_ENOUGH * sizes[0]:
            return None
        return Fit(origin=origin, axes=axes, core=None, jitter_bytes=high - low)

    def _fit_lane_axis(self, axis: int) -> bool:
        """Find the stride along one coordinate; False where no two active lanes differ in it alone."""
        changes = self._lane_changes(axis)
        if changes is None:
            return self._pairs.sizes[axis] <= 1
        self._note(axis, common_slope(*changes))
        return True

    def _lane_changes(
        self, axis: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None:
        """Differences of addresses and coordinates, and weights, of active lanes that differ in one coordinate alone."""
        first, second, step = self._pairs.pairs[axis]
        if not len(first):
            return None
        count = len(self._address)
        some = slice(0, count, max(1, -(-count // _EVENTS)))
        both = self._active[some][:, first] & self._active[some][:, second]
        iterations = self._site.iterations[:, self._executions[some]]
        if iterations.shape[2] > 1:
            both &= (iterations[:, :, first] == iterations[:, :, second]).all(axis=0)
        if not both.any():
            return None
        change = (self._address[some][:, second] - self._address[some][:, first])[both]
        weight = np.minimum(self._weight[some][:, first], self._weight[some][:, second])[both]
        return change, np.broadcast_to(step, both.shape)[both], weight

    def _fit_loops(self) -> None:
        unpaired = []
        iterations = self._site.iterations[:, self._executions]
        for depth, loop in enumerate(self._site.loops):
            changes = loop_changes(depth, self._address, self._active, iterations)
            steps = iterations[depth]
            is_still = not bool((steps != steps.flat[0]).any())
            if changes is None:
                unpaired += [] if is_still else [depth]
                continue
            slope = common_slope(*changes, np.ones(len(changes[0])))
            if slope is not None or not is_still:
                self._note(LOOP_AXIS + loop, slope)
        for depth in unpaired:
            self._fit_unpaired_loop(depth, iterations)

    def _fit_unpaired_loop(self, depth: int, iterations: NDArray[np.int64]) -> None:
        """Find the stride of a loop of which no two iterations were seen at the same ones of those inside.

        What those inside add has to be far less; else nobody knows, and the stride is taken to be 0.
        """
        outer = iterations[: depth + 1]
        changes = loop_changes(depth, self._without(self._strides), self._active, outer)
        if changes is None:
            return
        slope = common_slope(*changes, np.ones(len(changes[0])))
        if slope is None or not slope.stride:
            return
        apart = np.abs(changes[0] - slope.stride * changes[1])
        if bool((apart <= _NEARLY * abs(slope.stride) * changes[1]).all()):
            self._note(LOOP_AXIS + self._site.loops[depth], slope)

    def _fit_unpaired_axis(self, axis: int, unseen: list[int]) -> bool:
        """Find a stride from lanes that differ in other coordinates, too, whose strides are known."""
        others = [
            other
            for other in range(LOOP_AXIS)
            if other != axis
            and (other in self._loose or other in unseen)
            and self._pairs.sizes[other] > 1
        ]
        fullest = int(self._active.sum(axis=1).argmax())
        lanes = np.flatnonzero(self._active[fullest])
        residual = self._without(self._strides)[fullest, lanes]
        slope = mixed_slope(
            residual,
            self._pairs.coordinates[axis][lanes],
            [self._pairs.coordinates[other][lanes] for other in others],
            self._weight[fullest, lanes],
        )
        if slope is None:
            return False
        self._note(axis, slope)
        return True

    def _note(self, axis: int, slope: Slope | None) -> None:
        if slope is None or not slope.is_exact:
            self._loose.append(axis)
        if slope is not None and slope.stride:
            self._strides[axis] = slope.stride

    def _guess_strides(self, unseen: list[int]) -> None:
        """Strides between blocks along grid axes of which the samples show one active position only.

        Blocks are taken to go on where the threads of their axis end, or else where everything inside them ends, if the
        code computes the address from that block coordinate at all.
        """
        sizes = self._pairs.sizes
        for axis in unseen:
            if axis < BLOCK_AXIS or sizes[axis] <= 1 or not self._lanes_used.any():
                continue
            if not self._pairs.is_source(self._site.instruction, axis):
                continue
            inner = self._strides.get(axis - BLOCK_AXIS, 0) * sizes[axis - BLOCK_AXIS]
            if not inner:
                inner = self._site.element_bytes
                for other, stride in self._strides.items():
                    extent = sizes[other] if other < LOOP_AXIS else 1
                    inner += abs(stride) * (extent - 1)
            self._strides[axis] = inner

    def _without(self, strides: dict[int, int]) -> NDArray[np.int64]:
        """Addresses less the affine part, (E, L)."""
        residual = self._address
        for axis, stride in strides.items():
            residual = residual - stride * self._coordinate(axis)
        return residual

    def _coordinate(self, axis: int) -> NDArray[np.int64]:
        if axis < LOOP_AXIS:
            return self._pairs.coordinates[axis]
        depth = self._site.loops.index(axis - LOOP_AXIS)
        result: NDArray[np.int64] = self._site.iterations[depth, self._executions]
        return result

    def _unseen_factor(self, axes: tuple[int, ...], values: NDArray[np.int64]) -> float:
        """The launch over what lies between the outermost sampled blocks or iterations, for the coordinates of a core."""
        factor = 1.0
        for axis in axes:
            if axis >= LOOP_AXIS:
                factor = max(factor, self._unseen_iterations(axis, values))
            elif axis >= BLOCK_AXIS:
                coordinates = self._pairs.coordinates[axis][self._lanes_used]
                span = float(coordinates.max() - coordinates.min() + 1)
                factor = max(factor, self._pairs.sizes[axis] / span)
        return factor

    def _unseen_iterations(self, axis: int, values: NDArray[np.int64]) -> float:
        """The same for the iterations of a loop, where the values of the core move on with them from end to end."""
        seen = self._iterations_seen(axis)
        first, last = int(seen.min()), int(seen.max())
        low, reach = int(values.min()), int(values.max()) - int(values.min())
        if first == last or not reach:
            return 1.0
        ends = [float(values[seen == at].mean() - low) / reach for at in (first, last)]
        if abs(ends[1] - ends[0]) < _MOVES_ON:
            return 1.0
        _, extent = self._loop_extent(axis)
        return extent / (last - first + 1)

    def _extents(
        self, strides: dict[int, int], constant: int
    ) -> tuple[tuple[FittedAxis, ...], int]:
        """Axes with the coordinates that were active, and the lowest address of the affine part."""
        axes = []
        origin = constant
        threads, blocks = self._pairs.used(self._lanes_used)
        for axis, stride in strides.items():
            step = 1
            if axis < BLOCK_AXIS:
                places = self._pairs.axis(axis)
                first, last, step = places.step(places.active(threads))
                extent = float((last - first) // step + 1)
            elif axis < LOOP_AXIS:
                places = self._pairs.axis(axis)
                first, extent = places.extent(places.active(blocks))
            else:
                first, extent = self._loop_extent(axis)
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

    def _loop_extent(self, axis: int) -> tuple[int, float]:
        """First iteration seen, and the number of iterations from there on.

        A loop that is left early is seen in fewer iterations than its trip count says, never in more. Where all that it is
        active in were run (`if (k + 1 < n)` around a load ahead of its use), those are as many as it has.
        """
        depth = self._site.loops.index(axis - LOOP_AXIS)
        seen = self._iterations_seen(axis)
        first = int(seen.min())
        own = float(seen.max()) - first + 1.0
        if self._has_run_all(seen, own):
            return first, own
        return first, max(self._site.trips[depth] - first, own, 1.0)

    def _has_run_all(self, seen: NDArray[np.int64], count: float) -> bool:
        """Whether `count` iterations in a row were seen, each execution standing for its own lanes alone, and are all there are."""
        if len(np.unique(seen)) < count:
            return False
        own = np.broadcast_to(self._pairs.weight, self._active.shape)[self._active]
        weight = self._weight[self._active]
        return bool((weight <= _ALONE * own).all()) and float(weight.sum()) >= (
            self._site.threads / _ALONE
        )

    def _iterations_seen(self, axis: int) -> NDArray[np.int64]:
        """Iteration of each active address."""
        depth = self._site.loops.index(axis - LOOP_AXIS)
        iterations = self._site.iterations[depth, self._executions]
        return np.broadcast_to(iterations, self._active.shape)[self._active]


def _is_irregular(address: NDArray[np.int64], active: NDArray[np.bool_]) -> bool:
    both = active[:, 1:] & active[:, :-1]
    both[:, 31::32] = False
    change = (address[:, 1:] - address[:, :-1])[both]
    if len(change) < 16:
        return False
    changes, counts = np.unique(change, return_counts=True)
    if len(changes) > _IRREGULAR * len(change):
        return True
    return len(changes) > _SCATTERED * len(change) and int(counts.max()) < _COMMONEST * len(change)
