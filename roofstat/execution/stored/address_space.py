"""Allocations: concrete, disjoint address ranges with what is known of their contents."""

from __future__ import annotations

from bisect import bisect_right
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
    def extent_bytes(self) -> int:
        """Size, or the reserved range where the size is unknown."""
        return UNKNOWN_EXTENT_BYTES if self.buffer.size_bytes is None else self.buffer.size_bytes


class AddressSpace:
    """All allocations of a program run, host and device."""

    def __init__(self) -> None:
        self._next = dict(_FIRST_ADDRESS)
        self._bases: dict[Space, list[int]] = {space: [] for space in _FIRST_ADDRESS}
        self._objects: dict[Space, list[MemoryObject]] = {space: [] for space in _FIRST_ADDRESS}
        self._order = sorted(_FIRST_ADDRESS.items(), key=lambda item: item[1])
        self._lowest = self._order[0][1]
        self.objects: dict[int, MemoryObject] = {}
        self._functions: dict[str, MemoryObject] = {}
        self._strings: dict[str, MemoryObject] = {}

    def allocate(
        self,
        size_bytes: int | None,
        space: Space,
        name: str,
        *,
        initial: Value | None = None,
        assumed: bool = False,
    ) -> MemoryObject:
        """A new allocation; `initial` is the value of every byte-aligned element (0 for cleared memory)."""
        if size_bytes is not None and not 0 <= size_bytes <= LARGEST_ALLOCATION_BYTES:
            size_bytes = None
        base = self._next[space]
        reserved = UNKNOWN_EXTENT_BYTES if size_bytes is None else max(size_bytes, 1)
        self._next[space] = base + -(-(reserved + 1) // _ALIGNMENT) * _ALIGNMENT
        buffer = Buffer(
            number=len(self.objects),
            name=name,
            space=space,
            base=base,
            size_bytes=size_bytes,
            size_is_assumed=assumed,
        )
        found = MemoryObject(buffer, Contents(initial, name=named_key(name)))
        self.objects[buffer.number] = found
        self._bases[space].append(base)
        self._objects[space].append(found)
        return found

    def fork(self) -> AddressSpace:
        """A space of its own with the same allocations and contents: what happens in either is not seen in the other."""
        other = AddressSpace()
        other._next = dict(self._next)
        other._bases = {space: list(bases) for space, bases in self._bases.items()}
        other.objects = {number: found.copy() for number, found in self.objects.items()}
        other._objects = {
            space: [other.objects[found.buffer.number] for found in objects]
            for space, objects in self._objects.items()
        }
        return other

    def find(self, address: int) -> MemoryObject | None:
        """The allocation that holds an address (or ends just before it, for one-past-the-end pointers)."""
        space = None
        if address < self._lowest:
            return None
        for candidate, first in self._order:
            if address < first:
                break
            space = candidate
        if space is None:
            return None
        position = bisect_right(self._bases[space], address) - 1
        if position < 0:
            return None
        found = self._objects[space][position]
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
