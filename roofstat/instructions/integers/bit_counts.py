"""The number of bits in a word, summed up in parallel by masks and shifts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.instructions.graph.values import Value

_PAIRS, _NIBBLES, _BYTES, _ONES = 0x55, 0x33, 0x0F, 0x01


def counted_word(scalar: Scalar, product: Value, amount: Value) -> Value | None:
    """The word whose bits `product >> amount` counts, as LLVM finds it; None for other shifts.

    `x -= x >> 1 & 0x55...; x = (x & 0x33...) + (x >> 2 & 0x33...); (x + (x >> 4) & 0x0f...) * 0x01... >> all bits but 8`.
    """
    bits = 8 * scalar.size_bytes
    if scalar.is_signed or amount.constant != bits - 8:
        return None
    bytes_ = _with_constant(Op.MUL, product, _ONES)
    nibbles = _with_constant(Op.AND, bytes_, _BYTES)
    fours = _and_shifted(nibbles, 4)
    if fours is None or fours.op is not Op.ADD:
        return None
    for low, high in (fours.args, fours.args[::-1]):
        twos = _with_constant(Op.AND, low, _NIBBLES)
        if twos is not None and twos is _shifted(_with_constant(Op.AND, high, _NIBBLES), 2):
            return _pairs_of(twos)
    return None


def _pairs_of(twos: Value) -> Value | None:
    if twos.op is not Op.SUB:
        return None
    word, upper = twos.args
    return word if _shifted(_with_constant(Op.AND, upper, _PAIRS), 1) is word else None


def _and_shifted(sum_: Value | None, amount: int) -> Value | None:
    """`x` of `x + (x >> amount)`."""
    if sum_ is None or sum_.op is not Op.ADD:
        return None
    for value, other in (sum_.args, sum_.args[::-1]):
        if _shifted(other, amount) is value:
            return value
    return None


def _shifted(value: Value | None, amount: int) -> Value | None:
    if value is None or value.op is not Op.SHR or value.args[1].constant != amount:
        return None
    return value.args[0]


def _with_constant(op: Op, value: Value | None, byte: int) -> Value | None:
    """The other operand of an operation with a constant of equal bytes."""
    if value is None or value.op is not op:
        return None
    operand, constant = value.args
    repeated = int.from_bytes(bytes([byte]) * value.scalar.size_bytes, "little")
    return operand if constant.constant == repeated else None
