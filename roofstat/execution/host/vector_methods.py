"""Constructors and methods of std::vector, std::deque and thrust's vectors."""

from __future__ import annotations

from clang_queries.ir.types import Scalar
from roofstat.execution.accesses.addresses import pointer_add, resolve
from roofstat.execution.host.records import size_named, template_arguments
from roofstat.execution.host.registry import HostCall, initializer_list, models
from roofstat.execution.host.vectors import (
    ANYWHERE,
    CAPACITY,
    DATA,
    ELEMENT,
    OPEN,
    SIZE,
    SMALLEST_ADDRESS,
    VECTOR_BYTES,
    Vector,
    add_constant,
    copy_elements,
    expected,
    fill_from,
    looked_at,
    pointer,
    put_anywhere,
    vector,
)
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown, Value
from roofstat.program.code import Space

_KINDS = ("vector", "deque", "device_vector", "host_vector", "universal_vector")


def _names(*methods: str, kinds: tuple[str, ...] = _KINDS) -> tuple[str, ...]:
    return tuple(f"{kind}::{method}" for kind in kinds for method in methods)


# Construction


def _is_address(value: Value) -> bool:
    if isinstance(value, Unknown):
        return isinstance(value.offset, int) and value.offset >= SMALLEST_ADDRESS
    return isinstance(value, int) and value >= SMALLEST_ADDRESS


def _is_allocator(call: HostCall, index: int) -> bool:
    """Whether an argument is an object without members: the default allocator, an execution policy."""
    place = call.object(index)
    if place is None or place[0].buffer.size_bytes != 1:
        return False
    return not place[0].contents.cells and place[0].text is None


def _own_arguments(call: HostCall) -> list[Value]:
    count = len(call.arguments)
    while count > 1 and _is_allocator(call, count - 1):
        count -= 1
    return call.arguments[1:count]


@models(*(f"{kind}::{kind}" for kind in _KINDS), *_names("assign"))
def _construct(call: HostCall) -> Value:
    target = vector(call)
    if target is not None:
        _become(call, target, _own_arguments(call))
    return 0


def _become(call: HostCall, target: Vector, given: list[Value]) -> None:
    """Construct or assign from a size, a size and a value, two iterators, a list, or another vector."""
    if not given:
        target.set(0, 0)
    elif len(given) == 1 and _is_address(given[0]):
        _become_copy(call, target, given[0])
    elif _is_address(given[0]):
        _become_range(call, target, pointer(call, given[0]), pointer(call, given[1]))
    else:
        found = target.create(given[0])
        if found is not None and found.buffer.space is Space.GLOBAL:
            call.run.record_vector_fill(call)
        if len(given) > 1 and found is not None:
            count = expected(given[0]) or (found.buffer.size_bytes or 0) // target.element
            fill_from(call, found, 0, count, given[1], target.element)


def _become_copy(call: HostCall, target: Vector, other: Value) -> None:
    address = other if isinstance(other, int) else 0
    listed = initializer_list(call, address)
    if listed is not None:
        first, count = listed
        _become_range(call, target, first, first + count * target.element)
        return
    source = Vector(call, address, target.element)
    copy_elements(target, source)


def _become_range(call: HostCall, target: Vector, first: int | None, end: int | None) -> None:
    if first is None or end is None or end < first:
        target.create(call.unknown("size of a range"), None)
        return
    size = end - first
    found = target.create(size // target.element, None)
    place = call.place(first)
    if found is not None and place is not None:
        found.contents.copy_range(place[0].contents, place[1], size, 0)


# Looking


@models(
    *_names("size", "capacity", "length"),
    "queue::size",
    "stack::size",
    "priority_queue::size",
    pure=True,
)
def _size(call: HostCall) -> Value:
    target = looked_at(call)
    if target is None:
        return call.unknown("size of a vector")
    size = target.size
    return int(size) if isinstance(size, int | float) else size


@models(*_names("max_size"), pure=True)
def _max_size(call: HostCall) -> Value:
    return 1 << 40


@models(*_names("empty"), "queue::empty", "stack::empty", "priority_queue::empty", pure=True)
def _empty(call: HostCall) -> Value:
    target = looked_at(call)
    count = target.count if target is not None else None
    return call.unknown("size of a vector") if count is None else count == 0


@models(*_names("data", "begin", "cbegin", "front", "rend", "crend"), "queue::front", pure=True)
def _data(call: HostCall) -> Value:
    own = call.inputs()
    target = looked_at(own)
    if target is None:
        return call.iterator(call.unknown("data of a vector"))
    target.storage()
    return call.iterator(target.data)


@models(
    *_names("end", "cend", "back", "rbegin", "crbegin"),
    "stack::top",
    "queue::back",
    "priority_queue::top",
    pure=True,
)
def _end(call: HostCall) -> Value:
    own = call.inputs()
    target = looked_at(own)
    size = target.size if target is not None else None
    is_last = call.name.endswith(("back", "top"))
    if target is not None and isinstance(size, Unknown) and not is_last:
        address = pointer_add(call.machine, target.data, size, target.element)
        return call.iterator(address)
    if target is None or not isinstance(size, int | float):
        return call.iterator(call.unknown("end of a vector"))
    target.storage()
    last = max(int(size) - 1, 0) if is_last else int(size)
    return call.iterator(target.data + last * target.element)


@models(*_names("operator[]", "at"), pure=True)
def _index(call: HostCall) -> Value:
    own = call.inputs()
    target = looked_at(own)
    if target is None or not target.data:
        return call.iterator(own.unknown("element of a vector"))
    index, count = own.arguments[1], target.count
    if isinstance(index, int) and count and not 0 <= index <= count:
        # No program goes there: bits of a number that stands for many are those of none.
        index = Unknown(new_key(), uniform=True, low=0, high=count - 1, reason="an element")
    address = pointer_add(call.machine, target.data, index, target.element)
    return call.iterator(address)


# Changing


@models(
    *_names("push_back", "emplace_back"),
    "queue::push",
    "stack::push",
    "queue::emplace",
    "stack::emplace",
)
def _push_back(call: HostCall) -> Value:
    target = vector(call)
    if target is None:
        _push_anywhere(call)
        return 0
    address = target.append()
    if address is None:
        return call.unknown("an element of a vector of unknown size")
    if len(call.arguments) == 2:
        _put(call, target, address)
    elif len(call.arguments) > 2 and call.name.startswith("emplace"):
        place = call.place(address)
        if place is not None:
            place[0].contents.is_lost = True
    return address


def _push_anywhere(call: HostCall) -> None:
    """An element goes to one of an array of vectors, nobody knows to which: lists of neighbours, say."""
    vectors = call.arguments[0]
    found = resolve(call.machine, vectors, 0).found
    if found is None or not found.buffer.size_bytes or call.machine.dry:
        return
    if isinstance(vectors, Unknown) and vectors.scale == VECTOR_BYTES:
        share = float(call.machine.weight[0]) * VECTOR_BYTES / found.buffer.size_bytes
        found.state[ANYWHERE] = put_anywhere(found) + share


@models(
    "priority_queue::push", "priority_queue::emplace", "deque::push_front", "deque::emplace_front"
)
def _push_elsewhere(call: HostCall) -> Value:
    """An element comes before others: it is there, but nobody knows which one is where."""
    target = vector(call)
    if target is not None and target.append() is not None:
        place = target.storage()
        if place is not None:
            place[0].contents.forget()
    return 0


def _put(call: HostCall, target: Vector, address: int) -> None:
    """Copy the element that a reference names to its place; a size alone makes a vector."""
    source, place = call.object(1), call.place(address)
    if source is None or place is None:
        return
    arguments = template_arguments(call.detail.object_type)
    inner = arguments[0] if arguments else ""
    is_vector = inner.startswith(("std::vector<", "thrust::"))
    if is_vector and call.name.endswith("emplace_back"):
        cell = source[0].contents.cells.get(source[1])
        if cell is not None and isinstance(cell[1], int) and cell[1] < SMALLEST_ADDRESS:
            _emplace_vector(call, address, inner, cell[1])
            _note_element(call, address)
            return
    for part in range(min(target.element, 128)):
        cell = source[0].contents.cells.get(source[1] + part)
        if cell is not None:
            call.store_at(address, cell[0], cell[1], part, tag=1)  # apart from the vector's members
    if is_vector:
        _note_element(call, address)


def _emplace_vector(call: HostCall, address: int, kind: str, count: int) -> None:
    arguments = template_arguments(kind)
    size = size_named(call.run.program, arguments[0]) if arguments else None
    Vector(call, address, size or 4).create(count)


def _note_element(call: HostCall, address: int) -> None:
    """Let the vector just put in stand for those that an extrapolated loop does not put in."""
    place = call.place(address)
    if place is None:
        return
    found, at = place
    members = [found.contents.cells.get(at + offset) for offset in (DATA, SIZE, CAPACITY)]
    if all(member is not None for member in members):
        found.state[ELEMENT] = tuple(member[1] for member in members if member is not None)


@models(*_names("resize"))
def _resize(call: HostCall) -> Value:
    target = vector(call)
    if target is None or len(call.arguments) < 2:
        return 0
    size, old, data = call.arguments[1], target.count, target.data
    wanted = expected(size)
    if not data or old is None or wanted is None:
        found = target.create(size)
        if found is not None and len(call.arguments) > 2 and not _is_allocator(call, 2):
            fill_from(call, found, 0, wanted or 0, call.arguments[2], target.element)
        return 0
    if wanted > old:
        place = target.storage()
        fresh = target.allocate(size, None)
        if place is not None:
            length = old * target.element
            fresh.contents.copy_range(place[0].contents, place[1], length, 0)
            fresh.state.update({k: v for k, v in place[0].state.items() if k != OPEN})
        value = call.arguments[2] if len(call.arguments) > 2 else 0
        start = old * target.element
        if isinstance(value, int) and value == 0:
            add_constant(fresh, start, 1, (wanted - old) * target.element, Scalar.U8, 0)
        else:
            fill_from(call, fresh, start, wanted - old, value, target.element)
        target.set(fresh.base, size)
    else:
        target.resize(size)
    return 0


@models(*_names("operator="))
def _copy_assign(call: HostCall) -> Value:
    target = vector(call)
    if target is not None and len(call.arguments) > 1 and call.arguments[0] != call.arguments[1]:
        _become(call, target, call.arguments[1:2])
    return call.arguments[0]


@models(*_names("reserve"))
def _reserve(call: HostCall) -> Value:
    target = vector(call)
    if target is not None and not target.data:
        found = target.allocate(0, None)
        call.store_at(target.address, Scalar.U64, found.base, DATA)
    return 0


@models(*_names("shrink_to_fit"))
def _nothing(call: HostCall) -> Value:
    return 0


@models(*_names("clear"))
def _clear(call: HostCall) -> Value:
    target = vector(call)
    if target is not None:
        place = call.place(target.address)
        if place is not None:
            place[0].state.pop(ANYWHERE, None)
        target.resize(0)
    return 0


@models(*_names("pop_back"), "stack::pop", "priority_queue::pop")
def _pop_back(call: HostCall) -> Value:
    target = vector(call)
    size = target.size if target is not None else None
    if target is not None and isinstance(size, int | float) and size > 0:
        target.resize(size - 1)
    return 0


@models("deque::pop_front", "queue::pop")
def _pop_front(call: HostCall) -> Value:
    target = vector(call)
    size = target.size if target is not None else None
    if target is not None and isinstance(size, int | float) and size > 0:
        call.store_at(target.address, Scalar.U64, target.data + target.element, DATA)
        target.resize(size - 1)
    return 0


@models(*_names("insert", "emplace"))
def _insert(call: HostCall) -> Value:
    target = vector(call)
    if target is None:
        return 0
    where, first, second = (
        pointer(call, call.arguments[n]) if n < len(call.arguments) else None for n in (1, 2, 3)
    )
    count: int | None = 1
    if first is not None and second is not None and len(call.arguments) > 3:
        # A count stands before the address of a value; iterators are two addresses, or two numbers of elements that have none.
        is_range = _is_address(first) or not _is_address(second)
        # What is read backwards goes from its end to its begin.
        count = abs(second - first) // target.element if is_range else first
        first = min(first, second) if is_range else first
    elif len(call.arguments) > 3:
        ends = [expected(call.arguments[n]) for n in (2, 3)]
        known = [end for end in ends if end is not None]
        count = int(abs(known[1] - known[0])) // target.element if len(known) == 2 else None
    size = target.size
    place = target.storage()
    if count is None or not isinstance(size, int | float):
        target.resize(call.unknown("size of a vector"))
        return call.arguments[1] if len(call.arguments) > 1 else 0
    fresh = target.allocate(int(size) + count, None)
    at_end = place is None or where == target.data + int(size) * target.element
    if place is not None and at_end:
        length = int(size) * target.element
        fresh.contents.copy_range(place[0].contents, place[1], length, 0)
    source = call.place(first) if first is not None and _is_address(first) else None
    if at_end and source is not None:
        length = count * target.element
        start = int(size) * target.element
        fresh.contents.copy_range(source[0].contents, source[1], length, start)
    target.set(fresh.base, int(size) + count)
    return fresh.base


@models(*_names("erase"))
def _erase(call: HostCall) -> Value:
    target = vector(call)
    size = target.size if target is not None else None
    if target is None or not isinstance(size, int | float):
        return call.arguments[1] if len(call.arguments) > 1 else 0
    first, end = call.integer(1), call.integer(2)
    count = (end - first) // target.element if first is not None and end is not None else 1
    target.resize(max(int(size) - max(count, 0), 0))
    place = target.storage()
    is_tail = first is not None and first - target.data >= (int(size) - count) * target.element
    if place is not None and not is_tail:
        place[0].contents.forget()
    return call.arguments[1] if len(call.arguments) > 1 else 0


@models(*_names("swap"), "std::swap", "swap", "thrust::swap")
def _swap(call: HostCall) -> Value:
    first, second = call.object(0), call.object(1)
    if first is None or second is None:
        return 0
    size = VECTOR_BYTES
    if call.name.endswith("swap") and call.detail.template_arguments:
        size = size_named(call.run.program, call.detail.template_arguments[0]) or VECTOR_BYTES
    for part in range(min(size, 256)):
        one = first[0].contents.cells.get(first[1] + part)
        other = second[0].contents.cells.get(second[1] + part)
        for place, cell in ((first, other), (second, one)):
            if cell is not None:
                place[0].contents.store(place[1] + part, cell[0], cell[1])
            else:
                place[0].contents.cells.pop(place[1] + part, None)
    return 0
