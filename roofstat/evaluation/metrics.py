"""Figures over predictions: pure functions of arrays, numpy only.

Classes are booleans, True for `compute`. A row without a prediction is scored as the opposite of its label.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

_BOOTSTRAP_SAMPLES: Final = 2000
_BOOTSTRAP_SEED: Final = 20250508
COVERAGE_SHARE: Final = 0.8
_CALIBRATION_BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Counts of rows by class (`positive` is compute)."""

    true_positive: int
    false_negative: int
    false_positive: int
    true_negative: int

    @property
    def rows(self) -> int:
        """All rows."""
        return self.true_positive + self.false_negative + self.false_positive + self.true_negative

    @property
    def accuracy(self) -> float | None:
        """Share of right rows; None without rows."""
        return _ratio(self.true_positive + self.true_negative, self.rows)

    @property
    def recalls(self) -> tuple[float | None, float | None]:
        """Recall of compute and of bandwidth; None for a class without rows."""
        return (
            _ratio(self.true_positive, self.true_positive + self.false_negative),
            _ratio(self.true_negative, self.true_negative + self.false_positive),
        )

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean recall of the classes that occur; None without rows."""
        present = [recall for recall in self.recalls if recall is not None]
        return sum(present) / len(present) if present else None

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of the classes that occur among the labels; None without rows."""
        scores = []
        for hit, missed, false in (
            (self.true_positive, self.false_negative, self.false_positive),
            (self.true_negative, self.false_positive, self.false_negative),
        ):
            if hit + missed:
                scores.append(2 * hit / (2 * hit + missed + false))
        return sum(scores) / len(scores) if scores else None

    @property
    def mcc(self) -> float | None:
        """Matthews correlation; 0 where a row or column of the table is empty, None without rows."""
        if not self.rows:
            return None
        positive, negative = (
            self.true_positive + self.false_negative,
            self.true_negative + self.false_positive,
        )
        said_positive, said_negative = (
            self.true_positive + self.false_positive,
            self.true_negative + self.false_negative,
        )
        denominator = math.sqrt(positive * negative * said_positive * said_negative)
        if denominator == 0:
            return 0.0
        return (
            self.true_positive * self.true_negative - self.false_positive * self.false_negative
        ) / denominator


def confusion(truth: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> Confusion:
    """Count rows by true and predicted class."""
    return Confusion(
        true_positive=int(np.sum(truth & predicted)),
        false_negative=int(np.sum(truth & ~predicted)),
        false_positive=int(np.sum(~truth & predicted)),
        true_negative=int(np.sum(~truth & ~predicted)),
    )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def auroc(truth: NDArray[np.bool_], score: NDArray[np.float64]) -> float | None:
    """Probability that a positive row scores above a negative one, ties counting one half.

    Args:
        truth: Positive rows.
        score: Any score; infinities are allowed, NaN is not.

    Returns:
        None where a class has no rows.
    """
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return None
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    last_rank = np.cumsum(counts)
    mean_rank = last_rank - (counts - 1) / 2
    rank_sum = float(mean_rank[inverse][truth].sum())
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Rows whose confidence lies in [low, high) (the last bin includes its upper end)."""

    low: float
    high: float
    rows: int
    mean_confidence: float
    accuracy: float


def calibration_bins(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], bins: int = _CALIBRATION_BINS
) -> tuple[CalibrationBin, ...]:
    """Bins of equal width over [0, 1]; empty bins are left out."""
    index = np.minimum((confidence * bins).astype(int), bins - 1)
    found = []
    for number in range(bins):
        inside = index == number
        if inside.any():
            found.append(
                CalibrationBin(
                    low=number / bins,
                    high=(number + 1) / bins,
                    rows=int(inside.sum()),
                    mean_confidence=float(confidence[inside].mean()),
                    accuracy=float(right[inside].mean()),
                )
            )
    return tuple(found)


def expected_calibration_error(bins: Sequence[CalibrationBin]) -> float | None:
    """Mean of |accuracy - mean confidence| over bins, weighted by rows; None without rows."""
    rows = sum(entry.rows for entry in bins)
    if not rows:
        return None
    return sum(entry.rows * abs(entry.accuracy - entry.mean_confidence) for entry in bins) / rows


def accuracy_at_coverage(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], share: float = COVERAGE_SHARE
) -> float | None:
    """Accuracy over the surest `share` of the rows.

    Rows that tie at the cut count in equal parts, so that their order does not matter. At least one row is kept.
    """
    rows = len(confidence)
    if not rows:
        return None
    kept = max(1, math.ceil(share * rows - 1e-9))
    cut = np.sort(confidence)[::-1][kept - 1]
    above, tied = confidence > cut, confidence == cut
    from_ties = (kept - int(above.sum())) * float(right[tied].mean())
    return (float(right[above].sum()) + from_ties) / kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """95 % intervals (percentiles 2.5 and 97.5 of the bootstrap)."""

    accuracy: tuple[float, float]
    balanced_accuracy: tuple[float, float]


def clustered_bootstrap(
    truth: NDArray[np.bool_],
    right: NDArray[np.bool_],
    clusters: Sequence[Hashable],
    *,
    samples: int = _BOOTSTRAP_SAMPLES,
    seed: int = _BOOTSTRAP_SEED,
) -> Intervals | None:
    """Intervals from drawing whole clusters with replacement; None with fewer than two clusters.

    Rows of one program err together, so that rows drawn one by one would give intervals that are too narrow.
    """
    order = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    if len(order) < 2:
        return None
    index = np.array([order[cluster] for cluster in clusters])
    columns = [
        np.bincount(index, weights=part, minlength=len(order))
        for part in (truth, ~truth, truth & right, ~truth & right)
    ]
    table = np.stack(columns, axis=1)
    # how often each cluster is drawn is multinomial; the product adds the drawn clusters' counts
    draws = np.random.default_rng(seed).multinomial(
        len(order), np.full(len(order), 1 / len(order)), size=samples
    )
    positives, negatives, positive_hits, negative_hits = (draws @ table).T
    accuracy = (positive_hits + negative_hits) / (positives + negatives)
    with np.errstate(invalid="ignore"):
        recalls = np.stack([positive_hits / positives, negative_hits / negatives])
    present = ~np.isnan(recalls)
    balanced = np.where(present, recalls, 0.0).sum(axis=0) / present.sum(axis=0)
    return Intervals(accuracy=_percentiles(accuracy), balanced_accuracy=_percentiles(balanced))


def _percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def group_mean_accuracy(right: NDArray[np.bool_], groups: Sequence[Hashable]) -> float | None:
    """Mean over groups of the accuracy within the group: every program counts the same."""
    members: dict[Hashable, list[bool]] = {}
    for group, hit in zip(groups, right.tolist(), strict=True):
        members.setdefault(group, []).append(hit)
    if not members:
        return None
    return sum(sum(hits) / len(hits) for hits in members.values()) / len(members)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioStatistics:
    """How predicted values compare with measured ones.

    Attributes:
        n: Rows whose measured value is not zero; the shares `within_*` and `zero_missed` are over these. Rows without
            a prediction are among them and within nothing.
        missing: Rows of `n` without a prediction.
        median_ratio: Median of predicted / measured over the rows of `n` with a prediction.
        p10_ratio: Tenth percentile of the same; `p90_ratio` likewise.
        within_2x: Share with a ratio from 1/2 to 2; `within_*pct` are shares with |ratio - 1| at most that.
        zero_missed: Share of `n` predicted zero.
        zero_rows: Rows whose measured value is zero.
        zero_invented: Share of `zero_rows` predicted above zero; None without such rows.
    """

    n: int
    missing: int
    median_ratio: float | None
    p10_ratio: float | None
    p90_ratio: float | None
    within_10pct: float | None
    within_25pct: float | None
    within_50pct: float | None
    within_2x: float | None
    zero_missed: float | None
    zero_rows: int
    zero_invented: float | None


def ratio_statistics(
    measured: NDArray[np.float64], predicted: NDArray[np.float64]
) -> RatioStatistics:
    """Compare predictions with measurements.

    Args:
        measured: Measured values, none negative.
        predicted: Predicted values; NaN where there is no prediction.
    """
    nonzero = measured > 0
    rows, zeros = int(nonzero.sum()), int((~nonzero).sum())
    given = predicted[nonzero]
    ratio = given / measured[nonzero]
    known = ratio[~np.isnan(ratio)]

    def share(hits: NDArray[np.bool_], whole: int) -> float | None:
        return _ratio(int(np.sum(hits)), whole)

    def within(tolerance: float) -> float | None:
        # one part in 10^12 of slack keeps 1.1 within 10 % whatever the rounding of the division
        return share(np.abs(known - 1) <= tolerance + 1e-12, rows)

    def percentile(level: float) -> float | None:
        return _percentile(known, level) if len(known) else None

    return RatioStatistics(
        n=rows,
        missing=rows - len(known),
        median_ratio=percentile(50),
        p10_ratio=percentile(10),
        p90_ratio=percentile(90),
        within_10pct=within(0.10),
        within_25pct=within(0.25),
        within_50pct=within(0.50),
        within_2x=share((known >= 0.5) & (known <= 2), rows),
        zero_missed=share(known == 0, rows),
        zero_rows=zeros,
        zero_invented=share(predicted[~nonzero] > 0, zeros),
    )


def _percentile(values: NDArray[np.float64], level: float) -> float:
    """Linear between neighbours, like numpy's, but defined for infinite values too."""
    ordered = np.sort(values)
    position = (len(ordered) - 1) * level / 100
    below, above = ordered[math.floor(position)], ordered[math.ceil(position)]
    share = position - math.floor(position)
    return float(below) if share == 0 or below == above else float(below + (above - below) * share)


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Exact two-sided test of two evaluations on the same rows.

    Attributes:
        improved: Rows that only the new one has right; `regressed`: only the old one.
        p_value: Probability of a split at least as uneven if both were equally good.
    """

    improved: int
    regressed: int
    p_value: float


NOISE_P: Final = 0.05
"""Above this probability a difference of two predictors is called noise."""


def mcnemar(improved: int, regressed: int) -> McNemar:
    """Exact binomial McNemar test from the two discordant counts."""
    total = improved + regressed
    tail = sum(math.comb(total, k) for k in range(min(improved, regressed) + 1))
    return McNemar(improved=improved, regressed=regressed, p_value=min(1.0, 2 * tail / 2**total))
