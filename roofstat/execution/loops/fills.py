"""Summaries of host loops that fill arrays: from the stores of a few iterations to a `Fill`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.carried import mean_slope, middle_of
from roofstat.execution.loops.uneven_rows import between_rows, drawn_steps, uneven_steps
from roofstat.execution.numbers.integer_ranges import type_range
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import interval_of, value_bounds
from roofstat.execution.numbers.values import NUMBERS, Unknown, Value, mixture, number_of, outcomes
from roofstat.execution.stored.fill import Fill, Pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.loops.uneven_rows import Between, Uneven
    from roofstat.execution.stored.address_space import MemoryObject


_FEWEST_ROWS = 3
"""Rows that tell how the others grow."""
_MOST_IN_TURN = 8
"""Allocations that one store fills by turns."""
_MANY_SEEN = 16
"""Of so many numbers two may be the same by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class StoreRecord:
    """One store in one iteration."""

    iteration: int
    found: MemoryObject
    offset: int
    scalar: Scalar
    value: Value
    share: float = 1.0
    """Iterations that this one stands for."""


@dataclass(frozen=True, slots=True, eq=False)
class FillRecord:
    """What an inner loop filled in one iteration of the loop around it."""

    iteration: int
    found: MemoryObject
    fill: Fill
    share: float = 1.0
    """Iterations that this one stands for."""


_Record = TypeVar("_Record", StoreRecord, FillRecord)


def summarise_stores(
    records: Sequence[StoreRecord],
    trips: int,
    begun: Sequence[tuple[int, Value]] = (),
    *,
    is_mixture: bool = False,
) -> Fill | None:
    """The fill of one store instruction whose address advances evenly; a scattered one where it does not.

    Args:
        records: Its stores in some of the loop's iterations.
        trips: All iterations.
        begun: (iteration, number stored) of the first iterations on end.
        is_mixture: Whether nobody knows which iterations store which of the values.

    Returns:
        None where several allocations are written, or always the same place.
    """
    # A later store of an iteration to the same place overwrites an earlier one.
    final = {(item.iteration, item.offset): item for item in _in_last_storage(records)}
    records = list(final.values())
    first = records[0]
    if len(records) < 2 or any(record.found is not first.found for record in records):
        return None
    stride = _slope([(record.iteration, record.offset) for record in records])
    if stride == 0:
        return None
    if stride is None:
        appended = _appended(records, trips)
        if appended is not None:
            return appended
    values = [(record.iteration, record.value, record.share) for record in records]
    pattern = _pattern(values, first.scalar, trips, begun, is_mixture=is_mixture)
    if stride is None or stride != int(stride):
        offsets = [item.offset for item in records]
        mixed = _mixed_again(records)
        return mixed or _scattered(first.found, first.scalar, pattern, offsets, trips)
    step_bytes = int(stride)
    skipped = first.iteration if step_bytes > 0 and _begins_late(records) else 0
    trips -= skipped
    start = first.offset - (first.iteration - skipped) * step_bytes
    value, step = pattern.first + pattern.step * skipped, pattern.step
    if step_bytes < 0:
        start += step_bytes * (trips - 1)
        value += step * (trips - 1)
        step_bytes, step = -step_bytes, -step
    uneven = pattern.uneven if not skipped and stride > 0 else None
    pattern = replace(pattern, first=value, step=step, uneven=uneven)
    row = _row(start, first.scalar, (step_bytes, trips), pattern)
    return replace(row, is_order=True) if _are_exchanged(records) else row


def _are_exchanged(records: Sequence[StoreRecord]) -> bool:
    """Whether elements of a row in an order of its own go to other places of it, as shuffling swaps them: all but the first."""
    number = records[0].found.buffer.number
    unknown = [record.value for record in records if isinstance(record.value, Unknown)][1:]
    return bool(unknown) and all(value.is_order and value.origin == number for value in unknown)


def _mixed_again(records: Sequence[StoreRecord]) -> Fill | None:
    """The row in an order of its own to some places of which its elements go; None where other numbers may be among those."""
    fills = records[0].found.contents.fills
    last = fills[-1] if fills else None
    if last is None or not last.is_order or last.low is None or last.high is None:
        return None
    for record in records:
        bounds = interval_of(record.value)
        if bounds is None or bounds[0] < last.low or bounds[1] > last.high:
            return None
    return replace(last, key=new_key())


def _begins_late(records: Sequence[StoreRecord]) -> bool:
    """Whether the first iterations store nothing: those up to the first two stores on end were all run."""
    return len(records) > 1 and 0 < records[0].iteration == records[1].iteration - 1


def by_allocation(records: Sequence[_Record]) -> list[Sequence[_Record]]:
    """What a store of a loop has put into each of several allocations that it takes in turn: ``(k ? b : a)[i] = x``.

    An allocation that is left for good is the storage of a container that has grown since: it goes with the others.
    """
    parts: dict[int, list[_Record]] = {}
    changes, last = 0, records[0].found
    for record in records:
        parts.setdefault(record.found.buffer.number, []).append(record)
        changes += record.found is not last
        last = record.found
    are_by_turns = len(parts) <= _MOST_IN_TURN and changes >= max(len(parts), 2)
    return list(parts.values()) if are_by_turns else [records]


def by_turn(records: Sequence[_Record]) -> list[tuple[Sequence[_Record], int]]:
    """What one store puts into several places in each iteration, as one in a function does that is called so often.

    Where the first, second and further ones of an iteration advance evenly they are rows of their own; one row where
    each lies behind the one before, as elements do that are appended.

    Returns:
        (stores, how many of their turns an iteration has) of each row.
    """
    if isinstance(records[0], StoreRecord):
        records = _in_last_storage(records)
    if any(record.found is not records[0].found for record in records):
        return [(records, 1)]
    turns: dict[int, dict[int, _Record]] = {}
    for record in records:
        turns.setdefault(record.iteration, {})[_place(record)] = record
    counts = Counter(len(places) for places in turns.values())
    usual, often = counts.most_common(1)[0]
    if not 1 < usual <= _MOST_IN_TURN or often < 2 or 2 * often <= len(turns):
        return [(records, 1)]
    whole = [list(places.values()) for places in turns.values() if len(places) == usual]
    parts = [[places[turn] for places in whole] for turn in range(usual)]
    slopes = [_slope([(record.iteration, _place(record)) for record in part]) for part in parts]
    if not all(slopes):
        return [(records, 1)]
    one_row = [
        replace(record, iteration=record.iteration * usual + turn)
        for places in whole
        for turn, record in enumerate(places)
    ]
    if _slope([(record.iteration, _place(record)) for record in one_row]) is not None:
        return [(one_row, usual)]
    return [(part, 1) for part in parts]


def _place(record: StoreRecord | FillRecord) -> int:
    return record.offset if isinstance(record, StoreRecord) else record.fill.start


def _in_last_storage(records: Sequence[_Record]) -> Sequence[_Record]:
    """The stores since a container took the storage that it has at the end."""
    last = records[-1].found
    begin = next((n for n, record in enumerate(records) if record.found is last), 0)
    return records[begin:]


def _appended(records: Sequence[StoreRecord], trips: int) -> Fill | None:
    """Elements that are appended, some iterations adding more than others: side by side, values as the places rise."""
    first = records[0]
    pace = mean_slope([(record.iteration, record.offset) for record in records])
    size = first.scalar.size_bytes
    if pace is None:
        return None
    count = max(round(pace * (trips - first.iteration) / size), 1)
    seen = [((r.offset - first.offset) // size, r.value, r.share) for r in records]
    pattern = _pattern(seen, first.scalar, count)
    return _row(first.offset, first.scalar, (size, count), pattern)


def _row(start: int, scalar: Scalar, dim: tuple[int, int], pattern: _Pattern) -> Fill:
    """One row of elements."""
    if pattern.uneven is not None:
        table = pattern.uneven.sums(pattern.first, pattern.step, dim[1])
        if table is not None:
            return Fill(
                start=start,
                dims=(dim,),
                scalar=scalar,
                pattern=Pattern.TABLE,
                first=int(table[0]),
                table=table,
                key=new_key(),
            )
    return Fill(
        start=start,
        dims=(dim,),
        scalar=scalar,
        pattern=pattern.kind,
        first=pattern.first,
        steps=(pattern.step,),
        low=pattern.low,
        high=pattern.high,
        sample=pattern.sample,
        even_share=pattern.even_share,
        key=new_key(),
    )


def _appended_rows(records: Sequence[FillRecord], trips: int) -> Fill | None:
    """Rows of uneven lengths that are appended to each other."""
    first, last = records[0], records[-1]
    fill, size = first.fill, first.fill.scalar.size_bytes
    starts = [(record.iteration, record.fill.start) for record in records]
    pace = mean_slope(starts)
    if pace is None or any(not record.fill.is_gapless for record in records):
        return None
    kind, step = fill.pattern, 0.0
    if kind in (Pattern.AFFINE, Pattern.CONSTANT):
        rise = last.fill.first - fill.first
        step = rise * size / (last.fill.start - fill.start)
        kind = Pattern.AFFINE if rise else kind
    low, high = _common_bounds([record.fill for record in records])
    count = max(round(pace * (trips - first.iteration) / size), 1)
    return replace(fill, dims=((size, count),), pattern=kind, steps=(step,), low=low, high=high)


def continued_stores(records: Sequence[StoreRecord], trips: int) -> Fill | None:
    """What the iterations from the last recorded one to `trips` store, where numbers go on as the last two did.

    Sums of uneven numbers go on at their mean pace.
    """
    records = _in_last_storage(records)
    if len(records) < 2:
        return None
    before, last = records[-2:]
    stride = _slope([(record.iteration, record.offset) for record in records])
    left = trips - last.iteration - 1
    ahead = last.iteration - before.iteration
    if stride is None or stride != int(stride) or stride <= 0 or ahead <= 0 or left <= 0:
        return None
    if not isinstance(before.value, NUMBERS) or not isinstance(last.value, NUMBERS):
        return summarise_stores(records, trips)
    sums = [(item.iteration, item.value) for item in records if isinstance(item.value, int)]
    rising = mean_slope(sums) if len(sums) == len(records) else None
    step = rising or (last.value - before.value) / ahead
    return Fill(
        start=last.offset + int(stride),
        dims=((int(stride), left),),
        scalar=last.scalar,
        pattern=Pattern.AFFINE,
        first=last.value + step,
        steps=(step,),
        key=new_key(),
    )


def continued_fills(records: Sequence[FillRecord], trips: int) -> Fill | None:
    """The same for what an inner loop fills: rows that follow each other go on as the last one rises."""
    last = records[-1]
    stride = _slope([(record.iteration, record.fill.start) for record in records])
    left = trips - last.iteration - 1
    fill = last.fill
    if (
        len(records) < 2
        or stride is None
        or left <= 0
        or any(r.found is not last.found for r in records)
    ):
        return None
    width, count = fill.dims[0]
    if fill.pattern is not Pattern.AFFINE or len(fill.dims) > 1 or stride != width * count:
        return summarise_fills(records, trips)
    change = fill.steps[0] * count
    return replace(
        fill,
        start=fill.start + int(stride),
        dims=((int(stride), left), *fill.dims),
        first=fill.first + change,
        steps=(change, *fill.steps),
    )


def line_of(records: Sequence[StoreRecord]) -> tuple[float, float] | None:
    """(bytes from one iteration to the next, offset in the first) of stores whose addresses advance evenly."""
    first = records[0]
    slope = _slope([(record.iteration, record.offset) for record in records])
    return (slope, first.offset - slope * first.iteration) if slope else None


def lies_on(line: tuple[float, float], record: StoreRecord) -> bool:
    """Whether a store goes where the line has it."""
    return record.offset == line[1] + line[0] * record.iteration


def last_of_fixed(records: Sequence[StoreRecord]) -> list[StoreRecord]:
    """The last store to each of a few allocations, where all stores to each go to one place; none where they do not."""
    last = {record.found.buffer.number: record for record in records}
    is_fixed = all(item.offset == last[item.found.buffer.number].offset for item in records)
    return list(last.values()) if is_fixed and len(last) <= _MOST_IN_TURN else []


def _scattered(
    found: MemoryObject, scalar: Scalar, pattern: _Pattern, offsets: Sequence[int], trips: int
) -> Fill | None:
    """Stores at places that nobody can foresee: bounded values, in the whole allocation, of records in one member.

    Values that rise with the iterations (sorted indices) are there in another order, where they are about as many as places.
    """
    size = found.buffer.size_bytes
    if not size or scalar is Scalar.U64:  # which may be pointers
        return None
    stride = gcd(*(offset - offsets[0] for offset in offsets))
    if stride < scalar.size_bytes or offsets[0] < 0:
        stride = scalar.size_bytes
    start = offsets[0] % stride
    places = max((size - start) // stride, 1)
    low, high = pattern.low, pattern.high
    if pattern.kind is Pattern.AFFINE and pattern.step and 2 * trips >= places:
        low, high = sorted((pattern.first, pattern.first + pattern.step * (trips - 1)))
    elif pattern.kind is not Pattern.RANDOM or low is None:
        return None
    return Fill(
        start=start,
        dims=((stride, places),),
        scalar=scalar,
        pattern=Pattern.RANDOM,
        low=low,
        high=high,
        key=new_key(),
    )


def _slope(points: Sequence[tuple[int, int | float]]) -> float | None:
    """The slope of points on a line; None where they are not on one."""
    (x0, y0), *rest = points
    slope: float | None = None
    for x, y in rest:
        if x == x0:
            if y != y0:
                return None
            continue
        current = (y - y0) / (x - x0)
        if slope is None:
            slope = current
        elif abs(current - slope) > 1e-9 * max(abs(slope), 1.0):
            return None
    return slope


@dataclass(frozen=True, slots=True)
class _Pattern:
    """How stored values vary."""

    kind: Pattern
    first: int | float = 0
    """Value at iteration 0."""
    step: float = 0.0
    low: int | float | None = None
    high: int | float | None = None
    sample: NDArray[np.float64] | None = None
    even_share: float = 0.0
    """Share of those that are drawn from the whole range."""
    uneven: Uneven | Between | None = None
    """How values that rise do so from each to the next, where that is uneven (AFFINE)."""


_RARE = 1 / 16
"""Part of the iterations whose numbers may be known where all others are drawn."""

_FEWEST_DRAWN = 0.1
"""Share of values that are drawn from a whole range, below which nothing is."""

_FLAT = 0.05
"""Part of the range by which samples of numbers that are as likely anywhere in it are off."""

_NOISE = 1e-9
"""Relative difference that means of equal samples have by rounding."""

_Seen = tuple[int, Value, float]
"""(iteration, value stored, iterations that this one stands for)."""


def _pattern(
    values: list[_Seen],
    scalar: Scalar,
    trips: int,
    begun: Sequence[tuple[int, Value]] = (),
    *,
    is_mixture: bool = False,
) -> _Pattern:
    values = _informative(values)
    numbers = [(at, value) for at, value, _ in values if isinstance(value, NUMBERS)]
    seen = [value for _, value in numbers]
    if len(numbers) == len(values):
        slope = _slope(numbers) if len(numbers) > 1 else 0.0
        if slope is not None:
            if slope == 0:
                return _Pattern(Pattern.CONSTANT, seen[0])
            return _Pattern(Pattern.AFFINE, seen[0] - slope * numbers[0][0], slope)
        rows = None if is_mixture or scalar is not Scalar.U64 else between_rows(numbers)
        if rows is not None:
            (begin, base), (end, last) = rows.points[0], rows.points[-1]
            pace = (last - base) / (end - begin)
            return _Pattern(Pattern.AFFINE, base - pace * begin, pace, uneven=rows)
        rising = None if is_mixture else mean_slope(numbers)
        if rising is not None and _stays_in_type(numbers[-1], rising, trips, scalar):
            first = seen[0] - rising * numbers[0][0]
            sums = [(at, value) for at, value in begun if isinstance(value, int)]
            uneven = uneven_steps(sums, rising) if len(sums) == len(begun) else None
            return _Pattern(Pattern.AFFINE, first, rising, uneven=uneven)
        # A number that stands for most iterations and does not recur says no more than a range: there are others.
        shares = [share for _, _, share in values]
        usual = seen[shares.index(max(shares))]
        recurs = seen.count(usual) > 1 and (
            len(seen) < _MANY_SEEN or 2 * len(set(seen)) <= len(seen)
        )
        sample = _sample(values) if is_mixture or recurs else None
        return _Pattern(Pattern.RANDOM, low=min(seen), high=max(seen), sample=sample)
    unknowns = [value for _, value, _ in values if isinstance(value, Unknown)]
    known = [bound for bound in map(value_bounds, unknowns) if bound is not None]
    if known and len(known) == len(unknowns):
        growing = _expected_slope(values)
        if growing is not None:
            drawn = drawn_steps(
                [(at, interval_of(value)) for at, value in begun],
                [_spread(value) for _, value in begun],
                begun[0][1] if begun else None,
            )
            uneven = drawn if scalar.is_integer else None
            return _Pattern(Pattern.AFFINE, growing[0], growing[1], uneven=uneven)
        low = min(*(bound[0] for bound in known), *seen, known[0][0])
        high = max(*(bound[1] for bound in known), *seen, known[0][1])
        even = _even_share(values, (low, high))
        sample = None if even == 1.0 else _sample(values)
        return _Pattern(Pattern.RANDOM, low=low, high=high, sample=sample, even_share=even)
    return _Pattern(Pattern.UNKNOWN)


def _spread(value: Value) -> tuple[float, float] | None:
    """Mean and variance of what is not as likely anywhere in its range."""
    if not isinstance(value, Unknown) or value.sample is None:
        return None
    numbers = outcomes(value)
    return (float(numbers.mean()), float(numbers.var())) if numbers is not None else None


def _even_share(values: list[_Seen], bounds: tuple[int | float, int | float]) -> float:
    """Share of values that are drawn from the whole range; others lie near each other, in a part of it.

    The first numbers of a generator may be known.
    """
    drawn = sum(
        share * _drawn(value, bounds) for _, value, share in values if isinstance(value, Unknown)
    )
    total = sum(share for _, _, share in values)
    rare = sum(share for _, value, share in values if isinstance(value, NUMBERS))
    if rare <= _RARE * total:
        total -= rare
    return drawn / total if drawn >= _FEWEST_DRAWN * total else 0.0


def _drawn(value: Unknown, bounds: tuple[int | float, int | float]) -> float:
    """How often a value is drawn from a whole range."""
    if value_bounds(value) != bounds:
        return 0.0
    return value.even_share or float(_is_flat(value.sample, bounds))


def _is_flat(sample: NDArray[np.float64] | None, bounds: tuple[int | float, int | float]) -> bool:
    """Whether numbers are as likely anywhere between bounds, as far as a sample of them tells."""
    if sample is None:
        return True
    line = np.linspace(bounds[0], bounds[1], len(sample))
    return bool(np.abs(np.sort(sample) - line).max() <= _FLAT * (bounds[1] - bounds[0]))


def _stays_in_type(last: tuple[int, int | float], step: float, trips: int, scalar: Scalar) -> bool:
    """Whether numbers that rise so far are of their type to the end: a few of random ones rise by chance."""
    if not scalar.is_integer:
        return True
    at, value = last
    most = min(type_range(scalar)[1], type_range(Scalar.I64)[1])
    return abs(value + step * (trips - at)) <= most


def _sample(values: list[_Seen]) -> NDArray[np.float64] | None:
    """What values may be, each as likely as the iterations that it stands for; None where one may be anything."""
    found = [outcomes(value) for _, value, _ in values]
    known = [numbers for numbers in found if numbers is not None]
    if len(known) < len(found):
        return None
    return mixture(known, [share for _, _, share in values])


def _informative(values: list[_Seen]) -> list[_Seen]:
    """Leave out iterations reached by a jump, whose value rests on elements that were not computed."""
    told = [
        item
        for item in values
        if isinstance(item[1], NUMBERS)
        or (isinstance(item[1], Unknown) and value_bounds(item[1]) is not None)
    ]
    return told if len(told) >= 2 else values


def _expected_slope(values: list[_Seen]) -> tuple[float, float] | None:
    """(value at iteration 0, change) of values whose expectation grows evenly, such as running sums of random numbers."""
    middles: list[tuple[int, float]] = []
    for iteration, value, _ in values:
        middle = middle_of(value)
        if middle is None:
            return None
        middles.append((iteration, middle))
    slope = _slope(middles)
    if slope is None or abs(slope) * (middles[-1][0] - middles[0][0]) <= _NOISE * max(
        abs(middle) for _, middle in middles
    ):
        slope = mean_slope([(at, round(middle)) for at, middle in middles])
    if not slope:
        return None
    return middles[0][1] - slope * middles[0][0], slope


def summarise_fills(records: Sequence[FillRecord], trips: int) -> Fill | None:
    """Fills of an inner loop whose start advances evenly become one fill with one more dimension."""
    records = _of_usual_shape(records)
    found, fill = records[0].found, records[0].fill
    if any(
        record.found is not found
        or len(record.fill.dims) != len(fill.dims)
        or record.fill.scalar is not fill.scalar
        for record in records
    ):
        return None
    stride = _slope([(record.iteration, record.fill.start) for record in records])
    if stride != 0:
        # Of rows that are not looked at the mean is known.
        records = [replace(record, fill=_as_line(record.fill)) for record in records]
        fill = records[0].fill
    records = _as_drawn(records)
    fill = records[0].fill
    kinds = {record.fill.pattern for record in records}
    samples = any(record.fill.sample is not None for record in records)
    if len(kinds) > 1 or samples:
        records = _as_random(records)
        fill = records[0].fill
        kinds = {record.fill.pattern for record in records}
    kind = Pattern.UNKNOWN if len(kinds) > 1 else kinds.pop()
    low, high = _common_bounds([record.fill for record in records])
    if (low, high) != (fill.low, fill.high) or kind is not Pattern.RANDOM:
        fill = replace(fill, even_share=0.0)
    is_even = stride is not None and stride == int(stride)
    if len(records) > 1 and not is_even:
        appended = _appended_rows(records, trips)
        if appended is not None:
            return appended
    if len(records) < 2 or stride is None or not is_even:
        lattice = [record.fill.start for record in records]
        lattice += [
            record.fill.start + width for record in records for width, _ in record.fill.dims
        ]
        return _scattered(found, fill.scalar, _Pattern(kind, low=low, high=high), lattice, trips)
    if stride == 0:
        return replace(records[-1].fill, pattern=kind, low=low, high=high)
    firsts = [(record.iteration, record.fill.first) for record in records]
    change = _slope(firsts)
    if kind is Pattern.AFFINE and change is None:
        change = mean_slope([(at, round(value)) for at, value in firsts])
        fill = _evened(fill, int(stride), change)
    if kind in (Pattern.CONSTANT, Pattern.AFFINE) and change is None:
        kind = Pattern.UNKNOWN
    if kind is Pattern.CONSTANT and change:
        kind = Pattern.AFFINE
    step = change or 0.0
    origin = records[0].iteration
    start, first = fill.start - int(stride) * origin, fill.first - step * origin
    if stride < 0:
        start += int(stride) * (trips - 1)
        first += step * (trips - 1)
        stride, step = -stride, -step
    return replace(
        fill,
        start=start,
        dims=((int(stride), trips), *fill.dims),
        pattern=kind,
        first=first,
        steps=(step, *(fill.steps or (0.0,) * len(fill.dims))),
        low=low,
        high=high,
    )


def _as_line(fill: Fill) -> Fill:
    """A table as a row that changes evenly from its first to its last number; others as they are."""
    if fill.table is None:
        return fill
    first, last = int(fill.table[0]), int(fill.table[-1])
    step = (last - first) / max(len(fill.table) - 1, 1)
    return replace(fill, pattern=Pattern.AFFINE, first=first, steps=(step,), table=None)


def with_single_elements(
    fills: Sequence[FillRecord], stores: Sequence[StoreRecord]
) -> Sequence[FillRecord]:
    """Fills of an inner loop together with rows of one element."""
    stride = fills[0].fill.dims[-1][0]
    singles: list[FillRecord] = []
    for record in stores:
        fill = _row(
            record.offset,
            record.scalar,
            (stride, 1),
            _pattern([(0, record.value, 1.0)], record.scalar, 1),
        )
        singles.append(FillRecord(record.iteration, record.found, fill, record.share))
    return sorted([*fills, *singles], key=lambda record: record.iteration)


def continued_rows(records: Sequence[FillRecord], trips: int) -> Fill | None:
    """Rows each of which is longer than the one before by as much, and goes on where that has ended: packed triangles."""
    # Behind skipped iterations nobody knows how many elements there were before.
    records = [record for at, record in enumerate(records) if record.iteration == at]
    if len(records) < min(_FEWEST_ROWS, trips):
        return None
    fills = [record.fill for record in records]
    first = fills[0]
    stride, at = first.dims[0][0], first.start
    growth = fills[-1].dims[0][1] - fills[-2].dims[0][1] if len(fills) > 1 else 0
    for row, (record, fill) in enumerate(zip(records, fills, strict=True)):
        count = first.dims[0][1] + row * growth
        is_next = record.found is records[0].found and fill.scalar is first.scalar
        if not growth or not is_next or fill.start != at or fill.dims != ((stride, count),):
            return None
        at += stride * count
    if len({fill.pattern for fill in fills}) > 1:
        fills = [record.fill for record in _as_random(records)]
    is_random = all(fill.pattern is Pattern.RANDOM for fill in fills)
    low, high = _common_bounds(fills) if is_random else (None, None)
    return replace(
        first,
        dims=((stride, trips * first.dims[0][1] + trips * (trips - 1) // 2 * growth),),
        pattern=Pattern.RANDOM if is_random else Pattern.UNKNOWN,
        steps=(),
        low=low,
        high=high,
        sample=None,
    )


def _of_usual_shape(records: Sequence[FillRecord]) -> Sequence[FillRecord]:
    """Those of one shape if they stand for most iterations: rows at the border of a grid may be shorter than the others."""
    shapes: dict[tuple[tuple[int, int], ...], list[FillRecord]] = {}
    for record in records:
        shapes.setdefault(record.fill.dims, []).append(record)
    shares = {shape: sum(record.share for record in same) for shape, same in shapes.items()}
    usual = max(shares, key=lambda shape: shares[shape])
    is_usual = len(shapes[usual]) > 1 and 2 * shares[usual] > sum(shares.values())
    return shapes[usual] if is_usual else records


def _as_drawn(records: Sequence[FillRecord]) -> Sequence[FillRecord]:
    """Fills of which some are drawn from one range: each has the mean share of drawn numbers.

    Those of the first numbers of a generator, which may be known, are as the others.
    """
    low, high = _common_bounds([record.fill for record in records])
    drawn = [r for r in records if r.fill.even_share and (r.fill.low, r.fill.high) == (low, high)]
    told = sum(record.share for record in drawn)
    if not drawn:
        return records
    total = sum(record.share for record in records)
    even = sum(record.share * record.fill.even_share for record in drawn) / told
    is_random = all(record.fill.pattern is Pattern.RANDOM for record in records)
    if not is_random or total - told > _RARE * total:
        even *= told / total
    fills = [replace(record.fill, even_share=even) for record in records]
    if even == 1.0:
        fills = [replace(fill, low=low, high=high, sample=None) for fill in fills]
    return [replace(record, fill=fill) for record, fill in zip(records, fills, strict=True)]


def _as_random(records: Sequence[FillRecord]) -> Sequence[FillRecord]:
    """Fills of one number among those of random ones are random as well: each has the numbers of all."""
    found = [_numbers(record.fill) for record in records]
    known = [numbers for numbers in found if numbers is not None]
    if len(known) < len(found):
        return records
    sample = mixture(known, [record.share for record in records])
    low, high = float(sample.min()), float(sample.max())
    return [
        replace(
            record,
            fill=replace(
                record.fill,
                pattern=Pattern.RANDOM,
                low=low,
                high=high,
                sample=sample,
                table=None,
                steps=(),
                even_share=record.fill.even_share,
            ),
        )
        for record in records
    ]


def _numbers(fill: Fill) -> NDArray[np.float64] | None:
    """Numbers that the elements of a fill may be, each equally likely."""
    if fill.pattern is Pattern.CONSTANT:
        return outcomes(fill.first)
    if fill.pattern is not Pattern.RANDOM:
        return None
    is_float = fill.scalar.is_float
    return outcomes(
        Unknown(fill.key, low=fill.low, high=fill.high, is_float=is_float, sample=fill.sample)
    )


def among(fill: Fill, share: float, before: Fill) -> Fill:
    """A fill of which only a share of the elements is stored, nobody knows which: the others hold what was there before.

    Numbers that rise stay as they are: where they lie tells more than which of them are missing.
    """
    stored, left = _numbers(fill), _numbers(before)
    if share > 1.0 - _RARE or stored is None or left is None:
        return fill
    sample = mixture([stored, left], [share, 1.0 - share])
    return replace(
        fill,
        pattern=Pattern.RANDOM,
        low=number_of(float(sample.min()), fill.scalar),
        high=number_of(float(sample.max()), fill.scalar),
        sample=sample,
        steps=(),
        even_share=0.0,
    )


def _evened(fill: Fill, stride: int, change: float | None) -> Fill:
    """Rows of uneven lengths, one after the other: inside of each the values rise as they do from row to row."""
    width, count = fill.dims[0]
    if change is None or len(fill.dims) > 1 or abs(stride) != width * count:
        return fill
    return replace(fill, steps=(change / count,))


def _common_bounds(fills: Sequence[Fill]) -> tuple[int | float | None, int | float | None]:
    lows = [fill.low for fill in fills if fill.low is not None]
    highs = [fill.high for fill in fills if fill.high is not None]
    if len(lows) < len(fills) or len(highs) < len(fills):
        return None, None
    return min(lows), max(highs)
