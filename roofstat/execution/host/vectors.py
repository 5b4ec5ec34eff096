"""Objects of std::vector, std::deque and thrust's vectors: their sizes, storage, and what is known of their elements.

The bundled headers give them three members, the address of the elements, their number and the capacity. The models keep
these in the object's own memory, so that copies, moves and records that hold containers need no further care.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.records import (
    element_bytes,
    element_scalar,
)
from roofstat.execution.host.registry import HostCall
from roofstat.execution.loops.carried import middle_of
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import drawn_number, value_bounds
from roofstat.execution.numbers.values import Unknown, Value, outcomes
from roofstat.execution.stored.fill import Fill, Pattern
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.stored.address_space import MemoryObject

DATA, SIZE, CAPACITY = 0, 8, 16
_DEVICE_KINDS = ("device_vector", "universal_vector")
OPEN = "open"
"""State of storage whose range of addresses is left open, because the vector grows."""
ELEMENT = "element"
"""State of storage of vectors: the last one put in, which stands for those that were not looked at."""
ANYWHERE = "anywhere"
"""State of storage of vectors: how many elements each got in the mean of those that went to one of them, nobody knows which."""
VECTOR_BYTES = 24
"""Three words: where the elements are, how many, and for how many there is room."""
SMALLEST_ADDRESS = 1 << 33
_ANY_WORD = 2**32 - 1
"""How far apart the least and the largest word are."""
_NEAR = 0.02
"""Part of a size that its bounds may be apart, and it counts as known: sums whose last addends alone are left to chance."""


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
        value = self._member(DATA)
        return value if isinstance(value, int) else 0

    @property
    def size(self) -> Value:
        """Number of elements."""
        size = self._member(SIZE)
        return size + self._got_anywhere() if isinstance(size, int | float) else size

    @property
    def count(self) -> int | None:
        """Number of elements, None where it is unknown."""
        size = self.size
        return int(size) if isinstance(size, int | float) else None

    def _got_anywhere(self) -> int:
        """Its share of the elements that were put into some vector of the array that it lies in."""
        place = self.call.place(self.address)
        return 0 if place is None else round(put_anywhere(place[0]))

    def _member(self, offset: int) -> Value:
        place = self.call.place(self.address)
        if place is None:
            return self.call.unknown("a vector at an unknown address")
        found, at = place
        value = found.contents.load(at + offset, Scalar.U64, found.buffer.number, "a vector")
        if not isinstance(value, Unknown) or at + offset in found.contents.cells:
            return value
        template = found.state.get(ELEMENT)
        if isinstance(template, tuple):
            kept = template[offset // 8]
            return kept if isinstance(kept, int | float | Unknown) else value
        # Never written: an element of an array of vectors, say, that nobody constructed one by one.
        is_filled = any(fill.covers(at + offset) for fill in found.contents.fills)
        likely = middle_of(value) if offset == SIZE and is_filled else None
        if (
            likely is not None
        ):  # of many vectors of an array each has as many elements as the mean of those looked at
            return round(likely)
        return value if is_filled or found.contents.is_lost else 0

    def storage(self) -> tuple[MemoryObject, int] | None:
        """The allocation of the elements and the offset of the first; its size is brought up to date."""
        place = self.call.place(self.data)
        if place is not None and place[0].state.get(OPEN):
            count = self.count
            place[0].resize(place[1] + count * self.element if count else None)
        return place

    def set(self, data: int, size: Value) -> None:
        """Write the members."""
        self.call.store_at(self.address, Scalar.U64, data, DATA)
        self.resize(size)
        self.call.store_at(self.address, Scalar.U64, size, CAPACITY)

    def resize(self, size: Value, *, adds: bool = False) -> None:
        """Write the number of elements only, which is one more than there were where that adds."""
        if isinstance(size, int | float):
            size = max(size - self._got_anywhere(), 0)
        self.call.store_at(self.address, Scalar.U64, size, SIZE, adds=adds)

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
            assumed=not is_told(size),
        )
        if not count and not isinstance(size, Unknown):
            found.state[OPEN] = True
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
            self.call.store_at(self.address, Scalar.U64, data, DATA)
        elif not self._may_grow(int(size)):
            data = self._moved(data, int(size))
        self.resize(size + 1, adds=True)
        # Iterations of a loop that were skipped have appended as well.
        self.storage()
        return data + int(size) * self.element

    def _may_grow(self, size: int) -> bool:
        place = self.call.place(self.data)
        if place is None:
            return False
        found, at = place
        needed = at + (size + 1) * self.element
        return bool(found.state.get(OPEN)) or (found.buffer.size_bytes or 0) >= needed

    def _moved(self, data: int, size: int) -> int:
        """The elements in new storage with an open end."""
        fresh = self.allocate(0, None)
        old = self.call.place(data)
        if old is not None:
            fresh.contents.copy_range(old[0].contents, old[1], size * self.element, 0)
        self.call.store_at(self.address, Scalar.U64, fresh.base, DATA)
        return fresh.base


def put_anywhere(found: MemoryObject) -> float:
    """How many elements each vector of an array got from calls that go to one of them, nobody knows which."""
    got = found.state.get(ANYWHERE)
    return got if isinstance(got, float) else 0.0


def expected(size: Value) -> int | None:
    """A number of elements, the middle where only bounds are known, unless those are all that a word may be."""
    if isinstance(size, int | float):
        return max(int(size), 0)
    if isinstance(size, Unknown) and size.low is not None and size.high is not None:
        if is_any_word(size):
            return None
        offset = size.offset if isinstance(size.offset, int) else 0
        likely = outcomes(size) if size.sample is not None else None
        if likely is not None:
            return max(round(float(likely.mean())), 0)
        return max(int((size.low + size.high) / 2) * size.scale + offset, 0)
    return None


def is_told(size: Value | None) -> bool:
    """Whether a number of elements is known, or lies so near to what is expected that it makes no difference."""
    if isinstance(size, int | float):
        return True
    bounds = value_bounds(size) if isinstance(size, Unknown) else None
    middle = None if size is None or bounds is None else expected(size)
    if bounds is None or middle is None:
        return False
    return bounds[1] - bounds[0] <= _NEAR * middle


def is_any_word(value: Unknown) -> bool:
    """Whether its range is that of a whole word, as of sums of random numbers that may have run over: it says nothing."""
    return value.low is not None and value.high is not None and value.high - value.low >= _ANY_WORD


def vector(call: HostCall, index: int = 0) -> Vector | None:
    """The vector whose address is an argument."""
    address = call.integer(index)
    return Vector(call, address, element_bytes(call)) if address else None


def looked_at(call: HostCall) -> Vector | None:
    """The vector that a call asks something of; one of an array, at a place that nobody knows, is any of them."""
    found = call.arguments[0] if call.arguments else None
    if isinstance(found, Unknown) and abs(found.scale) >= VECTOR_BYTES:
        address = drawn_number(found)
        return Vector(call, address, element_bytes(call)) if isinstance(address, int) else None
    return vector(call)


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
        found.state.update({key: value for key, value in place[0].state.items() if key != OPEN})


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
