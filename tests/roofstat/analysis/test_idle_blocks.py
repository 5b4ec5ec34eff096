"""Blocks without work hold no place in the caches and fetch nothing."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

ROWS, LENGTH = 256, 65_536
PROGRAM = """
#include <cuda_runtime.h>
__global__ void rows(const double *a, double *sums) {
  if (blockIdx.x >= 256) return;
  double sum = 0;
  for (int k = threadIdx.x; k < 65536; k += blockDim.x) sum += a[blockIdx.x * 65536 + k];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  double *a, *sums;
  cudaMalloc(&a, 256 * 65536 * sizeof(double)); cudaMalloc(&sums, 256 * 128 * sizeof(double));
  rows<<<3200, 128>>>(a, sums);
}
"""


def test_what_few_blocks_of_a_wave_read_is_read_once(kernel_of):
    """256 rows of 65,536 x 8 bytes, each read by one block of the 3,200; each thread of these writes 8 bytes."""
    kernel = kernel_of(PROGRAM, traffic=TrafficRegime.STEADY)
    assert kernel.traffic.steady.read_bytes == pytest.approx(ROWS * LENGTH * 8, rel=0.01)
    assert kernel.traffic.l2_bytes == pytest.approx(ROWS * (LENGTH + 128) * 8, rel=0.01)
