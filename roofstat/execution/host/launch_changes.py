"""What launches change that are counted with a traced one: other arrays may be their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.stored.fill import Pattern
from roofstat.program.code import Space

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace, MemoryObject
    from roofstat.execution.stored.contents import Contents
    from roofstat.program.code import Code

_Place = tuple[int, int]
"""Number of an argument, and the offset in a record; 0 for others."""
_MOST_CELLS = 4096
"""Records with more known parts are no arguments."""


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """What a launch has left behind one of its pointers."""

    offset: int
    """Where the pointer leads, from the start of the allocation."""
    size_bytes: int | None
    contents: Contents


@dataclass(frozen=True, slots=True, eq=False)
class LaunchChanges:
    """What a launch has left, by the arguments that lead there."""

    numbers: Mapping[_Place, Value]
    """Arguments that are no pointers to device memory."""
    left: Mapping[_Place, _Left]
    pointers: Mapping[_Place, int]
    """Numbers of the allocations that its arguments lead to."""
    written: frozenset[int]
    """Numbers of all allocations that it has changed."""

    @classmethod
    def of(
        cls,
        code: Code,
        arguments: list[Value],
        memory: AddressSpace,
        written: Mapping[int, Contents],
    ) -> LaunchChanges:
        """Note what a launch with these arguments has left in the allocations that it has written."""
        numbers: dict[_Place, Value] = {}
        pointers: dict[_Place, int] = {}
        left: dict[_Place, _Left] = {}
        for place, value in argument_parts(code, arguments, memory):
            found = _device_memory(memory, value)
            if found is None:
                numbers[place] = value
                continue
            pointers[place] = found.buffer.number
            if found.buffer.number in written:
                assert isinstance(value, int)
                contents = written[found.buffer.number]
                left[place] = _Left(value - found.base, found.buffer.size_bytes, contents)
        return cls(numbers, left, pointers, frozenset(written))

    def left_alone(
        self, code: Code, arguments: list[Value], memory: AddressSpace
    ) -> frozenset[int]:
        """Allocations that the arguments of the traced launch led to, and to which none of these leads."""
        parts = dict(argument_parts(code, arguments, memory))
        if not all(isinstance(parts.get(place), int) for place in self.pointers):
            return frozenset()
        found = [_device_memory(memory, value) for value in parts.values()]
        reached = {one.buffer.number for one in found if one is not None}
        return frozenset(self.pointers.values()) - reached

    def repeat(self, code: Code, arguments: list[Value], memory: AddressSpace) -> set[int]:
        """Another launch of the same kernel does alike with other arrays.

        They hold what the traced one has left where all numbers are the same, values of its distribution where they
        are not, and else what nobody knows.

        Returns:
            Numbers of the allocations that it has written.
        """
        reached: set[int] = set()
        parts = dict(argument_parts(code, arguments, memory))
        is_same = all(
            isinstance(value, int | float) and parts.get(place) == value
            for place, value in self.numbers.items()
        )
        for place, left in self.left.items():
            value = parts.get(place)
            found = _device_memory(memory, value)
            if found is not None:
                reached.add(found.buffer.number)
            if found is None or found.buffer.number in self.written:
                continue
            assert isinstance(value, int)
            is_alike = (value - found.base, found.buffer.size_bytes) == (
                left.offset,
                left.size_bytes,
            )
            if is_alike and (is_same or _is_random(left.contents)):
                found.contents = left.contents.alike()
            else:
                found.contents.forget()
        return reached


def argument_parts(
    code: Code, arguments: list[Value], memory: AddressSpace
) -> Iterator[tuple[_Place, Value]]:
    """Numbers and addresses among the arguments, those in records too."""
    for index, (parameter, value) in enumerate(zip(code.parameters, arguments, strict=False)):
        if parameter.scalar is not None:
            yield (index, 0), value
            continue
        record = memory.find(value) if isinstance(value, int) else None
        if record is None or len(record.contents.cells) > _MOST_CELLS:
            continue
        assert isinstance(value, int)
        start = value - record.base
        for at, (_, part) in record.contents.cells.items():
            if start <= at < start + parameter.size_bytes:
                yield (index, at - start), part


def _device_memory(memory: AddressSpace, value: Value | None) -> MemoryObject | None:
    found = memory.find(value) if isinstance(value, int) else None
    return found if found is not None and found.buffer.space is Space.GLOBAL else None


def _is_random(contents: Contents) -> bool:
    """Whether only a distribution is known of what an allocation holds."""
    return (
        not contents.cells
        and bool(contents.fills)
        and all(fill.pattern is Pattern.RANDOM for fill in contents.fills)
    )
