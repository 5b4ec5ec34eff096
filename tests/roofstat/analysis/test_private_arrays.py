"""Private arrays that stay in local memory, from the source to the bytes."""

from __future__ import annotations

import pytest

SOURCE = """
__constant__ int order[8];
__global__ void walk(const float *a, float *c) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x[8];
  for (int k = 0; k < 8; k++) x[k] = a[8 * t + k];
  float sum = 0.f;
  for (int k = 0; k < 8; k++) sum = sum * 0.5f + x[INDEX];
  c[t] = sum;
}
int main() {
  float *a, *c;
  cudaMalloc(&a, 8 * 65536 * sizeof(float));
  cudaMalloc(&c, 65536 * sizeof(float));
  walk<<<256, 256>>>(a, c);
}
"""


@pytest.mark.parametrize(("index", "requests"), [("7 - k", 0), ("order[k]", 16)])
def test_arrays_that_are_indexed_by_data_stay_though_all_lanes_use_one_index(
    kernel_of, index, requests
):
    """Each of 2,048 warps stores 8 elements and loads 8, four sectors of 32 bytes each time."""
    kernel = kernel_of(SOURCE.replace("INDEX", index), "h100")
    assert kernel.traffic.local_bytes == 2048 * requests * 4 * 32
