"""Nests over private arrays, which nvcc 13.0 (PTX of own kernels for sm_90) unrolls as long as the arrays then fit registers."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

ARRAYS = "const float *a, float *b, int n"


def loops_left(body: str) -> int:
    """How many loops a kernel keeps."""
    code = kernel(ARRAYS, f"int t = threadIdx.x; {body}")
    graph = Walker(code, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
    live = analyse(graph, has_constant_tables=False).live
    return len({id(v.context.loop) for v in live if v.context.loop is not None})


def factorised(size: int) -> str:
    return f"""float x[{size}][{size}];
    for (int i = 0; i < {size}; i++) for (int j = 0; j < {size}; j++) x[i][j] = a[(i * {size} + j) * 32 + t];
    for (int j = 0; j < {size}; j++) {{
        float d = x[j][j];
        for (int m = 0; m < j; m++) d -= x[j][m] * x[j][m];
        x[j][j] = d;
        for (int i = j + 1; i < {size}; i++) {{
            float v = x[i][j];
            for (int m = 0; m < j; m++) v -= x[i][m] * x[j][m];
            x[i][j] = v * d;
        }}
    }}
    float s = 0;
    for (int i = 0; i < {size}; i++) s += x[{size - 1}][i];
    b[t] = s;"""


def substituted(size: int) -> str:
    return f"""float x[{size}];
    for (int i = 0; i < {size}; i++) x[i] = b[i * 32 + t];
    for (int i = {size} - 1; i >= 0; i--) {{
        float v = x[i];
        for (int m = i + 1; m < {size}; m++) v -= a[i * {size} + m] * x[m];
        x[i] = v * 1.5f;
    }}
    float s = 0;
    for (int i = 0; i < {size}; i++) s = s * x[i] + 1.0f;
    b[t] = s;"""


@pytest.mark.parametrize("size", [4, 7, 10])
def test_small_matrices_are_factorised_in_registers(size):
    assert loops_left(factorised(size)) == 0


def test_larger_ones_are_not():
    assert loops_left(factorised(12)) > 0


@pytest.mark.parametrize(("size", "is_left"), [(8, False), (14, False), (16, True)])
def test_a_triangle_counts_as_its_square(size, is_left):
    assert (loops_left(substituted(size)) > 0) == is_left


@pytest.mark.parametrize(("trips", "left"), [(4, 4), (6, 2)])
def test_a_loop_around_copies_vanishes_only_when_short(trips, left):
    # Each copy of the outer loop has the inner one; where that stays a loop there are two.
    body = f"""float s = 0, u = a[t];
    for (int i = 0; i < {trips}; i++) {{ for (int k = 0; k < n; k++) s += a[k * 64 + i]; s *= u; }}
    b[t] = s;"""
    assert loops_left(body) == left
