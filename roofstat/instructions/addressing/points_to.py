"""Which objects the addresses in registers may point into, whatever path is taken (flow-insensitive)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.memory_state import Root, RootKind, parameter_root
from roofstat.program.code import Op, ParameterPiece

if TYPE_CHECKING:
    from roofstat.program.code import Code, Instruction

ANYTHING = Root(RootKind.UNKNOWN, -1)

_MOVES = {
    Op.MOV: slice(0, 1),
    Op.PTR_ADD: slice(0, 1),
    Op.CAST: slice(0, 1),
    Op.BITCAST: slice(0, 1),
    Op.SELECT: slice(1, 3),
    Op.ADD: slice(0, 2),
    Op.SUB: slice(0, 2),
    Op.AND: slice(0, 2),
    Op.OR: slice(0, 2),
}
"""Operands that the result of an operation may be an address from."""

_ONLY_ACCESSED = {
    Op.LOAD: slice(0, 1),
    Op.STORE: slice(0, 1),
    Op.ATOMIC: slice(0, 1),
    Op.COPY: slice(0, 2),
    Op.ZERO: slice(0, 1),
    Op.TEXTURE: slice(0, 1),
    Op.TENSOR: slice(None),
    Op.PTR_DIFF: slice(None),
    Op.LT: slice(None),
    Op.LE: slice(None),
    Op.GT: slice(None),
    Op.GE: slice(None),
    Op.EQ: slice(None),
    Op.NE: slice(None),
    Op.NOT: slice(None),
}
"""Operands through which an operation reads or writes, or that it only compares."""


class PointsTo:
    """What registers may point into, and which slots pointers of unknown origin may reach."""

    def __init__(self, code: Code) -> None:
        self._writers: dict[int, list[Instruction]] = {}
        self._known: dict[int, frozenset[Root]] = {}
        instructions = [item for _, item in code.instructions()]
        for item in instructions:
            if item.dest >= 0:
                self._writers.setdefault(item.dest, []).append(item)
        self.exposed = self._exposed(instructions)
        """Slots whose address is stored, handed to others, or is one of several in a register."""

    def roots(self, register: int) -> frozenset[Root]:
        """The objects behind an address; `ANYTHING` among them where one is not known."""
        known = self._known.get(register)
        if known is None:
            known = self._known[register] = self._follow(register)
        return known

    def _follow(self, register: int) -> frozenset[Root]:
        found: set[Root] = set()
        seen = {register}
        pending = [register]
        while pending:
            for writer in self._writers.get(pending.pop(), ()):
                moved = _MOVES.get(writer.op)
                if moved is None:
                    found.add(_object(writer))
                    continue
                more = [arg for arg in writer.args[moved] if arg not in seen]
                seen.update(more)
                pending.extend(more)
        return frozenset(found) or frozenset({ANYTHING})

    def _exposed(self, instructions: list[Instruction]) -> frozenset[int]:
        slots: set[int] = set()
        pointers = _slot_pointers(instructions)
        for item in instructions:
            harmless = _MOVES.get(item.op) or _ONLY_ACCESSED.get(item.op) or slice(0, 0)
            accessed = item.args[harmless]
            for register in item.args:
                if register in pointers:
                    roots = self.roots(register)
                    if register not in accessed or len(roots) > 1:
                        slots.update(slot for root in roots for slot in _slot(root))
        return frozenset(slots)


def _slot_pointers(instructions: list[Instruction]) -> set[int]:
    """Registers that may hold an address within a slot."""
    users: dict[int, list[int]] = {}
    for item in instructions:
        for register in item.args[_MOVES.get(item.op, slice(0, 0))]:
            users.setdefault(register, []).append(item.dest)
    found = {item.dest for item in instructions if item.op is Op.SLOT}
    pending = list(found)
    while pending:
        more = [register for register in users.get(pending.pop(), ()) if register not in found]
        found.update(more)
        pending.extend(more)
    return found


def _slot(root: Root) -> tuple[int, ...]:
    return (root.identity,) if root.kind is RootKind.SLOT and isinstance(root.identity, int) else ()


def _object(definition: Instruction) -> Root:
    if definition.op is Op.SLOT:
        return Root(RootKind.SLOT, definition.detail)
    if definition.op is Op.GLOBAL:
        return Root(RootKind.GLOBAL, definition.detail)
    if definition.op is Op.PARAM and isinstance(definition.detail, ParameterPiece):
        return parameter_root(definition.detail)
    return ANYTHING
