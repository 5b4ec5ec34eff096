"""Operators and conversions on registers; constants are folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    BinaryOp,
)
from clang_queries.ir.types import (
    Scalar,
)
from roofstat.program.code import Op
from roofstat.program.constant_arithmetic import folded
from roofstat.program.context import INDEX

if TYPE_CHECKING:
    from roofstat.program.context import Context


_BINARY_OPS = {
    BinaryOp.ADD: Op.ADD,
    BinaryOp.SUB: Op.SUB,
    BinaryOp.MUL: Op.MUL,
    BinaryOp.DIV: Op.DIV,
    BinaryOp.REM: Op.REM,
    BinaryOp.SHL: Op.SHL,
    BinaryOp.SHR: Op.SHR,
    BinaryOp.AND: Op.AND,
    BinaryOp.OR: Op.OR,
    BinaryOp.XOR: Op.XOR,
    BinaryOp.LT: Op.LT,
    BinaryOp.GT: Op.GT,
    BinaryOp.LE: Op.LE,
    BinaryOp.GE: Op.GE,
    BinaryOp.EQ: Op.EQ,
    BinaryOp.NE: Op.NE,
}


def to_bool(context: Context, register: int) -> int:
    """Compare with zero unless it is a truth value already."""
    builder = context.builder
    scalar = builder.register_types[register]
    if scalar is Scalar.BOOL:
        return register
    zero = builder.constant(0.0 if scalar.is_float else 0, scalar)
    return builder.value(Op.NE, Scalar.BOOL, register, zero, scalar=scalar)


def convert(context: Context, register: int, target: Scalar) -> int:
    """Numeric conversion of a register; nothing where the type is already right."""
    builder = context.builder
    source = builder.register_types[register]
    if source is target or target is Scalar.VOID:
        return register
    if target is Scalar.BOOL:
        return to_bool(context, register)
    if register in builder.constants:
        return builder.constant(constant_value(builder.constants[register], target), target)
    return builder.value(Op.CAST, target, register, detail=source)


def constant_value(value: float | bool, scalar: Scalar) -> int | float | bool:
    """A constant as the type holds it."""
    if scalar.is_float:
        return float(value)
    if scalar is Scalar.BOOL:
        return bool(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return 0
        value = int(value)
    return scalar.wrapped(int(value))


def distance(context: Context, start: int, end: int, scalar: Scalar) -> int:
    """How far it is from one integer to another."""
    if context.builder.constants.get(start) == 0:
        return end
    return binary_operation(context, BinaryOp.SUB, end, start, scalar)


def pointer_add(context: Context, base: int, index: int, size: int, *, negate: bool = False) -> int:
    """A pointer moved by a number of elements."""
    builder = context.builder
    if negate:
        index = convert(context, index, INDEX)
        if index in builder.constants:
            index = builder.constant(-int(builder.constants[index]), INDEX)
        else:
            index = builder.value(Op.NEG, INDEX, index)
    return builder.value(
        Op.PTR_ADD, Scalar.U64, base, index, scalar=builder.register_types[index], detail=size
    )


def binary_operation(context: Context, op: BinaryOp, left: int, right: int, scalar: Scalar) -> int:
    """Arithmetic on registers; operands are converted to the operation's type."""
    builder = context.builder
    if op.is_comparison:
        compared = builder.register_types[left]
        if builder.register_types[right] is not compared:
            compared = _common(compared, builder.register_types[right])
            left, right = convert(context, left, compared), convert(context, right, compared)
        result = builder.value(_BINARY_OPS[op], Scalar.BOOL, left, right, scalar=compared)
        return convert(context, result, scalar)
    left = convert(context, left, scalar)
    if op not in (BinaryOp.SHL, BinaryOp.SHR):
        right = convert(context, right, scalar)
    constants = builder.constants
    if left in constants and right in constants:
        known = folded(op, constants[left], constants[right])
        if known is not None:
            return builder.constant(constant_value(known, scalar), scalar)
    return builder.value(_BINARY_OPS[op], scalar, left, right)


def _common(a: Scalar, b: Scalar) -> Scalar:
    if a.is_float or b.is_float:
        return a if a.is_float and a.size_bytes >= (b.size_bytes if b.is_float else 0) else b
    return a if a.size_bytes >= b.size_bytes else b
