"""Lists that a threshold on data of chance leaves empty in the sample: some get in, one of each warp."""

import pytest

FILTER = """
#include <cstdlib>
#include <vector>
__global__ void filter(const float *x, int n, int *list, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 16; k++) s += x[i * 16 + k];
  if (s > @) list[atomicAdd(count, 1)] = i;
}
__global__ void take(const int *list, const int *count, float *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count; i += gridDim.x * blockDim.x) out[i] = list[i];
}
int main() {
  int n = 32768;
  std::vector<float> v(n * 16);
  for (auto &f : v) f = rand() / (float)RAND_MAX;
  float *x, *out;
  int *list, *count;
  cudaMalloc(&x, n * 64);
  cudaMalloc(&list, n * 4);
  cudaMalloc(&count, 4);
  cudaMalloc(&out, n * 4);
  cudaMemcpy(x, v.data(), n * 64, cudaMemcpyHostToDevice);
  cudaMemset(count, 0, 4);
  filter<<<n / 256, 256>>>(x, n, list, count);
  take<<<64, 256>>>(list, count, out);
}
"""


def taken(host, threshold):
    trace = host(FILTER.replace("@", threshold)).launches[-1].trace
    (loop,) = trace.loops.values()
    return loop.iterations


def test_of_a_filter_that_nobody_passes_one_of_each_warp_does(host):
    # 16 numbers from 0 to 1 never add up to 16.5
    assert taken(host, "16.5f") == pytest.approx(32768 / 32, rel=0.05)


def test_who_passes_in_the_sample_stands_for_all(host):
    # Their sum is above 8 in half of the cases.
    assert taken(host, "8.0f") == pytest.approx(32768 / 2, rel=0.1)
