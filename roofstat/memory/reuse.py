"""What a cache of a given size lets through, from footprints at nested levels of execution.

Reuse that a level carries (between two iterations of a loop, between two waves of blocks) has about the footprint of one
iteration as its reuse distance. So: where one instance of the inner level fits, the outer level moves its unique bytes;
where it does not, it moves what the inner level moves, once for each instance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from roofstat.memory.footprint import Level, ModelledSite, buffer_granules
from roofstat.memory.records import LINE_BYTES, SECTOR_BYTES, Direction

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.execution.trace import Buffer, LaunchTrace


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
    _known: dict[tuple[Part, Level, int, int | None], float] = field(default_factory=dict)

    def sites(self, part: Part) -> list[ModelledSite]:
        """Sites of one direction, or all."""
        if part is Part.READS:
            return self.reads
        return self.writes if part is Part.WRITES else self.reads + self.writes

    @property
    def atomics(self) -> list[ModelledSite]:
        """Only the atomics."""
        return [s for s in self.writes if s.site.direction is Direction.ATOMIC]

    def granules(
        self,
        part: Part,
        level: Level,
        granule: int = SECTOR_BYTES,
        inside_loop: int | None = None,
    ) -> float:
        """Unique granules that these sites touch at a level; 0 without sites.

        Args:
            part: Which sites.
            level: How much of the launch.
            granule: Bytes that count once.
            inside_loop: Only sites that have this loop just outside of the level.
        """
        key = (part, level, granule, inside_loop)
        known = self._known.get(key)
        if known is None:
            sites = self.sites(part)
            if inside_loop is not None:
                sites = [s for s in sites if carrying_loop(s, level) == inside_loop]
            known = buffer_granules(sites, self.buffer, level, granule) if sites else 0.0
            self._known[key] = known
        return known

    def requested(self, part: Part, level: Level) -> float:
        """Sectors that warps request at a level."""
        return sum(site.sectors(level) for site in self.sites(part))


def group_by_buffer(sites: list[ModelledSite]) -> list[BufferSites]:
    """Group sites by buffer; sites on unknown buffers by the name of their array."""
    groups: dict[object, BufferSites] = {}
    for site in sites:
        buffer = site.site.buffer
        key = buffer.number if buffer is not None else site.site.array
        group = groups.setdefault(key, BufferSites(buffer=buffer, reads=[], writes=[]))
        (group.reads if site.site.direction is Direction.READ else group.writes).append(site)
    return list(groups.values())


def nest_depth(sites: list[ModelledSite]) -> int:
    """Deepest loop nest of any site."""
    return max((len(site.site.loops) for site in sites), default=0)


def wave_levels(trace: LaunchTrace, resident_blocks: int, depth: int) -> list[Level]:
    """Levels of the whole GPU: one iteration of the resident blocks first, the whole grid last."""
    wave = _wave_shape(trace.grid, resident_blocks)
    levels = [Level(wave, open_depth) for open_depth in range(depth, -1, -1)]
    for shape in (
        (trace.grid[0], wave[1], wave[2]),
        (trace.grid[0], trace.grid[1], wave[2]),
        trace.grid,
    ):
        blocks = (float(shape[0]), float(shape[1]), float(shape[2]))
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


def block_levels(depth: int) -> list[Level]:
    """Levels of one block: one iteration of all its threads first, the whole block last."""
    return [Level((1.0, 1.0, 1.0), open_depth) for open_depth in range(depth, -1, -1)]


def hit_share(working_set_bytes: float, capacity_bytes: float, lost_at: float) -> float:
    """Share of the reuse that survives: 1 while the working set fits, falling to 0 at `lost_at` times the capacity."""
    if working_set_bytes <= capacity_bytes:
        return 1.0
    excess = working_set_bytes / max(capacity_bytes, 1.0) - 1.0
    return max(0.0, 1.0 - excess / (lost_at - 1.0))


def carrying_loop(site: ModelledSite, level: Level) -> int | None:
    """The loop around the level that runs its instances of this site; None outside of such loops."""
    depth = level.open_depth - 1
    return site.site.loops[depth] if 0 <= depth < len(site.site.loops) else None


def traffic_sectors(
    group: BufferSites, part: Part, levels: list[Level], hits: list[LevelHits]
) -> float:
    """Return the sectors that miss in one instance of the outermost level.

    Args:
        group: The sites of a buffer.
        part: Which of them.
        levels: Innermost first.
        hits: For each level the share of reuse across its instances that the cache keeps.
    """
    requested = group.requested(part, levels[0])
    value = min(group.granules(part, levels[0]), max(requested, 1e-9))
    for inner, level in enumerate(levels[1:]):
        outer_requested = group.requested(part, level)
        repeated = value * (outer_requested / requested if requested > 0.0 else 1.0)
        requested = outer_requested
        if repeated <= value * 1.0001:
            continue
        hit = min(hits[inner].get(carrying_loop(s, levels[inner]), 1.0) for s in group.sites(part))
        if hit <= 0.0:
            value = repeated
            continue
        unique = min(group.granules(part, level), repeated)
        value = hit * unique + (1.0 - hit) * repeated
    return value


LevelHits = dict[int | None, float]
"""Share of reuse that the cache keeps across the iterations of a loop, or (None) across waves of blocks."""


def level_hits(
    groups: list[BufferSites], level: Level, size_bytes: Callable[[int | None], float], cache: Cache
) -> LevelHits:
    """Return the hit shares at a level, for each loop just outside of it.

    Args:
        groups: All sites.
        level: The level whose working set is the reuse distance.
        size_bytes: Working set for a loop (None: of all sites).
        cache: What holds it.
    """
    loops: set[int | None] = {None}
    if level.open_depth > 0:
        loops = {carrying_loop(s, level) for group in groups for s in group.sites(Part.ALL)} - {
            None
        }
    return {
        loop: hit_share(size_bytes(loop), cache.capacity_bytes, cache.lost_at) for loop in loops
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """A cache as the reuse model sees it."""

    capacity_bytes: float
    lost_at: float
    """Multiple of the capacity at which a working set has lost all reuse."""


def wave_hits(groups: list[BufferSites], levels: list[Level], cache: Cache) -> list[LevelHits]:
    """Hit shares of the L2 at each level of the whole GPU."""

    def size(level: Level) -> Callable[[int | None], float]:
        return lambda loop: (
            SECTOR_BYTES
            * sum(group.granules(Part.ALL, level, inside_loop=loop) for group in groups)
        )

    return [level_hits(groups, level, size(level), cache) for level in levels]


def block_hits(
    groups: list[BufferSites], levels: list[Level], resident_blocks: int, cache: Cache
) -> list[LevelHits]:
    """Hit shares of an L1 at each level of a block.

    The working set is that of all resident blocks in lines; what does not depend on the block counts once.
    """
    copies = [resident_blocks if depends_on_block(group.reads) else 1 for group in groups]

    def size(level: Level) -> Callable[[int | None], float]:
        return lambda loop: (
            LINE_BYTES
            * sum(
                count * group.granules(Part.READS, level, LINE_BYTES, loop)
                for count, group in zip(copies, groups, strict=True)
            )
        )

    return [level_hits(groups, level, size(level), cache) for level in levels]


def depends_on_block(sites: list[ModelledSite]) -> bool:
    """Whether some address depends on blockIdx."""
    return any(axis.axis in (3, 4, 5) for site in sites for axis in site.fit.axes) or any(
        site.fit.core is not None
        and not site.fit.core.is_random
        and any(axis in (3, 4, 5) for axis in site.fit.core.axes)
        for site in sites
    )
