"""A number that is combined with lanes stays one element: the result has all lanes, in the arithmetic of the type."""

import numpy as np
import pytest

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.arithmetic import binary
from roofstat.execution.numbers.values import Mixed, Unknown, merge, outcomes
from roofstat.program.code import Op

LANES = np.array([-7, 0, 3, 2**31 - 1], np.int32)


@pytest.mark.parametrize(
    ("op", "number", "expected"),
    [
        (Op.ADD, 1, [-6, 1, 4, -(2**31)]),
        (Op.MUL, 2, [-14, 0, 6, -2]),
        (Op.DIV, 2, [-3, 0, 1, 2**30 - 1]),
        (Op.REM, 4, [-3, 0, 3, 3]),
        (Op.SHL, 33, [-14, 0, 6, -2]),
        (Op.SHR, 1, [-4, 0, 1, 2**30 - 1]),
        (Op.LT, 3, [True, True, False, False]),
    ],
)
def test_a_number_stands_for_all_lanes(op, number, expected):
    whole = np.full(len(LANES), number, np.int32)
    with np.errstate(all="ignore"):
        found = binary(op, Scalar.I32, LANES, number, len(LANES))
        same = binary(op, Scalar.I32, LANES, whole, len(LANES))
    assert found.tolist() == same.tolist() == expected
    assert found.dtype == same.dtype


def test_a_number_is_merged_into_lanes_and_into_what_nobody_knows():
    mask = np.array([True, False, True, False])
    merged = merge(mask, 5, LANES, Scalar.I32)
    assert merged.tolist() == [5, 0, 5, 2**31 - 1]
    assert merged.dtype == np.int32
    assert merge(mask, 5, 6, Scalar.I32).tolist() == [5, 6, 5, 6]
    partly = merge(mask, 5, Unknown(1), Scalar.I32)
    assert isinstance(partly, Mixed)
    assert partly.known.tolist() == mask.tolist()
    assert partly.values[mask].tolist() == [5, 5]


def test_outcomes_of_one_unknown_go_together_and_spread_evenly():
    one = Unknown(7, uniform=True, low=0, high=99)
    again = Unknown(7, uniform=True, scale=2, offset=1, low=0, high=99)
    found, shifted = outcomes(one), outcomes(again)
    assert sorted(found) == list(range(100))
    assert (shifted == 2 * found + 1).all()
    assert (outcomes(Unknown(8, uniform=True, low=0, high=99)) != found).any()
