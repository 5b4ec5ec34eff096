"""Indices that copies of a loop add up anew: executed SASS of clang 18.1.6 with ptxas 12.6 (sm_86)."""

from __future__ import annotations

import pytest
from builder import ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = (
    "const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ v,"
    " float *__restrict__ o, int n, int m, int p, int q, float y"
)
HEAD = (
    "int t = threadIdx.x; __shared__ float z[8192]; z[t] = x[t]; __syncthreads();"
    " int g = blockIdx.x * blockDim.x + threadIdx.x; float s = t;"
)


def per_iteration(index: str, trips: str = "64") -> float:
    loop = f"for (int k = 0; k < {trips}; k++) {{ s = s * ({index}) + y; }}"
    text = f"{HEAD} {loop} o[g] = s;"
    return ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_86")


@pytest.mark.parametrize(
    ("index", "executed"),
    [
        # A sum and a multiply-add for each copy where the counter is not added last.
        ("x[k + t + q]", 147),
        ("x[q + k + t]", 147),
        ("x[k + t * m + q]", 147),
        ("x[k * 64 + t + q]", 147),
        ("x[k + g + q]", 148),
        ("x[k + t + q] * w[k + t + q]", 227),
        # Added last it takes one address for all copies, and a single term a pointer.
        ("x[(t + q) + k]", 35),
        ("x[k + t + 1]", 43),
        ("x[k + t]", 43),
        ("x[k + q]", 42),
        ("x[k + g]", 34),
        # A sum that is needed twice is not taken apart.
        ("x[k + t + q] * w[k + t + p]", 128),
        # Multiples keep the constant of a copy inside where the counter has another use, or a sum is multiplied.
        ("x[k * 64 + t * m]", 44),
        ("x[(t + k) * 4]", 145),
        ("x[k * 64 + g] * w[k]", 194),
        # In shared memory constants leave words of whatever overflow.
        ("z[k * 2 + t]", 24),
    ],
)
def test_copies_of_a_loop_of_known_length(index, executed):
    assert per_iteration(index) == pytest.approx(executed / 64, rel=0.2, abs=0.1)


@pytest.mark.parametrize(
    ("index", "executed"),
    [
        ("x[k + t + q]", 155),
        ("x[k + t * m + q]", 144),
        ("x[k * 64 + t + q]", 148),
        ("x[k + t + q] * w[k]", 204),
        ("x[k * 2 + t] * w[k * 4 + t]", 281),
        ("x[(t + k) * 4]", 154),
    ],
)
def test_copies_of_a_loop_that_only_the_run_counts(index, executed):
    assert per_iteration(index, "n") == pytest.approx(executed / 64, rel=0.2, abs=0.1)


def test_sums_of_counters_of_known_loops_have_pointers():
    # 7555 for 64 times 64 iterations: four copies of two pointers, their offset and the test.
    text = (
        f"{HEAD} for (int i = 0; i < 64; i++) {{ s = t; for (int k = 0; k < 64; k++)"
        " { s = s * x[k * 64 + i] * w[t * 16 + k] + y; } o[t * 64 + i] = s; }"
    )
    found = ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_86")
    # Twice the iterations of both loops are three times as many more.
    assert found / (3 * 64) == pytest.approx(7 / 4, rel=0.05)


def test_five_copies_of_a_multiple_have_an_address_each():
    assert per_iteration("x[k * 64 + g]", "100") == pytest.approx(242 / 100, rel=0.2)
    assert per_iteration("z[k * 2 + t]", "100") == pytest.approx(230 / 100, rel=0.2)


def test_bits_that_a_sum_only_puts_together_are_no_sum():
    # i < 8 fills the bits that t * 512 + k * 8 leaves: 390 for 8 times 64 iterations.
    text = (
        f'{HEAD} _Pragma("unroll 1") for (int i = 0; i < 8; i++) {{ s = t; for (int k = 0; k < 64; k++)'
        " { s = s * x[t * 512 + k * 8 + i] + y; } o[t * 8 + i] = s; }"
    )
    found = ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_86")
    assert found / (3 * 64) < 1.0
