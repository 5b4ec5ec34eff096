"""Words that the math library keeps in local memory, against SASS of clang 18.1.6 and nvcc 13.0 (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.tables.costs import Compiler


def words(call: str, kind: str, compiler: Compiler) -> tuple[float, int]:
    body = f"int t = threadIdx.x; {kind} a = x[t], b, c; y[t] = {call};"
    counts = count(f"const {kind} *x, {kind} *y", body, Run(threads=64.0), compiler=compiler)
    return counts.frame.stored, counts.frame.size_bytes


@pytest.mark.parametrize("call", ["sin(a)", "cos(a)", "tan(a)", "(sincos(a, &b, &c), b + c)"])
def test_clang_keeps_the_quadrant_of_an_angle_in_memory(call):
    # STL [R1] before the branch for large angles, which has the LDL: one word of each thread of two warps.
    assert words(call, "double", Compiler.CLANG) == (2.0, 4)


@pytest.mark.parametrize(
    ("call", "kind", "compiler"),
    [
        ("sin(a)", "double", Compiler.NVCC),
        ("sinf(a)", "float", Compiler.CLANG),
        ("exp(a)", "double", Compiler.CLANG),
        ("sinpi(a)", "double", Compiler.CLANG),
    ],
)
def test_other_functions_keep_nothing(call, kind, compiler):
    assert words(call, kind, compiler) == (0.0, 0)


def test_each_call_has_a_word_of_its_own():
    assert words("sin(a) * cos(2.0 * a)", "double", Compiler.CLANG) == (4.0, 8)
