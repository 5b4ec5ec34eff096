"""What a loop counts whose trip count is a guess stays unknown, in the kernel and in the arrays that it writes."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

N = 1 << 22
PROGRAM = """
#include <cuda_runtime.h>
void read_data(const char *name, float *data, int n);
__global__ void escape(const float *a, int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = 0;
  float x = a[i];
  while (x < 4.0f) { x = x * x + 1.0f; k++; }
  index[i] = k;
}
__global__ void gather(const float *a, const int *index, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[index[i]];
}
__global__ void merge(const float *a, int *where, int n) {
  int at = 0;
  while (at < n) {
    while (a[at] > 0.0f) at++;
    at += 4;
  }
  where[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
int main(int argc, char **argv) {
  int n = 1 << 22;
  float *host = new float[n], *a, *b;
  int *index;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&index, n * sizeof(int));
  read_data(argv[1], host, n);
  cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
  escape<<<n / 256, 256>>>(a, index, n);
  gather<<<n / 256, 256>>>(a, index, b, n);
  merge<<<1, 32>>>(a, index, 4096);
}
"""


@pytest.fixture(scope="module")
def kernels(result_of):
    found = result_of(PROGRAM, traffic=TrafficRegime.STEADY).kernels
    return {kernel.name: kernel for kernel in found}


def test_an_array_of_guessed_counts_is_a_gather(kernels):
    """Lanes look anywhere in a, 32 sectors a request, and what they read is no single sector."""
    (read,) = [access for access in kernels["gather"].accesses if access.array == "a"]
    assert read.sectors_per_request > 16
    assert read.footprint_bytes > N
    assert any("unknown data" in item.text for item in kernels["gather"].assumptions)


def test_a_counter_that_ends_the_loop_around_keeps_its_guess(kernels):
    """4,096 elements in steps of 8 guessed ones and 4: 341 times 12 of them; the end stays in sight."""
    outer = min(kernels["merge"].loops, key=lambda loop: loop.depth)
    assert outer.trip_count == pytest.approx(4096 / 12, rel=0.05)
