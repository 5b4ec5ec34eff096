"""From a report to its diagnostics: every rule on every kernel, each place once."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from clang_queries.quick_dataclass import dataclass
from roofstat.report import Diagnostic, KernelReport, Report, Severity
from roofstat.rules.gains import VISIBLE
from roofstat.rules.registry import RULES
from roofstat.rules.rule import (
    REWRITE_BASELINE,
    Finding,
    KernelKey,
    PreviousVerdict,
    Rule,
    RuleContext,
    kernel_key,
)
from roofstat.rules.suppressions import ReadLines, without_suppressed

__all__ = ["findings", "unsuppressed_findings", "with_findings"]

_MENDED = "parse-error"
"""Code of what is said of a line that the parser had to mend."""
_WORTH_WARNING = 1.2
"""Below, it is a note."""


def with_findings(
    report: Report, context: RuleContext | None = None, rules: Iterable[Rule] = RULES
) -> Report:
    """Return a report whose diagnostics hold what the rules find in its kernels, after those that it has."""
    found = findings(report, context or RuleContext(gpu=report.gpu), rules)
    return dataclasses.replace(report, diagnostics=(*report.diagnostics, *found))


def unsuppressed_findings(
    report: Report,
    rules: Collection[Rule],
    read_lines: ReadLines,
    previous: Mapping[KernelKey, PreviousVerdict] | None = None,
    accepting: str = REWRITE_BASELINE,
) -> tuple[Diagnostic, ...]:
    """Return what rules find in a report and no comment ignores, and the comments that ignore nothing.

    Args:
        report: Of the analysis.
        rules: Those that are on.
        read_lines: Gives the text of the sources.
        previous: Kernels of an earlier report to compare with.
        accepting: How a user says that a verdict is meant to be another than before.
    """
    context = RuleContext(gpu=report.gpu, previous=previous or {}, accepting=accepting)
    return without_suppressed(
        findings(report, context, rules),
        read_lines,
        dict.fromkeys(kernel.file for kernel in report.kernels),
        rules,
        report.kernels,
    )


def findings(
    report: Report, context: RuleContext, rules: Iterable[Rule] = RULES
) -> tuple[Diagnostic, ...]:
    """Return the findings in the order of their places; one for each rule and place, of the kernel that gains most."""
    best: dict[tuple[str, str, int | None, int | None], tuple[float, Diagnostic]] = {}
    # what a library's kernels do is not for its users to mend
    groups = _by_kernel(kernel for kernel in report.kernels if kernel.library is None)
    mended = {(item.file, item.line) for item in report.diagnostics if item.code == _MENDED}
    for rule in rules:
        for launches in groups:
            for kernel, finding in _found(rule, launches, context):
                found = _diagnostic(rule, kernel, finding)
                if found.column is not None and (found.file, found.line) in mended:
                    continue  # what stands there is not what the parser made of it
                key = (found.file, found.code, found.line, found.column)
                gain = finding.speedup_bound or 0.0
                if key not in best or gain > best[key][0]:
                    best[key] = (gain, found)
    return tuple(
        sorted(
            (found for _, found in best.values()),
            key=lambda item: (item.file, item.line or 0, item.column or 0, item.code),
        )
    )


def _by_kernel(kernels: Iterable[KernelReport]) -> list[list[KernelReport]]:
    """The launches of each kernel together."""
    groups: dict[tuple[object, ...], list[KernelReport]] = {}
    for kernel in kernels:
        groups.setdefault((kernel.file, kernel.line, kernel_key(kernel)[1]), []).append(kernel)
    return list(groups.values())


def _found(
    rule: Rule, launches: Sequence[KernelReport], context: RuleContext
) -> Iterator[tuple[KernelReport, Finding]]:
    """The findings of a rule in a kernel: of each place the launch with the most to gain, with the gain over all launches."""
    if rule.check is None:
        return
    places: dict[tuple[str | None, int | None, int | None], list[_Candidate]] = {}
    for kernel in launches:
        for finding in rule.check(kernel, context):
            place = (finding.file, finding.line, finding.column)
            places.setdefault(place, []).append(_Candidate(kernel, finding))
    for candidates in places.values():
        most = max(candidates, key=lambda each: each.saved_s)
        if most.finding.speedup_bound is None:
            yield most.kernel, most.finding
            continue
        total = sum(_time_s(kernel) for kernel in launches if most.concerns(kernel))
        left = total - sum(each.saved_s for each in candidates)
        bound = total / left if left > 0 else most.finding.speedup_bound
        unbounded = next((each for each in candidates if each.finding.speedup_bound is None), None)
        if bound >= VISIBLE:
            yield most.kernel, dataclasses.replace(most.finding, speedup_bound=bound)
        elif unbounded is not None:
            yield unbounded.kernel, unbounded.finding


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A finding in one launch."""

    kernel: KernelReport
    finding: Finding

    @property
    def saved_s(self) -> float:
        """Most seconds that it costs the program; 0 where no bound is known, or none worth saying."""
        bound = self.finding.speedup_bound
        if bound is None or bound < VISIBLE:
            return 0.0
        return _time_s(self.kernel) * (1.0 - 1.0 / bound)

    def concerns(self, other: KernelReport) -> bool:
        """Whether it could be about another launch of the kernel: one about a launch statement only where that is the same."""
        mine, place = self.kernel.launch, (self.finding.file, self.finding.line)
        if mine is None or other.launch is None or place != (mine.file, mine.line):
            return True
        return place == (other.launch.file, other.launch.line)


def _time_s(kernel: KernelReport) -> float:
    """Modelled seconds of all launches in one configuration."""
    count = kernel.launch.count if kernel.launch is not None else 1
    return max(kernel.times_s.values(), default=0.0) * (1 if count is None else count)


def _diagnostic(rule: Rule, kernel: KernelReport, finding: Finding) -> Diagnostic:
    minor = finding.speedup_bound is not None and finding.speedup_bound < _WORTH_WARNING
    return Diagnostic(
        code=rule.code,
        severity=Severity.NOTE if minor else finding.severity or rule.severity,
        message=finding.message,
        file=finding.file or kernel.file,
        line=finding.line if finding.line is not None else kernel.line,
        column=finding.column,
        help=finding.help,
        kernel=kernel.signature,
        evidence=finding.evidence,
        speedup_bound=finding.speedup_bound,
        fix=finding.fix,
    )
