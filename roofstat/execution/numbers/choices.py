"""Choices between two values by a condition that may be unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import interval_of, is_uniform
from roofstat.execution.numbers.values import (
    OPEN,
    Mixed,
    Unknown,
    Value,
    merge,
    outcomes,
    to_array,
    uniform_draws,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EVEN = 0.5
"""Probability of a condition on unknown data."""
_NEAR = 32
"""Elements or bytes between two choices that count as neighbours."""


def either(
    condition: Unknown, a: Value, b: Value, active: NDArray[np.bool_], scalar: Scalar
) -> Value | None:
    """One of two known indices or addresses, by a condition on unknown data; None where they are not known.

    Two that are the same small distance apart in all active lanes give an affine unknown, so that the choice stays near
    both: ``c ? p + 1 : p``. Others are drawn evenly, as branches are: the steps of a search.
    """
    if isinstance(a, OPEN) or isinstance(b, OPEN) or not active.any():
        return None
    lanes = len(active)
    first = to_array(a, scalar, lanes).astype(np.int64)
    second = to_array(b, scalar, lanes).astype(np.int64)
    apart = (first - second)[active]
    if abs(int(apart[0])) <= _NEAR and (apart == apart[0]).all():
        if apart[0] == 0:
            return b
        offset: int | NDArray[np.int64] = int(b) if isinstance(b, int) else second
        return Unknown(
            new_key(),
            condition.uniform,
            scale=int(apart[0]),
            offset=offset,
            low=0,
            high=1,
            reason=condition.reason,
            origin=condition.origin,
        )
    return merge(uniform_draws(condition, lanes) < _EVEN, a, b, scalar)


def clamped(value: Value, limit: Value) -> Unknown | None:
    """An index that nobody knows, held within an array by a limit that is known; None for other pairs of values.

    Few indices lie outside, so that it stays what it was: from ``max(c - 1, 0)`` to ``min(c + 1, n - 1)`` are three.
    """
    if not isinstance(value, Unknown) or value.is_float or value.low is not None:
        return None
    return None if isinstance(limit, Unknown | Mixed | float) else value


def neighbour_within(
    compared: Value, neighbour: Value, limit: Value, *, is_below: bool
) -> Unknown | None:
    """The neighbour of an index that nobody knows, ``c > 0 ? c - 1 : 0`` or ``c < n - 1 ? c + 1 : c``; None for other choices.

    Few indices lie at the border, so that from the one to the other are three.

    Args:
        compared: What the choice compares.
        neighbour: What it takes inside of the border.
        limit: What it takes there: a number, or the index itself.
        is_below: Whether the neighbour is taken for what is compared being the smaller one.
    """
    if not isinstance(compared, Unknown) or not isinstance(neighbour, Unknown):
        return None
    if neighbour.is_float or neighbour.low is not None or not _share_number(compared, neighbour):
        return None
    away = neighbour.offset - compared.offset
    if isinstance(limit, Unknown):
        is_at_border = _share_number(compared, limit) and np.all(limit.offset == compared.offset)
        if not is_at_border or not np.all(away != 0):
            return None
    elif isinstance(limit, Mixed | float):
        return None
    return neighbour if np.all(away >= 0 if is_below else away <= 0) else None


def _share_number(one: Unknown, other: Unknown) -> bool:
    """Whether the distance of two integers is known though they are not."""
    return one.key == other.key and one.scale == other.scale


def select(condition: Value, a: Value, b: Value, scalar: Scalar, lanes: int) -> Value:
    """``condition ? a : b``."""
    if isinstance(condition, int):
        return a if condition else b
    if isinstance(condition, np.ndarray):
        return merge(condition, a, b, scalar)
    if isinstance(condition, Mixed):
        chosen = merge(condition.values.astype(np.bool_), a, b, scalar)
        if isinstance(chosen, Unknown):
            return chosen
        values = chosen.values if isinstance(chosen, Mixed) else to_array(chosen, scalar, lanes)
        known = condition.known & chosen.known if isinstance(chosen, Mixed) else condition.known
        return Mixed(values, known, condition.unknown.fresh(new_key()))
    uniform = is_uniform(condition) and is_uniform(a) and is_uniform(b)
    limits = [interval_of(value) for value in (a, b)]
    low = high = None
    if all(limit is not None for limit in limits):
        low = min(limit[0] for limit in limits if limit is not None)
        high = max(limit[1] for limit in limits if limit is not None)
    return Unknown(
        new_key(),
        uniform,
        low=low,
        high=high,
        reason=getattr(condition, "reason", ""),
        is_float=scalar.is_float,
        sample=_chosen(condition, a, b) if lanes == 1 and low is not None else None,
    )


def _chosen(condition: Value, a: Value, b: Value) -> NDArray[np.float64] | None:
    """What a choice of host code may be, as often as its condition holds."""
    first, second = outcomes(a), outcomes(b)
    if not isinstance(condition, Unknown) or condition.sample is None:
        return None
    if first is None or second is None:
        return None
    return np.where(condition.sample != 0, first, second)
