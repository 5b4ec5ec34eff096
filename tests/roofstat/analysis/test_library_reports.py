"""Kernels that calls of CUB, Thrust and cuBLAS run: which, how large, and what is said of them.

Grids follow from the tiles of the libraries' kernels on the measured card (132 SMs).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from roofstat.analysis.options import AnalysisOptions, LaunchOverride
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.llm.second_opinion import When, worth_asking
from roofstat.report import (
    AssumptionKind,
    LaunchSource,
    Report,
    Tool,
    TrafficRegime,
    Verdict,
    kernel_to_json,
)
from roofstat.rules.rule import RuleContext
from roofstat.rules.runner import findings

INCLUDES = """
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cufft.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/count.h>
#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
struct Odd { __host__ __device__ bool operator()(float x) const { return x > 1; } };
struct Twice { __host__ __device__ float operator()(float x) const { return 2 * x; } };
struct Near { __host__ __device__ bool operator()(float x, float y) const { return x * x < y * y; } };
"""


@pytest.fixture
def analyse(tmp_path):
    def run(body, gpu="h100", **changes):
        file = tmp_path / "main.cu"
        file.write_text(f"{INCLUDES}int main(int argc, char **argv) {{\n{body}\n}}\n")
        return analyze_program([file], replace(AnalysisOptions(gpu=load_gpu(gpu)), **changes))

    return run


def missing(result):
    """What is said of kernels that are not in the report, vectors of a size apart."""
    notes = (each for each in result.diagnostics if each.code == "library-kernels")
    return [each for each in notes if "of a size" not in each.message]


@pytest.fixture
def launched(analyse):
    """(name, variant, grid, count) of the library kernels that a body runs, in the order of the calls."""

    def run(body):
        found = analyse(body).kernels
        return [
            (each.name, each.library.variant, each.launch.blocks, each.launch.count)
            for each in found
        ]

    return run


VECTORS = "thrust::device_vector<float> d(1000000), e(1000000);"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        # 1,000,000 / 4,096 = 244.1 blocks, whose sums one more block adds
        (
            "float s = thrust::reduce(d.begin(), d.end());",
            [("DeviceReduceKernel", "thrust", 245), ("DeviceReduceSingleTileKernel", "thrust-partials", 1)],
        ),
        # what fits into one tile takes one block
        (
            "float s = thrust::reduce(d.begin(), d.begin() + 4096);",
            [("DeviceReduceSingleTileKernel", "thrust", 1)],
        ),
        (
            "float s = thrust::transform_reduce(d.begin(), d.end(), Twice(), 0.f, thrust::plus<float>());",
            [("DeviceReduceKernel", "transform", 245), ("DeviceReduceSingleTileKernel", "thrust-partials", 1)],
        ),
        # counts have eight bytes: tiles of 2,048
        (
            "long c = thrust::count_if(d.begin(), d.end(), Odd());",
            [("DeviceReduceKernel", "count", 489), ("DeviceReduceSingleTileKernel", "thrust-partials", 1)],
        ),
        # 326 tiles of 3,072, for each of which 3 blocks of 128 threads prepare a word
        (
            "thrust::inclusive_scan(d.begin(), d.end(), e.begin());",
            [("DeviceScanInitKernel", "", 3), ("DeviceScanKernel", "thrust", 326)],
        ),
        # 154 tiles of 6,528
        (
            "thrust::copy_if(d.begin(), d.end(), e.begin(), Odd());",
            [("DeviceCompactInitKernel", "", 2), ("DeviceSelectSweepKernel", "thrust-if", 154)],
        ),
        ("thrust::fill(d.begin(), d.end(), 1.f);", [("static_kernel", "fill", 1954)]),
        ("thrust::for_each(d.begin(), d.end(), Twice());", [("static_kernel", "for-each", 1954)]),
        # 3 items for each of the 270,336 threads that the card holds: 768 a block
        (
            "thrust::transform(d.begin(), d.end(), e.begin(), Twice());",
            [("transform_kernel", "unary", 1303)],
        ),
        (
            "auto m = thrust::max_element(d.begin(), d.end());",
            [
                ("_kernel_agent", "drain", 1),
                ("_kernel_agent", "extremum", 782),
                ("_kernel_agent", "extremum-partials", 1),
            ],
        ),
    ],
)  # fmt: skip
def test_calls_of_thrust_launch_the_kernels_of_cub(launched, call, expected):
    assert launched(f"{VECTORS}\n{call}") == [(*each, 1) for each in expected]


def test_a_radix_sort_has_a_pass_for_each_byte_of_the_keys(launched):
    # 4 bytes: 4 passes over 145 tiles of 6,912
    assert launched(f"{VECTORS} thrust::sort(d.begin(), d.end());") == [
        ("DeviceRadixSortHistogramKernel", "long", 16 * 132, 1),
        ("DeviceRadixSortExclusiveSumKernel", "long", 4, 1),
        ("DeviceRadixSortOnesweepKernel", "keys-long", 145, 4),
    ]
    assert launched(f"{VECTORS} thrust::sort(d.begin(), d.begin() + 4000);") == [
        ("DeviceRadixSortSingleTileKernel", "keys-long", 1, 1)
    ]


def test_an_order_of_the_users_own_takes_a_merge_sort(launched):
    # 230 tiles of 4,352, merged in pairs until one is left: 8 times
    assert launched(f"{VECTORS} thrust::sort(d.begin(), d.end(), Near());") == [
        ("DeviceMergeSortBlockSortKernel", "", 230, 1),
        ("DeviceMergeSortPartitionKernel", "", 1, 8),
        ("DeviceMergeSortMergeKernel", "", 230, 8),
    ]
    assert launched(f"{VECTORS} thrust::sort(d.begin(), d.end(), thrust::greater<float>());")[0][
        0
    ] == ("DeviceRadixSortHistogramKernel")


CUB = """
  int n = 1000000, *in, *out;
  void *storage = nullptr;
  size_t bytes = 0;
  cudaMalloc(&in, 4 * n);
  cudaMalloc(&out, 4 * n);
  cub::{0};
  cudaMalloc(&storage, bytes);
  for (int step = 0; step < 10; step++) cub::{0};
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            "DeviceReduce::Sum(storage, bytes, in, out, n)",
            [("DeviceReduceKernel", "sum", 245, 10), ("DeviceReduceSingleTileKernel", "sum-partials", 1, 10)],
        ),
        (
            "DeviceScan::ExclusiveSum(storage, bytes, in, out, n)",
            [("DeviceScanInitKernel", "", 3, 10), ("DeviceScanKernel", "exclusive", 326, 10)],
        ),
        (
            "DeviceRadixSort::SortKeys(storage, bytes, in, out, n)",
            [
                ("DeviceRadixSortHistogramKernel", "", 12 * 132, 10),
                ("DeviceRadixSortExclusiveSumKernel", "", 4, 10),
                ("DeviceRadixSortOnesweepKernel", "keys", 131, 40),
            ],
        ),
        (
            "DeviceRadixSort::SortPairs(storage, bytes, in, out, in, out, n)",
            [
                ("DeviceRadixSortHistogramKernel", "", 12 * 132, 10),
                ("DeviceRadixSortExclusiveSumKernel", "", 4, 10),
                ("DeviceRadixSortOnesweepKernel", "pairs", 114, 40),
            ],
        ),
    ],
)  # fmt: skip
def test_calls_of_cub_run_once_they_have_storage(launched, call, expected):
    assert launched(CUB.format(call)) == expected


COUNTS = [
    "DeviceSelect::Flagged(storage, bytes, in, flags, out, number, n)",
    "DeviceSelect::If(storage, bytes, in, out, number, n, Odd())",
    "DeviceSelect::Unique(storage, bytes, in, out, number, n)",
    "DeviceReduce::Sum(storage, bytes, odd, number, n)",
]


@pytest.mark.parametrize("call", COUNTS)
def test_what_cub_counts_sizes_later_launches(tmp_path, call):
    """Half of a million elements, in blocks of 250; a program that compares their number with its own goes on."""
    path = tmp_path / "main.cu"
    path.write_text(
        f"""{INCLUDES}
__global__ void scale(const int *x, float *y, int m) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) y[i] = 2.0f * x[i];
}}
int main() {{
  int n = 1000000, m = 0, *in, *out, *number;
  char *flags;
  void *storage = nullptr;
  size_t bytes = 0;
  cudaMalloc(&in, 4 * n); cudaMalloc(&out, 4 * n); cudaMalloc(&number, 4); cudaMalloc(&flags, n);
  cub::TransformInputIterator<bool, Odd, int *> odd(in, Odd());
  cub::{call};
  cudaMalloc(&storage, bytes);
  cub::{call};
  cudaMemcpy(&m, number, 4, cudaMemcpyDeviceToHost);
  if (m != 123456) return 1;
  scale<<<(m + 249) / 250, 250>>>(out, (float *)in, m);
}}
"""
    )
    report = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100")))
    (kernel,) = [each for each in report.kernels if each.name == "scale"]
    assert kernel.launch.blocks == pytest.approx(2000, abs=1)
    assert kernel.launch.source is LaunchSource.ASSUMED


def test_each_call_has_its_own_place(analyse):
    # `in` and `out` are as large, so that nothing but the lines tells the calls apart
    text = CUB.format("DeviceReduce::Max(storage, bytes, in, out, n)")
    found = analyse(f"{text}\n\n  cub::DeviceReduce::Min(storage, bytes, in, out, n);").kernels
    lines = [each.line for each in found if each.name == "DeviceReduceKernel"]
    assert len(lines) == 2
    assert lines[1] == lines[0] + 3
    assert {each.file for each in found} == {found[0].launch.file}


BLAS = """
  int n = 5000;
  float *x, *y, a = 2, r;
  cublasHandle_t h;
  cublasCreate(&h);
  cudaMalloc(&x, 4 * n);
  cudaMalloc(&y, 4 * n);
"""


def test_calls_of_cublas(analyse):
    axpy, first, second = analyse(
        f"{BLAS} cublasSaxpy(h, n, &a, x, 1, y, 1);\ncublasSdot(h, n, x, 1, y, 1, &r);"
    ).kernels
    assert (axpy.name, axpy.launch.grid, axpy.launch.block) == (
        "axpy_kernel_val",
        (20, 1, 1),
        (256, 1, 1),
    )
    assert axpy.counts.sp_flop == pytest.approx(2 * 5000)
    assert [each.name for each in (first, second)] == ["dot_kernel", "reduce_1Block_kernel"]
    assert first.launch.blocks == 40
    (typed,) = {
        each.library.element
        for each in analyse(
            f"{BLAS} cublasDotEx(h, n, x, CUDA_R_32F, 1, y, CUDA_R_32F, 1, &r, CUDA_R_32F, CUDA_R_32F);"
        ).kernels
    }
    assert typed == "float"


def test_a_report_says_that_it_is_measured(analyse):
    result = analyse(f"{VECTORS}\n thrust::inclusive_scan(d.begin(), d.end(), e.begin());")
    scan = result.kernels[1]
    assert (scan.signature, scan.line, scan.verdict) == (
        "scan::DeviceScanKernel<float>",
        26,
        Verdict.BANDWIDTH,
    )
    assert scan.launch.source is LaunchSource.HOST_CODE
    (note,) = scan.assumptions
    assert note.kind is AssumptionKind.LIBRARY_CALL
    assert note.text == (
        "kernel of Thrust, run by thrust::inclusive_scan: counts measured on H100, CUDA 13.0, not derived from source"
    )
    assert kernel_to_json(scan)["library"] == {
        "name": "Thrust",
        "call": "thrust::inclusive_scan",
        "variant": "thrust",
        "element": "float",
        "items": 1_000_000,
    }
    # every element is read and written once; what is written stays in the L2 of 50 MB
    assert scan.traffic.dram(TrafficRegime.STEADY).total_bytes == pytest.approx(8e6, rel=0.02)
    assert scan.traffic.dram(TrafficRegime.PROFILED).total_bytes == pytest.approx(4e6, rel=0.02)
    assert not missing(result)


@pytest.mark.parametrize(
    "body",
    [
        "thrust::host_vector<float> h(1000); thrust::sort(h.begin(), h.end());",
        "float h[1000]; thrust::sort(thrust::host, h, h + 1000);",
        (
            "thrust::host_vector<float> h(1000); thrust::device_vector<float> d(1000);"
            " thrust::copy(h.begin(), h.end(), d.begin());"
        ),
    ],
)
def test_calls_that_run_no_kernel(analyse, body):
    result = analyse(body)
    assert not result.kernels
    assert not missing(result)


@pytest.mark.parametrize(
    ("body", "reason", "remedy"),
    [
        (
            "cufftExecC2C(0, nullptr, nullptr, CUFFT_FORWARD);",
            "they are not in the source",
            "measure it",
        ),
        (
            "cublasSgemm(0, 0, 0, 64, 64, 64, 0, 0, 64, 0, 64, 0, 0, 64);",
            "they are not in the source",
            "of cuBLAS dot",
        ),
        (
            "thrust::device_vector<char> d(1000); thrust::sort(d.begin(), d.end());",
            "not in the source",
            "write a kernel that does the same",
        ),
        (
            "extern int size(); thrust::device_vector<float> d(size()); thrust::sort(d.begin(), d.end());",
            "on how many elements is not known",
            "write a kernel that does the same",
        ),
    ],
)
def test_what_is_not_known_is_said_to_be_missing(analyse, body, reason, remedy):
    result = analyse(body)
    assert not result.kernels
    (note,) = missing(result)
    assert reason in note.message
    assert remedy in note.help


def test_a_vector_of_a_size_is_said_to_be_filled_by_a_kernel_once(analyse):
    result = analyse("thrust::device_vector<int> a(100), b(200); thrust::device_vector<int> none;")
    (note,) = (each for each in result.diagnostics if each.code == "library-kernels")
    assert "thrust::device_vector of a size runs kernels of Thrust" in note.message
    assert not result.kernels


def test_a_function_of_the_programs_own_under_a_librarys_name_stops_nothing(tmp_path):
    file = tmp_path / "main.cu"
    file.write_text(
        "namespace thrust { int reduce(int x); }\n"
        "__global__ void fill(float *x) { x[threadIdx.x] = 1; }\n"
        "int main() { float *x; cudaMalloc(&x, 512); thrust::reduce(3); fill<<<1, 128>>>(x); }\n"
    )
    result = analyze_program([file], AnalysisOptions(gpu=load_gpu("h100")))
    assert not result.errors
    assert [kernel.name for kernel in result.kernels] == ["fill"]
    assert "on how many elements is not known" in result.diagnostics[0].message


UNKNOWN = """
  extern int size();
  int n = size(), *in, *out;
  void *storage;
  size_t bytes = 1000;
  cudaMalloc(&in, 4 * n);
  cudaMalloc(&out, 4 * n);
  cudaMalloc(&storage, bytes);
  cub::DeviceReduce::Max(storage, bytes, in, out, n);
"""


def test_a_stated_grid_says_how_many_elements_there_are(analyse):
    stated = LaunchOverride(grid=(100, 1, 1), block=(256, 1, 1))
    result = analyse(UNKNOWN, launches={"DeviceReduceKernel": stated})
    (kernel,) = result.kernels
    assert result.used_launches == ("DeviceReduceKernel",)
    assert (kernel.launch.grid, kernel.launch.source) == ((100, 1, 1), LaunchSource.FLAG)
    # the call asks for a maximum: tiles of 4,096
    assert (kernel.library.variant, kernel.library.items) == ("max", 409_600)
    assert not analyse(UNKNOWN, launches={"own": stated}).kernels


def test_a_kernel_of_the_program_goes_before_a_librarys_of_that_name(analyse, tmp_path):
    own = f"__global__ void dot_kernel(float *x) {{ x[threadIdx.x] = 1; }}\n{INCLUDES}"
    file = tmp_path / "own.cu"
    body = "thrust::sort(thrust::device, x, x + size());"
    file.write_text(
        f"{own}int size();\nint main() {{ float *x; cudaMalloc(&x, 400); dot_kernel<<<1, 32>>>(x); {body} }}\n"
    )
    stated = {"dot_kernel": LaunchOverride(grid=(7, 1, 1), block=(128, 1, 1))}
    options = AnalysisOptions(gpu=load_gpu("h100"), launches=stated)
    (kernel,) = analyze_program([file], options).kernels
    assert (kernel.launch.grid, kernel.library) == ((7, 1, 1), None)


def test_nobody_is_told_to_mend_a_librarys_kernel(analyse):
    # a grid of one block, for which there is a rule
    result = analyse(f"{VECTORS} float s = thrust::reduce(d.begin(), d.end());")
    report = Report(tool=Tool(version="0"), gpu=load_gpu("h100"), kernels=result.kernels)
    assert not findings(report, RuleContext(gpu=report.gpu))
    assert worth_asking(report, When.ALWAYS) == []


@pytest.mark.parametrize(
    ("functor", "reason"),
    [
        ("[] __device__ (float x) { return 2 * x + 1; }", ""),
        (
            "[] __device__ (float x) { float s = x; for (int i = 0; i < 9; i++) s *= x; return s; }",
            "does more",
        ),
        ("[] __device__ (float x) { return sinf(x); }", "does more"),
        ("[] __device__ (float const &x) { return 2 * x; }", ""),
        ("[p] __device__ (float x) { return x + *(p + 1); }", "does more"),
        ("[] __device__ (float x) { if (x > 1) x = 0; return x; }", "does more"),
        # five operations; four are like those that were measured
        ("[] __device__ (float x) { return x * x * x * x * x * x; }", "does more"),
        ("[] __device__ (float x) { return x * x * x * x * x; }", ""),
        # memory beside the elements
        ("[p] __device__ (float x) { return p[int(x)]; }", "does more"),
        # a template's body that only the library instantiates
        ("[] __device__ (auto x) { return x; }", "is not known"),
    ],
)
def test_functors_that_do_more_than_those_measured_have_no_record(analyse, functor, reason):
    body = f"float *p; cudaMalloc(&p, 4000); thrust::transform(d.begin(), d.end(), e.begin(), {functor});"
    result = analyse(f"{VECTORS} {body}")
    notes = [each.message for each in missing(result)]
    if reason:
        assert not result.kernels
        assert "functor" in notes[0]
        assert reason in notes[0]
    else:
        assert [kernel.name for kernel in result.kernels] == ["transform_kernel"]
        assert not notes


def test_a_radix_sort_passes_over_the_bits_that_it_is_given(launched):
    setup = (
        "unsigned *k, *o; cudaMalloc(&k, 4 << 20); cudaMalloc(&o, 4 << 20); void *t; size_t b = 1 << 20;"
        "cudaMalloc(&t, b); extern int bits();"
    )

    def passes(arguments):
        found = launched(f"{setup} cub::DeviceRadixSort::SortKeys(t, b, k, o, 1 << 20{arguments});")
        return [count for name, _, _, count in found if "Onesweep" in name]

    # passes of 8 bits: 32 / 8, 8 / 8, 10 / 8 rounded up
    assert passes("") == [4]
    assert passes(", 0, 8") == [1]
    assert passes(", 4, 14") == [2]
    assert passes(", 0, bits()") == []


def test_calls_of_cublas_by_their_names_in_the_binary(launched):
    setup = "float *x, a = 2; cudaMalloc(&x, 4000); cublasHandle_t h; cublasCreate(&h);"
    # 1,000 items
    assert launched(f"{setup} cublasSscal_v2(h, 1000, &a, x, 1);") == launched(
        f"{setup} cublasSscal(h, 1000, &a, x, 1);"
    )


def test_an_address_is_no_number_of_elements(analyse):
    setup = "float *x, a = 2; cudaMalloc(&x, 4000); cublasHandle_t h; cublasCreate(&h);"
    for call in ("cublasSscal(h, undeclared, &a, x, 1)", "cublasDscal_v3(h, 9, &a, x, 1)"):
        assert not analyse(f"{setup} {call};").kernels


def test_sorts_of_structures_read_what_they_write(tmp_path):
    file = tmp_path / "main.cu"
    file.write_text(
        f"{INCLUDES} struct P {{ float x, y, z, w; }};"
        "struct Less { __host__ __device__ bool operator()(const P &a, const P &b) const { return a.x < b.x; } };"
        "int main() { thrust::device_vector<P> p(1 << 20); thrust::sort(p.begin(), p.end(), Less()); }"
    )
    found = analyze_program([file], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    # 16 bytes an element, both ways
    for kernel in (
        each for each in found if each.name.endswith(("BlockSortKernel", "MergeKernel"))
    ):
        assert kernel.traffic.steady.write_bytes == pytest.approx(16 << 20, rel=0.01)
        assert kernel.traffic.steady.read_bytes == pytest.approx(16 << 20, rel=0.06)
    assert len(found) == 3
