"""Ranges of integer types, and what is left of bounds where a result leaves them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import value_bounds
from roofstat.execution.numbers.values import Unknown

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar


def type_range(scalar: Scalar) -> tuple[int, int]:
    """Smallest and largest number of an integer type."""
    bits = 8 * scalar.size_bytes
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if scalar.is_signed else (0, (1 << bits) - 1)


def wrapped(unknown: Unknown, scalar: Scalar) -> Unknown:
    """An unknown in a type: where its bounds leave the type it may be any number of it, as a hash is.

    What `fgetc` gives keeps the -1 of the end when it becomes a character: its bounds are no wider than the type.
    """
    bounds = value_bounds(unknown)
    if bounds is None:
        return unknown
    low, high = type_range(scalar)
    is_within = low <= bounds[0] and bounds[1] <= high
    is_character = scalar.size_bytes == 1 and bounds[1] - bounds[0] <= high - low + 1
    if is_within or is_character:
        return unknown
    return replace(unknown, key=new_key(), scale=1, offset=0, low=low, high=high, sample=None)


def bits_above(high: float) -> int:
    """The largest number with as many bits."""
    return (1 << int(high).bit_length()) - 1
