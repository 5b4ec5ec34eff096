"""Sums and products of 64-bit integers, and the rows of arrays that need them, against the SASS of nvcc 13 (sm_90)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

WIDE = "long long *o, const int *a, const unsigned *u, const long long *w"
INDEX = 1
"""The multiply-add of the thread's index; each array that is accessed takes one IMAD.WIDE more."""


def ops(body: str, parameters: str = WIDE) -> float:
    """Integer instructions of a thread of nvcc for sm_90."""
    return integer_ops(count(parameters, GLOBAL_INDEX + body, architecture="sm_90"))


@pytest.mark.parametrize(
    ("sum_", "arrays", "expected"),
    [
        ("w[i + 3] + a[i]", 2, 2),  # IADD3, LEA.HI.X.SX32: the carry extends the sign
        ("w[i + 3] - a[i]", 2, 3),  # SHF, IADD3, IADD3.X
        ("(long long)a[i] + a[i + 5]", 1, 3),  # SHF, IADD3, LEA.HI.X.SX32
        ("(long long)u[i] + u[i + 5]", 1, 2),  # IADD3 and IADD3.X
        ("w[i] + w[i + 5] + w[i + 7]", 1, 2),  # IADD3 and IADD3.X take three
        ("w[i] + w[i + 5] + a[i]", 2, 3),  # SHF before them
    ],
)
def test_sums_of_pairs_of_words(sum_, arrays, expected):
    assert ops(f"o[i] = {sum_};") == pytest.approx(INDEX + 1 + arrays + expected)


@pytest.mark.parametrize(
    ("product", "arrays", "expected"),
    [
        ("(long long)a[i] * a[i + 5] + w[i]", 2, 1),  # IMAD.WIDE
        ("(long long)a[i] * a[i + 5] + a[i + 7]", 1, 2),  # SHF, IMAD.WIDE
        ("(long long)a[i] * u[i]", 2, 3),  # SHF, IMAD.WIDE.U32, IMAD
        ("w[i] * u[i]", 2, 3),  # IMAD, IMAD.WIDE.U32, IADD3
        ("w[i] * w[i + 5] + w[i + 7]", 1, 4),  # IMAD, IMAD.WIDE.U32, IMAD, IADD3
        ("w[i] * a[i] + w[i + 7]", 2, 5),  # SHF besides
        ("w[i] - (long long)a[i] * a[i + 5]", 2, 3),  # IMAD.WIDE, IADD3, IADD3.X
        ("((long long)a[i] << 2) + w[i]", 2, 1),  # IMAD.WIDE
        ("(w[i] << 2) + w[i + 5]", 1, 2),  # LEA, LEA.HI.X
    ],
)
def test_products_of_pairs_of_words(product, arrays, expected):
    assert ops(f"o[i] = {product};") == pytest.approx(INDEX + 1 + arrays + expected)


def test_a_sum_of_bytes_is_part_of_the_addition_to_the_base():
    # IADD3 and IADD3.X of base and both offsets; the address of w[i].
    body = "o[i] = b[w[i] + w[i + 1]];"
    parameters = "unsigned char *o, const unsigned char *b, const long long *w"
    # o[i] is two more: IADD3, LEA.HI.X.SX32
    assert ops(body, parameters) == pytest.approx(INDEX + 1 + 2 + 2)


ROWS = "float *y, const float *x, int n"


def in_loop(row: str, element: str) -> float:
    """Integer instructions of a loop's body, whose counter and test are two of them."""
    body = f"""
        const float *row = {row};
        float s = 0;
        for (int k = threadIdx.x; k < n; k += blockDim.x) s += {element};
        y[blockIdx.x] = s;
    """
    ends = [
        integer_ops(count(ROWS, body, Run(default_trips=trips), architecture="sm_90"))
        for trips in (4.0, 12.0)
    ]
    return (ends[1] - ends[0]) / 8 - 2


@pytest.mark.parametrize(
    ("row", "element", "expected"),
    [
        # IADD3, LEA.HI.X.SX32 for the sum of the indices; LEA, LEA.HI.X
        ("x + (size_t)blockIdx.x * n", "row[k]", 4),
        ("x + blockIdx.x * n", "row[k]", 4),
        ("x + (size_t)blockIdx.x * n", "row[k] + row[k + 1]", 4),
        # Another index: VIADD and the same again
        ("x + (size_t)blockIdx.x * n", "row[k] + row[k + n]", 9),
        # IMAD.WIDE
        ("x", "row[k]", 1),
    ],
)
def test_an_element_of_a_row_adds_the_indices_first(row, element, expected):
    assert in_loop(row, element) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(
    ("sum_", "expected"),
    [
        # IMAD.WIDE onto the address of x[i]: no sum of the indices is left
        ("x[i] + x[i + n]", 1 + 1),
        ("x[i] + x[i + n] * x[i + n - 7]", 1 + 1),
        ("x[i] + x[i + n + 1]", 1 + 1),
        # IADD3 and IMAD.WIDE: differences and sums that may wrap around are computed
        ("x[i] + x[i - n]", 1 + 2),
        ("x[i] + x[(unsigned)i + n]", 1 + 2),
    ],
)
def test_an_address_continues_an_earlier_one(sum_, expected):
    body = f"y[i] = {sum_};"
    # VIADD and the address of y[i]
    assert ops(body, ROWS) == pytest.approx(INDEX + 1 + expected)


def test_a_sign_that_another_block_extends_makes_the_product_one_of_pairs():
    # The stride is extended in front of the loop: SHF, IMAD, IMAD.WIDE.U32 with the column, IMAD, IADD3; LEA, LEA.HI.X.
    assert in_loop("x", "row[(size_t)k * n + threadIdx.x]") == pytest.approx(7, abs=0.6)


def test_an_index_from_a_float_is_a_word():
    # IMAD.WIDE for x[i], for y[...] and for y[i]
    assert ops("y[i] = y[(int)x[i]];", ROWS) == pytest.approx(INDEX + 3)


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("x[k * n + (int)threadIdx.x]", 1),  # IMAD.WIDE
        ("x[(size_t)k * n + threadIdx.x]", 2),  # IADD3, IADD3.X
    ],
)
def test_a_pointer_advances_by_a_stride_of_words_in_one_instruction(element, expected):
    body = f"float s = 0; for (int k = 0; k < n; k++) s += {element}; y[threadIdx.x] = s;"
    # Of four copies each; the round's counter, its steps and the test are three more.
    ends = [
        integer_ops(count(ROWS, body, Run(default_trips=trips), architecture="sm_90"))
        for trips in (400.0, 1200.0)
    ]
    assert (ends[1] - ends[0]) / 800 == pytest.approx(expected, abs=0.5)


def test_a_shift_by_a_negative_constant_is_one_like_another():
    # Undefined in C++, but it stands in arms that never run.
    assert ops("o[i] = (long long)u[i] << -3;") > INDEX


UNSIGNED = "unsigned long long *o, const unsigned long long *w, unsigned long long n"


def remainder(dividend: str) -> float:
    """Integer instructions of `dividend % n` without those of the dividend, of nvcc for sm_90."""
    body = f"unsigned long long h = {dividend}; o[i] = h"
    return ops(f"{body} % n;", UNSIGNED) - ops(f"{body};", UNSIGNED)


def test_a_remainder_of_a_hash_takes_the_division_of_pairs_of_words():
    # Table `uint64.rem`: 14 where both high words are zero, 55 else.
    assert remainder("w[i]") == pytest.approx(14)
    assert remainder("w[i] * 0x9E3779B97F4A7C15ull") == pytest.approx(55)
    assert remainder("w[i] ^ (w[i] << 13)") == pytest.approx(55)
    assert remainder("w[i] * 0x9E3779B97F4A7C15ull >> 40") == pytest.approx(14)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # IMAD.WIDE.U32 with carries into the next, executed SASS of nvcc and clang: 10 with the addresses
        ("(u64)(((unsigned __int128)u[i] * u[i + 512]) >> 64)", 10),
        ("__umul64hi(u[i], u[i + 512])", 10),
    ],
)
def test_high_words_of_products(value, expected):
    prologue = "typedef unsigned long long u64;"
    counts = count(
        "u64 *o, const u64 *u",
        f"{GLOBAL_INDEX} o[i] = {value};",
        architecture="sm_90",
        prologue=prologue,
    )
    assert integer_ops(counts) == pytest.approx(expected, abs=2)
