"""Allocations: concrete, disjoint address ranges with what is known of their contents."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.keys import named_key
from roofstat.execution.stored.contents import Contents
from roofstat.execution.trace import Buffer
from roofstat.program.code import SHARED_WINDOW, Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_FIRST_ADDRESS = {
    Space.SHARED: SHARED_WINDOW,
    Space.LOCAL: 1 << 37,
    Space.CONSTANT: 1 << 38,
    Space.TEXTURE: 1 << 39,
    Space.GLOBAL: 1 << 40,
    Space.HOST: 1 << 46,
}
_ALIGNMENT = 512
LARGEST_ALLOCATION_BYTES = 1 << 42
"""A larger size is the result of a calculation with unknown or negative numbers."""
_FARTHEST = _FIRST_ADDRESS[Space.HOST] >> 1
"""Loops that allocate and free reach no farther: what they have freed is allocated again."""
UNKNOWN_EXTENT_BYTES = 1 << 34
"""Address range reserved for an allocation of unknown size."""


@dataclass(slots=True, eq=False)
class MemoryObject:
    """One allocation."""

    buffer: Buffer
    contents: Contents
    function_key: str | None = None
    """Set for the address of a function."""
    text: str | None = None
    """Set for a string literal or a known C string."""
    state: dict[str, object] = field(default_factory=dict)
    """What host library models attach (vector length, file, device properties, ...)."""

    def copy(self) -> MemoryObject:
        """An independent copy at the same address."""
        contents = self.contents.copy()
        return MemoryObject(self.buffer, contents, self.function_key, self.text, dict(self.state))

    @property
    def base(self) -> int:
        """First address."""
        return self.buffer.base

    @property
    def end(self) -> int:
        """Behind its last address."""
        return self.base + self.extent_bytes

    @property
    def extent_bytes(self) -> int:
        """Size, or the reserved range where the size is unknown."""
        return UNKNOWN_EXTENT_BYTES if self.buffer.size_bytes is None else self.buffer.size_bytes

    def resize(self, size_bytes: int | None) -> None:
        """Give it a size; one beyond all memory is unknown."""
        self.buffer.size_bytes = _plausible(size_bytes)


def _plausible(size_bytes: int | None) -> int | None:
    if size_bytes is None or not 0 <= size_bytes <= LARGEST_ALLOCATION_BYTES:
        return None
    return size_bytes


def is_device_address(number: int) -> bool:
    """Whether a number lies where device memory is."""
    return _FIRST_ADDRESS[Space.GLOBAL] <= number < _FIRST_ADDRESS[Space.HOST]


def aligned(address: int) -> int:
    """The first address from there on at which an allocation may begin."""
    return -(-address // _ALIGNMENT) * _ALIGNMENT


class AddressSpace:
    """All allocations of a program run, host and device."""

    def __init__(self) -> None:
        self._next = dict(_FIRST_ADDRESS)
        self._bases: dict[Space, list[int]] = {space: [] for space in _FIRST_ADDRESS}
        self._objects: dict[Space, list[MemoryObject]] = {space: [] for space in _FIRST_ADDRESS}
        self._order = sorted(_FIRST_ADDRESS.items(), key=lambda item: item[1])
        self._lowest = self._order[0][1]
        self._last_found: tuple[int, int, MemoryObject] | None = None
        """Where the allocation that was found last begins and the next one may, and it."""
        self.objects: dict[int, MemoryObject] = {}
        self.written: set[int] = set()
        """Numbers of the allocations that a launch has written and that are not settled yet."""
        self._functions: dict[str, MemoryObject] = {}
        self._strings: dict[str, MemoryObject] = {}
        self.rows: list[tuple[int, int]] = []
        """First addresses and ends of the device memory that each loop of host code has allocated."""

    def allocate(
        self,
        size_bytes: int | None,
        space: Space,
        name: str,
        *,
        initial: Value | None = None,
        assumed: bool = False,
        skipped: bool = False,
    ) -> MemoryObject:
        """A new allocation; `initial` is the value of every byte-aligned element (0 for cleared memory)."""
        size_bytes = _plausible(size_bytes)
        reserved = UNKNOWN_EXTENT_BYTES if size_bytes is None else max(size_bytes, 1)
        self._last_found = None
        place, base = self._free_place(space, reserved)
        self._next[space] = aligned(base + reserved + 1)
        buffer = Buffer(
            number=len(self.objects),
            name=name,
            space=space,
            base=base,
            size_bytes=size_bytes,
            size_is_assumed=assumed,
            is_skipped=skipped,
        )
        found = MemoryObject(buffer, Contents(initial, name=named_key(name)))
        self.objects[buffer.number] = found
        self._bases[space].insert(place, base)
        self._objects[space].insert(place, found)
        return found

    def _free_place(self, space: Space, size_bytes: int) -> tuple[int, int]:
        """Where in the order of addresses the next allocation stands, and its base: behind what is in its way."""
        bases, objects, base = self._bases[space], self._objects[space], self._next[space]
        place = bisect_right(bases, base)
        if place:
            base = max(base, aligned(objects[place - 1].end + 1))
        while place < len(bases) and bases[place] <= base + size_bytes:
            base = aligned(objects[place].end + 1)
            place += 1
        return place, base

    def reached(self, space: Space) -> int:
        """Where the next allocation will lie."""
        return self._next[space]

    def go_on_at(self, space: Space, address: int) -> None:
        """Let the next allocations lie from an aligned address on; where that is too far, they lie where they would anyway."""
        if address < _FARTHEST:
            self._next[space] = address

    def fill_gaps(self, space: Space, first: int, end: int) -> None:
        """Allocate what is free between two addresses, in the name of what lies before it; later allocations lie behind all."""
        bases, objects = self._bases[space], self._objects[space]
        place = max(bisect_left(bases, first) - 1, 0)
        while place < len(objects):
            found = objects[place]
            start = max(aligned(found.end + 1), first)
            stop = bases[place + 1] if place + 1 < len(bases) else end
            if start < min(stop, end):
                self._next[space] = start
                size = min(min(stop, end) - start - 1, LARGEST_ALLOCATION_BYTES)
                gap = self.allocate(size, space, found.buffer.name, skipped=True)
                gap.contents.initial = found.contents.initial
            place += 1
        last = aligned(objects[-1].end + 1) if objects else first
        self._next[space] = max(end, last)

    def note_rows(self, first: int, end: int) -> None:
        """A loop has allocated device memory between two addresses; those of loops inside are parts of it."""
        while self.rows and self.rows[-1][0] >= first:
            self.rows.pop()
        self.rows.append((first, end))

    def fork(self) -> AddressSpace:
        """A space of its own with the same allocations and contents: what happens in either is not seen in the other."""
        other = AddressSpace()
        other._next = dict(self._next)
        other.rows = list(self.rows)
        other._bases = {space: list(bases) for space, bases in self._bases.items()}
        other.objects = {number: found.copy() for number, found in self.objects.items()}
        other.written = set(self.written)
        other._objects = {
            space: [other.objects[found.buffer.number] for found in objects]
            for space, objects in self._objects.items()
        }
        return other

    def find(self, address: int) -> MemoryObject | None:
        """The allocation that holds an address (or ends just before it, for one-past-the-end pointers)."""
        last = self._last_found
        if last is not None and last[0] <= address < last[1]:
            found = last[2]
        else:
            if address < self._lowest:
                return None
            space, behind = self._order[0][0], sys.maxsize
            for candidate, first in self._order:
                if address < first:
                    behind = first
                    break
                space = candidate
            bases = self._bases[space]
            position = bisect_right(bases, address)
            if not position:
                return None
            found = self._objects[space][position - 1]
            end = bases[position] if position < len(bases) else behind
            self._last_found = bases[position - 1], end, found
        return found if address <= found.base + found.extent_bytes else None

    def function(self, key: str) -> MemoryObject:
        """The object that stands for a function's address."""
        found = self._functions.get(key)
        if found is None:
            found = self.allocate(8, Space.HOST, key)
            found.function_key = key
            self._functions[key] = found
        return found

    def string(self, text: str) -> MemoryObject:
        """The object of a string literal."""
        found = self._strings.get(text)
        if found is None:
            found = self.allocate(len(text) + 1, Space.HOST, "string")
            found.text = text
            self._strings[text] = found
        return found
