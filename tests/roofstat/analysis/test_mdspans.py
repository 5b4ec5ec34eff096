"""Views of several dimensions: those of CUDA's own library are there from C++17 on, those of the standard library since C++23."""

import pytest

_TEXT = """
#include <HEADER>
namespace s = STD;
using Matrix = s::mdspan<float, s::dextents<int, 2>>;
using Columns = s::mdspan<double, s::extents<int, s::dynamic_extent, 16, 4>, s::layout_left>;
using Every = s::mdspan<const float, s::dextents<long, 1>, s::layout_stride>;
__global__ void add(Matrix a, Matrix b, Matrix c) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < c.extent(0) && j < c.extent(1)) c AT = a AT + b AT;
}
__global__ void twice(Columns a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.extent(0))
    for (int j = 0; j < a.extent(1); ++j) a(i, j, 3) *= 2.0;
}
__global__ void pick(Every a, s::mdspan<float, s::extents<int, 1024, 1024>> out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out(i / 1024, i % 1024) = a(i);
}
int main() {
  int n = 2048, m = 1 << 16;
  float *a, *b, *c;
  double *d;
  cudaMalloc(&a, 4 * n * n); cudaMalloc(&b, 4 * n * n); cudaMalloc(&c, 4 * n * n); cudaMalloc(&d, 8 * m * 64);
  s::mdspan first(a, s::extents<int, s::dynamic_extent, s::dynamic_extent>(n, n));
  add<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(first, Matrix(b, n, n), Matrix(c, s::array<int, 2>{n, n}));
  twice<<<m / 256, 256>>>(Columns(d, m));
  s::layout_stride::mapping<s::dextents<long, 1>> every(s::dextents<long, 1>(1 << 20), s::array<long, 1>{4});
  pick<<<4096, 256>>>(Every(a, every), s::mdspan<float, s::extents<int, 1024, 1024>>(b));
}
"""


@pytest.mark.parametrize(
    ("header", "namespace", "standard", "place"),
    [
        ("cuda/std/mdspan", "cuda::std", "c++17", "(i, j)"),
        ("cuda/std/mdspan", "cuda::std", "c++20", "[s::array<int, 2>{i, j}]"),
        ("mdspan", "std", "c++23", "[i, j]"),
    ],
)
def test_elements_are_found_by_their_layout(result_of, header, namespace, standard, place):
    """Rows of 2048 floats are added; 16 columns, each 4 * 8 * m bytes from the next, are doubled; of 4 floats one is taken.

    A sector of 32 bytes holds 2 of those that are taken. By nvcc 13 for sm_90 a thread of `add` has 10 integer instructions: its
    two positions, two comparisons, and a product and an address for each matrix.
    """
    text = _TEXT.replace("HEADER", header).replace("STD", namespace)
    text = text.replace("AT", place)
    if namespace == "std":
        text = text.replace("a(i, j, 3)", "a[i, j, 3]").replace("a(i)", "a[i]")
        text = text.replace("out(i / 1024, i % 1024)", "out[i / 1024, i % 1024]")
        text = text.replace("#include <mdspan>", "#include <mdspan>\n#include <array>")
    found = {kernel.name: kernel for kernel in result_of(text, std=standard).kernels}
    n, m = 2048, 1 << 16
    add, twice, pick = found["add"], found["twice"], found["pick"]
    assert (add.counts.sp_flop, add.counts.int_op) == (n * n, 10 * n * n)
    assert add.traffic.compulsory_bytes == 12 * n * n
    assert twice.counts.dp_flop == 16 * m
    assert twice.traffic.compulsory_bytes == 2 * 16 * m * 8
    assert pick.traffic.compulsory_bytes == 2**20 * (16 + 4)
