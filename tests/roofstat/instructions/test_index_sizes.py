"""How large LLVM takes a loop to be before it copies it: the copies that clang 18.1.6 says it makes (`-Rpass=loop-unroll`, sm_90)."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.details import SetupDetail
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

RECORDS = "struct P { float x, y, z, m; }; struct Q { float re, im; };\n"
TIMES = """__device__ Q times(Q a, Q b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
"""
ARGUMENTS = "const Q *q, const P *p, const float2 *v, const float *x, const float *w, float *y, int n, int m, size_t l"
HEAD = "int t = blockIdx.x * blockDim.x + threadIdx.x; float s = t, u = 0;"


def copies_of(body: str) -> int:
    """Copies that the compiler makes of the first loop that is copied, those of the assembler apart."""
    prologue = f"#include <cuda_runtime.h>\n{RECORDS}{TIMES}"
    code = kernel(ARGUMENTS, f"{HEAD} {body} y[t] = s + u;", prologue)
    graph = Walker(code, lowering_parameters("clang", "sm_90"), fast_math=False).run()
    found = [
        value.detail.frame.batch for value in graph.values if isinstance(value.detail, SetupDetail)
    ]
    return found[0] if found else 1


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        # Each field has an address of its own, a record that is read as a whole one for all.
        ("s = s * 0.5f + q[i].re; u = u * 0.25f + q[i].im;", 4),
        ("float2 f = v[i]; s = s * 0.5f + f.x; u = u * 0.25f + f.y;", 8),
        ("s += p[i].x * p[i].y * p[i].z;", 4),
        ("s += q[i].re; u += q[i].im;", 8),
        # Of records that are copied only the rows have addresses, and the compiler says 4; an address for each field would make it 2.
        ("const Q f = times(q[i], q[i + m]); s += f.re; u += f.im;", 4),
    ],
)
def test_fields_have_addresses_of_their_own(body, copies):
    assert copies_of(f"for (int i = 0; i < n; i++) {{ {body} }}") == copies


@pytest.mark.parametrize(("rows", "copies"), [(2, 4), (4, 2)])
def test_a_row_in_64_bits_leaves_the_loop(rows, copies):
    body = f"""float acc[{rows}]; for (int k = 0; k < {rows}; k++) acc[k] = 0;
    for (int i = 0; i < n; i++) {{ const float f = w[i * m + t % m];
        for (int k = 0; k < {rows}; k++) acc[k] += f * x[(size_t)(t * {rows} + k) * n + i]; }}
    for (int k = 0; k < {rows}; k++) s += acc[k];"""
    assert copies_of(body) == copies


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        # A product of 64 bits weighs two,
        ("for (int k = 0; k < n; k++) s += w[k] * x[(size_t)k * m + t];", 4),
        ("for (int k = 0; k < n; k++) y[(size_t)k * m + t] = x[(size_t)k * m + t];", 4),
        ("for (int k = 0; k < n; k++) s += x[(size_t)k * m + t];", 8),
        # and one with a constant too, although an address takes it as a factor; a shift weighs one.
        ("for (int k = 0; k < n; k++) { s += x[(size_t)k * 12 + t]; s *= 2.5f; s *= 3.5f; }", 8),
        (
            "for (int k = 0; k < n; k++) { s += x[(size_t)k * 12 + t]; s *= 2.5f; s *= 3.5f; s *= 4.5f; }",
            4,
        ),
        (
            "for (int k = 0; k < n; k++) { s += x[(size_t)k * 16 + t]; s *= 2.5f; s *= 3.5f; s *= 4.5f; }",
            8,
        ),
        # A counter of 64 bits weighs one more.
        (
            "for (size_t k = 0; k < n; k++) { s += x[k]; s *= 2.5f; s *= 3.5f; s *= 4.5f; s *= 5.5f; }",
            8,
        ),
        (
            "for (size_t k = 0; k < n; k++) { s += x[k]; s *= 2.f; s *= 3.f; s *= 4.f; s *= 5.f; s *= 6.f; }",
            4,
        ),
        # The number of a thread that is widened is a start like any other; in words it takes too many operations to subtract.
        ("for (size_t k = t; k < l; k++) s += x[k];", 8),
        ("for (size_t k = t; k < n; k++) s += x[k];", 1),
        ("for (int k = t; k < n; k++) s += x[k];", 1),
    ],
)
def test_arithmetic_of_64_bits_weighs_two(body, copies):
    assert copies_of(body) == copies
