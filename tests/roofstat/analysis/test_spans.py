"""Spans of elements in kernels: those of CUDA's own library are there in any standard, those of the standard library since C++20."""

import pytest

_TEXT = """
#include <HEADER>
__global__ void twice(SPAN<const float> a, SPAN<float> out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.size()) out[i] = a[i] * 2.f;
}
__device__ float sum(SPAN<const float, 4> row) {
  float total = 0;
  for (float x : row) total += x;
  return total;
}
__global__ void rows(SPAN<const float> a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sum(SPAN<const float, 4>(a.data() + 4 * i, 4));
}
int main() {
  size_t n = 1 << 22;
  float *a, *b;
  cudaMalloc(&a, 4 * n); cudaMalloc(&b, 4 * n);
  twice<<<n / 256, 256>>>({a, n}, {b, n});
  SPAN<float> all(a, n);
  rows<<<all.size() / 4 / 256, 256>>>(all, b);
}
"""


@pytest.mark.parametrize(
    ("header", "span", "standard"),
    [
        ("cuda/std/span", "cuda::std::span", "c++17"),
        ("cuda/std/span", "cuda::std::span", "c++20"),
        ("span", "std::span", "c++20"),
    ],
)
def test_elements_of_spans_are_read(result_of, header, span, standard):
    """A product each, then three or four sums of four: 4 bytes are read and 4, or 1, written for each element."""
    text = _TEXT.replace("HEADER", header).replace("SPAN", span)
    found = {kernel.name: kernel for kernel in result_of(text, std=standard).kernels}
    n = 1 << 22
    assert found["twice"].counts.sp_flop == n
    assert found["twice"].traffic.steady.total_bytes == pytest.approx(8 * n, rel=0.01)
    assert found["rows"].counts.sp_flop in (3 * n / 4, n)
    assert found["rows"].traffic.steady.total_bytes == pytest.approx(5 * n, rel=0.01)
