"""RS402: a target region moves its arrays at every launch."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, PatternKind, Severity
from roofstat.rules.rule import Example, Finding, Rule, RuleContext

_OFTEN = 10
"""Launches from which a finding is a warning."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for pattern in kernel.patterns:
        if pattern.kind is PatternKind.MAPPED_EACH_LAUNCH:
            yield Finding(
                message=f"{pattern.subject} {'are' if ',' in pattern.subject else 'is'} moved between host and GPU at each of "
                f"{pattern.executions:,.0f} launches",
                line=pattern.line,
                column=pattern.column,
                file=pattern.file,
                help="put the loop around the launches into a target data region with these maps",
                severity=None if pattern.executions >= _OFTEN else Severity.NOTE,
                evidence=(Evidence(name="launches", value=pattern.executions),),
            )


_SOURCE = """#include <stdlib.h>
int main() {{
  int n = 1 << 20;
  float *x = (float *)malloc(n * sizeof(float));
{before}  for (int step = 0; step < 100; step++) {{
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
    for (int i = 0; i < n; i++) x[i] = 0.5f * x[i] + 1.0f;
  }}
}}
"""

RULE = Rule(
    code="RS402",
    name="repeated-map",
    detects="An OpenMP target region that is launched repeatedly and maps arrays itself, in a program without any `target data`, "
    "`target enter data` or `declare target` that would keep them on the GPU.",
    costs="Each launch moves the arrays over PCIe or NVLink, at a hundredth to a tenth of the bandwidth of the GPU's memory.",
    wrong_when="The host changes the data between the launches, or memory is unified.",
    bad=Example(source=_SOURCE.format(before=""), suffix=".cpp"),
    good=Example(
        source=_SOURCE.format(before="#pragma omp target data map(tofrom : x[0 : n])\n"),
        suffix=".cpp",
    ),
    check=_check,
)
