"""Where a kernel lands on a roofline: pure arithmetic over work and peaks, no source code."""

from roofstat.roofline.confidence import (
    ConfidenceParameters,
    confidence,
    confidence_parameters,
    decision_distance,
    log_absorbed,
)
from roofstat.roofline.display import display_read_bytes
from roofstat.roofline.kinds import BoundBy, JudgeRule, NumberType, Verdict
from roofstat.roofline.placement import Interval, Placement, place, ridges
from roofstat.roofline.times import (
    issued_op_per_s,
    latency_time_s,
    launch_terms,
    resource_times_s,
)
from roofstat.roofline.work import UNKNOWN_WORK, Work

__all__ = [
    "UNKNOWN_WORK",
    "BoundBy",
    "ConfidenceParameters",
    "Interval",
    "JudgeRule",
    "NumberType",
    "Placement",
    "Verdict",
    "Work",
    "confidence",
    "confidence_parameters",
    "decision_distance",
    "display_read_bytes",
    "issued_op_per_s",
    "latency_time_s",
    "launch_terms",
    "log_absorbed",
    "place",
    "resource_times_s",
    "ridges",
]
