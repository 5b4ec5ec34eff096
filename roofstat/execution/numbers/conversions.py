"""Conversions of values to another type, by number and by bits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.integer_ranges import type_range, wrapped
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import new_unknown, value_bounds
from roofstat.execution.numbers.values import (
    DTYPES,
    NUMBERS,
    OPEN,
    Array,
    Mixed,
    Number,
    Unknown,
    Value,
    number_of,
    order_of,
    to_array,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def cast(value: Value, source: Scalar, target: Scalar) -> Value:
    """Numeric conversion."""
    if isinstance(value, Unknown):
        if source.is_float or target.is_float:
            limits = _converted_bounds(value, target)
            return Unknown(
                new_key(),
                value.uniform,
                reason=value.reason,
                is_float=target.is_float,
                low=limits[0],
                high=limits[1],
                is_type_range=value.is_type_range,
                sample=_converted_sample(value, target) if limits[0] is not None else None,
                follows=order_of(value) if limits[0] is not None and value.scale > 0 else None,
            )
        if (
            target.size_bytes < 4
            and value.low is None
            and not target.is_signed
            and target is not Scalar.BOOL
        ):
            return replace(
                value,
                low=0,
                high=type_range(target)[1],
                scale=1,
                offset=0,
                key=new_key(),
                is_type_range=True,
            )
        if source is Scalar.BOOL and value.low is None and value.scale == 1:
            # The outcome of a comparison, as a number.
            return replace(value, low=0, high=1)
        value = wrapped(value, target) if value.uniform and target is not Scalar.BOOL else value
        is_narrow = source.size_bytes < 4 and not source.is_signed and source is not Scalar.BOOL
        is_plain = value.scale == 1 and isinstance(value.offset, int) and value.offset == 0
        if is_narrow and is_plain and value.low is None:
            return replace(value, type_high=type_range(source)[1])
        return value
    if isinstance(value, Mixed):
        return Mixed(_array_cast(value.values, target), value.known, value.unknown)
    if isinstance(value, np.ndarray):
        return _array_cast(value, target)
    return number_of(value, target)


def _converted_bounds(value: Unknown, target: Scalar) -> tuple[float | None, float | None]:
    """Bounds after a conversion from or to floating point (which truncates; the upper end is taken as exclusive)."""
    bounds = value_bounds(value)
    if bounds is None or isinstance(value.offset, np.ndarray):
        return None, None
    low, high = bounds
    if target.is_float or not value.is_float:
        return low, high
    if not abs(low) < 2.0**62 or not abs(high) < 2.0**62:
        return None, None
    return int(low), max(math.ceil(high) - 1, int(low)) if high > low else int(high)


def _converted_sample(value: Unknown, target: Scalar) -> NDArray[np.float64] | None:
    if value.sample is None:
        return None
    numbers = value.sample * value.scale + value.offset
    return numbers if target.is_float else np.trunc(numbers)


def _array_cast(value: Array, target: Scalar) -> Array:
    dtype = DTYPES[target]
    if value.dtype == dtype:
        return value
    if value.dtype.kind == "f" and dtype.kind in "iu":
        cleaned = np.nan_to_num(value, nan=0.0, posinf=2.0**31, neginf=-(2.0**31))
        return np.asarray(cleaned.astype(np.int64).astype(dtype))
    return np.asarray(value.astype(dtype))


def bitcast(value: Value, source: Scalar, target: Scalar) -> Value:
    """Same bits, other type; where the sizes differ nothing is known."""
    if isinstance(value, OPEN) or source.size_bytes != target.size_bytes:
        return new_unknown(
            "reinterpreted bits", uniform=isinstance(value, NUMBERS), is_float=target.is_float
        )
    if source in (Scalar.F16, Scalar.BF16) or target in (Scalar.F16, Scalar.BF16):
        return new_unknown("reinterpreted half bits", is_float=target.is_float)
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(to_array(value, source, len(value))).view(DTYPES[target])
    single = np.array([number_of(value, source)], DTYPES[source]).view(DTYPES[target])
    number: Number = single[0].item()
    return number
