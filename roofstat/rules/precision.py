"""What FP64 work on a line costs a kernel."""

from __future__ import annotations

from roofstat.report import BoundBy, Evidence, KernelReport, PatternKind, PatternReport, WarpStep
from roofstat.rules.gains import step_share

__all__ = ["called", "double_share_evidence", "double_work_savings", "float_version"]

_OPERATIONS = {"max": "fmax", "min": "fmin", "abs": "fabs"}
"""Operations that have another name as functions of the C library."""


def called(operation: str) -> str:
    """Return the name of the double function behind an operation.

    >>> called("max"), called("pow")
    ('fmax', 'pow')
    """
    return _OPERATIONS.get(operation, operation)


def float_version(operation: str) -> str:
    """Return the name of the float function for an operation.

    >>> float_version("max"), float_version("exp")
    ('fmaxf', 'expf')
    """
    return f"{called(operation)}f"


def double_work_savings(kernel: KernelReport) -> dict[BoundBy, float]:
    """Return what goes away if no line with such a pattern did FP64 work; the FP32 work instead is left out of the bound."""
    places = {
        (each.line, each.file)
        for each in kernel.patterns
        if each.kind in (PatternKind.DOUBLE_LITERAL, PatternKind.DOUBLE_FUNCTION)
    }
    total = kernel.counts.dp_flop
    share = sum(_flop(kernel, line, file) for line, file in places) / total if total else 0.0
    waits = step_share(kernel, WarpStep.ARITHMETIC) + step_share(kernel, WarpStep.FUNCTION)
    return {
        BoundBy.FP64: share,
        # Conversions run where special functions do.
        BoundBy.SPECIAL: 1.0,
        BoundBy.ISSUE: share,
        BoundBy.LATENCY: waits + step_share(kernel, WarpStep.ISSUE),
    }


def double_share_evidence(kernel: KernelReport, pattern: PatternReport) -> tuple[Evidence, ...]:
    """Return the numbers behind a finding about precision."""
    flop, total = _flop(kernel, pattern.line, pattern.file), kernel.counts.dp_flop
    return (
        Evidence(name="executions by threads", value=pattern.executions),
        Evidence(name="FP64 work of the line", value=flop, unit="FLOP"),
        Evidence(
            name="of the FP64 work of the kernel",
            value=100 * flop / total if total else 0.0,
            unit="%",
        ),
    )


def _flop(kernel: KernelReport, place: int, file: str | None) -> float:
    return sum(
        line.counts.dp_flop or 0.0
        for line in kernel.lines
        if (line.line, line.file) == (place, file)
    )
