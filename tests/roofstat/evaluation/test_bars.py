from __future__ import annotations

import pytest

from roofstat.evaluation.bars import BarState, check_bars
from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.labels import InputState, Quantity
from roofstat.evaluation.outcome import RowOutcome
from roofstat.roofline import Verdict

C, B = Verdict.COMPUTE, Verdict.BANDWIDTH


def bars(outcomes, launch=LaunchMode.LABELS):
    evaluation = Evaluation(tables=("t",), launch=launch, outcomes=tuple(outcomes), seconds=0.0)
    return {(result.measure, result.scope): result for result in check_bars(evaluation)}


def accuracy_rows(make_outcome, hits, **row):
    """Of 20 rows of each class, so many are right."""
    wrong = [(C, B)] * (20 - hits) + [(B, C)] * (20 - hits)
    right = [(C, C)] * hits + [(B, B)] * hits
    return [make_outcome(truth, said, **row) for truth, said in wrong + right]


@pytest.mark.parametrize(
    ("hits", "state"), [(20, BarState.AIM), (18, BarState.MUST), (17, BarState.BELOW)]
)
def test_balanced_accuracy_is_held_against_the_cards_bar(make_outcome, hits, state):
    # h100: must .88, aim .95
    found = bars(accuracy_rows(make_outcome, hits, gpu="h100-sxm"))
    result = found["balanced accuracy", "h100-sxm cuda"]
    assert result.value == pytest.approx(hits / 20)
    assert result.state is state


def test_each_launch_mode_has_its_own_bar(make_outcome):
    rows = accuracy_rows(make_outcome, 18, gpu="rtx3080-paper")
    missing = accuracy_rows(make_outcome, 0, gpu="rtx3080-paper", input_state=InputState.MISSING)
    labels = bars(rows + missing)["balanced accuracy", "rtx3080-paper cuda"]
    assert labels.value == pytest.approx(18 / 40)
    inferred = bars(rows + missing, LaunchMode.INFERRED)
    assert ("balanced accuracy", "rtx3080-paper cuda") not in inferred
    result = inferred["balanced accuracy, input available", "rtx3080-paper cuda"]
    assert result.value == pytest.approx(18 / 20)
    assert result.state is BarState.MUST


def test_median_ratios_have_a_lower_and_an_upper_bound(make_row, make_prediction):
    for ratio, state in (
        (1.0, BarState.AIM),
        (0.9, BarState.MUST),
        (1.1, BarState.MUST),
        (0.89, BarState.BELOW),
        (1.2, BarState.BELOW),
    ):
        amounts = {Quantity.INT_OP: 4000.0 * ratio}
        outcome = RowOutcome(
            row=make_row(),
            ridge_op_per_byte={},
            truth=None,
            prediction=make_prediction(amounts=amounts),
        )
        result = bars([outcome])["int_op median ratio", "h100-sxm cuda nvcc-13.0"]
        assert result.state is state


def test_bars_without_rows_to_judge_are_left_out(make_outcome):
    found = bars([make_outcome(None, B, gpu="a10")])
    assert not any(measure.startswith("balanced") for measure, _ in found)
    assert ("dram_bytes within 2x", "a10") in found
