"""Launches of one kernel whose pointers lie otherwise to one another."""

from __future__ import annotations

from openmp_programs import regions

HEAD = "#include <cuda_runtime.h>\n#include <stdlib.h>\n"
KERNELS = """
__global__ void multiply(const float *a, const float *b, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i] * b[i];
}
__global__ void scale(const float *a, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i] * 2.0f;
}
__global__ void add(const float *a, const float *bias, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  if (bias) v += bias[i];
  o[i] = v;
}
"""


def counts(host, body):
    """Launches of each entry."""
    arrays = " ".join(f"cudaMalloc(&{name}, 1 << 22);" for name in "abc")
    text = f"{HEAD}{KERNELS}int main() {{ float *a, *b, *c; {arrays} {body} }}"
    return [item.count for item in host(text).launches]


def test_an_array_that_is_read_twice_is_moved_once(host):
    """The first reads 4 MiB, each of the others 8."""
    body = "multiply<<<4096, 256>>>(a, a, c); for (int k = 0; k < 5; k++) multiply<<<4096, 256>>>(a, b, c);"
    assert counts(host, body) == [1, 5]


def test_halves_of_one_array_are_apart_from_the_same_half(host):
    body = "multiply<<<2048, 256>>>(a, a, c); multiply<<<2048, 256>>>(a, a + 524288, c);"
    assert counts(host, body) == [1, 1]


def test_what_is_read_twice_in_a_target_region_is_moved_once():
    text = """
double dot(const double *a, const double *b, int n) {
  double s = 0;
#pragma omp target teams distribute parallel for reduction(+ : s) map(to : a[0 : n], b[0 : n])
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
int main() {
  static double x[1 << 20], y[1 << 20];
  return dot(x, x, 1 << 20) + dot(x, y, 1 << 20) + dot(y, x, 1 << 20) > 1;
}
"""
    assert [item.launch.count for item in regions(text)] == [1, 2]


def test_no_array_is_another_launch_than_an_array(host):
    body = "add<<<4096, 256>>>(a, nullptr, c); add<<<4096, 256>>>(a, b, c);"
    assert counts(host, body) == [1, 1]


def test_arrays_in_turn_are_one_entry(host):
    """Either reads and writes 4 MiB; so does one in place."""
    body = "for (int k = 0; k < 40; k++) { scale<<<4096, 256>>>(a, b); scale<<<4096, 256>>>(b, a); } scale<<<4096, 256>>>(a, a);"
    assert counts(host, body) == [81]
