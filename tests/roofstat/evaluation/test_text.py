from __future__ import annotations

import dataclasses
import io

from rich.console import Console

from roofstat.evaluation.comparison import compare
from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.json_form import to_json
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.text import render, render_comparison
from roofstat.roofline import NumberType, Verdict

C, B = Verdict.COMPUTE, Verdict.BANDWIDTH


def text_of(view):
    stream = io.StringIO()
    Console(file=stream, width=200, markup=False).print(view)
    return stream.getvalue()


def evaluation(*outcomes):
    return Evaluation(
        tables=("invented",), launch=LaunchMode.LABELS, outcomes=outcomes, seconds=2.0
    )


def test_the_report_shows_scores_baselines_bars_and_reasons(make_outcome):
    found = evaluation(
        make_outcome(C, C),
        make_outcome(B, C, confidence=0.97, kernel="odd[red]\x1b[31m(int)"),
        make_outcome(B, None),
        make_outcome(B, B),
    )
    text = text_of(render(found, shows_bars=True))
    assert "4 rows of invented: 3 predicted, 4 labelled, launch from labels" in text
    # compute 1 of 1, bandwidth 1 of 3
    assert "66.7 %" in text
    assert "baseline: the commoner class" in text
    assert "baseline: any FP64 work is compute" in text
    assert "balanced accuracy" in text
    assert ">= 0.88" in text
    assert "bandwidth -> compute" in text
    assert "no kernel is called scale" in text
    assert r"odd[red]\x1b[31m(int)" in text, "names are not markup and steer no terminal"
    assert "0.97" in text
    assert ">= 0.88" not in text_of(render(found)), "bars are this project's own"


def test_rows_that_contradict_themselves_are_named(make_outcome):
    """At 100 bytes: 600 integer operations are above a ridge of 5, 400 below; no byte gives nothing."""
    for label, amounts, words in (
        (B, {"int_op": 600.0, "dram_bytes": 100.0}, "a measured type reaches its ridge"),
        (C, {"int_op": 400.0, "dram_bytes": 100.0}, "no measured type reaches its ridge"),
        (C, {"int_op": 600.0, "dram_bytes": 100.0}, None),
        (B, {"int_op": 600.0, "dram_bytes": 0.0}, "DRAM bytes are 0"),
    ):
        measured = {Quantity(name): value for name, value in amounts.items()}
        outcome = dataclasses.replace(
            make_outcome(label, label), ridge_op_per_byte={NumberType.INT: 5.0}
        )
        outcome = dataclasses.replace(
            outcome, row=dataclasses.replace(outcome.row, measured=measured)
        )
        text = text_of(render(evaluation(outcome)))
        assert ("Rows to look at" in text) is (words is not None)
        assert words is None or words in text


def test_rows_without_labels_show_errors_of_counts_and_no_verdicts(make_outcome):
    text = text_of(render(evaluation(make_outcome(None, B))))
    assert "Verdicts" not in text
    assert "Largest errors of counts" in text


def test_tables_without_rows_are_left_out(make_outcome):
    text = text_of(render(evaluation(make_outcome(C, C), make_outcome(B, B))))
    assert "Rows without a prediction" not in text
    assert "Worst rows" not in text


def test_the_comparison_shows_both_directions(make_outcome):
    old = to_json(evaluation(make_outcome(C, B), make_outcome(B, B, args=("2",))))
    new = to_json(evaluation(make_outcome(C, C), make_outcome(B, C, args=("2",))))
    text = text_of(render_comparison(compare(old, new)))
    assert "2 rows in both" in text
    assert "1 fixed, 1 broken, McNemar p = 1" in text
    assert "Fixed: 1" in text
    assert "Broken: 1" in text
