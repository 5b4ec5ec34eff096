"""Bits of integers that the compiler knows: the low ones of counters in steps, and zeros above what fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.instructions.values import Value

_BYTE_BITS = 8


class Progression(NamedTuple):
    """The values of a loop's counter: it starts at a constant and advances by a constant in each round."""

    start: int
    stride: int

    @property
    def rises(self) -> bool:
        """Whether it is never negative, as long as it does not wrap around."""
        return self.start >= 0 and self.stride > 0


def low_bits(value: Value, mask: int, counters: Mapping[int, Progression]) -> int | None:
    """`value & mask`, for a mask of low bits, where it is the same in every iteration.

    Args:
        value: an integer expression.
        mask: one less than a power of two.
        counters: what is known of counters, by value number.
    """
    if value.is_constant or not mask:
        return int(value.constant or 0) & mask
    counter = counters.get(value.number)
    if counter is not None:
        return None if counter.stride & mask else counter.start & mask
    match value.op:
        case Op.CAST if isinstance(value.detail, Scalar) and value.detail.is_integer:
            source = value.detail
            fits = mask < 1 << (_BYTE_BITS * source.size_bytes)
            return low_bits(value.args[0], mask, counters) if fits else None
        case Op.SHL if value.args[1].is_constant:
            moved = int(value.args[1].constant or 0)
            if moved < 0:
                return None
            inner = low_bits(value.args[0], mask >> moved, counters)
            return None if inner is None else inner << moved & mask
        case Op.ADD | Op.SUB | Op.MUL:
            left, right = (low_bits(arg, mask, counters) for arg in value.args)
            if left is None or right is None:
                return None
            return _result(value.op, left, right) & mask
        case _:
            return None


def _result(op: object, left: int, right: int) -> int:
    if op is Op.ADD:
        return left + right
    return left - right if op is Op.SUB else left * right


def fits_mask(value: Value, mask: int) -> bool:
    """Whether all bits of an integer that may be set are in a mask of low bits."""
    if value.is_constant:
        return 0 <= int(value.constant or 0) <= mask
    match value.op:
        case Op.CAST if isinstance(value.detail, Scalar) and value.detail.is_integer:
            source = value.detail
            if not source.is_signed and (1 << (_BYTE_BITS * source.size_bytes)) - 1 <= mask:
                return True
            return source.size_bytes >= value.scalar.size_bytes and fits_mask(value.args[0], mask)
        case Op.SHR if value.args[1].is_constant and not value.scalar.is_signed:
            left = _BYTE_BITS * value.scalar.size_bytes - int(value.args[1].constant or 0)
            return (1 << max(left, 0)) - 1 <= mask
        case Op.AND:
            return any(fits_mask(arg, mask) for arg in value.args)
        case _:
            return False
