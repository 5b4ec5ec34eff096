"""Lanes of a warp run a loop in step, however many iterations each has."""

from __future__ import annotations

import pytest

SOURCE = """
__global__ void walk(const float *a, float *c) {
  __shared__ float s[2048];
  for (int k = threadIdx.x; k < 2048; k += 32) s[k] = 1.f;
  __syncthreads();
  float sum = 0.f;
  int count = 64 * (threadIdx.x + 1);
  INNER
  c[blockIdx.x * 32 + threadIdx.x] = sum;
}
int main() {
  float *a, *c;
  cudaMalloc(&a, 2048 * 32 * sizeof(float));
  cudaMalloc(&c, 100 * 32 * sizeof(float));
  walk<<<100, 32>>>(a, c);
}
"""


@pytest.mark.parametrize(
    "inner",
    [
        "for (int j = 0; j < count; j++) sum = sum * 0.5f + a[j * 32 + threadIdx.x] * s[j];",
        """for (int j = 0; j < count; j += 32)
             for (int d = 0; d < 32; d++) sum = sum * 0.5f + a[(j + d) * 32 + threadIdx.x] * s[j + d];""",
    ],
)
def test_lanes_with_more_iterations_stay_while_others_have_left(kernel_of, inner):
    """Iteration j has the lanes from j / 64 on, in a row of four sectors: 4, 3, 2 and 1 for 512 iterations each.

    All look at one word of shared memory, which is no conflict.
    """
    traffic = kernel_of(SOURCE.replace("INNER", inner), "h100").traffic
    assert traffic.global_ld_requests == pytest.approx(100 * 2048, rel=0.01)
    assert traffic.global_ld_sectors / traffic.global_ld_requests == pytest.approx(2.5, rel=0.1)
    assert traffic.shared_bank_conflicts == 0
