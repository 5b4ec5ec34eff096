"""Arithmetic on constants against the identities of C++."""

from __future__ import annotations

import math

from hypothesis import given, strategies as st

from clang_queries.ir.expressions import BinaryOp
from roofstat.program.constant_arithmetic import folded

_WORDS = st.integers(-(2**31), 2**31 - 1)


@given(_WORDS, _WORDS.filter(bool))
def test_division_rounds_towards_zero(left: int, right: int) -> None:
    quotient, rest = folded(BinaryOp.DIV, left, right), folded(BinaryOp.REM, left, right)
    assert quotient == math.trunc(left / right)  # exact: a double holds words and their quotients
    assert isinstance(rest, int)
    assert left == quotient * right + rest
    assert abs(rest) < abs(right)
    assert rest == 0 or (rest < 0) == (left < 0)


@given(_WORDS, st.integers(0, 31))
def test_shifts_are_products_and_floors(left: int, places: int) -> None:
    assert folded(BinaryOp.SHL, left, places) == left * 2**places
    assert folded(BinaryOp.SHR, left, places) == math.floor(left / 2**places)


def test_what_the_language_leaves_open_is_unknown() -> None:
    assert folded(BinaryOp.DIV, 1, 0) is None
    assert folded(BinaryOp.REM, 1, 0) is None
    assert folded(BinaryOp.DIV, 1.0, 0.0) is None
    assert folded(BinaryOp.SHL, 1, 64) is None
    assert folded(BinaryOp.SHR, 1, -1) is None


def test_a_quotient_of_floats_is_no_whole_number() -> None:
    assert folded(BinaryOp.DIV, 7.0, 2.0) == 3.5
    assert folded(BinaryOp.DIV, 7, 2) == 3
