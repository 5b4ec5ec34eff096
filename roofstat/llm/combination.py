"""One verdict from a static one and an answer, by a stated rule; and when an answer is not counted at all."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.llm.answers import Answer
from roofstat.report import KernelReport, OpinionFlag
from roofstat.roofline import NumberType, Verdict

__all__ = [
    "CombinationRule",
    "Combined",
    "combination_rule",
    "combine",
    "compute_log_odds",
    "contradicts_itself",
]

_TRUSTED_DESPITE: Final = frozenset({OpinionFlag.CONTRADICTS_ITSELF})
"""Flags that inform without keeping an answer from being counted."""
_COUNT_NAMES: Final = {
    NumberType.FP32: "sp_flop",
    NumberType.FP64: "dp_flop",
    NumberType.FP16: "hp_flop",
    NumberType.TENSOR: "tensor_flop",
    NumberType.INT: "int_op",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationRule:
    """Weights and limits; `data/combination.toml` says where they come from."""

    static_weight: float
    llm_weight: float
    highest_llm: float
    llm_without_confidence: float
    confident_static: float
    uncertain_below: float
    heavy_assumption: float
    asked_kinds: frozenset[str]

    def is_uncertain(self, kernel: KernelReport) -> bool:
        """Whether a second opinion on a kernel is worth its price."""
        if kernel.confidence is None or kernel.confidence < self.uncertain_below:
            return True
        return any(
            item.kind.value in self.asked_kinds and item.weight >= self.heavy_assumption
            for item in kernel.assumptions
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """The verdict of both, its probability, and why the answer is not simply believed."""

    verdict: Verdict
    confidence: float | None
    flags: tuple[OpinionFlag, ...]


def combine(
    static: Verdict,
    static_confidence: float | None,
    answer: Answer | None,
    *,
    flags: Sequence[OpinionFlag] = (),
    rule: CombinationRule | None = None,
) -> Combined:
    """Combine a static verdict with an answer.

    Args:
        static: The static verdict.
        static_confidence: Its probability; None where unknown.
        answer: What the model said; None where it said nothing.
        flags: What is known against the answer.
        rule: Weights; the shipped ones by default.

    >>> said = Answer(verdict=Verdict.COMPUTE, confidence=0.9)
    >>> found = combine(Verdict.BANDWIDTH, 0.6, said)
    >>> found.verdict, round(found.confidence, 3)
    (<Verdict.COMPUTE: 'compute'>, 0.667)
    """
    chosen = rule or combination_rule()
    if answer is None:
        return Combined(verdict=static, confidence=static_confidence, flags=tuple(flags))
    found = dict.fromkeys(flags)
    sure = static_confidence if static_confidence is not None else 0.5
    if (
        static is not Verdict.UNKNOWN
        and answer.verdict is not static
        and sure >= chosen.confident_static
    ):
        found[OpinionFlag.CONTRADICTS_STATIC] = None
    if not found.keys() <= _TRUSTED_DESPITE:
        return Combined(verdict=static, confidence=static_confidence, flags=tuple(found))
    said = chosen.llm_without_confidence if answer.confidence is None else answer.confidence
    odds = chosen.llm_weight * compute_log_odds(answer.verdict, min(said, chosen.highest_llm))
    if static is not Verdict.UNKNOWN:
        odds += chosen.static_weight * compute_log_odds(static, sure)
    verdict = Verdict.COMPUTE if odds > 0 else Verdict.BANDWIDTH
    if odds == 0:
        verdict = answer.verdict if static is Verdict.UNKNOWN else static
    return Combined(verdict=verdict, confidence=1 / (1 + math.exp(-abs(odds))), flags=tuple(found))


def contradicts_itself(answer: Answer, ridge_op_per_byte: Mapping[NumberType, float]) -> bool:
    """Whether the verdict does not follow from the numbers of the same answer; False where they do not suffice."""
    read, write = (answer.amounts.get(name) for name in ("dram_read_bytes", "dram_write_bytes"))
    if read is None or write is None:
        return False
    ratios = [
        count / (ridge * (read + write)) if read + write else math.inf if count else 0.0
        for kind, ridge in ridge_op_per_byte.items()
        if (count := answer.amounts.get(_COUNT_NAMES[kind])) is not None
    ]
    if any(ratio >= 1 for ratio in ratios):
        return answer.verdict is not Verdict.COMPUTE
    return len(ratios) == len(ridge_op_per_byte) and answer.verdict is not Verdict.BANDWIDTH


def compute_log_odds(verdict: Verdict, confidence: float) -> float:
    """Return the log-odds of compute; below a confidence of one half a verdict speaks for the other one."""
    clipped = min(max(confidence, 1e-3), 1 - 1e-3)
    odds = math.log(clipped / (1 - clipped))
    return odds if verdict is Verdict.COMPUTE else -odds


@functools.cache
def combination_rule() -> CombinationRule:
    """Return the shipped rule."""
    file = resources.files("roofstat.llm") / "data" / "combination.toml"
    table: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    return CombinationRule(**{**table, "asked_kinds": frozenset(table["asked_kinds"])})
