"""Indices into shared memory in loops of clang: SASS of own kernels (clang 18.1.6 with ptxas 12.6, sm_86)."""

from __future__ import annotations

import pytest
from builder import ops_per_iteration

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters

CLANG = lowering_parameters("clang", "sm_86")
ARRAYS = "__shared__ float s[512], u[512], m[32][33]; int t = threadIdx.x; float x = 0;"


def per_iteration(loop: str) -> float:
    """Integer operations that one more iteration takes."""
    return ops_per_iteration(
        "const float *a, float *o, int n",
        f"{ARRAYS} s[t] = a[t]; u[t] = a[t + 64]; m[t][0] = a[t]; __syncthreads(); {loop} o[t] = x;",
        compiler=Compiler.CLANG,
        architecture="sm_86",
    )


@pytest.mark.parametrize(
    ("term", "pointers"),
    [
        # Advances on the uniform datapath.
        ("s[k]", 0),
        ("s[k + t]", 1),
        ("s[k + t] * u[k]", 1),
        ("s[k + t] * u[k + t]", 2),
        ("s[k * 7 + t % 7]", 1),
        ("m[t][k]", 1),
        ("m[k][t] * m[t][k]", 2),
    ],
)
def test_a_pointer_of_each_thread_into_shared_memory_advances_by_one_operation(term, pointers):
    found = per_iteration(f"for (int k = 0; k < n; k++) {{ x += {term}; __syncthreads(); }}")
    test_and_counter = 1.0 + CLANG.rolled_counter_on_vector
    assert found == pytest.approx(test_and_counter + pointers)


def test_copies_of_a_loop_share_its_pointers():
    # One IADD3 and one ISETP for four copies.
    loop = "\n#pragma unroll 4\nfor (int k = 0; k < n; k++) x += s[k + t] * u[k];"
    assert per_iteration(loop) == pytest.approx((1.0 + 1.0 + CLANG.counter_on_vector) / 4.0)


def test_copies_scale_an_index_each_that_may_overflow():
    # An addition and a shift for each copy but the first, the counter, the test: 9 operations for four copies.
    loop = "float y = 1, z = 2; for (int k = 0; k < n; k++) { float v = s[k * 7 + t]; x += v * v; y = y * v + x; z = z * y + v; } x += y + z;"
    assert per_iteration(loop) == pytest.approx(9.0 / 4.0, rel=0.2)
