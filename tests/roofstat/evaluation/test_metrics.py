from __future__ import annotations

import math

import numpy as np
import pytest

from roofstat.evaluation.metrics import (
    Confusion,
    accuracy_at_coverage,
    auroc,
    calibration_bins,
    clustered_bootstrap,
    confusion,
    expected_calibration_error,
    group_mean_accuracy,
    mcnemar,
    ratio_statistics,
)


def flags(text: str) -> np.ndarray:
    return np.array([character == "1" for character in text], dtype=bool)


# 4 compute rows of which 3 are found, 6 bandwidth rows of which 2 are called compute
TABLE = Confusion(true_positive=3, false_negative=1, false_positive=2, true_negative=4)


def test_confusion_counts_rows_by_class():
    assert confusion(flags("1111000000"), flags("1110110000")) == TABLE


def test_accuracies_of_a_hand_made_table():
    assert TABLE.accuracy == pytest.approx((3 + 4) / 10)
    assert TABLE.recalls == pytest.approx((3 / 4, 4 / 6))
    assert TABLE.balanced_accuracy == pytest.approx((3 / 4 + 4 / 6) / 2)


def test_macro_f1_of_a_hand_made_table():
    # compute: precision 3/5, recall 3/4; bandwidth: precision 4/5, recall 4/6; F1 = 2pr/(p+r)
    compute = 2 * (3 / 5) * (3 / 4) / (3 / 5 + 3 / 4)
    bandwidth = 2 * (4 / 5) * (4 / 6) / (4 / 5 + 4 / 6)
    assert TABLE.macro_f1 == pytest.approx((compute + bandwidth) / 2)


def test_mcc_of_a_hand_made_table():
    assert TABLE.mcc == pytest.approx((3 * 4 - 2 * 1) / math.sqrt(5 * 4 * 6 * 5))


def test_the_papers_printed_figures_follow_from_its_confusion_matrix():
    # 170 rows of each class, compute recall .42, bandwidth recall .86: accuracy 64.1, F1 62.3, MCC 31.4
    table = Confusion(true_positive=72, false_negative=98, false_positive=24, true_negative=146)
    assert table.accuracy == pytest.approx(0.6412, abs=5e-5)
    assert table.macro_f1 == pytest.approx(0.623, abs=1e-3)
    assert table.mcc == pytest.approx(0.314, abs=1e-3)


def test_one_class_alone_has_its_recall_as_balanced_accuracy_and_no_correlation():
    table = Confusion(true_positive=3, false_negative=1, false_positive=0, true_negative=0)
    assert table.balanced_accuracy == pytest.approx(3 / 4)
    assert table.mcc == 0


def test_no_rows_have_no_figures():
    table = confusion(flags(""), flags(""))
    assert (table.accuracy, table.balanced_accuracy, table.macro_f1, table.mcc) == (None,) * 4
    assert auroc(flags(""), np.array([])) is None
    assert accuracy_at_coverage(np.array([]), flags("")) is None
    assert expected_calibration_error(()) is None
    assert group_mean_accuracy(flags(""), []) is None


def test_auroc_counts_pairs_and_ties_as_half():
    # positives 3, 2, 2; negatives 2, 1: of 6 pairs 4 won and 2 tied (2 against 2 twice)
    truth, score = flags("11100"), np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    assert auroc(truth, score) == pytest.approx((4 + 2 * 0.5) / 6)


def test_auroc_equals_the_share_of_pairs_by_brute_force():
    generator = np.random.default_rng(3)
    truth = generator.random(60) < 0.3
    score = generator.integers(0, 9, 60).astype(float)
    score[:3] = [math.inf, -math.inf, math.inf]
    wins = [
        1.0 if high > low else 0.5 if high == low else 0.0
        for high in score[truth]
        for low in score[~truth]
    ]
    assert auroc(truth, score) == pytest.approx(sum(wins) / len(wins))


def test_auroc_needs_both_classes():
    assert auroc(flags("11"), np.array([1.0, 2.0])) is None


def test_calibration_error_weighs_bins_by_rows():
    # bin .5 to .6: two rows, mean .55, half right; bin .9 to 1: three rows, mean .95, all right
    confidence = np.array([0.52, 0.58, 0.9, 0.95, 1.0])
    bins = calibration_bins(confidence, flags("10111"))
    assert [(entry.rows, entry.accuracy) for entry in bins] == [(2, 0.5), (3, 1.0)]
    expected = (2 * abs(0.5 - 0.55) + 3 * abs(1 - (0.9 + 0.95 + 1.0) / 3)) / 5
    assert expected_calibration_error(bins) == pytest.approx(expected)


def test_coverage_keeps_the_surest():
    confidence = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    assert accuracy_at_coverage(confidence, flags("11100"), 0.8) == pytest.approx(3 / 4)


def test_rows_that_tie_at_the_cut_count_in_parts_whatever_their_order():
    # 80 % of 5 rows are 4: one at .9, and three of the four at .7, of which half are right
    for right in ("11100", "10011"):
        value = accuracy_at_coverage(np.array([0.9, 0.7, 0.7, 0.7, 0.7]), flags(right), 0.8)
        assert value == pytest.approx((1 + 3 * 2 / 4) / 4)


def test_programs_count_the_same_whatever_their_rows():
    # a: 1 of 3 right, b: 1 of 1
    assert group_mean_accuracy(flags("1001"), ["a", "a", "a", "b"]) == pytest.approx(
        (1 / 3 + 1) / 2
    )


def test_the_bootstrap_draws_whole_clusters():
    # two clusters, one all right and one all wrong: a draw gives 0, 1/2 or 1 only
    intervals = clustered_bootstrap(flags("1010"), flags("1100"), ["a", "a", "b", "b"])
    assert intervals is not None
    assert intervals.accuracy == (0, 1)
    # rows drawn one by one from 200 rows would give about +-7 %, ten equal clusters give far more
    truth, right = flags("10" * 100), np.repeat(flags("1100110011"), 20)
    wide = clustered_bootstrap(truth, right, np.repeat(np.arange(10), 20).tolist())
    assert wide is not None
    assert wide.accuracy[1] - wide.accuracy[0] > 0.4


def test_the_bootstrap_of_single_rows_agrees_with_the_normal_interval():
    # p = .8, n = 400: half width 1.96 sqrt(.8 * .2 / 400) = .039
    right = np.arange(400) % 5 != 0
    intervals = clustered_bootstrap(flags("1" * 400), right, list(range(400)))
    assert intervals is not None
    half = 1.96 * math.sqrt(0.8 * 0.2 / 400)
    assert intervals.accuracy == pytest.approx((0.8 - half, 0.8 + half), abs=0.006)


def test_the_bootstrap_repeats_exactly_and_needs_two_clusters():
    arguments = (flags("1010"), flags("1100"), ["a", "b", "c", "c"])
    assert clustered_bootstrap(*arguments) == clustered_bootstrap(*arguments)
    assert clustered_bootstrap(flags("10"), flags("11"), ["a", "a"]) is None


def test_the_bootstrap_survives_draws_without_one_class():
    intervals = clustered_bootstrap(flags("10"), flags("11"), ["a", "b"])
    assert intervals is not None
    assert intervals.balanced_accuracy == (1, 1)


def test_ratios_of_hand_made_counts():
    # ratios 1.1, 0.76, 0, 2.1, none; then two measured zeros, one of them predicted 5
    measured = np.array([10.0, 100.0, 10.0, 10.0, 10.0, 0.0, 0.0])
    predicted = np.array([11.0, 76.0, 0.0, 21.0, np.nan, 0.0, 5.0])
    statistics = ratio_statistics(measured, predicted)
    assert (statistics.n, statistics.missing, statistics.zero_rows) == (5, 1, 2)
    assert statistics.median_ratio == pytest.approx((0.76 + 1.1) / 2)
    assert statistics.within_10pct == pytest.approx(1 / 5)
    assert statistics.within_25pct == pytest.approx(2 / 5)
    assert statistics.within_50pct == pytest.approx(2 / 5)
    assert statistics.within_2x == pytest.approx(2 / 5)
    assert statistics.zero_missed == pytest.approx(1 / 5)
    assert statistics.zero_invented == pytest.approx(1 / 2)


def test_within_2x_is_symmetric_and_within_50_percent_is_not():
    statistics = ratio_statistics(np.ones(4), np.array([0.5, 2.0, 0.49, 1.6]))
    assert statistics.within_2x == pytest.approx(3 / 4)
    assert statistics.within_50pct == pytest.approx(1 / 4)


def test_ratios_without_measured_values_have_no_shares():
    statistics = ratio_statistics(np.zeros(2), np.array([0.0, np.nan]))
    assert statistics.n == 0
    assert statistics.within_10pct is None
    assert statistics.zero_missed is None
    assert statistics.zero_invented == 0


def test_infinite_ratios_count_as_large_ones():
    statistics = ratio_statistics(np.ones(4), np.array([1.0, 3.0, math.inf, math.inf]))
    assert statistics.median_ratio == math.inf
    assert statistics.p10_ratio == pytest.approx(1 + 0.3 * 2)
    assert statistics.within_10pct == pytest.approx(1 / 4)


def test_mcnemar_is_the_exact_two_sided_binomial():
    # 1 against 5: 2 (C(6,0) + C(6,1)) / 2^6
    assert mcnemar(5, 1).p_value == pytest.approx(2 * (1 + 6) / 64)
    assert mcnemar(1, 5).p_value == mcnemar(5, 1).p_value
    assert mcnemar(3, 3).p_value == 1
    assert mcnemar(0, 0).p_value == 1
