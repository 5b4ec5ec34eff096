"""What FP64 work on a line costs a kernel."""

from __future__ import annotations

from roofstat.report import BoundBy, Evidence, KernelReport, PatternReport, WarpStep
from roofstat.rules.gains import step_share

__all__ = ["double_share_evidence", "double_work_savings"]


def double_work_savings(kernel: KernelReport, pattern: PatternReport) -> dict[BoundBy, float]:
    """Return what goes away if a line did no FP64 work; what it does in FP32 instead is left out of the bound."""
    return {
        BoundBy.FP64: _share(kernel, pattern),
        # Conversions run where special functions do.
        BoundBy.SPECIAL: 1.0,
        BoundBy.LATENCY: step_share(kernel, WarpStep.ARITHMETIC)
        + step_share(kernel, WarpStep.FUNCTION)
        + step_share(kernel, WarpStep.ISSUE),
    }


def double_share_evidence(kernel: KernelReport, pattern: PatternReport) -> tuple[Evidence, ...]:
    """Return the numbers behind a finding about precision."""
    return (
        Evidence(name="executions by threads", value=pattern.executions),
        Evidence(name="FP64 work of the line", value=_line_flop(kernel, pattern), unit="FLOP"),
        Evidence(
            name="of the FP64 work of the kernel", value=100 * _share(kernel, pattern), unit="%"
        ),
    )


def _line_flop(kernel: KernelReport, pattern: PatternReport) -> float:
    return sum(
        line.counts.dp_flop or 0.0
        for line in kernel.lines
        if (line.line, line.file) == (pattern.line, pattern.file)
    )


def _share(kernel: KernelReport, pattern: PatternReport) -> float:
    total = kernel.counts.dp_flop
    return _line_flop(kernel, pattern) / total if total else 0.0
