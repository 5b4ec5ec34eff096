"""New unknowns, and what is known of a value whatever it is: its bounds, its origin, whether all lanes share it."""

from __future__ import annotations

import numpy as np

from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import (
    NUMBERS,
    Array,
    Number,
    Unknown,
    Value,
    drawn_numbers,
    splitmix,
)
from roofstat.hardware.units import WARP_SIZE


def new_unknown(reason: str, *, uniform: bool = False, is_float: bool = False) -> Unknown:
    """An unknown that nothing is known of."""
    return Unknown(new_key(), uniform, reason=reason, is_float=is_float)


def value_bounds(unknown: Unknown) -> tuple[float, float] | None:
    """Inclusive bounds of the whole value over all lanes, where known."""
    if unknown.low is None or unknown.high is None:
        return None
    ends = (unknown.low * unknown.scale, unknown.high * unknown.scale)
    if isinstance(unknown.offset, np.ndarray):
        return (min(ends) + int(unknown.offset.min()), max(ends) + int(unknown.offset.max()))
    return (min(ends) + unknown.offset, max(ends) + unknown.offset)


def interval_of(value: Value) -> tuple[float, float] | None:
    """Inclusive bounds of a value over all lanes; None for arrays and where they are not known."""
    if isinstance(value, Unknown):
        return value_bounds(value)
    if isinstance(value, NUMBERS):
        return (value, value)
    return None


def is_uniform(value: Value) -> bool:
    """Whether all lanes are known to hold the same."""
    if isinstance(value, Unknown):
        return value.uniform and not isinstance(value.offset, np.ndarray)
    return isinstance(value, NUMBERS)


def origin_of(a: Value, b: Value) -> int | None:
    """The buffer that one of two operands was read from."""
    for value in (a, b):
        if isinstance(value, Unknown) and value.origin is not None:
            return value.origin
    return None


def common_index(a: Value, b: Value, lanes: int) -> Array | None:
    """Numbers that are equal where lanes agree on both operands, and so on the result; None where that is not known."""
    found: Array | None = None
    for value in (a, b):
        parts: list[Array] = []
        if isinstance(value, np.ndarray):
            parts.append(value)
        elif isinstance(value, Unknown):
            if value.lane_index is not None:
                parts.append(value.lane_index)
            elif value.uniform:
                parts.append(np.arange(lanes) // WARP_SIZE)
            else:
                return None
            if isinstance(value.offset, np.ndarray):
                parts.append(value.offset)
        for part in parts:
            if found is None:
                found = part.astype(np.int64)
            elif not np.array_equal(found, part):
                mixed = splitmix(found.astype(np.uint64)) + part.astype(np.int64).astype(np.uint64)
                found = (mixed >> np.uint64(1)).astype(np.int64)
    return found


def drawn(value: Value, lanes: int) -> Value:
    """Numbers in place of an unknown of which enough is known; host code keeps it, since its loops are summarised."""
    if lanes == 1 or not isinstance(value, Unknown) or not value.is_drawable:
        return value
    if value.uniform and value.lane_index is None and not isinstance(value.offset, np.ndarray):
        return drawn_number(value)
    return drawn_numbers(value, lanes)


def drawn_number(value: Value) -> Value:
    """The number in place of an unknown that is the same in all lanes, where enough is known of it."""
    if not isinstance(value, Unknown) or not value.is_drawable or not is_uniform(value):
        return value
    number: Number = drawn_numbers(value, 1)[0].item()
    return number
