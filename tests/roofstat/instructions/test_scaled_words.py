"""Indices that multiply a loop's counter, against the SASS of own kernels by nvcc 13.0 for sm_90."""

from __future__ import annotations

import pytest
from builder import kernel, ops_per_iteration

from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

FLOATS = "const float *a, const float *b, float *c, int n, int m"
HEAD = "int t = threadIdx.x; float s = 0.0f;"
TRIPS = 16 * 40


def per_iteration(statement: str, head: str = "int k = 0", before: str = "") -> float:
    """Integer operations that one more iteration adds, over a whole number of rounds."""
    body = f"{HEAD} {before} for ({head}; k < n; k++) s += {statement}; c[t] = s;"
    return ops_per_iteration(FLOATS, body, trips=TRIPS)


@pytest.mark.parametrize(
    ("statement", "sass"),
    [
        # The counter, the word, a constant taken off it, what is left to do and its test, IMAD.WIDE.
        ("a[k * 3 + t]", 6 / 4),
        ("a[k * 32 + t] * b[k * 32 + t]", 7 / 4),
        # The counter is uniform, and the first access has no constant beside the multiple.
        ("a[k * 3] * a[k * 3 + 1] + a[k * 3 + 2]", 4 / 4),
        ("a[k * 6 + 1]", 5 / 4),
        # Nothing else needs the counter: the assembler copies four times, and each copy has a word.
        ("a[k * 6]", 11 / 16),
        ("b[(t + k) * 3] * b[(t + k) * 3 + 1]", 13 / 16),
    ],
)
def test_words_advance_that_a_multiple_of_the_counter_makes(statement, sass):
    assert per_iteration(statement) == pytest.approx(sass, rel=0.15)


@pytest.mark.parametrize(
    ("statement", "sass"),
    [
        ("a[k * 3] * b[k]", 6 / 16),
        ("b[t * n + k] * a[k * 3 + t]", 7 / 16),
        ("b[k * m + t] * a[k * 3 + t]", 20 / 16),
        # Twice a counter does not overflow.
        ("a[k * 2 + t * m]", 4 / 16),
    ],
)
def test_pointers_advance_where_something_else_needs_the_counter(statement, sass):
    assert per_iteration(statement) == pytest.approx(sass, rel=0.2)


@pytest.mark.parametrize(
    ("statement", "sass"),
    [
        # Counter, word, what is left and its test; the sum of the word and the row, its sign, and two for the scale.
        ("x[k * 4 + (t & 3)]", 9 / 4),
        ("x[k * 4 + (t & 3)] * y[k * 4 + (t & 3)]", 13 / 4),
        # The counter itself does not overflow: a pointer of two words, the counter and its test.
        ("x[k + t]", 4 / 16),
    ],
)
def test_words_advance_in_rows_that_a_product_of_64_bits_places(statement, sass):
    rows = "const float *x = a + (size_t)(t / 8) * m, *y = b + (size_t)(t / 8) * m;"
    assert per_iteration(statement, before=rows) == pytest.approx(sass, rel=0.2)


@pytest.mark.parametrize("factor", [3, 64])
def test_a_multiple_in_64_bits_is_a_pointer_whether_by_product_or_by_shift(factor):
    # Pointer, counter, what is left and its test; IADD3 for the place that the rest starts at, which is not modelled.
    assert per_iteration(f"a[(size_t)k * {factor} + t]") == pytest.approx(5 / 16, rel=0.25)


def test_the_same_term_beside_counter_and_multiple_leaves_the_word():
    assert per_iteration("b[t + k] * a[k * 3 + t]") == pytest.approx(7 / 4, rel=0.15)


def test_a_counter_that_starts_anywhere_is_tested_itself():
    assert per_iteration("a[k * 3 + t]", "int k = m") == pytest.approx(10 / 16, rel=0.05)


def copies(trips: int, statement: str) -> tuple[int, int]:
    """Copies of the body of the only loop, and those of them that the compiler made."""
    body = f"{HEAD} for (int k = 0; k < {trips}; k++) {{ {statement} }} c[t] = s;"
    code = kernel(FLOATS, body)
    graph = Walker(code, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
    found = [v.context.loop for v in graph.values if v.context.loop is not None][-1]
    return found.copies, found.batch


# As many as SASS has, and PTX.
@pytest.mark.parametrize(
    ("trips", "all_copies", "by_compiler"),
    [(512, 16, 16), (600, 40, 8), (1000, 40, 8), (300, 60, 4), (500, 48, 4), (999, 52, 4)],
)
def test_copies_of_a_known_number_of_iterations(trips, all_copies, by_compiler):
    assert copies(trips, "s += a[k * 3 + t] * b[k];") == (all_copies, by_compiler)


@pytest.mark.parametrize("trips", [2048, 100_000])
def test_long_loops_are_known_to_the_compiler_too(trips):
    assert copies(trips, "s += a[t + k];") == (32, 32)
