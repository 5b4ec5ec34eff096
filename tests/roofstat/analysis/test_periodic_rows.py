"""Loads of the left and of the right neighbour in a periodic row are two loads, even where the whole row is among the sample."""

from __future__ import annotations

import pytest

PROGRAM = """
#include <cuda_runtime.h>
__global__ void ring(const double *c, double *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = i - 1 < 0 ? i - 1 + n : i - 1, right = i + 1 >= n ? i + 1 - n : i + 1;
  o[i] = c[left] + c[right];
}
int main() {
  double *a, *b;
  cudaMalloc(&a, 8 * N); cudaMalloc(&b, 8 * N);
  ring<<<(N + 31) / 32, 32>>>(a, b, N);
}
"""


@pytest.mark.parametrize("size", [32, 96, 256])
def test_both_neighbours_of_a_ring_are_loaded(kernel_of, size):
    """N / 32 requests each. The sum of both neighbours' places, each times its number, is the same over a whole ring."""
    kernel = kernel_of(PROGRAM.replace("N", str(size)))
    loads = [access.requests for access in kernel.accesses if access.array == "c"]
    assert loads == [size / 32, size / 32]
