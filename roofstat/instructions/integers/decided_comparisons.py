"""Comparisons of integers that types and masks decide: `byte > 255`, `(i & 15) < 16`, unsigned numbers below zero.

Both compilers leave them out, and the branches on them (SASS of six own kernels by nvcc 13.0 for sm_90 and clang 18.1.6 for sm_86).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.integers.known_bits import range_of_bytes
from roofstat.program.code import Op

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.instructions.graph.values import Value


def decided(op: Op, scalar: Scalar, args: tuple[Value, ...]) -> bool | None:
    """What such a comparison always gives; None where it depends.

    Args:
        op: EQ, NE, LT or LE.
        scalar: Type of the operands.
        args: The operands, of which one is a constant.
    """
    if scalar.is_float or not any(arg.is_constant for arg in args):
        return None
    left, right = (_limits(arg, scalar) for arg in args)
    if left is None or right is None:
        return None
    is_below = left[1] < right[0]
    is_above = left[0] > right[1]
    match op:
        case Op.EQ | Op.NE:
            return (op is Op.NE) if is_below or is_above else None
        case Op.LT:
            is_above = left[0] >= right[1]
        case _:
            is_below = left[1] <= right[0]
    return is_below if is_below or is_above else None


def _limits(value: Value, scalar: Scalar) -> tuple[int, int] | None:
    """The smallest and the largest number that an operand can be; None where only its type says, and that is signed."""
    bits = 8 * scalar.size_bytes
    lowest, highest = (
        (-(1 << bits - 1), (1 << bits - 1) - 1) if scalar.is_signed else (0, (1 << bits) - 1)
    )
    known = range_of_bytes(value)
    if known is None:
        return None if scalar.is_signed else (lowest, highest)
    return known if lowest <= known[0] and known[1] <= highest else None
