"""Kernel parameters that are only read stay in the constant bank, however they are indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op, Space, instructions_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction

_DERIVING = frozenset({Op.PTR_ADD, Op.MOV, Op.BITCAST, Op.CAST, Op.SELECT})
"""Operations whose result is still an address of the object."""
_COMPARING = frozenset({Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.PTR_DIFF})


def keep_in_constant_bank(builder: Builder, parameter_slots: Iterable[int]) -> None:
    """Give the slots of parameters that nothing writes the constant space.

    Args:
        builder: The code, after promotion.
        parameter_slots: Slots that hold parameters of the kernel.
    """
    waiting = set(parameter_slots)
    if not waiting:
        return
    instructions = list(instructions_of(builder.body))
    holders = _addresses(instructions, waiting)
    for item in instructions:
        for number, register in enumerate(item.args):
            if register in holders and not _only_reads(item, number):
                waiting -= holders[register]
    for slot in waiting:
        builder.slots[slot].space = Space.CONSTANT


def _addresses(instructions: list[Instruction], slots: set[int]) -> dict[int, set[int]]:
    """Register -> the slots that it may point into."""
    holders: dict[int, set[int]] = {}
    changed = True
    while changed:
        changed = False
        for item in instructions:
            found: set[int] = set()
            if item.op is Op.SLOT and item.detail in slots and isinstance(item.detail, int):
                found = {item.detail}
            elif item.op in _DERIVING:
                found = set().union(*(holders.get(register, set()) for register in item.args))
            known = holders.get(item.dest, set())
            if found - known:
                holders[item.dest] = known | found
                changed = True
    return holders


def _only_reads(item: Instruction, operand: int) -> bool:
    """Whether an instruction does no more with an address than to read there or to pass it on."""
    if item.op is Op.LOAD or item.op in _DERIVING or item.op in _COMPARING:
        return True
    return item.op is Op.COPY and operand == 1
