from __future__ import annotations

import math

import pytest

from roofstat.evaluation.evaluation import error_kinds, worst_rows
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.outcome import AssumptionNote, RowOutcome
from roofstat.evaluation.summary import summarise
from roofstat.roofline import NumberType, Verdict

C, B = Verdict.COMPUTE, Verdict.BANDWIDTH


def test_a_row_without_a_prediction_is_wrong_in_every_figure(make_outcome):
    # compute: one right, one without; bandwidth: two right
    rows = [make_outcome(C, C), make_outcome(C, None), make_outcome(B, B), make_outcome(B, B)]
    total = summarise(rows)
    assert (total.rows, total.predicted) == (4, 3)
    assert total.confusion.accuracy == pytest.approx(3 / 4)
    assert total.confusion.balanced_accuracy == pytest.approx((1 / 2 + 1) / 2)
    assert total.none == {C: 1, B: 0}
    assert total.counts["int_op"].n == 4
    assert total.counts["int_op"].missing == 1
    assert total.counts["int_op"].within_10pct == pytest.approx(3 / 4)


def test_a_row_without_a_prediction_gets_the_worst_score(make_outcome):
    assert make_outcome(C, None).score == -math.inf
    assert make_outcome(B, None).score == math.inf


def test_a_row_needs_a_prediction_or_a_reason(make_row):
    with pytest.raises(ValueError, match="needs the reason"):
        RowOutcome(row=make_row(), ridge_op_per_byte={}, truth=B, prediction=None)


def test_rows_without_labels_count_for_counts_only(make_outcome):
    total = summarise([make_outcome(None, B), make_outcome(B, B)])
    assert (total.rows, total.labelled) == (2, 1)
    assert total.counts["sp_flop"].n == 2
    assert total.confusion.rows == 1


def test_baselines_are_computed_on_the_same_rows(make_outcome):
    fp64 = {Quantity.DP_FLOP: 1.0}
    rows = [
        make_outcome(C, C, measured=fp64),
        make_outcome(B, C, measured=fp64),
        make_outcome(B, C, measured={Quantity.DP_FLOP: 0.0}),
    ]
    baselines = summarise(rows).baselines
    assert baselines["majority"].accuracy == pytest.approx(2 / 3)
    assert baselines["majority"].balanced_accuracy == pytest.approx(1 / 2)
    # any FP64 work is compute: the first is right, the second wrong, the third right
    assert baselines["any_dp"].accuracy == pytest.approx(2 / 3)
    assert baselines["any_dp"].balanced_accuracy == pytest.approx((1 + 1 / 2) / 2)


def test_the_auroc_is_of_the_distance_to_the_ridge(make_row, make_prediction):
    def outcome(truth, ratio):
        prediction = make_prediction(ratio={NumberType.INT: ratio}, verdict=B)
        return RowOutcome(row=make_row(), ridge_op_per_byte={}, truth=truth, prediction=prediction)

    # compute rows at 0.5 and 3, bandwidth rows at 0.7 and 0: 3 of 4 pairs are in order
    rows = [outcome(C, 0.5), outcome(C, 3.0), outcome(B, 0.7), outcome(B, 0.0)]
    assert summarise(rows).auroc == pytest.approx(3 / 4)


def test_sectors_per_request_are_compared_as_quotients(make_row, make_prediction):
    measured = {
        Quantity.GLOBAL_LD_REQUESTS: 10.0,
        Quantity.GLOBAL_LD_SECTORS: 40.0,
        Quantity.GLOBAL_ST_REQUESTS: 10.0,
        Quantity.GLOBAL_ST_SECTORS: 80.0,
    }
    predicted = {
        Quantity.GLOBAL_LD_REQUESTS: 20.0,
        Quantity.GLOBAL_LD_SECTORS: 80.0,
        Quantity.GLOBAL_ST_REQUESTS: 20.0,
        Quantity.GLOBAL_ST_SECTORS: 80.0,
    }
    row = RowOutcome(
        row=make_row(measured=measured),
        ridge_op_per_byte={},
        truth=None,
        prediction=make_prediction(amounts=predicted),
    )
    counts = summarise([row]).counts
    # twice the requests and twice the sectors are the same quotient of 4
    assert counts["global_ld_sectors_per_request"].median_ratio == pytest.approx(1)
    assert counts["global_st_sectors_per_request"].median_ratio == pytest.approx(4 / 8)
    assert counts["global_sectors_per_request"].median_ratio == pytest.approx(
        (160 / 40) / (120 / 20)
    )


def test_intensity_is_count_over_bytes(make_row, make_prediction):
    predicted = {Quantity.SP_FLOP: 1500.0, Quantity.DRAM_BYTES: 500.0}
    row = RowOutcome(
        row=make_row(),
        ridge_op_per_byte={},
        truth=None,
        prediction=make_prediction(amounts=predicted),
    )
    # measured 1000 FLOP on 1000 bytes, predicted 1500 on 500
    statistics = summarise([row]).intensity[NumberType.FP32]
    assert statistics.median_ratio == pytest.approx((1500 / 500) / (1000 / 1000))


def test_attainable_time_is_compared_where_both_times_are_known(make_row, make_prediction):
    def outcome(attainable_s, measured_s):
        return RowOutcome(
            row=make_row(time_s=measured_s),
            ridge_op_per_byte={},
            truth=None,
            prediction=make_prediction(attainable_time_s=attainable_s),
        )

    total = summarise([outcome(1.0, 2.0), outcome(2.0, 2.0), outcome(3.0, 2.0), outcome(None, 2.0)])
    assert total.timed_rows == 3
    assert total.time_below_measured == pytest.approx(2 / 3)


def test_modelled_times_are_compared_as_counts_are(make_row, make_prediction):
    """Ratios 0.5, 1 and 1.2; a time that is not known is missing, a row without a measured one is not there."""

    def outcome(modelled_s, measured_s):
        return RowOutcome(
            row=make_row(time_s=measured_s),
            ridge_op_per_byte={},
            truth=None,
            prediction=make_prediction(modelled_time_s=modelled_s),
        )

    pairs = [(1.0, 2.0), (2.0, 2.0), (2.4, 2.0), (None, 2.0), (1.0, None)]
    times = summarise([outcome(*pair) for pair in pairs]).counts["time_s"]
    assert (times.n, times.missing) == (4, 1)
    assert times.median_ratio == pytest.approx(1.0)
    assert times.within_25pct == pytest.approx(2 / 4)


def wrong_row(make_row, make_prediction, *, predicted_int, kind, confidence):
    measured = {
        Quantity.SP_FLOP: 0.0,
        Quantity.DP_FLOP: 0.0,
        Quantity.INT_OP: 600.0,
        Quantity.DRAM_BYTES: 100.0,
    }
    ridges = {NumberType.FP32: 20.0, NumberType.FP64: 10.0, NumberType.INT: 5.0}
    prediction = make_prediction(
        amounts={**measured, Quantity.INT_OP: predicted_int},
        ratio={NumberType.FP32: 0.0, NumberType.FP64: 0.0, NumberType.INT: predicted_int / 500},
        verdict=B,
        confidence=confidence,
        assumptions=(AssumptionNote(kind=kind, text="ten iterations", weight=0.4, line=9),),
    )
    return RowOutcome(
        row=make_row(measured=measured, label=C),
        ridge_op_per_byte=ridges,
        truth=C,
        prediction=prediction,
    )


def test_the_reason_chain_leads_from_the_label_to_the_error(make_row, make_prediction):
    row = wrong_row(
        make_row, make_prediction, predicted_int=300.0, kind="trip-count", confidence=0.8
    )
    assert row.reason_chain() == (
        "truth compute (int at 1.2 of its ridge); said bandwidth (int at 0.6 of its ridge); "
        "int_op x0.50, dram_bytes x1.00; decisive: int_op; rests on trip-count: ten iterations"
    )


def test_wrong_rows_are_grouped_by_what_decides_and_what_they_rest_on(
    make_row, make_prediction, make_outcome
):
    rows = (
        wrong_row(make_row, make_prediction, predicted_int=300.0, kind="branch", confidence=0.8),
        wrong_row(
            make_row, make_prediction, predicted_int=100.0, kind="trip-count", confidence=0.6
        ),
        make_outcome(B, B),
        make_outcome(B, None),
    )
    kinds = error_kinds(rows)
    assert kinds.decisive == {"int_op": 2}
    assert kinds.direction == {"compute -> bandwidth": 2}
    assert kinds.failures == {"match": 1}
    assert {name: (rate.rows, rate.wrong) for name, rate in kinds.assumptions.items()} == {
        "branch": (1, 1),
        "trip-count": (1, 1),
        "none": (1, 0),
    }


def test_the_surest_wrong_verdict_is_the_worst_row(make_row, make_prediction, make_outcome):
    sure = wrong_row(make_row, make_prediction, predicted_int=300.0, kind="branch", confidence=0.9)
    unsure = wrong_row(
        make_row, make_prediction, predicted_int=300.0, kind="branch", confidence=0.6
    )
    none = make_outcome(B, None)
    assert worst_rows((none, unsure, make_outcome(B, B), sure), 3) == (sure, unsure)
