"""Operators on machine values: Python numbers stay Python numbers, arrays stay arrays, unknowns keep what is known."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.values import (
    DTYPES,
    Array,
    Mixed,
    Number,
    Unknown,
    Value,
    drawn_numbers,
    merge,
    number_of,
    outcomes,
    same_draw,
    scaled,
    shifted,
    splitmix,
    to_array,
    uniform_draws,
)
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_KEYS = itertools.count(1)


def restart_keys() -> None:
    """Number unknowns from 1 again, so that a run does not depend on what ran before it."""
    global _KEYS  # noqa: PLW0603 - one machine runs at a time in a process
    _KEYS = itertools.count(1)


def new_key() -> int:
    """Identity for a new unknown."""
    return next(_KEYS)


def new_unknown(reason: str, *, uniform: bool = False, is_float: bool = False) -> Unknown:
    """An unknown that nothing is known of."""
    return Unknown(new_key(), uniform, reason=reason, is_float=is_float)


_PYTHON_COMPARE: dict[Op, Callable[[Number, Number], bool]] = {
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.GT: lambda a, b: a > b,
    Op.GE: lambda a, b: a >= b,
    Op.EQ: lambda a, b: a == b,
    Op.NE: lambda a, b: a != b,
}
_NUMPY: dict[Op, Callable[[Array, Array], Array]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.AND: np.bitwise_and,
    Op.OR: np.bitwise_or,
    Op.XOR: np.bitwise_xor,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.GT: np.greater,
    Op.GE: np.greater_equal,
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
}
_EVEN = 0.5
"""Probability of a condition on unknown data."""
_NEAR = 32
"""Elements or bytes between two choices that count as neighbours."""
_SHIFTS = frozenset({Op.SHL, Op.SHR})
COMPARISONS = frozenset(_PYTHON_COMPARE)


def binary(op: Op, scalar: Scalar, a: Value, b: Value, lanes: int) -> Value:
    """``a op b`` in the arithmetic of `scalar`."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return _python_binary(op, scalar, a, b)
    if scalar is Scalar.BOOL and (op is Op.AND or op is Op.OR):
        decided = _decided_by_one(op, a, b)
        if decided is not None:
            return decided
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return _unknown_binary(op, scalar, a, b, lanes)
    if isinstance(a, Mixed) or isinstance(b, Mixed):
        return _mixed_binary(op, scalar, a, b, lanes)
    return _array_binary(op, scalar, to_array(a, scalar, lanes), to_array(b, scalar, lanes))


def _python_binary(op: Op, scalar: Scalar, a: Number, b: Number) -> Value:
    compare = _PYTHON_COMPARE.get(op)
    if compare is not None:
        return compare(a, b)
    if scalar.is_float:
        return _python_float(op, float(a), float(b))
    x, y = int(a), int(b)
    match op:
        case Op.ADD:
            result = x + y
        case Op.SUB:
            result = x - y
        case Op.MUL:
            result = x * y
        case Op.DIV | Op.REM:
            if y == 0:
                return new_unknown("division by zero", uniform=True)
            quotient = abs(x) // abs(y)
            if (x < 0) != (y < 0):
                quotient = -quotient
            result = quotient if op is Op.DIV else x - quotient * y
        case Op.SHL:
            result = x << (y & 63)
        case Op.SHR:
            result = x >> (y & 63)
        case Op.AND:
            result = x & y
        case Op.OR:
            result = x | y
        case _:
            result = x ^ y
    return number_of(result, scalar)


def _python_float(op: Op, a: float, b: float) -> Value:
    try:
        match op:
            case Op.ADD:
                return a + b
            case Op.SUB:
                return a - b
            case Op.MUL:
                return a * b
            case Op.DIV:
                return a / b
            case _:
                return new_unknown(f"{op.value} on floats", uniform=True, is_float=True)
    except ZeroDivisionError:
        return float("nan") if a == 0 or a != a else float("inf") * (1 if a > 0 else -1)
    except OverflowError:
        return float("inf")


def _array_binary(op: Op, scalar: Scalar, a: Array, b: Array) -> Array:
    function = _NUMPY.get(op)
    if function is not None:
        if scalar is Scalar.BOOL and op in (Op.ADD, Op.MUL):
            function = np.logical_or if op is Op.ADD else np.logical_and
        return np.asarray(function(a, b))
    amount = (
        (b & np.asarray(scalar.size_bytes * 8 - 1, a.dtype)).astype(a.dtype) if op in _SHIFTS else b
    )
    if op is Op.SHL:
        return np.asarray(np.left_shift(a, amount))
    if op is Op.SHR:
        return np.asarray(np.right_shift(a, amount))
    if scalar.is_float:
        return np.asarray(np.divide(a, b))
    return _integer_division(op, a, b)


def _integer_division(op: Op, a: Array, b: Array) -> Array:
    if a.dtype == np.bool_:
        a, b = a.astype(np.int32), b.astype(np.int32)
    safe = np.where(b == 0, np.ones_like(b), b)
    quotient = np.floor_divide(a, safe)
    if np.issubdtype(a.dtype, np.signedinteger):
        remainder = a - quotient * safe
        quotient = quotient + ((remainder != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.asarray(quotient if op is Op.DIV else a - quotient * safe)


def _mixed_binary(op: Op, scalar: Scalar, a: Value, b: Value, lanes: int) -> Value:
    known: Array | None = None
    unknown: Unknown | None = None
    operands: list[Array] = []
    for value in (a, b):
        if isinstance(value, Mixed):
            known = value.known if known is None else known & value.known
            unknown = unknown or value.unknown
            operands.append(to_array(value.values, scalar, lanes))
        else:
            assert not isinstance(value, Unknown)
            operands.append(to_array(value, scalar, lanes))
    assert known is not None
    assert unknown is not None
    values = _array_binary(op, scalar, operands[0], operands[1])
    return Mixed(values, known, unknown.fresh(new_key()))


def _decided_by_one(op: Op, a: Value, b: Value) -> Value | None:
    """A logical operator with one operand that nobody knows: the other decides it in some lanes; None elsewhere."""
    unknown, known = (a, b) if isinstance(a, Unknown) else (b, a)
    if not isinstance(unknown, Unknown) or isinstance(known, Unknown | Mixed):
        return None
    deciding = op is Op.OR
    if isinstance(known, int | float):
        return deciding if bool(known) is deciding else None
    decided = known.astype(np.bool_) == deciding
    if not decided.any():
        return None
    values = np.full(len(decided), deciding)
    return values if decided.all() else Mixed(values, decided, unknown)


def _unknown_binary(op: Op, scalar: Scalar, a: Value, b: Value, lanes: int) -> Value:
    """Affine arithmetic survives; everything else is a new unknown, with bounds where the operator gives some."""
    first = a if isinstance(a, Unknown) else b
    assert isinstance(first, Unknown)
    uniform = _is_uniform(a) and _is_uniform(b)
    if op in COMPARISONS:
        decided = _compare_by_bounds(op, a, b)
        if decided is not None:
            return decided
        x, y = drawn(a, lanes), drawn(b, lanes)
        if not isinstance(x, Unknown | Mixed) and not isinstance(y, Unknown | Mixed):
            return np.broadcast_to(_NUMPY[op](np.asarray(x), np.asarray(y)), (lanes,)).copy()
        if lanes == 1:
            return _likely(op, a, b, first.reason)
    elif scalar.is_float:
        low, high = _float_bounds(op, a, b)
        return Unknown(next(_KEYS), uniform, low=low, high=high, reason=first.reason, is_float=True)
    elif isinstance(a, Unknown) and isinstance(b, Unknown):
        if op is Op.ADD or op is Op.SUB:
            kept = _two_unknowns(op, a, b)
            if kept is not None:
                return kept
    elif isinstance(a, Unknown) and not isinstance(b, Unknown | Mixed):
        kept = _affine(op, a, b, scalar, left=True)
        if kept is not None:
            return kept
    elif isinstance(b, Unknown) and not isinstance(a, Unknown | Mixed):
        kept = _affine(op, b, a, scalar, left=False)
        if kept is not None:
            return kept
    index = None if uniform else _common_index(a, b, lanes)
    return Unknown(
        next(_KEYS), uniform, reason=first.reason, origin=_origin(a, b), lane_index=index
    )


def _likely(op: Op, a: Value, b: Value, reason: str) -> Unknown:
    """A comparison of host code, with how often it holds as far as that is known."""
    first, second = outcomes(a), outcomes(b)
    if first is None or second is None:
        return Unknown(next(_KEYS), uniform=True, reason=reason, origin=_origin(a, b))
    held = np.asarray(_NUMPY[op](first, second), float)
    return Unknown(next(_KEYS), uniform=True, low=0, high=1, reason=reason, sample=held)


_WARP: Final = 32


def _common_index(a: Value, b: Value, lanes: int) -> Array | None:
    """Numbers that are equal where lanes agree on both operands, and so on the result; None where that is not known."""
    found: Array | None = None
    for value in (a, b):
        parts: list[Array] = []
        if isinstance(value, np.ndarray):
            parts.append(value)
        elif isinstance(value, Unknown):
            if value.lane_index is not None:
                parts.append(value.lane_index)
            elif value.uniform:
                parts.append(np.arange(lanes) // _WARP)
            else:
                return None
            if isinstance(value.offset, np.ndarray):
                parts.append(value.offset)
        for part in parts:
            if found is None:
                found = part.astype(np.int64)
            elif not np.array_equal(found, part):
                mixed = splitmix(found.astype(np.uint64)) + part.astype(np.int64).astype(np.uint64)
                found = (mixed >> np.uint64(1)).astype(np.int64)
    return found


def drawn(value: Value, lanes: int) -> Value:
    """Numbers in place of an unknown of which enough is known; host code keeps it, since its loops are summarised."""
    if lanes == 1 or not isinstance(value, Unknown) or not value.is_drawable:
        return value
    numbers = drawn_numbers(value, lanes)
    if value.uniform and value.lane_index is None and not isinstance(value.offset, np.ndarray):
        number: Number = numbers[0].item()
        return number
    return numbers


def _float_bounds(op: Op, a: Value, b: Value) -> tuple[float | None, float | None]:
    """Bounds of a floating-point result, where both operands are bounded numbers."""
    first, second = _interval(a), _interval(b)
    if first is None or second is None:
        return None, None
    if op is Op.ADD:
        return first[0] + second[0], first[1] + second[1]
    if op is Op.SUB:
        return first[0] - second[1], first[1] - second[0]
    if op is Op.MUL:
        ends = [x * y for x in first for y in second]
        if isinstance(a, Unknown) and isinstance(b, Unknown) and a.key == b.key:
            ends = [0.0 if first[0] < 0 < first[1] else first[0] ** 2, first[0] ** 2, first[1] ** 2]
    elif op is Op.DIV and _is_narrow(second):
        ends = [x / y for x in first for y in second]
    else:
        return None, None
    return min(ends), max(ends)


_WIDEST_DIVISOR = 8
"""Ratio of the bounds of a divisor beyond which quotients are nothing like evenly spread."""


def _is_narrow(bounds: tuple[float, float]) -> bool:
    nearest, farthest = sorted((abs(bounds[0]), abs(bounds[1])))
    return bounds[0] * bounds[1] > 0 and farthest <= _WIDEST_DIVISOR * nearest


def _origin(a: Value, b: Value) -> int | None:
    for value in (a, b):
        if isinstance(value, Unknown) and value.origin is not None:
            return value.origin
    return None


def _two_unknowns(op: Op, a: Value, b: Value) -> Value | None:
    if (
        isinstance(a, Unknown)
        and isinstance(b, Unknown)
        and op is Op.SUB
        and a.scale == b.scale
        and same_draw(a, b)
    ):
        return _plain(a.offset - b.offset)
    if isinstance(a, Unknown) and isinstance(b, Unknown) and op is Op.ADD:
        return _sum_of_unknowns(a, b)
    return None


def _sum_of_unknowns(a: Unknown, b: Unknown) -> Unknown:
    """A new unknown; bounded where both are. Otherwise the first (usually the base of an address) dominates."""
    first, second = value_bounds(a), value_bounds(b)
    uniform = a.uniform and b.uniform
    if first is not None and second is not None:
        return Unknown(
            new_key(),
            uniform,
            low=first[0] + second[0],
            high=first[1] + second[1],
            reason=a.reason,
            origin=a.origin,
        )
    # Spelled out: this is what kernels on unknown words do most, and `replace` takes ten times as long.
    return Unknown(
        new_key(),
        uniform,
        a.scale,
        a.offset,
        reason=a.reason,
        is_float=a.is_float,
        origin=a.origin,
        lane_index=a.lane_index,
    )


def _plain(value: int | Array) -> Value:
    return value


def _affine(
    op: Op, unknown: Unknown, known: Number | Array, scalar: Scalar, *, left: bool
) -> Value | None:
    amount: int | Array = known.astype(np.int64) if isinstance(known, np.ndarray) else int(known)
    if op is Op.ADD:
        return shifted(unknown, amount)
    if op is Op.SUB:
        return shifted(unknown, -amount) if left else shifted(scaled(unknown, -1), amount)
    if op is Op.MUL and isinstance(amount, int):
        return 0 if amount == 0 else scaled(unknown, amount)
    if op is Op.SHL and left and isinstance(amount, int) and 0 <= amount < 63:
        return scaled(unknown, 1 << amount)
    if not isinstance(amount, int):
        return None
    bounds = _bounds(op, unknown, amount, scalar, left=left)
    if bounds is None:
        return None
    if unknown.uniform and isinstance(unknown.offset, np.ndarray):
        return _related(op, unknown, unknown.offset, amount, bounds)
    return Unknown(
        new_key(),
        _is_uniform(unknown),
        low=bounds[0],
        high=bounds[1],
        reason=unknown.reason,
        origin=unknown.origin,
        lane_index=unknown.lane_index,
    )


def _related(
    op: Op,
    unknown: Unknown,
    offset: NDArray[np.int64],
    amount: int,
    bounds: tuple[int, int],
) -> Unknown:
    """One unknown for all lanes plus a number of each, divided or reduced: lanes stay as far apart as their numbers say.

    Where in the range they lie is unknown, that of the unknown part; all of them lie within the bounds.
    """
    low, high = bounds
    if op is Op.REM or (op is Op.AND and amount & (amount + 1) == 0):
        apart = offset % (high + 1)
    elif op is Op.DIV:
        apart = offset // amount
    elif op is Op.SHR:
        apart = offset >> amount
    else:
        return Unknown(new_key(), low=low, high=high, reason=unknown.reason, origin=unknown.origin)
    apart = apart - apart.min()
    return Unknown(
        new_key(),
        uniform=True,
        offset=apart,
        low=low,
        high=max(high - int(apart.max()), low),
        reason=unknown.reason,
        origin=unknown.origin,
    )


def _bounds(
    op: Op, unknown: Unknown, amount: int, scalar: Scalar, *, left: bool
) -> tuple[int, int] | None:
    """Inclusive bounds that an operator with a constant gives."""
    if op is Op.AND and amount >= 0:
        return (0, amount)
    if not left:
        return None
    if op is Op.REM and amount != 0:
        return (0, abs(amount) - 1)
    limits = value_bounds(unknown)
    if limits is None and not scalar.is_signed and scalar.size_bytes < 4:
        limits = (0, (1 << (8 * scalar.size_bytes)) - 1)
    if limits is None:
        return None
    low, high = limits
    if op is Op.DIV and amount > 0:
        return (int(low / amount), int(high / amount))
    if op is Op.SHR and low >= 0:
        return (int(low) >> amount, int(high) >> amount)
    return None


def value_bounds(unknown: Unknown) -> tuple[float, float] | None:
    """Inclusive bounds of the whole value over all lanes, where known."""
    if unknown.low is None or unknown.high is None:
        return None
    ends = (unknown.low * unknown.scale, unknown.high * unknown.scale)
    if isinstance(unknown.offset, np.ndarray):
        return (min(ends) + int(unknown.offset.min()), max(ends) + int(unknown.offset.max()))
    return (min(ends) + unknown.offset, max(ends) + unknown.offset)


def _compare_by_bounds(op: Op, a: Value, b: Value) -> bool | None:
    """The outcome, where bounds (or the same unknown on both sides) decide it."""
    if isinstance(a, Unknown) and isinstance(b, Unknown) and a.scale == b.scale and same_draw(a, b):
        difference = a.offset - b.offset
        if isinstance(difference, int):
            return _PYTHON_COMPARE[op](difference, 0)
    first, second = _interval(a), _interval(b)
    if first is None or second is None:
        return None
    if op in (Op.LT, Op.GE):
        answer = True if first[1] < second[0] else False if first[0] >= second[1] else None
        return answer if answer is None or op is Op.LT else not answer
    if op in (Op.GT, Op.LE):
        answer = True if first[0] > second[1] else False if first[1] <= second[0] else None
        return answer if answer is None or op is Op.GT else not answer
    disjoint = first[1] < second[0] or second[1] < first[0]
    return (op is Op.NE) if disjoint else None


def _interval(value: Value) -> tuple[float, float] | None:
    if isinstance(value, Unknown):
        return value_bounds(value)
    if isinstance(value, int | float):
        return (value, value)
    return None


def _is_uniform(value: Value) -> bool:
    if isinstance(value, Unknown):
        return value.uniform and not isinstance(value.offset, np.ndarray)
    return isinstance(value, int | float)


def unary(op: Op, scalar: Scalar, a: Value) -> Value:
    """NEG, BIT_NOT, NOT."""
    if isinstance(a, Unknown):
        if op is Op.NEG and not scalar.is_float:
            return scaled(a, -1)
        if op is Op.NOT and a.sample is not None:
            return replace(a, key=new_key(), low=0, high=1, sample=(a.sample == 0).astype(float))
        bounds = value_bounds(a) if op is Op.NEG else None
        return Unknown(
            new_key(),
            a.uniform,
            low=-bounds[1] if bounds is not None else None,
            high=-bounds[0] if bounds is not None else None,
            reason=a.reason,
            is_float=scalar.is_float,
            origin=a.origin,
        )
    if isinstance(a, Mixed):
        values = _array_unary(op, scalar, a.values)
        return Mixed(values, a.known, a.unknown.fresh(new_key()))
    if isinstance(a, np.ndarray):
        return _array_unary(op, scalar, a)
    if op is Op.NOT:
        return not a
    if op is Op.NEG:
        return -float(a) if scalar.is_float else number_of(-int(a), scalar)
    return number_of(~int(a), scalar)


def _array_unary(op: Op, scalar: Scalar, a: Array) -> Array:
    if op is Op.NOT:
        return np.asarray(np.logical_not(a))
    a = to_array(a, scalar, len(a))
    return np.asarray(np.negative(a) if op is Op.NEG else np.invert(a))


def cast(value: Value, source: Scalar, target: Scalar) -> Value:
    """Numeric conversion."""
    if isinstance(value, Unknown):
        if source.is_float or target.is_float:
            limits = _converted_bounds(value, target)
            return Unknown(
                new_key(),
                value.uniform,
                reason=value.reason,
                is_float=target.is_float,
                low=limits[0],
                high=limits[1],
                is_type_range=value.is_type_range,
                sample=_converted_sample(value, target) if limits[0] is not None else None,
            )
        if (
            target.size_bytes < 4
            and value.low is None
            and not target.is_signed
            and target is not Scalar.BOOL
        ):
            return replace(
                value,
                low=0,
                high=(1 << (8 * target.size_bytes)) - 1,
                scale=1,
                offset=0,
                key=new_key(),
                is_type_range=True,
            )
        return value
    if isinstance(value, Mixed):
        return Mixed(_array_cast(value.values, target), value.known, value.unknown)
    if isinstance(value, np.ndarray):
        return _array_cast(value, target)
    return number_of(value, target)


def _converted_bounds(value: Unknown, target: Scalar) -> tuple[float | None, float | None]:
    """Bounds after a conversion from or to floating point (which truncates; the upper end is taken as exclusive)."""
    bounds = value_bounds(value)
    if bounds is None or isinstance(value.offset, np.ndarray):
        return None, None
    low, high = bounds
    if target.is_float or not value.is_float:
        return low, high
    if not abs(low) < 2.0**62 or not abs(high) < 2.0**62:
        return None, None
    return int(low), max(math.ceil(high) - 1, int(low)) if high > low else int(high)


def _converted_sample(value: Unknown, target: Scalar) -> NDArray[np.float64] | None:
    if value.sample is None:
        return None
    numbers = value.sample * value.scale + value.offset
    return numbers if target.is_float else np.trunc(numbers)


def _array_cast(value: Array, target: Scalar) -> Array:
    dtype = DTYPES[target]
    if value.dtype == dtype:
        return value
    if value.dtype.kind == "f" and dtype.kind in "iu":
        cleaned = np.nan_to_num(value, nan=0.0, posinf=2.0**31, neginf=-(2.0**31))
        return np.asarray(cleaned.astype(np.int64).astype(dtype))
    return np.asarray(value.astype(dtype))


def bitcast(value: Value, source: Scalar, target: Scalar) -> Value:
    """Same bits, other type; where the sizes differ nothing is known."""
    if isinstance(value, Unknown | Mixed) or source.size_bytes != target.size_bytes:
        return new_unknown(
            "reinterpreted bits", uniform=isinstance(value, int | float), is_float=target.is_float
        )
    if source in (Scalar.F16, Scalar.BF16) or target in (Scalar.F16, Scalar.BF16):
        return new_unknown("reinterpreted half bits", is_float=target.is_float)
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(to_array(value, source, len(value))).view(DTYPES[target])
    single = np.array([number_of(value, source)], DTYPES[source]).view(DTYPES[target])
    number: Number = single[0].item()
    return number


def either(
    condition: Unknown, a: Value, b: Value, active: NDArray[np.bool_], scalar: Scalar
) -> Value | None:
    """One of two known indices or addresses, by a condition on unknown data; None where they are not known.

    Two that are the same small distance apart in all active lanes give an affine unknown, so that the choice stays near
    both: ``c ? p + 1 : p``. Others are drawn evenly, as branches are: the steps of a search.
    """
    if isinstance(a, Unknown | Mixed) or isinstance(b, Unknown | Mixed) or not active.any():
        return None
    lanes = len(active)
    first = to_array(a, scalar, lanes).astype(np.int64)
    second = to_array(b, scalar, lanes).astype(np.int64)
    apart = (first - second)[active]
    if abs(int(apart[0])) <= _NEAR and (apart == apart[0]).all():
        if apart[0] == 0:
            return b
        offset: int | NDArray[np.int64] = int(b) if isinstance(b, int) else second
        return Unknown(
            new_key(),
            condition.uniform,
            scale=int(apart[0]),
            offset=offset,
            low=0,
            high=1,
            reason=condition.reason,
            origin=condition.origin,
        )
    return merge(uniform_draws(condition, lanes) < _EVEN, a, b, scalar, lanes)


def select(condition: Value, a: Value, b: Value, scalar: Scalar, lanes: int) -> Value:
    """``condition ? a : b``."""
    if isinstance(condition, int):
        return a if condition else b
    if isinstance(condition, np.ndarray):
        return merge(condition, a, b, scalar, lanes)
    if isinstance(condition, Mixed):
        chosen = merge(condition.values.astype(np.bool_), a, b, scalar, lanes)
        if isinstance(chosen, Unknown):
            return chosen
        values = chosen.values if isinstance(chosen, Mixed) else to_array(chosen, scalar, lanes)
        known = condition.known & chosen.known if isinstance(chosen, Mixed) else condition.known
        return Mixed(values, known, condition.unknown.fresh(new_key()))
    uniform = _is_uniform(condition) and _is_uniform(a) and _is_uniform(b)
    limits = [_interval(value) for value in (a, b)]
    low = high = None
    if all(limit is not None for limit in limits):
        low = min(limit[0] for limit in limits if limit is not None)
        high = max(limit[1] for limit in limits if limit is not None)
    return Unknown(
        new_key(),
        uniform,
        low=low,
        high=high,
        reason=getattr(condition, "reason", ""),
        is_float=scalar.is_float,
        sample=_chosen(condition, a, b) if lanes == 1 and low is not None else None,
    )


def _chosen(condition: Value, a: Value, b: Value) -> NDArray[np.float64] | None:
    """What a choice of host code may be, as often as its condition holds."""
    first, second = outcomes(a), outcomes(b)
    if not isinstance(condition, Unknown) or condition.sample is None:
        return None
    if first is None or second is None:
        return None
    return np.where(condition.sample != 0, first, second)
