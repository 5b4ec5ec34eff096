"""The verdict on one launch: intensity against ridge for each type, limiter, attainable time, what binds it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import Gpu
from roofstat.roofline.confidence import (
    ConfidenceParameters,
    confidence,
    confidence_parameters,
    log_absorbed,
)
from roofstat.roofline.kinds import BoundBy, JudgeRule, NumberType, Verdict
from roofstat.roofline.times import (
    NOT_WORK,
    binding_resource,
    least_times_s,
    modelled_time_s,
    peak_op_per_s,
    resource_times_s,
)
from roofstat.roofline.work import Work

__all__ = ["Interval", "Placement", "place", "ridges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A range that should hold the true value in the stated share of cases."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where one launch lands on the roofline of one GPU.

    Attributes:
        verdict: Which side of the ridge.
        limiter: The type with the largest intensity over ridge; None where no type has work or all is unknown.
        confidence: Probability that a profiler gives the same verdict, 0.5 to 1.
        ratio: Intensity over ridge by type, for judged types with a known intensity; infinite without DRAM traffic.
        intensity: Operations for each DRAM byte by type; None where unknown, infinite for work without traffic.
        intensity_interval: Range of the intensity by type, where it is known and finite.
        ridge: Peak over DRAM bandwidth by type, for the types that the card has.
        unknown: Why an intensity is unknown or infinite, by type.
        times_s: Time that each resource needs alone.
        bound_by: The resource that needs longest (`binding_resource`); None where nothing is known.
        attainable_time_s: Longest of the times of memory and arithmetic, of the certain part of the work: no launch can
            be faster at these peaks.
        modelled_time_s: What a launch most likely takes, latency and launch included.
    """

    verdict: Verdict
    limiter: NumberType | None
    confidence: float
    ratio: Mapping[NumberType, float]
    intensity: Mapping[NumberType, float | None]
    intensity_interval: Mapping[NumberType, Interval]
    ridge: Mapping[NumberType, float]
    unknown: Mapping[NumberType, str]
    times_s: Mapping[BoundBy, float]
    bound_by: BoundBy | None
    attainable_time_s: float | None
    modelled_time_s: float | None


def ridges(gpu: Gpu, work: Work | None = None) -> dict[NumberType, float]:
    """Return the ridge of each type that the card has, in operations for each DRAM byte.

    The matrix ridge is that of the mix of input types in `work`, or of FP16 without one.

    >>> from roofstat.hardware import load_gpu
    >>> [round(ridge, 2) for ridge in list(ridges(load_gpu("rtx3080-paper")).values())[:2]]
    [32.97, 0.52]
    """
    peaks = {kind: peak_op_per_s(gpu, kind, work) for kind in NumberType}
    return {kind: peak / gpu.dram_bytes_per_s for kind, peak in peaks.items() if peak}


def place(
    work: Work,
    gpu: Gpu,
    *,
    certain: Work | None = None,
    assumption_weights: Sequence[float] = (),
    rule: JudgeRule = JudgeRule.ALL,
    parameters: ConfidenceParameters | None = None,
) -> Placement:
    """Return where the work of one launch lands on a GPU's roofline.

    Args:
        work: What the launch does; its DRAM bytes are those of the regime to judge.
        gpu: The card.
        certain: The part of the work that no guess decided on; all of it by default.
        assumption_weights: Spread that assumptions add to the natural logarithm of the intensity, the largest of
            each kind.
        rule: Which types the verdict looks at.
        parameters: Calibration of the confidence; the shipped one by default.
    """
    fitted = parameters or confidence_parameters()
    ridge = ridges(gpu, work)
    intensity, unknown = _intensities(work, ridge)
    ratio = {
        kind: known / ridge[kind]
        for kind in rule.types
        if kind in ridge and (known := intensity[kind]) is not None
    }
    verdict = _verdict(ratio, unjudged=_unjudged(work, ridge, intensity, rule))
    limiter = max(ratio, key=lambda kind: ratio[kind]) if any(ratio.values()) else None
    times = resource_times_s(work, gpu)
    bounds = least_times_s(certain or work, gpu)
    work_times = [seconds for resource, seconds in bounds.items() if resource not in NOT_WORK]
    is_timed = bool(times) and work.is_known
    absorbed = log_absorbed(work.l2_bytes, work.dram_bytes)
    below = fitted.spread(Verdict.COMPUTE, assumption_weights, absorbed)
    above = fitted.spread(Verdict.BANDWIDTH, assumption_weights)
    return Placement(
        verdict=verdict,
        limiter=limiter,
        confidence=(
            0.5
            if verdict is Verdict.UNKNOWN
            else confidence(ratio.values(), below if verdict is Verdict.COMPUTE else above, fitted)
        ),
        ratio=ratio,
        intensity=intensity,
        intensity_interval={
            kind: Interval(
                low=value * math.exp(-fitted.reach(Verdict.COMPUTE, assumption_weights, absorbed)),
                high=value * math.exp(fitted.reach(Verdict.BANDWIDTH, assumption_weights)),
            )
            for kind, value in intensity.items()
            if value is not None and math.isfinite(value)
        },
        ridge=ridge,
        unknown=unknown,
        times_s=times,
        bound_by=binding_resource(times) if is_timed else None,
        attainable_time_s=max(work_times) if work_times else None,
        modelled_time_s=modelled_time_s(times) if is_timed else None,
    )


def _intensities(
    work: Work, ridge: Mapping[NumberType, float]
) -> tuple[dict[NumberType, float | None], dict[NumberType, str]]:
    intensity: dict[NumberType, float | None] = {}
    unknown: dict[NumberType, str] = {}
    for kind in NumberType:
        amount = work.amount(kind)
        intensity[kind] = None
        if amount is None:
            unknown[kind] = "the amount of work is unknown"
        elif work.dram_bytes is None:
            unknown[kind] = "the DRAM traffic is unknown"
        elif amount == 0:
            intensity[kind] = 0.0
        elif work.dram_bytes == 0:
            intensity[kind] = math.inf
            unknown[kind] = "infinite: there is work but no DRAM traffic"
        else:
            intensity[kind] = amount / work.dram_bytes
        if amount and kind not in ridge:
            unknown.setdefault(kind, "no peak of this type is known for the card")
    return intensity, unknown


def _unjudged(
    work: Work,
    ridge: Mapping[NumberType, float],
    intensity: Mapping[NumberType, float | None],
    rule: JudgeRule,
) -> bool:
    return any(
        intensity[kind] is None or (kind not in ridge and work.amount(kind)) for kind in rule.types
    )


def _verdict(ratio: Mapping[NumberType, float], *, unjudged: bool) -> Verdict:
    if any(value >= 1 for value in ratio.values()):
        return Verdict.COMPUTE
    return Verdict.UNKNOWN if unjudged else Verdict.BANDWIDTH
