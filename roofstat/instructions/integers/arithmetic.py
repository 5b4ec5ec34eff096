"""Arithmetic on constants with the semantics of the device."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARE
from roofstat.program.constant_arithmetic import quotient

if TYPE_CHECKING:
    from collections.abc import Callable

Constant = int | float | bool


def wrap(scalar: Scalar, value: Constant) -> Constant:
    """`value` as it is stored in a `scalar`: modulo 2**bits, rounded to single, or a truth value."""
    if scalar is Scalar.BOOL:
        return bool(value)
    if scalar.is_float:
        return _rounded(scalar, float(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            return 0
        value = math.trunc(value)
    return scalar.wrapped(int(value))


def _rounded(scalar: Scalar, value: float) -> float:
    if scalar is Scalar.F32:
        try:
            return float(struct.unpack("f", struct.pack("f", value))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    return value


def _divide(scalar: Scalar, left: Constant, right: Constant) -> Constant | None:
    if scalar.is_float:
        return float(left) / float(right) if right else None
    if not right:
        return None
    return quotient(int(left), int(right))


def _remainder(scalar: Scalar, left: Constant, right: Constant) -> Constant | None:
    if scalar.is_float:
        return math.fmod(left, right) if right else None
    times = _divide(scalar, left, right)
    return None if times is None else int(left) - int(times) * int(right)


def _shift_right(scalar: Scalar, left: Constant, right: Constant) -> Constant:
    bits = 8 * scalar.size_bytes
    return int(left) >> min(int(right) & 0xFF, bits - 1 if scalar.is_signed else bits)


_BINARY: dict[Op, Callable[[Scalar, Constant, Constant], Constant | None]] = {
    Op.ADD: lambda _, a, b: a + b,
    Op.SUB: lambda _, a, b: a - b,
    Op.MUL: lambda _, a, b: a * b,
    Op.DIV: _divide,
    Op.REM: _remainder,
    Op.SHL: lambda _, a, b: int(a) << (int(b) & 0xFF),
    Op.SHR: _shift_right,
    Op.AND: lambda _, a, b: int(a) & int(b),
    Op.OR: lambda _, a, b: int(a) | int(b),
    Op.XOR: lambda _, a, b: int(a) ^ int(b),
}


_MATH: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "exp2": lambda x: 2.0**x,
    "log2": math.log2,
    "log10": math.log10,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "cbrt": math.cbrt,
    "pow": math.pow,
    "fabs": abs,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
    "fmin": min,
    "fmax": max,
}


def evaluate(op: Op, scalar: Scalar, args: tuple[Constant, ...], detail: object) -> Constant | None:
    """The result of a pure operation on constants; None where it is undefined or not known here.

    Args:
        op: the operation.
        scalar: its type (for `Op.CAST` the target).
        args: operands.
        detail: as in `Instruction.detail`.

    Returns:
        The wrapped result, or None.
    """
    binary = _BINARY.get(op)
    if binary is not None:
        result = binary(scalar, args[0], args[1])
        return None if result is None else wrap(scalar, result)
    compare = COMPARE.get(op)
    if compare is not None:
        return compare(args[0], args[1])
    match op:
        case Op.NEG:
            return wrap(scalar, -args[0])
        case Op.BIT_NOT:
            return wrap(scalar, ~int(args[0]))
        case Op.NOT:
            return not args[0]
        case Op.CAST:
            return wrap(scalar, args[0])
        case Op.SELECT:
            return args[1] if args[0] else args[2]
        case Op.MATH:
            return _math(scalar, args, detail)
        case _:
            return None


def _math(scalar: Scalar, args: tuple[Constant, ...], detail: object) -> Constant | None:
    function = _MATH.get(str(detail))
    if function is None:
        return None
    try:
        return wrap(scalar, function(*args))
    except (ValueError, OverflowError, TypeError, ZeroDivisionError):
        return None


PURE = frozenset(
    {
        *_BINARY,
        *COMPARE,
        Op.NEG,
        Op.BIT_NOT,
        Op.NOT,
        Op.CAST,
        Op.BITCAST,
        Op.SELECT,
        Op.MATH,
        Op.PTR_DIFF,
    }
)
"""Operations without effects whose value depends on their operands alone."""

LOOPING = frozenset({"sin", "cos", "tan", "sincos", "sincos.second"})
"""Functions whose single-precision code holds a loop (for large angles), put in place of the call early: what it computes
is neither shared nor moved, but for the reduction of an angle."""
OF_ANGLES = frozenset({"sin", "cos"})
"""Functions that reduce their argument in the same way."""
