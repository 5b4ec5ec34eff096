"""Operators on what is known: Python numbers stay Python numbers, arrays stay arrays."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import Array, Number, Value, number_of
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARE
from roofstat.program.constant_arithmetic import quotient

if TYPE_CHECKING:
    from collections.abc import Callable

_INTEGERS: dict[Op, Callable[[int, int], int]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.AND: operator.and_,
    Op.OR: operator.or_,
    Op.XOR: operator.xor,
}
NUMPY: dict[Op, Callable[[Array, Array], Array]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.AND: np.bitwise_and,
    Op.OR: np.bitwise_or,
    Op.XOR: np.bitwise_xor,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.GT: np.greater,
    Op.GE: np.greater_equal,
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
}
_SHIFTS = frozenset({Op.SHL, Op.SHR})
DOUBLE_WORDS = frozenset({Scalar.I128, Scalar.U128})


def of_numbers(op: Op, scalar: Scalar, a: Number, b: Number) -> Value:
    """``a op b`` of two Python numbers."""
    compare = COMPARE.get(op)
    if compare is not None:
        return compare(a, b)
    if scalar.is_float:
        return _python_float(op, float(a), float(b))
    x, y = int(a), int(b)
    plain = _INTEGERS.get(op)
    if plain is not None:
        return number_of(plain(x, y), scalar)
    match op:
        case Op.DIV | Op.REM:
            if y == 0:
                return new_unknown("division by zero", uniform=True)
            times = quotient(x, y)
            result = times if op is Op.DIV else x - times * y
        case Op.SHL:
            result = x << (y & _most_shifted(scalar))
        case Op.SHR:
            result = x >> (y & _most_shifted(scalar))
        case _:
            result = x ^ y
    return number_of(result, scalar)


def _most_shifted(scalar: Scalar) -> int:
    """The largest amount that numbers of a type are shifted by; words are shifted as pairs of them are."""
    return 127 if scalar in DOUBLE_WORDS else 63


def _python_float(op: Op, a: float, b: float) -> Value:
    try:
        match op:
            case Op.ADD:
                return a + b
            case Op.SUB:
                return a - b
            case Op.MUL:
                return a * b
            case Op.DIV:
                return a / b
            case _:
                return new_unknown(f"{op.value} on floats", uniform=True, is_float=True)
    except ZeroDivisionError:
        return float("nan") if a == 0 or a != a else float("inf") * (1 if a > 0 else -1)
    except OverflowError:
        return float("inf")


def of_arrays(op: Op, scalar: Scalar, a: Array, b: Array) -> Array:
    """``a op b`` of the lanes of two arrays."""
    function = NUMPY.get(op)
    if function is not None:
        if scalar is Scalar.BOOL and op in (Op.ADD, Op.MUL):
            function = np.logical_or if op is Op.ADD else np.logical_and
        return np.asarray(function(a, b))
    amount = (
        (b & np.asarray(scalar.size_bytes * 8 - 1, a.dtype)).astype(a.dtype) if op in _SHIFTS else b
    )
    if op is Op.SHL:
        return np.asarray(np.left_shift(a, amount))
    if op is Op.SHR:
        return np.asarray(np.right_shift(a, amount))
    if scalar.is_float:
        return np.asarray(np.divide(a, b))
    return _integer_division(op, a, b)


def _integer_division(op: Op, a: Array, b: Array) -> Array:
    if a.dtype == np.bool_:
        a, b = a.astype(np.int32), b.astype(np.int32)
    safe = np.where(b == 0, np.ones_like(b), b)
    quotient = np.floor_divide(a, safe)
    if np.issubdtype(a.dtype, np.signedinteger):
        remainder = a - quotient * safe
        quotient = quotient + ((remainder != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.asarray(quotient if op is Op.DIV else a - quotient * safe)
