"""Operators on unknowns: what is affine in them survives, bounds give bounds, and some comparisons are decided."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.integer_ranges import bits_above, type_range, wrapped
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.known_arithmetic import NUMPY
from roofstat.execution.numbers.unknowns import (
    common_index,
    drawn,
    interval_of,
    is_uniform,
    origin_of,
    value_bounds,
)
from roofstat.execution.numbers.values import (
    DTYPES,
    NUMBERS,
    OPEN,
    Array,
    Number,
    Unknown,
    Value,
    order_of,
    outcomes,
    places_within,
    same_draw,
    scaled,
    shifted,
)
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARE, COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


_SHAPING: dict[Op, Callable[[Array, Array], Array]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
}
"""Operations on floating-point numbers of which the distribution is followed."""
_LARGEST_FIELD = 0xFFFF
_LOGIC = frozenset({Op.AND, Op.OR, Op.XOR})


def of_unknowns(op: Op, scalar: Scalar, a: Value, b: Value, lanes: int) -> Value:
    """Affine arithmetic survives; everything else is a new unknown, with bounds where the operator gives some."""
    first = a if isinstance(a, Unknown) else b
    assert isinstance(first, Unknown)
    uniform = is_uniform(a) and is_uniform(b)
    if op in COMPARISONS:
        decided = compare_by_bounds(op, a, b)
        if decided is not None:
            return decided
        x, y = drawn(a, lanes), drawn(b, lanes)
        if not isinstance(x, OPEN) and not isinstance(y, OPEN):
            return np.broadcast_to(NUMPY[op](np.asarray(x), np.asarray(y)), (lanes,)).copy()
        if lanes == 1:
            return _likely(op, a, b, first.reason)
    elif scalar.is_float:
        if _is_zero(op, a, b):
            return 0.0
        low, high = _float_bounds(op, a, b)
        sample = _host_shape(op, a, b, is_bounded=low is not None) if lanes == 1 else None
        if low is None and sample is not None:
            low, high = float(sample.min()), float(sample.max())
        return Unknown(
            new_key(),
            uniform,
            low=low,
            high=high,
            reason=first.reason,
            is_float=True,
            sample=sample,
            follows=_followed(op, a, b) if lanes == 1 and low is not None else None,
        )
    elif isinstance(a, Unknown) and isinstance(b, Unknown):
        if op is Op.ADD or op is Op.SUB:
            kept = _two_unknowns(op, a, b, lanes)
            if kept is not None:
                return _in_type(kept, scalar, lanes)
        elif op in _POINTWISE and lanes > 1 and a.is_drawable and b.is_drawable:
            return _pointwise(_POINTWISE[op], a, b, lanes)
        elif op is Op.MUL and lanes == 1:
            kept = _host_product(a, b, scalar)
            if kept is not None:
                return kept
        elif op in _LOGIC:
            if lanes > 1 and not uniform and _is_field(a) and _is_field(b):
                return _pointwise(NUMPY[op], a, b, lanes)
            kept = _logic_of_unknowns(op, a, b)
            if kept is not None:
                return kept
    elif isinstance(a, Unknown) and not isinstance(b, OPEN):
        kept = _affine(op, a, b, scalar, lanes, left=True)
        if kept is not None:
            return _in_type(kept, scalar, lanes, a)
    elif isinstance(b, Unknown) and not isinstance(a, OPEN):
        kept = _affine(op, b, a, scalar, lanes, left=False)
        if kept is not None:
            return _in_type(kept, scalar, lanes, b)
    index = None if uniform else common_index(a, b, lanes)
    return Unknown(
        new_key(),
        uniform,
        reason=first.reason,
        origin=origin_of(a, b),
        lane_index=index,
        quotient_of=_divided(op, a, b, lanes),
    )


def _divided(op: Op, a: Value, b: Value, lanes: int) -> tuple[Unknown, int] | None:
    """What host code divides, and by what."""
    is_division = lanes == 1 and op is Op.DIV and isinstance(b, int) and b > 0
    return (a, b) if is_division and isinstance(a, Unknown) and isinstance(b, int) else None


def drawn_within(scalar: Scalar, value: Value, lanes: int) -> Value:
    """Numbers in place of an unknown integer, unless some would not be of its type: then what bounds it got lost.

    ``hi[s] - lo[s]`` of two elements that nobody knows is no negative length.
    """
    bounds = value_bounds(value) if isinstance(value, Unknown) else None
    low, high = type_range(scalar)
    is_of_type = bounds is None or low <= bounds[0] <= bounds[1] <= high
    return drawn(value, lanes) if is_of_type else value


def _in_type(value: Value, scalar: Scalar, lanes: int, operand: Unknown | None = None) -> Value:
    """A result of host code in its type; lanes of kernels keep what ties them to each other."""
    if lanes != 1 or not isinstance(value, Unknown) or scalar.size_bytes < Scalar.I32.size_bytes:
        return value
    if value.low is None and operand is not None and operand.low is not None:
        # Factors that leave the range of addresses have lost the bounds.
        low, high = type_range(scalar)
        return replace(value, key=new_key(), low=low, high=high)
    return wrapped(value, scalar)


def _is_field(unknown: Unknown) -> bool:
    """Whether numbers can be drawn for a word of few bits, as flags are; keys that are put together of several are no such numbers."""
    if not unknown.is_drawable:
        return False
    low, high = value_bounds(unknown) or (-1, 0)
    return 0 <= low <= high <= _LARGEST_FIELD


def _logic_of_unknowns(op: Op, a: Unknown, b: Unknown) -> Unknown | None:
    """Bits of two words whose bits are all likely; of others the bounds say little of what bits they have."""
    first, second = _row_of_ones(a), _row_of_ones(b)
    if first is None or second is None:
        return None
    return Unknown(
        new_key(),
        is_uniform(a) and is_uniform(b),
        low=0,
        high=min(first, second) if op is Op.AND else max(first, second),
        reason=a.reason,
        origin=origin_of(a, b),
    )


def _row_of_ones(unknown: Unknown) -> int | None:
    """The largest number, where all bits below it are set and the smallest is zero; None for others."""
    low, high = value_bounds(unknown) or (1, 0)
    return int(high) if low == 0 and bits_above(high) == int(high) else None


def _is_zero(op: Op, a: Value, b: Value) -> bool:
    """Whether a product has a factor that is zero, or a quotient a numerator: what nobody knows is no infinity."""
    if op is Op.MUL:
        return _is_nothing(a) or _is_nothing(b)
    return op is Op.DIV and _is_nothing(a)


def _is_nothing(value: Value) -> bool:
    if isinstance(value, OPEN):
        return False
    return not np.any(value)


def _likely(op: Op, a: Value, b: Value, reason: str) -> Unknown:
    """A comparison of host code, with how often it holds as far as that is known."""
    first, second = outcomes(a), outcomes(b)
    if first is None or second is None:
        return Unknown(new_key(), uniform=True, reason=reason, origin=origin_of(a, b))
    held = np.asarray(NUMPY[op](first, second), float)
    return Unknown(new_key(), uniform=True, low=0, high=1, reason=reason, sample=held)


def _float_bounds(op: Op, a: Value, b: Value) -> tuple[float | None, float | None]:
    """Bounds of a floating-point result, where both operands are bounded numbers."""
    first, second = interval_of(a), interval_of(b)
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


def _has_one_sign(op: Op, divisor: Value) -> bool:
    """Whether quotients by a bounded number are bounded but for the few that are divided by almost nothing."""
    bounds = interval_of(divisor) if op is Op.DIV else None
    return bounds is not None and (bounds[0] >= 0 or bounds[1] <= 0)


_WIDEST_DIVISOR = 8
"""Ratio of the bounds of a divisor beyond which quotients are nothing like evenly spread."""


def _is_narrow(bounds: tuple[float, float]) -> bool:
    nearest, farthest = sorted((abs(bounds[0]), abs(bounds[1])))
    return bounds[0] * bounds[1] > 0 and farthest <= _WIDEST_DIVISOR * nearest


def _two_unknowns(op: Op, a: Unknown, b: Unknown, lanes: int) -> Value | None:
    if op is Op.SUB and a.scale == b.scale and same_draw(a, b):
        return _plain(a.offset - b.offset)
    is_drawn = lanes > 1 and (a.is_drawable or b.is_drawable)
    if is_drawn and not same_draw(a, b) and _is_number(a) and _is_number(b):
        return _beside(op, a, b, lanes)
    return _sum_of_unknowns(a, b, lanes) if op is Op.ADD else None


def _is_number(unknown: Unknown) -> bool:
    """Whether it stands for a number that was read or computed from such, rather than for a word of mixed bits."""
    return unknown.uniform or unknown.lane_index is not None or unknown.draws is not None


def _beside(op: Op, a: Unknown, b: Unknown, lanes: int) -> Unknown:
    """The wider of two unknowns, with numbers drawn for the other: ``begin + length`` stays as far behind `begin`."""
    if b.is_drawable and (not a.is_drawable or _width(a) >= _width(b)):
        return shifted(a, _drawn_integers(b if op is Op.ADD else scaled(b, -1), lanes))
    return shifted(b if op is Op.ADD else scaled(b, -1), _drawn_integers(a, lanes))


def _pointwise(
    operator: Callable[[Array, Array], Array], a: Unknown, b: Unknown, lanes: int
) -> Unknown:
    """What the numbers drawn for both make, lane by lane, within the bounds of that."""
    x, y = (np.broadcast_to(_drawn_integers(item, lanes), (lanes,)) for item in (a, b))
    numbers = operator(x, y)
    low, high = int(numbers.min()), int(numbers.max())
    return Unknown(
        new_key(),
        low=low,
        high=high,
        reason=a.reason,
        origin=origin_of(a, b),
        draws=places_within(numbers, low, high),
    )


def _followed(op: Op, a: Value, b: Value) -> int | None:
    """Key of the only unknown, where a sum, a difference or a product rises with it and is spread as it is."""
    if isinstance(a, Unknown) and isinstance(b, NUMBERS):
        rises = op in (Op.ADD, Op.SUB) or (op in (Op.MUL, Op.DIV) and b > 0)
        return order_of(a) if rises else None
    if isinstance(b, Unknown) and isinstance(a, NUMBERS):
        return order_of(b) if op is Op.ADD or (op is Op.MUL and a > 0) else None
    return None


def _host_shape(op: Op, a: Value, b: Value, *, is_bounded: bool) -> NDArray[np.float64] | None:
    """Numbers that are as likely as each other, of what is not spread evenly: products, wide quotients, and what is made of such.

    The square of an even number between 0 and 1 is a third in the mean, and less than a quarter half of the time.
    """
    is_product = op is Op.MUL and isinstance(a, Unknown) and isinstance(b, Unknown)
    is_shaped = any(isinstance(value, Unknown) and value.sample is not None for value in (a, b))
    if not is_bounded and not _has_one_sign(op, b):
        return None
    if is_bounded and not is_product and not is_shaped:
        return None
    if op is Op.SUB and isinstance(a, Unknown) and isinstance(b, Unknown) and a.reason == b.reason:
        return None  # elements of one array, as corners of a cell are: no draws of their own
    first, second = outcomes(a), outcomes(b)
    if op not in _SHAPING or first is None or second is None or len(first) != len(second):
        return None
    with np.errstate(all="ignore"):
        numbers = np.asarray(_SHAPING[op](first, second), float)
    return numbers if np.isfinite(numbers).all() else None


def _host_product(a: Unknown, b: Unknown, scalar: Scalar) -> Unknown | None:
    """What two bounded numbers of host code make, as rows and columns make the iterations of a nest."""
    first, second = outcomes(a), outcomes(b)
    bounds = value_bounds(a), value_bounds(b)
    if first is None or second is None or bounds[0] is None or bounds[1] is None:
        return None
    ends = [int(x) * int(y) for x in bounds[0] for y in bounds[1]]
    low, high = type_range(scalar)
    if min(ends) < low or max(ends) > high:
        return None
    return Unknown(
        new_key(),
        uniform=True,
        low=min(ends),
        high=max(ends),
        reason=a.reason,
        origin=origin_of(a, b),
        sample=first * second,
    )


def _truncated(x: Array, y: Array) -> Array:
    """Quotients towards zero; those of lanes that do not divide are 0."""
    quotients: Array = np.abs(x) // np.maximum(np.abs(y), 1) * np.sign(x) * np.sign(y)
    return quotients


_POINTWISE: dict[Op, Callable[[Array, Array], Array]] = {
    Op.MUL: lambda x, y: x * y,
    Op.DIV: _truncated,
    Op.REM: lambda x, y: x - _truncated(x, y) * y,
}


def _width(unknown: Unknown) -> float:
    assert unknown.low is not None
    assert unknown.high is not None
    return (unknown.high - unknown.low) * abs(unknown.scale)


def _drawn_integers(unknown: Unknown, lanes: int) -> int | Array:
    number = drawn(unknown, lanes)
    assert not isinstance(number, OPEN)
    return number.astype(np.int64) if isinstance(number, np.ndarray) else int(number)


def _sum_of_unknowns(a: Unknown, b: Unknown, lanes: int) -> Unknown:
    """A new unknown; bounded where both are. Otherwise the first (usually the base of an address) dominates.

    In host code sums of numbers that are not spread evenly are spread as these make them: running sums rise by their mean.
    """
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
            sample=_host_shape(Op.ADD, a, b, is_bounded=True) if lanes == 1 else None,
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
        rises_over=a.rises_over,
    )


def _plain(value: int | Array) -> Value:
    return value


def _affine(
    op: Op, unknown: Unknown, known: Number | Array, scalar: Scalar, lanes: int, *, left: bool
) -> Value | None:
    amount: int | Array = known.astype(np.int64) if isinstance(known, np.ndarray) else int(known)
    if op is Op.ADD:
        return shifted(unknown, amount)
    if op is Op.SUB:
        return shifted(unknown, -amount) if left else shifted(scaled(unknown, -1), amount)
    if op is Op.MUL and isinstance(amount, int):
        return 0 if amount == 0 else scaled(unknown, amount)
    if op is Op.MUL and isinstance(amount, np.ndarray):
        # Lanes that share the unknown are as far apart as it says.
        factor = drawn(unknown, len(amount))
        if isinstance(factor, OPEN):
            return None
        return (amount * factor).astype(DTYPES[scalar])
    if op is Op.SHL and left and isinstance(amount, int) and 0 <= amount < 63:
        return scaled(unknown, 1 << amount)
    if not isinstance(amount, int):
        return None
    if left and _hardly_wraps(op, unknown, amount):
        return unknown
    bounds = _bounds(op, unknown, amount, scalar, left=left)
    if bounds is None:
        return None
    if unknown.uniform and isinstance(unknown.offset, np.ndarray):
        return _related(op, unknown, unknown.offset, amount, bounds)
    return Unknown(
        new_key(),
        is_uniform(unknown),
        low=bounds[0],
        high=bounds[1],
        reason=unknown.reason,
        origin=unknown.origin,
        lane_index=unknown.lane_index,
        sample=_bits_within(amount) if op is Op.AND else None,
        draws=_of_quotient(op, unknown, amount, bounds, lanes),
        quotient_of=_divided(op, unknown, amount, lanes),
    )


_MOST_BITS = 8
"""Masks of more bits leave so many numbers that these are all over the range."""


@lru_cache(maxsize=256)
def _bits_within(mask: int) -> NDArray[np.float64] | None:
    """The numbers that a mask with gaps leaves of a word whose bits are all as likely; None where the bounds say enough.

    ``x & 8`` is 0 or 8, each in half of the cases, and no number between them.
    """
    if mask & (mask + 1) == 0 or mask.bit_count() > _MOST_BITS:
        return None
    numbers = [0]
    while mask:
        lowest = mask & -mask
        numbers += [number | lowest for number in numbers]
        mask ^= lowest
    return np.array(numbers, np.float64)


def _of_quotient(
    op: Op, unknown: Unknown, amount: int, bounds: tuple[int, int], lanes: int
) -> NDArray[np.float64] | None:
    """Where quotients of drawn numbers lie in their bounds, lane by lane: what is divided again and again comes to an end."""
    if lanes == 1 or op not in (Op.DIV, Op.SHR) or is_uniform(unknown) or not unknown.is_drawable:
        return None
    numbers = drawn(unknown, lanes)
    assert isinstance(numbers, np.ndarray)
    quotients = numbers >> amount if op is Op.SHR else numbers // amount
    return places_within(np.clip(quotients, *bounds), *bounds)


_WRAPPED = 16
"""One number of so many that wraps around is left out of account."""


def _hardly_wraps(op: Op, unknown: Unknown, amount: int) -> bool:
    """Whether a number stays what it is with few exceptions: the next place of a table, round its end (`(s + 1) & (n - 1)`)."""
    if op is not Op.AND or amount & (amount + 1):
        return False
    bounds = value_bounds(unknown)
    return bounds is not None and bounds[0] >= 0 and bounds[1] - amount <= amount // _WRAPPED


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
    if op is Op.REM:
        apart = offset % abs(amount)
    elif op is Op.AND and amount & (amount + 1) == 0:
        apart = offset % (amount + 1)
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
    if op in _LOGIC:
        ones = _row_of_ones(unknown)
        return None if ones is None or amount < 0 else (0, bits_above(max(ones, amount)))
    if not left:
        return None
    limits = value_bounds(unknown)
    if op is Op.REM and amount != 0:
        return _remainders(limits, abs(amount))
    if limits is None and not scalar.is_signed and scalar.size_bytes < 4:
        limits = type_range(scalar)
    if limits is None:
        return None
    low, high = limits
    if op is Op.DIV and amount > 0:
        return (int(low / amount), int(high / amount))
    if op is Op.SHR and low >= 0:
        return (int(low) >> amount, int(high) >> amount)
    return None


def _remainders(limits: tuple[float, float] | None, amount: int) -> tuple[int, int]:
    """Bounds of remainders: all of them, but of numbers between two multiples, which stay as far apart as they are."""
    if limits is not None and limits[0] >= 0 and limits[0] // amount == limits[1] // amount:
        return int(limits[0] % amount), int(limits[1] % amount)
    return 0, amount - 1


def compare_by_bounds(op: Op, a: Value, b: Value) -> Value | None:
    """The outcome, where bounds (or the same unknown on both sides) decide it."""
    if isinstance(a, Unknown) and isinstance(b, Unknown) and a.scale == b.scale and same_draw(a, b):
        difference = a.offset - b.offset
        if isinstance(difference, int):
            return COMPARE[op](difference, 0)
        return NUMPY[op](difference, np.zeros_like(difference))
    first, second = interval_of(a), interval_of(b)
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
