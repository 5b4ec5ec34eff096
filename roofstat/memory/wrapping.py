"""Addresses whose index wraps around: ``a[(64 * j) % 1000]``, ``a[(t + j) & 63]``.

An index of the form ``(sum of step * coordinate) % period`` reaches the multiples of the greatest common divisor of its
steps and its period, or, in short walks, some of them. Which ones follows from the steps, without looking at every access.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.fits import WrappedIndex

MAX_PLACES = 1 << 18
"""Places of one period that are looked at one by one."""


def step_within(
    change: NDArray[np.int64], distance: NDArray[np.int64], period_bytes: int
) -> int | None:
    """Return by how many bytes (less than a period) addresses step along a coordinate; None where pairs disagree.

    Args:
        change: Difference of the addresses of each pair.
        distance: Difference of their coordinates, positive.
        period_bytes: After so many bytes they begin again.
    """
    adjacent = distance == 1
    if adjacent.any():
        steps = change[adjacent] % period_bytes
        return int(steps[0]) if bool((steps == steps[0]).all()) else None
    # Pairs that lie farther apart tell the step only where nothing wrapped around between them: most often the same.
    whole = change % distance == 0
    if not whole.any():
        return None
    values, counts = np.unique(change[whole] // distance[whole], return_counts=True)
    return int(values[counts.argmax()]) % period_bytes


def wraps(index: WrappedIndex) -> bool:
    """Whether the index ever reaches the end of its period."""
    period = index.period_bytes
    return sum(min(s, period - s) * (n - 1.0) for _, s, n in index.parts) >= period


def unit_bytes(index: WrappedIndex) -> int:
    """Distance of the places that the index can reach."""
    return math.gcd(index.period_bytes, *(step for _, step, _ in index.parts))


@functools.lru_cache(maxsize=4096)
def reached_granules(
    element_bytes: int,
    period_bytes: int,
    start_bytes: int,
    steps: tuple[tuple[int, float], ...],
    phase_bytes: int,
    granule: int,
) -> tuple[int, int]:
    """Return how many granules, and how many elements, an index touches.

    Args:
        element_bytes: Width of one access.
        period_bytes: Where the index begins again.
        start_bytes: Where in the period it begins.
        steps: (bytes, extent) along each coordinate.
        phase_bytes: Where in a granule the period begins.
        granule: Bytes that move together.

    Example:
        >>> reached_granules(4, 4000, 0, ((256, 5000.0),), 0, 32)  # every eighth of 1,000 floats
        (125, 125)
    """
    unit = math.gcd(period_bytes, *(step for step, _ in steps))
    count = period_bytes // unit
    reached = np.zeros(count, dtype=np.bool_)
    reached[start_bytes // unit] = True
    for step, extent in steps:
        places = step // unit
        turns = min(math.ceil(extent), count // math.gcd(count, places))
        done = 1
        while done < turns:
            more = min(done, turns - done)
            reached |= np.roll(reached, places * more % count)
            done += more
    first = np.flatnonzero(reached) * unit + start_bytes % unit + phase_bytes
    ends = np.concatenate([first // granule, (first + element_bytes - 1) // granule])
    return len(distinct(ends)), len(first)
