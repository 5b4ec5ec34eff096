"""Special registers, grids of every shape, shuffles and votes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

GRID = """
__global__ void k(float *a, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < w && y < h && z < d) a[(z * h + y) * w + x] *= 2.0f;
}
"""


@pytest.mark.parametrize(
    ("grid", "block", "shape"),
    [
        ((2, 3), (16, 4), (30, 11, 1)),
        ((1, 2, 3), (8, 4, 2), (7, 8, 6)),
        ((5, 1, 1), (32, 2, 4), (150, 2, 3)),
        ((2, 2, 2), (5, 3, 2), (9, 5, 3)),
    ],
)
def test_tails_of_small_2d_and_3d_grids_are_exact(run, grid, block, shape):
    w, h, d = shape
    ran = run(GRID, grid=grid, block=block, arguments={"a": None, "w": w, "h": h, "d": d})
    assert ran.flop == w * h * d


@pytest.mark.parametrize(
    ("grid", "block", "shape"),
    [
        ((64, 64), (16, 16), (1024, 1024, 1)),
        ((63, 125), (32, 8), (2000, 1000, 1)),
        ((16, 16, 64), (8, 8, 4), (128, 128, 256)),
    ],
)
def test_large_2d_and_3d_grids_are_close(run, grid, block, shape):
    w, h, d = shape
    ran = run(GRID, grid=grid, block=block, arguments={"a": None, "w": w, "h": h, "d": d})
    assert ran.flop == pytest.approx(w * h * d, rel=0.01)


@settings(max_examples=40)
@given(
    blocks=st.integers(1, 100_000),
    threads=st.integers(1, 1024),
    missing=st.integers(0, 1023),
)
def test_a_tail_of_any_1d_grid_is_exact(run, blocks, threads, missing):
    # The last block, and the last warp of every block, stand for themselves.
    text = "__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }"
    n = blocks * threads - min(missing, threads - 1)
    ran = run(text, grid=blocks, block=threads, arguments={"a": None, "n": n})
    slack = (
        32 * 16 if missing else 0
    )  # warps of the last block between its tail and its end share strata
    assert ran.stores("a") == pytest.approx(n, rel=1e-9, abs=slack)


def test_dimensions_and_special_registers(run):
    text = """
    __global__ void k(float *a) {
      unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane));
      if (lane == 5) a[0] = 1.0f;
      if (threadIdx.x % warpSize == 5) a[1] = 1.0f;
      if (blockDim.x == 64 && gridDim.y == 2) a[2] = 1.0f;
      dim3 t = threadIdx;
      if (t.y == 1 && t.x < 3) a[3] = 1.0f;
    }
    """
    ran = run(text, grid=(3, 2), block=(64, 2), arguments={"a": 4})
    warps, threads = 3 * 2 * 4, 3 * 2 * 128
    assert ran.stores("a") == warps + warps + threads + 3 * 6


@pytest.mark.parametrize(
    ("call", "stored"),
    [
        ("__shfl_sync(~0u, i, 3) == 3", 32),
        ("__shfl_up_sync(~0u, i, 1) == i", 1),
        ("__shfl_down_sync(~0u, i, 4) == i + 4", 28),
        ("__shfl_xor_sync(~0u, i, 1) == i + 1", 16),
        ("__shfl_sync(~0u, i, 1, 8) == i", 4),
        ("__shfl_down_sync(~0u, i, 1, 16) == i", 2),
        ("__any_sync(~0u, i == 40)", 0),
        ("__any_sync(~0u, i == 4)", 32),
        ("__all_sync(~0u, i < 32)", 32),
        ("__all_sync(~0u, i < 31)", 0),
        ("__popc(__ballot_sync(~0u, i % 4 == 0)) == 8", 32),
        ("__ballot_sync(~0u, i < 3) == 7", 32),
    ],
)
def test_shuffles_and_votes_have_their_values(run, call, stored):
    text = f"__global__ void k(float *a) {{ int i = threadIdx.x; if ({call}) a[i] = 1.0f; }}"
    assert run(text, arguments={"a": 32}).stores("a") == stored


@pytest.mark.parametrize(
    ("condition", "stores"),
    [
        ("__syncthreads_or(t < 40)", 512),
        ("__syncthreads_and(t < 40)", 0),
        ("__syncthreads_and(blockIdx.x * 256 + t < 256)", 256),
        ("!__syncthreads_or(blockIdx.x == 1)", 256),
    ],
)
def test_barriers_that_vote_ask_the_whole_block(run, condition, stores):
    text = f"__global__ void k(int *a) {{ int t = threadIdx.x; if ({condition}) a[t] = 1; }}"
    ran = run(text, grid=2, block=256, arguments={"a": 256})
    assert ran.stores("a") == stores
    assert not ran.trace.assumptions


def test_votes_are_by_warp(run):
    text = "__global__ void k(float *a) { int i = threadIdx.x; if (__any_sync(~0u, i == 40)) a[i] = 1.0f; }"
    assert run(text, block=96, arguments={"a": 96}).stores("a") == 32


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("(unsigned)-1 >> 28", 15),
        ("-16 >> 2", -4),
        ("1 << 5", 32),
        ("(char)200", -56),
        ("(unsigned char)(t + 300)", 44 + 1),
        ("0x7fffffff + t < 0", 1),
        ("(int)3.99f", 3),
        ("(int)-3.99", -3),
        ("~t", -2),
        ("!t", 0),
        ("t ^ 3", 2),
        ("min(t, 4) + max(t, 4)", 5),
        ("__popc(255) + __clz(1) + __ffs(8)", 8 + 31 + 4),
        ("__mul24(t, 9)", 9),
        ("(int)sqrtf(17.0f)", 4),
        ("(int)floorf(-1.5f)", -2),
        ("(int)fmodf(7.5f, 2.0f)", 1),
        ("abs(-t)", 1),
        ("__float_as_int(1.0f) >> 23", 127),
        ("(int)(4294967296LL * t >> 30)", 4),
        ("(long long)&a[3] - (long long)&a[1] == 8", 1),
        ("&a[5] - &a[2]", 3),
    ],
)
@pytest.mark.parametrize("start", ["1", "threadIdx.x"], ids=["uniform", "by-lane"])
def test_arithmetic_is_that_of_c(run, expression, value, start):
    # t is 1 in the lane that decides, as a constant and as one lane of an array
    text = f"""
    __global__ void k(float *a, int one) {{
      int t = {start} * one;
      if (t == 1 && threadIdx.x == 1) {{ long long v = {expression}; if (v == {value}) a[0] = 1.0f; }}
    }}
    """
    assert run(text, arguments={"a": 32, "one": 1}).stores("a") == 1
