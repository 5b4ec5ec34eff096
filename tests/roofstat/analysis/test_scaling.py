"""How the work grows with what the user gives."""

import dataclasses

import pytest

from roofstat.analysis import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.scaling import scaled_kernels
from roofstat.hardware import load_gpu

MATMUL = """
#include <cstdlib>
__global__ void mm(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
  c[i * n + j] = s;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), repeats = atoi(argv[2]);
  float *a, *b, *c;
  cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4); cudaMalloc(&c, n * n * 4);
  for (int r = 0; r < repeats; r++) mm<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}
"""


@pytest.fixture
def options():
    return AnalysisOptions(gpu=load_gpu("a100"), scaling=True)


def test_exponents_of_a_matrix_product(tmp_path, options):
    path = tmp_path / "mm.cu"
    path.write_text(MATMUL)
    options = dataclasses.replace(options, program_args=("1024", "10", "-v"))
    (kernel,) = analyze_program([path], options).kernels
    assert set(kernel.scaling) == {"argv[1]", "argv[2]"}
    size = kernel.scaling["argv[1]"]
    assert (size["sp_flop"], size["threads"]) == (3, 2)
    assert size["dram"] == pytest.approx(2, abs=0.05)
    assert kernel.scaling["argv[2]"] == {"launches": 1}


def test_stated_values_are_parameters_too(tmp_path, options):
    path = tmp_path / "k.cu"
    path.write_text(
        "int size(); __global__ void k(float *x, int n) {\n"
        "  for (int i = 0; i < n; i++) x[i * 256 + threadIdx.x] *= 2;\n}\n"
        "int main() { k<<<1, 256>>>(0, size()); }\n"
    )
    options = dataclasses.replace(options, values={"n": 1000})
    (kernel,) = analyze_program([path], options).kernels
    assert kernel.scaling["n"]["sp_flop"] == 1


def test_launches_without_a_counterpart_have_no_exponents(make_kernel, options):
    gpu = options.gpu
    options = dataclasses.replace(options, program_args=("8",))
    one, two = (make_kernel(gpu, name=name, scaling={}) for name in ("one", "two"))
    for other in ([], [one, one]):
        found = scaled_kernels([one, two], options, lambda _changed, other=other: other)
        assert [kernel.scaling for kernel in found] == [{}, {}]


def test_nothing_is_repeated_unless_asked(tmp_path, options):
    path = tmp_path / "mm.cu"
    path.write_text(MATMUL)
    options = dataclasses.replace(options, program_args=("1024", "10"), scaling=False)
    assert analyze_program([path], options).kernels[0].scaling == {}
