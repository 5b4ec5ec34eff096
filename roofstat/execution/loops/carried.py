"""What host loops carry from one iteration to the next outside of affine registers: counters in memory, running sums.

A loop that is extrapolated skips iterations. Counters that live in memory (members of objects, sizes of containers,
globals) and sums of bounded random numbers then have to be moved on, as the machine moves affine registers on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from roofstat.execution.arithmetic import new_key, value_bounds
from roofstat.execution.values import Unknown, Value, number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries.ir.types import Scalar
    from roofstat.execution.address_space import MemoryObject

Bounds = tuple[float, float]
MOST_UNEVEN = 4
"""Steps of a counter are no larger than so many times their mean."""
MANY_ADDENDS = 32
"""The sum of so many even draws from 0 to h is within 20 % of its expectation in 95 % of cases (2 / sqrt(3 n))."""
MAX_HISTORIES = 4_000
"""Memory cells that are watched in one entry of a loop."""


@dataclass(slots=True, eq=False)
class CellHistory:
    """The values that one memory cell had after each of the last iterations."""

    found: MemoryObject
    offset: int
    scalar: Scalar
    points: list[tuple[int, Value]] = field(default_factory=list)
    """(iteration, value), ascending; the first may be the value from before the loop."""

    def copy(self) -> CellHistory:
        """As it is now."""
        return CellHistory(self.found, self.offset, self.scalar, list(self.points))

    def note(self, iteration: int, value: Value) -> None:
        """Remember a store; the last one of an iteration counts."""
        points = self.points
        if points and points[-1][0] == iteration:
            points[-1] = (iteration, value)
            return
        points.append((iteration, value))
        if len(points) > 3:
            del points[0]

    def moved(self, iteration: int, start: int) -> Value | None:
        """The value at the beginning of a later iteration; None where the cell is none of the loop's counters.

        Args:
            iteration: The later iteration.
            start: The first iteration that is skipped; the history ends just before it.
        """
        points = self.points
        if len(points) < 2 or points[-1][0] != start - 1 or points[-1][0] - points[-2][0] != 1:
            return None
        if len(points) == 3 and points[1][0] - points[0][0] != 1:
            points = points[1:]
        ahead = iteration - start
        values = [value for _, value in points]
        if all(isinstance(value, int | float) for value in values):
            return _moved_number(values, ahead, self.scalar)
        grown = growth(values)
        if grown is None:
            return None
        moved = grown_unknown(grown, ahead, values[-1], is_float=self.scalar.is_float)
        return settled_sum(moved, grown[1], ahead)


def _moved_number(values: list[Value], ahead: int, scalar: Scalar) -> Value:
    numbers = [value for value in values if isinstance(value, int | float)]
    steps = [after - before for before, after in pairwise(numbers)]
    if steps[-1] == 0:  # settled
        return numbers[-1]
    if all(abs(step - steps[0]) <= 1e-9 * max(abs(steps[0]), 1e-30) for step in steps):
        return number_of(numbers[-1] + steps[0] * ahead, scalar)
    pace = rise(numbers)
    if pace is not None:
        return number_of(round(numbers[-1] + pace * ahead), scalar)
    return Unknown(
        new_key(), uniform=True, reason="a value that a loop changes", is_float=scalar.is_float
    )


def rise(numbers: Sequence[float]) -> float | None:
    """Mean step of whole numbers that all go one way, unevenly; None for others."""
    steps = [after - before for before, after in pairwise(numbers)]
    if not all(isinstance(number, int) for number in numbers) or not any(steps):
        return None
    if min(steps) < 0 < max(steps):
        return None
    mean = sum(steps) / len(steps)
    return mean if max(map(abs, steps)) <= MOST_UNEVEN * abs(mean) else None


def growth(values: list[Value]) -> tuple[Bounds, Bounds] | None:
    """(bounds now, change of the bounds in an iteration) of values whose bounds move evenly; None for others."""
    if not any(isinstance(value, Unknown) for value in values) or len(values) < 2:
        return None
    limits: list[Bounds] = []
    for value in values:
        found: Bounds | None = None
        if isinstance(value, Unknown):
            found = value_bounds(value)
        elif isinstance(value, int | float):
            found = (value, value)
        if found is None:
            return None
        limits.append(found)
    low = limits[-1][0] - limits[-2][0]
    high = limits[-1][1] - limits[-2][1]
    for before, after in pairwise(limits):
        if abs(after[0] - before[0] - low) > 1e-9 or abs(after[1] - before[1] - high) > 1e-9:
            return None
    return limits[-1], (low, high)


def grown_unknown(
    grown: tuple[Bounds, Bounds], ahead: int, value: Value, *, is_float: bool
) -> Unknown:
    """The value whose bounds have moved on by some iterations."""
    (low, high), (low_step, high_step) = grown
    low, high = low + low_step * ahead, high + high_step * ahead
    return Unknown(
        new_key(),
        uniform=True,
        low=low if is_float else int(low),
        high=high if is_float else int(high),
        reason=value.reason if isinstance(value, Unknown) else "a running sum",
        is_float=is_float,
    )


def settled_sum(total: Unknown, step: Bounds, count: int) -> Value:
    """A sum of so many independent numbers within bounds: its expectation, once chance no longer matters."""
    if count < MANY_ADDENDS or step[0] == step[1]:
        return total
    middle = middle_of(total)
    if middle is None:
        return total
    return middle if total.is_float else round(middle)


def is_settled(values: list[Value]) -> bool:
    """Whether the last two values are equal numbers."""
    if len(values) < 2:
        return False
    before, after = values[-2], values[-1]
    return isinstance(before, int | float) and isinstance(after, int | float) and before == after


def middle_of(value: Value | None) -> float | None:
    """A number, or the middle of a bounded unknown."""
    if isinstance(value, int | float):
        return float(value)
    bounds = value_bounds(value) if isinstance(value, Unknown) else None
    return (bounds[0] + bounds[1]) / 2 if bounds is not None else None
