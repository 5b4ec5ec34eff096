"""What host loops carry from one iteration to the next outside of affine registers: counters in memory, running sums.

A loop that is extrapolated skips iterations. Counters that live in memory (members of objects, sizes of containers,
globals) and sums of bounded random numbers then have to be moved on, as the machine moves affine registers on.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.generators import state_range
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import value_bounds
from roofstat.execution.numbers.values import NUMBERS, Unknown, Value, number_of, outcomes
from roofstat.execution.sampling.representatives import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries.ir.types import Scalar
    from roofstat.execution.stored.address_space import MemoryObject

Bounds = tuple[float, float]
LARGEST_COUNT = 1 << 33
"""Larger numbers are addresses."""
MOST_UNEVEN = 4
"""Steps of a counter are no larger than so many times their mean."""
MANY_ADDENDS = 32
"""The sum of so many even draws from 0 to h is within 20 % of its expectation in 95 % of cases (2 / sqrt(3 n))."""
MAX_HISTORIES = 4_000
"""Memory cells that are watched in one entry of a loop."""
FEW_POINTS = 8
"""From so many values on the mean step of a counter is taken over all of them, not over the last two steps."""
EXPECTED = 0.5
"""Where the expectation lies in an even range."""
LONGEST_REST = 8
"""Iterations on end that leave a counter as it is."""
MANY_POINTS = 1_024
"""Values of a cell that are remembered."""
SMALL_OBJECT_BYTES = 64
"""An object up to this size is no array of which each iteration takes another element."""
_STRETCHES = 4
"""Parts in which a rise is looked at."""
_MOST_SLANTED = 2
"""The slope of each part is within this factor of the mean."""


@dataclass(slots=True, eq=False)
class CellHistory:
    """The values that one memory cell had after each of the last iterations."""

    found: MemoryObject
    offset: int
    scalar: Scalar
    points: list[tuple[int, Value]] = field(default_factory=list)
    """(iteration, value), ascending; the first may be the value from before the loop."""
    run: list[tuple[int, int]] = field(default_factory=list)
    """Whole numbers of iterations on end, up to the one before the last."""
    is_counter: bool = False
    """Whether all that the loop does to the cell is to add to it, as appending to a container does to its size."""
    sites: set[int] = field(default_factory=set)
    """The stores that add to it."""
    touches: int = 0
    """Iterations that have stored to it."""

    def copy(self) -> CellHistory:
        """As it is now."""
        return CellHistory(
            self.found,
            self.offset,
            self.scalar,
            list(self.points),
            list(self.run),
            self.is_counter,
            set(self.sites),
            self.touches,
        )

    @property
    def is_uneven(self) -> bool:
        """Whether the cell is a counter that rises by another number each time."""
        last = self.points[-1]
        if len(self.run) < 2 or not isinstance(last[1], int) or abs(last[1]) >= LARGEST_COUNT:
            return False
        numbers = [*(value for _, value in self.run), last[1]]
        steps = {after - before for before, after in pairwise(numbers)}
        return len(steps) > 1 and min(steps) >= 0

    def note(self, iteration: int, value: Value) -> None:
        """Remember a store; the last one of an iteration counts."""
        points = self.points
        self.touches += 1
        if points and points[-1][0] == iteration:
            self.touches -= 1
            points[-1] = (iteration, value)
            return
        self.rest_until(iteration - 1)
        if points:
            self._keep(*points[-1])
        points.append((iteration, value))
        if len(points) > 3:
            del points[0]

    def rest_until(self, iteration: int) -> None:
        """Iterations that have left a counter as it was count as well, where they are few: rows may be empty."""
        if not self.run or not 0 < iteration - self.points[-1][0] <= LONGEST_REST:
            return
        for skipped in range(self.points[-1][0] + 1, iteration + 1):
            value = self.points[-1][1]
            self._keep(*self.points[-1])
            self.points = [*self.points[-2:], (skipped, value)]

    def _keep(self, iteration: int, value: Value) -> None:
        """Add a value that is final to the run of numbers, or begin a new one."""
        if not isinstance(value, int) or (self.run and self.run[-1][0] != iteration - 1):
            self.run.clear()
        if isinstance(value, int) and len(self.run) < MANY_POINTS:
            self.run.append((iteration, value))

    @property
    def place(self) -> tuple[int, int]:
        """Buffer and offset."""
        return self.found.buffer.number, self.offset

    def is_counted_in(self, wandering: set[int]) -> bool:
        """Whether the whole loop counts here, as far as has been seen: not each iteration in another element of an array."""
        if not self.is_counter or not self.sites.isdisjoint(wandering):
            return False
        size = self.found.buffer.size_bytes
        return self.touches > 1 or (size is not None and size <= SMALL_OBJECT_BYTES)

    def pace(self, iteration: int) -> tuple[int, float, float] | None:
        """(value, mean step, iterations that this rests on) of a counter of whole numbers before an iteration; None for others."""
        points = [*self.run, *self.points] if self.run else self.points
        numbers = [value for _, value in points if isinstance(value, int)]
        if len(numbers) < len(points) or abs(numbers[-1]) >= LARGEST_COUNT:
            return None
        count = iteration - 1 - points[0][0]
        if count <= 0:
            return None
        slope = self.long_slope()
        if slope is not None:
            return numbers[-1], slope, float(len(self.run))
        return numbers[-1], (numbers[-1] - numbers[0]) / count, 0.0

    def spread_of_steps(self) -> float:
        """Standard deviation of what iterations on end have added."""
        steps = np.diff([value for _, value in self.run])
        return float(steps.std()) if len(steps) > 1 else 0.0

    def long_slope(self) -> float | None:
        """Mean step over many iterations on end; None where there were few, or where the cell does not rise all along."""
        last = self.points[-1]
        if len(self.run) < FEW_POINTS or not isinstance(last[1], int):
            return None
        return mean_slope([*self.run, (last[0], last[1])])

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
        if all(isinstance(value, NUMBERS) for value in values):
            return _moved_number(values, ahead, self.scalar, self.long_slope())
        grown = growth(values)
        if grown is None:
            return None
        return grown_sum(grown, ahead, values, is_float=self.scalar.is_float)


def _moved_number(values: list[Value], ahead: int, scalar: Scalar, slope: float | None) -> Value:
    numbers = [value for value in values if isinstance(value, NUMBERS)]
    steps = [after - before for before, after in pairwise(numbers)]
    if slope is not None:
        return number_of(round(numbers[-1] + slope * ahead), scalar)
    if steps[-1] == 0:  # settled
        return numbers[-1]
    if all(abs(step - steps[0]) <= 1e-9 * max(abs(steps[0]), 1e-30) for step in steps):
        return number_of(numbers[-1] + steps[0] * ahead, scalar)
    low, high = state_range(values, scalar) or (None, None)
    pace = rise(numbers)
    if pace is not None and low is None:
        return number_of(round(numbers[-1] + pace * ahead), scalar)
    return Unknown(
        new_key(),
        uniform=True,
        low=low,
        high=high,
        reason="a value that a loop changes",
        is_float=scalar.is_float,
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


def mean_slope(points: Sequence[tuple[int, int | float]]) -> float | None:
    """The mean slope of whole numbers that rise all along, unevenly but nowhere long; None for others.

    Offsets of rows of uneven lengths are such numbers.
    """
    if not all(isinstance(y, int) for _, y in points):
        return None
    (first, bottom), (last, top) = points[0], points[-1]
    if last <= first or top <= bottom:
        return None
    mean = (top - bottom) / (last - first)
    begin, base = first, bottom
    for (x0, y0), (x1, y1) in pairwise(points):
        if x1 < x0 or y1 < y0:
            return None
        if _STRETCHES * (x1 - begin) >= last - first:
            slope = (y1 - base) / (x1 - begin)
            if not mean <= _MOST_SLANTED * slope <= _MOST_SLANTED**2 * mean:
                return None
            begin, base = x1, y1
    return mean


def growth(values: list[Value]) -> tuple[Bounds, Bounds] | None:
    """(bounds now, change of the bounds in an iteration) of values whose bounds move evenly; None for others."""
    if not any(isinstance(value, Unknown) for value in values) or len(values) < 2:
        return None
    limits: list[Bounds] = []
    for value in values:
        found: Bounds | None = None
        if isinstance(value, Unknown):
            found = value_bounds(value)
        elif isinstance(value, NUMBERS):
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
    grown: tuple[Bounds, Bounds],
    ahead: int,
    value: Value,
    *,
    is_float: bool,
    uniform: bool = True,
) -> Unknown:
    """The value whose bounds have moved on by some iterations."""
    (low, high), (low_step, high_step) = grown
    low, high = low + low_step * ahead, high + high_step * ahead
    return Unknown(
        new_key(),
        uniform=uniform,
        low=low if is_float else int(low),
        high=high if is_float else int(high),
        reason=value.reason if isinstance(value, Unknown) else "a running sum",
        is_float=is_float,
    )


def grown_sum(
    grown: tuple[Bounds, Bounds], ahead: int, values: list[Value], *, is_float: bool
) -> Value:
    """A sum of host code some iterations later; a number, once chance no longer matters."""
    total = grown_unknown(grown, ahead, values[-1], is_float=is_float)
    return settled_sum(_with_mean(total, values, ahead), grown[1], ahead)


def _with_mean(moved: Unknown, values: list[Value], ahead: int) -> Unknown:
    """A sum of uneven numbers some iterations later, which rises by their mean, wherever the middle of their range is."""
    last = values[-1]
    if not isinstance(last, Unknown) or last.sample is None or moved.low is None:
        return moved
    before, now, numbers = middle_of(values[-2]), middle_of(last), outcomes(last)
    if before is None or now is None or numbers is None:
        return moved
    ahead_by = (now - before) * ahead
    later = numbers + (ahead_by if moved.is_float else round(ahead_by))
    return replace(moved, sample=np.clip(later, moved.low, moved.high))


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
    return isinstance(before, NUMBERS) and isinstance(after, NUMBERS) and before == after


def middle_of(value: Value | None) -> float | None:
    """A number, or what is expected of a bounded unknown."""
    if isinstance(value, NUMBERS):
        return float(value)
    if isinstance(value, Unknown) and value.sample is not None:
        likely = outcomes(value)
        if likely is not None:
            return float(likely.mean())
    bounds = value_bounds(value) if isinstance(value, Unknown) else None
    return (bounds[0] + bounds[1]) / 2 if bounds is not None else None


def drawn_by(value: Value | None, lot: float) -> float | None:
    """A number, or that number of a bounded unknown below which such a part of its range lies."""
    if isinstance(value, NUMBERS):
        return float(value)
    if lot == EXPECTED:
        return middle_of(value)
    if isinstance(value, Unknown) and value.sample is not None:
        likely = outcomes(value)
        if likely is not None:
            return float(np.sort(likely)[int(lot * len(likely))])
    bounds = value_bounds(value) if isinstance(value, Unknown) else None
    if bounds is None:
        return None
    return float(round(bounds[0] + (bounds[1] - bounds[0]) * lot))


def lot_of(turn: int) -> float:
    """What part of a range lies below what is drawn from it in some turn: turns differ, and any pair has the mean of all.

    The first turn has the expectation: it may be the only one.
    """
    if turn == 0:
        return EXPECTED
    part = ((turn + 1) // 2) * GOLDEN % 1.0
    return part if turn % 2 else 1.0 - part
