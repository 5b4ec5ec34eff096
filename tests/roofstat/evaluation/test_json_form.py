from __future__ import annotations

import json
import math

import jsonschema
import pytest

from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.json_form import dumps, eval_schema, rounded, to_json
from roofstat.evaluation.labels import InputState, Quantity
from roofstat.evaluation.outcome import RowOutcome
from roofstat.report import Language
from roofstat.roofline import NumberType, Verdict

C, B = Verdict.COMPUTE, Verdict.BANDWIDTH


@pytest.fixture
def evaluation(make_outcome):
    """Two programs, four labelled rows of which two are right, one of them without a prediction; one row unlabelled."""
    omp = {
        "program": "sum-omp",
        "language": Language.OPENMP,
        "kernel": None,
        "function": "run(int*)",
        "line": 20,
        "compiler": "clang-18",
    }
    return Evaluation(
        tables=("invented",),
        launch=LaunchMode.LABELS,
        outcomes=(
            make_outcome(C, C, confidence=0.95, input_state=InputState.AVAILABLE),
            make_outcome(B, C, confidence=0.55, suspect="background"),
            make_outcome(B, B, confidence=0.85, **omp),
            make_outcome(C, None, **omp),
            make_outcome(None, B, gpu=None, grid=None),
        ),
        seconds=1.5,
    )


def test_the_result_satisfies_the_shipped_schema(evaluation):
    result = json.loads(json.dumps(to_json(evaluation), allow_nan=False))
    schema = eval_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(result, schema)


def test_an_evaluation_without_any_label_or_prediction_satisfies_it_too(make_outcome):
    for outcomes in (
        (make_outcome(None, None),),
        (make_outcome(C, None),),
        (make_outcome(None, C),),
    ):
        evaluation = Evaluation(
            tables=(), launch=LaunchMode.INFERRED, outcomes=outcomes, seconds=0.0
        )
        jsonschema.validate(json.loads(json.dumps(to_json(evaluation))), eval_schema())


def test_the_schema_refuses_a_result_that_lacks_a_figure(evaluation):
    result = to_json(evaluation)
    for key in ("balanced_accuracy", "per_row", "baselines", "seconds"):
        broken = {name: value for name, value in result.items() if name != key}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, eval_schema())


def test_the_figures_of_a_hand_made_evaluation(evaluation):
    result = to_json(evaluation)
    assert (result["rows"], result["labelled"], result["predicted"]) == (5, 4, 4)
    assert result["accuracy"] == pytest.approx(2 / 4)
    # compute: one of two; bandwidth: one of two
    assert result["balanced_accuracy"] == pytest.approx(1 / 2)
    assert result["confusion"] == {
        "compute": {"compute": 1, "bandwidth": 0, "none": 1},
        "bandwidth": {"compute": 1, "bandwidth": 1, "none": 0},
    }
    assert result["by_class"]["compute"] == {
        "rows": 2,
        "right": 1,
        "recall": 0.5,
        "precision": 0.5,  # said compute twice, once rightly
    }
    assert result["by_class"]["bandwidth"]["precision"] == 1
    assert result["baselines"]["majority"]["accuracy"] == 0.5
    assert result["calibration"]["accuracy_at_80pct_coverage"] == pytest.approx(
        # the surest 4 of 4 rows, rounded up from 3.2
        2 / 4
    )


def test_rows_are_divided_by_language_input_suspicion_and_card(evaluation):
    result = to_json(evaluation)
    assert {name: part["labelled"] for name, part in result["by_language"].items()} == {
        "cuda": 2,
        "openmp": 2,
    }
    assert {name: part["rows"] for name, part in result["by_input"].items()} == {
        "available": 1,
        "no_file": 4,
    }
    assert result["by_suspect"]["suspect"]["accuracy"] == 0
    assert result["by_suspect"]["clean"]["accuracy"] == pytest.approx(2 / 3, rel=1e-5)
    assert set(result["by_gpu"]) == {"h100-sxm", "no card"}
    assert "h100-sxm openmp clang-18" in result["by_group"]


def test_a_row_shows_what_was_measured_and_said(evaluation):
    right, wrong, _, missing, unlabelled = to_json(evaluation)["per_row"]
    assert right["ratio"] == {"sp_flop": 1, "int_op": 1, "dram_bytes": 1}
    assert right["reason"] == ""
    assert wrong["right"] is False
    assert "truth bandwidth" in wrong["reason"]
    assert missing["verdict"] is None
    assert missing["failure"] == {"kind": "match", "reason": "no kernel is called scale"}
    assert missing["predicted"] == {}
    assert unlabelled["right"] is None
    assert unlabelled["label"] is None


def test_a_label_at_odds_with_its_own_measurements_is_said_to_be(make_outcome):
    evaluation = Evaluation(
        tables=("t",), launch=LaunchMode.LABELS, outcomes=(make_outcome(C, B),), seconds=0.0
    )
    # an integer intensity of 4 under a ridge of 5, measured and predicted alike
    (row,) = to_json(evaluation)["per_row"]
    assert (row["decisive"], row["decisive_all"]) == ("label", [])


def test_infinite_and_unknown_numbers_become_null(make_row, make_prediction):
    prediction = make_prediction(
        amounts={Quantity.INT_OP: 5.0, Quantity.DRAM_BYTES: 0.0}, ratio={NumberType.INT: math.inf}
    )
    outcome = RowOutcome(
        row=make_row(), ridge_op_per_byte={NumberType.INT: math.inf}, truth=B, prediction=prediction
    )
    evaluation = Evaluation(
        tables=("t",), launch=LaunchMode.LABELS, outcomes=(outcome,), seconds=0.0
    )
    (row,) = json.loads(json.dumps(to_json(evaluation), allow_nan=False))["per_row"]
    assert row["predicted_over_ridge"] == {"int": None}
    assert row["ridge"] == {"int": None}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1234567.0, 1234570),
        (0.123456789, 0.123457),
        (3.0, 3),
        (0.0, 0),
        (math.nan, None),
        (math.inf, None),
        (None, None),
    ],
)
def test_numbers_have_six_digits(value, expected):
    assert rounded(value) == expected
    assert type(rounded(value)) is type(expected)


def test_the_text_has_one_line_for_each_row_and_says_the_same(evaluation):
    result = to_json(evaluation)
    text = dumps(result)
    assert json.loads(text) == result
    assert sum(line.lstrip().startswith('{"table"') for line in text.splitlines()) == 5
    assert text.endswith("}\n")


def test_the_same_rows_give_the_same_result(evaluation):
    assert to_json(evaluation) == to_json(evaluation)
