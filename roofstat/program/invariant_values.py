"""Numbers for what a loop does not change: equal ones for what is made of the same in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import BINARY_ARITHMETIC, Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction

_PLAIN = frozenset(
    {
        *BINARY_ARITHMETIC,
        *COMPARISONS,
        Op.NEG,
        Op.BIT_NOT,
        Op.NOT,
        Op.CAST,
        Op.BITCAST,
        Op.PARAM,
        Op.SPECIAL,
    }
)
"""What may be computed before the loop, whether or not it runs."""
_MADE_OF_OTHERS = frozenset({*_PLAIN, Op.MOV})


class InvariantValues:
    """Numbers of registers that hold the same in all iterations of one loop."""

    def __init__(
        self,
        builder: Builder,
        made: Mapping[int, Instruction],
        written: Mapping[int, Sequence[Instruction]],
    ) -> None:
        """Take a loop.

        Args:
            builder: The code.
            made: What the loop computes, by register.
            written: The instructions that write each register, of the whole code.
        """
        self._builder = builder
        self._made = made
        self._written = written
        self._numbers: dict[object, int] = {}
        self._of_register: dict[int, int | None] = {}

    def number(self, register: int) -> int | None:
        """The number of what a register holds; None where an iteration may change it."""
        if register not in self._of_register:
            item = self._operation(register)
            if item is not None and item.op is Op.MOV:
                found = self.number(item.args[0])
            else:
                key = self._key(register, item)
                found = None if key is None else self._numbers.setdefault(key, len(self._numbers))
            self._of_register[register] = found
        return self._of_register[register]

    def behind(self, register: int) -> Instruction | None:
        """The operation that a register holds the result of, copies left out."""
        while True:
            item = self._operation(register)
            if item is None or item.op is not Op.MOV:
                return item
            register = item.args[0]

    def sources(self, register: int) -> set[int]:
        """The registers that one is made of, constants left out: variables, parameters, what is loaded."""
        found: set[int] = set()
        pending = [register]
        while pending:
            current = pending.pop()
            item = self._operation(current)
            if item is not None and item.args and item.op in _MADE_OF_OTHERS:
                pending.extend(item.args)
            elif current not in self._builder.constants:
                found.add(current)
        return found

    def slice_of(self, register: int) -> list[Instruction]:
        """What the loop computes for a register that it does not change, in program order."""
        needed = {register}
        items = list(self._made.values())
        for item in reversed(items):
            if item.dest in needed:
                needed.update(item.args)
        return [item for item in items if item.dest in needed]

    def _operation(self, register: int) -> Instruction | None:
        if register in self._builder.variables:
            return None
        item = self._made.get(register)
        if item is None:
            writers = self._written.get(register, ())
            item = writers[0] if len(writers) == 1 else None
        return item

    def _key(self, register: int, item: Instruction | None) -> object | None:
        constants = self._builder.constants
        if register in constants:
            return "constant", constants[register]
        is_inside = register in self._made
        if item is not None and item.op in _PLAIN:
            parts = tuple(map(self.number, item.args))
            if None not in parts:
                return item.op, item.scalar, item.detail, parts
        return None if is_inside else ("register", register)
