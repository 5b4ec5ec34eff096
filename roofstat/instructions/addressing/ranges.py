"""Upper bounds of unsigned index expressions, as a compiler infers them from the ranges of special registers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op, SpecialRegister

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import LoopFrame, Value
    from roofstat.instructions.integers.polynomials import Polynomial

_SPECIAL_BOUNDS = {
    SpecialRegister.TID_X: 1023,
    SpecialRegister.TID_Y: 1023,
    SpecialRegister.TID_Z: 63,
    SpecialRegister.NTID_X: 1024,
    SpecialRegister.NTID_Y: 1024,
    SpecialRegister.NTID_Z: 64,
    SpecialRegister.LANE_ID: 31,
    SpecialRegister.WARP_SIZE: 32,
    SpecialRegister.CTAID_X: (1 << 31) - 2,
    SpecialRegister.CTAID_Y: 65534,
    SpecialRegister.CTAID_Z: 65534,
    SpecialRegister.NCTAID_X: (1 << 31) - 1,
    SpecialRegister.NCTAID_Y: 65535,
    SpecialRegister.NCTAID_Z: 65535,
}
"""Largest values of the special registers (CUDA programming guide, compute capabilities)."""

_LARGEST_INT = (1 << 31) - 1


def upper_bound(value: Value, counters: set[int], *, knows_launches: bool = True) -> int | None:
    """The largest value of a non-negative expression.

    Args:
        value: an integer expression.
        counters: value numbers of loop counters that start at a constant and grow.
        knows_launches: whether the compiler knows how many threads and blocks there can be.

    Returns:
        An inclusive bound, or None where the expression may be negative or is unknown.
    """
    if value.is_constant:
        constant = value.constant
        return int(constant) if isinstance(constant, int) and constant >= 0 else None
    match value.op:
        case Op.SPECIAL if isinstance(value.detail, SpecialRegister):
            return _SPECIAL_BOUNDS.get(value.detail) if knows_launches else None
        case Op.CAST if isinstance(value.detail, Scalar) and value.detail.is_integer:
            inner = upper_bound(value.args[0], counters, knows_launches=knows_launches)
            return inner if inner is None or inner <= _largest(value.scalar) else None
        case Op.SHR if value.args[1].is_constant:
            whole = upper_bound(value.args[0], counters, knows_launches=knows_launches)
            if whole is None and not value.scalar.is_signed:
                whole = _largest(value.scalar)
            return None if whole is None else whole >> int(value.args[1].constant or 0)
        case Op.ADD | Op.MUL | Op.SHL | Op.AND:
            return _combined(value, counters, knows_launches=knows_launches)
        case _:
            pass
    if value.number in counters and value.args and value.args[0].is_constant:
        start = value.args[0].constant
        return _LARGEST_INT if isinstance(start, int) and start >= 0 else None
    return None


def _combined(value: Value, counters: set[int], *, knows_launches: bool) -> int | None:
    left, right = (upper_bound(arg, counters, knows_launches=knows_launches) for arg in value.args)
    if value.op is Op.AND:
        known = [bound for bound in (left, right) if bound is not None]
        return min(known) if known else None
    if left is None or right is None:
        return None
    match value.op:
        case Op.ADD:
            result = left + right
        case Op.MUL:
            result = left * right
        case _:
            result = left << min(right, 64)
    largest = _largest(value.scalar)
    if value.scalar.is_signed:
        # Signed arithmetic does not overflow, so it cannot leave the positive range.
        return min(result, largest)
    return result if result <= largest else None


def _largest(scalar: Scalar) -> int:
    bits = 8 * scalar.size_bytes - scalar.is_signed
    return (1 << bits) - 1


def counted_bound(poly: Polynomial, values: list[Value], frames: list[LoopFrame]) -> int | None:
    """The largest value of a sum of counters of loops of known length and of other things with a bound.

    Args:
        poly: the sum.
        values: all values, by number.
        frames: the loops around.

    Returns:
        An inclusive bound, or None where the sum may be negative or is unknown.
    """
    total = 0
    for monomial, factor in poly.items():
        bounds = [_counted(values[number], frames) for number in monomial]
        if factor < 0 or any(bound is None for bound in bounds):
            return None
        total += factor * math.prod(bound for bound in bounds if bound is not None)
    return total


def _counted(value: Value, frames: list[LoopFrame]) -> int | None:
    for frame in frames:
        step = frame.counters.get(value.number)
        if step is None:
            continue
        start = value.args[0].constant
        if not frame.known_trips or step < 0 or not isinstance(start, int) or start < 0:
            return None
        return start + (frame.known_trips - 1) * step
    return upper_bound(value, set(), knows_launches=False)
