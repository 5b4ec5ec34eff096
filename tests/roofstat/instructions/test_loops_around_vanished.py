"""Loops of clang around small loops that vanish: convolutions over channels, stencils over planes, rows of a filter."""

from __future__ import annotations

import pytest
from builder import Run, count, kernel, ops_per_iteration

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

ARRAYS = "float *out, const float * __restrict__ in, const int * __restrict__ column, const float * __restrict__ a, int n, int h, int w"
THREAD = """int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    float s = 0;"""


def per_iteration(body: str) -> float:
    text = f"{THREAD} for (int c = 0; c < n; c++) {body} out[(k * h + y) * w + x] = s;"
    return ops_per_iteration(
        ARRAYS,
        text,
        lambda trips: Run(trips={0: trips}),
        compiler=Compiler.CLANG,
        architecture="sm_86",
    )


@pytest.mark.parametrize(
    ("index", "operations"),
    [
        # SASS of clang 18.1.6 (sm_86), executed: the constant of a product is an offset, copies included ...
        ("(c + y + r) * 3", 2.25),
        ("(c * 8 + r) * 64 + x", 2.06),
        # ... and that of a row only sets bits: each copy has its word and a multiply-add;
        ("(x & 3) * n * 4 + c * 4 + r", 2.06),
        # ... that which is added last leaves with the array, so that each copy has an address of one index, which advances;
        ("(c * h + y) * w + x + r", 4.31),
        # rows follow from it by one addition, or are words of their own.
        ("(r * n + c) * 64 + x", 6.125),
        ("(c * h + y + r) * w + x", 6.62),
    ],
)
def test_one_loop_vanishes(index, operations):
    body = f"for (int r = 0; r < 3; r++) s += in[{index}];"
    assert per_iteration(body) == pytest.approx(operations, rel=0.15)


@pytest.mark.parametrize(
    ("index", "operations"),
    [
        ("((k * n + c) * 3 + r) * 3 + q", 4.5),
        ("(c * h + y + r) * w + x + q", 13.5),
        ("c * h * w + (y + r) * w + (x + q)", 7.5),
    ],
)
def test_two_loops_vanish(index, operations):
    body = f"for (int r = 0; r < 3; r++) for (int q = 0; q < 3; q++) s += in[{index}];"
    assert per_iteration(body) == pytest.approx(operations, rel=0.15)


def test_arms_take_the_index_that_advances_each_for_itself():
    # SASS, executed: a multiply-add for each array, where the index would be widened in front of the branch and scaled behind it;
    # and a copy of half a register for every other one.
    guarded = "{{ int i = column[c * h + x]; if (i >= 0) s += a[i] {}; }}"
    both = per_iteration(guarded.format("* in[c * h + x]"))
    assert both - per_iteration(guarded.format("")) == pytest.approx(1.0, abs=0.4)


@pytest.mark.parametrize(("arithmetic", "copies"), [(0, 4), (32, 4), (48, 1)])
def test_loads_from_shared_memory_make_room(arithmetic, copies):
    # SASS of sums over 16 numbers in shared memory with as many further multiply-adds.
    body = f"""__shared__ float p[512]; p[threadIdx.x] = in[threadIdx.x]; __syncthreads();
        float v = in[x], s = 0; for (int k = 0; k < n; k++) {{ float d = 0;
        for (int j = 0; j < 16; j++) d += v * p[k * 17 + j];
        {"d = d * v + s;" * arithmetic} s += d; }} out[x] = s;"""
    code = kernel(ARRAYS, f"int x = blockIdx.x * blockDim.x + threadIdx.x; {body}")
    graph = Walker(code, lowering_parameters("clang", "sm_86"), fast_math=False).run()
    live = analyse(graph, has_constant_tables=True).live
    assert max(v.context.loop.copies for v in live if v.context.loop is not None) == copies


def test_constants_leave_loops_of_known_length():
    """SASS of 8 x 8 products with a matrix of each iteration, executed: 333 of 64 iterations, as all 64 places are offsets."""
    text = """int x = blockIdx.x * blockDim.x + threadIdx.x; double v[8], w[8];
      for (int i = 0; i < 8; i++) v[i] = x + i;
      for (int c = 0; c < n; c++) {
        const double *p = src + col[c] * 64L;
        for (int j = 0; j < 8; j++) w[j] = 0;
        for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) w[j] += v[i] * p[i * 8 + j];
        for (int j = 0; j < 8; j++) v[j] = w[j];
      }
      out[x] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];"""
    counts = count(
        "float *out, const double *src, const int *col, int n",
        text,
        Run(trips={1: 64.0}),
        compiler=Compiler.CLANG,
        architecture="sm_86",
    )
    assert counts.int_op == pytest.approx(333, rel=0.15)


ROW = "v += a[i * {n} + j];"
PRODUCT = "v += a[i * {n} + j] * b[j];"
SHARED = "v += s[(i + j) & 255] * a[j * m + i];"
SCAN = "float y = t >= (1 << j) ? s[t - (1 << j)] : 0; __syncthreads(); s[t] += y; __syncthreads();"


@pytest.mark.parametrize(
    ("body", "rounds", "copies"),
    [
        (ROW, 8, 4),
        (ROW, 16, 2),
        (PRODUCT, 4, 4),
        (PRODUCT, 8, 2),
        (PRODUCT, 16, 1),
        (SHARED, 4, 4),
        (SHARED, 8, 2),
        (SHARED, 16, 1),
        (SCAN, 3, 4),
        (SCAN, 4, 2),
        (SCAN, 7, 2),
        (SCAN, 8, 1),
    ],
)
def test_nvcc_copies_loops_around_vanished_ones_by_their_whole_size(body, rounds, copies):
    """PTX of nvcc 13.0: what leaves the loop later counts, and so do the addresses of loads."""
    text = f"""__shared__ float s[256]; int t = threadIdx.x; float v = 0; s[t] = b[t]; __syncthreads();
      for (int i = 0; i < m; i++) {{
        {"s[t] = a[i * 256 + t]; __syncthreads();" if body is SCAN else ""}
        for (int j = 0; j < {rounds}; j++) {{ {body.format(n=rounds)} }}
        {"o[i * 256 + t] = s[t]; __syncthreads();" if body is SCAN else ""}
      }} o[t] = v;"""
    code = kernel("const float *a, const float *b, float *o, int m", text)
    graph = Walker(code, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
    live = analyse(graph).live
    (frame,) = {v.context.loop for v in live if v.context.loop is not None}
    assert frame.batch == copies
