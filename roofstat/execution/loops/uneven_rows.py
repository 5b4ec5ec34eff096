"""Sums of uneven numbers that host loops store, as offsets of rows of uneven lengths are: known as far as the loop was run.

What later iterations add is as uneven as what the first have added. A line through the sums would give all rows one length,
and a warp waits for its longest.
"""

from __future__ import annotations

import math
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.unknowns import interval_of
from roofstat.execution.numbers.values import Unknown, outcomes
from roofstat.execution.sampling.representatives import GOLDEN
from roofstat.execution.stored.address_space import is_device_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.numbers.values import Value

_FEWEST_STEPS = 12
"""Steps from one iteration to the next that tell how uneven others are."""
_LEAST_UNEVEN = 0.2
"""Standard deviation of the steps, as a part of their mean, below which a line is as good."""
_MOST_APART = 1.5
"""The steps seen are like later ones if their mean is within this factor of that of all."""
_EVEN_VARIANCE = 3.0
"""Square of half a range over the variance of what is as likely anywhere in it."""
_DRAWS = 256
"""Numbers that stand for a range."""
_MOST_ELEMENTS = 4_000_000
_ALIGNMENT = 512
"""Bytes beyond which it does not matter where rows begin."""


@dataclass(frozen=True, slots=True, eq=False)
class Uneven:
    """How a sum rises from each iteration to the next."""

    steps: NDArray[np.int64]
    """Steps that are equally likely, ascending."""
    known: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Those from the first iteration on, as far as they are known."""

    @property
    def is_worth_it(self) -> bool:
        """Whether a line through the sums would not do."""
        return float(self.steps.std()) >= _LEAST_UNEVEN * float(self.steps.mean())

    def sums(self, first: float, mean: float, count: int) -> NDArray[np.int64] | None:
        """So many sums that begin at a number and rise so far in the mean; None where there are few or too many of them.

        All steps are taken equally often, and so they are in most parts of the sums, a long one behind a short one: those that
        few blocks begin with are to have the mean of all.
        """
        if not len(self.known) + len(self.steps) < count <= _MOST_ELEMENTS:
            return None
        begin = np.concatenate([[0], np.cumsum(self.known)])
        left = count - len(begin)
        places = (np.arange(left) // 2 + 0.5) * GOLDEN % 1.0
        places[1::2] = 1.0 - places[1::2]
        taken = np.cumsum(
            self.steps[np.minimum(places * len(self.steps), len(self.steps) - 1).astype(np.int64)]
        )
        ahead = mean * (count - 1) - float(begin[-1])
        if ahead <= 0:
            return None
        rest = begin[-1] + taken * (ahead / float(taken[-1]))
        found: NDArray[np.int64] = np.rint(first + np.concatenate([begin, rest])).astype(np.int64)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """Addresses of rows of uneven lengths, some of which are known: others lie evenly between these, aligned as they are."""

    points: Sequence[tuple[int, int]]
    """(iteration, address), ascending."""

    def sums(self, first: float, mean: float, count: int) -> NDArray[np.int64] | None:
        """So many addresses; None where there are too many, or where the first or the mean distance of them is another one."""
        (begin, base), (end, last) = self.points[0], self.points[-1]
        is_same = abs(mean * (end - begin) - (last - base)) <= 1.0 and begin == 0 and first == base
        if not is_same or count > _MOST_ELEMENTS:
            return None
        places, addresses = np.array(self.points, np.int64).T
        unit = np.gcd(np.gcd.reduce(addresses), _ALIGNMENT)
        found = np.interp(np.arange(count), places, (addresses - base).astype(np.float64))
        aligned: NDArray[np.int64] = base + found.astype(np.int64) // unit * unit
        return aligned


def between_rows(points: Sequence[tuple[int, int | float]]) -> Between | None:
    """Addresses of device memory that rise from each iteration seen to the next; None where they are something else."""
    rows = [(at, value) for at, value in points if isinstance(value, int)]
    if len(rows) < len(points) or not all(is_device_address(value) for _, value in rows):
        return None
    pairs = list(pairwise(rows))
    is_rising = all(one < two and before < after for (one, before), (two, after) in pairs)
    return Between(rows) if pairs and is_rising else None


def uneven_steps(points: Sequence[tuple[int, int | float]], mean: float) -> Uneven | None:
    """What iterations on end have added to a sum, where that is uneven; None where a line is as good.

    Args:
        points: (iteration, sum) of some iterations, ascending.
        mean: What all iterations add in the mean.
    """
    on_end = [
        (one, after - before) for (one, before), (two, after) in pairwise(points) if two == one + 1
    ]
    if len(on_end) < _FEWEST_STEPS:
        return None
    steps = np.array([step for _, step in on_end], np.int64)
    seen = float(steps.mean())
    if not mean <= _MOST_APART * seen <= _MOST_APART**2 * mean:
        return None
    known = [step for at, (iteration, step) in enumerate(on_end) if iteration == at]
    found = Uneven(np.sort(steps), np.array(known, np.int64))
    return found if found.is_worth_it else None


def drawn_steps(
    points: Sequence[tuple[int, tuple[float, float] | None]],
    spreads: Sequence[tuple[float, float] | None] = (),
    start: Value | None = None,
) -> Uneven | None:
    """What random addends add to a sum, as often as they are drawn; None where a line is as good.

    Addends that are not as likely anywhere in their range are taken from the part of it that has their mean and variance.

    Args:
        points: (iteration, bounds of the sum) of some iterations, ascending.
        spreads: Mean and variance of those sums, where they are known to be spread otherwise than evenly.
        start: The first of those sums.
    """
    rises = [
        (after[0] - before[0], after[1] - before[1])
        for (one, before), (two, after) in pairwise(points)
        if two == one + 1 and before is not None and after is not None
    ]
    if not rises or any(rise != rises[-1] for rise in rises[1:]):
        return None
    low, high = rises[-1]
    if not 0 <= low < high:
        return None
    numbers = _addends(start, low, high)
    known = [spread for spread in spreads if spread is not None]
    if numbers is None and len(known) == len(points) > 1:
        (first, narrow), (last, wide) = known[0], known[-1]
        steps = points[-1][0] - points[0][0]
        reach = math.sqrt(_EVEN_VARIANCE * max(wide - narrow, 0.0) / steps)
        mean = (last - first) / steps
        low, high = max(low, mean - reach), min(high, mean + reach)
    if numbers is None:
        numbers = np.linspace(low, high + 1, _DRAWS, endpoint=False)
    found = Uneven(np.sort(np.floor(numbers).astype(np.int64)))
    return found if found.is_worth_it else None


def _addends(first: Value | None, low: float, high: float) -> NDArray[np.float64] | None:
    """Numbers that an addend is known to take, by the first sum, of it and a number; None where it is any of its range."""
    if not isinstance(first, Unknown) or first.sample is None:
        return None
    bounds, numbers = interval_of(first), outcomes(first)
    if bounds is None or numbers is None or bounds[1] - bounds[0] != high - low:
        return None
    return numbers - (bounds[0] - low)
