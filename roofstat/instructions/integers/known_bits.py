"""Bits of integers that the compiler knows: the low ones of counters in steps, zeros above what fits, ranges of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from roofstat.instructions.graph.values import Value

_BYTE_BITS = 8
_WORD_BYTES = 4


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


_DEEPEST = 8
"""Operations between a number and the bytes that its range follows from."""


def range_of_bytes(value: Value, depth: int = 0) -> tuple[int, int] | None:
    """The smallest and the largest number that arithmetic on narrow integers can give; None where nothing narrow decides.

    Compilers follow what loads of bytes and short words leave of a register, not what thread and block numbers can be:
    nvcc and clang divide `threadIdx.x` as a signed number, and `(a[i] + a[i + 1]) / 2` of bytes by a shift.
    """
    if value.is_constant:
        return (value.constant, value.constant) if isinstance(value.constant, int) else None
    if depth > _DEEPEST or value.scalar.is_float:
        return None
    if value.op is Op.CAST:
        return _range_of_cast(value, depth)
    if value.op in {Op.AND, Op.SHR} and value.args[1].is_constant:
        cut = _range_of_cut(value, int(value.args[1].constant or 0))
        if cut is not None:
            return cut
    if value.op is Op.SELECT:
        parts = [range_of_bytes(arg, depth + 1) for arg in value.args[1:]]
    elif value.op in _FOLLOWED or (value.op is Op.MATH and value.detail in {"min", "max"}):
        parts = [range_of_bytes(arg, depth + 1) for arg in value.args]
    else:
        return None
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        return None
    found = _combined_range(value, parts[0], parts[1])
    return found if found is not None and _holds(value.scalar, found) else None


_FOLLOWED = _RINGS | {Op.SHL, Op.SHR, Op.DIV, Op.REM, Op.AND, Op.OR, Op.XOR}
_LARGEST_SHIFT = 31


def _range_of_cast(value: Value, depth: int) -> tuple[int, int] | None:
    source = value.detail
    if not isinstance(source, Scalar) or not source.is_integer:
        return None
    found = range_of_bytes(value.args[0], depth + 1)
    if found is None and source.size_bytes < _WORD_BYTES:
        found = _limits(source)
    if found is not None and _holds(value.scalar, found):
        return found
    return _limits(value.scalar) if value.scalar.size_bytes < _WORD_BYTES else None


def _range_of_cut(value: Value, number: int) -> tuple[int, int] | None:
    """What a mask, or a shift to the right of an unsigned number, leaves of a number that nobody knows."""
    if value.op is Op.AND:
        return (0, number) if number >= 0 else None
    bits = _BYTE_BITS * value.scalar.size_bytes - number
    return None if value.scalar.is_signed or not number or bits < 0 else (0, (1 << bits) - 1)


def _combined_range(
    value: Value, left: tuple[int, int], right: tuple[int, int]
) -> tuple[int, int] | None:
    match value.op:
        case Op.SELECT:
            return min(left[0], right[0]), max(left[1], right[1])
        case Op.MATH:
            choose = min if value.detail == "min" else max
            return choose(left[0], right[0]), choose(left[1], right[1])
        case Op.ADD:
            return left[0] + right[0], left[1] + right[1]
        case Op.SUB:
            return left[0] - right[1], left[1] - right[0]
        case Op.MUL:
            products = [a * b for a in left for b in right]
            return min(products), max(products)
        case _ if left[0] < 0 or right[0] < 0:
            return None
        case Op.OR | Op.XOR:
            return 0, (1 << max(left[1], right[1]).bit_length()) - 1
        case Op.AND:
            return 0, min(left[1], right[1])
        case Op.REM if right[0] > 0:
            return 0, min(left[1], right[1] - 1)
        case Op.DIV if right[0] > 0:
            return left[0] // right[1], left[1] // right[0]
        case Op.SHL if right[1] <= _LARGEST_SHIFT:
            return left[0] << right[0], left[1] << right[1]
        case Op.SHR if right[1] <= _LARGEST_SHIFT:
            return left[0] >> right[1], left[1] >> right[0]
        case _:
            return None


def _limits(scalar: Scalar) -> tuple[int, int]:
    if scalar is Scalar.BOOL:
        return 0, 1
    bits = _BYTE_BITS * scalar.size_bytes
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if scalar.is_signed else (0, (1 << bits) - 1)


def _holds(scalar: Scalar, limits: tuple[int, int]) -> bool:
    low, high = _limits(scalar)
    return low <= limits[0] and limits[1] <= high


def is_kept_by(scalar: Scalar, value: Value) -> bool:
    """Whether a narrow type holds every number that a value can be, so that nothing has to be cut off."""
    found = range_of_bytes(value)
    return found is not None and _holds(scalar, found)
