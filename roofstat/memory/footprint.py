"""Unique bytes of a buffer that a part of the launch touches.

A part is a `Level`: so many blocks along each grid axis, with the loops from some depth on run to completion and those
around them standing still. The whole launch is the largest level.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.stored.distinct import distinct
from roofstat.hardware.units import LINE_BYTES, SECTOR_BYTES, WARP_SIZE
from roofstat.memory.coalescing import count_distinct_granules
from roofstat.memory.complements import fresh_shares
from roofstat.memory.fits import BLOCK_AXIS, LOOP_AXIS, Fit, WrappedIndex
from roofstat.memory.permuted_rows import permuted_granules
from roofstat.memory.progression import Progression, build, count_granules, count_runs
from roofstat.memory.records import Direction, FootprintMethod
from roofstat.memory.walks import moving_share
from roofstat.memory.wrapping import reached_granules, unit_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from roofstat.execution.trace import Buffer
    from roofstat.memory.coalescing import Requests
    from roofstat.memory.sites import AccessSite

_FEWEST_PLACES = 16
"""Lanes whose addresses tell the distance of the places that they fall into."""
_FEWEST_DRAWS = 16
"""Sampled requests that tell where in a buffer data fall more often than elsewhere."""
_PARTS = 8
"""Parts of the buffer that are told apart."""
_LEAST_CHI_SQUARE = 24.3
"""Even accesses look this uneven once in a thousand times (chi-square with 7 degrees of freedom)."""
_ALIKE = 0.95
"""Extents this near to each other differ by what a guard cuts off, not by what the sites are for."""
_SEVERAL = 5.0
"""Steps of which a guard may leave out one."""
_SOME_DRAWN = 0.2
"""Share of the places that the program itself has drawn, from which on they tell."""
_GUESSED_RANGE = 0.25
"""Where more than this share of the addresses is guessed, the range that all of them span tells nothing of those known."""
_MOST = 0.5
"""Blocks that touch this share of a buffer leave no room in it for others that do the same."""
_STARTS = 8
"""Places in a granule at which rows are tried to begin."""
_FULL = 0.999
"""A site with this share of the accesses that its shape has leaves none out."""
_EXACTLY = 1.0 - 1e-9
"""Takes off what sums of weights are above a whole number."""
_DENSE = 0.97
"""A region with this share of its granules touched counts as full."""


@dataclass(frozen=True, slots=True)
class Level:
    """A part of the launch."""

    blocks: tuple[float, float, float]
    open_depth: int
    """Loops at this depth and deeper run to completion; those outside stand at one iteration."""
    steps: int = 1
    """Iterations of the innermost of the loops outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledStep:
    """One sampled execution of a site whose addresses fall anywhere."""

    iterations: tuple[float, ...]
    """Of each loop around it, outermost first."""
    share: float
    """Of the threads of all sampled executions."""
    sectors: float
    """Asked for by each thread."""
    places: float
    """Addresses that it may have; infinite where too few lanes tell."""
    lanes: int
    """Whose addresses tell."""

    @property
    def is_told(self) -> bool:
        """Whether there are enough lanes to tell the places: of fewer than there are, gaps are no measure."""
        return self.places <= self.lanes


@dataclass(slots=True, eq=False, kw_only=True)
class ModelledSite:
    """A site with what was found out about it."""

    site: AccessSite
    requests: Requests
    fit: Fit
    block_extents: tuple[float, float, float]
    """Blocks along each grid axis that execute it."""
    scatter: float = 1.0
    """Share of the sectors that a guard leaves over the share of the threads that it leaves; at least 1."""
    is_decided: bool = False
    """Whether its addresses follow from decisions on data (searches), not from data itself (gathers)."""
    is_chased: bool = False
    """Whether its addresses follow from what it or another site has loaded from the same buffer."""
    is_mixed: bool = False
    """Whether bits of what was loaded are cut out or combined for them."""
    hashed_share: float | None = None
    """Share of its accesses that a hash function sends anywhere, the others going on from there; None without one."""
    counters: int | None = None
    """Elements of the shared array from which a part of its addresses comes; None without one."""
    is_beyond: bool = False
    """Whether accesses were seen beyond the end of the buffer: its size is not to be trusted."""
    left_out: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Addresses that sampled threads would reach if no guard kept them from it; none where few are kept."""
    fresh_shares: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    """Memory of `_complemented`, by the number of sites and the granule."""
    shared_with: dict[tuple[int, int], float] = field(default_factory=dict)
    """Memory of `_distinct_share`, by the number of sites and the granule."""
    _fills: bool | None = None
    """Whether it touches so much of its buffer that other blocks have others; None where nobody has asked."""
    _shares: dict[Level, float] = field(default_factory=dict)
    _moving: dict[int, float] = field(default_factory=dict)
    _densities: dict[tuple[int, int], NDArray[np.float64]] = field(default_factory=dict)
    _widths: dict[int, float] = field(default_factory=dict)
    """For granules wider than sectors, how many of them a request touches over the sectors that it touches."""

    def buffers(self, level: Level) -> float:
        """Buffers that the one seen stands for, where a list has one for each coordinate along a grid axis."""
        if self.site.others is None:
            return 1.0
        if self._fills is None:
            whole = Level(self.block_extents, 0)
            self._fills = True  # while it is found out
            alone = buffer_granules([self], None, whole) / self.buffers(whole)
            size = self.site.buffer.size_bytes if self.site.buffer is not None else None
            self._fills = bool(size) and SECTOR_BYTES * alone >= _MOST * (size or 0)
        axis, share = self.site.others
        return max(share * level.blocks[axis], 1.0) if self._fills else 1.0

    @property
    def method(self) -> FootprintMethod:
        """How its footprint is found."""
        if self.fit.core is None:
            return FootprintMethod.AFFINE
        return FootprintMethod.RANDOM if self.fit.core.is_random else FootprintMethod.LATTICE

    @property
    def threads_at_once(self) -> float:
        """Threads that execute it, each counted once."""
        return self.site.threads / math.prod(max(trips, 1.0) for trips in self.site.mean_trips)

    @property
    def walk_bytes(self) -> float:
        """From the first byte that a thread touches to the last, where it steps evenly."""
        steps = (axis for axis in self.fit.axes if axis.axis >= LOOP_AXIS)
        return self.site.element_bytes + sum(
            axis.stride_bytes * (axis.extent - 1.0) for axis in steps
        )

    @property
    def is_spread(self) -> bool:
        """Whether its accesses fall anywhere in the buffer at any time, each alone or the first of a row.

        Walks along pointers that begin at a place of each thread's own stay near it, as in trees of joined pixels.
        """
        core = self.fit.core
        is_walk = self.is_chased and not self.is_mixed
        has_rows = core is not None and core.is_random and self._is_scattered and not is_walk
        return (self.may_be_spread or has_rows) and not self.is_local

    @property
    def walks_rows(self) -> bool:
        """Whether each thread goes along a row of its own: a block that begins where it likes stays there."""
        return bool(self.fit.axes) and all(axis.axis >= LOOP_AXIS for axis in self.fit.axes)

    @property
    def may_be_spread(self) -> bool:
        """The same, if what nobody knows has no locality."""
        core = self.fit.core
        return core is not None and core.is_random and not self.fit.axes

    @property
    def drawn_share(self) -> float:
        """Share of its requests that fall anywhere, where others are known to lie near the thread's own place."""
        is_known = self._is_scattered and self.hashed_share is None and not self.is_mixed
        return self.site.even_share if is_known else 1.0

    @property
    def _is_scattered(self) -> bool:
        """Whether a hash function, mixed bits or the program's own draw send its accesses anywhere."""
        return self.hashed_share is not None or self.is_mixed or self.site.even_share > _SOME_DRAWN

    @property
    def is_local(self) -> bool:
        """Whether it gathers or scatters through data that nobody knows: that has locality, as a rule.

        Of 18 kernels of this kind 14 move the bytes that they touch about once, however large the caches. Atomics,
        searches, walks along pointers and indices that the program itself draws are the exceptions: other index arrays are
        sorted by somebody, lists are not.
        """
        core = self.fit.core
        if core is None or self.site.direction is Direction.ATOMIC:
            return False
        least = 0.5 if core.is_random else _GUESSED_RANGE
        is_free = self.is_decided or self.is_chased or self._is_scattered
        return not is_free and self.site.guess_share > least

    def share(self, level: Level) -> float:
        """Share of the site's executions that one instance of the level holds."""
        known = self._shares.get(level)
        if known is None:
            known = 1.0
            for extent, blocks in zip(self.block_extents, level.blocks, strict=True):
                known *= min(1.0, blocks / extent)
            outside = self.site.mean_trips[: level.open_depth]
            for trips in outside:
                known /= max(trips, 1.0)
            if outside:
                known *= min(float(level.steps), max(outside[-1], 1.0))
            self._shares[level] = known
        return known

    def core_share(self, level: Level) -> float:
        """The same of executions that the affine axes do not lead elsewhere."""
        axes = {axis.axis for axis in self.fit.axes}
        share = 1.0
        for axis in range(3):
            if BLOCK_AXIS + axis not in axes:
                share *= min(1.0, level.blocks[axis] / self.block_extents[axis])
        outside = self.site.loops[: level.open_depth]
        for loop, trips in zip(outside, self.site.mean_trips, strict=False):
            if LOOP_AXIS + loop not in axes:
                share /= max(trips, 1.0)
        return share

    def fresh_share(self, granule: int, row_points: float = 1.0) -> float:
        """Share of the requests that do not go to the granule of the request before, where a walk begins at a hashed place.

        Steps are as far apart as the places that were seen. The rows of an affine axis are one request each.
        """
        if not self.hashed_share or self.fit.core is None:
            return 1.0
        hashed = min(self.hashed_share * row_points, 1.0)
        step = min(max(self.fit.core.granule_bytes, 1) / granule, 1.0)
        return hashed + (1.0 - hashed) * step

    def moving_share(self, granule: int) -> float:
        """Share of the requests of each thread that go to another granule than the one before, as sampled: see `walks`."""
        known = self._moving.get(granule)
        if known is None:
            known = self._moving[granule] = moving_share(self.site, granule)
        return known

    def moving_share_at(self, level: Level, granule: int) -> float:
        """The same at a level, which may hold few iterations of the innermost loop or one: the first one moves on."""
        known = self.moving_share(granule)
        if level.open_depth < len(self.site.loops) or not self.site.loops:
            return known
        first = 1.0 / max(self.site.mean_trips[-1], 1.0)
        if first >= 1.0:
            return known
        moving = (known - first) / (1.0 - first)
        here = max(first, 1.0 / level.steps)
        return here + (1.0 - here) * moving

    def drawn_granules(self, level: Level, granule: int) -> float:
        """Granules asked for at this level that are not those of the request before: of rows each is asked for once."""
        axes = self.axes(level)
        if not axes:
            drawn = min(self.fresh_share(granule), self.moving_share(granule), self.drawn_share)
            return self.sectors(level) * drawn
        # Most threads end sooner than the one that steps farthest.
        row = build(self.site.element_bytes, self.axes(level, self._mean_extent), granule)
        rows = self.site.threads * self.share(level) / row.points
        # Rows begin at any multiple of what their starts are apart.
        apart = math.gcd(self.fit.core.granule_bytes if self.fit.core else 0, granule)
        starts = range(0, granule, max(apart, granule // _STARTS))
        each = sum(count_granules(row, [start], granule) for start in starts) / len(starts)
        drawn = rows * each * self.fresh_share(granule, row.points) * self.drawn_share
        return min(drawn, self.sectors(level) * self.moving_share(granule))

    def sectors(self, level: Level) -> float:
        """Sectors requested by warps at this level."""
        return self.requests.sectors * self.share(level)

    def granules_requested(self, level: Level, granule: int) -> float:
        """Granules requested by warps at this level: fewer than sectors where they are wider and lanes are neighbours."""
        if granule <= SECTOR_BYTES:
            return self.sectors(level) * SECTOR_BYTES / granule
        return self.sectors(level) * self._width(granule)

    @property
    def lines_per_request(self) -> float:
        """Lines of L1 that a warp touches."""
        return self.requests.sectors_per_request * self._width(LINE_BYTES)

    def _width(self, granule: int) -> float:
        share = self._widths.get(granule)
        if share is None:
            counts = [
                float((count_distinct_granules(self.site, size) * self.site.warp_weight).sum())
                for size in (SECTOR_BYTES, granule)
            ]
            share = counts[1] / counts[0] if counts[0] > 0.0 else 1.0
            self._widths[granule] = share
        return share

    def sampled_steps(self) -> list[SampledStep]:
        """How many places the addresses of each sampled execution may have.

        The steps of a search reach ever more places: each looks between those that the steps before have looked at.
        """
        site = self.site
        total = float(site.weight.sum()) or 1.0
        sectors = count_distinct_granules(site, SECTOR_BYTES) * site.warp_weight
        found = []
        for event, (address, active) in enumerate(zip(site.address, site.active, strict=True)):
            used = address[active]
            weight = float(site.weight[event].sum())
            if not weight:
                continue  # a sample that stands for no thread
            count = math.inf
            if len(used) >= _FEWEST_PLACES:
                low = int(used.min())
                distance = max(int(np.gcd.reduce(used - low)), 1)
                count = (int(used.max()) - low) / distance + 1.0
            found.append(
                SampledStep(
                    iterations=tuple(float(turn[event].mean()) for turn in site.iterations),
                    share=weight / total,
                    sectors=float(sectors[event].sum()) / weight,
                    places=count,
                    lanes=len(used),
                )
            )
        return found

    def density(self, low: int, high: int) -> NDArray[np.float64]:
        """Share of the accesses in each equal part of [low, high), as sampled.

        Even for searches, and where the sampled requests might come from even accesses: lanes of a warp may share one draw. Even too
        within windows that follow the thread: then the sample shows where its own threads are.
        """
        known = self._densities.get((low, high))
        if known is None:
            known = self._densities[low, high] = self._density(low, high)
        return known

    def _density(self, low: int, high: int) -> NDArray[np.float64]:
        even = np.full(_PARTS, 1.0 / _PARTS)
        active = self.site.active
        draws = self._draws()
        core = self.fit.core
        steps = (axis for axis in self.fit.axes if axis.axis < LOOP_AXIS)
        followed = sum(abs(axis.stride_bytes) * (axis.extent - 1.0) for axis in steps)
        is_window = core is not None and followed > core.high - core.low
        if is_window or self.is_decided or self.is_chased or draws < _FEWEST_DRAWS or high <= low:
            return even
        counted, _ = np.histogram(
            self.site.address[active], _PARTS, (low, high), weights=self.site.weight[active]
        )
        total = float(counted.sum())
        if total <= 0.0:
            return even
        found = draws * counted / total
        expected = draws / _PARTS
        if float(((found - expected) ** 2).sum()) / expected < _LEAST_CHI_SQUARE:
            return even
        shares: NDArray[np.float64] = (found + 1.0) / (draws + _PARTS)
        return shares

    def _draws(self) -> float:
        """Sampled requests of which each may go anywhere: warps side by side and iterations that go over one drawn row are one.

        Rows that stand for more than others count as so many that stand for the same.
        """
        site = self.site
        row = sum(abs(axis.stride_bytes) * (axis.extent - 1.0) for axis in self.fit.axes)
        warps = site.active.reshape(len(site.active), -1, WARP_SIZE)
        asked: NDArray[np.bool_] = np.any(warps, axis=2)
        if row < SECTOR_BYTES:
            return float(asked.sum())
        lanes = warps.argmax(axis=2)[..., None]
        first = np.take_along_axis(site.address.reshape(warps.shape), lanes, axis=2)[..., 0]
        rows = first // int(row + site.element_bytes)
        drawn: dict[tuple[int, int], float] = {}
        for event in range(len(rows)):
            begin, last = 0, -1
            for place in np.flatnonzero(asked[event]).tolist():
                own = int(rows[event, place])
                if own != last:
                    begin, last = place, own
                weight = float(site.warp_weight[event, place])
                drawn[begin, own] = drawn.get((begin, own), 0.0) + weight
        total = sum(drawn.values())
        return total**2 / sum(weight**2 for weight in drawn.values()) if total else 0.0

    def _mean_extent(self, axis: int, extent: float) -> float:
        if axis < LOOP_AXIS:
            return extent
        return min(extent, self.site.mean_trips[self.site.loops.index(axis - LOOP_AXIS)])

    def axes(
        self, level: Level, reach: Callable[[int, float], float] = lambda _, extent: extent
    ) -> tuple[tuple[int, float], ...]:
        """(stride, extent) of the affine axes at this level.

        Args:
            level: Part of the launch.
            reach: How much of the extent of an axis counts.
        """
        result = []
        for axis in self.fit.axes:
            extent = self.extent_at(axis.axis, reach(axis.axis, axis.extent), level)
            if extent > 1.0:
                result.append((axis.stride_bytes, extent))
        split = self.fit.split
        if split is not None:
            count = math.prod(self.extent_at(axis, extent, level) for axis, extent in split.parts)
            for stride, extent in (
                (abs(split.inner_bytes), min(count, float(split.period))),
                (abs(split.outer_bytes), count / split.period),
            ):
                if stride and extent > 1.0:
                    result.append((stride, extent))
        return tuple(sorted(result))

    def extent_at(self, axis: int, extent: float, level: Level) -> float:
        """What a level holds of the extent of an axis."""
        if axis >= LOOP_AXIS:
            depth = self.site.loops.index(axis - LOOP_AXIS)
            if depth == level.open_depth - 1:
                return min(extent, float(level.steps))
            return 1.0 if depth < level.open_depth else extent
        return min(extent, level.blocks[axis - 3]) if axis >= 3 else extent


@dataclass(frozen=True, slots=True)
class _Region:
    """A range of granules of which some are touched."""

    low: float
    high: float
    granules: float
    is_random: bool
    pattern: int
    """Distance of its elements; regions of one pattern lie within each other, others are independent."""


def buffer_granules(
    sites: list[ModelledSite], buffer: Buffer | None, level: Level, granule: int = SECTOR_BYTES
) -> float:
    """Return how many granules of `granule` bytes these sites of one buffer touch at a level."""
    affine: list[_AlikeSites] = []
    regions: list[_Region] = []
    lattice: list[ModelledSite] = []
    random: list[ModelledSite] = []
    for site in sites:
        axes = site.axes(level)
        core = site.fit.core
        if site.fit.wrapped is not None:
            regions.append(_wrapped_region(site, site.fit.wrapped, level, granule))
        elif core is None:
            _join(affine, site, axes)
        elif core.is_random:
            random.append(site)
        else:
            lattice.append(site)
    regions.extend(_random_regions(random, buffer, level, granule))
    if lattice:
        region = _lattice_region(lattice, buffer, level, granule)
        if granule > SECTOR_BYTES:
            of_sectors = _lattice_region(lattice, buffer, level, SECTOR_BYTES)
            region = _holding(region, of_sectors, granule)
        regions.append(region)
    regions.extend(_affine_regions(affine, level, granule))
    total = regions[0].granules if len(regions) == 1 else _union(regions)
    if buffer is not None and buffer.size_bytes and not any(s.is_beyond for s in sites):
        total = min(total, math.ceil(buffer.size_bytes / granule))
    total *= max(site.buffers(level) for site in sites)
    if granule >= SECTOR_BYTES and not level.open_depth:
        # The box around a triangle holds more than anybody asks for.
        asked = sum(site.sectors(level) for site in sites)
        total = min(total, max(math.ceil(asked * _EXACTLY), 1))
    return total


@dataclass(slots=True, eq=False)
class _AlikeSites:
    """Affine sites that step alike, about as far: a guard at the end of the data may leave out steps of some."""

    element_bytes: int
    axes: tuple[tuple[int, float], ...]
    members: list[ModelledSite]


def _join(
    groups: list[_AlikeSites], site: ModelledSite, axes: tuple[tuple[int, float], ...]
) -> None:
    """Put a site to those that step alike, the widest extents of which count for all."""
    for group in groups:
        if group.element_bytes != site.site.element_bytes or len(group.axes) != len(axes):
            continue
        pairs = list(zip(group.axes, axes, strict=True))
        if all(known[0] == own[0] and _are_alike(known[1], own[1]) for known, own in pairs):
            group.axes = tuple((known[0], max(known[1], own[1])) for known, own in pairs)
            group.members.append(site)
            return
    groups.append(_AlikeSites(site.site.element_bytes, axes, [site]))


def _are_alike(one: float, two: float) -> bool:
    """Whether extents differ by no more than what a guard cuts off: a few steps in a hundred, or one of several."""
    fewer, more = sorted((one, two))
    return fewer >= _ALIKE * more or (more - fewer <= 1.0 and fewer >= _SEVERAL)


def _affine_regions(groups: list[_AlikeSites], level: Level, granule: int) -> list[_Region]:
    """What affine sites touch; those whose runs repeat together, each beside the others, as one region.

    A first tile that is loaded before a loop and the next ones that it loads are such runs.
    """
    repeated: dict[tuple[tuple[int, float], ...], list[tuple[_AlikeSites, Progression]]] = {}
    for group in groups:
        shape = build(group.element_bytes, group.axes, granule)
        repeated.setdefault(shape.levels, []).append((group, shape))
    found: list[_Region] = []
    for levels, parts in repeated.items():
        regions = [_group_region(group, shape, level, granule) for group, shape in parts]
        if levels and len(parts) > 1 and all(_is_full(*part, level) for part in parts):
            runs = [
                (member.fit.origin, shape.run_bytes)
                for group, shape in parts
                for member in group.members
            ]
            touched = count_runs(levels, runs, granule)
            if touched is not None:
                low, high = min(part.low for part in regions), max(part.high for part in regions)
                regions = [replace(regions[0], low=low, high=high, granules=touched)]
        found += regions
    return found


def _group_region(group: _AlikeSites, shape: Progression, level: Level, granule: int) -> _Region:
    region = _affine_region(group.members, shape, level, granule)
    if granule <= SECTOR_BYTES or len(group.members) == 1 or _is_full(group, shape, level):
        return region
    in_sectors = build(group.element_bytes, group.axes, SECTOR_BYTES)
    of_sectors = _affine_region(group.members, in_sectors, level, SECTOR_BYTES)
    return _holding(region, of_sectors, granule)


def _holding(region: _Region, of_sectors: _Region, granule: int) -> _Region:
    """A region of granules wider than sectors that holds all that sectors do: what one site leaves out of each, others fill."""
    least = of_sectors.granules * SECTOR_BYTES / granule
    return replace(region, granules=max(region.granules, least))


def _is_full(group: _AlikeSites, shape: Progression, level: Level) -> bool:
    """Whether each site of a group reaches all elements of its shape."""
    return all(
        member.site.threads * member.share(level) * member.scatter >= _FULL * shape.points
        for member in group.members
    )


def _affine_region(
    members: list[ModelledSite], shape: Progression, level: Level, granule: int
) -> _Region:
    by_offset: dict[int, float] = {}
    for member in members:
        filled = member.site.threads * member.share(level) / shape.points * member.scatter
        by_offset[member.fit.origin] = by_offset.get(member.fit.origin, 0.0) + filled
    offsets = list(by_offset)
    touched = count_granules(shape, offsets, granule)
    filled = max(by_offset.values())
    low = min(offsets) / granule
    high = (max(offsets) + shape.span_bytes) / granule
    if filled < _FULL:
        together = _complemented(members, by_offset, count_granules(shape, [0], granule), granule)
        most = touched
        if touched > _DENSE * (high - low):
            # The part that is left out lies at the end of each member, where the next one begins.
            high -= shape.span_bytes * (1.0 - filled) / granule
            each = count_granules(shape, [0], granule) * filled
            touched = min(len(offsets) * each, high - low)
        else:
            touched *= filled
        touched = max(touched, min(together, most), 1.0)
        high = max(high, low + touched)
    return _Region(
        low, high, touched, is_random=False, pattern=shape.levels[0][0] if shape.levels else 0
    )


def _complemented(
    members: list[ModelledSite], by_offset: dict[int, float], each: float, granule: int
) -> float:
    """What members touch together by what guards leave of them, as far as the sample tells; else 0.

    Args:
        members: Sites that step alike.
        by_offset: Share of its elements that a site leaves, by where it begins.
        each: Granules of one of them without a guard.
        granule: Bytes.
    """
    if len(by_offset) < 2 or all(len(member.left_out) == 0 for member in members):
        return 0.0
    key = (len(members), granule)
    first = members[0]
    known = first.fresh_shares.get(key)
    ascending = sorted(by_offset)
    if known is None:
        addresses = []
        for offset in ascending:
            part = [m for m in members if m.fit.origin == offset]
            touched = [m.site.address[m.site.active] for m in part]
            addresses.append((touched, [m.left_out for m in part]))
        known = fresh_shares(addresses, granule)
        if known is None:
            # Of the others, the sample may have the threads that the first ones would tell of.
            known = (fresh_shares(addresses[::-1], granule) or [])[::-1]
        first.fresh_shares[key] = known
    shares = zip(ascending, known, strict=False)
    return sum(min(by_offset[offset], 1.0) * each * fresh for offset, fresh in shares)


def _wrapped_region(site: ModelledSite, index: WrappedIndex, level: Level, granule: int) -> _Region:
    steps = tuple((step, site.extent_at(axis, extent, level)) for axis, step, extent in index.parts)
    granules, elements = reached_granules(
        site.site.element_bytes,
        index.period_bytes,
        index.start_bytes,
        steps,
        site.fit.origin % granule,
        granule,
    )
    axes = site.axes(level)
    copies = math.prod(extent for _, extent in axes)
    executions = site.site.threads * site.share(level) * site.scatter
    # A guard leaves fewer executions, which matters only where they are fewer than the places.
    touched = copies * granules * min(1.0, executions / (copies * elements))
    low = site.fit.origin / granule
    span = index.period_bytes + sum(stride * (extent - 1.0) for stride, extent in axes)
    return _Region(
        low,
        low + span / granule,
        max(touched, 1.0),
        is_random=False,
        pattern=unit_bytes(index),
    )


def _core_region(
    site: ModelledSite,
    buffer: Buffer | None,
    axes: tuple[tuple[int, float], ...],
    level: Level,
    granule: int,
) -> _Region:
    core = site.fit.core
    if core is None:
        raise ValueError("only fits with a core have a core region")
    low = site.fit.origin + core.low
    high = site.fit.origin + core.high + site.site.element_bytes
    high += int(sum(stride * (extent - 1.0) for stride, extent in axes))
    if core.is_random and (buffer is None or not buffer.size_bytes or buffer.size_is_assumed):
        # Nobody knows how far the data reaches: what a thread walks over, for each thread, is as good a guess as any.
        high = low + min(high - low, int(site.threads_at_once * site.walk_bytes) + 1)
    if buffer is not None and not site.is_beyond:
        end = buffer.base + (buffer.size_bytes or high - buffer.base)
        if core.is_random and buffer.size_bytes and (high - low) > 0.5 * buffer.size_bytes:
            low, high = buffer.base, end
        elif buffer.size_bytes and not buffer.size_is_assumed:
            beyond = int((high - low) * (core.unseen_factor - 1.0))
            low, high = low - beyond, high + beyond
        low, high = max(low, buffer.base), min(max(high, low + 1), max(end, low + 1))
    spacing = math.gcd(core.granule_bytes, *(stride for stride, _ in axes))
    places = max((high - low) / max(spacing, granule), 1.0)
    # A thread asks for nothing new with steps inside of a granule.
    moving = site.moving_share_at(level, granule)
    requested = max(site.granules_requested(level, granule) * moving, 1.0)
    # Where granules are finer than elements, a place is several of them.
    per_place = max(1.0, min(site.site.element_bytes, max(spacing, granule)) / granule)
    if core.is_random:
        if site.walks_rows:
            requested = min(requested, max(site.drawn_granules(level, granule), 1.0))
        shares = site.density(low, high)
        each = places / len(shares)
        # What has the locality of gathers touches in each part of the launch its share of what it touches in all.
        part = site.share(level) if site.is_local else 1.0
        touched = (
            per_place * each * float(-np.expm1(-requested / part * shares / each).sum()) * part
        )
        if core.high - core.low <= LINE_BYTES:
            # Next to each other or one further, as data decide: the even steps lead to as many as without.
            shape = build(site.site.element_bytes, axes, granule)
            filled = min(1.0, site.site.threads * site.share(level) / shape.points)
            walked = count_granules(shape, [0], granule) * filled
            touched = max(touched, min(walked, requested, per_place * places))
    else:
        width = max(site.site.element_bytes, min(spacing, granule))
        accessed = site.site.threads * site.share(level) * width / granule
        brought = requested
        # Between no gaps at all and requests of the launch that fall anywhere; parts of the launch touch their share.
        share = site.core_share(level)
        scattered = (
            -per_place * places * math.expm1(-brought / share / (per_place * places)) * share
        )
        touched = min(per_place * places, brought, max(accessed, scattered, 1.0))
        # However often it is walked, the core shifts the affine part to no more places than it has.
        shifts = (core.high - core.low) / max(
            core.granule_bytes, granule
        ) * core.unseen_factor + 1.0
        shape = build(site.site.element_bytes, axes, granule)
        walked = count_granules(shape, [0], granule)
        touched = min(touched, shifts * walked)
        # The even steps alone lead to so many, as far as they are taken.
        filled = min(1.0, site.site.threads * site.share(level) / shape.points)
        touched = max(touched, min(walked * filled, brought, per_place * places))
    return _Region(low / granule, high / granule, touched, core.is_random, pattern=spacing)


def _random_regions(
    sites: list[ModelledSite], buffer: Buffer | None, level: Level, granule: int
) -> list[_Region]:
    """What sites touch whose addresses fall anywhere: neighbours behind one unknown index fall there together."""
    once = permuted_granules(sites, buffer, level, granule)
    if once is not None and buffer is not None and buffer.size_bytes:
        low, high = buffer.base / granule, (buffer.base + buffer.size_bytes) / granule
        return [_Region(low, high, once, is_random=True, pattern=granule)]
    regions = [_core_region(site, buffer, site.axes(level), level, granule) for site in sites]
    if len(regions) < 2:
        return regions
    places = max(region.high for region in regions) - min(region.low for region in regions)
    apart = _apart_share(sites, max(places, 1.0), granule)
    return [_thinned(region, apart) for region in regions] if apart < 1.0 else regions


def _thinned(region: _Region, share: float) -> _Region:
    """A random region with a share of its requests."""
    span = max(region.high - region.low, 1.0)
    density = min(region.granules / span, 1.0)
    left = 1.0 - (1.0 - density) ** share
    return replace(region, granules=max(left * span, 1.0))


def _apart_share(sites: list[ModelledSite], places: float, granule: int) -> float:
    """Share of the requests of random sites that others do not repeat.

    Told from the sample: its distinct granules stand for so many independent requests, of which there were so many.
    """
    first = sites[0]
    known = first.shared_with.get((len(sites), granule))
    if known is None:
        touched = [distinct(s.site.address[s.site.active] // granule) for s in sites]
        count = len(distinct(np.concatenate(touched)))
        requested = -sum(places * math.log1p(-min(len(part) / places, _DENSE)) for part in touched)
        found = -places * math.log1p(-min(count / places, _DENSE))
        known = min(found / requested, 1.0) if requested > 0.0 else 1.0
        first.shared_with[len(sites), granule] = known
    return known


def _lattice_region(
    sites: list[ModelledSite], buffer: Buffer | None, level: Level, granule: int
) -> _Region:
    """Union of sites whose addresses are no affine functions: what they share is taken from the sampled lanes."""
    parts = [_core_region(s, buffer, s.axes(level), level, granule) for s in sites]
    if len(parts) == 1:
        return parts[0]
    low = min(part.low for part in parts)
    high = max(part.high for part in parts)
    total = sum(part.granules for part in parts) * _distinct_share(sites, granule)
    most = max(part.granules for part in parts)
    touched = max(most, min(total, high - low))
    return _Region(low, high, touched, is_random=False, pattern=parts[0].pattern)


def _distinct_share(sites: list[ModelledSite], granule: int) -> float:
    """Distinct granules that all sites together touch in the sample, over the sum of those of each."""
    first = sites[0]
    # Parts of elements are never touched alone.
    unit = max(granule, min(SECTOR_BYTES, *(s.site.element_bytes for s in sites)))
    known = first.shared_with.get((len(sites), unit))
    if known is None:
        touched = [distinct(s.site.address[s.site.active] // unit) for s in sites]
        known = len(distinct(np.concatenate(touched))) / sum(len(part) for part in touched)
        first.shared_with[len(sites), unit] = known
    return known


def _union(regions: list[_Region]) -> float:
    """Granules of the union: ranges that overlap share what they cover, as far as their patterns are alike."""
    cuts = sorted({edge for region in regions for edge in (region.low, region.high)})
    total = 0.0
    for start, end in itertools.pairwise(cuts):
        nested: dict[int, float] = {}
        free = 1.0
        for region in regions:
            if region.low <= start and region.high >= end:
                density = min(1.0, region.granules / max(region.high - region.low, 1.0))
                if region.is_random:
                    free *= 1.0 - density
                else:
                    nested[region.pattern] = max(nested.get(region.pattern, 0.0), density)
        if max(nested.values(), default=0.0) > _DENSE:
            free = 0.0
        for density in nested.values():
            free *= 1.0 - density
        total += (1.0 - free) * (end - start)
    return max(total, *(region.granules for region in regions))


def site_footprint_bytes(site: ModelledSite, whole: Level) -> float:
    """Unique bytes of one site in the whole launch, in whole sectors."""
    return SECTOR_BYTES * buffer_granules([site], site.site.buffer, whole)
