"""Loads of the math library's coefficients, against SASS of nvcc 13.0 and clang 18.1.6 (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.tables.costs import Compiler


def loads(call: str, kind: str, compiler: Compiler) -> float:
    body = f"int t = threadIdx.x; {kind} a = x[t], b, c; y[t] = {call};"
    counts = count(f"const {kind} *x, {kind} *y", body, Run(threads=64.0), compiler=compiler)
    return counts.coefficient_loads


@pytest.mark.parametrize("call", ["sin(a)", "cos(a)", "sinpi(a)", "cospi(a)"])
def test_double_sines_load_their_coefficients(call):
    """LDG.E.128.CONSTANT three times, LDG.E.64.CONSTANT six times, by each of two warps."""
    assert loads(call, "double", Compiler.NVCC) == 2 * 3
    assert loads(call, "double", Compiler.CLANG) == 2 * 6


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("(sincos(a, &b, &c), b + c)", "double"),
        ("tan(a)", "double"),
        ("exp(a)", "double"),
        ("sinf(a)", "float"),
        ("cospif(a)", "float"),
    ],
)
def test_other_functions_have_them_in_the_code(call, kind):
    assert loads(call, kind, Compiler.NVCC) == loads(call, kind, Compiler.CLANG) == 0


def test_each_call_loads_its_own():
    assert loads("sin(a) * cos(2.0 * a)", "double", Compiler.CLANG) == 2 * 2 * 6
