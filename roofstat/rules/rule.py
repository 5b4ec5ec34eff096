"""What a rule is. A rule file has one `RULE`; its examples are its tests and its documentation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import Gpu
from roofstat.report import Edit, Evidence, KernelReport, NumberType, Severity, Verdict

__all__ = [
    "REWRITE_BASELINE",
    "Check",
    "Example",
    "Finding",
    "PreviousVerdict",
    "Rule",
    "RuleContext",
    "kernel_key",
]

REWRITE_BASELINE = "write the baseline anew with roofstat baseline"

KernelKey = tuple[str, str, int]
"""File, signature (for target regions with the position among the function's), and number of the launch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule has to say about one place.

    Attributes:
        message: One sentence, without a full stop.
        line: 1-based line; None for the kernel's own.
        column: 1-based column; None where unknown.
        file: File of the line, where it is not the kernel's own.
        help: What to do about it.
        evidence: The numbers that it rests on.
        speedup_bound: No remedy makes the launch faster than by this factor; None where no bound is known.
        severity: How much it matters, where that is not what the rule says.
        fix: Safe edits that carry the remedy out.
    """

    message: str
    line: int | None = None
    column: int | None = None
    file: str | None = None
    help: str
    evidence: tuple[Evidence, ...] = ()
    speedup_bound: float | None = None
    severity: Severity | None = None
    fix: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousVerdict:
    """What an earlier report said of a kernel.

    Attributes:
        verdict: Its verdict.
        limiter: Type with the largest intensity over ridge.
        intensity: Operations for each DRAM byte by type; types with unknown or infinite intensity are left out.
    """

    verdict: Verdict
    limiter: NumberType | None = None
    intensity: Mapping[NumberType, float] = field(default_factory=dict)

    @classmethod
    def of(cls, kernel: KernelReport) -> PreviousVerdict:
        """Return what there is to remember of a kernel."""
        finite = {
            kind: value
            for kind, value in kernel.intensity.items()
            if value is not None and math.isfinite(value)
        }
        return cls(verdict=kernel.verdict, limiter=kernel.limiter, intensity=finite)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleContext:
    """What rules look at besides the kernel.

    Attributes:
        gpu: The card.
        previous: Kernels of an earlier report to compare with; empty without one.
        accepting: How a user says that a verdict is meant to be another than before.
    """

    gpu: Gpu
    previous: Mapping[KernelKey, PreviousVerdict] = field(default_factory=dict)
    accepting: str = REWRITE_BASELINE


Check = Callable[[KernelReport, RuleContext], Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A short program that a rule fires on, or does not.

    Attributes:
        source: The program.
        suffix: Of its file: `.cu`, or `.cpp` for OpenMP.
        before: An earlier version that the program is compared with; None without one.
    """

    source: str
    suffix: str = ".cu"
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule.

    Attributes:
        code: Stable identifier.
        name: Names the problem, in kebab case.
        since: Version that had it first.
        severity: How much a finding matters.
        detects: What it looks for.
        costs: Why that costs time.
        wrong_when: When a finding is better ignored.
        bad: A program with a finding.
        good: The same program without.
        check: Finds it; None for what comes from the source's comments rather than from a kernel.
    """

    code: str
    name: str
    since: str = "0.1"
    severity: Severity = Severity.WARNING
    detects: str
    costs: str
    wrong_when: str
    bad: Example
    good: Example
    check: Check | None


def kernel_key(kernel: KernelReport, file: str | None = None) -> KernelKey:
    """Return what tells a kernel apart from the others of a report, whatever moves its lines.

    Args:
        kernel: The kernel.
        file: Name of its file to use instead of its own, for comparisons over trees.
    """
    signature = (
        kernel.signature if kernel.directive is None else f"{kernel.signature} {kernel.directive}"
    )
    return file or kernel.file, signature, kernel.launch.index if kernel.launch is not None else 0
