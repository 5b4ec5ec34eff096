"""Where in the source the work of a launch lies: loops, accesses, patterns, lines."""

from __future__ import annotations

from clang_queries.quick_dataclass import dataclass
from roofstat.report.amounts import Counts
from roofstat.report.kinds import (
    Direction,
    MemorySpace,
    PatternKind,
    TripCountSource,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopReport:
    """One loop of a kernel.

    Attributes:
        line: 1-based line of the loop statement.
        file: File of the line, where it is not the kernel's own.
        depth: Loops around it; 0 for an outermost loop.
        trip_count: Mean iterations each time a thread enters it; None where unknown.
        source: Where the trip count comes from.
        share: Share of the kernel's operations inside it, loops within included; None where it is unrolled, and its lines hold
            other work as well.
    """

    line: int
    file: str | None = None
    depth: int
    trip_count: float | None
    source: TripCountSource
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessReport:
    """One memory access of a kernel.

    Attributes:
        line: 1-based line.
        column: 1-based column; None where unknown.
        file: File of the line, where it is not the kernel's own.
        array: Name of the object, as written.
        index: The subscript as written; None where there is none.
        record: The record that the datum is a member of; None for plain data.
        space: Where it lives.
        direction: What the access does.
        element_bytes: Bytes that one thread moves in one execution.
        requests: Warp-level executions in the launch; None where unknown.
        threads: Thread-level executions in the launch; None where unknown.
        sectors_per_request: Mean 32-byte sectors that one warp request touches; None where it has none.
        wavefronts_per_request: Mean passes that shared memory needs for one warp request; more than its bytes need are
            bank conflicts. Of constant memory the addresses that it asks for, where they differ. None elsewhere.
        ideal_sectors_per_request: The fewest that could hold the same bytes; those of a matrix fragment lie in several
            lines of the matrix.
        stride_bytes: Distance between adjacent threads; None where it is irregular.
        footprint_bytes: Distinct bytes that the launch touches through this access.
        share: Share of the launch's DRAM traffic, 0 to 1; None where unknown.
        row_bytes: Mean bytes that adjacent threads of a warp access side by side until the addresses jump, or the warp ends; None
            where adjacent threads do not take adjacent data.
        alignment_bytes: Largest power of two, up to 16, that divides every address seen; None where none is known.
        lanes_per_address: Atomics: mean threads of a warp that meet at one address; None for others.
        addresses: Atomics: the most addresses that they can lie at, in each block where it is shared memory; None for others.
    """

    line: int
    column: int | None = None
    file: str | None = None
    array: str
    index: str | None = None
    record: str | None = None
    space: MemorySpace
    direction: Direction
    element_bytes: int
    requests: float | None = None
    threads: float | None = None
    sectors_per_request: float | None = None
    ideal_sectors_per_request: float | None = None
    wavefronts_per_request: float | None = None
    stride_bytes: float | None = None
    footprint_bytes: float | None = None
    share: float | None = None
    row_bytes: float | None = None
    alignment_bytes: int | None = None
    lanes_per_address: float | None = None
    addresses: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpan:
    """A piece of source text within one line.

    Attributes:
        line: 1-based line.
        column: 1-based column of its first character, in bytes.
        text: The piece.
    """

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternReport:
    """Something that the code of a kernel does at one place; what it means is for rules to say.

    Attributes:
        kind: What it is.
        line: 1-based line.
        column: 1-based column; None where unknown.
        file: File of the line, where it is not the kernel's own.
        subject: What it concerns, as written: an array, a function, an operator; empty where nothing has a name.
        executions: How often: threads, for divergence warps, for maps launches.
        needed: Loads: how many of the executions would do; None for others.
        lanes: Divergence: mean active threads of a warp on either side; None for others.
        share: Divisions: part of the kernel's integer operations on the line. Divergence: part of its instructions that
            idle lanes waste. None for others.
        spans: Pieces of the source that it is about, where they are known exactly.
        is_generic: Whether the line is one of a template whose other instances may compute it in other types.
    """

    kind: PatternKind
    line: int
    column: int | None = None
    file: str | None = None
    subject: str = ""
    executions: float
    needed: float | None = None
    lanes: float | None = None
    share: float | None = None
    spans: tuple[SourceSpan, ...] = ()
    is_generic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTerm:
    """A part of a line's work that is executed equally often: before a loop, in its body, under a guard.

    Attributes:
        executions: Thread-level executions.
        counts: Operations of one execution.
    """

    executions: float
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReport:
    """Work and traffic of one source line.

    Attributes:
        line: 1-based line.
        file: File of the line, where it is not the kernel's own.
        counts: Operations that the compiler emits for it.
        dram_bytes: Its part of the DRAM traffic, in the regime of the verdict.
        executions: Thread-level executions of the part that is executed most often.
        terms: What the counts are made of, the part that is executed least often first.
    """

    line: int
    file: str | None = None
    counts: Counts
    dram_bytes: float | None = None
    executions: float | None = None
    terms: tuple[LineTerm, ...] = ()
