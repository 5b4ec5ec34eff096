"""Summaries of host loops that fill arrays: from the stores of a few iterations to a `Fill`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roofstat.execution.arithmetic import new_key, value_bounds
from roofstat.execution.contents import Fill, Pattern
from roofstat.execution.values import Unknown, Value

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.execution.address_space import MemoryObject


@dataclass(frozen=True, slots=True, eq=False)
class StoreRecord:
    """One store in one iteration."""

    iteration: int
    found: MemoryObject
    offset: int
    scalar: Scalar
    value: Value


def summarise_stores(
    stores: dict[int, list[StoreRecord]], trips: int
) -> list[tuple[MemoryObject, Fill]]:
    """A fill for each store instruction whose address advances evenly."""
    filled: list[tuple[MemoryObject, Fill]] = []
    for records in stores.values():
        fill = _fill_of(records, trips)
        if fill is not None:
            filled.append((records[0].found, fill))
    return filled


def _fill_of(records: list[StoreRecord], trips: int) -> Fill | None:
    first = records[0]
    if len(records) < 2 or any(record.found is not first.found for record in records):
        return None
    stride = _slope([(record.iteration, record.offset) for record in records])
    if stride is None or stride == 0 or stride != int(stride):
        return None
    step_bytes = int(stride)
    start = first.offset - first.iteration * step_bytes
    pattern, value, step, low, high = _pattern(
        [(record.iteration, record.value) for record in records]
    )
    if step_bytes < 0:
        start += step_bytes * (trips - 1)
        value += step * (trips - 1)
        step_bytes, step = -step_bytes, -step
    return Fill(
        start=start,
        dims=((step_bytes, trips),),
        scalar=first.scalar,
        pattern=pattern,
        first=value,
        steps=(step,),
        low=low,
        high=high,
        key=new_key(),
    )


def _slope(points: list[tuple[int, int | float]]) -> float | None:
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


def _pattern(
    values: list[tuple[int, Value]],
) -> tuple[Pattern, int | float, float, int | float | None, int | float | None]:
    """(pattern, value at iteration 0, change, low, high) of the stored values."""
    values = _informative(values)
    numbers = [(iteration, value) for iteration, value in values if isinstance(value, int | float)]
    if len(numbers) == len(values):
        slope = _slope(numbers)
        if slope is not None:
            origin = numbers[0][1] - slope * numbers[0][0]
            if slope == 0:
                return Pattern.CONSTANT, numbers[0][1], 0.0, None, None
            return Pattern.AFFINE, origin, slope, None, None
        seen = [value for _, value in numbers]
        return Pattern.RANDOM, 0, 0.0, min(seen), max(seen)
    bounds = [value_bounds(value) for _, value in values if isinstance(value, Unknown)]
    known = [bound for bound in bounds if bound is not None]
    if known and len(known) == len(bounds):
        growing = _expected_slope(values)
        if growing is not None:
            return Pattern.AFFINE, growing[0], growing[1], None, None
        return Pattern.RANDOM, 0, 0.0, min(b[0] for b in known), max(b[1] for b in known)
    return Pattern.UNKNOWN, 0, 0.0, None, None


def _informative(values: list[tuple[int, Value]]) -> list[tuple[int, Value]]:
    """Leave out iterations reached by a jump, whose value rests on elements that were not computed."""
    told = [
        (iteration, value)
        for iteration, value in values
        if isinstance(value, int | float) or (isinstance(value, Unknown) and value_bounds(value) is not None)
    ]
    return told if len(told) >= 2 else values


def _expected_slope(values: list[tuple[int, Value]]) -> tuple[float, float] | None:
    """(value at iteration 0, change) of values whose expectation grows evenly, such as running sums of random numbers."""
    middles: list[tuple[int, float]] = []
    for iteration, value in values:
        bounds = (value, value) if isinstance(value, int | float) else value_bounds(value) if isinstance(value, Unknown) else None
        if bounds is None:
            return None
        middles.append((iteration, (bounds[0] + bounds[1]) / 2))
    slope = _slope(middles)
    if not slope:
        return None
    return middles[0][1] - slope * middles[0][0], slope


def summarise_fills(
    fills: dict[int, list[tuple[int, MemoryObject, Fill]]], trips: int
) -> list[tuple[MemoryObject, Fill]]:
    """Fills of an inner loop whose start advances evenly become one fill with one more dimension."""
    filled: list[tuple[MemoryObject, Fill]] = []
    for records in fills.values():
        found, fill = records[0][1], records[0][2]
        same = all(
            item is found and len(other.dims) == len(fill.dims) and other.scalar is fill.scalar
            for _, item, other in records
        )
        stride = (
            _slope([(iteration, other.start) for iteration, _, other in records])
            if len(records) > 1
            else None
        )
        if not same or stride is None or stride != int(stride) or stride <= 0:
            continue
        step = _slope([(iteration, other.first) for iteration, _, other in records])
        pattern = (
            fill.pattern
            if all(other.pattern is fill.pattern for _, _, other in records)
            else Pattern.UNKNOWN
        )
        if pattern in (Pattern.CONSTANT, Pattern.AFFINE) and step is None:
            pattern = Pattern.UNKNOWN
        if pattern is Pattern.CONSTANT and step:
            pattern = Pattern.AFFINE
        origin = records[0][0]
        change = step or 0.0
        filled.append(
            (
                found,
                replace(
                    fill,
                    start=fill.start - int(stride) * origin,
                    dims=((int(stride), trips), *fill.dims),
                    pattern=pattern,
                    first=fill.first - change * origin,
                    steps=(change, *fill.steps),
                ),
            )
        )
    return filled
