"""Comparisons live in a few predicate registers; variables that a path changes in place are not copied."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.costs import Compiler
from roofstat.instructions.quantities import Quantity

POINTERS = "const float *a, float *c, int n"
TAPS = """int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
for (int r = -{0}; r <= {0}; r++) for (int q = -{0}; q <= {0}; q++) {{
  int yy = y + r, xx = x + q;
  if (yy >= 0 && yy < n && xx >= 0 && xx < n) s += a[yy * n + xx];
}}
c[y * n + x] = s;"""


def test_taps_inside_an_image_compare_columns_again_in_each_row():
    """Nine taps: rows stay in predicates while their taps are looked at, 2 x 3; columns do not, 2 x 9. SASS of nvcc 13.0 has 30.

    SASS joins both tests against zero by one LOP3 a tap and compares that with zero, which is as many instructions.
    """
    sides = Run(trips={0: 3, 1: 3})
    none = TAPS.replace("if (yy >= 0 && yy < n && xx >= 0 && xx < n) ", "").format(1)
    tested, plain = (
        integer_ops(count(POINTERS, text, sides, architecture="sm_90"))
        for text in (TAPS.format(1), none)
    )
    assert tested - plain == pytest.approx(2 * 3 + 2 * 9, abs=3)


def test_a_variable_that_paths_change_in_place_is_not_copied():
    """SASS of nvcc 13.0 for sm_90: each XOR has a predicate of its own, and the result one register."""
    body = """unsigned t = threadIdx.x, result = 0, data = seed + t;
    for (int bit = 0; bit < 8; bit++, data >>= 1) if (data & 1) result ^= table[bit + 31 * threadIdx.y];
    out[t] = result;"""
    parameters = "unsigned *out, const unsigned *table, unsigned seed"
    counts = count(parameters, body, Run(trips={0: 8}), architecture="sm_90")
    assert counts.total(Quantity.INTEGER_COPIES) < 1.0


@pytest.mark.parametrize(
    ("compiler", "architecture", "expected"),
    [("nvcc", "sm_90", 2.0), ("nvcc", "sm_80", 2.0), ("clang", "sm_86", 0.0)],
)
def test_nvcc_chooses_between_two_comparisons_as_words(compiler, architecture, expected):
    """SASS of nvcc 13.0: SEL of all bits, LOP3 with 1, ISETP; clang 18.1.6 has PLOP3."""
    either, alone = (
        integer_ops(
            count(
                "const float *a, float *c, int n",
                "int t = threadIdx.x; float x = a[t], y = a[t + 1], z = a[t + 2]; "
                f"if ({condition}) c[t] = 1;",
                compiler=Compiler(compiler),
                architecture=architecture,
            )
        )
        for condition in ("z > 0 ? x > y : x > z", "x > y")
    )
    assert either - alone == pytest.approx(expected, abs=0.1)
