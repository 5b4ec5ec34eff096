"""How many elements hold which value where chance decides it: after stores at unknown places, and after counts."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.values import number_of
from roofstat.execution.stored.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.types import Scalar

Held = dict[int | float, float]
"""Value -> how many elements hold it."""
MAX_VALUES = 64
"""Different values of scattered elements beyond this number are forgotten."""
_MAX_MEAN = 4096
"""Beyond this mean, counts are taken as evenly spread: their steps are too fine to matter."""
_QUANTILES = 32
"""Values that stand for a wide distribution."""
_RAREST = 1e-4
"""Numbers of events that are less likely are left out."""


def stored_anywhere(held: Held, value: float, count: float, elements: int) -> Held:
    """What elements hold once so many, nobody knows which, got a value; the first value of `held` is replaced first."""
    count = min(count, float(elements))
    held = dict(held)
    first, before = next(iter(held.items()))
    held[first] = max(before - count, 0.0)
    missing = count - (before - held[first])
    if missing > 0:
        kept = 1.0 - missing / max(elements - before, missing)
        held = {key: amount * kept for key, amount in held.items()}
    held[value] = held.get(value, 0.0) + count
    return held


def counted_anywhere(held: Held, scalar: Scalar, step: float, mean: float) -> Held:
    """What elements hold once each has grown by a step, so many times in the mean."""
    grown: Held = {}
    for times, probability in _poisson(mean):
        for value, amount in held.items():
            key = number_of(value + times * step, scalar)
            grown[key] = grown.get(key, 0.0) + amount * probability
    return _condensed(grown)


def earlier_counts(mean: float) -> NDArray[np.float64]:
    """How many have counted in an element before one does, each equally likely, where so many do in the mean."""
    middles = even_quantiles()
    if mean > _MAX_MEAN:
        return np.floor(middles * mean)
    times = _poisson(mean)
    shares = np.zeros(times[-1][0] + 1)
    for number, probability in times:
        shares[:number] += probability
    found = np.searchsorted(np.cumsum(shares), middles * shares.sum())
    counts: NDArray[np.float64] = found.astype(np.float64)
    return counts


def even_quantiles() -> NDArray[np.float64]:
    """Shares of a distribution up to the middle of each of its parts."""
    return (np.arange(_QUANTILES) + 0.5) / _QUANTILES


def _poisson(mean: float) -> list[tuple[int, float]]:
    """(number, probability) of events that happen so often in the mean; of many events the quantiles."""
    if mean > MAX_VALUES / 4:
        normal = NormalDist(mean, math.sqrt(mean))
        shares = [(part + 0.5) / _QUANTILES for part in range(_QUANTILES)]
        return [(max(round(normal.inv_cdf(share)), 0), 1.0 / _QUANTILES) for share in shares]
    found = [(0, math.exp(-mean))]
    while len(found) <= mean or found[-1][1] > _RAREST:
        times, probability = found[-1]
        found.append((times + 1, probability * mean / (times + 1)))
    return found


def _condensed(held: Held) -> Held:
    """The same values, neighbours in one where there are too many."""
    if len(held) <= MAX_VALUES:
        return held
    values = np.array(sorted(held), np.float64)
    amounts = np.array([held[value] for value in sorted(held)])
    groups = np.minimum(np.cumsum(amounts) / amounts.sum() * _QUANTILES, _QUANTILES - 1).astype(int)
    found: Held = {}
    for group in distinct(groups):
        inside = groups == group
        amount = float(amounts[inside].sum())
        if not amount:
            continue  # values that nothing holds any more
        middle = float((values[inside] * amounts[inside]).sum()) / amount
        key = round(middle) if isinstance(next(iter(held)), int) else middle
        found[key] = found.get(key, 0.0) + amount
    return found
