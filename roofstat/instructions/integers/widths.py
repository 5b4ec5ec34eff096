"""Widths of values in machine registers, and the scalar names of the cost tables."""

from __future__ import annotations

from typing import Final

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.values import Value
from roofstat.program.code import Op

WIDE: Final = frozenset({Scalar.I64, Scalar.U64})
"""Integers of two words."""

WORDS: Final = frozenset({Scalar.I32, Scalar.U32})
"""Integers of one word."""

NARROW: Final = frozenset({Scalar.I8, Scalar.U8, Scalar.I16, Scalar.U16})
"""Integers of less than a word."""

UNSIGNED_PARTS: Final = frozenset({Scalar.U8, Scalar.U16})
"""Those of them without a sign."""

WORD_BITS: Final = 32
_SCALES = frozenset({Op.MUL, Op.SHL})
_SIGN_BIT = 1 << WORD_BITS - 1


def words(scalar: Scalar) -> float:
    """Registers, and so instructions, of one operation on a scalar."""
    return 2.0 if scalar.size_bytes == 8 else 1.0


def is_word(value: Value) -> bool:
    """Whether the value fits a 32-bit register, possibly extended by the instruction that uses it."""
    if value.scalar.size_bytes <= Scalar.I32.size_bytes:
        return True
    if value.op is Op.CAST and isinstance(value.detail, Scalar):
        return value.detail.is_integer and value.detail.size_bytes <= 4
    if value.is_constant and isinstance(value.constant, int):
        return -(1 << 31) <= value.constant < 1 << 31
    return False


def is_extended(value: Value, *, signed: bool) -> bool:
    """Whether a 64-bit value is a word extended with its sign, or one extended with zeros."""
    if value.is_constant and isinstance(value.constant, int):
        low = -_SIGN_BIT if signed else 0
        return low <= value.constant < low + 2 * _SIGN_BIT
    source = value.detail
    if value.op is not Op.CAST or not isinstance(source, Scalar) or not source.is_integer:
        return False
    if source.size_bytes >= Scalar.I32.size_bytes:
        return source.size_bytes == Scalar.I32.size_bytes and source.is_signed == signed
    return signed or not source.is_signed


SCALAR_NAMES = {
    Scalar.BOOL: "bool",
    Scalar.I8: "int8",
    Scalar.U8: "uint8",
    Scalar.I16: "int16",
    Scalar.U16: "uint16",
    Scalar.I32: "int32",
    Scalar.U32: "uint32",
    Scalar.I64: "int64",
    Scalar.U64: "uint64",
    Scalar.I128: "int128",
    Scalar.U128: "uint128",
    Scalar.F16: "half",
    Scalar.BF16: "bfloat16",
    Scalar.F32: "float",
    Scalar.F64: "double",
    Scalar.VOID: "void",
}


def multiplies_wide(index: Value, products: frozenset[Op] = frozenset({Op.MUL})) -> bool:
    """Whether a 64-bit sum has a product of 64 bits, whose step is then a pair of words."""
    if index.scalar not in WIDE:
        return False
    if index.op in {Op.ADD, Op.SUB}:
        return any(multiplies_wide(arg, products) for arg in index.args)
    return index.op in products


def scales_wide(index: Value) -> bool:
    """Whether a 64-bit sum has a product or a shift of 64 bits."""
    return multiplies_wide(index, _SCALES)
