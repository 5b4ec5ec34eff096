"""What memory holds that kernels decide by: launches are apart where host code has filled it anew."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from roofstat.execution.host.deciding_parameters import argument_value, deciding_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clang_queries.ir.types import Scalar
    from roofstat.execution.host.deciding_parameters import Piece
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace, MemoryObject
    from roofstat.execution.stored.contents import Contents
    from roofstat.execution.stored.fill import Fill
    from roofstat.program.code import Code

Mark = tuple[object, ...] | None
"""What tells contents from others; None where nobody knows them, or a kernel has written them."""

_CELLS = 32
"""Single elements that are compared; arrays of more differ in the first ones, or in how many are known."""
_FILLS = 4
"""The latest fills are compared."""


class DecidingContents:
    """Marks of what launches decide by.

    A loop over kernels that rewrite their arrays makes no launches of its own: what a kernel has written is like what
    the launch before has found.
    """

    def __init__(self, memory: AddressSpace) -> None:
        self._memory = memory
        self._places: dict[str, tuple[dict[Piece, Scalar], list[str]]] = {}
        self._left: dict[int, Mark] = {}
        """Marks of what kernels have left, by number of the allocation."""
        self._latest: dict[tuple[object, ...], tuple[Mark, ...]] = {}

    def marks(
        self,
        code: Code,
        arguments: list[Value],
        variables: Mapping[str, MemoryObject],
        configuration: tuple[object, ...],
    ) -> tuple[Mark, ...]:
        """Of all that a launch decides by; those of the latest launch alike in all else where they are not known."""
        found = tuple(self._mark(one) for one in self._objects(code, arguments, variables))
        latest = self._latest.get(configuration, ())
        if None in found and len(latest) == len(found):
            found = tuple(
                before if now is None else now for now, before in zip(found, latest, strict=True)
            )
        self._latest[configuration] = found
        return found

    def note_written(self, numbers: Iterable[int]) -> None:
        """A launch has changed allocations."""
        for number in numbers:
            self._left[number] = _mark_of(self._memory.objects[number].contents)

    def _mark(self, found: MemoryObject | None) -> Mark:
        if found is None:
            return None
        mark = _mark_of(found.contents)
        number = found.buffer.number
        return None if number in self._left and self._left[number] == mark else mark

    def _objects(
        self, code: Code, arguments: list[Value], variables: Mapping[str, MemoryObject]
    ) -> Iterator[MemoryObject | None]:
        known = self._places.get(code.key)
        if known is None:
            pieces, names = deciding_memory(code)
            known = self._places[code.key] = (pieces, sorted(names))
        for piece, scalar in known[0].items():
            value = argument_value(code, arguments, piece, scalar, self._memory)
            yield self._memory.find(value) if isinstance(value, int) else None
        for name in known[1]:
            yield variables.get(name)


def _mark_of(contents: Contents) -> Mark:
    """A few numbers that differ where contents do; None of those that nobody knows."""
    if contents.is_blank:
        return None
    cells = [_number(value) for _, value in islice(contents.cells.values(), _CELLS)]
    fills = [_fill_mark(fill) for fill in contents.fills[-_FILLS:]]
    return _number(contents.initial), len(contents.cells), *cells, *fills


def _number(value: Value | None) -> int | float | None:
    return value if isinstance(value, int | float) else None


def _fill_mark(fill: Fill) -> Mark:
    """What tells a fill from others; what is only likely does not."""
    if fill.sample is not None or fill.is_expected:
        return None
    table = () if fill.table is None else tuple(fill.table[:_CELLS].tolist())
    rule = fill.pattern, fill.first, fill.steps, fill.low, fill.high
    return fill.start, fill.dims, *rule, *table
