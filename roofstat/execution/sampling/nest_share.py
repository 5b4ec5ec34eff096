"""Which share of the box around a collapsed nest lies inside the nest.

The lanes that are run sample the box; where rows have different lengths a sample of a few warps is off by tens of percent.
The share follows from the bounds, so counts inside are scaled to it when the run is over.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Block, If, Loop, children

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Region
    from roofstat.program.nests import NestBound, NestShape

MOST_ROWS = 1 << 18
"""Rows that are summed one by one; of more, so many are taken at even distances."""


@dataclass(slots=True, eq=False)
class NestTotals:
    """What a run saw of the branch that guards a nest."""

    expected: float = 0.0
    """Thread-level executions that lie inside by the bounds."""
    seen: float = 0.0
    """Those that the sampled lanes stood for."""


@functools.lru_cache(maxsize=256)
def inside_share(shape: NestShape, values: tuple[int, ...]) -> float:
    """Iterations of a nest over those of its box.

    Args:
        shape: The nest.
        values: Values of `shape.registers`.
    """
    known = dict(zip(shape.registers, values, strict=True))
    sizes = [max(known[loop.trips], 0) for loop in shape.loops]
    if not all(sizes):
        return 0.0
    outer = len(sizes) - 1
    most = max(int(MOST_ROWS ** (1 / max(outer, 1))), 1)
    counters = [
        _positions(size, most).reshape([-1 if axis == place else 1 for axis in range(outer)])
        for place, size in enumerate(sizes[:-1])
    ]
    inside: NDArray[np.float64] = np.ones(1)
    moved: list[NDArray[np.int64]] = []
    """How far the variable of each loop is from where its box begins."""
    for place, loop in enumerate(shape.loops):
        count, start = np.array(sizes[place]), np.array(0)
        if loop.bounds is not None:
            low, high = (_bound(bound, known, shape, sizes, moved) for bound in loop.bounds)
            distance = (high - low) * (1 if loop.step > 0 else -1) + loop.is_closed
            count = np.clip(-(-distance // abs(loop.step)), 0, sizes[place])
            ends = known[loop.bounds[0].first], known[loop.bounds[0].last]
            start = low - (min(ends) if loop.step > 0 else max(ends))
        if place < outer:
            inside = inside * (counters[place] < count)
            moved.append(start + loop.step * counters[place])
        else:
            inside = inside * count
    return float(inside.mean()) / sizes[-1]


def _positions(size: int, most: int) -> NDArray[np.int64]:
    if size <= most:
        return np.arange(size, dtype=np.int64)
    return ((np.arange(most) + 0.5) * (size / most)).astype(np.int64)


def _bound(
    bound: NestBound,
    known: dict[int, int],
    shape: NestShape,
    sizes: list[int],
    moved: list[NDArray[np.int64]],
) -> NDArray[np.int64]:
    first, last = known[bound.first], known[bound.last]
    whole = shape.loops[bound.outer].step * (sizes[bound.outer] - 1)
    slope = (last - first) // whole if whole else 0
    return first + slope * moved[bound.outer]


def scale_nests(trace: LaunchTrace, totals: dict[int, NestTotals]) -> None:
    """Scale what ran inside nests to their shares of the boxes."""
    if totals:
        _scale(trace, trace.code.body, totals, 1.0)


def _scale(
    trace: LaunchTrace, regions: list[Region], totals: dict[int, NestTotals], factor: float
) -> None:
    for region in regions:
        if isinstance(region, Block) and factor != 1.0:
            _scale_block(trace, region, factor)
        elif isinstance(region, Loop) and factor != 1.0 and region.number in trace.loops:
            loop = trace.loops[region.number]
            loop.entries *= factor
            loop.starts *= factor
            loop.warp_starts *= factor
            loop.iterations *= factor
        inner = factor
        if isinstance(region, If) and region.nest is not None:
            total = totals.get(region.number)
            if total is not None and total.seen > 0.0:
                inner = factor * total.expected / total.seen
        for part in children(region):
            _scale(trace, part, totals, inner)


def _scale_block(trace: LaunchTrace, block: Block, factor: float) -> None:
    for counts in (trace.block_threads, trace.block_warps, trace.doubtful_threads):
        if block.number in counts:
            counts[block.number] *= factor
    for item in block.instructions:
        site = trace.sites.get(item.site)
        if site is not None:
            site.threads *= factor
            site.warps *= factor
            site.unknown_address_threads *= factor
            site.doubtful_threads *= factor
