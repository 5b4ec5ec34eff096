"""Division of integers by constants: multiply by a magic number, or shift."""

from __future__ import annotations

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

_WIDE = frozenset({Scalar.I64, Scalar.U64})


def division_by_constant(op: Op, scalar: Scalar, divisor: int, has_quotient: bool) -> float:
    """Integer instructions for `x / divisor` or `x % divisor`.

    Args:
        op: `Op.DIV` or `Op.REM`.
        scalar: type of the operands.
        divisor: not zero.
        has_quotient: whether the quotient is computed anyhow (then a remainder is one multiply-add).

    Returns:
        Instructions of one thread. Words: signed powers of two take a sign shift (not two itself), LEA.HI and
        SHF; others IMAD.HI and
        LEA.HI with the sign; unsigned ones IMAD.HI.U32 and SHF, and two more where the magic number needs 33 bits.
    """
    wide = scalar in _WIDE
    remainder = 4.0 if wide else 1.0
    if op is Op.REM and has_quotient:
        return remainder
    magnitude = abs(divisor)
    power = magnitude & (magnitude - 1) == 0
    if power:
        if not scalar.is_signed:
            return 2.0 if wide else 1.0
        quotient = 5.0 if wide else 3.0
        if magnitude == 2:
            # The sign bit itself is what is added before the shift.
            quotient -= 1.0
        # The low bits are cleared and subtracted.
        remainder = 4.0 if wide else 1.0
    elif scalar.is_signed:
        quotient = 14.0 if wide else 3.0
    else:
        quotient = 12.0 if wide else (4.0 if _needs_33_bits(magnitude) else 2.0)
    return quotient if op is Op.DIV else quotient + remainder


def _needs_33_bits(divisor: int) -> bool:
    """Whether the magic number of an unsigned 32-bit division exceeds a word."""
    if divisor % 2 == 0:
        return False
    bits = divisor.bit_length()
    for shift in range(bits + 1):
        magic = ((1 << (32 + shift)) + divisor - 1) // divisor
        error = magic * divisor - (1 << (32 + shift))
        if magic < 1 << 32 and error <= 1 << shift:
            return False
    return True
