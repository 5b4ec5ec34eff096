"""Launches of one kernel that differ in what the host has put where conditions read."""

from __future__ import annotations

HEAD = "#include <cuda_runtime.h>\n#include <stdlib.h>\n#include <vector>\n"
KERNELS = """
__constant__ int steps;
__global__ void constant(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < steps; k++) v = v * v + 1.0f;
  x[i] = v;
}
__global__ void counted(const int *length, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < *length; k++) v = v * v + 1.0f;
  x[i] = v;
}
__global__ void rows(const int *first, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = first[i]; k < first[i + 1]; k++) v = v * v + 1.0f;
  x[i] = v;
}
__global__ void advance(const int *from, int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = from[i];
  if (v > 3) v = v * 5 + 2;
  to[i] = v;
}
__global__ void fill(int *to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
"""
N = 1 << 16


def entries(host, body):
    """(launches, multiplications a thread) of each entry."""
    text = f"{HEAD}{KERNELS}int main() {{ const int n = {N}; float *x; cudaMalloc(&x, n * 4); {body} }}"
    found = host(text).launches
    return [(item.count, round(item.work / N)) for item in found]


def test_a_constant_that_is_written_anew_makes_entries(host):
    """3 and 300 steps."""
    body = "for (int m : {3, 300}) { cudaMemcpyToSymbol(steps, &m, 4); constant<<<n / 256, 256>>>(x); }"
    (one, little), (other, much) = entries(host, body)
    assert (one, other) == (1, 1)
    assert much > 50 * little


def test_a_constant_that_is_written_again_makes_none(host):
    body = "for (int k = 0; k < 9; k++) { int m = 30; cudaMemcpyToSymbol(steps, &m, 4); constant<<<n / 256, 256>>>(x); }"
    assert [count for count, _ in entries(host, body)] == [9]


def test_a_number_in_memory_that_is_copied_anew_makes_entries(host):
    body = """int h = 5, *d; cudaMalloc(&d, 4);
    cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice); counted<<<n / 256, 256>>>(d, x);
    h = 500; cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice); counted<<<n / 256, 256>>>(d, x);
    counted<<<n / 256, 256>>>(d, x);"""
    (one, little), (other, much) = entries(host, body)
    assert (one, other) == (1, 2)
    assert much > 50 * little


def test_rows_of_two_matrices_make_entries(host):
    """3 and 60 elements a row."""
    body = """std::vector<int> a(n + 1), b(n + 1);
    for (int i = 0; i <= n; i++) { a[i] = 3 * i; b[i] = 60 * i; }
    int *p, *q; cudaMalloc(&p, 4 * (n + 1)); cudaMalloc(&q, 4 * (n + 1));
    cudaMemcpy(p, a.data(), 4 * (n + 1), cudaMemcpyHostToDevice);
    cudaMemcpy(q, b.data(), 4 * (n + 1), cudaMemcpyHostToDevice);
    rows<<<n / 256, 256>>>(p, x); rows<<<n / 256, 256>>>(q, x); rows<<<n / 256, 256>>>(p, x);"""
    (one, little), (other, much) = entries(host, body)
    assert (one, other) == (2, 1)
    assert much > 8 * little


def test_what_kernels_rewrite_makes_no_entries(host):
    """Arrays in turn, of which the host has filled one; whatever is in them, one launch stands for all."""
    body = """int *p, *q; cudaMalloc(&p, n * 4); cudaMalloc(&q, n * 4); cudaMemset(p, 0, n * 4);
    for (int k = 0; k < 50; k++) { advance<<<n / 256, 256>>>(p, q); advance<<<n / 256, 256>>>(q, p); }"""
    assert [count for count, _ in entries(host, body)] == [100]
    body += "fill<<<n / 256, 256>>>(p, 1); advance<<<n / 256, 256>>>(p, q);"
    assert [count for count, _ in entries(host, body)] == [101, 1]
