"""Interleaved triangles: no more is written for the first time than is written at all."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

N, BATCH = 12, 65536
PROGRAM = """
#include <cuda_runtime.h>
__global__ void sums(double *A, double *y, int n, int nb) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j++) {
    double s = A[(j * n + j) * nb + b];
    for (int i = j + 1; i < n; i++) s += A[(i * n + j) * nb + b];
    A[(j * n + j) * nb + b] = s;
  }
}
int main() {
  double *A, *y;
  cudaMalloc(&A, 8L * 12 * 12 * 65536); cudaMalloc(&y, 8 * 65536);
  sums<<<512, 128>>>(A, y, 12, 65536);
}
"""


def test_the_box_around_a_triangle_is_no_lower_bound(kernel_of):
    """n (n + 1) / 2 elements of each matrix read, n written: 40.9 and 6.3 MB, which is all that any traffic has to be."""
    found = kernel_of(PROGRAM, "h100-sxm", traffic=TrafficRegime.STEADY)
    read, written = 8 * BATCH * N * (N + 1) / 2, 8 * BATCH * N
    assert found.traffic.steady.read_bytes == pytest.approx(read, rel=0.02)
    assert found.traffic.compulsory_bytes == pytest.approx(read + written, rel=0.02)
    assert found.traffic.compulsory_bytes <= 1.001 * found.traffic.l2_bytes
