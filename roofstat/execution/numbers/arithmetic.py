"""Operators on machine values: numbers, arrays of lanes, unknowns, and mixtures of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.known_arithmetic import of_arrays, of_numbers
from roofstat.execution.numbers.unknown_arithmetic import compare_by_bounds, of_unknowns
from roofstat.execution.numbers.unknowns import is_uniform, value_bounds
from roofstat.execution.numbers.values import (
    DTYPES,
    NUMBERS,
    OPEN,
    Array,
    Mixed,
    Unknown,
    Value,
    drawn_numbers,
    number_of,
    operand,
    scaled,
    to_array,
)
from roofstat.program.code import Op

_SMALLEST_MODULUS = 1 << 24
"""Remainders by a larger number are residues of a field or states of a generator, no places in an array."""


def binary(op: Op, scalar: Scalar, a: Value, b: Value, lanes: int) -> Value:
    """``a op b`` in the arithmetic of `scalar`."""
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS):
        return of_numbers(op, scalar, a, b)
    if scalar is Scalar.BOOL and (op is Op.AND or op is Op.OR):
        decided = _decided_by_one(op, a, b)
        if decided is not None:
            return decided
    if op is Op.REM and isinstance(a, OPEN):
        residues = _residues(a, b, scalar, lanes)
        if residues is not None:
            return residues
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return of_unknowns(op, scalar, a, b, lanes)
    if isinstance(a, Mixed) or isinstance(b, Mixed):
        return _mixed_binary(op, scalar, a, b)
    return of_arrays(op, scalar, operand(a, scalar), operand(b, scalar))


def _residues(a: Unknown | Mixed, modulus: Value, scalar: Scalar, lanes: int) -> Array | None:
    """Remainders of lanes by a large number: any residue is as likely, as of the state of a generator; None for others."""
    unknown = a.unknown if isinstance(a, Mixed) else a
    if lanes == 1 or is_uniform(unknown) or not isinstance(modulus, int):
        return None
    if modulus < _SMALLEST_MODULUS or compare_by_bounds(Op.LT, unknown, modulus) is True:
        return None
    bounds = Unknown(new_key(), low=0, high=modulus - 1, lane_index=unknown.lane_index)
    if not bounds.is_drawable:
        return None
    draws = drawn_numbers(bounds, lanes).astype(DTYPES[scalar])
    if isinstance(a, Mixed):
        known = of_arrays(
            Op.REM,
            scalar,
            to_array(a.values, scalar, lanes),
            to_array(modulus, scalar, lanes),
        )
        return np.where(a.known, known, draws)
    return draws


def _mixed_binary(op: Op, scalar: Scalar, a: Value, b: Value) -> Value:
    known: Array | None = None
    unknown: Unknown | None = None
    operands: list[Array] = []
    for value in (a, b):
        if isinstance(value, Mixed):
            known = value.known if known is None else known & value.known
            unknown = unknown or value.unknown
            operands.append(operand(value.values, scalar))
        else:
            assert not isinstance(value, Unknown)
            operands.append(operand(value, scalar))
    assert known is not None
    assert unknown is not None
    values = of_arrays(op, scalar, operands[0], operands[1])
    if op in (Op.EQ, Op.NE) and not (isinstance(a, Mixed) and isinstance(b, Mixed)):
        first, second = (value.unknown if isinstance(value, Mixed) else value for value in (a, b))
        decided = compare_by_bounds(op, first, second)
        if isinstance(decided, bool):  # what the others cannot be
            return np.where(known, values, decided)
    if scalar.is_float and (op is Op.MUL or op is Op.DIV):
        # What nobody knows is no infinity.
        factors = zip((a, b), operands, strict=True) if op is Op.MUL else [(a, operands[0])]
        for value, numbers in factors:
            is_zero = numbers == 0
            if isinstance(value, Mixed):
                is_zero = is_zero & value.known
            known = known | is_zero
            values = np.where(is_zero, 0, values).astype(values.dtype)
    return Mixed(values, known, unknown.fresh(new_key()))


def _decided_by_one(op: Op, a: Value, b: Value) -> Value | None:
    """A logical operator on what some lanes do not know: one operand decides it in some of them; None elsewhere."""
    unknown = next(
        (
            value.unknown if isinstance(value, Mixed) else value
            for value in (a, b)
            if isinstance(value, OPEN)
        ),
        None,
    )
    if unknown is None:
        return None
    deciding = op is Op.OR
    decided: Array | bool = False
    known: Array | bool = True
    for value in (a, b):
        if isinstance(value, Unknown):
            known = False
        elif isinstance(value, Mixed):
            decided = decided | (value.known & (value.values.astype(np.bool_) == deciding))
            known = known & value.known
        elif isinstance(value, NUMBERS):
            decided = decided | (bool(value) is deciding)
        else:
            decided = decided | (value.astype(np.bool_) == deciding)
    if isinstance(decided, bool):
        return deciding if decided else None
    if not decided.any():
        return None
    values = np.where(decided, deciding, not deciding)
    return values if decided.all() else Mixed(values, decided | known, unknown)


def unary(op: Op, scalar: Scalar, a: Value) -> Value:
    """NEG, BIT_NOT, NOT."""
    if isinstance(a, Unknown):
        if op is Op.NEG and not scalar.is_float:
            return scaled(a, -1)
        if op is Op.NOT and a.sample is not None:
            return replace(a, key=new_key(), low=0, high=1, sample=(a.sample == 0).astype(float))
        bounds = value_bounds(a) if op is Op.NEG else None
        return Unknown(
            new_key(),
            a.uniform,
            low=-bounds[1] if bounds is not None else None,
            high=-bounds[0] if bounds is not None else None,
            reason=a.reason,
            is_float=scalar.is_float,
            origin=a.origin,
            sample=-a.sample if op is Op.NEG and a.sample is not None else None,
        )
    if isinstance(a, Mixed):
        values = _of_array(op, scalar, a.values)
        return Mixed(values, a.known, a.unknown.fresh(new_key()))
    if isinstance(a, np.ndarray):
        return _of_array(op, scalar, a)
    if op is Op.NOT:
        return not a
    if op is Op.NEG:
        return -float(a) if scalar.is_float else number_of(-int(a), scalar)
    return number_of(~int(a), scalar)


def _of_array(op: Op, scalar: Scalar, a: Array) -> Array:
    if op is Op.NOT:
        return np.asarray(np.logical_not(a))
    a = to_array(a, scalar, len(a))
    return np.asarray(np.negative(a) if op is Op.NEG else np.invert(a))
