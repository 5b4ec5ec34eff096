"""Which iterations of a loop stand for all of them, and with what weights."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""Multiples of the golden ratio fill the unit interval evenly, any few on end and any at equal distances."""

Count = float | NDArray[np.float64]
"""One number for all lanes, or one for each."""
Position = int | NDArray[np.int64]


def representatives(count: Count, pairs: int) -> list[tuple[Position, Count]]:
    """Iterations in [0, count) with weights that sum to `count`, in ascending order.

    They lie in mirrored pairs, at the middles of equal parts. Their weights are equal but for a correction that makes
    the sum over all iterations exact for work that is a polynomial of the iteration number up to the third degree:
    triangular nests and what is inside of them. For odd powers the mirrored pairs see to that; for the square,
    sum((i - centre)^2) = count (count^2 - 1) / 12 is met by the correction.

    Args:
        count: Iterations, a whole number (or one for each lane); 0 gives weights of 0.
        pairs: Pairs of iterations, at least 1; fewer where lanes have few iterations.
    """
    total = np.asarray(count, np.float64)
    centre = (total - 1.0) / 2.0
    last = np.maximum(np.ceil(total / 2.0) - 1.0, 0.0)
    positions = [np.clip(np.rint(_middle(total, pair, pairs)), 0.0, last) for pair in range(pairs)]
    squares = [(centre - position) ** 2 for position in positions]
    mean = sum(squares) / pairs
    spread = sum((square - mean) ** 2 for square in squares)
    missing = pairs * ((total * total - 1.0) / 12.0 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(spread > 0, missing / spread, 0.0)
    weights = [
        np.maximum(total / (2 * pairs) * (1.0 + slope * (square - mean)), 0.0) for square in squares
    ]
    low = [
        (_whole(position), _number(weight))
        for position, weight in zip(positions, weights, strict=True)
    ]
    high = [
        (_whole(np.maximum(total - 1.0 - position, 0.0)), _number(weight))
        for position, weight in zip(positions, weights, strict=True)
    ]
    return [*low, *reversed(high)]


def common_places(
    counts: NDArray[np.float64], places: int
) -> list[tuple[int, NDArray[np.float64]]]:
    """Iterations that stand for equal parts of the longest of several runs, with how many of each run lie in the part.

    Runs that go on side by side are looked at in the same iterations; those that have ended have a weight of 0 there.

    Args:
        counts: Iterations of each run.
        places: Parts.
    """
    longest = int(counts.max())
    places = min(places, longest)
    ends = [number * longest // places for number in range(places + 1)]
    return [
        ((begin + end - 1) // 2, np.clip(counts - begin, 0.0, end - begin))
        for begin, end in pairwise(ends)
    ]


def _middle(total: NDArray[np.float64], pair: int, pairs: int) -> NDArray[np.float64]:
    if pairs == 1:  # the Gauss point: exact for cubic work but for rounding
        return (total - 1.0) / 2.0 - np.sqrt(np.maximum(total * total - 1.0, 0.0) / 12.0)
    return (2 * pair + 1) * total / (4 * pairs) - 0.5


def _whole(position: NDArray[np.float64]) -> Position:
    whole = position.astype(np.int64)
    return int(whole) if whole.ndim == 0 else whole


def _number(weight: NDArray[np.float64]) -> Count:
    return float(weight) if weight.ndim == 0 else weight


def scattered(count: int, places: int) -> list[tuple[int, float]]:
    """Iterations in [0, count), one somewhere in each of equal parts, with the sizes of the parts, in ascending order.

    For iterations that differ in no order: where in its part one lies follows no step, so that decisions by remainders
    and bits are met as often as they hold. The fractions of multiples of the golden ratio spread evenly.
    """
    places = min(places, count)
    found: list[tuple[int, float]] = []
    begin = 0
    for number in range(places):
        end = (number + 1) * count // places
        within = (number + 1) * GOLDEN % 1.0
        found.append((begin + int(within * (end - begin)), float(end - begin)))
        begin = end
    return found
