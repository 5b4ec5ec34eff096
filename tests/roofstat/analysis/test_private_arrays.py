"""Private arrays that stay in local memory, from the source to the bytes."""

from __future__ import annotations

import pytest

from roofstat.report import Compiler

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


COPIED = """
struct Planes { float *a[4]; };
__global__ void pick(Planes p, const int *at, float *c) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  c[t] = p.a[at[t]][t];
}
int main() {
  Planes p;
  int *at;
  float *c;
  for (int k = 0; k < 4; k++) cudaMalloc(&p.a[k], 65536 * sizeof(float));
  cudaMalloc(&at, 65536 * sizeof(int));
  cudaMalloc(&c, 65536 * sizeof(float));
  pick<<<256, 256>>>(p, at, c);
}
"""


def test_arguments_that_are_indexed_by_data_are_copied_by_each_thread(kernel_of):
    """Each of 65,536 threads stores 32 bytes; of four pointers at any place it loads one, 8 bytes in a sector of its own word's row.

    A warp whose lanes choose among k of 4 pointers touches 2 rows of 4 sectors for each of them, and not more sectors than
    two for each lane.
    """
    local = kernel_of(COPIED, "h100").traffic.local_bytes
    stored = 65536 * 32
    assert stored + 2048 * 8 * 32 <= local <= stored + 2048 * 32 * 32


SINE = """
__global__ void sines(const double *x, double *y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  y[t] = sin(x[t]);
}
int main() {
  double *x, *y;
  cudaMalloc(&x, 65536 * 8);
  cudaMalloc(&y, 65536 * 8);
  sines<<<256, 256>>>(x, y);
}
"""


@pytest.mark.parametrize(("compiler", "words"), [(Compiler.CLANG, 1), (Compiler.NVCC, 0)])
def test_clang_stores_the_quadrant_of_each_double_angle(kernel_of, compiler, words):
    """Each of 2,048 warps stores a row of 128 bytes."""
    kernel = kernel_of(SINE, "h100", compiler=compiler)
    assert kernel.traffic.local_bytes == pytest.approx(2048 * words * 128)
