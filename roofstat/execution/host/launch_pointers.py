"""How the pointers among a launch's arguments lie to one another: what they share is moved once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.host.launch_changes import argument_parts
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace
    from roofstat.program.code import Code

_SPACES = frozenset({Space.GLOBAL, Space.HOST})
"""Where arrays lie that kernels reach; what target regions map keeps its address on the host."""
_NULL = -1
_ELSEWHERE = -2
_DISTANCES = 64
"""Above the bits of any distance in bytes."""


def pointer_relations(code: Code, arguments: list[Value], memory: AddressSpace) -> tuple[int, ...]:
    """For each pointer that is known: the first that leads to the same allocation, and how far from there it leads.

    Distances are told apart by their number of bits, so that arrays in turn, or a row after the other of one, are few
    cases. Pointers that are null, or lead to what is not known, are told from others.
    """
    first: dict[int, tuple[int, int]] = {}
    found: list[int] = []
    for (index, _), value in argument_parts(code, arguments, memory):
        target = memory.find(value) if isinstance(value, int) else None
        if target is not None and target.buffer.space in _SPACES:
            assert isinstance(value, int)
            place, start = first.setdefault(target.buffer.number, (len(found), value))
            found.append(place * _DISTANCES + abs(value - start).bit_length())
        elif code.parameters[index].is_pointer:
            found.append(_NULL if isinstance(value, int) and value == 0 else _ELSEWHERE)
    return tuple(found)
