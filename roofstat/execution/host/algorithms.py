"""Algorithms on ranges (of the C++ library, thrust and cub) whose bodies the headers do not hold."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.execution.host.records import plain, scalar_named, size_named, template_arguments
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.vectors import Vector, fill_from, pointer
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import interval_of
from roofstat.execution.numbers.values import Unknown, number_of
from roofstat.execution.stored.fill import Fill, Pattern

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject

_APPENDS = "std::back_insert_iterator<"
_LARGEST_SORTED = 4_000
"""Known elements up to this number are sorted for real."""
_LONGEST_COMPACTED = 1_000
"""Known elements up to this number are compacted one by one, within what loops of host code run in full."""


@dataclass(frozen=True, slots=True)
class Span:
    """A range of elements in one allocation."""

    found: MemoryObject
    start: int
    """Offset of the first element in bytes."""
    count: int
    element: int
    scalar: Scalar | None

    @property
    def size_bytes(self) -> int:
        """Bytes of all elements."""
        return self.count * self.element


def without_policy(call: HostCall) -> tuple[HostCall, list[str]]:
    """The call and its template arguments without an execution policy in front."""
    own = call.inputs()
    types = list(call.detail.template_arguments)
    if types and ("policy" in types[0] or "execution" in types[0]):
        types = types[1:]
        own.arguments = own.arguments[1:]
    return own, types


def element_of(call: HostCall, iterator: str) -> tuple[int, Scalar | None]:
    """(size, scalar type) of what an iterator's type points to."""
    name = plain(iterator)
    name = plain(name[:-1]) if name.endswith("*") else (template_arguments(name) or [""])[0]
    return size_named(call.run.program, name) or 4, scalar_named(name)


def _span(call: HostCall, types: list[str], index: int = 0) -> Span | None:
    """The range between two iterator arguments."""
    if index + 1 >= len(call.arguments):
        return None
    first, end = pointer(call, call.arguments[index]), pointer(call, call.arguments[index + 1])
    place = call.place(first)
    if place is None or first is None or end is None or end < first:
        return None
    element, scalar = element_of(call, types[0] if types else "")
    return Span(place[0], place[1], (end - first) // element, element, scalar)


# Filling


@models(
    "thrust::fill",
    "thrust::fill_n",
    "thrust::uninitialized_fill",
    "std::uninitialized_fill",
    "thrust::replace",
)
def _fill(call: HostCall) -> Value:
    own, types = without_policy(call)
    if call.name.endswith("replace"):
        return _forget_output(call)
    if call.name.endswith("_n"):
        first, count = pointer(own, own.arguments[0]), own.integer(1)
        place = own.place(first)
        element, _ = element_of(own, types[0] if types else "")
        if place is not None and count:
            fill_from(own, place[0], place[1], count, own.arguments[2], element)
        return call.iterator(0)
    span = _span(own, types)
    if span is not None and len(own.arguments) > 2:
        fill_from(own, span.found, span.start, span.count, own.arguments[2], span.element)
    return call.iterator(0)


@models("std::iota", "thrust::sequence")
def _sequence(call: HostCall) -> Value:
    own, types = without_policy(call)
    span = _span(own, types)
    if span is None or span.count <= 0:
        return 0
    first = own.arguments[2] if len(own.arguments) > 2 else 0
    step = own.arguments[3] if len(own.arguments) > 3 else 1
    if not isinstance(first, int | float) or not isinstance(step, int | float):
        span.found.contents.forget()
        return 0
    affine(span, first, step)
    return call.iterator(0)


def affine(span: Span, first: float, step: float) -> None:
    """Elements that change evenly."""
    span.found.contents.add_fill(
        Fill(
            start=span.start,
            dims=((span.element, max(span.count, 1)),),
            scalar=span.scalar
            or {1: Scalar.I8, 2: Scalar.I16, 8: Scalar.I64}.get(span.element, Scalar.I32),
            pattern=Pattern.AFFINE,
            first=first,
            steps=(float(step),),
            key=new_key(),
        )
    )


@models("thrust::copy", "thrust::copy_n", "thrust::uninitialized_copy", "std::uninitialized_copy")
def _copy(call: HostCall) -> Value:
    own, types = without_policy(call)
    first = pointer(own, own.arguments[0])
    source = own.place(first)
    target = own.place(pointer(own, own.arguments[2])) if len(own.arguments) > 2 else None
    size: int | None = None
    if call.name.endswith("_n"):
        count = own.integer(1)
        size = None if count is None else count * element_of(own, types[0] if types else "")[0]
    else:
        span = _span(own, types)
        size = span.size_bytes if span is not None else None
    if target is None:
        return call.iterator(0)
    if source is None or size is None:
        target[0].contents.forget()
    else:
        target[0].contents.copy_range(source[0].contents, source[1], size, target[1])
    return call.iterator(target[0].base + target[1] + (size or 0))


# Order


@models(
    "std::sort",
    "std::stable_sort",
    "std::partial_sort",
    "thrust::sort",
    "thrust::stable_sort",
    "qsort",
    "thrust::sort_by_key",
    "thrust::stable_sort_by_key",
)
def _sort(call: HostCall) -> Value:
    own, types = without_policy(call)
    if call.name == "qsort":
        place = own.object(0)
        if place is not None:
            _sorted(Span(place[0], place[1], own.integer(1) or 0, own.integer(2) or 4, None), call)
        return 0
    span = _span(own, types)
    if span is not None:
        _sorted(span, call)
    if call.name.endswith("by_key") and len(own.arguments) > 2:
        values = own.place(pointer(own, own.arguments[2]))
        if values is not None:
            _shuffled(values[0])
    return 0


def _sorted(span: Span, call: HostCall) -> None:
    contents = span.found.contents
    is_falling = any("greater" in name for name in call.detail.template_arguments)
    numbers = _numbers(span) if span.count > 0 else None
    if numbers is not None and span.scalar is not None:
        for n, value in enumerate(sorted(numbers, reverse=is_falling)):
            contents.store(span.start + n * span.element, span.scalar, value)
        return
    row = _drawn_row(span) if call.machine.loop_stack else None
    if row is not None:
        contents.add_fill(row)
        return
    # Rows that a loop sorts one after the other would all be alike.
    bounds = _bounds_of_all(span) if call.machine.loop_stack else _bounds(span)
    if bounds is None or span.count < 2:
        _reordered(span)
        return
    low, high = bounds
    if span.scalar in _WIDE and _is_packed(low, high):
        # Numbers that rise evenly would have meaningless lower halves.
        contents.add_fill(
            Fill(
                start=span.start,
                dims=((span.element, span.count),),
                scalar=span.scalar,
                pattern=Pattern.RANDOM,
                low=low,
                high=high,
                key=new_key(),
            )
        )
        return
    if is_falling:
        low, high = high, low
    affine(span, low, (high - low) / (span.count - 1))


def _drawn_row(span: Span) -> Fill | None:
    """A short row of integers that are drawn from a range, in whatever order: each row that a loop makes has its own."""
    if span.scalar is None or not span.scalar.is_integer or not 1 < span.count <= _LARGEST_SORTED:
        return None
    values = _elements(span, span.scalar)
    intervals = [interval_of(value) for value in values]
    known = [interval for interval in intervals if interval is not None]
    if not known:
        return None
    bounds = min(low for low, _ in known), max(high for _, high in known)
    drawn = (v for v, at in zip(values, intervals, strict=True) if at == bounds)
    even = sum(v.even_share or 1.0 for v in drawn if isinstance(v, Unknown)) / len(values)
    if even <= _FEW_DRAWN or bounds[0] == bounds[1]:
        return None
    return Fill(
        start=span.start,
        dims=((span.element, span.count),),
        scalar=span.scalar,
        pattern=Pattern.RANDOM,
        low=bounds[0],
        high=bounds[1],
        even_share=even,
        key=new_key(),
    )


_FEW_DRAWN = 0.1
"""Share of the numbers of a row that are drawn from the whole range, up to which the row is not taken to be drawn."""
_WIDE = frozenset({Scalar.U64, Scalar.I64})
_WORD = 1 << 32
_LARGEST_HALF = 1 << 24
"""Lower halves of packed words are no larger, as a rule: places in arrays of at most 16 million elements. One in 256 others is."""


def _is_packed(low: float, high: float) -> bool:
    """Whether the bounds of long integers look like pairs of smaller ones."""
    return high >= _WORD and all(int(end) % _WORD < _LARGEST_HALF for end in (low, high))


def _reordered(span: Span) -> None:
    """Records in an order that nobody knows: each member keeps its values, by chance; others are not known any more."""
    contents = span.found.contents
    members: dict[int, Fill] = {}
    for fill in contents.fills:
        is_member = fill.dims[0][1] > 1 and all(
            stride % span.element == 0 for stride, _ in fill.dims
        )
        count = math.prod(count for _, count in fill.dims)
        if is_member and span.start <= fill.start and 2 * count > span.count > 1:
            members[(fill.start - span.start) % span.element] = fill
    contents.forget()
    for at, fill in members.items():
        if fill.scalar.size_bytes == span.element:
            continue
        dims = ((span.element, span.count),)
        bounds = _bounds_of(fill)
        if fill.pattern is Pattern.RANDOM:
            contents.add_fill(replace(fill, start=span.start + at, dims=dims, is_rising=False))
        elif bounds is not None:
            contents.add_fill(_by_chance(fill, span.start + at, dims, bounds))


def _by_chance(
    fill: Fill, start: int, dims: tuple[tuple[int, int], ...], bounds: tuple[float, float]
) -> Fill:
    """Values of a fill at places that nobody knows."""
    return Fill(
        start=start,
        dims=dims,
        scalar=fill.scalar,
        pattern=Pattern.RANDOM,
        low=bounds[0],
        high=bounds[1],
        even_share=1.0 if fill.pattern is Pattern.AFFINE else fill.even_share,
        is_order=fill.pattern is Pattern.AFFINE and any(fill.steps),
        key=new_key(),
    )


def _bounds(span: Span) -> tuple[float, float] | None:
    """Bounds of the elements of a range, where one fill tells them, or each element of a short one its own."""
    told = _bounds_of_all(span)
    if told is not None:
        return told
    if span.scalar is None or not 0 < span.count <= _LARGEST_SORTED:
        return None
    intervals = [interval_of(value) for value in _elements(span, span.scalar)]
    known = [interval for interval in intervals if interval is not None]
    if len(known) < len(intervals):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _bounds_of_all(span: Span) -> tuple[float, float] | None:
    """Bounds of the elements of a range that one fill tells."""
    for fill in reversed(span.found.contents.fills):
        if fill.start <= span.start and span.start + span.size_bytes <= fill.end:
            return _bounds_of(fill)
    return None


def _elements(span: Span, scalar: Scalar) -> list[Value]:
    """What is known of each element of a range."""
    contents = span.found.contents
    return [contents.load(span.start + n * span.element, scalar, 0, "") for n in range(span.count)]


def _bounds_of(fill: Fill) -> tuple[float, float] | None:
    """Bounds of the elements of a fill."""
    if fill.pattern is Pattern.RANDOM and fill.low is not None and fill.high is not None:
        return fill.low, fill.high
    if fill.pattern is Pattern.CONSTANT:
        return fill.first, fill.first
    if fill.pattern is Pattern.AFFINE and len(fill.dims) == 1:
        last = fill.first + fill.steps[0] * (fill.dims[0][1] - 1)
        return min(fill.first, last), max(fill.first, last)
    return None


def _mean(span: Span) -> float | None:
    """Mean of the elements of a range, where one fill tells it."""
    for fill in reversed(span.found.contents.fills):
        if fill.pattern is Pattern.SCATTERED and fill.covers(span.start):
            elements = sum(amount for _, amount in fill.choices)
            return sum(value * amount for value, amount in fill.choices) / elements
    bounds = _bounds(span)
    return (bounds[0] + bounds[1]) / 2 if bounds is not None else None


def _shuffled(found: MemoryObject) -> None:
    """The same values in an order that nobody knows."""
    contents = found.contents
    fill = contents.fills[-1] if contents.fills else None
    size = found.buffer.size_bytes
    if fill is None or size is None or fill.end - fill.start < size // 2:
        contents.forget()
        return
    span = Span(found, fill.start, fill.end - fill.start, 1, None)
    bounds = _bounds(span)
    contents.forget()
    if bounds is not None:
        width = fill.scalar.size_bytes
        contents.add_fill(_by_chance(fill, 0, ((width, max(size // width, 1)),), bounds))


@models("std::shuffle", "std::random_shuffle", "thrust::shuffle")
def _shuffle(call: HostCall) -> Value:
    own, types = without_policy(call)
    span = _span(own, types)
    if span is not None and span.scalar is None:
        _reordered(span)
    elif span is not None:
        _shuffled(span.found)
    return 0


@models(
    "std::cq_compacted",
    "std::cq_distinct",
    "thrust::unique",
    "thrust::remove_if",
    "thrust::remove",
)
def _compact(call: HostCall) -> Value:
    own, types = without_policy(call)
    span = _span(own, types)
    if span is None:
        return call.iterator(call.unknown("what is left of a range"))
    bounds = _bounds(span)
    left = None
    if call.name.endswith("cq_distinct") and _is_one_range(call):
        left = _distinct(span)
    if call.name.endswith("cq_compacted"):
        left = own.integer(2)
    if left is None:
        name = call.name if call.name.startswith("thrust") else "std::unique or std::remove"
        call.note("container", f"{name} is taken to leave all elements")
    left = span.count if left is None else min(max(left, 0), span.count)
    row = _drawn_row(replace(span, count=left)) if call.machine.loop_stack else None
    span.found.contents.forget()
    if row is not None:
        span.found.contents.add_fill(row)
    elif bounds is not None and left > 1:
        affine(replace(span, count=left), bounds[0], (bounds[1] - bounds[0]) / (left - 1))
    return call.iterator(span.found.base + span.start + left * span.element)


def _distinct(span: Span) -> int | None:
    """How many integers are between the ends of a sorted range, where each of them is there: it rises by less than one."""
    if span.scalar is None or not span.scalar.is_integer:
        return None
    for fill in reversed(span.found.contents.fills):
        if fill.covers(span.start):
            is_dense = fill.pattern is Pattern.AFFINE and abs(fill.steps[0]) <= 1
            bounds = (
                _bounds_of(fill) if is_dense and fill.end >= span.start + span.size_bytes else None
            )
            return None if bounds is None else int(bounds[1]) - int(bounds[0]) + 1
    return None


@models("std::cq_one_range", pure=True)
def _is_one_range(call: HostCall) -> bool:
    """Whether a range is no row of many: those that a loop makes one after the other would all be like the few that are run."""
    return not call.machine.loop_stack


@models("std::cq_all_known", pure=True)
def _all_known(call: HostCall) -> Value:
    """Whether a range is short and each of its elements a number that is known."""
    own, types = without_policy(call)
    span = _span(own, types)
    return span is not None and span.count <= _LONGEST_COMPACTED and _numbers(span) is not None


@models(
    "std::reverse",
    "std::rotate",
    "std::nth_element",
    "std::partition",
    "std::next_permutation",
    "std::make_heap",
)
def _reorder(call: HostCall) -> Value:
    own, types = without_policy(call)
    span = _span(own, types)
    if span is not None and span.scalar is None:
        _reordered(span)
    elif span is not None:
        _shuffled(span.found)
    return (
        call.arguments[0] if call.name != "std::next_permutation" else call.unknown("a permutation")
    )


@models("std::lower_bound", "std::upper_bound", "std::binary_search", pure=True)
def _search(call: HostCall) -> Value:
    own, types = without_policy(call)
    span = _span(own, types)
    if span is None or call.name.endswith("search"):
        return call.unknown("place of a value in a range")
    low, high = span.found.base + span.start, span.found.base + span.start + span.size_bytes
    return Unknown(
        new_key(),
        uniform=True,
        scale=span.element,
        offset=low,
        low=0,
        high=max((high - low) // span.element, 0),
        reason="place of a value in a range",
    )


# Sums


@models("std::back_inserter")
def _append_through(call: HostCall) -> Value:
    return call.iterator(call.arguments[1] if call.detail.result_size_bytes else 0)


def _appended(call: HostCall, address: int | None, span: Span) -> tuple[MemoryObject, int] | None:
    """Room at the end of a vector for as many elements as a range has."""
    if address is None:
        return None
    target = Vector(call, address, span.element)
    old, place = target.count, target.storage()
    if old is None:
        return None
    found = target.allocate(old + span.count, None)
    if place is not None:
        found.contents.copy_range(place[0].contents, place[1], old * span.element, 0)
    target.set(found.base, old + span.count)
    return found, old * span.element


@models(
    "std::partial_sum",
    "std::inclusive_scan",
    "std::exclusive_scan",
    "thrust::inclusive_scan",
    "thrust::exclusive_scan",
)
def _scan(call: HostCall) -> Value:
    own, types = without_policy(call)
    span = _span(own, types)
    target = own.place(pointer(own, own.arguments[2])) if len(own.arguments) > 2 else None
    if span is not None and len(types) > 1 and types[1].startswith(_APPENDS):
        target = _appended(own, pointer(own, own.arguments[2]), span)
    if target is None:
        return call.iterator(0)
    mean = _mean(span) if span is not None else None
    is_integer = span is not None and (span.scalar is None or span.scalar.is_integer)
    if span is None or mean is None or not is_integer:
        target[0].contents.forget()
        return call.iterator(0)
    first = 0.0 if call.name.endswith("exclusive_scan") else mean
    affine(Span(target[0], target[1], span.count, span.element, span.scalar), first, mean)
    return call.iterator(target[0].base + target[1] + span.size_bytes)


@models(
    "std::inner_product",
    "std::reduce",
    "std::transform_reduce",
    "thrust::reduce",
    "thrust::transform_reduce",
    "thrust::inner_product",
    "std::minmax_element",
)
def _reduce(call: HostCall) -> Value:
    return call.unknown(f"result of {call.name}")


@models("thrust::count", "thrust::count_if", "std::count", "std::count_if")
def _count(call: HostCall) -> Value:
    span = _span(*without_policy(call))
    high = None if span is None else span.count
    return call.unknown(f"result of {call.name}", low=0 if span is not None else None, high=high)


@models("std::max_element", "std::min_element", "thrust::max_element", "thrust::min_element")
def _extreme(call: HostCall) -> Value:
    own, types = without_policy(call)
    first = pointer(own, own.arguments[0])
    span = _span(own, types)
    if first is None or span is None or span.count <= 0 or len(own.arguments) > 2:
        return call.iterator(call.unknown(f"result of {call.name}") if first is None else first)
    is_least = "min_element" in call.name
    known = _numbers(span)
    if known is not None:
        at = known.index(min(known) if is_least else max(known))
        return call.iterator(first + at * span.element)
    bounds = _bounds(span)
    if bounds is None or span.scalar is None:
        return call.iterator(first)
    # Which element it is nobody knows, but one of them has this value.
    at = span.count // 3 * (1 if is_least else 2) * span.element
    value = bounds[0] if is_least else bounds[1]
    span.found.contents.store(span.start + at, span.scalar, number_of(value, span.scalar))
    return call.iterator(first + at)


def _numbers(span: Span) -> list[int | float] | None:
    """The elements of a short range, where every one is known."""
    if span.count > _LARGEST_SORTED or span.scalar is None:
        return None
    values = _elements(span, span.scalar)
    numbers = [value for value in values if isinstance(value, int | float)]
    return numbers if len(numbers) == len(values) else None


@models("thrust::find", "thrust::lower_bound")
def _position(call: HostCall) -> Value:
    own, _ = without_policy(call)
    return call.iterator(pointer(own, own.arguments[0]) or 0)


@models(
    "thrust::transform",
    "thrust::generate",
    "thrust::tabulate",
    "thrust::gather",
    "thrust::scatter",
    "thrust::for_each",
    "thrust::for_each_n",
    "thrust::transform_if",
    "thrust::replace_if",
    "thrust::adjacent_difference",
    "std::adjacent_difference",
)
def _forget_output(call: HostCall) -> Value:
    """What any of the ranges holds afterwards is unknown."""
    own, _ = without_policy(call)
    last: Value = 0
    for argument in own.arguments:
        place = own.place(pointer(own, argument))
        if place is not None and (place[0].buffer.size_bytes or 0) > 64:
            place[0].contents.forget()
            last = place[0].base + place[1]
    return call.iterator(last)


# Outputs whose length the data decide


@models("thrust::unique_by_key", "thrust::reduce_by_key", "thrust::copy_if")
def _kept(call: HostCall) -> Value:
    """Of the elements of a range some are kept: the ends of the outputs, as if all were."""
    own, types = without_policy(call)
    span = _span(own, types)
    if call.name.endswith("unique_by_key"):
        outputs = [0, 2]
    elif call.name.endswith("reduce_by_key"):
        outputs = [3, 4]
    else:
        outputs = [3 if len(own.arguments) > 4 else 2]
    # The ends of a range have one type, so that types are one fewer than arguments.
    elements = [element_of(own, types[max(index - 1, 0)])[0] for index in outputs]
    call.note("container", f"{call.name} is taken to leave all elements")
    return _output_ends(call, own, outputs, elements, None if span is None else span.count)


@models(
    "thrust::merge", "std::merge", "thrust::set_union", "std::set_union", "std::set_intersection"
)
def _joined(call: HostCall) -> Value:
    """Two ranges become one: all elements of both, of an intersection those of the shorter."""
    own, types = without_policy(call)
    spans = [_span(own, types), _span(own, types[1:], 2)]
    counts = [span.count for span in spans if span is not None]
    if call.name.startswith(("thrust::set", "std::set")):
        call.note("container", f"{call.name} is taken to leave all elements")
    join = min if call.name.endswith("intersection") else sum
    element, _ = element_of(own, types[2])
    count = join(counts) if len(counts) == len(spans) else None
    return _output_ends(call, own, [4], [element], count)


def _output_ends(
    call: HostCall, own: HostCall, outputs: list[int], elements: list[int], count: int | None
) -> Value:
    """Forget what outputs hold; the result is the place, or the pair of places, behind their elements."""
    ends: list[Value] = []
    for index, element in zip(outputs, elements, strict=True):
        first = pointer(own, own.arguments[index]) if index < len(own.arguments) else None
        place = own.place(first)
        if place is not None:
            place[0].contents.forget()
        ends.append(
            call.unknown(f"the end of what {call.name} leaves")
            if first is None or count is None
            else first + count * element
        )
    result = call.result_address()
    if result is None:
        return ends[0]
    for offset, end in enumerate(ends):
        call.store_at(result, Scalar.U64, end, 8 * offset)
    return result


# cub

_CUB_CLASSES = (
    "DeviceReduce",
    "DeviceScan",
    "DeviceRadixSort",
    "DeviceMergeSort",
    "DeviceSelect",
    "DeviceHistogram",
    "DevicePartition",
    "DeviceRunLengthEncode",
    "DeviceSegmentedReduce",
    "DeviceSegmentedRadixSort",
    "DeviceSegmentedSort",
    "DeviceSpmv",
    "DeviceAdjacentDifference",
    "DeviceFor",
)
_TEMPORARY_BYTES = 1 << 20
"""What a query for temporary storage answers; the true size depends on the algorithm's tuning."""


def is_cub_call(name: str) -> bool:
    """Whether a function is one of cub's device-wide algorithms."""
    parts = name.split("::")
    return len(parts) > 1 and parts[-2] in _CUB_CLASSES


def cub_call(call: HostCall) -> Value:
    """The first call (without storage) sets a size, the second writes its outputs."""
    if call.integer(0) == 0:
        if call.load_integer(call.integer(1)) in (None, 0):
            call.store(1, Scalar.U64, _TEMPORARY_BYTES)
        return 0
    for index in range(2, len(call.arguments)):
        place = call.object(index)
        if place is not None and (place[0].buffer.size_bytes or 0) > 8:
            place[0].contents.forget()
    _store_count(call)
    return 0


_COUNTS = {
    "DeviceSelect::If": (4, 5),
    "DeviceSelect::Flagged": (5, 6),
    "DeviceSelect::Unique": (4, 5),
    "DeviceSelect::UniqueByKey": (6, 7),
    "DevicePartition::If": (4, 5),
    "DevicePartition::Flagged": (5, 6),
    "DeviceRunLengthEncode::Encode": (5, 6),
    "DeviceReduce::ReduceByKey": (6, 8),
}
"""Where calls of cub leave how many elements there are behind them, and of how many."""
_TRUTH_VALUES = pattern(r"InputIterator<\s*bool\b")


def _store_count(call: HostCall) -> None:
    """A selection leaves some of the elements, and some of what a sum of truth values counts is true: half, on the average."""
    form = call.name.removeprefix("cub::")
    types = call.detail.template_arguments
    if form == "DeviceReduce::Sum" and types and _TRUTH_VALUES.search(types[0]):
        place = (3, 4)
    elif form in _COUNTS:
        place = _COUNTS[form]
    else:
        return
    found, items = call.object(place[0]), call.integer(place[1])
    if found is None or items is None:
        return
    is_wide = found[0].buffer.size_bytes == Scalar.I64.size_bytes
    count = call.unknown(f"what {call.name} counts", low=0, high=items)
    call.store(place[0], Scalar.I64 if is_wide else Scalar.I32, count)
