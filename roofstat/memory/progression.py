"""Count the granules (sectors or lines) that a set of strided accesses touches.

A set is a run of contiguous bytes repeated along levels of (pitch, count), each level wider than what it repeats. It is
built from (stride, extent) pairs in order of stride: a stride within the run makes the run longer, one beyond it opens
a level, and one that falls onto the pitch of a level makes that level longer.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.stored.distinct import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_ENUMERATED = 1 << 14
"""Progressions that interleave are counted one by one up to this number of accesses."""
_MAX_CELLS = 200_000
"""Bound on the work of an exact union; above it the bounding box stands in."""


@dataclass(frozen=True, slots=True)
class Progression:
    """A run of `run_bytes` repeated along `levels`, innermost first.

    `points` is the number of distinct elements, `limit_bytes` an upper bound on the bytes (inf without one).
    """

    run_bytes: float
    levels: tuple[tuple[int, float], ...]
    points: float
    limit_bytes: float = math.inf

    @property
    def span_bytes(self) -> float:
        """From the first byte to the last."""
        return self.run_bytes + sum(pitch * (count - 1) for pitch, count in self.levels)


@functools.lru_cache(maxsize=4096)
def build(element_bytes: int, axes: tuple[tuple[int, float], ...], granule: int) -> Progression:
    """Return the set of all element_bytes-wide accesses at sums of multiples of the strides.

    Args:
        element_bytes: Width of one access.
        axes: (stride in bytes > 0, extent >= 1) pairs.
        granule: Bytes that move together: gaps below it do not count as gaps.
    """
    run = float(element_bytes)
    step = 0
    run_points = 1.0
    levels: list[tuple[int, float]] = []
    limit = math.inf
    interleaved = False
    for stride, extent in sorted(axes):
        if extent <= 1.0:
            continue
        if not levels:
            # A gap narrower than a granule leaves none untouched.
            if stride < run + granule:
                run += (extent - 1.0) * stride
                step = step or stride
                run_points = min(run_points * extent, (run - element_bytes) / step + 1.0)
            else:
                levels.append((stride, extent))
            continue
        pitch, count = levels[-1]
        span = run + sum(p * (c - 1.0) for p, c in levels)
        limit = min(limit * extent, span + (extent - 1.0) * stride) if limit < math.inf else limit
        whole = round(stride / pitch)
        shift = abs(stride - whole * pitch)
        if shift == 0 and whole <= count:
            levels[-1] = (pitch, count + (extent - 1.0) * whole)
        elif whole <= count and len(levels) == 1 and run + (extent - 1.0) * shift <= pitch:
            # Each copy falls beside the last one: the runs grow to meet, or lie that close.
            interleaved = True
            limit = min(limit, count * extent * max(run, granule))
            levels[-1] = (pitch, count + (extent - 1.0) * whole)
            run += (extent - 1.0) * shift
        else:
            levels.append((stride, extent))
            # Within a granule of each other, copies share granules even without sharing bytes.
            interleaved |= stride < span + granule and stride % granule != 0
            if stride < span:
                # Copies that interleave without meeting: as many as there are, within their span.
                limit = min(limit, span + (extent - 1.0) * stride)
    if interleaved and math.prod(extent for _, extent in axes) <= _MAX_ENUMERATED:
        limit = min(limit, granule * _enumerate_granules(element_bytes, axes, granule))
    points = run_points * math.prod(count for _, count in levels)
    if math.isfinite(limit):
        points = min(points, limit / (step or element_bytes))
    return Progression(run, tuple(levels), points, limit)


def _enumerate_granules(
    element_bytes: int, axes: tuple[tuple[int, float], ...], granule: int
) -> int:
    starts = np.zeros(1, dtype=np.int64)
    for stride, extent in axes:
        starts = np.add.outer(starts, stride * np.arange(math.ceil(extent))).ravel()
    first = starts // granule
    last = (starts + element_bytes - 1) // granule
    return len(distinct(np.concatenate([first, last])))


def count_granules(shape: Progression, offsets: Sequence[int], granule: int) -> float:
    """Return how many granules the union of copies of `shape` at these offsets touches."""
    # Small numbers, so that floats stay exact: the phase within a granule is all that matters of the first offset.
    shift = min(offsets) // granule * granule
    fresh = sorted({offset - shift for offset in offsets})
    if len(fresh) == 1:
        runs = _run_granules(shape, fresh[0], shape.run_bytes, granule)
        total = runs * math.prod(count for _, count in shape.levels)
    elif not shape.levels:
        total = _union_of_intervals([(start, start + shape.run_bytes) for start in fresh], granule)
    else:
        total = _union_of_boxes(shape, fresh, granule)
    span = shape.span_bytes + fresh[-1] - fresh[0]
    bound = min(span, shape.limit_bytes * len(fresh) if math.isfinite(shape.limit_bytes) else span)
    return max(1.0, min(total, _touched(fresh[0], bound, granule)))


def count_runs(
    levels: tuple[tuple[int, float], ...], runs: Sequence[tuple[int, float]], granule: int
) -> float | None:
    """Return how many granules runs touch that repeat together; None where one may reach into the next repetition.

    Args:
        levels: (pitch, count) of what repeats all of them, innermost first.
        runs: (first byte, bytes) of each.
        granule: Bytes that move together.
    """
    low = min(start for start, _ in runs)
    high = max(start + length for start, length in runs)
    if high - low > levels[0][0] or any(pitch % granule for pitch, _ in levels):
        return None
    shift = low // granule * granule
    intervals: list[tuple[float, float]] = [
        (start - shift, start - shift + length) for start, length in runs
    ]
    return _union_of_intervals(intervals, granule) * math.prod(count for _, count in levels)


def _touched(start: float, length: float, granule: int) -> float:
    return math.floor((start + length - 1e-9) / granule) - math.floor(start / granule) + 1.0


def _alignment(shape: Progression, granule: int, start: int) -> int:
    """Largest power-of-two-like unit that all starts of runs keep to."""
    return math.gcd(granule, start, *(pitch for pitch, _ in shape.levels))


def _run_granules(shape: Progression, start: int, length: float, granule: int) -> float:
    if all(pitch % granule == 0 for pitch, _ in shape.levels):
        return _touched(start, length, granule)
    unit = _alignment(shape, granule, start)
    # Starts are spread evenly over the multiples of `unit` within a granule.
    return (math.ceil(length / unit) * unit + granule - unit) / granule


def _union_of_intervals(intervals: list[tuple[float, float]], granule: int) -> float:
    total = 0.0
    reached = -math.inf
    for start, end in sorted(intervals):
        first = max(math.floor(start / granule), reached)
        last = math.floor((end - 1e-9) / granule) + 1.0
        if last > first:
            total += last - first
            reached = last
    return total


def _union_of_boxes(shape: Progression, offsets: Sequence[int], granule: int) -> float:
    """Union of copies whose offsets are whole pitches along the levels plus a shift of the run."""
    base = offsets[0]
    aligned = all(pitch % granule == 0 for pitch, _ in shape.levels)
    unit = granule if aligned else _alignment(shape, granule, base)
    boxes: set[tuple[float, ...]] = set()
    for offset in offsets:
        rest = offset - base
        shifts: list[float] = []
        for pitch, _ in reversed(shape.levels):
            whole = math.floor(rest / pitch + 0.5)
            shifts.append(whole)
            rest -= whole * pitch
        boxes.add((rest, *shifts))
    counts = [count for _, count in reversed(shape.levels)]
    lows: list[list[float]] = []
    highs: list[list[float]] = []
    ordered = sorted(boxes)
    if aligned:
        phase = base % granule
        starts: list[float] = [math.floor((phase + box[0]) / granule) for box in ordered]
        ends: list[float] = [
            math.floor((phase + box[0] + shape.run_bytes - 1e-9) / granule) + 1 for box in ordered
        ]
        edge = 0.0
    else:
        starts = [box[0] / granule for box in ordered]
        ends = [(box[0] + math.ceil(shape.run_bytes / unit) * unit) / granule for box in ordered]
        edge = (granule - unit) / granule
    lows.append(list(starts))
    highs.append(list(ends))
    for place, count in enumerate(counts, start=1):
        lows.append([box[place] for box in ordered])
        highs.append([box[place] + count for box in ordered])
    return _box_union(lows, highs, edge)


def _box_union(lows: list[list[float]], highs: list[list[float]], edge: float) -> float:
    """Volume of a union of boxes; the first dimension gains `edge` for each maximal run along it."""
    cuts = [sorted({*low, *high}) for low, high in zip(lows, highs, strict=True)]
    cells = math.prod(len(cut) - 1 for cut in cuts)
    if cells > _MAX_CELLS:
        volume = math.prod(cut[-1] - cut[0] for cut in cuts)
        sides = [[high[0] - low[0] for low, high in zip(lows, highs, strict=True)]]
        return min(volume, len(lows[0]) * math.prod(sides[0]))
    place = [{value: index for index, value in enumerate(cut)} for cut in cuts]
    filled = np.zeros([len(cut) - 1 for cut in cuts], dtype=bool)
    for index in range(len(lows[0])):
        filled[
            tuple(
                slice(place[d][lows[d][index]], place[d][highs[d][index]]) for d in range(len(cuts))
            )
        ] = True
    sizes = [np.diff(np.array(cut)) for cut in cuts]
    volume = _weighted(filled, sizes)
    if edge:
        begins = filled.copy()
        begins[1:] &= ~filled[:-1]
        volume += edge * _weighted(begins, [np.ones(len(sizes[0])), *sizes[1:]])
    return volume


def _weighted(
    filled: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    sizes: list[np.ndarray[tuple[int], np.dtype[np.float64]]],
) -> float:
    value = filled.astype(np.float64)
    for size in reversed(sizes):
        value = value @ size
    return float(value)
