"""Strides of block reductions: SASS of loops `for (i = START; TEST; STEP) if (t < i) s[t] += s[t + i]`, sm_90.

A loop from `n` down that ends at zero takes one instruction for it (SHF.U32).
"""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

PARAMETERS = "const float *a, float *c, int n, unsigned u"


def halving(start: str, test: str, step: str, compiler: str) -> float:
    """Integer operations that halve the variable in one iteration."""
    return 1 + iteration(start, test, step, compiler) - iteration("n", "i > 0", "i /= 2", compiler)


def iteration(start: str, test: str, step: str, compiler: str) -> float:
    """Integer operations of one more iteration."""
    body = (
        "__shared__ float s[1024]; int t = threadIdx.x; s[t] = a[t]; __syncthreads(); "
        f"for (int i = {start}; {test}; {step}) {{ if (t < i) s[t] += s[t + i]; __syncthreads(); }} c[t] = s[0];"
    )
    made = [
        count(
            PARAMETERS,
            body,
            Run(default_trips=trips),
            compiler=Compiler(compiler),
            architecture="sm_90",
        )
        for trips in (8, 16)
    ]
    return (integer_ops(made[1]) - integer_ops(made[0])) / 8


@pytest.mark.parametrize(
    ("start", "test", "step", "nvcc", "clang"),
    [
        ("n", "i > 0", "i >>= 1", 1, 1),
        ("n", "i != 0", "i /= 2", 3, 3),  # LEA.HI, SHF.S32, VIADD for the test
        ("n / 2", "i > 0", "i /= 2", 3, 2),  # LEA.HI, SHF.S32, IMAD.MOV; SHF.U32, IMAD.MOV
        ("n / 2", "i > 0", "i >>= 1", 1, 2),
        ("n / 2", "i > 1", "i >>= 1", 2, 2),
        ("n / 4", "i > 0", "i /= 2", 1, 1),
        ("n >> 1", "i > 0", "i >>= 1", 2, 1),
        ("n >> 1", "i > 0", "i /= 2", 1, 1),
        ("n >> 1", "i > 1", "i /= 2", 2, 1),
        ("u / 2", "i > 0", "i /= 2", 1, 2),
        ("u / 2", "i > 1", "i >>= 1", 2, 2),
        ("u / 2", "i != 0", "i /= 2", 3, 2),
    ],
)
def test_a_variable_that_starts_halved_is_carried_whole(start, test, step, nvcc, clang):
    assert halving(start, test, step, "nvcc") == pytest.approx(nvcc, abs=0.3)
    assert halving(start, test, step, "clang") == pytest.approx(clang, abs=0.3)
