"""What the bounds of a team cost in target regions whose counters have 64 bits.

They are the same for all threads of a warp, but the assembler gives them to the uniform datapath only where the body leaves
them no ordinary registers, and in relocatable code never. In ordinary registers each pointer that advances with the counter
starts anew in every chunk besides.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.address_shapes import StreamShape
from roofstat.instructions.values import Pseudo
from roofstat.program.code import LibraryCall
from roofstat.program.openmp.runtime_calls import RuntimeCall

if TYPE_CHECKING:
    from roofstat.instructions.liveness import LiveGraph
    from roofstat.instructions.parameters import LoweringParameters
    from roofstat.instructions.values import LoopFrame, Value

_POINTER_WORDS = 3
"""Registers of a pointer's start in the chunk and of its scaled step, beside those of the pointer itself."""

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
        wanted = registers + _POINTER_WORDS * sum(map(self._pointers.__getitem__, self._chunks))
        if any(_name(value).startswith(RuntimeCall.REDUCE_THREADS) for value in graph.live):
            wanted -= _REDUCTION_WORDS
        self._are_uniform = wanted >= self._costs.most_registers

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
        """Integer instructions that work of the run time takes more for bounds in ordinary registers."""
        if self._are_uniform:
            return 0.0
        costs, name = self._costs, _name(call)
        if name.startswith(RuntimeCall.CHUNK_WIDE):
            return costs.chunk + costs.chunk_pointer * self._pointers[call.context.loop]
        if name == RuntimeCall.DISTRIBUTE_WIDE_NEST:
            return costs.start_of_nest + costs.start_pointer * self._pointers.total()
        if name == RuntimeCall.DISTRIBUTE_WIDE:
            return costs.start + costs.start_pointer * self._pointers.total()
        return 0.0


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
