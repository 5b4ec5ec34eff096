"""Removes what no compiler would emit: values that nothing needs, and branches that only lead to such values.

Records are copied in full when code is lowered; what is left here are the loads of the members that are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Block, If, Leave, Loop, MemoryAccess, Op, Switch, children

if TYPE_CHECKING:
    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction, Region

EFFECTS = frozenset(
    {
        Op.STORE,
        Op.COPY,
        Op.ZERO,
        Op.ATOMIC,
        Op.SHUFFLE,
        Op.VOTE,
        Op.BARRIER,
        Op.TENSOR,
        Op.TEXTURE,
        Op.ASM,
        Op.CALL,
        Op.RETURN,
        Op.CALL_POINTER,
        Op.LIBRARY,
        Op.LAUNCH,
    }
)
"""Operations that are kept whether or not their result is used."""

Controls = tuple[int, ...]
"""Condition registers of the branches around a place."""


def remove_dead(builder: Builder, result: int | None) -> None:
    """Rewrite the code of `builder` in place.

    Args:
        builder: The code.
        result: Register that the caller reads, if any.
    """
    live = _Liveness()
    live.collect(builder.body, ())
    for slot in builder.slots:
        if slot.length_register is not None:
            live.need(slot.length_register)
    if result is not None:
        live.need(result)
    live.spread()
    _sweep(builder.body, live.registers)


class _Liveness:
    """Which registers something visible depends on."""

    def __init__(self) -> None:
        self.registers: set[int] = set()
        self._writers: dict[int, list[tuple[Instruction, Controls]]] = {}
        self._waiting: list[int] = []

    def need(self, *registers: int) -> None:
        """Mark registers as used."""
        self._waiting.extend(registers)

    def collect(self, regions: list[Region], controls: Controls) -> None:
        """Find the writers of all registers and everything that has an effect."""
        for region in regions:
            inner = controls
            match region:
                case Block():
                    for item in region.instructions:
                        self._instruction(item, controls)
                    continue
                case If():
                    inner = (*controls, region.condition)
                    if region.nest is not None:
                        self.need(*region.nest.registers)
                case Switch():
                    inner = (*controls, region.selector)
                case Loop():
                    self.need(*controls)
                    if region.condition_register is not None:
                        self.need(region.condition_register)
                case Leave():
                    self.need(*controls)
                    continue
                case _:
                    pass
            for part in children(region):
                self.collect(part, inner)

    def _instruction(self, item: Instruction, controls: Controls) -> None:
        if has_effect(item):
            self.need(*item.args, *controls)
        if item.dest >= 0:
            self._writers.setdefault(item.dest, []).append((item, controls))

    def spread(self) -> None:
        """Mark what the marked registers depend on."""
        while self._waiting:
            register = self._waiting.pop()
            if register in self.registers:
                continue
            self.registers.add(register)
            for item, controls in self._writers.get(register, ()):
                self._waiting.extend(item.args)
                self._waiting.extend(controls)


def has_effect(item: Instruction) -> bool:
    """Whether the instruction does more than compute its result."""
    if item.op is Op.LOAD:
        return isinstance(item.detail, MemoryAccess) and item.detail.is_volatile
    return item.op in EFFECTS


def _decides_nothing(region: Region, live: set[int]) -> bool:
    match region:
        case If():
            return region.condition not in live
        case Switch():
            return region.selector not in live
        case _:
            return False


def _sweep(regions: list[Region], live: set[int]) -> None:
    kept: list[Region] = []
    for region in regions:
        if isinstance(region, Block):
            region.instructions = [
                item for item in region.instructions if item.dest in live or has_effect(item)
            ]
        elif _decides_nothing(region, live):
            continue
        for part in children(region):
            _sweep(part, live)
        kept.append(region)
    regions[:] = kept
