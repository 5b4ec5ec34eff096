from __future__ import annotations

import math

import pytest

from roofstat.evaluation.judgement import decisive_quantities, judge, true_verdict
from roofstat.evaluation.labels import Quantity
from roofstat.roofline import NumberType, Verdict

SP, DP, INT, DRAM = (
    Quantity.SP_FLOP,
    Quantity.DP_FLOP,
    Quantity.INT_OP,
    Quantity.DRAM_BYTES,
)
RIDGES = {NumberType.FP32: 20.0, NumberType.FP64: 10.0, NumberType.INT: 5.0}


def amounts(sp, dp, int_, dram):
    return {SP: sp, DP: dp, INT: int_, DRAM: dram}


@pytest.mark.parametrize(
    ("counts", "verdict", "limiter"),
    [
        # at 100 bytes the ridges are 2000 FP32, 1000 FP64, 500 integer
        ((1999.0, 999.0, 499.0), Verdict.BANDWIDTH, NumberType.FP32),
        ((2000.0, 0.0, 0.0), Verdict.COMPUTE, NumberType.FP32),
        ((0.0, 1000.0, 0.0), Verdict.COMPUTE, NumberType.FP64),
        ((0.0, 0.0, 500.0), Verdict.COMPUTE, NumberType.INT),
        ((1000.0, 900.0, 100.0), Verdict.BANDWIDTH, NumberType.FP64),
        ((0.0, 0.0, 0.0), Verdict.BANDWIDTH, None),
    ],
)
def test_a_launch_is_compute_bound_from_the_ridge_of_any_type(counts, verdict, limiter):
    judgement = judge(amounts(*counts, 100.0), RIDGES)
    assert (judgement.verdict, judgement.limiter) == (verdict, limiter)


def test_work_without_traffic_is_compute_bound_and_nothing_at_all_is_not():
    assert judge(amounts(0.0, 0.0, 1.0, 0.0), RIDGES).verdict is Verdict.COMPUTE
    assert judge(amounts(0.0, 0.0, 1.0, 0.0), RIDGES).ratio[NumberType.INT] == math.inf
    assert judge(amounts(0.0, 0.0, 0.0, 0.0), RIDGES).verdict is Verdict.BANDWIDTH


def test_an_unknown_count_leaves_the_verdict_open_unless_another_type_decides():
    assert judge({SP: 1.0, DP: 0.0, DRAM: 100.0}, RIDGES).verdict is Verdict.UNKNOWN
    assert judge({SP: 9000.0, DP: 0.0, DRAM: 100.0}, RIDGES).verdict is Verdict.COMPUTE
    assert judge({SP: 1.0, DP: 0.0, INT: 1.0}, RIDGES).verdict is Verdict.UNKNOWN


def test_a_given_label_goes_before_the_measurements(make_row):
    row = make_row(label=Verdict.COMPUTE)
    assert true_verdict(row, RIDGES) is Verdict.COMPUTE


def test_a_missing_label_follows_from_complete_measurements_only(make_row):
    whole = amounts(0.0, 0.0, 600.0, 100.0)
    assert true_verdict(make_row(label=None, measured=whole), RIDGES) is Verdict.COMPUTE
    # FP32 alone is above its ridge, but a row that cannot come out as bandwidth-bound is no evidence
    part = {SP: 9000.0, DP: 0.0, DRAM: 100.0}
    assert true_verdict(make_row(label=None, measured=part), RIDGES) is None


def test_the_quantity_whose_error_alone_flips_the_verdict_is_decisive():
    measured, predicted = amounts(0.0, 0.0, 600.0, 100.0), amounts(0.0, 0.0, 400.0, 110.0)
    # 600/110 = 5.45 is above the ridge of 5, 400/100 = 4 is below
    found = decisive_quantities(measured, predicted, RIDGES, Verdict.COMPUTE)
    assert found == ((INT,),)


def test_of_two_that_would_do_the_larger_error_comes_first():
    measured, predicted = amounts(0.0, 0.0, 600.0, 100.0), amounts(0.0, 0.0, 550.0, 200.0)
    # 600/200 = 3 stays below; 550/100 = 5.5 flips
    assert decisive_quantities(measured, predicted, RIDGES, Verdict.COMPUTE) == ((DRAM,),)
    measured, predicted = amounts(0.0, 0.0, 900.0, 100.0), amounts(0.0, 0.0, 600.0, 150.0)
    # 900/150 = 6 and 600/100 = 6 both flip; both errors are 1.5
    found = decisive_quantities(measured, predicted, RIDGES, Verdict.COMPUTE)
    assert set(found) == {(INT,), (DRAM,)}
    predicted = amounts(0.0, 0.0, 500.0, 160.0)
    # 900/160 = 5.6, 500/100 = 5: both flip; the integer error 1.8 is larger than 1.6
    found = decisive_quantities(measured, predicted, RIDGES, Verdict.COMPUTE)
    assert found == ((INT,), (DRAM,))


def test_errors_that_only_together_flip_the_verdict_are_named_together():
    measured, predicted = amounts(0.0, 0.0, 600.0, 100.0), amounts(0.0, 0.0, 300.0, 200.0)
    assert decisive_quantities(measured, predicted, RIDGES, Verdict.COMPUTE) == ((INT, DRAM),)


def test_a_label_that_its_own_measurements_contradict_has_no_decisive_quantity():
    measured = amounts(0.0, 0.0, 100.0, 100.0)
    assert decisive_quantities(measured, measured, RIDGES, Verdict.COMPUTE) == ()


def test_a_label_does_not_follow_from_a_row_without_traffic(make_row):
    nothing_moved = amounts(0.0, 0.0, 600.0, 0.0)
    assert true_verdict(make_row(label=None, measured=nothing_moved), RIDGES) is None
