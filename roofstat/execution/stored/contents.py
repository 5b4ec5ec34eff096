"""What is known of the bytes of an allocation: single cells, and fills summarised from loops."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import drawn_number, value_bounds
from roofstat.execution.numbers.values import (
    DTYPES,
    NUMBERS,
    OPEN,
    Mixed,
    Number,
    Unknown,
    Value,
    number_of,
)
from roofstat.execution.stored.distributions import (
    MAX_VALUES,
    Held,
    counted_anywhere,
    earlier_counts,
    stored_anywhere,
)
from roofstat.execution.stored.fill import (
    Fill,
    Pattern,
    bytes_fill,
    clipped,
    goes_on,
    merged,
    replaces,
    values_at,
)
from roofstat.program.place_names import mixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MAX_CELLS = 20_000
"""Cells beyond this number are forgotten (the allocation then counts as unknown there)."""
SMALL_RECORD_BYTES = 256
"""Copies of records up to this size take over the known cells only."""
MAX_FILLS = 64
"""Older fills beyond this number are forgotten."""
_EDGE = 0.125
"""Lanes up to this share that no fill covers lie at its ends, and go on with it."""
MAX_PLACES = 4096
"""Cells are looked up for lanes that read at most this many places."""


@dataclass(slots=True, eq=False)
class Contents:
    """Cells win over fills, later fills over earlier ones, fills over `initial`."""

    initial: Value | None = None
    cells: dict[int, tuple[Scalar, Value]] = field(default_factory=dict)
    fills: list[Fill] = field(default_factory=list)
    key: int = 0
    """What is unknown in them, where that was copied from elsewhere."""
    is_lost: bool = False
    name: int = 0
    """What is unknown in them else: another number for each allocation, and whenever all may have changed."""

    def copy(self) -> Contents:
        """An independent copy."""
        return Contents(
            self.initial, dict(self.cells), list(self.fills), self.key, self.is_lost, self.name
        )

    def copied_to(self, target: Contents) -> Contents:
        """What another allocation holds that these are copied to (cudaMemcpy)."""
        return replace(self.copy(), key=self.identity(), name=mixed(target.name))

    def alike(self) -> Contents:
        """Contents of the same kind: what is random in them is drawn anew."""
        fills = [replace(fill, key=new_key()) for fill in self.fills]
        return Contents(self.initial, dict(self.cells), fills, is_lost=self.is_lost, name=new_key())

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known of any element."""
        return (self.is_lost or self.initial is None) and not self.fills and not self.cells

    def only_number(self, scalar: Scalar, size_bytes: int) -> int | float | None:
        """The number that every element holds; None where they differ or nobody knows."""
        held = self._held(scalar, size_bytes // scalar.size_bytes)
        return next(iter(held)) if held is not None and len(held) == 1 else None

    def rules(self) -> Contents:
        """The same but for what is known of single elements."""
        return Contents(
            self.initial, {}, list(self.fills), is_lost=self.is_lost, name=mixed(self.name, 2)
        )

    def below(self, fill: Fill) -> Fill | None:
        """What holds the elements that a new fill is about to cover; None where several do, or nobody knows."""
        for old in reversed(self.fills):
            if old.start < fill.end and fill.start < old.end:
                is_whole = old.is_gapless and old.start <= fill.start and fill.end <= old.end
                return old if is_whole else None
        if not isinstance(self.initial, NUMBERS) or self.is_lost:
            return None
        value = number_of(self.initial, fill.scalar)
        return replace(fill, pattern=Pattern.CONSTANT, first=value, steps=())

    @property
    def is_by_chance(self) -> bool:
        """Whether only the distribution of the elements is known."""
        last = self.fills[-1] if self.fills else None
        return last is not None and last.pattern is Pattern.SCATTERED and not last.is_expected

    def expected_number(self, offset: int, scalar: Scalar) -> int | float | None:
        """What one element holds whose value is known by chance alone, which kernels go by; None of others."""
        last = self.fills[-1] if self.fills and offset not in self.cells else None
        if last is None or not last.is_expected or not last.covers(offset):
            return None
        drawn = values_at(last, np.array([offset]), scalar, 0, "")
        return drawn[0].item() if isinstance(drawn, np.ndarray) else None

    @property
    def is_near(self) -> bool:
        """Whether the elements hold numbers near those of their own places."""
        return bool(self.fills) and self.fills[-1].pattern is Pattern.NEAR

    def any_of_them(self, scalar: Scalar, reason: str) -> Unknown | None:
        """One of the elements, where these rise or fall evenly and nobody knows which; None for other contents."""
        last = self.fills[-1] if self.fills and not self.cells else None
        if last is None or last.pattern is not Pattern.AFFINE or len(last.dims) != 1:
            return None
        ends = (last.first, last.first + last.steps[0] * (last.dims[0][1] - 1))
        low, high = min(ends), max(ends)
        if scalar is not last.scalar or not low < high:
            return None
        if not scalar.is_float:
            low, high = round(low), round(high)
        return Unknown(
            new_key(), uniform=True, low=low, high=high, reason=reason, is_float=scalar.is_float
        )

    @property
    def is_rising(self) -> bool:
        """Whether the elements hold running sums."""
        return bool(self.fills) and self.fills[-1].is_rising

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
        self.key, self.name = 0, mixed(self.name)
        self.is_lost = True

    def forget_cells(self) -> None:
        """Any of the single elements may have changed; those that are stored from now on are known again."""
        self.cells.clear()
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
        self.fills = [old for old in self.fills if not replaces(fill, old)]
        # A loop that is run in stretches leaves one for each.
        fill = self._joined_to_last(fill)
        self.fills.append(fill)
        if len(self.fills) > MAX_FILLS:
            del self.fills[0]
            self.is_lost = True

    def _joined_to_last(self, fill: Fill) -> Fill:
        """A fill that goes on as the last one does, and that one, with the single elements between them."""
        last = self.fills[-1] if self.fills else None
        if last is None or not goes_on(last, fill):
            return fill
        ((stride, count),) = last.dims
        step = last.steps[0] if last.is_affine else 0
        places = range(last.start + count * stride, fill.start, stride)
        for number, place in enumerate(places, count):
            scalar, value = self.cells.get(place, (None, None))
            if scalar is not last.scalar or value != last.first + step * number:
                return fill
        for place in places:
            del self.cells[place]
        del self.fills[-1]
        return replace(last, dims=((stride, count + len(places) + fill.dims[0][1]),))

    def scatter(self, scalar: Scalar, value: Value, count: float, size_bytes: int) -> None:
        """Elements at places that nobody knows get a value: every element then holds it with some probability.

        Args:
            scalar: Type of the elements.
            value: What is stored.
            count: How many elements get it; to different places, until every element has one.
            size_bytes: Of the allocation.
        """
        elements = size_bytes // scalar.size_bytes
        held = self._held(scalar, elements) if isinstance(value, NUMBERS) else None
        if held is None:
            self.forget()
            return
        assert isinstance(value, NUMBERS)
        held = stored_anywhere(held, value, count, elements)
        self._scatter(scalar, held, elements)

    def exchange(self, scalar: Scalar, value: Value, size_bytes: int | None) -> bool:
        """Take the same numbers in another order, where a store at a place that nobody knows may have swapped two of them."""
        elements = (size_bytes or 0) // scalar.size_bytes
        mixed = self._exchanged(scalar, value, elements)
        if mixed is None:
            return False
        self.forget()
        self.is_lost = False
        self.add_fill(mixed)
        return True

    def count(self, scalar: Scalar, step: float, count: float, size_bytes: int) -> bool:
        """Elements at places that nobody knows grow by a step, so many times in all: each as often as chance has it.

        Returns:
            Whether it is known what the elements held; they are what they were where it is not.
        """
        elements = size_bytes // scalar.size_bytes
        held = self._held(scalar, elements)
        if held is None or not elements:
            return False
        self._scatter(scalar, counted_anywhere(held, scalar, step, count / elements), elements)
        return True

    def counts_found(
        self, scalar: Scalar, step: float, count: float, size_bytes: int
    ) -> NDArray[np.float64] | None:
        """What those find, each equally likely, who count so many times in elements that held one number at first."""
        first = self.only_number(scalar, size_bytes)
        if first is None:
            return None
        return first + step * earlier_counts(count * scalar.size_bytes / size_bytes)

    def _exchanged(self, scalar: Scalar, value: Value, elements: int) -> Fill | None:
        """The same numbers in another order, where one of them is stored at a place that nobody knows; None of others."""
        last = self.fills[-1] if self.fills else None
        if last is None or last.start != 0 or last.dims != ((scalar.size_bytes, elements),):
            return None
        if last.pattern is Pattern.AFFINE:
            ends = (last.first, last.first + last.steps[0] * (elements - 1))
            low, high = (number_of(end, scalar) for end in (min(ends), max(ends)))
        elif last.even_share == 1.0 and last.low is not None and last.high is not None:
            low, high = last.low, last.high
        else:
            return None
        bounds = value_bounds(value) if isinstance(value, Unknown) else None
        if isinstance(value, NUMBERS):
            bounds = (value, value)
        if bounds is None or bounds[0] < low or bounds[1] > high:
            return None
        return Fill(
            start=0,
            dims=last.dims,
            scalar=scalar,
            pattern=Pattern.RANDOM,
            low=low,
            high=high,
            even_share=1.0,
            is_order=last.is_order or (last.is_affine and any(last.steps)),
            key=new_key(),
        )

    def _scatter(self, scalar: Scalar, held: Held, elements: int) -> None:
        self.forget()
        if len(held) > MAX_VALUES:
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

    def _held(self, scalar: Scalar, elements: int) -> Held | None:
        """Values and how many elements hold each, the original one first unless they were counted on; None where that is not known."""
        if len(self.cells) == elements:
            return self._held_one_by_one(scalar)
        if self.fills:
            last = self.fills[-1]
            if last.start != 0 or last.dims != ((scalar.size_bytes, elements),):
                return None
            if last.pattern is Pattern.SCATTERED:
                return {last.first: 0.0, **dict(last.choices)}
            return {last.first: float(elements)} if last.pattern is Pattern.CONSTANT else None
        if isinstance(self.initial, NUMBERS) and not self.is_lost:
            return {number_of(self.initial, scalar): float(elements)}
        return None

    def _held_one_by_one(self, scalar: Scalar) -> Held | None:
        """The same of elements each of which was stored alone."""
        held: Held = {}
        for own, value in self.cells.values():
            if own is not scalar or not isinstance(value, NUMBERS):
                return None
            held[value] = held.get(value, 0.0) + 1.0
        return held

    def identity(self) -> int:
        """Key of the unknown contents."""
        return self.key or self.name

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
        if isinstance(rest, Mixed):
            known = np.where(has_cell, values, rest.values).astype(DTYPES[scalar])
            is_known = has_cell | rest.known
            return known if is_known.all() else Mixed(known, is_known, rest.unknown)
        if isinstance(rest, Unknown):
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
            part = values_at(fill, offset, scalar, buffer, reason)
            if found is None and (within.all() or isinstance(part, OPEN)):
                return part
            if isinstance(part, Unknown):
                values = np.broadcast_to(np.asarray(found, DTYPES[scalar]), offset.shape)
                return Mixed(values, ~open_lanes, part)
            assert not isinstance(part, Mixed)
            found = part if found is None else np.where(within, part, found).astype(DTYPES[scalar])
            open_lanes &= ~within
        if isinstance(self.initial, NUMBERS) and not self.is_lost and knows_cells:
            rest = number_of(self.initial, scalar)
            return (
                rest if found is None else np.where(open_lanes, rest, found).astype(DTYPES[scalar])
            )
        unknown = Unknown(
            self.identity(),
            reason=reason,
            is_float=scalar.is_float,
            origin=buffer,
            lane_index=offset,
        )
        if found is None:
            return unknown
        if open_lanes.mean() <= _EDGE:
            return found
        values = np.broadcast_to(np.asarray(found, DTYPES[scalar]), offset.shape)
        return Mixed(values, ~open_lanes, unknown)

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
                lane = values_at(fill, np.array([offset]), scalar, buffer, reason)
                if isinstance(lane, np.ndarray):
                    number: int | float = lane[0].item()
                    return number
                if isinstance(lane, Unknown):
                    at = lane.offset
                    return replace(
                        lane,
                        key=lane.key * 1_000_003 + offset,
                        uniform=True,
                        lane_index=None,
                        offset=at if isinstance(at, int) else int(at[0]),
                    )
                return lane
        if isinstance(self.initial, NUMBERS) and not self.is_lost and not is_likely:
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
        """Values of the lanes that have cells, and which those are; None where nothing is known of a value."""
        if len(self.cells) <= min(MAX_PLACES, len(offset)):
            return self._load_few_cells(offset, scalar)
        unique, lanes = np.unique(offset, return_inverse=True)
        if len(unique) > MAX_PLACES:
            if len(self.cells) > MAX_PLACES:
                return None
            is_cell = np.array([at in self.cells for at in unique.tolist()])
            unique = np.append(unique[is_cell], -1)
            lanes = np.minimum(np.searchsorted(unique[:-1], offset), len(unique) - 1)
            lanes = np.where(unique[lanes] == offset, lanes, len(unique) - 1)
        cells = [self.cells.get(at) for at in unique.tolist()]
        values = _numbers([0 if cell is None else cell[1] for cell in cells], scalar)
        if values is None:
            return None
        has_cell = np.array([cell is not None for cell in cells])
        return values[lanes], has_cell[lanes]

    def _load_few_cells(
        self, offset: NDArray[np.int64], scalar: Scalar
    ) -> tuple[NDArray[np.generic], NDArray[np.bool_]] | None:
        """The same where there are fewer cells than lanes: the lanes are looked up among them."""
        places = np.fromiter(self.cells, np.int64, len(self.cells))
        places.sort()
        at = np.minimum(np.searchsorted(places, offset), len(places) - 1)
        has_cell = places[at] == offset
        is_asked = np.zeros(len(places), np.bool_)
        is_asked[at[has_cell]] = True
        asked = places[is_asked].tolist()
        numbers: list[Value] = [self.cells[place][1] for place in asked]
        values = _numbers(numbers if has_cell.all() else [*numbers, 0], scalar)
        if values is None:
            return None
        return values[np.where(has_cell, (np.cumsum(is_asked) - 1)[at], len(asked))], has_cell

    def copy_range(self, source: Contents, start: int, size: int, at: int) -> None:
        """What is known of `size` bytes of another allocation from `start` becomes known from `at` on."""
        if size <= SMALL_RECORD_BYTES and not source.fills and source.initial is None:
            self._copy_cells(source, start, size, at)
            return
        if isinstance(source.initial, NUMBERS) and not source.is_lost:
            self.add_fill(bytes_fill(at, size, source.initial))
        elif not self.is_blank and not any(
            fill.start <= start and start + size <= fill.end for fill in source.fills
        ):
            self.add_fill(bytes_fill(at, size, None))
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


_PLAIN = {bool, int, float}


def _numbers(values: list[Value], scalar: Scalar) -> NDArray[np.generic] | None:
    """Values of cells as numbers of one type; None where nothing is known of one."""
    kinds = set(map(type, values))
    if kinds <= _PLAIN and (scalar.is_float or kinds == {int}):
        try:
            return np.array(values, DTYPES[scalar])
        except OverflowError:  # one of a wider type
            pass
    numbers = []
    for value in values:
        number = drawn_number(value)
        if not isinstance(number, NUMBERS):
            return None
        numbers.append(number_of(number, scalar))
    return np.array(numbers, DTYPES[scalar])
