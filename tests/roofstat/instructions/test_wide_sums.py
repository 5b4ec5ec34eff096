"""Indices that are sums and products of 64 bits: clang adds their terms to the pointer one by one, rows of known length are factors."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

POINTERS = "float *o, const float *a, const int *x, int n, int h"
PLACE = "int p = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;"


def per_thread(text: str) -> float:
    return integer_ops(count(POINTERS, text, Run(), compiler=Compiler.CLANG, architecture="sm_86"))


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        # SASS of clang 18.1.6 (sm_86): the row is on the uniform datapath, whether it stands in the index or not,
        (f"{PLACE} o[p] = a[(size_t)t * n + p];", 3),
        (f"{PLACE} o[p] = a[p + (size_t)t * n];", 3),
        (f"{PLACE} const float *r = a + (size_t)t * n; o[p] = r[p] + r[p + 1];", 3),
        (f"{PLACE} o[p] = a[((size_t)blockIdx.z * n + t) * n + p];", 3),
        (f"{PLACE} o[p] = a[(size_t)t * n + p] * a[(size_t)t * h + p];", 4),
        # but where the block's number is in an ordinary register for something else, or threads have rows of their own,
        ("int b = blockIdx.x, t = threadIdx.x; o[b * 256 + t] = a[(size_t)b * n + t];", 6),
        ("int b = blockIdx.x, t = threadIdx.x; if (b < n) o[t] = a[(size_t)b * n + t];", 7),
        (f"{PLACE} o[p] = a[(size_t)x[p] * n + p];", 7),
        # one multiply-add takes a word and a constant factor, and none of them goes to the uniform datapath.
        ("o[threadIdx.x] = a[(size_t)blockIdx.x * 768 + threadIdx.x];", 3),
        (f"{PLACE} size_t i = (size_t)p * 3; o[i] = a[i]; o[i + 1] = a[i + 1];", 3),
        # A sum that two arrays share stays one: five operations for it, with its sign and scale, and two for each array.
        (f"{PLACE} size_t i = (size_t)t * n + p; o[i] = a[i];", 10),
        # A word that is known not to be negative is extended by zeros: no product of words of one kind.
        (f"{PLACE} o[p] = a[(size_t)(threadIdx.x / 4) * n + p];", 9),
    ],
)
def test_terms_are_added_to_the_pointer_one_by_one(text, operations):
    assert per_thread(text) == pytest.approx(operations, abs=1.0)


def test_copies_of_an_unrolled_loop_follow_from_each_other():
    """Eight columns: the place in the first row, and a multiply-add for each further one."""
    rows = "float s = 0; for (int k = 0; k < {}; k++) s += a[(size_t)k * n + p];"
    few, many = (per_thread(f"{PLACE} {rows.format(trips)} o[p] = s;") for trips in (4, 8))
    assert many - few == 4.0


ROWS = "const float *x, float *y, const int *at, int n"


@pytest.mark.parametrize(
    "access",
    [
        "x[(size_t)r * 16 + 3]",
        "x[(size_t)r * 12]",
        "x[((size_t)r << 4) + 1]",
        "x[(long long)r * 3 + 1] * x[(long long)r * 3 + 2]",
        "x[(size_t)r * 16 - 1]",
    ],
)
def test_rows_of_known_length_are_one_multiply_add_of_a_word(access):
    # IMAD.WIDE r, 64 (or 48, 12), x, and two more for the index and for the result: nvcc 13.0, sm_90, and clang 18.1.6, sm_86.
    body = f"int t = threadIdx.x, r = at[t]; y[t] = {access};"
    assert integer_ops(count(ROWS, body, architecture="sm_90")) == pytest.approx(3)
    clang = count(ROWS, body, compiler=Compiler.CLANG, architecture="sm_86")
    assert integer_ops(clang) == pytest.approx(3)


def test_unrolled_rows_share_their_address():
    body = """int t = threadIdx.x, r = at[t];
    for (int k = 0; k < 9; k++) y[(size_t)t * 9 + k] = x[(size_t)r * 9 + k] * 2;"""
    body = body.replace("x[", "__ldg(x + ").replace("k] * 2", "k) * 2")
    assert integer_ops(count(ROWS, body, architecture="sm_90")) == pytest.approx(3)


@pytest.mark.parametrize("index", ["(size_t)r", "(size_t)r * n"])
def test_an_unsigned_long_index_less_one_leaves_the_constant_to_the_access(index):
    # Without it: SASS of x[i - 1] has [R.64 + -4].
    one, other = (
        integer_ops(
            count(
                ROWS,
                f"int t = threadIdx.x, r = at[t]; y[t] = x[{index}{rest}];",
                architecture="sm_90",
            )
        )
        for rest in ("", " - 1")
    )
    assert one == pytest.approx(other)


def test_rows_of_widened_sums_do_not_follow_from_each_other():
    """Executed SASS of clang 18.1.6 (sm_90): 19 and 35, for each further row a sum, a product and two for its place (LEA, LEA.HI.X)."""
    rows = "float s = 0; for (int k = 0; k < {}; k++) s += a[(size_t)(x[p] + k) * n + p];"
    few, many = (per_thread(f"{PLACE} {rows.format(trips)} o[p] = s;") for trips in (4, 8))
    assert many - few == pytest.approx(4 * 4.0, abs=2.0)


def test_uniform_rows_that_are_added_last_are_in_ordinary_registers():
    """Executed SASS of clang 18.1.6: 36 and 69 (sm_86), 36 and 70 (sm_90), since what is added first has the number of the thread in it."""
    rows = "float s = 0; for (int k = 0; k < {}; k++) s += a[((size_t)blockIdx.z * h + (t + k)) * n + p];"
    few, many = (per_thread(f"{PLACE} {rows.format(trips)} o[p] = s;") for trips in (4, 8))
    assert (many - few) / 4 == pytest.approx(8.4, abs=1.0)


@pytest.mark.parametrize(
    ("index", "operations"),
    [
        # Executed SASS of clang 18.1.6 (sm_86 and sm_90). What unrolling takes out of a product stays in a term of a sum of 64 bits: a sum and a
        # multiply-add for each copy,
        ("(size_t)t * 512 + (k + g) * 32 + p", 21),
        ("(size_t)t * n + (k + g) * 12 + p", 20),
        # and so it does below another product,
        ("((k * 4 + g) * 8 + p) * 4 + n", 20),
        # but shifts are taken apart before that, and their constants are the accesses'.
        ("(k * 8 + g) * 8 + p", 5),
        ("p + (k * 8 + g) * 8", 5),
        ("(size_t)t * 512 + k * 64 + g * 8 + p", 7),
    ],
)
def test_constants_out_of_products_stay_in_terms(index, operations):
    place = f"{PLACE} int g = threadIdx.y + blockIdx.z;"
    text = f"{place} float s = 0; for (int k = 0; k < 8; k++) s += a[{index}]; o[p] = s;"
    assert per_thread(text) == pytest.approx(operations, abs=1.0)


@pytest.mark.parametrize(
    ("access", "operations"),
    [
        # A product, one LOP3 with the mask, and two for the place (LEA, LEA.HI.X): SASS of clang 18.1.6, sm_86 and sm_90.
        ("a[(size_t)x[p] * 16 + (threadIdx.x & 15)]", 7),
        (
            "a[(size_t)x[p] * 64 + (threadIdx.x & 31)] + a[(size_t)x[p] * 64 + (threadIdx.x & 31) + 32]",
            7,
        ),
        # A word that LLVM does not know to be small is added: two multiply-adds.
        ("a[(size_t)x[p] * 4 + threadIdx.x / 32]", 6),
    ],
)
def test_sums_without_common_bits_are_bitwise(access, operations):
    assert per_thread(f"{PLACE} o[p] = {access};") == pytest.approx(operations)


@pytest.mark.parametrize(
    ("index", "instructions"),
    [
        # Executed SASS of clang 18.1.6 (sm_90) with rows of length n, without the thread's number, its test and the access to y: a row on the
        # uniform datapath takes none,
        ("p", 1),
        ("p == 0 ? n - 1 : p - 1", 3),
        # but not beside an extremum of its length, or where that is chosen and compared: IMAD.WIDE, SHF and SHL, and two for each array.
        ("min(p + 1, n)", 2 + 7),
        ("min(max(p - h, 0), n - 1)", 3 + 7),
    ],
)
def test_rows_whose_length_is_in_a_register_are_in_ordinary_registers(index, instructions):
    text = (
        "int p = blockIdx.x * blockDim.x + threadIdx.x; if (p >= n) return;"
        " int r = blockIdx.y; const float* q = x + (size_t)r * n;"
        f" y[(size_t)r * n + p] = q[{index}];"
    )
    counted = count(
        "float* y, const float* x, int n, int h",
        text,
        compiler=Compiler.CLANG,
        architecture="sm_90",
    )
    assert integer_ops(counted) == pytest.approx(3 + instructions, abs=1.01)
