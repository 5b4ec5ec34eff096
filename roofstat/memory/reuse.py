"""What a cache of a given size lets through, from footprints of nested parts of the execution.

Execution is a tree: the launch is waves of blocks, a wave runs loops, an iteration of a loop runs straight code and further
loops. Reuse between two iterations of a loop has about the footprint of one iteration as its reuse distance; so has reuse
between the parts of one iteration. Where that fits into the cache, only new bytes miss; where it does not, each part and
each iteration misses on its own.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.bursts import NO_BURSTS
from roofstat.memory.footprint import Level, ModelledSite, buffer_granules
from roofstat.memory.records import Direction
from roofstat.memory.searches import draws_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roofstat.execution.trace import Buffer
    from roofstat.memory.bursts import Bursts

_HALVINGS = 40

Path = tuple[int, ...]
"""Numbers of nested loops, outermost first: the loop that is meant stands last; empty for the whole block."""


class Part(Enum):
    """Which sites of a buffer are meant."""

    READS = "reads"
    WRITES = "writes"
    ALL = "all"


@dataclass(slots=True, eq=False, kw_only=True)
class BufferSites:
    """The sites that touch one buffer."""

    buffer: Buffer | None
    reads: list[ModelledSite]
    writes: list[ModelledSite]
    """Stores and atomics."""
    _known: dict[tuple[Part, Level, int, Path], float] = field(default_factory=dict)

    def sites(self, part: Part, path: Path = ()) -> list[ModelledSite]:
        """Sites of one direction, or all, inside a loop."""
        if part is Part.READS:
            found = self.reads
        else:
            found = self.writes if part is Part.WRITES else self.reads + self.writes
        if not path:
            return found
        depth = len(path)
        return [site for site in found if site.site.loops[:depth] == path]

    @property
    def atomics(self) -> list[ModelledSite]:
        """Only the atomics."""
        return [s for s in self.writes if s.site.direction is Direction.ATOMIC]

    def blocks(self, part: Part, level: Level) -> float:
        """Blocks of a level that execute any of the sites."""
        return math.prod(
            min(blocks, max(site.block_extents[axis] for site in self.sites(part)))
            for axis, blocks in enumerate(level.blocks)
        )

    def granules(
        self, part: Part, level: Level, granule: int = SECTOR_BYTES, path: Path = ()
    ) -> float:
        """Unique granules that the sites inside a loop touch at a level; 0 without sites."""
        key = (part, level, granule, path)
        known = self._known.get(key)
        if known is None:
            sites = self.sites(part, path)
            known = buffer_granules(sites, self.buffer, level, granule) if sites else 0.0
            self._known[key] = known
        return known


def group_by_buffer(sites: list[ModelledSite]) -> list[BufferSites]:
    """Group sites by buffer; sites on unknown buffers by the name of their array."""
    groups: dict[object, BufferSites] = {}
    for site in sites:
        buffer = site.site.buffer
        key = buffer.number if buffer is not None else site.site.array
        group = groups.setdefault(key, BufferSites(buffer=buffer, reads=[], writes=[]))
        (group.reads if site.site.direction is Direction.READ else group.writes).append(site)
    return list(groups.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """A cache as the reuse model sees it."""

    capacity_bytes: float
    lost_at: float
    """Multiple of the capacity at which a working set has lost all reuse."""
    granule_bytes: int = SECTOR_BYTES
    """What a resident datum occupies."""
    fetch_bytes: int = SECTOR_BYTES
    """What a miss brings in."""

    def hit_share(self, working_set_bytes: float) -> float:
        """Share of reuse that survives: 1 while the working set fits, falling to 0 at `lost_at` times the capacity."""
        if working_set_bytes <= self.capacity_bytes:
            return 1.0
        excess = working_set_bytes / max(self.capacity_bytes, 1.0) - 1.0
        return max(0.0, 1.0 - excess / (self.lost_at - 1.0))


class ReuseModel:
    """What the blocks that share a cache fetch, in units of `Cache.fetch_bytes`.

    Args:
        groups: All sites.
        occupants: Which of them allocate in the cache.
        copies: For each group, how many blocks hold a footprint of their own at the same time.
        blocks: Blocks that run together, along each axis.
        cache: What they share.
        bursts: Iterations of loops whose loads each warp issues together.
        later_copies: As `copies`, between blocks that run together and those of later waves; the same where not given.
    """

    def __init__(
        self,
        groups: Sequence[BufferSites],
        occupants: Part,
        copies: Sequence[float],
        blocks: tuple[float, float, float],
        cache: Cache,
        bursts: Bursts = NO_BURSTS,
        later_copies: Sequence[float] | None = None,
    ) -> None:
        self._groups = groups
        self._occupants = occupants
        self._copies = copies
        self._later_copies = copies if later_copies is None else later_copies
        self._blocks = blocks
        self._cache = cache
        self._bursts = bursts
        self._hits: dict[Path, float] = {}
        self._hits_of: ReuseModel | None = None
        """The model of all blocks that share the cache, where this one is of some of them."""
        self._single: ReuseModel | None = None

    def hit(self, path: Path = ()) -> float:
        """Share of reuse that survives one iteration of a loop (one run of the blocks for the empty path)."""
        if self._hits_of is not None:
            return self._hits_of.hit(path)
        known = self._hits.get(path)
        if known is None:
            known = self._cache.hit_share(self.working_set_bytes(self._level(path), path))
            self._hits[path] = known
        return known

    def _hit_between(self, path: Path, loops: Sequence[int]) -> float:
        """Share of reuse that survives from one loop to the next one that touches the same buffer.

        What lies between two uses of a datum is, on average, half of the loop that it comes from, half of the loop that
        it is used in again, and all of the loops between those.
        """
        if self._hits_of is not None:
            return self._hits_of._hit_between(path, loops)
        level = self._level(path)
        everything = self.working_set_bytes(level, path)
        if everything <= self._cache.capacity_bytes:
            return 1.0
        depth = len(path)
        all_loops = sorted(
            {
                site.site.loops[depth]
                for group in self._groups
                for site in group.sites(self._occupants, path)
                if len(site.site.loops) > depth
            }
        )
        sizes = {loop: self.working_set_bytes(level, (*path, loop)) for loop in all_loops}
        hits = []
        for one, two in itertools.pairwise(loops):
            between = sum(sizes[loop] for loop in all_loops if one < loop < two)
            distance = between + 0.5 * (sizes.get(one, 0.0) + sizes.get(two, 0.0))
            hits.append(self._cache.hit_share(min(distance, everything)))
        return sum(hits) / len(hits)

    def working_set_bytes(self, level: Level, path: Path = ()) -> float:
        """Unique bytes that the sites inside a loop touch at a level, all buffers together."""
        return self._occupied_bytes(self._copies, level, path)

    def _occupied_bytes(self, copies: Sequence[float], level: Level, path: Path = ()) -> float:
        size = self._cache.granule_bytes
        return size * sum(
            held * group.granules(self._occupants, level, size, path)
            for held, group in zip(copies, self._groups, strict=True)
        )

    def misses(self, group: BufferSites, part: Part) -> float:
        """Fetches while the blocks run once."""
        return self._iteration(group, part, ())

    def misses_of_launch(
        self, group: BufferSites, part: Part, levels: Sequence[Level], drift: float = 0.0
    ) -> float:
        """Fetches while waves of such blocks fill `levels`, the first being one wave.

        Args:
            group: The buffer.
            part: Which of its accesses.
            levels: Parts of the launch.
            drift: How far blocks of a wave are from running in step: 0 for in step, 1 for spread evenly over their run.
        """
        value = self.misses(group, part)
        if drift > 0.0 and group.sites(part):
            apart = max(self._misses_adrift(group, part, levels), value)
            if value > 0.0:
                value *= math.pow(apart / value, drift)
        for inner, outer in itertools.pairwise(levels):
            hit = self._cache.hit_share(self._occupied_bytes(self._later_copies, inner))
            value = self._repeat(group, part, (), (inner, outer), (value, hit))
        return value

    def _misses_adrift(self, group: BufferSites, part: Part, levels: Sequence[Level]) -> float:
        """Fetches of one wave whose blocks run one after another as far as sharing goes.

        Of what a block touches, it finds in the cache what the blocks before it have touched, as many as the cache holds:
        what is new to a window of blocks of that footprint it fetches.
        """
        fetch = self._cache.fetch_bytes
        wave = levels[0].blocks
        count = group.blocks(part, levels[0])
        alone = self._alone()
        own = group.granules(part, Level(alone._blocks, 0), fetch)
        repeats = alone.misses(group, part) / own if own > 0.0 else 1.0
        windows = [Level(blocks, 0) for blocks in _windows(levels[-1].blocks, wave)]
        fresh = own
        for window, wider in itertools.pairwise(windows):
            fresh = (group.granules(part, wider, fetch) - group.granules(part, window, fetch)) / (
                math.prod(wider.blocks) - math.prod(window.blocks)
            )
            if self.working_set_bytes(wider) >= self._cache.capacity_bytes:
                break
        least = group.granules(part, levels[0], fetch) / count
        # What a block touches after more than the cache holds it finds no more, whoever has touched it.
        kept = self._cache.hit_share(self.working_set_bytes(windows[0]))
        new = kept * min(max(fresh, least), own) + (1.0 - kept) * own
        return count * max(repeats, 1.0) * new

    def _alone(self) -> ReuseModel:
        """One block, beside the others."""
        if self._single is None:
            single = ReuseModel(
                self._groups,
                self._occupants,
                self._copies,
                (1.0, 1.0, 1.0),
                self._cache,
                self._bursts,
            )
            single._hits_of = self
            self._single = single
        return self._single

    def misses_at_random(
        self, group: BufferSites, part: Part, requested: float, whole: Level
    ) -> float:
        """Fetches of accesses that fall anywhere in the buffer at any time.

        A granule is still there if it was asked for while what has come since fits into the cache. How many requests that
        are follows from what they bring in (the characteristic time of Che's approximation of a cache that replaces what
        was used least recently).

        Args:
            group: The buffer.
            part: Which of its accesses.
            requested: Sectors that they ask for in the launch.
            whole: The launch.
        """
        fetch, line = self._cache.fetch_bytes, self._cache.granule_bytes
        own = group.granules(part, whole, fetch)
        if requested <= own:
            return own
        sites = group.sites(part)
        draws = draws_of(sites, own)
        rooms = draws if line == fetch else draws_of(sites, group.granules(part, whole, line))
        # Requests for one row that lie in one line find room there together.
        together = _drawn(sites, whole, line) / max(_drawn(sites, whole, fetch), 1.0)
        room = line * self._copies[self._groups.index(group)]
        rest = max(self.working_set_bytes(whole) - room * float(rooms.places.sum()), 0.0)

        def held_bytes(requests: float) -> float:
            lines = requests * min(together, 1.0)
            return room * rooms.seen(lines) + rest * requests / requested

        lasting = _largest(held_bytes, self._cache.capacity_bytes, requested)
        asked_again = np.maximum(requested * draws.fresh_shares - draws.places, 0.0)
        return own + float(asked_again @ draws.absent(lasting))

    def _level(self, path: Path) -> Level:
        return Level(self._blocks, len(path))

    def _iteration(self, group: BufferSites, part: Part, path: Path) -> float:
        """Misses in one iteration of a loop: of its straight code, and of the loops in it."""
        depth = len(path)
        inside = group.sites(part, path)
        loops = {s.site.loops[depth] for s in inside if len(s.site.loops) > depth}
        level = self._level(path)
        in_turn = sorted(loops)
        pieces = [self._loop(group, part, (*path, loop)) for loop in in_turn]
        straight = [s for s in inside if len(s.site.loops) == depth]
        if len(pieces) > 1:
            looping = [s for s in inside if len(s.site.loops) > depth]
            is_burst = bool(path) and path[-1] in self._bursts.straight
            hit = 1.0 if is_burst else self._hit_between(path, in_turn)
            touched = self._touched(group, part, path, None if not straight else looping)
            each = [
                self._touched(
                    group, part, path, [s for s in looping if s.site.loops[depth] == loop]
                )
                for loop in in_turn
            ]
            pieces = [_joined(hit, touched, each, pieces)]
        if not straight:
            return pieces[0]
        touched = self._touched(group, part, path, straight if pieces else None)
        pieces.append(min(touched, sum(s.sectors(level) for s in straight)))
        if len(pieces) == 1:
            return pieces[0]
        hit = 1.0 if path and path[-1] in self._bursts.straight else self.hit(path)
        looping = [s for s in inside if len(s.site.loops) > depth]
        each = [self._touched(group, part, path, sites) for sites in (looping, straight)]
        return _joined(hit, self._touched(group, part, path, None), each, pieces)

    def _touched(
        self, group: BufferSites, part: Part, path: Path, sites: list[ModelledSite] | None
    ) -> float:
        """What some sites inside a loop touch in an iteration, or all of them."""
        level, fetch = self._level(path), self._cache.fetch_bytes
        if sites is None:
            return group.granules(part, level, fetch, path)
        return buffer_granules(sites, group.buffer, level, fetch)

    def _loop(self, group: BufferSites, part: Part, path: Path) -> float:
        """Misses in all iterations of a loop."""
        value = self._iteration(group, part, path)
        level, loop = self._level(path), Level(self._blocks, len(path) - 1)
        steps = self._bursts.iterations.get(path[-1], 1)
        if steps > 1 and part is Part.READS:
            burst = dataclasses.replace(level, steps=steps)
            sites = group.sites(part, path)
            before = sum(site.sectors(level) for site in sites)
            after = sum(site.sectors(burst) for site in sites)
            apart = value * (after / before if before > 0.0 else 1.0)
            value = min(group.granules(part, burst, self._cache.fetch_bytes, path), apart)
            level = burst
        levels = (level, loop)
        return self._repeat(group, part, path, levels, (value, self.hit(path)))

    def _repeat(
        self,
        group: BufferSites,
        part: Part,
        path: Path,
        levels: tuple[Level, Level],
        inner: tuple[float, float],
    ) -> float:
        """Misses at the outer level, given those at the inner one and the share of reuse that survives it."""
        value, hit = inner
        sites = group.sites(part, path)
        before = sum(site.sectors(levels[0]) for site in sites)
        after = sum(site.sectors(levels[1]) for site in sites)
        repeated = value * (after / before if before > 0.0 else 1.0)
        if repeated <= value * 1.0001 or hit <= 0.0:
            return max(repeated, value)
        unique = min(group.granules(part, levels[1], self._cache.fetch_bytes, path), repeated)
        return hit * unique + (1.0 - hit) * repeated


def _drawn(sites: Sequence[ModelledSite], whole: Level, granule: int) -> float:
    """Granules that sites ask for in the launch, but for those of the request before."""
    return sum(site.drawn_granules(whole, granule) for site in sites)


def _joined(hit: float, together: float, touched: Sequence[float], apart: Sequence[float]) -> float:
    """Misses of parts that find what the parts before them have touched, as far as that survives.

    What a part misses again itself it finds no sooner.

    Args:
        hit: Share of the reuse between parts that survives.
        together: What all parts touch.
        touched: What each of them touches.
        apart: What each of them misses alone.
    """
    first = sum(min(*pair) for pair in zip(touched, apart, strict=True))
    return sum(apart) - hit * max(first - together, 0.0)


def _largest(function: Callable[[float], float], bound: float, most: float) -> float:
    """The largest argument up to `most` at which a growing function is within a bound."""
    if function(most) <= bound:
        return most
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) <= bound else (low, middle)
    return low


def _windows(
    grid: tuple[float, float, float], wave: tuple[float, float, float]
) -> list[tuple[float, float, float]]:
    """Ever more blocks in the order in which they start, up to a wave."""
    found = [(1.0, 1.0, 1.0)]
    shape = [1.0, 1.0, 1.0]
    for axis in range(3):
        while shape[axis] < wave[axis]:
            shape[axis] = min(2.0 * shape[axis], wave[axis])
            found.append((shape[0], shape[1], shape[2]))
        if wave[axis] < grid[axis]:
            break
    return found


def wave_levels(grid: tuple[int, int, int], resident_blocks: int) -> list[Level]:
    """Levels of a launch: the resident blocks first, then whole rows, planes and the whole grid."""
    wave = _wave_shape(grid, resident_blocks)
    levels = [Level(wave, 0)]
    for blocks in (
        (float(grid[0]), wave[1], wave[2]),
        (float(grid[0]), float(grid[1]), wave[2]),
        (float(grid[0]), float(grid[1]), float(grid[2])),
    ):
        if blocks != levels[-1].blocks:
            levels.append(Level(blocks, 0))
    return levels


def _wave_shape(grid: tuple[int, int, int], resident: int) -> tuple[float, float, float]:
    """Blocks of a wave along each axis: blocks start in linear order, x fastest."""
    left = max(float(resident), 1.0)
    shape = []
    for size in grid:
        shape.append(min(float(size), max(left, 1.0)))
        left /= size
    return shape[0], shape[1], shape[2]


def depends_on_block(sites: list[ModelledSite]) -> bool:
    """Whether some address depends on blockIdx."""
    return any(site.fit.block_axes for site in sites)
