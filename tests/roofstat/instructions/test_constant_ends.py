"""Loops of clang that count from anywhere up to a constant: executed SASS of clang 18.1.6 with ptxas 12.6 (sm_90)."""

from __future__ import annotations

import pytest
from builder import ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = "const float *a, const float *b, float *y, int q"


def per_iteration(body: str, *, start: str = "t", end: str = "320") -> float:
    text = (
        f"int t = threadIdx.x; float s = t; for (int i = {start}; i < {end}; i++) {body} y[t] = s;"
    )
    return ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_90")


@pytest.mark.parametrize(
    ("body", "start", "operations"),
    [
        # The counter and its test, and one IMAD.WIDE an array for all of eight copies.
        ("s += a[i];", "t", (2 + 1) / 8),
        ("s = s * a[i] + b[i];", "t", (2 + 2) / 8),
        # A sum with the counter and an IMAD.WIDE in each of eight copies.
        ("s += a[i - t];", "t", (2 + 8 * 2) / 8),
        ("s += a[i + t];", "q", (2 + 8 * 2) / 8),
        # Four copies: both.
        ("s = s * a[i] + a[i - t];", "t", (2 + 1 + 4 * 2) / 4),
    ],
)
def test_counter_that_ends_at_a_constant_moves_no_pointer(body, start, operations):
    assert per_iteration(body, start=start) == pytest.approx(operations, rel=0.12)


@pytest.mark.parametrize(("start", "end"), [("t", "q"), ("t + 1", "320")])
def test_pointers_advance_to_any_other_end_and_from_one_more(start, end):
    # Executed: 1.6 and 1.8 with what is left over.
    assert per_iteration("s = s * a[i] + a[i - t];", start=start, end=end) < 2
