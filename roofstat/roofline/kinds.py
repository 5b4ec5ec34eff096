"""The words that verdicts are made of."""

from __future__ import annotations

import enum

__all__ = ["BoundBy", "JudgeRule", "NumberType", "Verdict"]


class NumberType(enum.Enum):
    """Types of arithmetic that have a roof of their own."""

    FP32 = "fp32"
    FP64 = "fp64"
    FP16 = "fp16"
    INT = "int"
    TENSOR = "tensor"


class Verdict(enum.Enum):
    """Side of the roofline's ridge."""

    BANDWIDTH = "bandwidth"
    """Every type's intensity is below its ridge."""
    COMPUTE = "compute"
    """At least one type's intensity is at or above its ridge."""
    UNKNOWN = "unknown"
    """Nothing to judge: the kernel has no body, or a quantity that would decide is unknown."""


class BoundBy(enum.Enum):
    """What most likely limits the time of a launch."""

    DRAM = "dram"
    L2 = "l2"
    SHARED = "shared"
    CONSTANT = "constant"
    """The cache of constant memory, which serves one address at a time to the threads of a warp."""
    FP32 = "fp32"
    FP64 = "fp64"
    FP16 = "fp16"
    INT = "int"
    SPECIAL = "special"
    TENSOR = "tensor"
    ISSUE = "issue"
    """The schedulers, which issue one instruction of a warp a clock, of whatever kind."""
    ATOMICS = "atomics"
    LATENCY = "latency"
    LAUNCH = "launch"


class JudgeRule(enum.Enum):
    """Which types a verdict looks at."""

    ALL = "all"
    PAPER = "paper"
    """FP32, FP64 and integer only: the rule of arXiv 2505.03988 and of the label tables."""

    @property
    def types(self) -> tuple[NumberType, ...]:
        """The types judged, in the order that breaks ties of the limiter."""
        if self is JudgeRule.PAPER:
            return (NumberType.FP32, NumberType.FP64, NumberType.INT)
        return tuple(NumberType)
