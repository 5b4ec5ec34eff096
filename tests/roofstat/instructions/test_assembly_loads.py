"""Loads that nvcc's headers write as assembly (`__ldg` and its kin): SASS of own kernels (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import PROLOGUE, count, integer_ops, ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

COPIES = 4
"""That nvcc makes of a loop of unknown length, before the assembler copies it again."""


def per_iteration(
    term: str, compiler: Compiler = Compiler.NVCC, architecture: str = "sm_90"
) -> float:
    """Integer operations that one more iteration takes."""
    return ops_per_iteration(
        "const float *a, const float *b, float *o, int n",
        "int t = blockIdx.x * blockDim.x + threadIdx.x; float x = 0;"
        f"for (int k = 0; k < n; k++) x += {term}; o[t] = x;",
        compiler=compiler,
        architecture=architecture,
    )


@pytest.mark.parametrize(
    ("through_assembly", "plain", "sums"),
    [
        # Executed: 61 of 64 iterations with their surroundings, 30 without `__ldg`.
        ("__ldg(&a[t * n + k])", "a[t * n + k]", 1),
        # 78 and 43: the pointer to b has nothing but the counter in it.
        ("__ldg(&a[k + t]) * __ldg(&b[k])", "a[k + t] * b[k]", 1),
        # 37 and 40: a row in 64 bits is known not to overflow.
        ("__ldg(&a[(size_t)t * n + k])", "a[(size_t)t * n + k]", 0),
        # 28 and 28.
        ("__ldg(&a[k])", "a[k]", 0),
    ],
)
def test_each_copy_has_a_pointer_to_a_sum_of_words(through_assembly, plain, sums):
    """Two operations for each further pointer, shared by the four copies that the assembler makes of the four."""
    more = per_iteration(through_assembly) - per_iteration(plain)
    assert more == pytest.approx(sums * 2.0 * (COPIES - 1) / (4 * COPIES))


def test_clang_has_a_built_in_function():
    terms = ("__ldg(&a[t * n + k])", "a[t * n + k]")
    through_built_in, plain = (per_iteration(term, Compiler.CLANG, "sm_86") for term in terms)
    assert through_built_in == plain


def test_a_global_array_is_not_in_constant_memory():
    """Its address takes two additions; in constant memory the index of a byte is one."""
    found = {
        text: integer_ops(
            count(
                "float *o, int m",
                f"int t = threadIdx.x; o[t] = {text};",
                prologue=PROLOGUE + "__device__ unsigned char table[1024];",
            )
        )
        for text in ("__ldg(&table[t * m])", "table[t * m]")
    }
    assert found["__ldg(&table[t * m])"] == found["table[t * m]"]
