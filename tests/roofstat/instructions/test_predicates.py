"""Comparisons live in a few predicate registers; variables that a path changes in place are not copied."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.quantities import Quantity

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


@pytest.mark.parametrize(("compiler", "architecture"), [("nvcc", "sm_90"), ("clang", "sm_86")])
class TestWordsOfAChoice:
    """An operation of one path alone goes into the register of the other path's value, under its predicate."""

    FRAME = 1 + 1 + 2
    """IMAD, ISETP and the addresses of what is read and written."""

    @staticmethod
    def each(body, share, compiler, architecture):
        text = f"int i = blockIdx.x * blockDim.x + threadIdx.x; int v = q[i]; {body}"
        run = Run(taken=(share,))
        target = {"compiler": Compiler(compiler), "architecture": architecture}
        return integer_ops(count("int *o, const int *q, int n", text, run, **target))

    def test_is_made_by_the_threads_that_take_the_path(self, compiler, architecture):
        often, seldom = (
            self.each("if (v > 6) v += 3; o[i] = v;", share, compiler, architecture)
            for share in (1.0, 0.25)
        )
        assert often == pytest.approx(self.FRAME + 1)
        assert seldom == pytest.approx(self.FRAME + 0.25)

    def test_of_two_operations_the_second_has_a_predicate(self, compiler, architecture):
        body = "o[i] = v > 6 ? v + 3 : v * 5;"
        found = self.each(body, 0.25, compiler, architecture)
        assert found == pytest.approx(self.FRAME + 1 + 0.5, abs=0.26)

    def test_is_made_in_any_case_where_the_other_value_is_needed_behind(
        self, compiler, architecture
    ):
        # LOP3
        body = "int w = v; if (v > 6) w = v * 5; o[i] = w ^ v;"
        assert self.each(body, 0.25, compiler, architecture) == pytest.approx(self.FRAME + 1 + 1)

    def test_a_number_that_is_not_known_is_chosen_and_added(self, compiler, architecture):
        body = "if (v > 6) v += n; o[i] = v;"
        assert self.each(body, 0.25, compiler, architecture) == pytest.approx(self.FRAME + 1)
