"""Arithmetic on two constants, as C++ does it on numbers that do not overflow."""

from __future__ import annotations

from clang_queries.ir.expressions import BinaryOp

Number = int | float | bool

_WIDEST_BITS = 64


def folded(op: BinaryOp, left: Number, right: Number) -> Number | None:
    """What an operator makes of two numbers of one kind (whole or floating).

    None where C++ leaves it open (division by zero, shifts by more than a word) and for logic and comparisons, which nobody
    here asks for. The caller wraps the number to its type.
    """
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
    if isinstance(left, float) or isinstance(right, float):
        return left / right if op is BinaryOp.DIV and right else None
    match op:
        case BinaryOp.DIV if right:
            return quotient(left, right)
        case BinaryOp.REM if right:
            return left - quotient(left, right) * right
        case BinaryOp.SHL if 0 <= right < _WIDEST_BITS:
            return left << right
        case BinaryOp.SHR if 0 <= right < _WIDEST_BITS:
            return left >> right
        case _:
            return None


def quotient(left: int, right: int) -> int:
    """Rounded towards zero, unlike Python's."""
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size
