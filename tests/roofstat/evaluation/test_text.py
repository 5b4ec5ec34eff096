from __future__ import annotations

import io

from rich.console import Console

from roofstat.evaluation.comparison import compare
from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.json_form import to_json
from roofstat.evaluation.text import render, render_comparison
from roofstat.roofline import Verdict

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
    text = text_of(
        render(
            evaluation(
                make_outcome(C, C),
                make_outcome(B, C, confidence=0.97, kernel="odd[red](int)"),
                make_outcome(B, None),
                make_outcome(B, B),
            )
        )
    )
    assert "4 rows of invented: 3 predicted, 4 labelled, launch from labels" in text
    # compute 1 of 1, bandwidth 1 of 3
    assert "66.7 %" in text
    assert "baseline: the commoner class" in text
    assert "baseline: any FP64 work is compute" in text
    assert "balanced accuracy" in text
    assert ">= 0.88" in text
    assert "bandwidth -> compute" in text
    assert "no kernel is called scale" in text
    assert "odd[red](int)" in text, "names are not markup"
    assert "0.97" in text


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
