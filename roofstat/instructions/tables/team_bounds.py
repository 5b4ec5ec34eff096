"""What the bounds of a team cost in target regions whose counters have 64 bits.

They are the same for all threads of a warp, but the assembler gives them to the uniform datapath only where the body leaves
them no ordinary registers, or where all pointers are the team's, and in relocatable code never. Up to three pointers that advance with the
counter are each thread's own: they start anew in every chunk.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.registers import MAX_REGISTERS
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import LibraryCall
from roofstat.program.openmp.runtime_calls import RuntimeCall

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import LoopFrame, Value
    from roofstat.instructions.tables.parameters import LoweringParameters

_POINTER_WORDS = 3
"""Registers of a pointer's start in the chunk and of its scaled step, beside those of the pointer itself."""

_MOST_OWN_POINTERS = 3
"""With more pointers LLVM keeps those of the team and adds each thread's place in every iteration."""

_REDUCTION_WORDS = 5
"""Of the registers of a region with reductions so many are alive where the bounds are not."""


class TeamBounds:
    """The bounds of the teams of one kernel."""

    def __init__(self, graph: LiveGraph, parameters: LoweringParameters, registers: int) -> None:
        self._costs = parameters.team_bounds
        self._chunks = {
            value.context.loop
            for value in graph.live
            if _name(value).startswith(RuntimeCall.CHUNK_WIDE)
        }
        self._pointers: Counter[LoopFrame | None] = Counter(
            value.context.loop.outside.loop
            for value in graph.live
            if value.context.loop is not None and _advances_by_counter(value)
        )
        pointers = sum(map(self._pointers.__getitem__, self._chunks))
        wanted = registers + _POINTER_WORDS * pointers
        if any(_name(value).startswith(RuntimeCall.REDUCE_THREADS) for value in graph.live):
            wanted -= _REDUCTION_WORDS
        can_be_uniform = self._costs.most_registers < MAX_REGISTERS
        self._are_pointers_uniform = can_be_uniform and pointers > _MOST_OWN_POINTERS
        self._are_uniform = self._are_pointers_uniform or wanted >= self._costs.most_registers

    def runs_uniformly(self, value: Value) -> bool:
        """Whether a value is a bound of a team on the uniform datapath."""
        loop = value.context.loop
        return (
            self._are_uniform
            and bool(self._chunks)
            and value.is_uniform
            and value.scalar is Scalar.I64
            and (loop is None or loop in self._chunks)
        )

    def cost(self, call: Value) -> float:
        """Integer instructions that work of the run time takes more for bounds, pointers and signed counters in ordinary registers."""
        costs, name = self._costs, _name(call)
        own = Counter() if self._are_pointers_uniform else self._pointers
        bounds = 0.0 if self._are_uniform else 1.0
        if name.startswith(RuntimeCall.CHUNK_WIDE):
            return bounds * costs.chunk + costs.chunk_pointer * own[call.context.loop]
        if name == RuntimeCall.DISTRIBUTE_WIDE_NEST:
            return bounds * costs.start_of_nest + costs.start_pointer * own.total()
        if name == RuntimeCall.DISTRIBUTE_WIDE:
            return bounds * costs.start + costs.start_pointer * own.total()
        return costs.signed_round if name == RuntimeCall.ROUND_SIGNED else 0.0


def _name(value: Value) -> str:
    """The name of work of the run time; empty for all else."""
    return value.detail.name if isinstance(value.detail, LibraryCall) else ""


def _advances_by_counter(value: Value) -> bool:
    shape = value.detail
    return (
        value.op is Pseudo.STREAM
        and isinstance(shape, StreamShape)
        and shape.by_offset
        and not shape.is_bytes
    )
