"""Division of integers by constants: multiply by a magic number, or shift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.integers.widths import WIDE
from roofstat.program.code import Op

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar


def division_by_constant(op: Op, scalar: Scalar, divisor: int, has_quotient: bool) -> float:
    """Integer instructions for `x / divisor` or `x % divisor`.

    Args:
        op: `Op.DIV` or `Op.REM`.
        scalar: type of the operands.
        divisor: not zero.
        has_quotient: whether the quotient is computed anyhow (then a remainder is one multiply-add).

    Returns:
        Instructions of one thread. Words: signed powers of two take a sign shift (not two itself), LEA.HI and SHF; others
        IMAD.HI and LEA.HI with the sign; unsigned ones IMAD.HI.U32 and SHF, and two more where an odd divisor has a magic
        number of 33 bits.
        Pairs of words, as nvcc 13 and clang 18 have them in SASS: unsigned quotients 8, 10 where an even divisor and 15
        where an odd one has a magic number of 65 bits, signed ones 11 to 15; remainders 3 more.
    """
    wide = scalar in WIDE
    remainder = 3.0 if wide else 1.0
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
        quotient = 13.0 if wide else 3.0
    elif wide:
        quotient = 8.0
        if _magic_exceeds(magnitude, 64):
            quotient += 7.0 if magnitude % 2 else 2.0
    else:
        quotient = 4.0 if magnitude % 2 and _magic_exceeds(magnitude, 32) else 2.0
    return quotient if op is Op.DIV else quotient + remainder


def _magic_exceeds(divisor: int, bits: int) -> bool:
    """Whether the magic number of an unsigned division of numbers of so many bits has one more."""
    for shift in range(divisor.bit_length() + 1):
        magic = ((1 << (bits + shift)) + divisor - 1) // divisor
        error = magic * divisor - (1 << (bits + shift))
        if magic < 1 << bits and error <= 1 << shift:
            return False
    return True
