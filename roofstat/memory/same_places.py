"""Which accesses go to one place as the code has it: their addresses are the same function of the same variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import BINARY_ARITHMETIC, MemoryAccess, Op, writers_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.program.code import Code, Instruction

_FOLLOWED = BINARY_ARITHMETIC | {Op.PTR_ADD, Op.PARAM, Op.SPECIAL, Op.SLOT, Op.LOAD, Op.CAST}
"""What makes one number of the same operands each time, loads as far as nothing was stored there."""
_DEEPEST = 64


class SamePlaces:
    """Gives each address expression of a code a number of its own."""

    def __init__(self, code: Code) -> None:
        self._constants = code.constants
        self._writers = writers_of(code)
        self._numbers: dict[tuple[object, ...], int] = {}
        self._of_registers: dict[int, int] = {}

    def place(self, access: Instruction) -> tuple[int, int]:
        """The same for all accesses that read or write there: the number of the address, and the offset to it."""
        assert isinstance(access.detail, MemoryAccess)
        return self._number(access.args[0], 0), access.detail.offset_bytes

    def _number(self, register: int, depth: int) -> int:
        register = copied_once(self._writers, register, (Op.MOV,))
        known = self._of_registers.get(register)
        if known is None:
            form = self._form(register, depth)
            known = self._of_registers[register] = self._numbers.setdefault(
                form, len(self._numbers)
            )
        return known

    def _form(self, register: int, depth: int) -> tuple[object, ...]:
        if register in self._constants:
            return "constant", self._constants[register]
        written = self._writers.get(register, ())
        if len(written) != 1 or depth > _DEEPEST or written[0].op not in _FOLLOWED:
            return "register", register
        (item,) = written
        detail = item.detail
        if isinstance(detail, MemoryAccess):
            detail = detail.offset_bytes
        operands = (self._number(operand, depth + 1) for operand in item.args)
        return item.op, item.scalar, detail, *operands
