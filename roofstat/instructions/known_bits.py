"""Bits of integers that the compiler knows: the low ones of counters in steps, and zeros above what fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


class Advance(NamedTuple):
    """A loop's counter that advances by a constant in each round."""

    start: Value
    stride: int


def in_first_round(
    value: Value,
    mask: int,
    counters: Mapping[int, Advance],
    make: Callable[..., Value],
    constant: Callable[[Scalar, int], Value],
) -> Value | None:
    """What has the same bits under a mask of low bits as `value`, and no counter whose steps leave them alone.

    Args:
        value: an integer expression.
        mask: one less than a power of two.
        counters: what is known of counters, by value number.
        make: makes an operation.
        constant: makes a constant.

    Returns:
        The expression with the starts of such counters in their place, None where there are none.
    """
    counter = counters.get(value.number)
    if counter is not None:
        return None if counter.stride & mask else counter.start
    is_cast = value.op is Op.CAST and isinstance(value.detail, Scalar) and value.detail.is_integer
    if is_cast or (value.op is Op.SHL and value.args[1].is_constant):
        if is_cast and mask >= 1 << (_BYTE_BITS * value.args[0].scalar.size_bytes):
            return None
        first = in_first_round(value.args[0], mask, counters, make, constant)
        return first and make(value.op, value.scalar, (first, *value.args[1:]), value.detail)
    if value.op not in _RINGS:
        return None
    left, right = (in_first_round(arg, mask, counters, make, constant) for arg in value.args)
    if left is None and right is None:
        return None
    second = value.args[1]
    if value.op is Op.ADD and isinstance(second.constant, int):
        second = constant(second.scalar, second.constant & mask)
    return make(value.op, value.scalar, (left or value.args[0], right or second), value.detail)


_RINGS = frozenset({Op.ADD, Op.SUB, Op.MUL})


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
