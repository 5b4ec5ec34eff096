"""Loads whose address stays in inner loops are made once for each iteration of the loop around those."""

from __future__ import annotations

import pytest

from roofstat.report import Compiler, TrafficRegime

N = 1 << 24
BLOCKS = 3200
PROGRAM = """
#include <cuda_runtime.h>
__global__ void kernel(const double *a, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double q = 0;
    for (int k = 0; k < OUTER; k++)
      for (int z = 0; z < INNER; z++) q = q * a[i] + 1.0;
    out[i] = q;
  }
}
int main() {
  double *a; float *out;
  cudaMalloc(&a, SIZE * sizeof(double)); cudaMalloc(&out, SIZE * sizeof(float));
  kernel<<<3200, 128>>>(a, out, SIZE);
}
"""


@pytest.mark.parametrize(("outer", "inner"), [(3, 2), (2, 2), (4, 4), (10, 4), (6, 16)])
def test_loads_of_two_inner_loops_run_in_every_chunk(kernel_of, outer, inner):
    """N x 8 bytes read in N / 32 requests, N x 4 written: 41 trips of the chunk loop, all at new addresses."""
    sizes = {"OUTER": outer, "INNER": inner, "SIZE": N}
    source = PROGRAM
    for name, value in sizes.items():
        source = source.replace(name, str(value))
    kernel = kernel_of(source, traffic=TrafficRegime.STEADY)
    requests = {access.array: access.requests for access in kernel.accesses}
    assert requests == pytest.approx({"a": N / 32, "out": N / 32}, rel=0.02)
    assert kernel.traffic.steady.read_bytes == pytest.approx(8 * N, rel=0.01)
    assert kernel.traffic.steady.write_bytes == pytest.approx(4 * N, rel=0.01)


COEFFICIENTS = """
struct Fit { double beta[4]; };
__global__ void kernel(const Fit *fits, double *out, int n) {
  int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d >= n) return;
  double sum = 0;
  for (int t = 1; t <= 15; t++) {
    double p = 1, r = 0;
    for (int i = 0; i < 4; i++) { r += fits[d].beta[i] * p; p *= t; }
    sum += exp(-r);
    STORE
  }
  out[d] = sum;
}
int main() {
  Fit *f; double *o;
  cudaMalloc(&f, sizeof(Fit) << 20); cudaMalloc(&o, sizeof(double) << 20);
  kernel<<<4096, 256>>>(f, o, 1 << 20);
}
"""


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
@pytest.mark.parametrize(("store", "times"), [("", 1), ("out[d] = sum;", 15)])
def test_loads_in_copies_of_an_inner_loop_leave_the_loop_around_it(
    kernel_of, compiler, store, times
):
    """Four copies of the inner body, whose addresses no iteration of the outer loop changes: SASS has four loads in front of it.

    A store to what may be the same array keeps them in.
    """
    kernel = kernel_of(COEFFICIENTS.replace("STORE", store), compiler=compiler)
    [requests] = [access.requests for access in kernel.accesses if "beta" in access.array]
    assert requests == (1 << 15) * 4 * times
