"""Summaries of host loops that fill arrays: from the stores of a few iterations to a `Fill`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roofstat.execution.arithmetic import new_key, value_bounds
from roofstat.execution.contents import Fill, Pattern
from roofstat.execution.values import Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries.ir.types import Scalar
    from roofstat.execution.address_space import MemoryObject

Bounds = tuple[int | float, int | float]


@dataclass(frozen=True, slots=True, eq=False)
class StoreRecord:
    """One store in one iteration."""

    iteration: int
    found: MemoryObject
    offset: int
    scalar: Scalar
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class FillRecord:
    """What an inner loop filled in one iteration of the loop around it."""

    iteration: int
    found: MemoryObject
    fill: Fill


def summarise_stores(records: Sequence[StoreRecord], trips: int) -> Fill | None:
    """The fill of one store instruction whose address advances evenly; a scattered one where it does not.

    Args:
        records: Its stores in some of the loop's iterations.
        trips: All iterations.

    Returns:
        None where several allocations are written, or always the same place.
    """
    first = records[0]
    if len(records) < 2 or any(record.found is not first.found for record in records):
        return None
    stride = _slope([(record.iteration, record.offset) for record in records])
    if stride == 0:
        return None
    pattern = _pattern([(record.iteration, record.value) for record in records])
    if stride is None or stride != int(stride):
        return _scattered(first.found, first.scalar, pattern)
    step_bytes = int(stride)
    start = first.offset - first.iteration * step_bytes
    value, step = pattern.first, pattern.step
    if step_bytes < 0:
        start += step_bytes * (trips - 1)
        value += step * (trips - 1)
        step_bytes, step = -step_bytes, -step
    return Fill(
        start=start,
        dims=((step_bytes, trips),),
        scalar=first.scalar,
        pattern=pattern.kind,
        first=value,
        steps=(step,),
        low=pattern.low,
        high=pattern.high,
        key=new_key(),
    )


def is_fixed(records: Sequence[StoreRecord]) -> bool:
    """Whether all stores go to one place."""
    first = records[0]
    return all(item.found is first.found and item.offset == first.offset for item in records)


def _scattered(found: MemoryObject, scalar: Scalar, pattern: _Pattern) -> Fill | None:
    """Stores at places that nobody can foresee: bounded values, in the whole allocation."""
    size = found.buffer.size_bytes
    if pattern.low is None or pattern.kind is not Pattern.RANDOM or not size:
        return None
    return Fill(
        start=0,
        dims=((scalar.size_bytes, max(size // scalar.size_bytes, 1)),),
        scalar=scalar,
        pattern=Pattern.RANDOM,
        low=pattern.low,
        high=pattern.high,
        key=new_key(),
    )


def _slope(points: Sequence[tuple[int, int | float]]) -> float | None:
    """The slope of points on a line; None where they are not on one."""
    (x0, y0), *rest = points
    slope: float | None = None
    for x, y in rest:
        if x == x0:
            if y != y0:
                return None
            continue
        current = (y - y0) / (x - x0)
        if slope is None:
            slope = current
        elif abs(current - slope) > 1e-9 * max(abs(slope), 1.0):
            return None
    return slope


@dataclass(frozen=True, slots=True)
class _Pattern:
    """How stored values vary."""

    kind: Pattern
    first: int | float = 0
    """Value at iteration 0."""
    step: float = 0.0
    low: int | float | None = None
    high: int | float | None = None


def _pattern(values: list[tuple[int, Value]]) -> _Pattern:
    values = _informative(values)
    numbers = [(iteration, value) for iteration, value in values if isinstance(value, int | float)]
    if len(numbers) == len(values):
        slope = _slope(numbers) if len(numbers) > 1 else 0.0
        if slope is not None:
            if slope == 0:
                return _Pattern(Pattern.CONSTANT, numbers[0][1])
            return _Pattern(Pattern.AFFINE, numbers[0][1] - slope * numbers[0][0], slope)
        seen = [value for _, value in numbers]
        return _Pattern(Pattern.RANDOM, low=min(seen), high=max(seen))
    bounds = [value_bounds(value) for _, value in values if isinstance(value, Unknown)]
    known = [bound for bound in bounds if bound is not None]
    if known and len(known) == len(bounds):
        growing = _expected_slope(values)
        if growing is not None:
            return _Pattern(Pattern.AFFINE, growing[0], growing[1])
        seen = [value for _, value in numbers]
        low = min(*(bound[0] for bound in known), *seen, known[0][0])
        high = max(*(bound[1] for bound in known), *seen, known[0][1])
        return _Pattern(Pattern.RANDOM, low=low, high=high)
    return _Pattern(Pattern.UNKNOWN)


def _informative(values: list[tuple[int, Value]]) -> list[tuple[int, Value]]:
    """Leave out iterations reached by a jump, whose value rests on elements that were not computed."""
    told: list[tuple[int, Value]] = [
        (iteration, value)
        for iteration, value in values
        if isinstance(value, int | float)
        or (isinstance(value, Unknown) and value_bounds(value) is not None)
    ]
    return told if len(told) >= 2 else values


def _expected_slope(values: list[tuple[int, Value]]) -> tuple[float, float] | None:
    """(value at iteration 0, change) of values whose expectation grows evenly, such as running sums of random numbers."""
    middles: list[tuple[int, float]] = []
    for iteration, value in values:
        bounds: Bounds | None = None
        if isinstance(value, int | float):
            bounds = (value, value)
        elif isinstance(value, Unknown):
            bounds = value_bounds(value)
        if bounds is None:
            return None
        middles.append((iteration, (bounds[0] + bounds[1]) / 2))
    slope = _slope(middles)
    if not slope:
        return None
    return middles[0][1] - slope * middles[0][0], slope


def summarise_fills(records: Sequence[FillRecord], trips: int) -> Fill | None:
    """Fills of an inner loop whose start advances evenly become one fill with one more dimension."""
    found, fill = records[0].found, records[0].fill
    if any(
        record.found is not found
        or len(record.fill.dims) != len(fill.dims)
        or record.fill.scalar is not fill.scalar
        for record in records
    ):
        return None
    kind = fill.pattern
    if any(record.fill.pattern is not kind for record in records):
        kind = Pattern.UNKNOWN
    low, high = _common_bounds([record.fill for record in records])
    stride = _slope([(record.iteration, record.fill.start) for record in records])
    if len(records) < 2 or stride is None or stride != int(stride):
        return _scattered(found, fill.scalar, _Pattern(kind, low=low, high=high))
    if stride == 0:
        return replace(records[-1].fill, pattern=kind, low=low, high=high)
    change = _slope([(record.iteration, record.fill.first) for record in records])
    if kind in (Pattern.CONSTANT, Pattern.AFFINE) and change is None:
        kind = Pattern.UNKNOWN
    if kind is Pattern.CONSTANT and change:
        kind = Pattern.AFFINE
    step = change or 0.0
    origin = records[0].iteration
    start, first = fill.start - int(stride) * origin, fill.first - step * origin
    if stride < 0:
        start += int(stride) * (trips - 1)
        first += step * (trips - 1)
        stride, step = -stride, -step
    return replace(
        fill,
        start=start,
        dims=((int(stride), trips), *fill.dims),
        pattern=kind,
        first=first,
        steps=(step, *(fill.steps or (0.0,) * len(fill.dims))),
        low=low,
        high=high,
    )


def _common_bounds(fills: Sequence[Fill]) -> tuple[int | float | None, int | float | None]:
    lows = [fill.low for fill in fills if fill.low is not None]
    highs = [fill.high for fill in fills if fill.high is not None]
    if len(lows) < len(fills) or len(highs) < len(fills):
        return None, None
    return min(lows), max(highs)
