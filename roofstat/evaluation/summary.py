"""Figures over a set of rows: the whole evaluation, and every part of it, in the same form."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.judgement import intensity
from roofstat.evaluation.labels import COUNT_OF_TYPE, Quantity
from roofstat.evaluation.metrics import (
    COVERAGE_SHARE,
    CalibrationBin,
    Confusion,
    Intervals,
    RatioStatistics,
    accuracy_at_coverage,
    auroc,
    calibration_bins,
    clustered_bootstrap,
    confusion,
    expected_calibration_error,
    group_mean_accuracy,
    ratio_statistics,
)
from roofstat.roofline import NumberType, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roofstat.evaluation.outcome import RowOutcome

_SECTOR_PAIRS: Final[Mapping[str, tuple[tuple[Quantity, ...], tuple[Quantity, ...]]]] = {
    "global_ld_sectors_per_request": (
        (Quantity.GLOBAL_LD_SECTORS,),
        (Quantity.GLOBAL_LD_REQUESTS,),
    ),
    "global_st_sectors_per_request": (
        (Quantity.GLOBAL_ST_SECTORS,),
        (Quantity.GLOBAL_ST_REQUESTS,),
    ),
    "global_sectors_per_request": (
        (Quantity.GLOBAL_LD_SECTORS, Quantity.GLOBAL_ST_SECTORS),
        (Quantity.GLOBAL_LD_REQUESTS, Quantity.GLOBAL_ST_REQUESTS),
    ),
}
"""Derived ratios: sums of the first over sums of the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How far confidences can be trusted, over labelled rows.

    Attributes:
        ece: Expected calibration error over rows with a prediction.
        accuracy_at_80pct_coverage: Over the surest 80 % of all labelled rows; rows without a prediction are the least
            sure.
        auroc: Probability that a right verdict is surer than a wrong one.
    """

    ece: float | None
    bins: tuple[CalibrationBin, ...]
    accuracy_at_80pct_coverage: float | None
    auroc: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A rule without any analysis, on the same rows."""

    accuracy: float | None
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Figures over one set of rows. Accuracies are over `labelled` rows.

    Attributes:
        rows: All rows; `labelled` have a truth; `predicted` have a prediction.
        labelled_predicted: Rows with both.
        none: Labelled rows without a prediction, by class: they are in `confusion` as the opposite class.
        auroc: Of the log of the largest intensity over ridge, against the label.
        intervals: 95 % intervals, clustered by program family.
        time_below_measured: Share of the rows with a measured and an attainable time in which the latter is no larger.
    """

    rows: int
    labelled: int
    predicted: int
    labelled_predicted: int
    confusion: Confusion
    none: Mapping[Verdict, int]
    auroc: float | None
    intervals: Intervals | None
    program_weighted_accuracy: float | None
    baselines: Mapping[str, Baseline]
    counts: Mapping[str, RatioStatistics]
    intensity: Mapping[NumberType, RatioStatistics]
    calibration: Calibration
    time_below_measured: float | None
    timed_rows: int


def summarise(outcomes: Sequence[RowOutcome], *, with_intervals: bool = True) -> Summary:
    """Compute all figures of a set of rows.

    Args:
        outcomes: The rows.
        with_intervals: Whether to draw the bootstrap, which takes longer than everything else.
    """
    labelled = [outcome for outcome in outcomes if outcome.truth is not None]
    truth = np.array([outcome.truth is Verdict.COMPUTE for outcome in labelled], dtype=bool)
    right = np.array([outcome.right for outcome in labelled], dtype=bool)
    below, timed = _time_below_measured(outcomes)
    return Summary(
        rows=len(outcomes),
        labelled=len(labelled),
        predicted=sum(outcome.prediction is not None for outcome in outcomes),
        labelled_predicted=sum(outcome.prediction is not None for outcome in labelled),
        confusion=confusion(truth, truth == right),
        none={
            verdict: sum(o.truth is verdict and o.prediction is None for o in labelled)
            for verdict in (Verdict.COMPUTE, Verdict.BANDWIDTH)
        },
        auroc=auroc(truth, np.array([outcome.score for outcome in labelled], dtype=float)),
        intervals=clustered_bootstrap(truth, right, [outcome.row.family for outcome in labelled])
        if with_intervals
        else None,
        program_weighted_accuracy=group_mean_accuracy(
            right, [outcome.row.program for outcome in labelled]
        ),
        baselines=_baselines(labelled, truth),
        counts=_count_statistics(outcomes),
        intensity=_intensity_statistics(outcomes),
        calibration=_calibration(labelled, right),
        time_below_measured=below,
        timed_rows=timed,
    )


def _baselines(
    labelled: Sequence[RowOutcome], truth: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> dict[str, Baseline]:
    """Always the commoner class; and compute-bound wherever FP64 work was measured."""
    commoner = np.full(len(truth), bool(truth.sum() * 2 > len(truth)))
    any_dp = np.array([outcome.row.measured.get(Quantity.DP_FLOP, 0) > 0 for outcome in labelled])
    tables = {"majority": commoner, "any_dp": any_dp.astype(bool)}
    counted = {name: confusion(truth, said) for name, said in tables.items()}
    return {
        name: Baseline(accuracy=table.accuracy, balanced_accuracy=table.balanced_accuracy)
        for name, table in counted.items()
    }


def _calibration(
    labelled: Sequence[RowOutcome], right: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> Calibration:
    given = np.array([outcome.prediction is not None for outcome in labelled], dtype=bool)
    confidence = np.array(
        [outcome.prediction.confidence if outcome.prediction else 0.0 for outcome in labelled],
        dtype=float,
    )
    bins = calibration_bins(confidence[given], right[given])
    return Calibration(
        ece=expected_calibration_error(bins),
        bins=bins,
        accuracy_at_80pct_coverage=accuracy_at_coverage(confidence, right, COVERAGE_SHARE),
        auroc=auroc(right[given], confidence[given]),
    )


def _count_statistics(outcomes: Sequence[RowOutcome]) -> dict[str, RatioStatistics]:
    """Statistics of every quantity that some row measured, and of the time."""
    found: dict[str, RatioStatistics] = {}
    for quantity in Quantity:
        statistics = _statistics(
            outcomes,
            partial(_measured, quantity=quantity),
            partial(_predicted, quantity=quantity),
        )
        if statistics is not None:
            found[quantity.value] = statistics
    for name, (numerators, denominators) in _SECTOR_PAIRS.items():
        statistics = _statistics(
            outcomes,
            partial(_measured_quotient, numerators=numerators, denominators=denominators),
            partial(_predicted_quotient, numerators=numerators, denominators=denominators),
        )
        if statistics is not None:
            found[name] = statistics
    times = _statistics(outcomes, _measured_time_s, _modelled_time_s)
    if times is not None:
        found["time_s"] = times
    return found


def _statistics(
    outcomes: Sequence[RowOutcome],
    measured: Callable[[RowOutcome], float | None],
    predicted: Callable[[RowOutcome], float],
) -> RatioStatistics | None:
    pairs = [
        (value, predicted(outcome))
        for outcome in outcomes
        if (value := measured(outcome)) is not None
    ]
    if not pairs:
        return None
    table = np.array(pairs, dtype=float)
    return ratio_statistics(table[:, 0], table[:, 1])


def _measured(outcome: RowOutcome, quantity: Quantity) -> float | None:
    return outcome.row.measured.get(quantity)


def _predicted(outcome: RowOutcome, quantity: Quantity) -> float:
    return outcome.value(quantity)


def _measured_time_s(outcome: RowOutcome) -> float | None:
    return outcome.row.time_s


def _modelled_time_s(outcome: RowOutcome) -> float:
    known = outcome.prediction.modelled_time_s if outcome.prediction is not None else None
    return math.nan if known is None else known


def _measured_quotient(
    outcome: RowOutcome, numerators: tuple[Quantity, ...], denominators: tuple[Quantity, ...]
) -> float | None:
    measured = outcome.row.measured
    if any(quantity not in measured for quantity in (*numerators, *denominators)):
        return None
    below = sum(measured[quantity] for quantity in denominators)
    return sum(measured[quantity] for quantity in numerators) / below if below else None


def _predicted_quotient(
    outcome: RowOutcome, numerators: tuple[Quantity, ...], denominators: tuple[Quantity, ...]
) -> float:
    below = sum(outcome.value(quantity) for quantity in denominators)
    above = sum(outcome.value(quantity) for quantity in numerators)
    # without predicted requests there are no predicted sectors either: a miss of the whole quantity
    return above / below if below else (math.nan if math.isnan(below) else 0.0)


def _intensity_statistics(outcomes: Sequence[RowOutcome]) -> dict[NumberType, RatioStatistics]:
    found: dict[NumberType, RatioStatistics] = {}
    for kind, quantity in COUNT_OF_TYPE.items():
        statistics = _statistics(
            outcomes,
            partial(_measured_intensity, quantity=quantity),
            partial(_predicted_intensity, quantity=quantity),
        )
        if statistics is not None:
            found[kind] = statistics
    return found


def _measured_intensity(outcome: RowOutcome, quantity: Quantity) -> float | None:
    count = outcome.row.measured.get(quantity)
    traffic = outcome.row.measured.get(Quantity.DRAM_BYTES)
    # a launch that moved nothing has no intensity to compare with
    return None if count is None or not traffic else intensity(count, traffic)


def _predicted_intensity(outcome: RowOutcome, quantity: Quantity) -> float:
    count, traffic = outcome.value(quantity), outcome.value(Quantity.DRAM_BYTES)
    return math.nan if math.isnan(count + traffic) else intensity(count, traffic)


def _time_below_measured(outcomes: Sequence[RowOutcome]) -> tuple[float | None, int]:
    hits = [
        outcome.prediction.attainable_time_s <= outcome.row.time_s
        for outcome in outcomes
        if outcome.prediction is not None
        and outcome.prediction.attainable_time_s is not None
        and outcome.row.time_s is not None
    ]
    return (sum(hits) / len(hits) if hits else None), len(hits)
