"""What one instruction of a warp takes: how long it issues, and how long what needs its result waits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.timing.emitted import NOTHING
from roofstat.instructions.timing.warp_steps import WarpStep
from roofstat.program.code import MemoryAccess, Op, Space, TensorOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import InstructionCounts
    from roofstat.instructions.timing.warp_clocks import Step
    from roofstat.program.code import Block, Instruction

__all__ = ["FREE", "MEMORY", "Latencies", "StepCosts"]

FREE = frozenset({Op.MOV, Op.SLOT, Op.GLOBAL, Op.PARAM, Op.BITCAST, Op.UNKNOWN})
"""Nothing is issued for these, as a rule."""
MEMORY = frozenset({Op.LOAD, Op.STORE})
_FUNCTIONS = frozenset({Op.DIV, Op.REM, Op.MATH, Op.CAST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """Clocks from issue to result.

    Attributes:
        load: Of a load from global memory, in the mean over where it hits.
        shared: Of a load from shared memory, a shuffle or a vote.
        arithmetic: Of an addition, multiplication or logical operation (4 on Volta and later, a predicate takes longer).
        function: Of a special function or a conversion.
        double_issue: Clocks that one FP64 instruction of a warp takes to issue.
        barrier: Of a barrier, once all warps have come.
    """

    load: float
    shared: float = 25.0
    arithmetic: float = 4.5
    function: float = 20.0
    double_issue: float = 2.0
    barrier: float = 20.0

    def of(self, step: WarpStep) -> float:
        """Clocks until a result is there, by what it is waited for as."""
        match step:
            case WarpStep.LOAD:
                return self.load
            case WarpStep.SHARED:
                return self.shared
            case WarpStep.FUNCTION:
                return self.function
            case _:
                return self.arithmetic


class StepCosts:
    """The instructions of one launch, as the compiler leaves them."""

    def __init__(
        self,
        trace: LaunchTrace,
        latencies: Latencies,
        *,
        has_local_memory: bool,
        counts: InstructionCounts | None,
        requests: Mapping[int, float],
    ) -> None:
        self.spaces: Mapping[int, Space] = {
            site: totals.space for site, totals in trace.sites.items() if totals.space is not None
        }
        self._trace = trace
        self._latencies = latencies
        self._has_local_memory = has_local_memory
        self._counts = counts
        self._requests = requests
        self._met: set[int] = set()
        """Sites of the loads that were waited for."""
        self._threads = float(math.prod((*trace.grid, *trace.block)))

    def issue_slots(self, block: Block, position: int) -> float:
        """Machine instructions for one execution of an instruction, in the mean."""
        item = block.instructions[position]
        if self._counts is None:
            return float(item.op not in FREE and not self.is_in_registers(item))
        slots = self._counts.emitted.get((block.number, position), NOTHING).issued
        if item.op in MEMORY and not self.is_in_registers(item):
            slots += self._left(item, block)
        return slots

    def doubles(self, block: Block, position: int) -> float:
        """Double-precision instructions among them."""
        if self._counts is not None:
            return self._counts.emitted.get((block.number, position), NOTHING).doubles
        item = block.instructions[position]
        return float(item.scalar is Scalar.F64 and item.op not in MEMORY)

    def latency(self, block: Block, position: int) -> tuple[Step, float]:
        """What waits for an instruction wait for, and how long it takes."""
        item = block.instructions[position]
        step = _awaited_elsewhere(item, self.spaces)
        if step is not None:
            latency = self._latencies.of(step) * self._kept(item, block)
            if step is WarpStep.LOAD:
                return (item.position.file, item.position.line), latency
            return step, latency
        if self._counts is None:
            step = WarpStep.FUNCTION if item.op in _FUNCTIONS else WarpStep.ARITHMETIC
            return step, self._latencies.of(step)
        emitted = self._counts.emitted.get((block.number, position), NOTHING)
        step = WarpStep.FUNCTION if emitted.functions > 0.0 else WarpStep.ARITHMETIC
        return step, (
            emitted.functions * self._latencies.function
            + emitted.steps * self._latencies.arithmetic
        )

    def is_in_registers(self, item: Instruction) -> bool:
        """Whether an access is to a private array that a compiler keeps in registers."""
        return (
            item.op in MEMORY
            and not self._has_local_memory
            and self.spaces.get(item.site, Space.LOCAL) is Space.LOCAL
        )

    def _kept(self, item: Instruction, block: Block) -> float:
        """Part of the executions of a load that the compiler leaves.

        Others are merged with an earlier one, or hoisted: then the first is waited for in full.
        """
        if self._counts is None or item.op is not Op.LOAD:
            return 1.0
        if _comes_along(item):
            return 1.0
        left = self._left(item, block)
        if left > 0.0 and item.site not in self._met:
            self._met.add(item.site)
            return 1.0
        # The first was waited for in full: what is left of a hoisted one is nothing.
        visits = self._trace.block_threads[block.number] / self._threads
        return max(left * visits - 1.0, 0.0) / (visits - 1.0) if visits > 1.0 else left

    def _left(self, item: Instruction, block: Block) -> float:
        """Part of the executions of an access that the compiler leaves."""
        if self._counts is None:
            return 1.0
        left = self._counts.site_executions.get(item.site, 0.0)
        left /= self._trace.block_threads[block.number]
        asked = self._requests.get(item.site)
        if asked is not None:
            left = min(left, asked / self._trace.block_warps[block.number])
        return min(left, 1.0)


def _awaited_elsewhere(item: Instruction, spaces: Mapping[int, Space]) -> WarpStep | None:
    """What is waited for when the result comes from memory, other lanes or the matrix units; None for arithmetic."""
    match item.op:
        case Op.LOAD | Op.ATOMIC | Op.TEXTURE:
            near = (Space.SHARED, Space.CONSTANT, Space.LOCAL)
            return WarpStep.SHARED if spaces.get(item.site) in near else WarpStep.LOAD
        case Op.TENSOR:
            is_far = isinstance(item.detail, TensorOperation) and item.detail.kind == "load"
            return (
                WarpStep.LOAD
                if is_far and spaces.get(item.site) is not Space.SHARED
                else WarpStep.SHARED
            )
        case Op.SHUFFLE | Op.VOTE:
            return WarpStep.SHARED
        case _:
            return None


def _comes_along(item: Instruction) -> bool:
    """Whether a load comes with the access that it is a member of."""
    return isinstance(item.detail, MemoryAccess) and item.detail.access_bytes == 0
