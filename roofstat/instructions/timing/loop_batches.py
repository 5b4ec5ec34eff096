"""Which iterations of a loop a compiler issues together, so that their loads are on their way at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.timing.issue_order import accessed_space
from roofstat.instructions.timing.step_costs import FREE, MEMORY, StepCosts
from roofstat.program.code import Block, If, Loop, Op, Scope, blocks, instructions_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import InstructionCounts
    from roofstat.program.code import Region, Space

__all__ = ["LoopBatches", "has_barrier"]

_WHOLE = 1 << 30
_UNROLL = 2
"""Iterations of a short loop whose loads a compiler issues together; between one and four in measured launches."""
_SHORT_LOOP = 64
"""Instructions."""


class LoopBatches:
    """How many iterations of each loop of a launch are issued together."""

    def __init__(
        self, trace: LaunchTrace, costs: StepCosts, counts: InstructionCounts | None
    ) -> None:
        self._trace = trace
        self._costs = costs
        self._is_costed = counts is not None
        self._batches: Mapping[int, int] = counts.load_batches if counts is not None else {}

    def together(self, loop: Loop) -> int:
        """Iterations that a compiler issues together: of straight loops that no access keeps in order."""
        count = 0
        for part in (loop.condition, loop.body, loop.step):
            if not self._is_straight(part):
                return 1
            for block in blocks(part):
                count += sum(item.op not in FREE for item in block.instructions)
                if any(item.op in (Op.BARRIER, Op.ATOMIC) for item in block.instructions):
                    return 1
        if self._stores_where_it_loads(loop):
            return 1
        if self._is_costed:
            return self._batches.get(loop.number, 1)
        if loop.unroll is not None:
            return loop.unroll or _WHOLE
        return _UNROLL if count <= _SHORT_LOOP else 1

    def _is_straight(self, regions: list[Region]) -> bool:
        """Whether nothing is left of the loops among regions but copies of their bodies, and nothing is jumped over."""
        for region in regions:
            match region:
                case Block() | If() | Scope():
                    continue
                case Loop():
                    totals = self._trace.loops.get(region.number)
                    copies = self._batches.get(region.number, 1)
                    if totals is None or copies < totals.mean_trips:
                        return False
                    parts = (region.condition, region.body, region.step)
                    if not all(self._is_straight(part) for part in parts):
                        return False
                case _:
                    return False
        return True

    def _stores_where_it_loads(self, loop: Loop) -> bool:
        """Whether the loads of an iteration cannot be issued before the stores of the one before."""
        loaded: set[Space] = set()
        stored: set[Space] = set()
        for block in blocks([loop]):
            for item in block.instructions:
                if item.op in MEMORY and not self._costs.is_in_registers(item):
                    space = accessed_space(item, self._costs.spaces)
                    (stored if item.op is Op.STORE else loaded).add(space)
        return not loaded.isdisjoint(stored)


def has_barrier(loop: Loop) -> bool:
    """Whether threads of a block wait for one another in a loop."""
    return any(item.op is Op.BARRIER and item.detail == "block" for item in instructions_of([loop]))
