"""Values of the abstract machine.

A value is one of

- a Python number: known and the same in all lanes;
- a numpy array, one element a lane: known (elements of inactive lanes are meaningless);
- `Unknown`: ``offset + scale * R`` with an unknown R; offset and scale are known, so that neighbouring lanes keep their
  relation (``x[start + lane]`` with an unknown start is still coalesced);
- `Mixed`: known in some lanes, unknown in the others.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Array = np.ndarray
Number = int | float | bool

DTYPES: dict[Scalar, np.dtype] = {
    Scalar.BOOL: np.dtype(np.bool_),
    Scalar.I8: np.dtype(np.int8),
    Scalar.U8: np.dtype(np.uint8),
    Scalar.I16: np.dtype(np.int16),
    Scalar.U16: np.dtype(np.uint16),
    Scalar.I32: np.dtype(np.int32),
    Scalar.U32: np.dtype(np.uint32),
    Scalar.I64: np.dtype(np.int64),
    Scalar.U64: np.dtype(np.uint64),
    Scalar.I128: np.dtype(np.int64),
    Scalar.U128: np.dtype(np.uint64),
    Scalar.F16: np.dtype(np.float32),
    Scalar.BF16: np.dtype(np.float32),
    Scalar.F32: np.dtype(np.float32),
    Scalar.F64: np.dtype(np.float64),
    Scalar.VOID: np.dtype(np.int32),
}
_APART = np.uint64(0xD1342543DE82EF95)
"""How far the draws of neighbouring lanes are apart before they are mixed."""


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """``offset + scale * R``; R is drawn once for each `key` (and lane, unless uniform)."""

    key: int
    """Identity: equal keys mean the same R."""
    uniform: bool = False
    """Whether R is the same in all lanes of a warp."""
    scale: int = 1
    offset: int | NDArray[np.int64] = 0
    low: float | None = None
    """Inclusive bounds of R, where known; whole numbers for integers."""
    high: float | None = None
    reason: str = ""
    is_float: bool = False
    origin: int | None = None
    """Number of the buffer that it was loaded from."""
    lane_index: NDArray[np.int64] | None = None
    """Where R depends on an address (loaded data): equal addresses give equal R."""
    sample: NDArray[np.float64] | None = None
    """Values that R is known to take, each equally likely."""
    is_type_range: bool = False
    """The bounds are those of a narrow type: nothing else is known of R."""
    type_high: int | None = None
    """Where no bounds are known: the largest number of the type that R was read in, which begins at 0. For addresses only."""
    rises_over: tuple[int, int] | None = None
    """Indices between which R never falls, as running sums of loaded data do; None where it may."""
    even_share: float = 0.0
    """How often the program itself draws R, as evenly as its bounds say."""
    draws: NDArray[np.float64] | None = None
    """Where in its bounds, from 0 to 1, R lies in each lane, where that follows from the numbers that it was computed from."""
    follows: int | None = None
    """Key of the unknown of host code that it is a rising line of: both are large together."""
    is_order: bool = False
    """Whether R differs wherever the address does that it was loaded from, as the places in a shuffled row do."""
    quotient_of: tuple[Unknown, int] | None = None
    """Of which number R is the quotient, and by what, as blocks are of elements: one tells the other."""

    def moved(self, scale: int, offset: int | NDArray[np.int64]) -> Unknown:
        """The same R under another scale and offset."""
        return Unknown(
            self.key,
            self.uniform,
            scale,
            offset,
            self.low,
            self.high,
            self.reason,
            self.is_float,
            self.origin,
            self.lane_index,
            self.sample,
            self.is_type_range,
            self.type_high,
            self.rises_over,
            self.even_share,
            self.draws,
            self.follows,
            self.is_order,
            self.quotient_of,
        )

    @property
    def is_drawable(self) -> bool:
        """Whether so much is known of R that numbers can be drawn for it."""
        if self.low is None or self.high is None or self.is_type_range:
            return False
        if self.is_float:
            return math.isfinite(self.low) and math.isfinite(self.high)
        largest = max(abs(self.low), abs(self.high)) * max(abs(self.scale), 1)
        return largest < _LARGEST_OFFSET and _fits(self.offset)

    def fresh(self, key: int) -> Unknown:
        """An unrelated unknown with the same reason and uniformity."""
        return Unknown(key, self.uniform, reason=self.reason, is_float=self.is_float)


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """Known where `known`; the rest is `unknown`."""

    values: NDArray[np.generic]
    known: NDArray[np.bool_]
    unknown: Unknown


Value = Number | Array | Unknown | Mixed

# Tuples, since a union would be made anew for each test.
NUMBERS = (int, float)
"""What is known and the same in all lanes."""
OPEN = (Unknown, Mixed)
"""What is not known in all lanes."""


def is_known(value: Value) -> bool:
    """Whether the value is known in all lanes."""
    return not isinstance(value, OPEN)


def to_array(value: Number | Array, scalar: Scalar, lanes: int) -> Array:
    """All lanes of a known value, as the numpy type of `scalar`."""
    dtype = DTYPES[scalar]
    if isinstance(value, np.ndarray):
        return value if value.dtype == dtype else value.astype(dtype)
    return np.full(lanes, number_of(value, scalar), dtype=dtype)


def operand(value: Number | Array, scalar: Scalar) -> Array:
    """A known value as the numpy type of `scalar`, to be combined with that of lanes: a number stays one element."""
    if isinstance(value, np.ndarray):
        return to_array(value, scalar, len(value))
    if type(value) is int:
        return _integer_operand(value, scalar)
    return np.asarray(number_of(value, scalar), DTYPES[scalar])


@lru_cache(maxsize=4096)
def _integer_operand(value: int, scalar: Scalar) -> Array:
    """As `operand`: kernels compute with the same few integers again and again; not to be written to."""
    return np.asarray(number_of(value, scalar), DTYPES[scalar])


def number_of(value: Number, scalar: Scalar) -> Number:
    """A Python number in the range of a type."""
    if scalar.is_float:
        return float(value)
    if scalar is Scalar.BOOL:
        return bool(value)
    if isinstance(value, float):
        if value != value or abs(value) == float("inf"):
            return 0
        value = int(value)
    return scalar.wrapped(int(value))


def fits(value: Number, scalar: Scalar) -> bool:
    """Whether a type holds a number as it is; nothing holds what is no number."""
    if value != value:
        return False
    if scalar.is_float:
        return True
    return float(value).is_integer() and (
        scalar is Scalar.BOOL or scalar.wrapped(int(value)) == int(value)
    )


def splitmix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The splitmix64 finaliser (Steele, Lea, Flood 2014): 64 well mixed bits for each input."""
    z = values + _GAMMA
    for shift, factor in _ROUNDS:
        z ^= z >> shift
        z *= factor
    z ^= z >> _LAST_SHIFT
    return z


_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_LAST_SHIFT = np.uint64(31)


def uniform_draws(unknown: Unknown, lanes: int) -> NDArray[np.float64]:
    """R as numbers in [0, 1), reproducible: one for each lane, equal where R is known to be equal."""
    if unknown.draws is not None and len(unknown.draws) in (1, lanes):
        return unknown.draws if len(unknown.draws) == lanes else np.repeat(unknown.draws, lanes)
    if unknown.rises_over is not None and unknown.lane_index is not None:
        first, end = unknown.rises_over
        return np.clip((unknown.lane_index - first) / max(end - first, 1), 0.0, 1.0 - 1e-9)
    seed = _seed(unknown.key)
    if unknown.lane_index is not None:
        apart = unknown.lane_index.astype(np.uint64) * _APART
    else:
        apart = _lanes_apart(lanes, in_warps=unknown.uniform)
    mixed = splitmix(apart + seed)
    return (mixed >> np.uint64(11)).astype(np.float64) * (1.0 / (1 << 53))


def _seed(key: int) -> np.uint64:
    return np.uint64((key * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF)


@lru_cache(maxsize=16)
def _lanes_apart(lanes: int, *, in_warps: bool) -> NDArray[np.uint64]:
    """A number for each lane, or for the lanes of each warp; not to be written to."""
    index = np.arange(lanes, dtype=np.uint64)
    return (index // np.uint64(32) if in_warps else index) * _APART


def drawn_numbers(unknown: Unknown, lanes: int) -> NDArray[np.generic]:
    """Reproducible numbers for a bounded unknown, one for each lane: of its sample, or evenly within its bounds."""
    return _numbers_at(unknown, uniform_draws(unknown, lanes))


def _numbers_at(unknown: Unknown, draws: NDArray[np.float64]) -> NDArray[np.generic]:
    assert unknown.low is not None
    assert unknown.high is not None
    if unknown.sample is not None:
        drawn = _drawn_from(unknown.sample, draws)
    elif unknown.is_float:
        drawn = unknown.low + draws * (unknown.high - unknown.low)
    else:
        low, high = int(unknown.low), int(unknown.high)
        whole = low + np.floor(draws * (high - low + 1)).astype(np.int64)
        return whole * unknown.scale + unknown.offset
    if unknown.is_float:
        return drawn
    return np.floor(drawn).astype(np.int64) * unknown.scale + unknown.offset


def _drawn_from(sample: NDArray[np.float64], draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers of a sample, and those between neighbours that lie close: a large sample stands for a distribution."""
    is_sorted = bool((sample[1:] >= sample[:-1]).all())
    ordered = sample if is_sorted else np.sort(sample)
    count = len(ordered)
    place = draws * count
    below = np.floor(place).astype(np.int64)
    drawn: NDArray[np.float64] = ordered[below]
    if count < _DISTRIBUTION:
        return drawn
    gap = ordered[np.minimum(below + 1, count - 1)] - drawn
    is_close = gap * count <= _CLOSE * (ordered[-1] - ordered[0])
    return drawn + np.where(is_close, (place - below) * gap, 0.0)


_DISTRIBUTION = 32
"""Numbers of a sample from which on what lies between them is likely as well: fewer may be all that there are."""
_CLOSE = 8.0
"""Gaps up to so many times the mean one are not empty: among a hundred random places 3 % of samples have a wider one (100/e^8)."""
_OUTCOMES = 100


def outcomes(value: Value) -> NDArray[np.float64] | None:
    """Numbers that a value of the single lane of host code may be, each equally likely; None where that is not known."""
    if isinstance(value, NUMBERS):
        return np.full(_OUTCOMES, float(value))
    if not isinstance(value, Unknown) or not value.is_drawable or not isinstance(value.offset, int):
        return None
    order = value.key if value.follows is None else value.follows
    evenly = _evenly(order) if value.draws is None else _ranked(value.key)
    return _numbers_at(value, evenly).astype(float)


def order_of(value: Value) -> int | None:
    """Key of what an unknown rises with; None for those that follow a distribution of their own."""
    if not isinstance(value, Unknown) or value.sample is not None or not value.is_drawable:
        return None
    return value.key if value.follows is None else value.follows


@lru_cache(maxsize=1024)
def _evenly(key: int) -> NDArray[np.float64]:
    """As `_ranked`, for unknowns that are drawn by their key: host code compares the same ones again and again."""
    return _ranked(key)


def _ranked(key: int) -> NDArray[np.float64]:
    """In each hundredth of the range one, in an order of its own; not to be written to."""
    drawn = splitmix(_lanes_apart(_OUTCOMES, in_warps=False) + _seed(key)) >> np.uint64(11)
    found = np.empty(_OUTCOMES)
    found[np.argsort(drawn)] = _MIDDLES
    return found


_MIDDLES = (np.arange(_OUTCOMES) + 0.5) / _OUTCOMES


def mixture(parts: Sequence[NDArray[np.float64]], shares: Sequence[float]) -> NDArray[np.float64]:
    """Equally likely numbers that stand for several sets of such numbers, each with its share."""
    numbers = np.concatenate(parts)
    weights = np.concatenate(
        [np.full(len(part), share / len(part)) for part, share in zip(parts, shares, strict=True)]
    )
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = (np.arange(_OUTCOMES) + 0.5) / _OUTCOMES * reached[-1]
    drawn: NDArray[np.float64] = numbers[order[np.searchsorted(reached, wanted)]]
    return drawn


def resolve_integer(unknown: Unknown, count: int, lanes: int) -> NDArray[np.int64]:
    """A concrete guess for an unknown index in [0, count): R of its sample, or uniform in its bounds or in what fits."""
    draws = uniform_draws(unknown, lanes)
    if unknown.sample is not None:
        drawn = np.floor(_drawn_from(unknown.sample, draws)).astype(np.int64)
    elif unknown.low is not None and unknown.high is not None:
        low, high = int(unknown.low), int(unknown.high)
        drawn = low + np.floor(draws * (high - low + 1)).astype(np.int64)
    else:
        span = max(count // max(abs(unknown.scale), 1), 1)
        if unknown.type_high is not None:
            span = min(span, unknown.type_high + 1)
        drawn = np.floor(draws * span).astype(np.int64)
    return drawn * unknown.scale + unknown.offset


_LARGEST_OFFSET = 1 << 61


def _fits(value: int | NDArray[np.int64]) -> bool:
    return not isinstance(value, int) or abs(value) < _LARGEST_OFFSET


def shifted(unknown: Unknown, amount: int | NDArray[np.int64]) -> Unknown:
    """The unknown plus a known amount; an unrelated unknown where that would not be an address or a count."""
    if not _fits(amount) or not _fits(unknown.offset):
        return replace(unknown, offset=0, scale=1, low=None, high=None, sample=None)
    return unknown.moved(unknown.scale, unknown.offset + amount)


def scaled(unknown: Unknown, factor: int) -> Unknown:
    """The unknown times a known number."""
    if (
        abs(unknown.scale * factor) >= _LARGEST_OFFSET
        or not _fits(unknown.offset)
        or abs(factor) >= _LARGEST_OFFSET >> 24
    ):
        return replace(unknown, offset=0, scale=1, low=None, high=None, sample=None)
    return unknown.moved(unknown.scale * factor, unknown.offset * factor)


def same_draw(a: Unknown, b: Unknown) -> bool:
    """Whether both stand for one R: of loaded data that also takes the same addresses (``p[i]`` is not ``p[i + 1]``)."""
    if a.key != b.key:
        return False
    if a.lane_index is b.lane_index:
        return True
    if a.lane_index is None or b.lane_index is None:
        return False
    return bool(np.array_equal(a.lane_index, b.lane_index))


def _merged_index(mask: NDArray[np.bool_], new: Unknown, old: Unknown) -> NDArray[np.int64] | None:
    if new.lane_index is None or old.lane_index is None or new.lane_index is old.lane_index:
        return new.lane_index
    return np.where(mask, new.lane_index, old.lane_index)


def merge(mask: NDArray[np.bool_], new: Value, old: Value | None, scalar: Scalar) -> Value:
    """`new` in the lanes of `mask`, `old` elsewhere (None: never written, so anything will do)."""
    if old is None or new is old:
        return new
    if (
        isinstance(new, NUMBERS)
        and isinstance(old, NUMBERS)
        and type(new) is type(old)
        and new == old
    ):
        return new
    if (
        isinstance(new, Unknown)
        and isinstance(old, Unknown)
        and new.key == old.key
        and new.scale == old.scale
    ):
        offset = np.where(mask, new.offset, old.offset)
        draws = new.draws
        if draws is not old.draws:
            draws = np.where(mask, *(uniform_draws(item, len(mask)) for item in (new, old)))
        return replace(new, offset=offset, lane_index=_merged_index(mask, new, old), draws=draws)
    if isinstance(new, Unknown) and isinstance(old, Unknown):
        return _one_of(mask, new, old)
    new_values, new_known = _parts(new, scalar)
    old_values, old_known = _parts(old, scalar)
    values = np.where(mask, new_values, old_values)
    if new_known is True and old_known is True:
        return values
    known = np.where(mask, new_known, old_known)
    return Mixed(values, known, _unknown_of(new) or _unknown_of(old) or Unknown(0))


_KEYS = 1 << 60
_FACTOR = 1_000_003
"""What keys of merged values are made with: a number of theirs for each pair of keys and each set of lanes."""


def _one_of(mask: NDArray[np.bool_], new: Unknown, old: Unknown) -> Unknown:
    """One of two unknowns in each lane: still relative to the same base, within the bounds of both."""
    scale = math.gcd(new.scale, old.scale) or 1
    both = [_bounds_at(scale, unknown) for unknown in (new, old)]
    bounds = [limits for limits in both if limits is not None]
    offset: int | NDArray[np.int64] = np.where(mask, new.offset, old.offset)
    if isinstance(new.offset, int) and isinstance(old.offset, int) and new.offset == old.offset:
        offset = new.offset
    low = min(low for low, _ in bounds) if len(bounds) == 2 else None
    high = max(high for _, high in bounds) if len(bounds) == 2 else None
    draws = None
    is_drawn = new.is_drawable and old.is_drawable and not new.is_float
    if low is not None and high is not None and is_drawn:
        numbers = np.where(mask, *(drawn_numbers(item, len(mask)) for item in (new, old)))
        draws = places_within((numbers - offset) // scale, low, high)
    return Unknown(
        # Below 0, where no other keys are; the same pair in the same lanes gives the same key in every run.
        -1 - ((abs(new.key) * _FACTOR + abs(old.key)) * _FACTOR + crc32(mask.tobytes())) % _KEYS,
        scale=scale,
        offset=offset,
        low=low,
        high=high,
        reason=new.reason,
        is_float=new.is_float,
        origin=new.origin if new.origin == old.origin else None,
        draws=draws,
    )


def places_within(numbers: Array, low: float, high: float) -> NDArray[np.float64]:
    """Where whole numbers lie in bounds, from 0 to below 1: what draws them again."""
    return (np.asarray(numbers, np.float64) - low + 0.5) / (high - low + 1)


def _bounds_at(scale: int, unknown: Unknown) -> tuple[float, float] | None:
    """Bounds of R, counted in another scale."""
    if unknown.low is None or unknown.high is None:
        return None
    if unknown.is_float:
        return unknown.low, unknown.high
    ends = [end * unknown.scale // scale for end in (unknown.low, unknown.high)]
    return min(ends), max(ends)


def _unknown_of(value: Value) -> Unknown | None:
    if isinstance(value, Unknown):
        return value
    return value.unknown if isinstance(value, Mixed) else None


def _parts(value: Value, scalar: Scalar) -> tuple[Array, NDArray[np.bool_] | bool]:
    """The numbers of a value, and where they are known."""
    if isinstance(value, Unknown):
        return np.zeros((), DTYPES[scalar]), False
    if isinstance(value, Mixed):
        return operand(value.values, scalar), value.known
    return operand(value, scalar), True
