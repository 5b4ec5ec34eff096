"""Rows that lanes go through together, in whole reports."""

import pytest

from roofstat.report.kinds import Direction


def test_the_end_of_a_row_is_loaded_once(kernel_of):
    """Of 32 lanes 10 have an element: the end that they test once more is at hand, so that a warp makes 3 requests."""
    text = """
    #include <cuda_runtime.h>
    __global__ void k(const int *rp, const float *v, float *y) {
      int t = blockIdx.x * blockDim.x + threadIdx.x, w = t / 32;
      float s = 0;
      for (int j = rp[w] + t % 32; j < rp[w + 1]; j += 32) s += v[j];
      if (t % 32 == 0) y[w] = s;
    }
    int main() {
      int *rp; float *v, *y;
      cudaMalloc(&rp, 4 * 8193); cudaMalloc(&v, 4 * 81930); cudaMalloc(&y, 4 * 8192);
      k<<<1024, 256>>>(rp, v, y);
    }
    """
    kernel = kernel_of(text)
    assert kernel.counts.sp_flop == pytest.approx(10 * 8192)
    assert sum(
        each.requests for each in kernel.accesses if each.direction is Direction.READ
    ) == pytest.approx(3 * 8192, rel=0.2)
