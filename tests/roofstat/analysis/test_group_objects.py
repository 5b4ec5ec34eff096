"""Objects that groups shuffle and reduce, functions that are handed to do it, groups without a type of their own."""

from __future__ import annotations

import pytest

_THREADS = 4096 * 256

PAIRS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
struct Pair { float most, sum; };
__device__ Pair joined(Pair a, Pair b) {
  Pair all;
  all.most = a.most > b.most ? a.most : b.most;
  all.sum = a.sum + b.sum * 2.0f;
  return all;
}
__global__ void pairs(const float *x, float *y) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair mine = {x[i], 1.0f};
  REDUCTION
  y[i] = mine.most + mine.sum;
}
int main() {
  float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20);
  pairs<<<4096, 256>>>(x, y);
}
"""
REDUCTIONS = {
    "shuffled by hand": """
      for (int d = 16; d > 0; d /= 2) {
        Pair other = {__shfl_xor_sync(~0u, mine.most, d), __shfl_xor_sync(~0u, mine.sum, d)};
        mine = joined(mine, other);
      }""",
    "shuffled as objects": "for (int d = 16; d > 0; d /= 2) mine = joined(mine, warp.shfl_xor(mine, d));",
    "reduced by a function": "mine = cg::reduce(warp, mine, joined);",
    "reduced by a lambda": "mine = cg::reduce(warp, mine, [](Pair a, Pair b) { return joined(a, b); });",
}


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_objects_are_shuffled_word_by_word(result_of, reduction):
    (kernel,) = result_of(PAIRS.replace("REDUCTION", REDUCTIONS[reduction])).kernels
    # A comparison and a multiplication with an addition in each of five steps, and the sum at the end.
    assert kernel.counts.sp_flop == pytest.approx((5 * 2 + 1) * _THREADS)
    assert kernel.traffic.local_bytes == 0
    assert [item.text for item in kernel.assumptions] == []


@pytest.mark.parametrize(("group", "size"), [("block", 256), ("warp", 32)])
def test_a_group_of_any_type_knows_its_size(result_of, group, size):
    (kernel,) = result_of(f"""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ float total(cg::thread_group g, float *sums, float mine) {{
      for (int i = g.size() / 2; i > 0; i /= 2) {{
        sums[g.thread_rank()] = mine;
        g.sync();
        if (g.thread_rank() < i) mine += sums[g.thread_rank() + i];
        g.sync();
      }}
      return mine;
    }}
    __global__ void totals(const float *x, float *y) {{
      __shared__ float sums[256];
      cg::thread_block block = cg::this_thread_block();
      cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
      float all = total({group}, sums + threadIdx.x / {size} * {size}, x[blockIdx.x * 256 + threadIdx.x]);
      if ({group}.thread_rank() == 0) y[(blockIdx.x * 256 + threadIdx.x) / {size}] = all;
    }}
    int main() {{
      float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20);
      totals<<<4096, 256>>>(x, y);
    }}""").kernels
    # One addition less than there are numbers.
    assert kernel.counts.sp_flop == pytest.approx(_THREADS // size * (size - 1))
