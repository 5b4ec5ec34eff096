"""What is known of the bytes of an allocation: single cells, and fills summarised from loops."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import new_key
from roofstat.execution.values import (
    DTYPES,
    Mixed,
    Number,
    Unknown,
    Value,
    number_of,
    uniform_draws,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MAX_CELLS = 20_000
"""Cells beyond this number are forgotten (the allocation then counts as unknown there)."""
SMALL_RECORD_BYTES = 256
"""Copies of records up to this size take over the known cells only."""
MAX_FILLS = 64
"""Older fills beyond this number are forgotten."""
_QUANTILES = 32
"""Values that stand for a wide distribution."""
_RAREST = 1e-4
"""Numbers of events that are less likely are left out."""
MAX_PLACES = 4096
"""Cells are looked up for lanes that read at most this many places."""
MAX_CHOICES = 64
"""Different values of scattered elements beyond this number are forgotten."""


class Pattern(Enum):
    """How the elements of a fill vary."""

    CONSTANT = "constant"
    AFFINE = "affine"
    RANDOM = "random"
    SCATTERED = "scattered"
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
    """Value of the first element (CONSTANT, AFFINE)."""
    steps: tuple[float, ...] = ()
    """Change of the value along each dim (AFFINE)."""
    low: int | float | None = None
    high: int | float | None = None
    """Inclusive bounds (RANDOM, UNKNOWN where known)."""
    choices: tuple[tuple[int | float, float], ...] = ()
    """(value, elements that hold it), for values at places that nobody knows (SCATTERED)."""
    sample: NDArray[np.float64] | None = None
    """Values that the elements are known to take, each equally often (RANDOM)."""
    is_expected: bool = False
    """Whether a kernel has left the values: host code decides nothing by what is only likely (SCATTERED)."""
    key: int = 0
    """Identity of the random contents."""

    end: int = field(init=False)
    """Offset just past the last element."""

    def __post_init__(self) -> None:
        """Compute what every lookup asks for."""
        reach = sum(stride * (count - 1) for stride, count in self.dims)
        object.__setattr__(self, "end", self.start + reach + self.scalar.size_bytes)

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


@dataclass(slots=True, eq=False)
class Contents:
    """Cells win over fills, later fills over earlier ones, fills over `initial`."""

    initial: Value | None = None
    cells: dict[int, tuple[Scalar, Value]] = field(default_factory=dict)
    fills: list[Fill] = field(default_factory=list)
    key: int = 0
    is_lost: bool = False

    def copy(self) -> Contents:
        """An independent copy (cudaMemcpy)."""
        return Contents(self.initial, dict(self.cells), list(self.fills), self.key, self.is_lost)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known of any element."""
        return (self.is_lost or self.initial is None) and not self.fills and not self.cells

    def only_number(self, scalar: Scalar, size_bytes: int) -> int | float | None:
        """The number that every element holds; None where they differ or nobody knows."""
        held = self._held(scalar, size_bytes // scalar.size_bytes)
        return next(iter(held)) if held is not None and len(held) == 1 else None

    @property
    def is_by_chance(self) -> bool:
        """Whether only the distribution of the elements is known."""
        last = self.fills[-1] if self.fills else None
        return last is not None and last.pattern is Pattern.SCATTERED and not last.is_expected

    def terminator(self, offset: int) -> int | None:
        """Where text that begins at an offset ends, as far as somebody has put a 0 behind what nobody knows."""
        ends = [
            at
            for at, (scalar, value) in self.cells.items()
            if at >= offset and scalar.size_bytes == 1 and isinstance(value, int) and value == 0
        ]
        if self.initial == 0 and not self.is_lost:
            ends += [
                fill.end
                for fill in self.fills
                if fill.is_gapless and fill.start <= offset < fill.end
            ]
        return min(ends, default=None)

    def forget(self) -> None:
        """Everything may have changed."""
        self.cells.clear()
        self.fills.clear()
        self.initial = None
        self.key = 0
        self.is_lost = True

    def clear_to(self, value: Value | None) -> None:
        """Every element becomes one value; None for unknown ones."""
        self.forget()
        self.initial = value
        self.is_lost = value is None

    def store(self, offset: int, scalar: Scalar, value: Value) -> None:
        """Remember one element."""
        if len(self.cells) >= MAX_CELLS and offset not in self.cells:
            self.is_lost = True
            return
        self.cells[offset] = (scalar, value)

    def add_fill(self, fill: Fill) -> None:
        """Remember a summarised loop; cells inside its range are overwritten."""
        fill = merged(fill)
        if self.cells:
            if fill.is_gapless:
                kept = {at: c for at, c in self.cells.items() if not fill.start <= at < fill.end}
            else:
                kept = {at: c for at, c in self.cells.items() if not fill.covers(at)}
            self.cells = kept
        self.fills = [old for old in self.fills if not _replaces(fill, old)]
        self.fills.append(fill)
        if len(self.fills) > MAX_FILLS:
            del self.fills[0]
            self.is_lost = True

    def scatter(self, scalar: Scalar, value: Value, count: float, size_bytes: int) -> None:
        """Elements at places that nobody knows get a value: every element then holds it with some probability.

        Args:
            scalar: Type of the elements.
            value: What is stored.
            count: How many elements get it; to different places, until every element has one.
            size_bytes: Of the allocation.
        """
        elements = size_bytes // scalar.size_bytes
        held = self._held(scalar, elements) if isinstance(value, int | float) else None
        if held is None:
            self.forget()
            return
        assert isinstance(value, int | float)
        count = min(count, float(elements))
        first, before = next(iter(held.items()))
        held[first] = max(before - count, 0.0)
        missing = count - (before - held[first])
        if missing > 0:
            kept = 1.0 - missing / max(elements - before, missing)
            held = {key: amount * kept for key, amount in held.items()}
        held[value] = held.get(value, 0.0) + count
        self._scatter(scalar, held, elements)

    def count(self, scalar: Scalar, step: float, count: float, size_bytes: int) -> bool:
        """Elements at places that nobody knows grow by a step, so many times in all: each as often as chance has it.

        Returns:
            Whether it is known what the elements held; they are what they were where it is not.
        """
        elements = size_bytes // scalar.size_bytes
        held = self._held(scalar, elements)
        if held is None or not elements:
            return False
        grown: dict[int | float, float] = {}
        for times, probability in _poisson(count / elements):
            for value, amount in held.items():
                key = number_of(value + times * step, scalar)
                grown[key] = grown.get(key, 0.0) + amount * probability
        self._scatter(scalar, _condensed(grown), elements)
        return True

    def counts_found(
        self, scalar: Scalar, step: float, count: float, size_bytes: int
    ) -> NDArray[np.float64] | None:
        """What those find, each equally likely, who count so many times in elements that held one number at first."""
        first = self.only_number(scalar, size_bytes)
        if first is None:
            return None
        mean = count * scalar.size_bytes / size_bytes
        middles = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        if mean > MAX_PLACES:
            return first + step * np.floor(middles * mean)
        times = _poisson(mean)
        shares = np.zeros(times[-1][0] + 1)
        for number, probability in times:
            shares[:number] += probability
        found = np.searchsorted(np.cumsum(shares), middles * shares.sum())
        counts: NDArray[np.float64] = first + step * found.astype(np.float64)
        return counts

    def _scatter(self, scalar: Scalar, held: dict[int | float, float], elements: int) -> None:
        self.forget()
        if len(held) > MAX_CHOICES:
            return
        self.is_lost = False
        self.fills = [
            Fill(
                start=0,
                dims=((scalar.size_bytes, elements),),
                scalar=scalar,
                pattern=Pattern.SCATTERED,
                first=next(iter(held)),
                key=self.identity(),
                choices=tuple(held.items()),
            )
        ]

    def _held(self, scalar: Scalar, elements: int) -> dict[int | float, float] | None:
        """Values and how many elements hold each, the original one first unless they were counted on; None where that is not known."""
        if self.fills:
            last = self.fills[-1]
            if last.start != 0 or last.dims != ((scalar.size_bytes, elements),):
                return None
            if last.pattern is Pattern.SCATTERED:
                return {last.first: 0.0, **dict(last.choices)}
            return {last.first: float(elements)} if last.pattern is Pattern.CONSTANT else None
        if isinstance(self.initial, int | float) and not self.is_lost:
            return {number_of(self.initial, scalar): float(elements)}
        return None

    def identity(self) -> int:
        """Key of the unknown contents; drawn once."""
        if self.key == 0:
            self.key = new_key()
        return self.key

    def load(
        self, offset: int | NDArray[np.int64], scalar: Scalar, buffer: int, reason: str
    ) -> Value:
        """The value of the element at `offset` (one for each lane when an array)."""
        if isinstance(offset, int):
            return self._load_one(offset, scalar, buffer, reason)
        cells = self._load_cells(offset, scalar) if self.cells else None
        if cells is None:
            return self._load_fills(offset, scalar, buffer, reason, knows_cells=not self.cells)
        values, has_cell = cells
        if has_cell.all():
            return values
        rest = self._load_fills(offset, scalar, buffer, reason, knows_cells=True)
        if not isinstance(rest, int | float | np.ndarray):
            return rest
        return np.where(has_cell, values, rest).astype(DTYPES[scalar])

    def _load_fills(
        self,
        offset: NDArray[np.int64],
        scalar: Scalar,
        buffer: int,
        reason: str,
        *,
        knows_cells: bool,
    ) -> Value:
        """The values behind the cells; what no fill covers is `initial` where no unknown cell may lie over it."""
        found: Number | NDArray[np.generic] | None = None
        open_lanes = np.ones(len(offset), np.bool_)
        for fill in reversed(self.fills):
            within = (offset >= fill.start) & (offset < fill.end) & open_lanes
            if not within.any():
                continue
            if not fill.is_gapless and not fill.covers(int(offset[within.argmax()])):
                continue
            part = _evaluate(fill, offset, scalar, buffer, reason)
            if found is None and (within.all() or isinstance(part, Unknown | Mixed)):
                return part
            if isinstance(part, Unknown):
                values = np.broadcast_to(np.asarray(found, DTYPES[scalar]), offset.shape)
                return Mixed(values, ~open_lanes, part)
            assert not isinstance(part, Mixed)
            found = part if found is None else np.where(within, part, found).astype(DTYPES[scalar])
            open_lanes &= ~within
        if isinstance(self.initial, int | float) and not self.is_lost and knows_cells:
            rest = number_of(self.initial, scalar)
            return (
                rest if found is None else np.where(open_lanes, rest, found).astype(DTYPES[scalar])
            )
        if found is not None:
            return found
        return Unknown(
            self.identity(),
            reason=reason,
            is_float=scalar.is_float,
            origin=buffer,
            lane_index=offset,
        )

    def _load_one(self, offset: int, scalar: Scalar, buffer: int, reason: str) -> Value:
        cell = self.cells.get(offset)
        if cell is not None:
            stored, value = cell
            if stored is scalar or stored.size_bytes == scalar.size_bytes:
                return value
            if (
                stored.size_bytes > scalar.size_bytes
                and isinstance(value, int)
                and scalar.is_integer
            ):
                return number_of(value, scalar)
        is_likely = False
        for fill in reversed(self.fills):
            if fill.covers(offset):
                is_likely = fill.is_expected
                if is_likely:
                    break
                lane = _evaluate(fill, np.array([offset]), scalar, buffer, reason)
                if isinstance(lane, np.ndarray):
                    number: int | float = lane[0].item()
                    return number
                if isinstance(lane, Unknown):
                    return replace(
                        lane, key=lane.key * 1_000_003 + offset, uniform=True, lane_index=None
                    )
                return lane
        if isinstance(self.initial, int | float) and not self.is_lost and not is_likely:
            return number_of(self.initial, scalar)
        return Unknown(
            self.identity() * 1_000_003 + offset,
            uniform=True,
            reason=reason,
            is_float=scalar.is_float,
            origin=buffer,
        )

    def _load_cells(
        self, offset: NDArray[np.int64], scalar: Scalar
    ) -> tuple[NDArray[np.generic], NDArray[np.bool_]] | None:
        """Values of the lanes that have cells, and which those are; None where a value is not known."""
        unique, lanes = np.unique(offset, return_inverse=True)
        if len(unique) > MAX_PLACES:
            return None
        cells = [self.cells.get(at) for at in unique.tolist()]
        values: list[int | float] = []
        for cell in cells:
            value = 0 if cell is None else cell[1]
            if not isinstance(value, int | float):
                return None
            values.append(number_of(value, scalar))
        has_cell = np.array([cell is not None for cell in cells])
        return np.array(values, DTYPES[scalar])[lanes], has_cell[lanes]

    def copy_range(self, source: Contents, start: int, size: int, at: int) -> None:
        """What is known of `size` bytes of another allocation from `start` becomes known from `at` on."""
        if size <= SMALL_RECORD_BYTES and not source.fills and source.initial is None:
            self._copy_cells(source, start, size, at)
            return
        if isinstance(source.initial, int | float) and not source.is_lost:
            self.add_fill(_bytes_fill(at, size, source.initial))
        elif not any(fill.start <= start and start + size <= fill.end for fill in source.fills):
            self.add_fill(_bytes_fill(at, size, None))
        for fill in source.fills:
            part = clipped(fill, start, start + size)
            if part is not None:
                self.add_fill(replace(part, start=part.start + at - start))
        self._copy_cells(source, start, size, at)

    def _copy_cells(self, source: Contents, start: int, size: int, at: int) -> None:
        found: Iterable[tuple[int, tuple[Scalar, Value] | None]]
        if size <= max(len(source.cells), SMALL_RECORD_BYTES):
            found = [(offset, source.cells.get(offset)) for offset in range(start, start + size)]
        else:
            found = [item for item in source.cells.items() if start <= item[0] < start + size]
        for offset, cell in list(found):
            if cell is None:
                self.cells.pop(at + offset - start, None)
            elif len(self.cells) < MAX_CELLS:
                self.cells[at + offset - start] = cell


def _bytes_fill(start: int, size: int, value: float | None) -> Fill:
    return Fill(
        start=start,
        dims=((1, max(size, 1)),),
        scalar=Scalar.U8,
        pattern=Pattern.UNKNOWN if value is None else Pattern.CONSTANT,
        first=0 if value is None else value,
        key=new_key(),
    )


def merged(fill: Fill) -> Fill:
    """The same elements with fewer dims, where rows follow each other without a gap."""
    dims, steps = list(fill.dims), list(fill.steps)
    is_affine = fill.pattern is Pattern.AFFINE
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
    if len(dims) == len(fill.dims):
        return fill
    return replace(fill, dims=tuple(dims), steps=tuple(steps) if is_affine else ())


def _replaces(fill: Fill, old: Fill) -> bool:
    """Whether nothing of an older fill is left."""
    if not (fill.start <= old.start and old.end <= fill.end):
        return False
    return fill.is_gapless or (fill.start == old.start and fill.dims == old.dims)


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
        value = fill.first + fill.steps[0] * first if fill.pattern is Pattern.AFFINE else fill.first
        return replace(
            fill,
            start=fill.start + first * stride,
            dims=((stride, last - first + 1),),
            first=value,
        )
    if fill.pattern is Pattern.AFFINE or not fill.is_gapless:
        return None
    size = fill.scalar.size_bytes
    low, high = max(start, fill.start), min(end, fill.end)
    return replace(fill, start=low, dims=((size, max((high - low) // size, 1)),), steps=())


def _drawn(fill: Fill, offset: NDArray[np.int64], scalar: Scalar) -> NDArray[np.generic]:
    """Scattered values: each element's own draw, in proportion to how many hold a value."""
    place = Unknown(fill.key, lane_index=(offset - fill.start) // fill.scalar.size_bytes)
    shares = np.cumsum([amount for _, amount in fill.choices])
    values = np.array([number_of(value, scalar) for value, _ in fill.choices], DTYPES[scalar])
    chosen = np.searchsorted(shares, uniform_draws(place, len(offset)) * shares[-1], side="right")
    drawn: NDArray[np.generic] = values[np.minimum(chosen, len(values) - 1)]
    return drawn


def _poisson(mean: float) -> list[tuple[int, float]]:
    """(number, probability) of events that happen so often in the mean; of many events the quantiles."""
    if mean > MAX_CHOICES / 4:
        normal = NormalDist(mean, math.sqrt(mean))
        shares = [(part + 0.5) / _QUANTILES for part in range(_QUANTILES)]
        return [(max(round(normal.inv_cdf(share)), 0), 1.0 / _QUANTILES) for share in shares]
    found = [(0, math.exp(-mean))]
    while len(found) <= mean or found[-1][1] > _RAREST:
        times, probability = found[-1]
        found.append((times + 1, probability * mean / (times + 1)))
    return found


def _condensed(held: dict[int | float, float]) -> dict[int | float, float]:
    """The same values, neighbours in one where there are too many."""
    if len(held) <= MAX_CHOICES:
        return held
    values = np.array(sorted(held), np.float64)
    amounts = np.array([held[value] for value in sorted(held)])
    groups = np.minimum(np.cumsum(amounts) / amounts.sum() * _QUANTILES, _QUANTILES - 1).astype(int)
    found: dict[int | float, float] = {}
    for group in np.unique(groups):
        inside = groups == group
        amount = float(amounts[inside].sum())
        if not amount:
            continue  # values that nothing holds any more
        middle = float((values[inside] * amounts[inside]).sum()) / amount
        key = round(middle) if isinstance(next(iter(held)), int) else middle
        found[key] = found.get(key, 0.0) + amount
    return found


def _evaluate(
    fill: Fill, offset: NDArray[np.int64], scalar: Scalar, buffer: int, reason: str
) -> Value:
    if fill.pattern is Pattern.CONSTANT:
        return number_of(fill.first, scalar)
    if fill.pattern is Pattern.AFFINE:
        rest = offset - fill.start
        value: NDArray[np.float64] = np.full(len(offset), float(fill.first))
        for (stride, count), step in zip(fill.dims, fill.steps, strict=True):
            index = np.clip(rest // stride, 0, count - 1)
            rest = rest - index * stride
            value = value + index * step
        return (
            value.astype(DTYPES[scalar])
            if scalar.is_float
            else np.round(value).astype(np.int64).astype(DTYPES[scalar])
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
    )
