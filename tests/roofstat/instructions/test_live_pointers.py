"""Loops of nvcc in which too much is alive for pointers that advance: running extremes, in loops inside others above all.

Numbers are integer instructions without copies of a round of 16 iterations in SASS, by nvcc 13.0 for sm_90.
"""

from __future__ import annotations

import pytest
from builder import Run, ops_per_iteration

PARAMETERS = (
    "const int *__restrict__ x, const int *__restrict__ y, const float *__restrict__ f, int *o,"
    " int n, int m"
)
NEST = "for (int i = threadIdx.x; i < m; i += 64)"
COUNTED = "for (int i = 0; i < m; i++)"
ROUND = 16


def per_round(around: str, start: str, statement: str, result: str) -> float:
    """Integer operations that a round of the inner loop adds."""
    loop = f"for (int j = 0; j < n; j++) {{ {statement} }}"
    inner = 1 if around.startswith("for") else 0
    each = ops_per_iteration(
        PARAMETERS,
        f"{around} {{ {start} {loop} o[i] = {result}; }}",
        lambda trips: Run(trips={inner: trips}),
        trips=ROUND * 40,
    )
    return each * ROUND


@pytest.mark.parametrize(
    ("around", "start", "statement", "result", "sass"),
    [
        # Of each four copies row and counter, the sign and two words of the address, one multiply-add for the second array, the
        # next counter and four extremes; what is left, and its test.
        (
            NEST,
            "int v = 0;",
            "v = max(v, x[(size_t)i * n + j] + y[j]);",
            "v",
            4 * (4 + 1 + 1 + 4) + 2,
        ),
        # A product and a multiply-add of words, and the extremes of both kinds two by two.
        (
            COUNTED,
            "int v = 0, w = 9;",
            "int z = x[i * n + j]; v = max(v, z); w = min(w, z);",
            "v + w",
            4 * (2 + 4) + 2,
        ),
    ],
)
def test_running_extremes_in_nests_leave_no_pointers(around, start, statement, result, sass):
    assert per_round(around, start, statement, result) == pytest.approx(sass, rel=0.12)


@pytest.mark.parametrize(
    ("around", "start", "statement", "sass"),
    [
        # Two words of the pointer, counter and test: one extreme in a loop of its own, a function of floats, a sum.
        ("int i = threadIdx.x;", "int v = 0;", "v = max(v, x[(size_t)i * n + j]);", 8 + 4),
        (NEST, "int v = 0;", "v = max(v, x[(size_t)i * n + j]);", 8 + 4),
        (NEST, "float v = 0.0f;", "v = fmaxf(v, f[(size_t)i * n + j]);", 4),
        (NEST, "int v = 0;", "v += x[(size_t)i * n + j];", 8 + 4),
    ],
)
def test_less_keeps_its_pointers(around, start, statement, sass):
    assert per_round(around, start, statement, "v") == pytest.approx(sass, abs=1)
