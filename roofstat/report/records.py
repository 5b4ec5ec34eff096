"""The report: frozen records, every amount in base units and for one launch. None means unknown, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import Gpu
from roofstat.report.amounts import Counts, LatencyReport, Launch, OccupancyReport, TrafficBytes
from roofstat.report.kinds import (
    Compiler,
    Language,
    TrafficRegime,
)
from roofstat.report.opinion import SecondOpinion
from roofstat.report.places import AccessReport, LineReport, LoopReport, PatternReport
from roofstat.report.remarks import AnalysisError, Assumption, Diagnostic
from roofstat.roofline import BoundBy, Interval, NumberType, Verdict

SCHEMA_NAME = "roofstat-report/1"


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
        directive: OpenMP: the directive, and those directly within it, as one; else None.
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
        highest_confidence: The most that may be claimed, of any verdict: less than 1 where part of the kernel was not seen,
            or where it never runs as it is analysed.
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
    highest_confidence: float = 1.0
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

    def over_ridge(self, kind: NumberType | None) -> float | None:
        """Return the intensity of a type over its ridge; None where one of them is unknown."""
        if kind is None:
            return None
        value, ridge = self.intensity.get(kind), self.ridge.get(kind)
        return None if value is None or not ridge else value / ridge


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
