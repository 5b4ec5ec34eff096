"""Which registers hold the same number in all threads of a block, as nvcc's divergence analysis sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import (
    Block,
    If,
    Loop,
    Op,
    Space,
    SpecialRegister,
    Switch,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction, Region

_OF_THREADS = frozenset(
    {
        SpecialRegister.TID_X,
        SpecialRegister.TID_Y,
        SpecialRegister.TID_Z,
        SpecialRegister.LANE_ID,
        SpecialRegister.CLOCK,
    }
)
_NEVER_UNIFORM = frozenset(
    {
        Op.ATOMIC,
        Op.TEXTURE,
        Op.SHUFFLE,
        Op.VOTE,
        Op.TENSOR,
        Op.ASM,
        Op.CALL,
        Op.CALL_POINTER,
        Op.ARGUMENT,
        Op.LIBRARY,
        Op.UNKNOWN,
    }
)


@dataclass(frozen=True, slots=True)
class _Write:
    item: Instruction
    controls: tuple[int, ...]
    """Condition registers of the branches and loops around it."""


def varying_registers(builder: Builder) -> set[int]:
    """Registers that may differ between threads: those made of thread numbers and of what is loaded by them, or behind their tests."""
    private = {n for n, slot in enumerate(builder.slots) if slot.space is Space.LOCAL}
    writes = list(_writes(builder.body, ()))
    shared: dict[int, frozenset[int]] = {}
    for write in writes:
        around = frozenset(write.controls)
        shared[write.item.dest] = shared.get(write.item.dest, around) & around
    varying: set[int] = set()
    while True:
        before = len(varying)
        for write in writes:
            register = write.item.dest
            if register in varying:
                continue
            # What is around all writes is around all reads.
            deciding = set(write.controls) - shared[register]
            is_variable = register in builder.variables
            if (is_variable and not varying.isdisjoint(deciding)) or _varies(
                write.item, varying, private
            ):
                varying.add(register)
        if len(varying) == before:
            return varying


def _writes(regions: list[Region], controls: tuple[int, ...]) -> Iterator[_Write]:
    for region in regions:
        inner = controls
        match region:
            case Block():
                for item in region.instructions:
                    if item.dest >= 0:
                        yield _Write(item, controls)
                continue
            case If():
                inner = (*controls, region.condition)
            case Switch():
                inner = (*controls, region.selector)
            case Loop() if region.condition_register is not None:
                inner = (*controls, region.condition_register)
            case _:
                pass
        for part in children(region):
            yield from _writes(part, inner)


def _varies(item: Instruction, varying: set[int], private: set[int]) -> bool:
    if item.op in _NEVER_UNIFORM or item.detail in _OF_THREADS:
        return True
    # The address of a private array says that what is loaded from it is a thread's own.
    if item.op is Op.SLOT and item.detail in private:
        return True
    return not varying.isdisjoint(item.args)
