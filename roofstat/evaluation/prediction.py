"""From the analysis's report to what is compared with a label row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.evaluation.judgement import Judgement, judge
from roofstat.evaluation.labels import LabelRow, Quantity
from roofstat.evaluation.matching import Candidate, Match, NoMatch, match_row
from roofstat.evaluation.outcome import AssumptionNote, Failure, FailureKind, Prediction
from roofstat.hardware.units import SECTOR_BYTES
from roofstat.report import Language, strongest_weights
from roofstat.roofline import NumberType, Verdict, confidence, confidence_parameters, log_absorbed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.report import KernelReport


def candidate(kernel: KernelReport) -> Candidate:
    """What matching needs to know of a kernel."""
    openmp = kernel.language is Language.OPENMP
    launch = kernel.launch
    return Candidate(
        language=kernel.language,
        signature=(kernel.function or kernel.signature) if openmp else kernel.signature,
        directive_line=kernel.line if openmp else None,
        file=kernel.file,
        grid=launch.grid if launch else None,
        block=launch.block if launch else None,
        index=launch.index if launch else 0,
        library=(kernel.library.variant, kernel.library.element) if kernel.library else None,
    )


def predict(
    row: LabelRow,
    kernels: Sequence[KernelReport],
    ridge_op_per_byte: Mapping[NumberType, float],
    *,
    by_launch: bool,
) -> Prediction | Failure:
    """Find the row's kernel and judge it by the tables' rule.

    Args:
        row: The label row.
        kernels: What the analysis reports for the row's program.
        ridge_op_per_byte: Ridges to judge with.
        by_launch: Prefer the launch whose grid and block are the row's; otherwise the first launch is taken.
    """
    match = match_row(row, [candidate(kernel) for kernel in kernels], by_launch=by_launch)
    if isinstance(match, NoMatch):
        return Failure(kind=FailureKind.MATCH, reason=match.reason)
    return _prediction(kernels[match.position], match, ridge_op_per_byte)


def _prediction(
    kernel: KernelReport, match: Match, ridge_op_per_byte: Mapping[NumberType, float]
) -> Prediction | Failure:
    amounts = _predicted_amounts(kernel)
    judgement = judge(amounts, ridge_op_per_byte)
    verdict = judgement.verdict if judgement.verdict is not Verdict.UNKNOWN else kernel.verdict
    if verdict is Verdict.UNKNOWN:
        return Failure(kind=FailureKind.VERDICT, reason=_why_unknown(kernel))
    launch = kernel.launch
    return Prediction(
        signature=candidate(kernel).signature,
        file=kernel.file,
        line=kernel.line,
        level=match.level,
        alternatives=match.alternatives,
        grid=launch.grid if launch else None,
        block=launch.block if launch else None,
        amounts=amounts,
        verdict=verdict,
        limiter=judgement.limiter,
        ratio=judgement.ratio,
        confidence=_confidence(kernel, judgement),
        bound_by=kernel.bound_by.value if kernel.bound_by else None,
        attainable_time_s=kernel.attainable_time_s,
        modelled_time_s=kernel.modelled_time_s,
        assumptions=tuple(
            AssumptionNote(kind=note.kind.value, text=note.text, weight=note.weight, line=note.line)
            for note in kernel.assumptions
        ),
    )


def _confidence(kernel: KernelReport, judgement: Judgement) -> float:
    """Of the verdict at the row's ridges, which may lie elsewhere than the card's."""
    if judgement.verdict is Verdict.UNKNOWN:
        return 0.5 if kernel.confidence is None else kernel.confidence
    traffic = kernel.traffic
    spread = confidence_parameters().spread(
        judgement.verdict,
        strongest_weights(kernel.assumptions),
        log_absorbed(traffic.l2_bytes, traffic.profiled.total_bytes),
    )
    return min(confidence(judgement.ratio.values(), spread), kernel.highest_confidence)


def _why_unknown(kernel: KernelReport) -> str:
    reasons = "; ".join(f"{place}: {reason}" for place, reason in kernel.unknown.items())
    return f"the verdict is unknown ({reasons})" if reasons else "the verdict is unknown"


def _predicted_amounts(kernel: KernelReport) -> dict[Quantity, float]:
    """The quantities that label tables measure, without those that the report does not know."""
    traffic, counts = kernel.traffic, kernel.counts
    local = traffic.local_bytes
    amounts = {
        Quantity.SP_FLOP: counts.sp_flop,
        Quantity.DP_FLOP: counts.dp_flop,
        Quantity.HP_FLOP: counts.hp_flop,
        Quantity.INT_OP: counts.int_op,
        Quantity.DRAM_BYTES: traffic.profiled.total_bytes,
        Quantity.DRAM_READ_BYTES: traffic.profiled.read_bytes,
        Quantity.DRAM_WRITE_BYTES: traffic.profiled.write_bytes,
        Quantity.L2_BYTES: traffic.l2_bytes,
        Quantity.GLOBAL_LD_REQUESTS: traffic.global_ld_requests,
        Quantity.GLOBAL_LD_SECTORS: traffic.global_ld_sectors,
        Quantity.GLOBAL_ST_REQUESTS: traffic.global_st_requests,
        Quantity.GLOBAL_ST_SECTORS: traffic.global_st_sectors,
        Quantity.SHARED_BANK_CONFLICTS: traffic.shared_bank_conflicts,
        Quantity.LOCAL_SECTORS: None if local is None else local / SECTOR_BYTES,
    }
    return {
        quantity: float(amount)
        for quantity, amount in amounts.items()
        if amount is not None and math.isfinite(amount)
    }
