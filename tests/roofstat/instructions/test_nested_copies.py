"""Copies of loops of unknown length inside of other loops: SASS of own kernels, executed (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, kernel, trace_of

from roofstat.instructions.model import CompilerFlags, count_instructions
from roofstat.instructions.tables.costs import Compiler
from roofstat.program.code import Code, Loop, Region, children

LENGTHS = (1, 2, 3, 4, 5, 6, 7, 9, 17)
"""Iterations of the inner loop."""
NESTS = {
    "for (int i = 0; i < m; i++) for (int k = 0; k < n; k++) v = v * 0.5f + a[k + t];": (
        (5, 6, 6, 10, 13, 14, 14, 12, 13)
    ),
    "for (int i = 0; i < m; i++) for (int k = 0; k < n; k++) v += a[k + t] * b[k];": (
        (6, 7, 7, 16, 20, 21, 21, 18, 19)
    ),
    "for (int i = 0; i < m; i++) for (int k = 0; k < n; k++) v = v * 0.5f + a[i * n + k];": (
        (6, 7, 7, 12, 15, 16, 16, 14, 15)
    ),
    # The numbers were not read off the following.
    "for (int i = 0; i < m; i++) { float w = 0; for (int k = 0; k < n; k++) { float x = a[t * n + k] - b[i * n + k]; w += x * x; } v += sqrtf(w + 1.f); }": (
        (11, 12, 12, 17, 22, 23, 23, 21, 22)
    ),
    "for (int i = 0; i < m; i++) for (unsigned k = 0; k < n; k++) v = v * 0.5f + a[k + t];": (
        (5, 8, 10, 12, 15, 18, 20, 25, 45)
    ),
}
"""Nest -> executed integer instructions for each iteration of the outer loop, by the length of the inner one."""


def loops(regions: list[Region]) -> list[Loop]:
    """The loops of a kernel, outer ones first."""
    found = []
    for region in regions:
        found += [region] if isinstance(region, Loop) else []
        found += [inner for part in children(region) for inner in loops(part)]
    return found


def integer_work(code: Code, outer: float, inner: float, compiler: Compiler) -> float:
    first, second = loops(code.body)
    trace = trace_of(code, Run(trips={first.number: outer, second.number: inner}))
    counts = count_instructions(
        trace, compiler=compiler, architecture="sm_90", flags=CompilerFlags()
    )
    return counts.int_op


def per_outer_iteration(nest: str, inner: float) -> float:
    """Integer instructions that one more iteration of the outer loop takes."""
    code = kernel(
        "const float *__restrict__ a, const float *__restrict__ b, float *o, int n, int m",
        f"int t = blockIdx.x * blockDim.x + threadIdx.x; float v = 0; {nest} o[t] = v;",
    )
    few, many = (integer_work(code, outer, inner, Compiler.NVCC) for outer in (8.0, 16.0))
    return (many - few) / 8.0


@pytest.mark.parametrize("nest", NESTS)
def test_what_the_copies_leave_is_no_loop_in_a_nest(nest):
    """Tests are made outside of the nest; of 1 to 3 iterations that are left each takes a test and no counter."""
    ratios = [
        per_outer_iteration(nest, length) / executed
        for length, executed in zip(LENGTHS, NESTS[nest], strict=True)
    ]
    within = sum(1 / 1.25 < ratio < 1.25 for ratio in ratios)
    assert within >= len(ratios) - 1, ratios


def test_a_loop_that_stands_alone_keeps_a_loop_for_what_is_left():
    """Three more iterations take a counter, a test and a pointer each, in a nest hardly more than one."""
    alone = kernel(
        "const float *__restrict__ a, float *o, int n",
        "int t = blockIdx.x * blockDim.x + threadIdx.x; float v = 0;"
        "for (int k = 0; k < n; k++) v = v * 0.5f + a[k + t]; o[t] = v;",
    )
    (loop,) = loops(alone.body)
    one, three = (
        count_instructions(
            trace_of(alone, Run(trips={loop.number: trips})),
            compiler=Compiler.NVCC,
            architecture="sm_90",
            flags=CompilerFlags(),
        ).int_op
        for trips in (1.0, 3.0)
    )
    nest = next(iter(NESTS))
    assert three - one > 6.0
    assert per_outer_iteration(nest, 3) - per_outer_iteration(nest, 1) < 2.0


INTEGER_NEST = """for (int i = 0; i < m; i++) {
  int v = c[i * 128 + t]; for (int k = 0; k < n; k++) v += c[k + t]; d[i * 128 + t] = v; }"""
EXECUTED = {
    1: 12.8,
    2: 14.8,
    3: 15.8,
    4: 22.8,
    5: 26.8,
    6: 28.8,
    7: 29.8,
    8: 22.8,
    12: 30.8,
    16: 28.8,
}


def test_copies_of_registers_before_a_loop_in_a_nest_are_integer_where_arithmetic_is():
    """SASS of a nest over words, executed: counter, count and pointers are copied by IMAD.MOV; with arithmetic of floats by MOV."""
    code = kernel(
        "const int *__restrict__ c, int *__restrict__ d, int n, int m",
        f"int t = threadIdx.x; {INTEGER_NEST}",
    )
    for length, executed in EXECUTED.items():
        few, many = (
            integer_work(code, outer, float(length), Compiler.NVCC) for outer in (8.0, 16.0)
        )
        assert (many - few) / 8.0 == pytest.approx(executed, rel=0.2), length


IN_COPIES = """for (int j = 0; j < 4; j++) {
  int n = b[j]; for (int k = 0; k < n; k++) v = v * 0.5f + a[k + t]; v = v * v + 2; }"""
EXECUTED_IN_COPIES = {
    1: 33,
    2: 37,
    3: 37,
    4: 61,
    5: 73,
    6: 77,
    7: 77,
    9: 69,
    12: 73,
    17: 73,
    20: 77,
}


def test_a_loop_in_one_that_vanishes_leaves_no_loop_over_either():
    """SASS of a loop in four copies of another one, executed: they were copied when that was still a loop."""
    code = kernel(
        "const float *__restrict__ a, const int *__restrict__ b, float *__restrict__ o",
        f"int t = threadIdx.x; float v = 0; {IN_COPIES} o[t] = v;",
    )
    _, inner = loops(code.body)
    for length, executed in EXECUTED_IN_COPIES.items():
        trace = trace_of(code, Run(trips={0: 4.0, inner.number: float(length)}))
        counts = count_instructions(
            trace, compiler=Compiler.NVCC, architecture="sm_90", flags=CompilerFlags()
        )
        assert counts.int_op == pytest.approx(executed, rel=0.2), length


STRIDED_NEST = """double d = b[t]; for (int i = 0; i < m; i++) {
  double v = a[(size_t)i * p + t];
  for (int k = 0; k < n; k++) v += d * b[i * n + k] * a[(size_t)k * p + t];
  o[(size_t)i * p + t] = v; }"""
EXECUTED_STRIDED = {4: 347, 5: 427, 6: 499, 12: 515, 17: 611, 20: 651}


def test_copies_of_a_stride_are_those_of_one_pointer():
    """SASS of a nest over rows of a stride that the run knows: each copy has a pointer, made of the first and the stride."""
    code = kernel(
        "const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ o, int n, int p, int m",
        f"int t = threadIdx.x; {STRIDED_NEST}",
    )
    for length, executed in EXECUTED_STRIDED.items():
        counted = integer_work(code, 8.0, float(length), Compiler.NVCC)
        assert counted == pytest.approx(executed, rel=0.2), length
