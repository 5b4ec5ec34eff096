"""Indices of clang behind tests, multiples of one word, and conditions of several comparisons: SASS of clang 18.1.6, sm_86."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

POINTERS = "const float *__restrict__ a, float *__restrict__ o, int n, int m"
THREAD = "int t = threadIdx.x; float v = 0;"
SHARED = f"__shared__ float s[256]; {THREAD} s[t] = a[t]; __syncthreads();"
PLACE = "int x = threadIdx.x, y = blockIdx.x + threadIdx.y; float v = 0;"
TAPS = "for (int k = -2; k <= 2; k++) {{ int u = x + k; if ({}) v += a[y * n + u]; }}"


def ops(body: str, *, compiler: Compiler = Compiler.CLANG, trips: float = 5.0) -> float:
    run = Run(trips={0: trips})
    return integer_ops(count(POINTERS, body, run, compiler=compiler, architecture="sm_86"))


def test_what_a_test_leaves_positive_keeps_its_negative_constant_in_an_array():
    """`zext nneg (t - 4)`: IADD3 and a shift under the predicate; `s[t + 4]` is an offset to what `s[t]` has."""
    below = ops(f"{SHARED} if (t >= 4) v = s[t - 4]; o[t] = v;")
    above = ops(f"{SHARED} if (t < m) v = s[t + 4]; o[t] = v;")
    untested = ops(f"{SHARED} if (t < m) v = s[t - 4]; o[t] = v;")
    assert below - above == pytest.approx(2.0)
    assert untested == pytest.approx(above)


def test_pointers_and_tests_that_do_not_reach_lose_it():
    helper = "auto at = [&](const float *p) { return p[t] + p[t - 4]; };"
    through = ops(f"{SHARED} {helper} if (t >= 4) v = at(s); o[t] = v;")
    direct = ops(f"{SHARED} if (t >= 4) v = s[t] + s[t - 4]; o[t] = v;")
    assert direct - through == pytest.approx(2.0)
    short = ops(f"{SHARED} if (t >= 3) v = s[t - 4]; o[t] = v;")
    assert short == pytest.approx(ops(f"{SHARED} if (t < m) v = s[t - 4]; o[t] = v;"))


def test_an_index_that_zeros_extend_is_none_that_later_code_shares():
    """LEA, ISETP, IMAD.WIDE.U32, IMAD.WIDE; behind `i < n` both widen one word: SHF, LEA and LEA.HI.X for the second."""
    index = "int i = blockIdx.x * 64 + threadIdx.x; float v = 0;"
    assert ops(f"{index} if (i > 0) v = a[i - 1]; o[i] = v;") == pytest.approx(4.0)
    assert ops(f"{index} if (i < n) v = a[i]; o[i] = v;") == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("choice", "more"),
    [
        ("x > 0 ? t : 0", 2.0),  # SHF, LEA and LEA.HI.X for one IMAD.WIDE
        ("x > 0 && t < m ? t : 0", 2.0),
        ("x > 0 ? t : m", 0.0),  # of no constant the chosen word is widened
        ("t > m ? t : 0", 0.0),  # and where words are compared
    ],
)
def test_choices_between_a_word_and_a_constant_are_widened_before(choice, more):
    chosen = f"{THREAD} float x = a[t * 5 + 1]; int j = {choice}; o[j] = x;"
    kept = chosen.replace(": 0", ": n").replace(": m", ": n")
    assert ops(chosen) - ops(kept) == pytest.approx(more)


@pytest.mark.parametrize(
    ("accesses", "expected"),
    [
        ("a[t]", 2.0),
        ("a[t] + a[t * 8] + a[t * 24]", 4.0),  # IMAD.WIDE each, with 28 and 64 times the word
        ("a[t] + a[t << 3] + a[t << 5]", 6.0),  # a shift may lose bits
        ("a[t * 3] + a[t * 6]", 4.0),  # only the first multiple takes a product
    ],
)
def test_further_multiples_of_a_word_take_one_operation(accesses, expected):
    assert ops(f"int t = threadIdx.x; o[t] = {accesses};") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("test", "more"),
    [
        ("t * 8 < 100", 0.0),  # ISETP with 13
        ("t + 3 < 100", 0.0),
        ("t * 8 + 3 < 100", 1.0),  # a bitwise or: LEA, ISETP
        ("t << 3 < 100", 1.0),
    ],
)
def test_comparisons_with_constants_undo_products_and_sums(test, more):
    plain = ops(f"{THREAD} if (t < 100) v = a[t]; o[t] = v;")
    assert ops(f"{THREAD} if ({test}) v = a[t]; o[t] = v;") - plain == pytest.approx(more)


def test_a_sum_that_copies_multiply_is_one_value():
    """`2 * t + 1` in IADD3, its multiples by 1, 2, 4 and 8: two shifts and five IMAD.WIDE with that of the store."""
    body = f"{THREAD} for (int k = 1; k <= 8; k *= 2) v += a[(2 * t + 1) * k]; o[t] = v;"
    assert ops(body, trips=4.0) == pytest.approx(8.0)


def test_conditions_that_share_comparisons_make_all_but_one_again():
    """Three conditions with `y > 0 && y < m`: 3, 2 and 2 ISETP."""
    taps = (
        "if (x > 0 && {0}) v += a[x]; if (x < n && {0}) v += a[x + 9]; if (x > 1 && {0}) v += a[7];"
    )
    one = ops(f"{PLACE} {taps.format('y > 0')} o[x] = v;")
    assert ops(f"{PLACE} {taps.format('y > 0 && y < m')} o[x] = v;") - one == pytest.approx(3.0)


def test_the_address_stays_in_an_arm_behind_four_comparisons():
    """Of two, copies of a loop share the sum of row and column in 64 bits (4 operations, and 2 for the middle): 25 and 43 in SASS."""
    two = ops(f"{PLACE} {TAPS.format('u >= 0 && u < n')} o[y * n + x] = v;")
    four = ops(f"{PLACE} {TAPS.format('u >= 0 && u < n && y >= 0 && y < m')} o[y * n + x] = v;")
    assert two == pytest.approx(25.0, abs=3.0)
    assert four == pytest.approx(43.0, abs=6.0)


@pytest.mark.parametrize(
    ("limited", "by_function"),
    [
        ("int j = t - 1; if (j < 0) j = 0;", "int j = max(t - 1, 0);"),
        ("int j = t + 5; j = j < 60 ? j : 60;", "int j = min(t + 5, 60);"),
        ("int j = t * 4; if (j > 102) j = 102;", "int j = min(t * 4, 102);"),
        (
            "int j = t - 1; if (j < 0) j = 0; if (j > 60) j = 60;",
            "int j = min(max(t - 1, 0), 60);",
        ),
        ("int j = t - 9; if (j < 0) j = -j;", "int j = abs(t - 9);"),
    ],
)
def test_limits_of_sums_and_products_are_minima_and_maxima(limited, by_function):
    """The comparison is of t alone, and yet that of what is chosen."""
    rest = "o[t] = a[j];"
    assert ops(f"{THREAD} {limited} {rest}") == pytest.approx(ops(f"{THREAD} {by_function} {rest}"))
