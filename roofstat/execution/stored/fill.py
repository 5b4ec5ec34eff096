"""Elements of an allocation that one rule describes, summarised from loops: where they are and what they hold."""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import DTYPES, Unknown, Value, number_of, uniform_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_BETWEEN = 4
"""Elements between two stretches of a line."""


class Pattern(Enum):
    """How the elements of a fill vary."""

    CONSTANT = "constant"
    AFFINE = "affine"
    NEAR = "near"
    """Whole numbers that stay near an affine one, as labels of neighbours and parents in trees of neighbours do."""
    RANDOM = "random"
    SCATTERED = "scattered"
    TABLE = "table"
    """Numbers of which each is known."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """Elements at ``start + sum(i_k * stride_k)`` for ``0 <= i_k < count_k``."""

    start: int
    """Offset in bytes of the first element."""
    dims: tuple[tuple[int, int], ...]
    """(stride in bytes, count), outermost first; strides positive."""
    scalar: Scalar
    pattern: Pattern
    first: int | float = 0
    """Value of the first element (CONSTANT, AFFINE, NEAR)."""
    steps: tuple[float, ...] = ()
    """Change of the value along each dim (AFFINE, NEAR)."""
    low: int | float | None = None
    high: int | float | None = None
    """Inclusive bounds (RANDOM, UNKNOWN where known), of the distance from the affine value (NEAR)."""
    choices: tuple[tuple[int | float, float], ...] = ()
    """(value, elements that hold it), for values at places that nobody knows (SCATTERED)."""
    sample: NDArray[np.float64] | None = None
    """Values that the elements are known to take, each equally often (RANDOM), or distances from the affine one (NEAR)."""
    even_share: float = 0.0
    """Share of the values that the program itself draws, as evenly as their bounds say (RANDOM)."""
    is_order: bool = False
    """Whether no two elements hold the same number: rows of an array in an order that chance has made (RANDOM)."""
    table: NDArray[np.int64] | None = None
    """The value of each element, along the only dim (TABLE)."""
    is_rising: bool = False
    """Whether the values never fall, as running sums do (RANDOM, UNKNOWN)."""
    is_expected: bool = False
    """Whether a kernel has left the values: host code decides nothing by what is only likely (SCATTERED)."""
    key: int = 0
    """Identity of the random contents."""

    end: int = field(init=False)
    """Offset just past the last element."""

    def __post_init__(self) -> None:
        """Compute what every lookup asks for."""
        reach = sum(stride * (count - 1) for stride, count in self.dims)
        assert self.table is None or [len(self.table)] == [count for _, count in self.dims]
        object.__setattr__(self, "end", self.start + reach + self.scalar.size_bytes)

    @property
    def is_affine(self) -> bool:
        """Whether the values, or those that they lie near, follow from `first` and `steps`."""
        return self.pattern in (Pattern.AFFINE, Pattern.NEAR)

    @property
    def is_gapless(self) -> bool:
        """Whether the elements lie side by side, so that every byte between the ends is covered."""
        reach = self.scalar.size_bytes
        for stride, count in reversed(self.dims):
            if stride > reach:
                return False
            reach += stride * (count - 1)
        return True

    def covers(self, offset: int) -> bool:
        """Whether an element begins at or around an offset."""
        if not self.start <= offset < self.end:
            return False
        rest = offset - self.start
        for stride, count in self.dims:
            rest -= min(rest // stride, count - 1) * stride
        return rest < self.scalar.size_bytes


def bytes_fill(start: int, size: int, value: float | None) -> Fill:
    """Bytes that all hold one value; None where nobody knows what they hold."""
    return Fill(
        start=start,
        dims=((1, max(size, 1)),),
        scalar=Scalar.U8,
        pattern=Pattern.UNKNOWN if value is None else Pattern.CONSTANT,
        first=0 if value is None else value,
        key=new_key(),
    )


def merged(fill: Fill) -> Fill:
    """The same elements with fewer dims, where rows follow each other without a gap.

    Loops over columns outside of rows leave their dims in the order of the loops: the longest stride comes first here.
    """
    is_affine = fill.is_affine
    order = sorted(range(len(fill.dims)), key=lambda index: -fill.dims[index][0])
    dims = [fill.dims[index] for index in order]
    steps = [fill.steps[index] for index in order] if is_affine else []
    index = len(dims) - 1
    while index > 0:
        (outer_stride, outer_count), (stride, count) = dims[index - 1], dims[index]
        even = outer_stride == stride * count and (
            not is_affine or abs(steps[index - 1] - steps[index] * count) < 1e-9
        )
        if even or outer_count == 1 or count == 1:
            keep_outer = not even and count == 1
            dims[index - 1 : index + 1] = [
                (stride, count * outer_count)
                if even
                else ((outer_stride, outer_count) if keep_outer else (stride, count))
            ]
            if is_affine:
                steps[index - 1 : index + 1] = [steps[index - 1] if keep_outer else steps[index]]
        index -= 1
    if dims == list(fill.dims):
        return fill
    return replace(fill, dims=tuple(dims), steps=tuple(steps) if is_affine else ())


def replaces(fill: Fill, old: Fill) -> bool:
    """Whether nothing of an older fill is left."""
    if not (fill.start <= old.start and old.end <= fill.end):
        return False
    return fill.is_gapless or (fill.start == old.start and fill.dims == old.dims)


def goes_on(last: Fill, fill: Fill) -> bool:
    """Whether a fill lies on the line of places and numbers of another, a few elements behind its end."""
    if (last.scalar, last.pattern, last.steps) != (fill.scalar, fill.pattern, fill.steps):
        return False
    if last.pattern not in (Pattern.CONSTANT, Pattern.AFFINE) or len(last.dims) != 1:
        return False
    ((stride, count),) = last.dims
    distance, rest = divmod(fill.start - last.start, stride)
    step = last.steps[0] if last.is_affine else 0
    return (
        len(fill.dims) == 1
        and fill.dims[0][0] == stride
        and rest == 0
        and count <= distance <= count + _MOST_BETWEEN
        and fill.first == last.first + step * distance
    )


def clipped(fill: Fill, start: int, end: int) -> Fill | None:
    """The part of a fill within [start, end), None where there is none that can be told."""
    if start <= fill.start and fill.end <= end:
        return fill
    if fill.end <= start or end <= fill.start:
        return None
    if len(fill.dims) == 1:
        stride, count = fill.dims[0]
        first = max(-((fill.start - start) // stride), 0) if start > fill.start else 0
        last = min((end - 1 - fill.start) // stride, count - 1)
        if last < first:
            return None
        value = fill.first + fill.steps[0] * first if fill.is_affine else fill.first
        return replace(
            fill,
            start=fill.start + first * stride,
            dims=((stride, last - first + 1),),
            first=value,
            table=None if fill.table is None else fill.table[first : last + 1],
        )
    if fill.is_affine or not fill.is_gapless:
        return None
    size = fill.scalar.size_bytes
    low, high = max(start, fill.start), min(end, fill.end)
    return replace(fill, start=low, dims=((size, max((high - low) // size, 1)),), steps=())


def values_at(
    fill: Fill, offset: NDArray[np.int64], scalar: Scalar, buffer: int, reason: str
) -> Value:
    """What the elements of a fill at some offsets hold, one for each lane; one number where all hold the same."""
    if fill.pattern is Pattern.CONSTANT:
        if fill.scalar is Scalar.U8 and fill.first > 0 and scalar.size_bytes > 1:
            number: int | float = np.frombuffer(bytes([int(fill.first)]) * 8, DTYPES[scalar])[
                0
            ].item()
            return number
        return number_of(fill.first, scalar)
    if fill.is_affine:
        value = _affine_values(fill, offset)
        if fill.pattern is Pattern.NEAR:
            return Unknown(
                fill.key,
                offset=np.round(value).astype(np.int64),
                low=fill.low,
                high=fill.high,
                reason=reason,
                origin=buffer,
                lane_index=offset,
                sample=fill.sample,
            )
        return (
            value.astype(DTYPES[scalar])
            if scalar.is_float
            else np.round(value).astype(np.int64).astype(DTYPES[scalar])
        )
    if fill.table is not None and scalar.size_bytes == fill.scalar.size_bytes:
        ((stride, count),) = fill.dims
        return fill.table[np.clip((offset - fill.start) // stride, 0, count - 1)].astype(
            DTYPES[scalar]
        )
    if fill.pattern is Pattern.SCATTERED:
        return _drawn(fill, offset, scalar)
    low, high = fill.low, fill.high
    if scalar.is_float != fill.scalar.is_float or scalar.size_bytes > fill.scalar.size_bytes:
        low = high = None
    elif not scalar.is_float and low is not None and high is not None:
        low, high = int(low), int(high)
    return Unknown(
        fill.key,
        low=low if high is not None else None,
        high=high if low is not None else None,
        reason=reason,
        is_float=scalar.is_float,
        origin=buffer,
        lane_index=offset,
        sample=None if low is None else fill.sample,
        rises_over=(fill.start, fill.end) if fill.is_rising else None,
        even_share=0.0 if low is None else fill.even_share,
        is_order=low is not None and fill.is_order,
    )


def _affine_values(fill: Fill, offset: NDArray[np.int64]) -> NDArray[np.float64]:
    rest = offset - fill.start
    value: NDArray[np.float64] = np.full(len(offset), float(fill.first))
    for (stride, count), step in zip(fill.dims, fill.steps, strict=True):
        index = np.clip(rest // stride, 0, count - 1)
        rest = rest - index * stride
        value = value + index * step
    return value


def _drawn(fill: Fill, offset: NDArray[np.int64], scalar: Scalar) -> NDArray[np.generic]:
    """Scattered values: each element's own draw, in proportion to how many hold a value."""
    place = Unknown(fill.key, lane_index=(offset - fill.start) // fill.scalar.size_bytes)
    shares = np.cumsum([amount for _, amount in fill.choices])
    values = np.array([number_of(value, scalar) for value, _ in fill.choices], DTYPES[scalar])
    chosen = np.searchsorted(shares, uniform_draws(place, len(offset)) * shares[-1], side="right")
    drawn: NDArray[np.generic] = values[np.minimum(chosen, len(values) - 1)]
    return drawn
