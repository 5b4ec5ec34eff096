"""Which zeros divisions know: those that nothing has overwritten, and those that kernels themselves compute."""

import pytest

from roofstat.analysis.options import LaunchOverride
from roofstat.instructions.tables.costs import Compiler, cost_of
from roofstat.report import LaunchSource

QUOTIENTS = """
__global__ void quotients(const double *a, const double *b, double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] / b[i];
}
"""
BUFFERS = """
  const int n = 65536;
  static double h[n];
  for (int i = 0; i < n; i++) h[i] = 3;
  double *a, *b, *c, *d;
  cudaMalloc(&a, sizeof(h)); cudaMalloc(&b, sizeof(h)); cudaMalloc(&c, sizeof(h)); cudaMalloc(&d, sizeof(h));
  cudaMemset(a, 0, sizeof(h));
  cudaMemset(c, 0, sizeof(h));
  cudaMemcpy(b, h, sizeof(h), cudaMemcpyHostToDevice);
"""


@pytest.fixture
def zero_share(result_of):
    """Share of a kernel's divisions that take the subroutine for zeros, by what they cost."""

    def measure(kernels, calls, name="quotients", divisions=65536, own=0, **options):
        text = f"{kernels}\nint main() {{ {BUFFERS} {calls} }}"
        found = result_of(text, "h100", **options).kernels
        flop = next(kernel.counts.dp_flop for kernel in found if kernel.name == name)
        usual, of_zero = (
            cost_of(name, "double", Compiler.NVCC, "sm_90", fast_math=False).fp64_flop
            for name in ("div", "div_of_zero")
        )
        return ((flop - own) / divisions - usual) / (of_zero - usual)

    return measure


ADD = "__global__ void add(double *x, double s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += s; }"


@pytest.mark.parametrize("second", ["a", "d"])
@pytest.mark.parametrize(
    "launches", [{}, {"add": LaunchOverride(grid=(32, 1, 1), source=LaunchSource.LABEL)}]
)
def test_launches_that_are_only_counted_end_zeros_of_their_arrays(zero_share, second, launches):
    # The second launch is counted with the first, whose array is another one.
    calls = f"""
      add<<<256, 256>>>(c, 1.5, n);
      add<<<256, 256>>>({second}, 1.5, n);
      quotients<<<256, 256>>>(a, b, d, n);
    """
    share = zero_share(QUOTIENTS + ADD, calls, launches=launches)
    assert share == pytest.approx(0 if second == "a" else 1, abs=0.01)


def test_a_counted_launch_leaves_alike_what_the_traced_one_has(zero_share):
    scale = "__global__ void scale(double *x, double s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = s * 0; }"
    calls = """
      scale<<<256, 256>>>(d, 1.5, n);
      scale<<<256, 256>>>(c, 1.5, n);
      quotients<<<256, 256>>>(c, b, a, n);
    """
    assert zero_share(QUOTIENTS + scale, calls) == pytest.approx(1, abs=0.01)


def test_lanes_of_several_arrays_read_what_each_holds(zero_share):
    rows = """
    struct Rows { double *in[4]; };
    __global__ void rows(Rows r, const double *b, double *c) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      c[blockIdx.y * 65536 + i] = r.in[blockIdx.y][i] / b[i];
    }
    """
    calls = """
      Rows r = {{b, a, b, b}};
      double *e; cudaMalloc(&e, 4 * sizeof(h));
      rows<<<dim3(256, 4), 256>>>(r, b, e);
    """
    share = zero_share(rows, calls, "rows", 4 * 65536)
    assert share == pytest.approx(0.25, abs=0.01)


def test_stores_of_lanes_to_several_arrays_end_the_zeros_of_each(zero_share):
    rows = """
    struct Rows { double *out[2]; };
    __global__ void rows(Rows r, double s) {
      r.out[blockIdx.y][blockIdx.x * blockDim.x + threadIdx.x] = s;
    }
    """
    calls = """
      Rows r = {{a, c}};
      rows<<<dim3(256, 2), 256>>>(r, 2.5);
      quotients<<<256, 256>>>(%s, b, d, n);
    """
    for array in ("a", "c"):
        assert zero_share(QUOTIENTS + rows, calls % array) == pytest.approx(0, abs=0.01)


def test_a_product_with_zero_is_zero(zero_share):
    product = """
    __global__ void product(const double *x, const double *unknown, double *z) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      z[i] = x[i] * unknown[i];
    }
    """
    calls = "product<<<256, 256>>>(a, d, c); quotients<<<256, 256>>>(c, b, d, n);"
    assert zero_share(QUOTIENTS + product, calls) == pytest.approx(1, abs=0.01)


def test_what_skipped_iterations_store_in_private_arrays_is_like_the_others(zero_share):
    sums = """
    __global__ void sums(const double *x, double *z) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      double f[16];
      #pragma unroll 1
      for (int k = 0; k < 16; k++) f[k] = x[i] * k;
      z[i] = f[7];
    }
    """
    calls = "sums<<<256, 256>>>(a, c); quotients<<<256, 256>>>(c, b, d, n);"
    assert zero_share(QUOTIENTS + sums, calls) == pytest.approx(1, abs=0.01)


def test_places_that_a_kernel_has_not_stored_to_yet_hold_what_they_did(zero_share):
    # Each thread updates three elements in place.
    move = """
    __global__ void move(double *x, const double *v, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = x[i] / v[i];
    }
    """
    calls = "move<<<86, 256>>>(a, b, n);"
    assert zero_share(move, calls, "move") == pytest.approx(1, abs=0.01)


def test_elements_that_no_loop_of_the_host_has_set_are_not_those_that_one_has(zero_share):
    calls = """
      double *g = (double *)malloc(sizeof(h));
      for (int i = 0; i < n / 2; i++) g[i] = 0;
      double *e; cudaMalloc(&e, sizeof(h)); cudaMemcpy(e, g, sizeof(h), cudaMemcpyHostToDevice);
      quotients<<<256, 256>>>(e, b, d, n);
    """
    # Half of them; the sample of blocks does not know where.
    assert 0.3 < zero_share("#include <stdlib.h>" + QUOTIENTS, calls) < 0.8


@pytest.mark.parametrize("middle", ["n / 2 + 5", "37"])
def test_a_number_that_crosses_zero_is_zero_in_one_place(zero_share, middle):
    distance = """
    __global__ void distance(double *z, int middle) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      z[y * 2048 + x] = (x - middle) / 3.5 + y;
    }
    """
    calls = f"""
      double *e; cudaMalloc(&e, 8 << 22);
      distance<<<dim3(64, 256), dim3(32, 8)>>>(e, {middle.replace("n", "2048")});
    """
    share = zero_share(distance, calls, "distance", 2048 * 2048, own=2048 * 2048)
    assert abs(share) < 0.01
