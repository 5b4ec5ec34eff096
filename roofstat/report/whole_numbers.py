"""Counts without the noise of sums of weights."""

from __future__ import annotations

__all__ = ["MOST_EXACT", "without_noise"]

MOST_EXACT = 2**53
"""Above it a float is not exact anyway, and 1e300 as an integer has 300 digits."""
_NOISE = 1e-12
"""Relative: what rounding leaves of a sum of thousands of weights, far below the share of a single thread."""


def without_noise(value: float) -> float | int:
    """Return a finite number as an integer where it is one but for rounding errors; others keep their digits.

    >>> without_noise(1677721600.0000007), without_noise(2147483647.9999998), without_noise(0.1)
    (1677721600, 2147483648, 0.1)
    """
    if abs(value) < MOST_EXACT:
        nearest = round(value)
        if abs(value - nearest) <= _NOISE * abs(value):
            return nearest
    return value
