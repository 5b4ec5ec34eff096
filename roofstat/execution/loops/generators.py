"""States of random number generators that host code writes itself: linear congruences, shifts and exclusive ors."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from roofstat.execution.numbers.integer_ranges import type_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries.ir.types import Scalar
    from roofstat.execution.numbers.values import Value

_FEW_STEPS = 64
"""Counters do not leave their type within so many steps; states of generators cross it in a few."""
_NARROWEST_BITS = 24
"""States kept in a part of their type have no fewer bits."""


def state_range(values: Sequence[Value | None], scalar: Scalar) -> tuple[int, int] | None:
    """Inclusive bounds of what a variable may be later that steps through its type at random; None for others.

    Args:
        values: What it was after three iterations on end or more.
        scalar: Its type.
    """
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if scalar.is_float or scalar.size_bytes < 4 or len(numbers) < max(len(values), 3):
        return None
    steps = [after - before for before, after in pairwise(numbers)]
    if 0 in steps or len(set(steps)) == 1:
        return None
    low, high = type_range(scalar)
    if scalar.is_signed and min(numbers) >= 0:
        low = 0
    goes_back = min(steps) < 0 < max(steps)
    if goes_back and min(numbers) >= 0 and max(numbers).bit_length() >= _NARROWEST_BITS:
        high = min(high, (1 << max(max(numbers).bit_length(), 31)) - 1)
    widest = max(map(abs, steps))
    return (low, high) if widest * _FEW_STEPS > high - low else None
