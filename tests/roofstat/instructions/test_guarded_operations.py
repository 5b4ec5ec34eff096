"""What leaves a loop from behind a condition in it: SASS of `if (p[k] > 0) o[k * 128 + t] = f(x)` (nvcc 13.0 for sm_90, clang 18.1.6 for sm_86)."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker
from roofstat.program.code import Op

PARAMETERS = "const int *p, const float *f, const int *q, float *o, int n"


def depth_of(expression: str, compiler: str) -> int:
    """Loops around the dearest operation of a guarded expression of `x`, `y` (floats), `d` (double), `i`, `j` (words)."""
    code = kernel(
        PARAMETERS,
        "int t = threadIdx.x; float x = f[t], y = f[t + 1]; double d = f[t + 2]; int i = q[t], j = q[t + 1]; "
        f"for (int k = 0; k < n; k++) if (p[k] > 0) o[k * 128 + t] = {expression};",
    )
    graph = Walker(code, lowering_parameters(compiler, "sm_90"), fast_math=False).run()
    made = [v for v in graph.values if v.op in {Op.DIV, Op.REM, Op.MATH}]
    assert made, expression
    return max(v.context.depth for v in made)


@pytest.mark.parametrize(
    ("expression", "nvcc", "clang"),
    [
        ("i % 7", 0, 0),
        ("i / 8", 0, 0),
        ("i / j", 1, 0),
        ("x / y", 0, 0),
        ("x / 3.0f", 0, 0),
        ("1.0 / d", 0, 0),
        ("sqrtf(x)", 0, 0),
        ("floor(d)", 0, 0),
        ("__popc(i)", 0, 0),
        ("max(i, j)", 0, 0),
        ("__expf(x)", 0, 0),
        ("__fdividef(y, x)", 0, 0),
        ("__fdividef(1.0f, x)", 1, 0),
        ("expf(x)", 1, 0),
        ("powf(x, y)", 1, 0),
        ("exp(d)", 1, 0),
        ("log(d)", 1, 1),
        ("tanhf(x)", 1, 1),
        ("sinf(x)", 1, 1),
        ("fmodf(x, y)", 1, 1),
    ],
)
def test_a_condition_keeps_what_may_not_run_for_nothing(expression, nvcc, clang):
    assert depth_of(expression, "nvcc") == nvcc
    assert depth_of(expression, "clang") == clang
