"""Which object the address of a memory instruction comes from, as the code says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op, ParameterPiece, SpecialRegister

if TYPE_CHECKING:
    from roofstat.program.code import Code, Instruction

_TRANSPARENT = frozenset({Op.PTR_ADD, Op.MOV, Op.BITCAST, Op.CAST})
_MAX_STEPS = 64


class PointerRoots:
    """Follows addresses back to a parameter, a slot or a global variable."""

    def __init__(self, code: Code) -> None:
        self._writers: dict[int, Instruction] = {}
        for _, instruction in code.instructions():
            if instruction.dest >= 0:
                # The first writer of a pointer variable sets where it points; later ones move it along.
                self._writers.setdefault(instruction.dest, instruction)
        self._known: dict[int, Instruction | None] = {}

    def root(self, instruction: Instruction) -> Instruction | None:
        """The PARAM, SLOT or GLOBAL instruction behind the address; None where it comes from elsewhere."""
        if instruction.site in self._known:
            return self._known[instruction.site]
        found = self._follow(instruction)
        self._known[instruction.site] = found
        return found

    def _follow(self, instruction: Instruction) -> Instruction | None:
        register = instruction.args[0] if instruction.args else -1
        for _ in range(_MAX_STEPS):
            writer = self._writers.get(register)
            if writer is None:
                return None
            if writer.op in {Op.PARAM, Op.SLOT, Op.GLOBAL}:
                return writer
            if writer.op not in _TRANSPARENT or not writer.args:
                return None
            register = writer.args[0]
        return None

    def slot(self, instruction: Instruction) -> int | None:
        """Index of the slot behind the address, if it is one."""
        root = self.root(instruction)
        if root is not None and root.op is Op.SLOT and isinstance(root.detail, int):
            return root.detail
        return None

    def is_read_only(self, instruction: Instruction) -> bool:
        """Whether nobody writes there during the kernel: a pointer to const that is restrict."""
        piece = self._piece(instruction)
        return piece is not None and piece.is_restrict and piece.points_to_const

    def are_distinct(self, one: Instruction, two: Instruction) -> bool:
        """Whether the language promises that the two never touch the same object."""
        first, second = self.root(one), self.root(two)
        if first is None or second is None:
            return False
        pieces = self._piece(one), self._piece(two)
        if pieces[0] is not None and pieces[1] is not None:
            same = pieces[0] == pieces[1]
            return not same and pieces[0].is_restrict and pieces[1].is_restrict
        if first.op is second.op:
            return first.detail != second.detail
        return Op.SLOT in {first.op, second.op}

    def _piece(self, instruction: Instruction) -> ParameterPiece | None:
        root = self.root(instruction)
        if root is not None and isinstance(root.detail, ParameterPiece):
            return root.detail
        return None


class AddressSources:
    """Which hardware coordinates an address is computed from."""

    def __init__(self, code: Code) -> None:
        self._writers: dict[int, list[Instruction]] = {}
        for _, instruction in code.instructions():
            if instruction.dest >= 0:
                self._writers.setdefault(instruction.dest, []).append(instruction)

    def coordinates(self, instruction: Instruction) -> frozenset[SpecialRegister]:
        """Thread and block coordinates that reach the address through arithmetic (not through memory)."""
        found: set[SpecialRegister] = set()
        seen: set[int] = set()
        waiting = list(instruction.args[:1])
        while waiting:
            register = waiting.pop()
            if register in seen:
                continue
            seen.add(register)
            for writer in self._writers.get(register, ()):
                if writer.op is Op.SPECIAL and isinstance(writer.detail, SpecialRegister):
                    found.add(writer.detail)
                elif writer.op not in {Op.LOAD, Op.ATOMIC}:
                    waiting.extend(writer.args)
        return frozenset(found)
