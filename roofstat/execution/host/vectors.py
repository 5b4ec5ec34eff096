"""std::vector, std::deque and thrust's vectors: their sizes, their storage, and what is known of their elements.

The bundled headers give them three members, the address of the elements, their number and the capacity. The models keep
these in the object's own memory, so that copies, moves and records that hold containers need no further care.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.accesses.addresses import pointer_add, resolve
from roofstat.execution.fill import Fill, Pattern
from roofstat.execution.host.records import (
    element_bytes,
    element_scalar,
    size_named,
    template_arguments,
)
from roofstat.execution.host.registry import HostCall, initializer_list, models
from roofstat.execution.unknowns import new_key
from roofstat.execution.values import Unknown, Value
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.address_space import MemoryObject

_DATA, _SIZE, _CAPACITY = 0, 8, 16
_KINDS = ("vector", "deque", "device_vector", "host_vector", "universal_vector")
_DEVICE_KINDS = ("device_vector", "universal_vector")
_OPEN = "open"
"""State of storage whose range of addresses is left open, because the vector grows."""
_ELEMENT = "element"
"""State of storage of vectors: the last one put in, which stands for those that were not looked at."""
_ANYWHERE = "anywhere"
"""State of storage of vectors: how many elements each got in the mean of those that went to one of them, nobody knows which."""
_VECTOR_BYTES = 24
"""Three words: where the elements are, how many, and for how many there is room."""
_SMALLEST_ADDRESS = 1 << 33


def _names(*methods: str, kinds: tuple[str, ...] = _KINDS) -> tuple[str, ...]:
    return tuple(f"{kind}::{method}" for kind in kinds for method in methods)


@dataclass(slots=True, eq=False)
class Vector:
    """A vector object at an address."""

    call: HostCall
    address: int
    element: int
    """Size of an element in bytes."""

    @property
    def data(self) -> int:
        """Address of the elements, 0 where there is none yet."""
        value = self._member(_DATA)
        return value if isinstance(value, int) else 0

    @property
    def size(self) -> Value:
        """Number of elements."""
        size = self._member(_SIZE)
        return size + self._got_anywhere() if isinstance(size, int | float) else size

    @property
    def count(self) -> int | None:
        """Number of elements, None where it is unknown."""
        size = self.size
        return int(size) if isinstance(size, int | float) else None

    def _got_anywhere(self) -> int:
        """Its share of the elements that were put into some vector of the array that it lies in."""
        place = self.call.place(self.address)
        return 0 if place is None else round(_put_anywhere(place[0]))

    def _member(self, offset: int) -> Value:
        place = self.call.place(self.address)
        if place is None:
            return self.call.unknown("a vector at an unknown address")
        found, at = place
        value = found.contents.load(at + offset, Scalar.U64, found.buffer.number, "a vector")
        if not isinstance(value, Unknown) or at + offset in found.contents.cells:
            return value
        template = found.state.get(_ELEMENT)
        if isinstance(template, tuple):
            kept = template[offset // 8]
            return kept if isinstance(kept, int | float | Unknown) else value
        # Never written: an element of an array of vectors, say, that nobody constructed one by one.
        is_filled = any(fill.covers(at + offset) for fill in found.contents.fills)
        return value if is_filled or found.contents.is_lost else 0

    def storage(self) -> tuple[MemoryObject, int] | None:
        """The allocation of the elements and the offset of the first; its size is brought up to date."""
        place = self.call.place(self.data)
        if place is not None and place[0].state.get(_OPEN):
            count = self.count
            place[0].buffer.size_bytes = place[1] + count * self.element if count else None
        return place

    def set(self, data: int, size: Value) -> None:
        """Write the members."""
        self.call.store_at(self.address, Scalar.U64, data, _DATA)
        self.resize(size)
        self.call.store_at(self.address, Scalar.U64, size, _CAPACITY)

    def resize(self, size: Value) -> None:
        """Write the number of elements only."""
        if isinstance(size, int | float):
            size = max(size - self._got_anywhere(), 0)
        self.call.store_at(self.address, Scalar.U64, size, _SIZE)

    def allocate(self, size: Value, initial: Value | None) -> MemoryObject:
        """New storage for a number of elements; open-ended where that is 0."""
        place = self.call.place(self.address)
        name = (place[0].buffer.name if place is not None else "") or "vector"
        kind = self.call.detail.object_type.split("<")[0] + " " + self.call.name
        space = Space.GLOBAL if any(item in kind for item in _DEVICE_KINDS) else Space.HOST
        count = expected(size)
        total = count * self.element if count else None
        found = self.call.machine.memory.allocate(
            total,
            space,
            name,
            initial=initial,
            assumed=isinstance(size, Unknown),
        )
        if not count and not isinstance(size, Unknown):
            found.state[_OPEN] = True
        return found

    def create(self, size: Value, initial: Value | None = 0) -> MemoryObject | None:
        """Become a vector of new elements."""
        if isinstance(size, int | float) and size <= 0:
            self.set(0, 0)
            return None
        found = self.allocate(size, initial)
        self.set(found.base, size)
        return found

    def append(self) -> int | None:
        """Make room for one more element at the end; returns its address."""
        data, size = self.data, self.size
        if not isinstance(size, int | float):
            return None
        if not data:
            data = self.allocate(0, None).base
            self.call.store_at(self.address, Scalar.U64, data, _DATA)
        elif not self._may_grow(int(size)):
            data = self._moved(data, int(size))
        self.resize(size + 1)
        # Iterations of a loop that were skipped have appended as well.
        self.storage()
        return data + int(size) * self.element

    def _may_grow(self, size: int) -> bool:
        place = self.call.place(self.data)
        if place is None:
            return False
        found, at = place
        needed = at + (size + 1) * self.element
        return bool(found.state.get(_OPEN)) or (found.buffer.size_bytes or 0) >= needed

    def _moved(self, data: int, size: int) -> int:
        """The elements in new storage with an open end."""
        fresh = self.allocate(0, None)
        old = self.call.place(data)
        if old is not None:
            fresh.contents.copy_range(old[0].contents, old[1], size * self.element, 0)
        self.call.store_at(self.address, Scalar.U64, fresh.base, _DATA)
        return fresh.base


def _put_anywhere(found: MemoryObject) -> float:
    got = found.state.get(_ANYWHERE)
    return got if isinstance(got, float) else 0.0


def expected(size: Value) -> int | None:
    """A number of elements, the middle where only bounds are known."""
    if isinstance(size, int | float):
        return max(int(size), 0)
    if isinstance(size, Unknown) and size.low is not None and size.high is not None:
        offset = size.offset if isinstance(size.offset, int) else 0
        return max(int((size.low + size.high) / 2) * size.scale + offset, 0)
    return None


def vector(call: HostCall, index: int = 0) -> Vector | None:
    """The vector whose address is an argument."""
    address = call.integer(index)
    return Vector(call, address, element_bytes(call)) if address else None


def copy_elements(target: Vector, source: Vector) -> None:
    """Become a copy of another vector, which may live in another memory."""
    size = source.size
    place = source.storage()
    found = target.create(size, None)
    if found is None or place is None:
        return
    count = expected(size)
    length = count * source.element if count else (place[0].buffer.size_bytes or 0)
    found.contents.copy_range(place[0].contents, place[1], length, 0)
    if place[1] == 0:
        found.state.update({key: value for key, value in place[0].state.items() if key != _OPEN})


# Construction


def _is_address(value: Value) -> bool:
    if isinstance(value, Unknown):
        return isinstance(value.offset, int) and value.offset >= _SMALLEST_ADDRESS
    return isinstance(value, int) and value >= _SMALLEST_ADDRESS


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


def pointer(call: HostCall, value: Value) -> int | None:
    """The address that an iterator stands for: itself, or what a class with only a pointer in it holds."""
    if not isinstance(value, int):
        return None
    place = call.place(value)
    if place is not None and place[0].buffer.size_bytes == 8 and place[1] == 0:
        inner = place[0].contents.cells.get(0)
        if (
            inner is not None
            and inner[0] is Scalar.U64
            and isinstance(inner[1], int)
            and call.place(inner[1]) is not None
        ):
            return inner[1]
    return value


def fill_from(
    call: HostCall, found: MemoryObject, start: int, count: int, value: Value, size: int
) -> None:
    """Elements become copies of the object at an address (a const reference), or a number."""
    if count <= 0:
        return
    cells: dict[int, tuple[Scalar, Value]] = {}
    place = call.place(value) if isinstance(value, int) else None
    if place is not None:
        for part in range(size):
            cell = place[0].contents.cells.get(place[1] + part)
            if cell is not None:
                cells[part] = cell
        if not cells and place[0].contents.initial == 0:
            cells[0] = (_BY_SIZE.get(size, Scalar.U8), 0)
    elif isinstance(value, int | float):
        cells[0] = (element_scalar(call) or _BY_SIZE.get(size, Scalar.I32), value)
    if not cells:
        found.contents.forget()
    for part, (scalar, item) in cells.items():
        add_constant(found, start + part, size, count, scalar, item)


_BY_SIZE = {1: Scalar.I8, 2: Scalar.I16, 4: Scalar.I32, 8: Scalar.I64}


def add_constant(
    found: MemoryObject, start: int, stride: int, count: int, scalar: Scalar, value: Value
) -> None:
    """Every `stride` bytes the same value."""
    known = isinstance(value, int | float)
    bounded = isinstance(value, Unknown) and value.low is not None
    pattern = Pattern.CONSTANT if known else Pattern.RANDOM if bounded else Pattern.UNKNOWN
    found.contents.add_fill(
        Fill(
            start=start,
            dims=((stride, count),),
            scalar=scalar,
            pattern=pattern,
            first=value if isinstance(value, int | float) else 0,
            low=value.low if isinstance(value, Unknown) else None,
            high=value.high if isinstance(value, Unknown) else None,
            key=new_key(),
        )
    )


# Looking


@models(
    *_names("size", "capacity", "length"),
    "queue::size",
    "stack::size",
    "priority_queue::size",
    pure=True,
)
def _size(call: HostCall) -> Value:
    target = vector(call)
    if target is None:
        return call.unknown("size of a vector")
    size = target.size
    return int(size) if isinstance(size, int | float) else size


@models(*_names("max_size"), pure=True)
def _max_size(call: HostCall) -> Value:
    return 1 << 40


@models(*_names("empty"), "queue::empty", "stack::empty", "priority_queue::empty", pure=True)
def _empty(call: HostCall) -> Value:
    target = vector(call)
    count = target.count if target is not None else None
    return call.unknown("size of a vector") if count is None else count == 0


@models(*_names("data", "begin", "cbegin", "front", "rend", "crend"), "queue::front", pure=True)
def _data(call: HostCall) -> Value:
    own = call.inputs()
    target = vector(own)
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
    target = vector(own)
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
    target = vector(own)
    if target is None or not target.data:
        return call.iterator(own.unknown("element of a vector"))
    address = pointer_add(call.machine, target.data, own.arguments[1], target.element)
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
    if isinstance(vectors, Unknown) and vectors.scale == _VECTOR_BYTES:
        share = float(call.machine.weight[0]) * _VECTOR_BYTES / found.buffer.size_bytes
        found.state[_ANYWHERE] = _put_anywhere(found) + share


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
        if cell is not None and isinstance(cell[1], int) and cell[1] < _SMALLEST_ADDRESS:
            _emplace_vector(call, address, inner, cell[1])
            _note_element(call, address)
            return
    for part in range(min(target.element, 128)):
        cell = source[0].contents.cells.get(source[1] + part)
        if cell is not None:
            call.store_at(address, cell[0], cell[1], part)
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
    members = [found.contents.cells.get(at + offset) for offset in (_DATA, _SIZE, _CAPACITY)]
    if all(member is not None for member in members):
        found.state[_ELEMENT] = tuple(member[1] for member in members if member is not None)


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
            fresh.state.update({k: v for k, v in place[0].state.items() if k != _OPEN})
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
        call.store_at(target.address, Scalar.U64, found.base, _DATA)
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
            place[0].state.pop(_ANYWHERE, None)
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
        call.store_at(target.address, Scalar.U64, target.data + target.element, _DATA)
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
        count = (second - first) // target.element if is_range else first
    elif first is not None and len(call.arguments) > 3:
        end = expected(call.arguments[3])
        count = None if end is None else max(end - first, 0) // target.element
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
    size = _VECTOR_BYTES
    if call.name.endswith("swap") and call.detail.template_arguments:
        size = size_named(call.run.program, call.detail.template_arguments[0]) or _VECTOR_BYTES
    for part in range(min(size, 256)):
        one = first[0].contents.cells.get(first[1] + part)
        other = second[0].contents.cells.get(second[1] + part)
        for place, cell in ((first, other), (second, one)):
            if cell is not None:
                place[0].contents.store(place[1] + part, cell[0], cell[1])
            else:
                place[0].contents.cells.pop(place[1] + part, None)
    return 0
