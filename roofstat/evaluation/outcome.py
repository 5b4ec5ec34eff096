"""What became of each row: a prediction, or the reason that there is none."""

from __future__ import annotations

import math
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.judgement import (
    JUDGED,
    contradicts_itself,
    decisive_quantities,
    judge,
)
from roofstat.evaluation.labels import Dim3, LabelRow, Quantity
from roofstat.roofline import NumberType, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.evaluation.matching import MatchLevel


class FailureKind(Enum):
    """Where the way from a row to a prediction ended."""

    HARDWARE = "hardware"
    SOURCE = "source"
    ANALYSIS = "analysis"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MATCH = "match"
    VERDICT = "verdict"
    LLM = "llm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a row has no prediction."""

    kind: FailureKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumptionNote:
    """An assumption that the prediction rests on."""

    kind: str
    text: str
    weight: float
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What the analysis says of a row's launch.

    Attributes:
        signature: The kernel that was matched; `file` and `line` are its place.
        level: How well its name fits the row's; `alternatives` counts other kernels that fit as well.
        grid: Launch that was analysed.
        amounts: Predicted quantities; what the analysis does not know is absent.
        verdict: Under the tables' rule and the row's ridges; the analysis's own where an unknown count decides.
        ratio: Intensity over the row's ridge by type.
        confidence: Probability that the verdict is right.
        compute_log_odds: How much a predictor without ratios leans to compute; None for the analysis, whose ratios say it.
    """

    signature: str
    file: str
    line: int | None
    level: MatchLevel
    alternatives: int
    grid: Dim3 | None
    block: Dim3 | None
    amounts: Mapping[Quantity, float]
    verdict: Verdict
    limiter: NumberType | None
    ratio: Mapping[NumberType, float]
    confidence: float
    bound_by: str | None
    attainable_time_s: float | None
    modelled_time_s: float | None
    assumptions: tuple[AssumptionNote, ...] = ()
    compute_log_odds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcome:
    """One row with its truth and what was predicted.

    Attributes:
        ridge_op_per_byte: The row's ridges, else its card's.
        truth: The label, given or derived; None for rows that only have counts.
        prediction: None where `failure` says why.
        decisive: For a wrong verdict, the smallest sets of quantities whose errors make it wrong.
    """

    row: LabelRow
    ridge_op_per_byte: Mapping[NumberType, float]
    truth: Verdict | None
    prediction: Prediction | None
    failure: Failure | None = None
    decisive: tuple[tuple[Quantity, ...], ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        """Find what makes a wrong verdict wrong."""
        if self.prediction is None and self.failure is None:
            raise ValueError("a row without a prediction needs the reason")
        if self.prediction is not None and self.truth is not None and not self.right:
            found = decisive_quantities(
                self.row.measured, self.prediction.amounts, self.ridge_op_per_byte, self.truth
            )
            object.__setattr__(self, "decisive", found)

    @property
    def right(self) -> bool:
        """Whether the verdict agrees with the truth; False without either."""
        return (
            self.truth is not None
            and self.prediction is not None
            and self.prediction.verdict is self.truth
        )

    @property
    def contradicts_itself(self) -> bool:
        """Whether the row's label is not what its own measurements and ridges give."""
        return contradicts_itself(self.row, self.ridge_op_per_byte)

    @property
    def true_limiter(self) -> NumberType | None:
        """Type with the largest measured intensity over ridge."""
        return judge(self.row.measured, self.ridge_op_per_byte).limiter

    @property
    def score(self) -> float:
        """Log of the largest predicted intensity over ridge: the larger, the more compute-bound.

        A row without a prediction gets the worst score that its truth allows.
        """
        if self.prediction is None:
            return -math.inf if self.truth is Verdict.COMPUTE else math.inf
        if self.prediction.compute_log_odds is not None:
            return self.prediction.compute_log_odds
        largest = max(self.prediction.ratio.values(), default=0.0)
        if largest == 0:
            return -math.inf
        return math.inf if math.isinf(largest) else math.log(largest)

    def value(self, quantity: Quantity) -> float:
        """The predicted quantity, NaN where there is none."""
        if self.prediction is None:
            return math.nan
        return self.prediction.amounts.get(quantity, math.nan)

    def ratio_to_measured(self, quantity: Quantity) -> float | None:
        """Predicted over measured; None where either is unknown or the measured value is zero."""
        measured = self.row.measured.get(quantity)
        value = self.value(quantity)
        if not measured or math.isnan(value):
            return None
        return value / measured

    def reason_chain(self) -> str:
        """One line that leads from the label to the error of a wrong row."""
        if self.prediction is None:
            failure = self.failure
            return f"not analysed: {failure.reason}" if failure else ""
        measured = judge(self.row.measured, self.ridge_op_per_byte)
        truth = f"{self.truth.value if self.truth else 'unlabelled'}{_by(measured.limiter, measured.ratio)}"
        said = (
            f"{self.prediction.verdict.value}{_by(self.prediction.limiter, self.prediction.ratio)}"
        )
        factors = ", ".join(
            f"{quantity.value} x{ratio:.2f}"
            for quantity in JUDGED
            if (ratio := self.ratio_to_measured(quantity)) is not None
        )
        parts = [f"truth {truth}", f"said {said}", factors, f"decisive: {self.decisive_word}"]
        if self.prediction.assumptions:
            heaviest = max(self.prediction.assumptions, key=lambda note: note.weight)
            parts.append(f"rests on {heaviest.kind}: {heaviest.text}")
        return "; ".join(part for part in parts if part)

    @property
    def decisive_word(self) -> str:
        """The most wrong decisive set, such as `int_op` or `int_op+dram_bytes`; `label` where there is none.

        Empty for right rows and rows without a prediction.
        """
        if self.right or self.prediction is None or self.truth is None:
            return ""
        if not self.decisive:
            return "label"
        return "+".join(quantity.value for quantity in self.decisive[0])


def _by(limiter: NumberType | None, ratio: Mapping[NumberType, float]) -> str:
    if limiter is None:
        return ""
    return f" ({limiter.value} at {ratio[limiter]:.3g} of its ridge)"
