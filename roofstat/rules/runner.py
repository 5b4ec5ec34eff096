"""From a report to its diagnostics: every rule on every kernel, each place once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from roofstat.report import Diagnostic, KernelReport, Report, Severity
from roofstat.rules.registry import RULES
from roofstat.rules.rule import Finding, Rule, RuleContext

__all__ = ["findings", "with_findings"]

_WORTH_SAYING = 1.05
"""What cannot make a launch faster by more than this is not said."""
_WORTH_WARNING = 1.2
"""Below, it is a note."""


def with_findings(
    report: Report, context: RuleContext | None = None, rules: Iterable[Rule] = RULES
) -> Report:
    """Return a report whose diagnostics hold what the rules find in its kernels, after those that it has."""
    found = findings(report, context or RuleContext(gpu=report.gpu), rules)
    return dataclasses.replace(report, diagnostics=(*report.diagnostics, *found))


def findings(
    report: Report, context: RuleContext, rules: Iterable[Rule] = RULES
) -> tuple[Diagnostic, ...]:
    """Return the findings in the order of their places; one for each rule and place, of the kernel that gains most."""
    best: dict[tuple[str, str, int | None, int | None], tuple[float, Diagnostic]] = {}
    for rule in rules:
        for kernel in report.kernels:
            for finding in _checked(rule, kernel, context):
                found = _diagnostic(rule, kernel, finding)
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


def _checked(rule: Rule, kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    if rule.check is None:
        return
    for finding in rule.check(kernel, context):
        if finding.speedup_bound is None or finding.speedup_bound >= _WORTH_SAYING:
            yield finding


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
