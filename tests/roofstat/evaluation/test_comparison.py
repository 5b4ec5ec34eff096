from __future__ import annotations

import copy
import json

import pytest

from roofstat.errors import UsageError
from roofstat.evaluation.comparison import compare, read_result
from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.json_form import to_json
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.outcome import RowOutcome
from roofstat.roofline import Verdict

C, B = Verdict.COMPUTE, Verdict.BANDWIDTH


def result(*outcomes):
    return to_json(
        Evaluation(
            tables=("invented",), launch=LaunchMode.LABELS, outcomes=tuple(outcomes), seconds=0.1
        )
    )


def test_nothing_changes_against_itself(make_outcome):
    data = result(make_outcome(C, C), make_outcome(B, None, args=("2",)))
    comparison = compare(data, copy.deepcopy(data))
    assert comparison.shared == 2
    assert (comparison.fixed, comparison.broken, comparison.changed) == ((), (), ())
    assert (comparison.closer, comparison.farther) == ((), ())
    assert comparison.test.p_value == 1


def test_fixed_and_broken_rows_are_told_apart(make_outcome):
    def rows(*said):
        truths = (C, C, B, B)
        return [
            make_outcome(truth, verdict, args=(str(number),))
            for number, (truth, verdict) in enumerate(zip(truths, said, strict=True))
        ]

    comparison = compare(result(*rows(B, C, B, None)), result(*rows(C, B, B, B)))
    assert [change.label for change in comparison.fixed] == ["compute", "bandwidth"]
    assert [(change.old, change.new) for change in comparison.fixed] == [
        ("bandwidth", "compute"),
        (None, "bandwidth"),
    ]
    assert [change.new for change in comparison.broken] == ["bandwidth"]
    # 2 against 1: 2 (C(3,0) + C(3,1)) / 8 = 1
    assert comparison.test.p_value == pytest.approx(min(1, 2 * (1 + 3) / 8))


def test_a_verdict_that_stays_wrong_or_has_no_label_is_listed_apart(make_outcome):
    old = result(make_outcome(None, C), make_outcome(C, None, args=("2",)))
    new = result(make_outcome(None, B), make_outcome(C, B, args=("2",)))
    assert [(change.old, change.new) for change in compare(old, new).changed] == [
        ("compute", "bandwidth"),
        (None, "bandwidth"),
    ]


def with_counts(make_row, make_prediction, **counts):
    amounts = {Quantity(name): value for name, value in counts.items()}
    return RowOutcome(
        row=make_row(),
        ridge_op_per_byte={},
        truth=None,
        prediction=make_prediction(amounts=amounts),
    )


def test_counts_that_moved_more_than_a_tenth_are_improvements_or_regressions(
    make_row, make_prediction
):
    # measured: 1000 FLOP, 4000 integer operations, 1000 bytes
    old = result(
        with_counts(make_row, make_prediction, sp_flop=500.0, int_op=4000.0, dram_bytes=1000.0)
    )
    new = result(
        with_counts(make_row, make_prediction, sp_flop=900.0, int_op=8000.0, dram_bytes=1050.0)
    )
    comparison = compare(old, new)
    (closer,), (farther,) = comparison.closer, comparison.farther
    assert (closer.quantity, closer.old_ratio, closer.new_ratio) == ("sp_flop", 0.5, 0.9)
    assert (farther.quantity, farther.old_ratio, farther.new_ratio) == ("int_op", 1, 2)


def test_a_count_that_appears_or_vanishes_has_moved(make_row, make_prediction):
    none = result(with_counts(make_row, make_prediction, dram_bytes=1000.0))
    zero = result(with_counts(make_row, make_prediction, dram_bytes=1000.0, int_op=0.0))
    some = result(with_counts(make_row, make_prediction, dram_bytes=1000.0, int_op=2000.0))
    assert [change.quantity for change in compare(none, some).closer] == ["int_op"]
    assert [change.quantity for change in compare(some, zero).farther] == ["int_op"]


def test_rows_that_only_one_result_holds_are_counted(make_outcome):
    old = result(make_outcome(C, C), make_outcome(C, C, args=("gone",)))
    new = result(
        make_outcome(C, C), make_outcome(C, C, args=("a",)), make_outcome(C, C, args=("b",))
    )
    comparison = compare(old, new)
    assert (comparison.shared, comparison.only_old, comparison.only_new) == (1, 1, 2)


def test_rows_with_one_key_are_told_apart_by_their_order(make_outcome):
    old = result(make_outcome(C, C), make_outcome(C, B))
    new = result(make_outcome(C, C), make_outcome(C, C))
    comparison = compare(old, new)
    assert (comparison.shared, len(comparison.fixed), len(comparison.broken)) == (2, 1, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not a roofstat-eval/1 result"),
        ('{"schema": "roofstat-report/1"}', "not a roofstat-eval/1 result"),
    ],
)
def test_files_that_are_no_results_are_refused(tmp_path, text, words):
    file = tmp_path / "old.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=words):
        read_result(file)
    with pytest.raises(UsageError, match="cannot read it"):
        read_result(tmp_path / "none.json")


def test_a_stored_result_can_be_compared(tmp_path, make_outcome):
    file = tmp_path / "old.json"
    file.write_text(json.dumps(result(make_outcome(C, B))))
    assert len(compare(read_result(file), result(make_outcome(C, C))).fixed) == 1
