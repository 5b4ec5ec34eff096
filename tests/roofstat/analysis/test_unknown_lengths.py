"""Arrays that host code fills as far as nobody knows."""

import pytest

COUNTS = """
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void k(const int *cell, const int *start, const float *v, float *o) {
  int i = blockIdx.x * 128 + threadIdx.x, q = cell[i];
  float s = 0.0f;
  for (int p = start[q]; p < start[q + 1]; p++) s += v[p];
  o[i] = s;
}
int main(int argc, char **argv) {
  int nc = 0, n = 64 * 128, count;
  FILE *f = fopen("counts.txt", "r");
  if (fscanf(f, "%d", &nc) != 1) return 1;
  std::vector<int> start(nc + 1), cell(n);
  start[0] = 0;
  for (int c = 0; c < nc; c++) { if (fscanf(f, "%d", &count) != 1) return 1; start[c + 1] = start[c] + count; }
  for (int i = 0; i < n; i++) if (fscanf(f, "%d", &cell[i]) != 1) return 1;
  int *c, *s; float *v, *o;
  cudaMalloc(&c, n * 4); cudaMalloc(&s, (nc + 1) * 4); cudaMalloc(&v, 1 << 24); cudaMalloc(&o, n * 4);
  cudaMemcpy(c, cell.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(s, start.data(), (nc + 1) * 4, cudaMemcpyHostToDevice);
  k<<<64, 128>>>(c, s, v, o);
}
"""


def test_rows_behind_those_that_a_loop_was_followed_for_are_not_empty(kernel_of):
    """How many counts a file has is not known: of the zeros that the vector began with none is left, whatever was run of the loop."""
    kernel = kernel_of(COUNTS)
    reads = {access.array: access.threads for access in kernel.accesses}
    assert reads["v"] == pytest.approx(8 * 64 * 128)
