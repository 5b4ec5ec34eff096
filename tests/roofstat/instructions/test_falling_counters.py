"""Loops of clang that count down to a constant: executed SASS of clang 18.1.6 with ptxas 12.6 (sm_90)."""

from __future__ import annotations

import pytest
from builder import ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = "const float *a, const float *b, const float *c, float *y, int n, int low"
HEAD = "int t = blockIdx.x * blockDim.x + threadIdx.x; float s = t;"


def per_iteration(body: str, *, test: str = "i >= 0") -> float:
    text = f"{HEAD} for (int i = n - 1; {test}; --i) {body} y[t] = s;"
    return ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_90")


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        # The word of each copy and an IMAD.WIDE for each array: 8 copies, 7 sums, the counter and its test.
        ("s = s * a[i] + b[i];", (7 + 8 * 2 + 2) / 8),
        ("s = s * a[i] + b[i] * c[i];", (3 + 4 * 3 + 2) / 4),
        # Others that the counter indexes are made anew beside it.
        ("s = s * a[t * n + i] + b[i];", 3.7),
    ],
)
def test_what_is_extended_by_zeros_and_falls_moves_no_pointer(body, operations):
    assert per_iteration(body) == pytest.approx(operations, rel=0.25)


@pytest.mark.parametrize(
    ("body", "test"),
    [
        ("s = s * a[t * n + i] + b[t * n + i];", "i >= 0"),
        ("s = s * a[t * 64 + i] + b[t * 64 + i];", "i >= 0"),
        ("s = s * a[i] + b[i];", "i > low"),
    ],
)
def test_pointers_fall_beside_sums_and_down_to_anything(body, test):
    # 6 or 7 operations for 8 to 32 copies.
    assert per_iteration(body, test=test) < 1.2


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        # The counter of each copy, IMAD.WIDE.U32, IMAD, LEA and LEA.HI.X, and the test.
        ("s += a[(size_t)i * n + t];", 5 + 1 / 8),
        ("s = s * a[(size_t)i * n + t] + 0.5f;", 5 + 1 / 8),
        # A second row in 64 bits takes four more.
        ("s += a[(size_t)i * n + t] * b[(size_t)i * low + t];", 9 + 1 / 4),
    ],
)
def test_rows_in_64_bits_are_multiplied_anew_by_each_copy(body, operations):
    assert per_iteration(body) == pytest.approx(operations, rel=0.08)
