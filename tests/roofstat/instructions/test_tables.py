"""Constant arrays: where unrolling makes the index constant the compiler knows the element."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.quantities import Quantity

POINTERS = "const float *a, float *c, int n"
PROLOGUE = """
__device__ const int off[9] = {0, 1, 2, 5, 7, 11, 13, 17, 19};
static __device__ const float w[9] = {1.f / 3, -0.5f, 2 * 0.25f};
__device__ int changes[9] = {0, 1, 2, 5, 7, 11, 13, 17, 19};
"""
SUM = "int t = threadIdx.x; float s = 0; for (int q = 0; q < 9; q++) s += w[q] * a[t + off[q]]; c[t] = s;"


@pytest.mark.parametrize(
    ("compiler", "architecture"), [(Compiler.NVCC, "sm_90"), (Compiler.CLANG, "sm_86")]
)
def test_elements_at_constant_indices_are_no_loads(compiler, architecture):
    counts = count(POINTERS, SUM, prologue=PROLOGUE, compiler=compiler, architecture=architecture)
    # SASS of both compilers: nine loads of a, one address for each array
    assert counts.total(Quantity.GLOBAL_LOADS) == pytest.approx(9)
    assert integer_ops(counts) <= 3
    assert len(counts.known_loads) == 2


@pytest.mark.parametrize(
    "body",
    [
        SUM.replace("off[q]", "changes[q]"),
        SUM.replace("off[q]", "off[(q + n) % 9]"),
        SUM.replace("q < 9", "q < n"),
    ],
)
def test_other_elements_are_loaded(body):
    counts = count(POINTERS, body, Run(default_trips=9), prologue=PROLOGUE)
    assert counts.total(Quantity.GLOBAL_LOADS) >= 18


def test_missing_elements_are_zero_and_calculated_ones_known():
    body = "c[threadIdx.x] = a[0] * w[0] + a[1] * w[2] + a[2] * w[8];"
    counts = count(POINTERS, body, prologue=PROLOGUE)
    assert counts.total(Quantity.GLOBAL_LOADS) == pytest.approx(3)


def test_branches_do_not_keep_a_loop_over_a_table_rolled():
    """LLVM counts what constants make of the copies: nine of them are more than it copies otherwise."""
    body = (
        "int t = threadIdx.x; double s = 0; for (int q = 0; q < 9; q++) { int y = t + off[q];"
        " if (y > 3 && y < n) { if (a[y] > 0) s += 2.0 * off[q] * a[y + off[q]]; else s -= a[t + 7 * off[q]] * s; }"
        " if (s > n + off[q]) s = s * off[q] + a[y * n]; } c[t] = s;"
    )
    counts = count(
        POINTERS,
        body,
        Run(default_trips=9),
        prologue=PROLOGUE,
        compiler=Compiler.CLANG,
        architecture="sm_86",
    )
    assert len(counts.known_loads) >= 1
