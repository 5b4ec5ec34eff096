"""The report: frozen records, every amount in base units and for one launch. None means unknown, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from roofstat.hardware import Gpu, OccupancyLimiter
from roofstat.instructions.warp_steps import WarpStep
from roofstat.report.kinds import (
    AssumptionKind,
    Compiler,
    Direction,
    ErrorKind,
    Language,
    LaunchSource,
    MemoryLevel,
    MemorySpace,
    PatternKind,
    Severity,
    TrafficRegime,
    TripCountSource,
)
from roofstat.report.opinion import SecondOpinion
from roofstat.roofline import BoundBy, Interval, NumberType, Verdict

__all__ = [
    "SCHEMA_NAME",
    "AccessReport",
    "AnalysisError",
    "Assumption",
    "Counts",
    "Diagnostic",
    "DramBytes",
    "Edit",
    "Evidence",
    "KernelReport",
    "LatencyReport",
    "Launch",
    "LibraryOrigin",
    "LineReport",
    "LoopReport",
    "OccupancyReport",
    "PatternReport",
    "Report",
    "SourceSpan",
    "Tool",
    "TrafficBytes",
]

SCHEMA_NAME = "roofstat-report/1"

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch configuration of a kernel.

    Attributes:
        grid: Blocks in x, y and z.
        block: Threads in x, y and z.
        shared_bytes: Dynamic shared memory of a block.
        count: How often the program launches this configuration; None where unknown.
        index: Which of the program's launches of the kernel it is, from 0, in order of execution.
        source: Where the configuration comes from.
        file: File of the launch statement; None where there is none.
        line: 1-based line of the launch statement.
    """

    grid: Dim3
    block: Dim3
    shared_bytes: int = 0
    count: int | None = 1
    index: int = 0
    source: LaunchSource
    file: str | None = None
    line: int | None = None

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_per_block(self) -> int:
        """Threads of one block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def threads(self) -> int:
        """Threads of the whole launch."""
        return self.blocks * self.threads_per_block


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Thread-level operations of one launch: add + mul + 2 * fma, integer and special instructions one each."""

    sp_flop: float | None = None
    dp_flop: float | None = None
    hp_flop: float | None = None
    tensor_flop: float | None = None
    int_op: float | None = None
    special_op: float | None = None

    def of(self, kind: NumberType) -> float | None:
        """Return the operations of one type."""
        match kind:
            case NumberType.FP32:
                return self.sp_flop
            case NumberType.FP64:
                return self.dp_flop
            case NumberType.FP16:
                return self.hp_flop
            case NumberType.TENSOR:
                return self.tensor_flop
            case NumberType.INT:
                return self.int_op


@dataclass(frozen=True, slots=True, kw_only=True)
class DramBytes:
    """DRAM traffic of one launch in one regime."""

    read_bytes: float | None = None
    write_bytes: float | None = None

    @property
    def total_bytes(self) -> float | None:
        """Both directions; None where either is unknown."""
        if self.read_bytes is None or self.write_bytes is None:
            return None
        return self.read_bytes + self.write_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DramTerms:
    """What the DRAM bytes of a launch are made of.

    Attributes:
        launch_bytes: Code, arguments and what every launch reads.
        distinct_read_bytes: Data that is read, once.
        repeated_read_bytes: Data that the L2 did not keep until it was read again.
        fill_bytes: Reads that complete sectors written in part.
        profiled_fill_bytes: Those of them before an isolated launch ends.
        distinct_write_bytes: Data that is written, once.
        repeated_write_bytes: Data that left the L2 and was written again.
        kept_bytes: Written data that still sits in L2 when an isolated launch ends.
        factor: By what all but the first are multiplied: error correction in line moves more.
    """

    launch_bytes: float
    distinct_read_bytes: float
    repeated_read_bytes: float
    fill_bytes: float
    profiled_fill_bytes: float
    distinct_write_bytes: float
    repeated_write_bytes: float
    kept_bytes: float
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficBytes:
    """Memory traffic of one launch.

    Attributes:
        dram_terms: What the DRAM bytes are made of; None where that is not known.
        compulsory_bytes: Distinct bytes read and distinct bytes written, in whole sectors: what must move once.
        profiled: DRAM bytes as a profiler sees one isolated launch.
        steady: DRAM bytes of a launch inside a running program.
        l2_bytes: Bytes between the SMs and L2.
        global_ld_requests: Warp-level global load requests.
        global_ld_sectors: Sectors of 32 bytes that they touch.
        global_st_requests: Warp-level global store requests.
        global_st_sectors: Sectors of 32 bytes that they touch.
        local_bytes: Local-memory traffic: spills and private arrays that are indexed.
        shared_bytes: Shared-memory traffic in full wavefronts, bank conflicts included.
        shared_bank_conflicts: Wavefronts beyond those that the width of the shared accesses needs.
    """

    profiled: DramBytes = field(default_factory=DramBytes)
    steady: DramBytes = field(default_factory=DramBytes)
    dram_terms: DramTerms | None = None
    compulsory_bytes: float | None = None
    l2_bytes: float | None = None
    global_ld_requests: float | None = None
    global_ld_sectors: float | None = None
    global_st_requests: float | None = None
    global_st_sectors: float | None = None
    local_bytes: float | None = None
    shared_bytes: float | None = None
    shared_bank_conflicts: float | None = None

    @property
    def global_requests(self) -> float | None:
        """Load and store requests; None where either is unknown."""
        return _sum(self.global_ld_requests, self.global_st_requests)

    @property
    def global_sectors(self) -> float | None:
        """Load and store sectors; None where either is unknown."""
        return _sum(self.global_ld_sectors, self.global_st_sectors)

    def dram(self, regime: TrafficRegime) -> DramBytes:
        """Return the DRAM bytes of one regime."""
        return self.steady if regime is TrafficRegime.STEADY else self.profiled


@dataclass(frozen=True, slots=True, kw_only=True)
class OccupancyReport:
    """Residency that the time model assumes.

    Attributes:
        registers_per_thread: Estimated registers of a thread.
        shared_bytes_per_block: Static plus dynamic shared memory.
        blocks_per_sm: Resident blocks.
        warps_per_sm: Resident warps.
        share: Resident warps over the most that fit, 0 to 1.
        limiter: What keeps further blocks off the SM.
        waves: Blocks of the grid over blocks that the whole GPU holds.
    """

    registers_per_thread: int
    shared_bytes_per_block: int
    blocks_per_sm: int
    warps_per_sm: int
    share: float
    limiter: OccupancyLimiter
    waves: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyReport:
    """What the latency of a launch is made of: waves x clocks of a warp on its own, and what is rare once.

    Attributes:
        time_s: The whole.
        waves: Rounds of resident blocks, a part of one counted as a whole.
        step_clocks: What a warp spends its clocks on that has its SM for itself.
        rare_clocks: Further clocks of a warp on paths that few blocks take; they count once for the launch.
        load_clocks: Clocks of a load from global memory, in the mean over the levels.
        level_clocks: Clocks of a load that hits in a level.
        level_shares: Part of the loads that hit in it.
    """

    time_s: float
    waves: int
    step_clocks: Mapping[WarpStep, float]
    rare_clocks: float
    load_clocks: float
    level_clocks: Mapping[MemoryLevel, float]
    level_shares: Mapping[MemoryLevel, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """Something that a number rests on and that the source does not say.

    Attributes:
        kind: What was taken for granted.
        text: One sentence for a reader, with the value that was used.
        file: Where it concerns.
        line: 1-based line there.
        weight: Spread that it adds to the intensity: standard deviation of its natural logarithm.
    """

    kind: AssumptionKind
    text: str
    file: str | None = None
    line: int | None = None
    weight: float = 0.0


def strongest_weights(assumptions: Iterable[Assumption]) -> list[float]:
    """Return the largest weight of each kind: guesses of one kind are rarely independent of each other."""
    found: dict[AssumptionKind, float] = {}
    for item in assumptions:
        found[item.kind] = max(found.get(item.kind, 0.0), item.weight)
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopReport:
    """One loop of a kernel.

    Attributes:
        line: 1-based line of the loop statement.
        file: File of the line, where it is not the kernel's own.
        depth: Loops around it; 0 for an outermost loop.
        trip_count: Mean iterations each time a thread enters it; None where unknown.
        source: Where the trip count comes from.
        share: Share of the kernel's operations inside it, loops within included; None where unknown.
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
        sectors_per_request: Mean 32-byte sectors that one warp request touches; None where it has none.
        wavefronts_per_request: Mean passes that shared memory needs for one warp request; more than its bytes need are
            bank conflicts. None elsewhere.
        ideal_sectors_per_request: The fewest that could hold the same bytes.
        stride_bytes: Distance between adjacent threads; None where it is irregular.
        footprint_bytes: Distinct bytes that the launch touches through this access.
        share: Share of the launch's DRAM traffic, 0 to 1; None where unknown.
        alignment_bytes: Largest power of two, up to 16, that divides every address seen; None where none is known.
        lanes_per_address: Atomics: mean threads of a warp that meet at one address; None for others.
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
    sectors_per_request: float | None = None
    ideal_sectors_per_request: float | None = None
    wavefronts_per_request: float | None = None
    stride_bytes: float | None = None
    footprint_bytes: float | None = None
    share: float | None = None
    alignment_bytes: int | None = None
    lanes_per_address: float | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryOrigin:
    """Where a kernel that is not in the source comes from.

    Attributes:
        name: The library.
        call: The function of it that the host calls; where only a stated launch names the kernel, the first of all calls.
        variant: Which of the kernels with its name it is, in a word; empty where there is one.
        element: Type of the elements that its numbers were measured with; empty where it handles none.
        items: Elements of one launch, or what else it counts by; None where its grid says it all.
    """

    name: str
    call: str
    variant: str
    element: str
    items: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelReport:
    """One kernel instance in one launch configuration.

    Attributes:
        name: Name without scope and arguments.
        signature: Demangled, with template arguments and parameter types.
        function: OpenMP: the function around the directive; else None.
        directive: OpenMP: the directive as written; else None.
        language: How it is written.
        file: File of the definition, as the user named it; of the call for kernels of a library.
        line: 1-based first line; `column` and `end_line` likewise.
        compiler: Whose code generation the counts assume.
        launch: The configuration; None where nothing launches the kernel and none was assumed.
        counts: Operations of the launch.
        traffic: Memory traffic of the launch.
        regime: Which DRAM bytes the verdict uses.
        verdicts: The verdict in either regime, where both were judged.
        intensity: Operations for each DRAM byte by type; None where unknown, infinite for work without traffic.
        intensity_interval: Range that should hold the true intensity in 80 % of cases.
        ridge: Ridge of each type that the card has.
        verdict: Side of the ridge.
        limiter: Type with the largest intensity over ridge.
        bound_by: What most likely limits the time.
        confidence: Probability that a profiler gives the same verdict; None for an unknown verdict.
        times_s: Time that each resource needs alone.
        attainable_time_s: No launch is faster at the card's peaks, whichever way unknown branches and trip counts go.
        modelled_time_s: With latency and launch overhead.
        occupancy: Residency; None where there is no launch.
        latency: Terms of the latency; None where there is no launch.
        scaling: How quantities grow with parameters: {parameter: {quantity: exponent}}.
        unknown: Why a value is unknown, by its place in the JSON form, such as `counts.int_op`.
        llm: What a language model said; None unless asked.
        library: Where the kernel comes from, whose numbers were measured and not derived; None for kernels of the source.
    """

    name: str
    signature: str
    function: str | None = None
    directive: str | None = None
    language: Language
    file: str
    line: int
    column: int = 1
    end_line: int
    compiler: Compiler
    launch: Launch | None = None
    counts: Counts = field(default_factory=Counts)
    traffic: TrafficBytes = field(default_factory=TrafficBytes)
    regime: TrafficRegime = TrafficRegime.STEADY
    verdicts: Mapping[TrafficRegime, Verdict] = field(default_factory=dict)
    intensity: Mapping[NumberType, float | None] = field(default_factory=dict)
    intensity_interval: Mapping[NumberType, Interval] = field(default_factory=dict)
    ridge: Mapping[NumberType, float] = field(default_factory=dict)
    verdict: Verdict = Verdict.UNKNOWN
    limiter: NumberType | None = None
    bound_by: BoundBy | None = None
    confidence: float | None = None
    times_s: Mapping[BoundBy, float] = field(default_factory=dict)
    attainable_time_s: float | None = None
    modelled_time_s: float | None = None
    occupancy: OccupancyReport | None = None
    latency: LatencyReport | None = None
    scaling: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    loops: tuple[LoopReport, ...] = ()
    accesses: tuple[AccessReport, ...] = ()
    lines: tuple[LineReport, ...] = ()
    patterns: tuple[PatternReport, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    llm: SecondOpinion | None = None
    library: LibraryOrigin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A number that a diagnostic rests on.

    Attributes:
        name: What was measured, in words.
        value: How much.
        unit: Its unit; empty for a pure number.
    """

    name: str
    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A replacement of source text within one line.

    Attributes:
        line: 1-based line.
        column: 1-based column of the first character that is replaced, in bytes.
        end_column: Column behind the last.
        text: What comes in its place.
    """

    line: int
    column: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A remark on a place in the source.

    Attributes:
        code: Stable identifier.
        severity: How much it matters.
        message: One sentence.
        file: File concerned.
        line: 1-based line; None for the whole file. `column` likewise.
        help: What to do about it; None where there is nothing to say.
        kernel: Signature of the kernel that it is about; None for remarks on the source as such.
        evidence: The numbers that it rests on.
        speedup_bound: No remedy makes the launch faster than by this factor, as modelled; None where no bound is known.
        fix: Edits of the file that carry the remedy out and are safe to make; empty where there are none.
    """

    code: str
    severity: Severity
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    help: str | None = None
    kernel: str | None = None
    evidence: tuple[Evidence, ...] = ()
    speedup_bound: float | None = None
    fix: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisError:
    """Why a file, or a part of it, has no result.

    Attributes:
        kind: What went wrong.
        file: The file.
        line: 1-based line; None for the whole file.
        message: One line.
        remedy: What to do about it; None where there is nothing to say.
        signal: Name of the signal that ended the process; None for other kinds.
        detail: Further lines for a bug report; None where there are none.
    """

    kind: ErrorKind
    file: str
    line: int | None = None
    message: str
    remedy: str | None = None
    signal: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Which program made the report."""

    name: str = "roofstat"
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of one run: what every renderer, rule and evaluation reads.

    Attributes:
        tool: The program that made it.
        gpu: The card that kernels were placed on.
        kernels: One entry for each kernel instance and launch configuration, ranked by time.
        diagnostics: Remarks on the source.
        errors: Files without a result.
        files: How many files were looked at.
        min_confidence: Verdicts less sure than this are shown as uncertain.
    """

    tool: Tool
    gpu: Gpu
    kernels: tuple[KernelReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: tuple[AnalysisError, ...] = ()
    files: int = 0
    min_confidence: float = 0.0


def _sum(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left + right
