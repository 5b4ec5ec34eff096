"""Loops of known length whose pointers add one offset: executed SASS of clang 18.1.6 with ptxas 12.6 (sm_86)."""

from __future__ import annotations

import pytest
from builder import ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = (
    "const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ v,"
    " const double *__restrict__ d, float *__restrict__ o, int n, int m, float y"
)
HEAD = "int t = threadIdx.x; float s = t;"
LOOP = "for (int k = 0; k < 256; k++)"
ROLLED = f'_Pragma("unroll 1") {LOOP}'


def per_iteration(body: str, loop: str = LOOP) -> float:
    text = f"{HEAD} {loop} {{ {body} }} o[t] = s;"
    return ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_86")


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        # Two operations for the offset, two for each pointer, and the test, in each round of eight or four copies.
        ("s = s * x[t * 64 + k] + y;", (2 + 2 + 1) / 8),
        ("o[t * 256 + k] = x[t * 64 + k] + y;", (2 + 2 * 2 + 1) / 4),
        ("s = s * (x[t * 64 + k] * w[t * 32 + k] * v[k]) + y;", (2 + 3 * 2 + 1) / 4),
        # Whatever the strides and the sizes of elements.
        ("s = s * (x[k] * w[k * 2]) + y;", (2 + 2 * 2 + 1) / 4),
        ("s = s * (x[k * 3] * w[k * 3 + 1] * v[k * 3]) + y;", (2 + 3 * 2 + 1) / 4),
        ("s = s * (x[t * 64 + k] * (float)d[t * 32 + k]) + y;", (2 + 2 * 2 + 1) / 4),
    ],
)
def test_pointers_add_an_offset_that_the_loop_tests(body, operations):
    assert per_iteration(body) == pytest.approx(operations, rel=0.03)


@pytest.mark.parametrize("arrays", [1, 2, 3])
def test_rolled_loops_do_so_and_copy_no_pointer(arrays):
    product = " * ".join(("x[t * 64 + k]", "w[t * 64 + k]", "v[k]")[:arrays])
    assert per_iteration(f"s = s * ({product}) + y;", ROLLED) == pytest.approx(3 + 2 * arrays)


def test_a_counter_that_is_used_is_tested_and_in_an_ordinary_register():
    # A pointer, the counter, its test, and seven sums for the copies' conversions: 361 for 256 iterations.
    found = per_iteration("s = s * (x[t * 64 + k] * (float)k) + y;")
    assert found == pytest.approx((2 + 1 + 1 + 7) / 8, rel=0.03)


def test_a_loop_that_only_the_run_counts_has_pointers():
    text = f"{HEAD} for (int k = 0; k < n; k++) {{ s = s * (x[k] * w[k]) + y; }} o[t] = s;"
    found = ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_86")
    assert found < (2 * 2 + 2) / 4


def test_sums_of_counters_of_known_loops_do_not_overflow():
    # 360 for 512 iterations of both loops: h[49 + k * 8 + i] is the offset of a pointer.
    text = (
        f'{HEAD} _Pragma("unroll 1") for (int i = 0; i < 8; i++) {{ s = t; for (int k = 0; k < 64; k++)'
        " { s = s * x[(49 + k * 8) + i] + y; } o[t * 8 + i] = s; }"
    )
    found = ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_86")
    assert found / (3 * 64) == pytest.approx(5 / 8, rel=0.05)
