"""Addresses that a linear index reaches through a division and a remainder: `a[i % n * s + i / n * t]`.

Flattened loop nests and transposes look so. Along the index addresses step by `s`, and by a jump more at each multiple of
the period `n`; the jump is the greatest common divisor of what `s` does not explain, and the period follows from where
jumps were seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_SAMPLES = 4096
_MAX_FACTOR = 1 << 15
"""Samples that lie far apart may show multiples of the jump only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Where a linear index jumps."""

    length: int
    """Indices between two jumps."""
    jump_bytes: int
    """What is added at each of them."""

    def explained(self, index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bytes that the jumps before each index add up to."""
        return self.jump_bytes * (index // self.length)


def find_period(
    index: NDArray[np.int64], residual: NDArray[np.int64], inner_bytes: int, unit_bytes: int
) -> Period | None:
    """Return the jumps of addresses along a linear index; None where they do not come at equal distances.

    Where samples leave several periods possible, the quotient with the smallest stride is taken.

    Args:
        index: Linear index of each sample, from 0.
        residual: Addresses less the even steps.
        inner_bytes: The even step.
        unit_bytes: Jumps are multiples of this.
    """
    thin = slice(None, None, -(-len(index) // _MAX_SAMPLES))
    index, residual = index[thin], residual[thin]
    first = int(index.argmin())
    if int(index[first]) != 0:
        return None
    moved = residual - residual[first]
    jump = int(np.gcd.reduce(moved))
    if jump == 0:
        return None
    count = moved // jump
    if int(count[int(index.argmax())]) < 0:
        jump, count = -jump, -count
    found = []
    for factor in _factors(abs(jump), unit_bytes):
        lengths = _lengths(index, count * factor)
        if lengths is not None:
            step = jump // factor
            back = round(-step / inner_bytes) if inner_bytes else lengths[1]
            length = min(max(back, lengths[0]), lengths[1])
            found.append(Period(length=length, jump_bytes=step))
    return min(found, key=lambda p: abs(p.jump_bytes + inner_bytes * p.length), default=None)


def _factors(jump: int, unit: int) -> list[int]:
    """Numbers of jumps, multiples of a unit each, that a distance may be."""
    if jump % unit:
        return []
    numbers = np.arange(1, _MAX_FACTOR + 1)
    found: list[int] = numbers[jump // unit % numbers == 0].tolist()
    return found


def _lengths(index: NDArray[np.int64], count: NDArray[np.int64]) -> tuple[int, int] | None:
    """Shortest and longest period at which every index lies behind as many jumps as it was seen to."""
    if int(count.min()) < 0:
        return None
    jumped = count > 0
    longest = int((index[jumped] // count[jumped]).min())
    shortest = max(int((index // (count + 1)).max()) + 1, 2)
    return (shortest, longest) if longest >= shortest else None
