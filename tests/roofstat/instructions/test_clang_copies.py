"""What stands around copied loops of unknown length: executed SASS of clang 18.1.6 with ptxas 12.6 (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, kernel, trace_of

from roofstat.instructions.model import CompilerFlags, count_instructions
from roofstat.instructions.tables.costs import Compiler
from roofstat.program.code import Loop, Region, children

LENGTHS = (1, 2, 3, 5, 8, 9, 16, 19)
ARGUMENTS = "const int *r, const float *v, const float *w, const int *x, float *y, int n, int m"
TOTALS = {
    "for (int k = r[i]; k < r[i + 1]; k++) s += v[k];": (22, 28, 34, 46, 21, 31, 26, 48),
    "for (int k = r[i]; k < r[i + 1]; k++) s += v[k] * w[x[k]];": (
        (30, 41, 52, 48, 41, 59, 63, 103)
    ),
    "int b = r[i]; for (int k = 0; k < n; k++) s += v[b + k] * w[b + k];": (
        (24, 32, 40, 56, 26, 38, 32, 60)
    ),
    "for (int k = 0; k < n; k++) s += v[(size_t)i * n + k];": (22, 27, 32, 42, 22, 32, 26, 46),
    "for (int k = 0; k < n; k++) s += v[(size_t)k * m + i];": (26, 32, 38, 50, 39, 54, 54, 81),
    "for (int k = 0; k < n; k++) s += v[i * n + k] * w[k];": (22, 30, 38, 35, 29, 42, 43, 72),
}
"""Loop -> executed integer instructions of a thread, by iterations."""
NESTS = {
    "for (int q = 0; q < m; q++) { for (int k = 0; k < n; k++) s += v[(i + q) * n + k]; s *= 0.5f; }": (
        (10, 14, None, 26, 14, 20, 13, 27)
    ),
    "for (int q = 0; q < m; q++) { for (int k = r[i + q]; k < r[i + q + 1]; k++) s += v[k] * w[x[k]]; s *= 0.5f; }": (
        (23, 31, None, 40, 28, 43, 37, 68)
    ),
    "for (int q = 0; q < m; q++) { float z = 0; for (int k = 0; k < n; k++) z += v[i * n + k] * w[q * n + k]; s += z * z; }": (
        (17, 24, None, 28, 22, 35, 36, 63)
    ),
}
"""Nest -> the same for each iteration of the outer loop."""


def loops(regions: list[Region]) -> list[Loop]:
    """The loops of a kernel, outer ones first."""
    found = []
    for region in regions:
        found += [region] if isinstance(region, Loop) else []
        found += [inner for part in children(region) for inner in loops(part)]
    return found


def integer_work(body: str, *trips: float) -> float:
    """Of a thread whose loops run so often, outer ones first."""
    code = kernel(
        ARGUMENTS, f"int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; {body} y[i] = s;"
    )
    numbers = [loop.number for loop in loops(code.body)]
    counts = count_instructions(
        trace_of(code, Run(trips=dict(zip(numbers, trips, strict=True)))),
        compiler=Compiler.CLANG,
        architecture="sm_90",
        flags=CompilerFlags(),
    )
    return counts.int_op


@pytest.mark.parametrize("loop", TOTALS)
def test_rounds_and_what_they_leave(loop):
    """Pointers are made for each part, and an iteration that is left takes a counter, its test and pairs of words."""
    ratios = [
        integer_work(loop, length) / executed
        for length, executed in zip(LENGTHS, TOTALS[loop], strict=True)
    ]
    assert max(ratios) < 1.15, ratios
    assert min(ratios) > 0.75, ratios


@pytest.mark.parametrize("nest", NESTS)
def test_in_a_nest_they_take_less(nest):
    ratios = [
        (integer_work(nest, 16.0, length) - integer_work(nest, 8.0, length)) / 8.0 / executed
        for length, executed in zip(LENGTHS, NESTS[nest], strict=True)
        if executed is not None
    ]
    assert max(ratios) < 1.25, ratios
    assert min(ratios) > 0.8, ratios
