"""Warps of a block that work by turns: each stands for itself."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

N = 1 << 22
PROGRAM = """
#include <cuda_runtime.h>
__global__ void kernel(const float *a, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (CONDITION) o[i] = a[i] + 1.0f;
}
int main() {
  float *a, *o;
  cudaMalloc(&a, N * 4); cudaMalloc(&o, N * 4);
  kernel<<<N / BLOCK, BLOCK>>>(a, o);
}
"""


@pytest.mark.parametrize("block", [128, 256, 512, 1024])
@pytest.mark.parametrize("condition", ["i % 64 < 32", "!(i & 64)", "(i / 32) % 2 == 0", "i & 32"])
def test_half_of_the_warps_do_half_of_the_work(kernel_of, block, condition):
    """N / 2 additions; 4 N / 2 bytes read and as many written."""
    source = PROGRAM
    for name, value in {"CONDITION": condition, "BLOCK": str(block), "N": str(N)}.items():
        source = source.replace(name, value)
    found = kernel_of(source, "h100-sxm", traffic=TrafficRegime.STEADY)
    assert found.counts.sp_flop == pytest.approx(N / 2, rel=1e-6)
    assert found.traffic.steady.read_bytes == pytest.approx(2 * N, rel=0.02)
    assert found.traffic.steady.write_bytes == pytest.approx(2 * N, rel=0.02)
