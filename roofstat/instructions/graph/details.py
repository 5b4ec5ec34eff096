"""Records of the value graph: details of values, and the graph itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from roofstat.instructions.graph.memory_state import Root
    from roofstat.instructions.graph.values import Context, LoopFrame, Value
    from roofstat.program.code import Code, Instruction, MemoryAccess


@dataclass(frozen=True, slots=True)
class LoadDetail:
    """Detail of a LOAD or STORE value: the access, its full constant offset and the object."""

    access: MemoryAccess
    offset_bytes: int
    root: Root


@dataclass(frozen=True, slots=True)
class SetupDetail:
    """Detail of a SETUP: copies of the body, and whether the step of the counter is only known at run time."""

    copies: int
    runtime_step: bool
    frame: LoopFrame
    before_rounds: Context
    """What runs where the copies run at all."""
    before_rest: Context
    """What runs where iterations are left to the loop behind them."""
    in_rest: Context
    """What each of those runs."""


@dataclass(slots=True, kw_only=True)
class Graph:
    """The optimised program: values, and the effects that keep them alive."""

    values: list[Value]
    effects: list[Value]
    code: Code
    exposed: frozenset[int]
    """Slots that pointers of unknown origin reach."""
    notes: list[tuple[str, Instruction]]
    """Kinds of things that were not modelled exactly."""
    batches: dict[int, int]
    """For each loop, the copies of its body whose loads stand in front of them: the fewest, where that differs."""
    vanished: frozenset[int]
    """Loops that are unrolled fully wherever they stand."""


@dataclass(frozen=True, slots=True)
class RoundDetail:
    """What each round of a partly unrolled loop computes for the indices of its copies."""

    by_offset: bool
    """Whether one offset advances for all pointers."""
    multiplied: int
    """Indices, times copies, that multiply the counter by what is no power of two."""
    repeats: int = 1
    """How often the assembler repeats the compiler's copies."""
