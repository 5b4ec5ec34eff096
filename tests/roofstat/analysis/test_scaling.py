"""How the work grows with what the user gives."""

import dataclasses

import pytest

from roofstat.analysis import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.scaling import scaled_kernels
from roofstat.hardware import load_gpu
from roofstat.report import LaunchSource

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


TRIAD = """
#include <cstdlib>
__global__ void triad(double *a, const double *b, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}
int main(int, char **argv) {
  size_t n = (size_t)1 << atoi(argv[1]);
  double *a, *b;
  cudaMalloc(&a, n * 8); cudaMalloc(&b, n * 8);
  triad<<<(n + 255) / 256, 256>>>(a, b, n);
}
"""


def test_a_launch_that_fails_where_an_argument_is_doubled_has_no_growth(tmp_path, options):
    path = tmp_path / "triad.cu"
    path.write_text(TRIAD)
    for argument, reasons in (
        ("24", ["at 48 the launch fails: grid size along x is computed as 0, taken as 1024"]),
        ("40", []),  # it fails as it is
    ):
        changed = dataclasses.replace(options, program_args=(argument,))
        (kernel,) = analyze_program([path], changed).kernels
        assert kernel.scaling == {}
        assert [kernel.unknown[name] for name in kernel.unknown if "argv[1]" in name] == reasons


def test_traffic_that_jumps_as_the_data_outgrow_the_cache_has_no_exponent(tmp_path, options):
    # Of 40 MiB of L2, 3 * 4 n^2 bytes are 50 MB at 2,048 and 201 MB at 4,096, where b does not stay from row to row.
    path = tmp_path / "mm.cu"
    path.write_text(MATMUL)
    changed = dataclasses.replace(options, program_args=("2048", "1"))
    (kernel,) = analyze_program([path], changed).kernels
    assert kernel.scaling["argv[1]"]["threads"] == 2
    assert "dram" not in kernel.scaling["argv[1]"]
    assert kernel.unknown["scaling.argv[1].dram"] == "from 2,048 to 4,096 the data outgrow the L2"


def test_a_launch_that_is_assumed_at_one_end_has_no_growth(make_kernel, options):
    gpu = options.gpu
    options = dataclasses.replace(options, program_args=("8",))
    known = make_kernel(gpu, scaling={})
    launch = dataclasses.replace(known.launch, source=LaunchSource.ASSUMED)
    other = dataclasses.replace(known, launch=launch)
    (found,) = scaled_kernels([known], options, lambda _changed: [other])
    assert found.scaling == {}
    assert "assumed" in found.unknown["scaling.argv[1]"]


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
