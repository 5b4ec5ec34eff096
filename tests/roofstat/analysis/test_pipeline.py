"""One program through all stages: which kernels are reported, under which launch, and what is said besides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roofstat.analysis.assumptions import refused_sizes
from roofstat.analysis.options import AnalysisOptions, LaunchOverride
from roofstat.analysis.pipeline import analyze_program
from roofstat.execution.kernel_run import run_kernel
from roofstat.hardware import load_gpu
from roofstat.instructions.tables.costs import Compiler, cost_of
from roofstat.report import (
    BoundBy,
    Direction,
    ErrorKind,
    Language,
    LaunchSource,
    MemorySpace,
    Severity,
    Verdict,
    WarpStep,
    kernel_to_json,
)

SAXPY = """
__global__ void saxpy(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
MAIN = """
#include <cuda_runtime.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  for (int step = 0; step < 10; step++) saxpy<<<(n + 255) / 256, 256>>>(x, y, 2.0f, n);
}
"""


@pytest.fixture(scope="module")
def options():
    return AnalysisOptions(gpu=load_gpu("a100"))


@pytest.fixture
def analyse(tmp_path, options):
    """Texts by file name to the result of their program."""

    def run(files, **changes):
        paths = []
        for name, text in files.items():
            path = tmp_path / name
            path.write_text(text)
            paths.append(path)
        return analyze_program(paths, replace(options, **changes))

    return run


def test_a_launched_kernel_is_reported_with_its_launch(analyse):
    result = analyse({"a.cu": SAXPY + MAIN})
    (kernel,) = result.kernels
    n = 1 << 20
    assert (kernel.name, kernel.language, kernel.line) == ("saxpy", Language.CUDA, 2)
    assert kernel.launch.source is LaunchSource.HOST_CODE
    assert (kernel.launch.grid, kernel.launch.block, kernel.launch.count) == (
        (n // 256, 1, 1),
        (256, 1, 1),
        10,
    )
    assert kernel.counts.sp_flop == 2 * n  # one fused multiply-add for each element
    assert kernel.counts.dp_flop == 0
    assert kernel.verdict is Verdict.BANDWIDTH
    assert result.errors == ()


def test_accesses_say_which_array_and_how(analyse):
    (kernel,) = analyse({"a.cu": SAXPY + MAIN}).kernels
    found = {(item.array, item.direction): item for item in kernel.accesses}
    assert set(found) == {("x", Direction.READ), ("y", Direction.READ), ("y", Direction.WRITE)}
    for item in found.values():
        assert item.space is MemorySpace.GLOBAL
        assert item.element_bytes == 4
        assert item.sectors_per_request == pytest.approx(4)  # 32 lanes of 4 bytes in sectors of 32
        assert item.footprint_bytes == pytest.approx(4 << 20, rel=0.01)


LOOPED = """
__global__ void sums(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
  for (int j = 0; j < m; j++)
    s += x[j * n + i] * x[j * n + i];
  y[i] = s;
}
int main() { sums<<<8, 128>>>(0, 0, 1000, 37); }
"""


def test_the_terms_of_lines_add_up_to_the_counts(analyse):
    (kernel,) = analyse({"a.cu": LOOPED}).kernels
    for field in ("sp_flop", "dp_flop", "int_op", "special_op"):
        terms = [
            term.executions * getattr(term.counts, field)
            for line in kernel.lines
            for term in line.terms
        ]
        assert sum(terms) == pytest.approx(getattr(kernel.counts, field))
    # fused multiply-adds of 1,000 threads that stay in 37 iterations; the loop is unrolled and has a remainder
    body = next(line for line in kernel.lines if line.counts.sp_flop)
    work = [term for term in body.terms if term.counts.sp_flop]
    assert sum(term.executions * term.counts.sp_flop for term in work) == pytest.approx(74_000)


def test_the_terms_of_the_latency_add_up_to_its_time(analyse):
    (kernel,) = analyse({"saxpy.cu": SAXPY + MAIN}).kernels
    latency = kernel.latency
    assert latency is not None
    # 2^20 threads in blocks of 256, 8 of them on each of 108 SMs: 4.7 waves, the last one as long as the others.
    assert latency.waves == 5
    # Both loads are on their way together.
    assert latency.step_clocks[WarpStep.LOAD] == pytest.approx(latency.load_clocks, rel=0.05)
    clocks = latency.waves * sum(latency.step_clocks.values()) + latency.rare_clocks
    assert kernel.times_s[BoundBy.LATENCY] == pytest.approx(clocks / load_gpu("a100").clock_hz)
    assert sum(latency.level_shares.values()) == pytest.approx(1)


def test_the_terms_of_dram_traffic_add_up(analyse):
    (kernel,) = analyse({"a.cu": LOOPED}).kernels
    traffic = kernel.traffic
    terms = traffic.dram_terms
    reads = terms.distinct_read_bytes + terms.beside_read_bytes + terms.repeated_read_bytes
    writes = terms.distinct_write_bytes + terms.repeated_write_bytes
    assert terms.launch_bytes + terms.factor * (reads + terms.fill_bytes) == pytest.approx(
        traffic.steady.read_bytes
    )
    assert terms.factor * writes == pytest.approx(traffic.steady.write_bytes)
    assert terms.factor * (writes - terms.kept_bytes) == pytest.approx(traffic.profiled.write_bytes)
    # 37 rows of 1,000 floats in whole sectors, each read once; 4,000 bytes written, which an isolated launch leaves in L2
    assert terms.distinct_read_bytes == pytest.approx(37 * 4_000, rel=0.01)
    assert terms.repeated_read_bytes == pytest.approx(0, abs=32)
    assert terms.kept_bytes == pytest.approx(terms.distinct_write_bytes) == pytest.approx(4_000)


@pytest.mark.parametrize(
    ("kernel", "distinct", "beside"),
    [
        # The first of 64 tiles of 2 KiB by one load, the others by another one: 2,048 blocks read 128 KiB each, once.
        (
            """__global__ void k(const float4 *in, float4 *out) {
  const float4 *p = in + (size_t)blockIdx.x * 64 * 128; float4 v = p[threadIdx.x];
  for (int i = 1; i < 64; i++) { float4 w = p[i * 128 + threadIdx.x]; v.x += w.x; }
  out[blockIdx.x * 128 + threadIdx.x] = v; }""",
            2048 * 128 * 1024,
            0,
        ),
        # Every fourth float4: each sector is half asked for, and of two that DRAM gives together one is.
        (
            """__global__ void k(const float4 *in, float4 *out) {
  int i = blockIdx.x * 128 + threadIdx.x; out[i] = in[4 * i]; }""",
            2048 * 128 * 32,
            2048 * 128 * 32,
        ),
        # One counter: its sector is read to be changed, and the one beside it comes along.
        (
            """__global__ void k(const float4 *, float4 *out) {
  atomicAdd((int *)out, 1); }""",
            32,
            32,
        ),
    ],
)
def test_what_is_read_once_is_not_read_again(analyse, kernel, distinct, beside):
    main = """
int main() {
  float4 *in, *out; cudaMalloc(&in, 1 << 28); cudaMalloc(&out, 1 << 26);
  k<<<2048, 128>>>(in, out);
}"""
    (report,) = analyse({"a.cu": kernel + main}).kernels
    terms = report.traffic.dram_terms
    assert terms.distinct_read_bytes == pytest.approx(distinct)
    assert terms.beside_read_bytes == pytest.approx(beside, abs=32)
    assert terms.repeated_read_bytes == pytest.approx(0, abs=32)


def test_arrays_in_shared_memory_that_are_read_in_full_show_their_size(analyse):
    text = """
__global__ void k(const float *x, float *y, int n) {
  __shared__ float t[256], two[2][128], part[512];
  float sum = 0;
  part[threadIdx.x] = x[threadIdx.x];
  for (int b = 0; b < n / 256; b++) {
    t[threadIdx.x] = x[b * 256 + threadIdx.x]; two[b & 1][threadIdx.x / 2] = t[0];
    __syncthreads();
    for (int j = 0; j < 256; j++) sum += t[j];
    sum += two[b & 1][threadIdx.x / 2] + part[threadIdx.x ^ 1];
    __syncthreads();
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
int main() { float *x, *y; cudaMalloc(&x, 1 << 18); cudaMalloc(&y, 1 << 18); k<<<256, 256>>>(x, y, 65536); }
"""
    (kernel,) = analyse({"a.cu": text}).kernels
    found = {
        access.array: access.footprint_bytes
        for access in kernel.accesses
        if access.space is MemorySpace.SHARED and access.direction is Direction.READ
    }
    # All 256 floats of t in 256 iterations of each thread, both halves of `two`, and half of `part`.
    assert found == pytest.approx({"t": 1024, "two": 1024, "part": 1024})


def test_requests_are_the_executions_of_warps(analyse):
    (kernel,) = analyse({"a.cu": LOOPED}).kernels
    found = {item.direction: item for item in kernel.accesses}
    assert found[Direction.WRITE].requests == 32  # 1,000 threads: 31 warps and a part of another
    assert found[Direction.READ].requests == 32 * 37


def test_program_arguments_reach_main(analyse):
    (kernel,) = analyse({"a.cu": SAXPY + MAIN}, program_args=("1000",)).kernels
    assert kernel.launch.grid == (4, 1, 1)
    assert kernel.counts.sp_flop == 2000


def test_a_stated_launch_wins_over_the_program(analyse):
    stated = {"saxpy": LaunchOverride(grid=(8, 1, 1), block=(64, 1, 1))}
    (kernel,) = analyse({"a.cu": SAXPY + MAIN}, launches=stated).kernels
    assert kernel.launch.source is LaunchSource.FLAG
    assert (kernel.launch.grid, kernel.launch.block) == ((8, 1, 1), (64, 1, 1))


def test_a_stated_launch_a_little_smaller_writes_what_later_launches_read(analyse):
    """mark() sets all 1,024 flags, with 251 of 256 blocks as well; scale() multiplies once for each flag that is set."""
    text = """
    __global__ void mark(int *flag, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) flag[i & 1023] = 1;
    }
    __global__ void scale(const int *flag, float *x) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (flag[i]) x[i] *= 2.0f;
    }
    int main() {
      int n = 1 << 16; int *flag; float *x;
      cudaMalloc(&flag, 4096); cudaMalloc(&x, 4096); cudaMemset(flag, 0, 4096);
      mark<<<n / 256, 256>>>(flag, n);
      scale<<<4, 256>>>(flag, x);
    }
    """
    stated = {"mark": LaunchOverride(grid=(251, 1, 1))}
    kernels = {item.name: item for item in analyse({"a.cu": text}, launches=stated).kernels}
    assert kernels["mark"].launch.grid == (251, 1, 1)
    assert kernels["scale"].counts.sp_flop == 1024


def test_a_kernel_that_nothing_launches_gets_a_stated_default(analyse):
    (kernel,) = analyse({"a.cu": SAXPY}).kernels
    assert kernel.launch.source is LaunchSource.ASSUMED
    assert any("nothing launches" in item.text for item in kernel.assumptions)
    assert kernel.counts.sp_flop > 0


def test_a_kernel_that_tells_no_blocks_apart_gets_one_block(analyse):
    """Of a sum by the threads of one block nothing says that other blocks would do the same again."""
    text = """
    __global__ void sum(const float *x, float *y) {
      __shared__ float s[256];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) { float v = 0; for (int i = 0; i < 256; i++) v += s[i]; y[0] = v; }
    }
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.launch.source is LaunchSource.ASSUMED
    assert (kernel.launch.grid, kernel.launch.block) == ((1, 1, 1), (256, 1, 1))
    assert kernel.counts.sp_flop == 256


def test_kernels_come_in_the_order_of_the_source(analyse):
    text = "".join(f"__global__ void {name}(float *a) {{ a[0] = 1; }}\n" for name in "cab")
    assert [kernel.name for kernel in analyse({"a.cu": text}).kernels] == ["c", "a", "b"]


def test_only_wanted_kernels_are_analysed(analyse):
    text = SAXPY + "__global__ void other(float *a) { a[0] = 1; }\n"
    assert [item.name for item in analyse({"a.cu": text}, kernel_pattern="^oth").kernels] == [
        "other"
    ]


def test_instances_of_a_template_are_kernels_of_their_own(analyse):
    text = """
    template <typename T> __global__ void scale(T *a, T x) { a[threadIdx.x] *= x; }
    int main() { scale<float><<<1, 32>>>(nullptr, 2.0f); scale<double><<<1, 32>>>(nullptr, 2.0); }
    """
    kernels = analyse({"a.cu": text}).kernels
    assert sorted((item.counts.sp_flop, item.counts.dp_flop) for item in kernels) == [
        (0, 32),
        (32, 0),
    ]


def test_units_of_a_program_are_linked(analyse):
    declaration = "__global__ void saxpy(const float *x, float *y, float a, int n);\n"
    result = analyse({"kernels.cu": SAXPY, "main.cu": declaration + MAIN})
    (kernel,) = result.kernels
    assert kernel.file.endswith("kernels.cu")
    assert kernel.launch.source is LaunchSource.HOST_CODE


def test_a_target_region_is_a_kernel(analyse):
    text = """
    int main() {
      const int n = 1 << 16;
      float *a = new float[n];
      #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
      for (int i = 0; i < n; i++) a[i] = a[i] * 2.0f;
    }
    """
    (kernel,) = analyse({"a.cpp": text}).kernels
    assert kernel.language is Language.OPENMP
    assert kernel.function == "main"
    assert kernel.counts.sp_flop == pytest.approx(1 << 16)


def test_a_region_that_nothing_reaches_gets_the_launch_of_the_run_time(analyse):
    text = """
    void f(float *a, int n) {
      #pragma omp target teams distribute parallel for thread_limit(64)
      for (int i = 0; i < n; i++) a[i] = 1.0f;
    }
    """
    (kernel,) = analyse({"a.cpp": text}).kernels
    assert kernel.launch.source is LaunchSource.ASSUMED
    assert (kernel.launch.grid, kernel.launch.block) == ((3200, 1, 1), (64, 1, 1))
    texts = " ".join(item.text for item in kernel.assumptions)
    assert "nothing launches" in texts
    assert f"taken as {4 * 3200 * 64}" in texts


_LIBRARY = """
void f(float *a, int n, int m, int t) {
  int total = n * m;
  const int teams = total / 256;
  #pragma omp target teams distribute parallel for num_teams(teams) thread_limit(t)
  for (int i = 0; i < total; i++) a[i] = 2.0f * a[i];
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < total; i++) for (int j = 0; j < m; j++) a[i] = 2.0f * a[i];
}
"""


def test_stated_values_reach_the_launch_of_a_region_that_nothing_launches(analyse):
    # total = 100 * 10 = 1000, teams = 1000 / 256 = 3; each element once, in the second region m = 10 times.
    # The second has 1000 iterations and no clause: 32 threads a team, ceil(1000 / 32) = 32 teams.
    found = analyse({"a.cpp": _LIBRARY}, values={"n": 100, "m": 10, "t": 64})
    first, second = found.kernels
    assert (first.launch.grid, first.launch.block) == ((3, 1, 1), (64, 1, 1))
    assert (second.launch.grid, second.launch.block) == ((32, 1, 1), (32, 1, 1))
    assert (first.counts.sp_flop, second.counts.sp_flop) == (1000, 10_000)
    assert {kernel.launch.source for kernel in found.kernels} == {LaunchSource.FLAG}
    assert not any(kernel.assumptions for kernel in found.kernels)
    assert found.used_values == ("m", "n", "t")


def test_sizes_that_stay_unknown_are_named(analyse):
    first, second = analyse({"a.cpp": _LIBRARY}, values={"n": 100, "m": 10}).kernels
    assert (first.launch.grid, first.launch.block) == ((3, 1, 1), (128, 1, 1))
    assert first.launch.source is LaunchSource.ASSUMED
    assert any("thread_limit(t): state positive numbers" in item.text for item in first.assumptions)
    assert second.launch.source is LaunchSource.FLAG


def test_stated_sizes_below_one_are_said(analyse):
    # -5 / 256 = 0 teams.
    [first, _] = analyse({"a.cpp": _LIBRARY}, values={"total": -5, "t": 64}).kernels
    texts = " ".join(item.text for item in first.assumptions)
    assert "num_teams(teams), which is 0" in texts
    assert "argument total is stated as -5" in texts


def test_sizes_that_no_launch_can_have_are_said(analyse):
    text = """
    #include <stdlib.h>
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      static float a[1000];
      #pragma omp target teams distribute parallel for num_teams(n) thread_limit(n)
      for (int i = 0; i < 1000; i++) a[i] = 2.0f * a[i];
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) a[i] = 2.0f * a[i];
    }
    """
    first, second = analyse({"a.cpp": text}, program_args=("-5",)).kernels
    assert [item.text.partition(":")[0] for item in (*first.assumptions, *second.assumptions)] == [
        "num_teams is -5 at this launch",
        "thread_limit is -5 at this launch",
        "the bounds of the loop give -5 iterations, so that none is run",
    ]
    assert (first.counts.sp_flop, second.counts.sp_flop) == (1000, 0)
    usual = analyse({"a.cpp": text}, program_args=("5",)).kernels
    assert not any(kernel.assumptions for kernel in usual)


def test_a_file_that_is_not_there_is_an_error_and_the_others_go_on(analyse, tmp_path, options):
    good = tmp_path / "good.cu"
    good.write_text(SAXPY)
    result = analyze_program([tmp_path / "missing.cu", good], options)
    assert [item.kind for item in result.errors] == [ErrorKind.PARSE]
    assert [item.name for item in result.kernels] == ["saxpy"]


def test_unsaved_text_stands_for_the_file(analyse, tmp_path, options):
    path = tmp_path / "open.cu"
    result = analyze_program([path], replace(options, unsaved={str(path): SAXPY}))
    assert [item.name for item in result.kernels] == ["saxpy"]


def test_errors_in_the_source_are_remarks(analyse):
    result = analyse({"a.cu": SAXPY + "__global__ void bad(float *a) { a[0] = nothing; }\n"})
    assert {"saxpy", "bad"} >= {item.name for item in result.kernels} >= {"saxpy"}
    assert any(
        item.code == "parse-error" and "nothing" in item.message for item in result.diagnostics
    )


def test_a_lost_statement_leaves_no_verdict_and_takes_no_other_region(analyse):
    bad = SAXPY.replace("saxpy", "bad").replace("if (i < n)", "if (i < n) a = gone; if (i < n)")
    omp = """
    int main() {
      int n = 1 << 20; float *f = new float[n];
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) f[i] = f[i] * GONE;
      #pragma omp target teams distribute parallel for num_teams(100)
      for (int i = 0; i < n; i++) f[i] += 1;
    }
    """
    for result in (analyse({"a.cu": SAXPY + bad}), analyse({"a.cpp": omp})):
        assert {item.verdict for item in result.kernels} == {Verdict.BANDWIDTH, Verdict.UNKNOWN}
        [lost] = [item for item in result.kernels if item.verdict is Verdict.UNKNOWN]
        assert lost.name in ("bad", "main:4")
        assert "did not parse" in lost.unknown["counts.int_op"]
        assert lost.counts.sp_flop is None


def test_a_template_that_nothing_instantiates_is_said(analyse):
    """With a type whose name says nothing of it, of a program with host code, or of a body that takes no number, there is none."""
    for text in (
        "enum class E { A }; template <E N, typename T> __global__ void k(T *a) { a[0] = 1; }\n",
        "template <int N, typename T> __global__ void k(T *a) { a[N] = 1; }\nint main() {}\n",
        "template <typename F> __global__ void k(float *a, F f) { a[0] = f.value(a[0]); }\n",
    ):
        result = analyse({"a.cu": text})
        assert result.kernels == ()
        assert [item.code for item in result.diagnostics] == ["uninstantiated-template"]
        assert "is not analysed" in result.diagnostics[0].message


@pytest.mark.parametrize(
    ("condition", "macro"),
    [
        ("#ifdef GPU", "GPU"),
        ("#if defined(GPU)", "GPU"),
        ("#if GPU", "GPU"),
        ("#if GPU > 1", "MACRO"),
        ("#if 1\n#else", "MACRO"),
    ],
)
def test_gpu_code_that_the_preprocessor_leaves_out_is_said(analyse, condition, macro):
    """Where nothing else is there for a GPU; a kernel beside it is what the unit is read for."""
    text = f"{condition}\n__global__ void k(float *a) {{ a[0] = 1; }}\n#endif\nint main() {{}}\n"
    result = analyse({"a.cu": text})
    [remark] = result.diagnostics
    line = condition.count("\n") + 1
    last = condition.splitlines()[-1]
    assert (remark.code, remark.line) == ("left-out-code", line + 1)
    assert remark.message == f"GPU code here is left out by {last} in line {line}"
    assert remark.help == f"define what it asks for with -D {macro}"
    result = analyse({"a.cu": text + "__global__ void own(float *a) { a[0] = 1; }\n"})
    assert [item.code for item in result.diagnostics] == []


def test_a_target_region_that_the_preprocessor_leaves_out_is_said(analyse):
    text = "int main() {\n#ifdef GPU\n#pragma omp target\n#endif\n  {}\n}\n"
    [remark] = analyse({"a.cpp": text}).diagnostics
    assert (remark.code, remark.line) == ("left-out-code", 3)
    assert not analyse({"a.cpp": text.replace("GPU", "_OPENMP_GPU")}).diagnostics


def test_a_template_without_host_code_is_read_as_it_is_named(analyse):
    """A line of the report says so, and no verdict is surer than an invented type allows."""
    text = """
    namespace n {
    template <typename T, int BLOCK, typename idx_t = int, bool EXACT = true> __global__ void add(T *a, const T *b, idx_t n) {
      idx_t i = blockIdx.x * BLOCK + threadIdx.x;
      if (i < n) a[i] += b[i];
    }
    }
    template <int TILE> __global__ void square(double *a) { a[blockIdx.y * TILE + threadIdx.y] *= 2; }
    template <typename F> __global__ void apply(float *a, F f) { a[0] = f.value(a[0]); }
    """
    result = analyse({"a.cu": text})
    added, squared = sorted(result.kernels, key=lambda kernel: kernel.name)
    assert added.signature == "void n::add<float, (int)256, int, (bool)1>(T1 *, const T1 *, T3)"
    assert added.launch.block == (256, 1, 1)
    assert added.verdict is Verdict.BANDWIDTH
    assert added.confidence <= 0.8
    assert any(
        "n::add<float, 256, int, true> is assumed" in item.text for item in added.assumptions
    )
    assert "square<(int)16>" in squared.signature
    assert {(item.line, "is analysed as" in item.message) for item in result.diagnostics} == {
        (3, True),
        (8, True),
        (9, False),
    }


def test_templates_with_regions_that_nothing_instantiates_are_said(analyse):
    text = """
    template <typename T> void f(T *a, int n) {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) a[i] = 1;
    }
    template <typename T> struct S {
      void g(T *a) {
        #pragma omp target
        a[0] = 1;
      }
      void h(T *a) { a[0] = 1; }
    };
    template <typename T> void used(T *a) {
      #pragma omp target
      a[0] = 1;
    }
    template <typename T> void plain(T *a) { a[0] = 1; }
    void main_part(float *a) { used(a); }
    """
    result = analyse({"a.cpp": text})
    assert {kernel.function for kernel in result.kernels} == {
        "void used<float>(T1 *)",
        "void f<float>(T1 *, int)",
    }
    assert [item.code for item in result.diagnostics] == ["uninstantiated-template"] * 2
    assert {
        (item.line, "is analysed as f<float>" in item.message) for item in result.diagnostics
    } == {
        (2, True),
        (7, False),
    }
    with_main = analyse({"a.cpp": text + "int main() {}"})
    assert [kernel.function for kernel in with_main.kernels] == ["void used<float>(T1 *)"]


def test_clauses_that_no_compiler_takes_are_errors_with_a_remedy(analyse):
    found = analyse(
        {
            "k.cpp": """
int main() {
  static float a[100];
  #pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;
  #pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < 10; i++) { for (int j = 0; j < 10; j++) a[10 * i + j] = 1.0f; }
  #pragma omp target teams distribute parallel for num_teams(0)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;
  #pragma omp target teams distribute parallel for thread_limit(-1)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;
}
"""
        }
    )
    assert [(item.line, item.kind, item.message.partition(" ")[0]) for item in found.errors] == [
        (4, ErrorKind.PARSE, "collapse(2)"),
        (8, ErrorKind.PARSE, "num_teams(0)"),
        (10, ErrorKind.PARSE, "thread_limit(-1)"),
    ]
    assert all(item.remedy for item in found.errors)
    assert [item.line for item in found.kernels] == [4, 6, 8, 10]


def test_a_metadirective_is_no_error_of_the_parser(analyse):
    text = (
        "int main(int n, char **) { static float a[100];\n"
        "#pragma omp metadirective when(user={condition(n > 1)}: target teams loop) otherwise(parallel for)\n"
        "for (int i = 0; i < 100; i++) a[i] = 1.0f; }\n"
    )
    [remark] = analyse({"k.cpp": text}).diagnostics
    assert (remark.code, remark.line) == ("directive-reading", 2)
    assert "'#pragma omp target teams loop'" in remark.message
    assert remark.help


def test_a_text_without_kernels_has_an_empty_result(analyse):
    result = analyse({"a.cu": "int main() { return 0; }\n"})
    assert (result.kernels, result.errors) == ((), ())


def _nested_ifs(depth):
    return "if (x > 0) { x += 1; " * depth + "}" * depth


@pytest.mark.parametrize(
    "body",
    [
        "else ".join(f"if (n == {i}) x *= {i}.5f;" for i in range(500)),
        "x += " + " + ".join(f"x * {i}.5f" for i in range(5000)) + ";",
        _nested_ifs(300),
        "x = " + "(" * 2000 + "x" + " + 1.0f)" * 2000 + ";",
    ],
    ids=["else-if chain", "long sum", "nested ifs", "parentheses"],
)
def test_generated_code_may_nest_deeply(analyse, body):
    text = f"__global__ void k(float *a, int n) {{ float x = a[threadIdx.x]; {body} a[threadIdx.x] = x; }}"
    result = analyse({"a.cu": text})
    assert result.errors == ()
    # Where no condition holds (n is none of the 500 numbers), no product is computed.
    assert result.kernels[0].counts.int_op > 0


READS_SIZE = """
#include <cstdio>
int size_of_problem();
int main() {
  int n, count = size_of_problem();
  scanf("%d", &n);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  saxpy<<<(n + 255) / 256, 256>>>(x, y, 2.0f, count);
}
"""


def test_stated_values_take_the_place_of_unknown_ones(analyse):
    result = analyse(
        {"a.cu": SAXPY + READS_SIZE}, values={"n": 5_000_000, "count": 1000, "other": 3}
    )
    (kernel,) = result.kernels
    assert kernel.launch.source is LaunchSource.HOST_CODE
    assert kernel.launch.grid == (-(-5_000_000 // 256), 1, 1)
    assert kernel.counts.sp_flop == pytest.approx(2 * 1000, rel=0.3)
    assert kernel.assumptions == ()
    assert result.used_values == ("count", "n")


def test_a_stated_value_for_a_parameter_of_a_launched_kernel(analyse):
    text = SAXPY + "int f(); int main() { saxpy<<<40, 256>>>(0, 0, 2.0f, f()); }"
    (kernel,) = analyse({"a.cu": text}, values={"n": 320}).kernels
    assert kernel.counts.sp_flop == pytest.approx(2 * 320, rel=0.3)
    assert kernel.assumptions == ()


def test_what_the_program_fixes_is_not_overruled(analyse):
    result = analyse({"a.cu": SAXPY + MAIN}, values={"n": 7})
    assert result.kernels[0].launch.grid == ((1 << 20) // 256, 1, 1)
    assert result.used_values == ()


def test_one_instance_of_a_template_can_be_given_a_launch(analyse):
    text = """
    template <int N> __global__ void fill(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = N; }
    int main() { float *x; cudaMalloc(&x, 1 << 20); fill<128><<<8, 32>>>(x); fill<64><<<8, 32>>>(x); }
    """
    stated = LaunchOverride(grid=(7, 1, 1), source=LaunchSource.LABEL)
    result = analyse({"a.cu": text}, launches={"fill<128>": stated})
    grids = {
        kernel.signature: (kernel.launch.grid[0], kernel.launch.source) for kernel in result.kernels
    }
    assert sorted(grids.values()) == [(7, LaunchSource.LABEL), (8, LaunchSource.HOST_CODE)]
    assert result.used_launches == ("fill<128>",)


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n a[i] *= 2.0f;",  # the parser drops the statement
        "opaque(a, i, n);",  # no file shows what it does
    ],
)
def test_a_kernel_of_which_nothing_was_seen_has_no_verdict(analyse, body):
    text = (
        "__device__ void opaque(float *, int, int);\n"
        "__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; BODY }"
    )
    (kernel,) = analyse({"a.cu": text.replace("BODY", body)}).kernels
    assert kernel.verdict is Verdict.UNKNOWN
    assert kernel.counts.sp_flop is None
    assert kernel.traffic.profiled.total_bytes is None
    assert kernel.bound_by is None
    assert kernel.unknown["counts.int_op"] == kernel.unknown["bytes.steady.dram"] != ""


def test_an_empty_kernel_does_nothing(analyse):
    (kernel,) = analyse(
        {"a.cu": "__global__ void k(float *a) { if (a == nullptr) return; }"}
    ).kernels
    assert kernel.counts.sp_flop == 0
    assert kernel.verdict is not Verdict.UNKNOWN


def test_the_work_of_an_unrolled_loop_is_its_own(analyse):
    text = """
    __global__ void k(float *a) {
      float x = a[threadIdx.x], s = 0;
      #pragma unroll
      for (int i = 0; i < 64; i++)
        s = s * x + 1.5f;
      a[threadIdx.x] = s;
    }
    int main() { float *a; cudaMalloc(&a, 4096); k<<<1, 1024>>>(a); }
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    [loop] = kernel.loops
    assert (loop.trip_count, loop.file) == (64, None)
    assert loop.share > 0.9


def test_places_in_other_files_name_them(analyse):
    header = """
    __device__ inline float sum(const float *x, int n) {
      float s = 0;
      for (int i = 0; i < n; i++) s += x[i];
      return s;
    }
    """
    text = '#include "sum.cuh"\n__global__ void k(float *a, int n) { a[threadIdx.x] = sum(a + threadIdx.x * n, n); }'
    result = analyse({"a.cu": text, "sum.cuh": header})
    kernel = next(item for item in result.kernels if item.file.endswith("a.cu"))
    assert [loop.file.endswith("sum.cuh") for loop in kernel.loops] == [True]
    places = {access.direction: access.file for access in kernel.accesses}
    assert places[Direction.READ].endswith("sum.cuh")
    assert places[Direction.WRITE] is None


def test_shares_of_dram_are_shares_of_dram(analyse):
    text = """
    __global__ void scale(const float *x, const float *factor, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = x[i] * factor[threadIdx.x];
    }
    int main() {
      float *x, *f, *y;
      cudaMalloc(&x, 1 << 24); cudaMalloc(&f, 1024); cudaMalloc(&y, 1 << 24);
      scale<<<1 << 14, 256>>>(x, f, y);
    }
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    shares = {access.array: access.share for access in kernel.accesses}
    assert shares["x"] == pytest.approx(0.5, abs=0.01)
    assert shares["y"] == pytest.approx(0.5, abs=0.01)
    assert shares["f" if "f" in shares else "factor"] < 0.001


def test_an_index_by_a_missing_name_is_another_one_in_each_thread(analyse):
    """The elements are known all the same; who stores which is not: 32 lanes meet about 32 sectors of 4 MB."""
    text = """
    __global__ void k(float *y, const float *x) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[AT(i, 4)] = TWICE(x[i]) + x[0];
    }
    int main() { float *x, *y; cudaMalloc(&x, 1 << 22); cudaMalloc(&y, 1 << 22); k<<<4096, 256>>>(y, x); }"""
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.confidence is not None
    assert kernel.confidence <= 0.6
    (stored,) = (access for access in kernel.accesses if access.array == "y")
    assert stored.element_bytes == 4
    assert stored.sectors_per_request > 30


def test_a_kernel_whose_templates_are_too_deep_was_not_seen_whole(analyse):
    text = """
    template <int N> struct D { static __device__ float f(float x) { return D<N - 1>::f(x * 1.5f + N); } };
    template <> struct D<0> { static __device__ float f(float x) { return x; } };
    __global__ void shallow(float *o) { o[threadIdx.x] = D<20>::f(o[threadIdx.x]); }
    __global__ void deep(float *o) { o[threadIdx.x] = D<3000>::f(o[threadIdx.x]); }"""
    kernels = {kernel.name: kernel for kernel in analyse({"a.cu": text}).kernels}
    said = {
        name: any("did not parse" in a.text for a in k.assumptions) for name, k in kernels.items()
    }
    assert said == {"shallow": False, "deep": True}
    assert kernels["deep"].highest_confidence <= 0.6


def test_a_size_that_is_assumed_and_runs_over_is_not_claimed(analyse):
    # n is taken as a million: so many rows of 4,096 elements have indices that no int holds.
    text = """
    __global__ void rows(float *a, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) for (int j = 0; j < 4096; j++) a[i * 4096 + j] += 1.0f;
    }"""
    (kernel,) = analyse({"a.cu": text}).kernels
    assert any("runs over (the sizes are assumed)" in item.text for item in kernel.assumptions)
    assert kernel.highest_confidence <= 0.6


def test_a_body_that_did_not_parse_has_no_verdict(analyse):
    text = "__global__ void k(float *a, int n) { int i = threadIdx.x; if (i < n a[i] *= 2; }"
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.verdict is Verdict.UNKNOWN
    assert kernel.counts.sp_flop is None
    data = kernel_to_json(kernel)
    assert "did not parse" in data["unknown"]["counts.sp_flop"]


@pytest.mark.parametrize(
    ("launch", "problem"),
    [
        ("10, 2048", "2,048 threads in a block, of at most 1,024"),
        ("dim3(1, 70000), 256", "70,000 blocks along y, of at most 65,535"),
        (
            "dim3(1, 1, 70000), dim3(1, 1, 128)",
            "70,000 blocks along z, of at most 65,535, and 128 threads in a block along z, of at most 64",
        ),
        ("1, 256, 300000", "300,000 bytes of shared memory in a block, of at most 166,912"),
        (
            "1, 256, 60000",
            "60,000 bytes of shared memory in a block, of at most 49,152 without cudaFuncSetAttribute",
        ),
    ],
)
def test_a_launch_that_fails_on_the_card_is_said(analyse, launch, problem):
    text = SAXPY + f"int main() {{ saxpy<<<{launch}>>>(0, 0, 2.0f, 100); }}"
    result = analyse({"a.cu": text})
    (remark,) = result.diagnostics
    assert remark.code == "impossible-launch"
    assert remark.message.endswith(f": {problem}")
    assert not any("size along" in each.text for each in result.kernels[0].assumptions)
    assert result.kernels[0].confidence <= 0.6
    assert problem.startswith(refused_sizes(result.kernels[0])[0])


CLUSTERS = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) stated(float *x) { x[threadIdx.x] = 1.0f; }
__global__ void used(float *x) { cg::this_cluster().sync(); x[threadIdx.x] = 1.0f; }
__global__ void plain(float *x) { cg::this_thread_block().sync(); x[threadIdx.x] = 1.0f; }
int main() { stated<<<4, 128>>>(0); used<<<4, 128>>>(0); plain<<<4, 128>>>(0); }
"""


@pytest.mark.parametrize(
    ("card", "failing"),
    [("a100", ["stated", "used"]), ("rtx3080", ["stated", "used"]), ("h100", []), ("mi300x", [])],
)
def test_clusters_of_blocks_fail_on_older_cards(analyse, card, failing):
    result = analyse({"a.cu": CLUSTERS}, gpu=load_gpu(card))
    said = [item.message for item in result.diagnostics if item.code == "impossible-launch"]
    assert [text.split()[3] for text in said] == failing
    assert all("clusters of blocks, which need sm_90 (it is sm_8" in text for text in said)
    capped = {kernel.name for kernel in result.kernels if refused_sizes(kernel)}
    assert capped == set(failing)
    assert all(kernel.confidence <= 0.6 for kernel in result.kernels if kernel.name in capped)


def test_a_launch_beyond_the_launch_bounds_of_its_kernel_fails(analyse):
    text = "__global__ void __launch_bounds__(128) f(float *x) { x[threadIdx.x] = 1.0f; }\n"
    result = analyse({"a.cu": text + "int main() { f<<<1, 128>>>(0); f<<<1, 256>>>(0); }"})
    (remark,) = result.diagnostics
    assert remark.message.endswith(": 256 threads in a block, of at most 128 by its launch bounds")


_INDICES = """#include <cstdlib>
__global__ void fill(float *x, long n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f;
}
__global__ void wide(float *x, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1.0f;
}
__global__ void square(float *a, int n) {
  int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < n) a[row * n + col] = 2.0f;
}
__global__ void before(float *a, int n) {
  int i = (blockIdx.x - 1) * n + threadIdx.x;  // -n in the first block
  if (i >= 0) a[i] = 0.0f;
}
__global__ void hashed(float *t) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  t[(i * 2654435761u) >> 12] = 1.0f;
}
int main(int argc, char **argv) {
  long n = atol(argv[1]);
  int m = atoi(argv[2]);
  float *x, *a;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&a, (long)m * m * 4);
  fill<<<(n + 255) / 256, 256>>>(x, n);
  wide<<<(n + 255) / 256, 256>>>(x, n);
  square<<<dim3((m + 255) / 256, m), 256>>>(a, m);
  before<<<m, 256>>>(a, 256);
  hashed<<<4096, 256>>>(x);
}
"""


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("2000000000", "46000"), []),
        # The last of 46,500 rows begins at 46,499 * 46,500.
        (("2200000000", "46500"), [(3, "2,199,999,999"), (12, "2,162,203,500")]),
    ],
)
def test_indices_that_run_over_are_said(tmp_path, options, arguments, found):
    path = tmp_path / "indices.cu"
    path.write_text(_INDICES)
    result = analyze_program([path], replace(options, program_args=arguments))
    said = [item for item in result.diagnostics if item.code == "index-overflow"]
    assert [item.line for item in said] == [line for line, _ in found]
    assert all(reaches in item.message for item, (_, reaches) in zip(said, found, strict=True))
    unsure = {kernel.line for kernel in result.kernels if kernel.confidence <= 0.6}
    assert unsure == ({2, 10} if found else set())


def test_sizes_that_nobody_gives_run_over_nothing(tmp_path, options):
    path = tmp_path / "indices.cu"
    path.write_text(_INDICES.partition("int main")[0])
    stated = {"square": LaunchOverride(grid=(64, 50000, 1), block=(1024, 1, 1))}
    result = analyze_program([path], replace(options, launches=stated))
    assert not any(item.code == "index-overflow" for item in result.diagnostics)


@pytest.mark.parametrize(
    ("free", "gib", "said"),
    [
        ("cudaFree(x);", 45, False),
        ("", 39, False),
        ("", 45, True),
        ("cudaFree(other());", 45, False),
        ("cudaSetDevice(1);", 45, False),
    ],
)
def test_memory_beyond_that_of_the_card_is_said(analyse, free, gib, said):
    # The A100 has 80 GiB; memory that others may have freed, or that is on another card, is left alone.
    text = f"""void *other();
    int main() {{
      float *x, *y; size_t size = (size_t){gib} << 30;
      cudaMalloc(&x, size);
      saxpy<<<10, 256>>>(x, x, 2.0f, 100);
      {free}
      cudaMalloc(&y, size);
    }}"""
    notes = [
        item for item in analyse({"a.cu": SAXPY + text}).diagnostics if item.code == "device-memory"
    ]
    assert len(notes) == said
    assert all(f"{2 * gib}.0 GiB of device memory" in item.message for item in notes)


def test_shared_memory_that_is_asked_for_is_taken(analyse):
    asks = "cudaFuncSetAttribute(saxpy, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);"
    text = SAXPY + f"int main() {{ {asks} saxpy<<<1, 256, 60000>>>(0, 0, 2.0f, 100); }}"
    assert not analyse({"a.cu": text}).diagnostics


def test_largest_launches_are_taken(analyse):
    text = (
        SAXPY + "int main() { saxpy<<<dim3(8, 65535, 65535), dim3(1, 16, 64)>>>(0, 0, 2.0f, 100); }"
    )
    assert not analyse({"a.cu": text}).diagnostics


def test_waves_of_a_block_that_does_not_fit_are_those_of_one_on_each_sm(analyse):
    text = SAXPY + "int main() { saxpy<<<1080, 2048>>>(0, 0, 2.0f, 100); }"
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.occupancy.blocks_per_sm == 0
    assert kernel.occupancy.waves == 10  # 108 SMs


@pytest.mark.parametrize("stated", [{"n": 1.5}, {"n": 10**20}, {"x": 7}])
def test_values_that_a_parameter_cannot_hold_are_not_taken(analyse, stated):
    result = analyse({"a.cu": SAXPY}, values=stated)
    assert result.used_values == ()


def test_templates_that_another_unit_instantiates_are_not_missing(analyse):
    header = "template <class T> __global__ void fill(T *x) { x[threadIdx.x] = 1; }\n"
    result = analyse(
        {
            "fill.cuh": header,
            "a.cu": '#include "fill.cuh"\nvoid f(float *x) { fill<<<1, 32>>>(x); }\n',
            "b.cu": '#include "fill.cuh"\n__global__ void other(int *x) { *x = 1; }\n',
        }
    )
    assert not [item for item in result.diagnostics if item.code == "uninstantiated-template"]


@pytest.mark.parametrize(("grid", "bound"), [(1, BoundBy.LATENCY), (20_000, BoundBy.DRAM)])
def test_too_few_warps_are_bound_by_latency(analyse, grid, bound):
    text = f"""
    __global__ void sum(const float *x, float *y, int n) {{
      float s = 0;
      for (int i = 0; i < 1000; i++) s += x[(i * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
      y[blockIdx.x * blockDim.x + threadIdx.x] = s;
    }}
    int main() {{
      float *x, *y;
      cudaMalloc(&x, {grid} * 256000ull * 4);
      cudaMalloc(&y, {grid} * 256ull * 4);
      sum<<<{grid}, 256>>>(x, y, 1000);
    }}
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.bound_by is bound
    assert kernel.times_s[BoundBy.LATENCY] > 0


def test_code_that_is_not_optimised_is_an_assumption(analyse):
    for flag in ("-G", "-O0"):
        (kernel,) = analyse({"a.cu": SAXPY + MAIN}, extra_flags=(flag,)).kernels
        assert ["not optimised" in item.text for item in kernel.assumptions] == [True]


def test_kernels_of_libraries_are_said_to_be_missing(analyse):
    text = """
    #include <thrust/sort.h>
    #include <thrust/execution_policy.h>
    #include <cublas_v2.h>
    struct Falling { __host__ __device__ bool operator()(float a, float b) const { return a > b; } };
    int main() {
      float *x; cudaMalloc(&x, 4000);
      thrust::stable_sort_by_key(thrust::device, x, x + 1000, x, Falling());
      cublasHandle_t h; cublasCreate(&h);
      float one = 1;
      cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, x, 8, x, 8, &one, x, 8);
    }"""
    notes = [item.message for item in analyse({"a.cu": SAXPY + text}).diagnostics]
    assert [text.partition(" ")[0] for text in notes if "not in the source" in text] == [
        "thrust::stable_sort_by_key",
        "cublasSgemm",
    ]


@pytest.mark.parametrize(
    "range_", ["{100, 5000, 70000}", "std::array<int, 3>{100, 5000, 70000}", "sizes"]
)
def test_ranges_of_known_length_launch_as_often(analyse, range_):
    text = f"""
    #include <array>
    #include <initializer_list>
    int main() {{
      std::array<int, 3> sizes = {{100, 5000, 70000}};
      for (int n : {range_}) saxpy<<<(n + 255) / 256, 256>>>(0, 0, 2.0f, n);
    }}"""
    kernels = analyse({"a.cu": SAXPY + text}).kernels
    launches = sorted((kernel.launch.grid[0], kernel.launch.count) for kernel in kernels)
    assert launches == [(1, 1), (20, 1), (274, 1)]


def test_a_range_in_a_kernel_has_its_length(analyse):
    text = """
    #include <array>
    struct Terms { std::array<float, 3> factor; };
    __global__ void scale(float *x, Terms terms) {
      float s = 0;
      for (float f : terms.factor) s += f * x[threadIdx.x];
      x[threadIdx.x] = s;
    }
    int main() { scale<<<1, 256>>>(0, Terms{{1, 2, 3}}); }
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.counts.sp_flop == 256 * 3 * 2


@pytest.mark.parametrize(("card", "steps"), [("a100", 5), ("mi300x", 6)])
def test_the_warp_size_is_that_of_the_card(analyse, card, steps):
    text = """
    #include <hip/hip_runtime.h>
    __global__ void sum(const float *x, float *y) {
      float v = x[threadIdx.x];
      for (int k = warpSize / 2; k > 0; k >>= 1) v += __shfl_down(v, k);
      if (threadIdx.x % warpSize == 0) y[threadIdx.x / warpSize] = v;
    }
    int main() { float *x, *y; hipMalloc(&x, 1024); hipMalloc(&y, 64); sum<<<1, 256>>>(x, y); }
    """
    (kernel,) = analyse({"a.hip": text}, gpu=load_gpu(card)).kernels
    assert [loop.trip_count for loop in kernel.loops] == [steps]


def test_a_defect_costs_one_kernel(analyse, monkeypatch):
    def broken(program, code, **rest):
        if code.name == "bad":
            raise OverflowError("too large")
        return run_kernel(program, code, **rest)

    monkeypatch.setattr("roofstat.execution.host.launches.run_kernel", broken)
    monkeypatch.setattr("roofstat.analysis.default_runs.run_kernel", broken)
    text = f"""{SAXPY}
    __global__ void bad(float *x) {{ x[threadIdx.x] = 1.0f; }}
    __global__ void idle(float *x) {{ x[threadIdx.x] = 1.0f; }}
    int main() {{ bad<<<1, 32>>>(0); saxpy<<<4, 256>>>(0, 0, 2.0f, 1024); }}"""
    result = analyse({"a.cu": text})
    assert sorted(kernel.name for kernel in result.kernels) == ["idle", "saxpy"]
    (error,) = result.errors
    assert error.kind is ErrorKind.INTERNAL
    assert "bad" in error.message
    assert "OverflowError: too large" in error.message


def test_launches_from_device_code_are_said_to_be_lost(analyse):
    text = """
    __global__ void child(float *x) { x[threadIdx.x] = 1.0f; }
    __global__ void parent(float *x) { if (threadIdx.x == 0) child<<<1, 32>>>(x); }
    """
    result = analyse({"a.cu": text})
    assert any("launches from device code" in (item.help or "") for item in result.diagnostics)
    parent = next(kernel for kernel in result.kernels if kernel.name == "parent")
    assert parent.verdict is Verdict.UNKNOWN


_HOST_THREADS = """
#include <omp.h>
#include <stdio.h>
int main() {
  int p = omp_get_max_threads();
  printf("%d", p);
  static float a[64000];
  #pragma omp target teams distribute parallel for num_teams(4)
  for (int i = 0; i < 1000 * p; i++) a[i] = 2.0f * a[i];
  #pragma omp target teams distribute parallel for num_teams(4)
  for (int i = 0; i < 1000; i++) a[i] = 2.0f * a[i];
}
"""


def test_the_threads_of_the_host_are_an_assumption_where_a_launch_depends_on_them(analyse):
    # 8 threads are assumed: 8 * 1000 multiplications in the first region; the second does 1000 in any case.
    first, second = analyse({"k.cpp": _HOST_THREADS}).kernels
    assert (first.counts.sp_flop, second.counts.sp_flop) == (8000, 1000)
    [assumption] = first.assumptions
    assert "omp_get_max_threads()" in assumption.text
    assert "taken as 8" in assumption.text
    assert not second.assumptions


def test_the_threads_of_the_host_can_be_stated_or_set(analyse):
    found = analyse({"k.cpp": _HOST_THREADS}, values={"omp_get_max_threads": 20})
    assert found.kernels[0].counts.sp_flop == 20_000
    assert not found.kernels[0].assumptions
    assert found.used_values == ("omp_get_max_threads",)
    text = _HOST_THREADS.replace("int p =", "omp_set_num_threads(5); int p =")
    [first, _] = analyse({"k.cpp": text}).kernels
    assert first.counts.sp_flop == 5000
    assert not first.assumptions


_VARIANTS = """
float slow(float x) { return x * x * x * x + 1.0f; }
float slower(float x) { return x * x * x * x * x * x + 1.0f; }
MATCH
float f(float x);
float f(float x) { return x + 1.0f; }
int main() {
  static float a[1000];
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < 1000; i++) a[i] = f(a[i]);
}
"""


@pytest.mark.parametrize(
    ("contexts", "flop"),
    [
        # f is 1 FLOP, slow 2 multiplications and an FMA: 4, slower 6
        (["construct={target}"], 4),
        (["construct={target, parallel}"], 4),
        (["construct={parallel, target}"], 1),
        (["device={kind(gpu)}"], 4),
        (["device={kind(nohost), arch(nvptx64)}"], 4),
        (["device={kind(host)}"], 1),
        (["device={arch(amdgcn)}"], 1),
        (["implementation={vendor(score(2): llvm)}"], 4),
        (["implementation={vendor(gnu)}"], 1),
        (["user={condition(0)}"], 1),
        (["device={kind(gpu)}", "device={kind(gpu), arch(nvptx64)}"], 6),
    ],
)
def test_a_call_in_a_region_means_the_variant_that_matches(analyse, contexts, flop):
    lines = [
        f"#pragma omp declare variant({name}) match({context})"
        for name, context in zip(("slow", "slower"), contexts, strict=False)
    ]
    [kernel] = analyse({"k.cpp": _VARIANTS.replace("MATCH", "\n".join(lines))}).kernels
    assert kernel.counts.sp_flop == 1000 * flop
    assert not kernel.assumptions


_BLOCK = """
static inline float f(float x) { return x + 1.0f; }
namespace n { template <class T> T g(T x) { return x; } float h(float x) { return x + 1.0f; } }
#pragma omp begin declare variant match(OUTER)
static inline float f(float x) {
  for (int k = 0; k < 2; k++) { x = x * x; }
  return x * x + 1.0f;  // f(x) {
}
#pragma omp begin declare variant match(INNER)
namespace n {
  float h(float x) { return x * x * x * x * x; }
}
#pragma omp end declare variant
#pragma omp end declare variant
int main() {
  static float a[1000], b[1000];
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < 1000; i++) a[i] = f(a[i]) + n::h(b[i]);
}
"""


@pytest.mark.parametrize(
    ("outer", "inner", "flop"),
    [
        # Of f 1, of its variant 2 multiplications and an FMA: 4; of h 1, of its variant 4; and the sum.
        ("device={kind(nohost)}", "device={arch(nvptx64)}", 4 + 4 + 1),
        ("device={kind(nohost)}", "device={kind(host)}", 4 + 1 + 1),
        ("device={kind(host)}", "device={arch(nvptx64)}", 1 + 1 + 1),
        ("implementation={vendor(llvm)}", "user={condition(1)}", 4 + 4 + 1),
    ],
)
def test_blocks_of_variants_hold_where_their_contexts_match(analyse, outer, inner, flop):
    result = analyse({"k.cpp": _BLOCK.replace("OUTER", outer).replace("INNER", inner)})
    [kernel] = result.kernels
    assert kernel.counts.sp_flop == 1000 * flop
    assert not kernel.assumptions
    assert not result.diagnostics


def test_a_variant_with_unknown_selectors_is_an_assumption(analyse):
    line = '#pragma omp declare variant(slow) match(device={isa("sm_80")})'
    [kernel] = analyse({"k.cpp": _VARIANTS.replace("MATCH", line)}).kernels
    assert kernel.counts.sp_flop == 1000
    [assumption] = kernel.assumptions
    assert "device={isa(sm_80)}" in assumption.text


@pytest.mark.parametrize(
    ("arrays", "value", "least", "most"),
    [
        # Executed SASS of clang 18 on sm_90, an iteration: two pointers vanish as the loop around it is unrolled.
        (1, "b0[c]", 16, 21),
        # Five pointers of five arrays, and nine of nine, are copied and advanced each: 40 and 65.
        (4, "b0[c] + b1[c] + b2[c] + b3[c]", 36, 44),
        (8, "b0[c] + b1[c] + b2[c] + b3[c] + b4[c] + b5[c] + b6[c] + b7[c]", 59, 71),
        # Arrays that are read in several rows share an offset: 23 and 28.
        (
            1,
            "b0[c + ld] + b0[c - ld] + b0[c + 1] + b0[c - 1] + b0[c + 2 * ld] + b0[c - 2 * ld]",
            20,
            27,
        ),
        (5, "b1[c] + b0[c] + b2[c] + b3[c] + b4[c] + b0[c + ld] + b0[c - ld]", 25, 31),
    ],
)
def test_pointers_of_iterations_that_threads_share(analyse, arrays, value, least, most):
    numbers = range(arrays)
    text = f"""
    #include <cstdlib>
    void f(float *a, {", ".join(f"const float *b{number}" for number in numbers)}, int n, int m, int ld) {{
      #pragma omp target teams distribute thread_limit(128)
      for (int k = 2; k < m; k++) {{
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {{ const int c = k * ld + i; a[c] = {value}; }}
      }}
    }}
    int main() {{
      const int n = 12800, m = 66;
      float *p = (float *)malloc(10 * 70 * n * sizeof(float));
      f(p, {", ".join(f"p + {number + 1} * 70 * n" for number in numbers)}, n, m, n);
    }}
    """
    [kernel] = analyse({"k.cpp": text}, gpu=load_gpu("h100")).kernels
    # 64 teams of 128 threads with 100 iterations each: what the team does is less than one instruction an iteration.
    assert least < kernel.counts.int_op / (64 * 12800) < most


@pytest.mark.parametrize(
    ("counter", "number"),
    [
        # Executed SASS of clang 18 on sm_90: 37 and 30 integer instructions in the lines of the directive and its loop.
        ("int", 37),
        ("unsigned", 30),
    ],
)
def test_bounds_of_the_part_of_a_team(analyse, counter, number):
    text = f"""
    void f(float *a, {counter} m) {{
      #pragma omp target teams distribute thread_limit(128)
      for ({counter} k = 0; k < m; k++) {{
        #pragma omp parallel for
        for (int i = 0; i < 128; i++) a[k * 128 + i] = 1.0f;
      }}
    }}
    int main() {{
      static float a[64 * 128];
      f(a, 64);
    }}
    """
    [kernel] = analyse({"k.cpp": text}, gpu=load_gpu("h100")).kernels
    bounds = sum(line.counts.int_op for line in kernel.lines if line.line in {3, 4})
    assert bounds / (64 * 128) == pytest.approx(number, rel=0.1)


@pytest.mark.parametrize(
    ("index", "operations"),
    [
        # Executed SASS of clang 18.1.6 for sm_90, run time without ranges, less that of one copy.
        ("j * 64 + k", 4),
        ("j + k", 4),
        ("k * m + j", 1),
        ("k + m + j * 64", 1),
        ("j * 64l + k", 0),
    ],
)
def test_counters_of_regions_are_cut_to_a_word_for_a_sum(analyse, index, operations):
    def integer_work(copies: int) -> float:
        text = f"""
        void f(float *a, const float *b, int n, int m) {{
          #pragma omp target teams distribute parallel for
          for (int k = 0; k < n; k++) {{
            float s = 0;
            for (int j = 0; j < {copies}; j++) s += b[{index}];
            a[k] = s;
          }}
        }}
        int main() {{ static float a[8192]; f(a, a, 4096, 1); }}
        """
        [kernel] = analyse({"k.cpp": text}, gpu=load_gpu("h100")).kernels
        return kernel.counts.int_op / 4096

    assert (integer_work(16) - integer_work(8)) / 8 == pytest.approx(operations, abs=0.15)


_ROWS_AND_COLUMNS = "for (int w = 0; w < n; w++) for (int v = 0; v < n; v++)"
_BOX = _ROWS_AND_COLUMNS + " for (int u = 0; u < m; u++)"
_ELEMENTS = "for (size_t w = 0; w < (size_t)n * n; w++)"


@pytest.mark.parametrize(
    ("loops", "statement", "on_sm_86", "on_sm_90"),
    [
        # Executed SASS of clang 18.1.6, a chunk of 128 iterations: relocatable code for sm_86, whole programs for sm_90. Rows
        # and columns that add up to the counter need no division (sm_90: 39), others do; of three loops one stays.
        (_ROWS_AND_COLUMNS, "a[w * n + v] = 0", 42, None),
        (_ROWS_AND_COLUMNS, "a[v * n + w] = 0", 54, 40),
        (_BOX, "a[(w * n + v) * m + u] *= 2", 67, 50),
        # Each of up to three pointers starts anew in a chunk; four are the team's, and with its bounds on the uniform datapath of
        # sm_90, where the bounds alone go as well from bodies that need the registers.
        (_ELEMENTS, "a[w & 1023] = 1.5f", 35, 32),
        (_ELEMENTS, "a[w] = b[w]", 50, 44),
        (_ELEMENTS, "a[w] = b[w] + c[w]", 54, 48),
        (_ELEMENTS, "a[w] = b[w] + c[w] * d[w]", 60, 23),
        (_ELEMENTS, "a[w] = sqrt(double(b[w]))", 52, 35),
    ],
)
def test_counters_of_64_bits_in_regions(analyse, loops, statement, on_sm_86, on_sm_90):
    collapsed = loops.count("for")
    clause = f"collapse({collapsed})" if collapsed > 1 else ""
    text = f"""
    #include <cstddef>
    void f(int n, int m, float *a, float *b, float *c, float *d) {{
      #pragma omp target teams distribute parallel for {clause}
      {loops} {statement};
    }}
    int main(int argc, char **argv) {{
      float *a = new float[409600];
      f({64 if collapsed == 3 else 640}, {100 if collapsed == 3 else 1}, a, a, a, a);
    }}
    """
    for gpu, instructions in (("rtx3080", on_sm_86), ("h100", on_sm_90)):
        [kernel] = analyse({"k.cpp": text}, gpu=load_gpu(gpu)).kernels
        if instructions is not None:
            assert kernel.counts.int_op / 409600 == pytest.approx(instructions, rel=0.2)


@pytest.mark.parametrize(
    ("loop", "trips", "instructions"),
    [
        # Executed SASS of clang 18.1.6 for sm_90: the number of iterations fits the signed type ...
        ("int r = 0; r < n; r++", 128, 14.3),
        ("int r = 1; r < n - 1; r++", 126, 15.1),
        # ... or may not, so that clang counts without a sign.
        ("int r = 0; r <= n; r++", 129, 9.5),
        ("int r = n; r < 2 * n; r++", 128, 9.4),
        ("int r = -3; r < n; r++", 131, 9.2),
        ("int r = n - 1; r >= 0; r--", 128, 8.7),
    ],
)
def test_the_type_in_which_clang_counts_iterations(analyse, loop, trips, instructions):
    index = "r + 3" if "-3" in loop else "r"
    text = f"""
    void f(int n, float *a) {{
      #pragma omp target teams distribute parallel for
      for ({loop}) a[{index}] = 1.0f;
    }}
    int main() {{ static float a[4096]; f(128, a); }}
    """
    [kernel] = analyse({"k.cpp": text}, gpu=load_gpu("h100")).kernels
    threads = -(-trips // 32) * 32
    assert kernel.counts.int_op / threads == pytest.approx(instructions, rel=0.2)


@pytest.mark.parametrize(
    ("clause", "trips", "threads", "instructions"),
    [
        # Executed SASS of clang 18 on sm_90, a thread of the team that works, one of another: tests of team and thread,
        # address, step and test of the loop; a `num_threads` clause in the file adds the state that its first thread writes.
        ("", 64, 64, (8 + 1) / 2),
        ("", 128, 128, (4 * 3 + 2 + 3 * 1) / 4),
        ("thread_limit(64)", 64, 64, 5.0),
        ("num_threads(32)", 32, 32, 11.2),
        # One more than a chunk: the loop over chunks is back.
        ("", 129, 160, 12.7),
        ("num_threads(32)", 64, 64, 30.2),
    ],
)
def test_a_loop_known_to_be_one_chunk_has_no_loop_over_chunks(
    analyse, clause, trips, threads, instructions
):
    text = f"""
    void f(float *a) {{
      #pragma omp target teams distribute parallel for {clause}
      for (int k = 0; k < {trips}; k++) a[k] = 0.0f;
    }}
    int main() {{ static float a[4096]; f(a); }}
    """
    [kernel] = analyse({"k.cpp": text}, gpu=load_gpu("h100")).kernels
    assert kernel.counts.int_op / threads == pytest.approx(instructions, rel=0.15)


@pytest.mark.parametrize(
    ("declared", "item", "statement", "own", "numbers"),
    [
        ("float s = 0;", "+: s", "s += a[i];", 1, 1),
        ("float s[4][4];", "+: s[0:4][0:4]", "s[i & 3][1] += a[i];", 1, 16),
        ("float s[4][4];", "+: s[1:2][:]", "s[1 + (i & 1)][1] += a[i];", 1, 8),
        ("float s[4][4];", "+: s[2][1:2]", "s[2][1 + (i & 1)] += a[i];", 1, 2),
        ("float s[8];", "+: s[2:3]", "s[2 + i % 3] += a[i];", 1, 3),
        ("float r[4][4]; float (*s)[4] = r;", "+: s[0:2][0:4]", "s[i & 1][1] += a[i];", 1, 8),
        # one addition and one FMA
        ("V s = {0, 0};", "vadd: s", "s.x += a[i]; s.y += 2.0f * a[i];", 3, 2),
    ],
)
def test_what_a_reduction_combines(analyse, declared, item, statement, own, numbers):
    text = f"""
    struct V {{ float x, y; }};
    #pragma omp declare reduction(vadd: V: omp_out.x += omp_in.x, omp_out.y += omp_in.y)
    int main() {{
      static float a[1000];
      {declared}
      #pragma omp target teams distribute parallel for reduction({item}) map(tofrom: s)
      for (int i = 0; i < 1000; i++) {{ {statement} }}
    }}
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    # 32 teams of 32 threads, of which eight have a chunk (1000 iterations by 128, see docs/openmp.md) and combine: each
    # number costs each of their threads 6.4 additions, or the combiner's own six times, and goes to the original by
    # one atomic a team: nothing of the loop writes to it. All teams leave a record, which the last one adds.
    assert kernel.launch.threads == 1024
    each, records = (6.0, 0) if "vadd" in item else (6.4, 32)
    assert kernel.counts.sp_flop == pytest.approx(own * 1000 + numbers * (each * 8 * 32 + records))
    atomics = [access for access in kernel.accesses if access.direction is Direction.ATOMIC]
    assert len(atomics) == numbers
    written = {
        (access.array, access.space)
        for access in kernel.accesses
        if access.direction is Direction.WRITE
    }
    assert ("s", MemorySpace.GLOBAL) not in written
    assert not kernel.assumptions


@pytest.mark.parametrize(
    ("type_", "element", "share"),
    [("double", "0", 1.0), ("double", "1.5", 0.0), ("double", "i % 4", 0.25), ("float", "0", 1.0)],
)
def test_divisions_of_zero_take_the_subroutine(analyse, type_, element, share):
    text = f"""
    __global__ void quotients(const {type_} *a, const {type_} *b, {type_} *c) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      c[i] = a[i] / b[i];
    }}
    int main() {{
      const int n = 4096;
      static {type_} h[n], k[n];
      for (int i = 0; i < n; i++) {{ h[i] = {element}; k[i] = 3; }}
      {type_} *a, *b, *c;
      cudaMalloc(&a, sizeof(h)); cudaMalloc(&b, sizeof(h)); cudaMalloc(&c, sizeof(h));
      cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
      cudaMemcpy(b, k, sizeof(k), cudaMemcpyHostToDevice);
      quotients<<<n / 128, 128>>>(a, b, c);
    }}
    """
    gpu = load_gpu("h100")
    [kernel] = analyse({"k.cu": text}, gpu=gpu).kernels
    usual, of_zero = (
        cost_of(name, type_, Compiler.NVCC, "sm_90", fast_math=False)
        for name in ("div", "div_of_zero")
    )
    counts = kernel.counts
    flop = counts.dp_flop if type_ == "double" else counts.sp_flop
    quantity = "fp64_flop" if type_ == "double" else "fp32_flop"
    each = (1 - share) * getattr(usual, quantity) + share * getattr(of_zero, quantity)
    # Where some elements are zero, the lanes of a sample show how many.
    close = 0.1 if 0 < share < 1 else 1e-6
    assert flop == pytest.approx(4096 * each, rel=close)
    # Index, and three addresses.
    more = (1 - share) * usual.int_op + share * of_zero.int_op
    assert counts.int_op == pytest.approx(4096 * (1 + 3 + more), rel=close)


@pytest.mark.parametrize(("teams", "threads"), [(24, 64), (2000, 128)])
def test_requests_of_a_reduction_over_teams(analyse, teams, threads):
    text = f"""
    int main() {{
      static float a[8000];
      double s = 0, t = 0;
      #pragma omp target teams distribute parallel for reduction(+: s, t) num_teams({teams}) thread_limit({threads})
      for (int i = 0; i < 8000; i++) {{ s += a[i]; t += a[i] * a[i]; }}
    }}
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    # The loop loads 8000 / 32 = 250 times four sectors. Each warp looks up where the records are, each team stores two
    # numbers there, which are read once (by the last team, or by later ones where 1024 records do not do): one sector each.
    assert kernel.traffic.global_ld_requests == 250 + teams * (threads // 32) + 2 * teams
    assert kernel.traffic.global_ld_sectors == 1000 + teams * (threads // 32) + 2 * teams
    assert kernel.traffic.global_st_requests == 2 * teams
    assert kernel.traffic.global_st_sectors == 2 * teams


@pytest.mark.parametrize(
    ("declared", "flop"),
    [
        ("float: omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(omp_priv = -1e30f", 0),
        ("float: omp_out = fmaxf(omp_out, omp_in)) initializer(omp_priv = omp_orig", 0),
        ("float, double: omp_out = std::max(omp_out, omp_in)) initializer(omp_priv(0)", 0),
        ("float: into(&omp_out, &omp_in)", 3),
        # A multiplication and an FMA.
        ("float: omp_out = omp_out * omp_out + omp_in * omp_in", 3),
        ("float: omp_out *= omp_in", 1),
        # What nobody can read is one addition for each of 6.4 rounds.
        ("float: omp_out = [](float a, float b) { return a + b; }(omp_out, omp_in)", None),
    ],
)
def test_declared_combiners_do_their_own_arithmetic(analyse, declared, flop):
    text = f"""
    #include <algorithm>
    #include <math.h>
    void into(float *a, const float *b) {{ *a = *a * *a + *b * *b; }}
    #pragma omp declare reduction(own: {declared})
    int main() {{
      static float a[1024];
      float s = 0;
      #pragma omp target teams distribute parallel for reduction(own: s) map(tofrom: s) thread_limit(128)
      for (int i = 0; i < 1024; i++) if (a[i] > s) s = a[i];
    }}
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    # Each thread combines six times, and the first of four warps twice more; one addition a team goes with its record.
    combined = 1024 * (6 + 2 / 4) * flop if flop is not None else 1024 * 6.4 + 8
    assert kernel.counts.sp_flop == pytest.approx(combined)
    assert any("'own'" in item.text for item in kernel.assumptions) == (flop is None)


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        # What clang 19 says of these with -Rpass-analysis=openmp-opt.
        ("a[i] = 2.0f * x;", None),
        ('_Pragma("omp atomic") a[0] += x;', None),
        ("x = sqrtf(x) + own(x);", None),
        ("x += omp_get_num_teams();", None),
        ("V v = r[i]; r[i + 1] = v;", None),
        ('printf("%f", x);', "a call of 'printf'"),
        ("x = hidden(x);", "a call of 'hidden'"),
        ("x = pointer(x);", "a call through a pointer"),
        ("calls();", "a call of 'hidden'"),
        ('asm volatile("");', "inline assembly"),
        ('_Pragma("omp critical") a[0] += x;', "a critical section"),
    ],
)
def test_what_keeps_a_region_generic_is_said(analyse, part, reason):
    text = f"""
    #include <math.h>
    #include <omp.h>
    #include <stdio.h>
    struct V {{ float v[40]; }};
    float hidden(float);
    float own(float x) {{ return x + 1.0f; }}
    void calls() {{ hidden(1.0f); }}
    void f(float *a, V *r, int n, float (*pointer)(float)) {{
      #pragma omp target teams distribute
      for (int i = 0; i < n; i++) {{
        float x = a[i];
        {part}
        _Pragma("omp parallel for") for (int j = 0; j < 32; j++) {{ a[i * 32 + j] += x; hidden(x); }}
      }}
    }}
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    found = [item.text for item in kernel.assumptions if "leaves such parts" in item.text]
    assert [text.partition(" between")[0] for text in found] == ([reason] if reason else [])


def test_a_name_that_several_types_share_means_the_combiner_of_the_type(analyse):
    text = """
    struct V { float x; };
    struct W { float x; };
    #pragma omp declare reduction(own: V: omp_out.x += omp_in.x)
    #pragma omp declare reduction(own: W: omp_out.x = omp_in.x > omp_out.x ? omp_in.x : omp_out.x)
    int main() {
      static float a[1000];
      W s = {0};
      #pragma omp target teams distribute parallel for reduction(own: s) map(tofrom: s)
      for (int i = 0; i < 1000; i++) if (a[i] > s.x) s.x = a[i];
    }
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    assert kernel.counts.sp_flop == 0


def test_sections_that_are_not_adjacent_are_no_private_copy(analyse):
    text = """
    int main() {
      static float a[1000], s[4][4];
      #pragma omp target teams distribute parallel for reduction(+: s[0:4][0:2]) map(tofrom: s)
      for (int i = 0; i < 1000; i++) s[i & 3][0] += a[i];
    }
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    assert "taken as accesses to the original" in kernel.assumptions[0].text


@pytest.mark.parametrize(
    "loop",
    [
        "for (size_t i = 0; i < v.size(); i++) p[i] = 2.0f * p[i];",
        "for (size_t i = 0; i < v.size(); i++) v[i] = 2.0f * v[i];",
        "for (size_t i = 0; i < v.size(); i++) v.at(i) = 2.0f * v.data()[i];",
        "for (float &x : v) x = 2.0f * x;",
        "for (auto it = v.begin(); it < v.end(); ++it) *it = 2.0f * *it;",
        "for (int i = 0; i < 1000; i++) if (!v.empty()) { float *q = &v.back() - i; *q = 2.0f * *q; }",
        "for (size_t i = 0; i < box.inner.size(); i++) box.inner[i] = 2.0f * box.inner[i];",
        "for (size_t i = 0; i < a.size(); i++) a[i] = 2.0f * a[i];",
        "for (float &x : a) x = 2.0f * x;",
    ],
)
def test_containers_of_the_host_have_their_sizes_in_regions(analyse, loop):
    text = f"""
    #include <array>
    #include <vector>
    struct Box {{ int tag; std::vector<float> inner; }};
    void run(std::vector<float> &v) {{
      Box box;
      box.inner.resize(1000);
      static std::array<float, 1000> a;
      float *p = v.data();
      #pragma omp target teams distribute parallel for
      {loop}
    }}
    int main() {{
      std::vector<float> v(1000, 1.0f);
      run(v);
    }}
    """
    # 1000 elements of 4 bytes, each read, doubled and written; 32 teams of 32 threads for 1000 iterations.
    [kernel] = analyse({"k.cpp": text}).kernels
    assert (kernel.launch.grid, kernel.launch.block) == ((32, 1, 1), (32, 1, 1))
    assert kernel.counts.sp_flop == 1000
    assert not kernel.assumptions
    large = [access for access in kernel.accesses if access.element_bytes == 4]
    assert {access.footprint_bytes for access in large} == {4000}


def test_what_a_lambda_captures_keeps_its_name(analyse):
    text = """
    int main() {
      int n = 1000;
      static float a[1000];
      float *q = a;
      auto run = [&]() {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++) q[i] = 2.0f * q[i];
      };
      run();
    }
    """
    [kernel] = analyse({"k.cpp": text}).kernels
    assert {access.array for access in kernel.accesses} == {"n", "q"}


def test_warps_of_a_block_retry_a_contended_shared_atomic(analyse):
    """One succeeds in each round: (32 + 1) / 2 rounds for the lanes of a warp, (8 + 1) / 2 for the warps of a block.

    What is issued again is no more code: 1,000 blocks read the same few lines of it.
    """
    text = """
    #include <cuda_runtime.h>
    __global__ void k(double *out) {
      __shared__ double sum;
      atomicAdd(&sum, 1.0);
      __syncthreads();
      if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
    int main() { double *out; cudaMalloc(&out, 8000); k<<<1000, 256>>>(out); }
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.counts.dp_flop == pytest.approx(256_000 * 33 / 2 * 9 / 2)
    assert kernel.traffic.profiled.read_bytes < 8192


def test_long_sums_in_shared_memory_are_retried_unless_one_lane_adds_for_its_warp(analyse):
    """Four integer instructions a round (IADD3, IMAD.X, two ISETP), as often as double sums are tried; equal operands are
    combined, at most four instructions in all.
    """
    text = """
    #include <cuda_runtime.h>
    __global__ void k(unsigned long long *out, const unsigned long long *data) {
      __shared__ unsigned long long sum;
      atomicAdd(&sum, OPERAND);
      __syncthreads();
      if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
    int main() {
      unsigned long long *out, *data; cudaMalloc(&out, 8000); cudaMalloc(&data, 2048);
      k<<<1000, 256>>>(out, data);
    }
    """
    counts = {}
    for name, operand in {"mixed": "data[threadIdx.x]", "equal": "1ull"}.items():
        (kernel,) = analyse({"a.cu": text.replace("OPERAND", operand)}).kernels
        counts[name] = kernel.counts.int_op / 256_000
    rounds = 33 / 2 * 9 / 2
    assert 4 * rounds < counts["mixed"] < 4 * rounds + 4
    assert counts["equal"] < 6


def test_what_a_library_numbers_threads_by_says_nothing_of_the_shape_of_a_block(analyse):
    """Ranks of cooperative groups and collectives of CUB read all three axes; the kernel itself reads none beyond x."""
    text = """
#include <cub/cub.cuh>
#include <cooperative_groups.h>
__global__ void total(const float *x, float *y, int d) {
  float sum = 0;
  for (int j = threadIdx.x; j < d; j += 256) sum += x[blockIdx.x * d + j];
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage storage;
  sum = Reduce(storage).Sum(sum);
  if (cooperative_groups::this_thread_block().thread_rank() == 0) y[blockIdx.x] = sum;
}
__global__ void turn(const float *x, float *y, int n) {
  y[threadIdx.x * n + threadIdx.y] = x[threadIdx.y * n + threadIdx.x];
}
"""
    kernels = {kernel.name: kernel for kernel in analyse({"k.cu": text}).kernels}
    assert kernels["total"].launch.block == (256, 1, 1)
    assert kernels["turn"].launch.block == (16, 16, 1)


def test_a_number_without_an_initialiser_costs_nothing(analyse):
    source = """
    #include <cuda_fp16.h>
    __global__ void k(const __half *a, __half *o, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      __half t;
      if (n > 3) t = __hneg(a[i]);
      else t = a[i];
      o[i] = t;
    }
    int main(){ __half *a; cudaMalloc(&a, 1 << 20); k<<<2048, 256>>>(a, a, 1 << 19); }
    """
    assert analyse({"k.cu": source}).kernels[0].assumptions == ()


def test_a_pointer_into_one_of_two_arrays_reaches_both(analyse):
    """2,048 blocks write 64 floats each of q, 512 blocks of k."""
    text = """
    __global__ void k(float *q, float *k, int nq) {
      int b = blockIdx.x, i = threadIdx.x;
      float *p = b < nq ? q + b * 64 : k + (b - nq) * 64;
      p[i] = 2;
    }
    int main() {
      float *q, *p;
      cudaMalloc(&q, 2048 * 64 * 4); cudaMalloc(&p, 512 * 64 * 4);
      k<<<2560, 64>>>(q, p, 2048);
    }
    """
    (kernel,) = analyse({"a.cu": text}).kernels
    assert kernel.traffic.steady.write_bytes == pytest.approx(2560 * 64 * 4)
    assert sorted(access.footprint_bytes for access in kernel.accesses) == [
        512 * 64 * 4,
        2048 * 64 * 4,
    ]


NEVER_RUN = """#include <cstdlib>
__global__ void add(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] += 1.0f; }
__global__ void spin(int *x) { while (true) x[threadIdx.x]++; }
__global__ void wait(volatile int *x) { while (true) { if (*x) return; } }
int main(int, char **argv) {
  float *x; int *y; int s = 0;
  cudaMalloc(&x, 4096); cudaMalloc(&y, 4096);
  add<<<atoi(argv[1]), 32>>>(x, 32);
  spin<<<1, 32>>>(y);
  wait<<<1, 32>>>(y);
  for (long i = 0; i < 100000000000l; i++) { s += rand() % 7; if (s % 3 == 0) s *= 2; }
  add<<<s, 64>>>(x, s);  // s may have run over: it may be any int
}
"""


@pytest.mark.parametrize(
    ("blocks", "computed"), [("0", "0"), ("-3", "4294967293 (-3 before it lost its sign)")]
)
def test_what_never_runs_as_it_is_analysed_is_not_claimed_surely(
    tmp_path, options, blocks, computed
):
    path = tmp_path / "never.cu"
    path.write_text(NEVER_RUN)
    result = analyze_program([path], replace(options, program_args=(blocks,)))
    refused, spin, wait, random = sorted(result.kernels, key=lambda kernel: kernel.launch.line)
    assert max(kernel.confidence for kernel in (refused, spin, random)) <= 0.6
    assert wait.confidence > 0.6
    texts = [max(item.text for item in kernel.assumptions) for kernel in (refused, spin)]
    assert texts[0] == f"grid size along x is computed as {computed}, taken as 1024"
    assert texts[1] == "loop that nothing leaves: left after 17 iterations"
    (remark,) = [found for found in result.diagnostics if found.code == "impossible-launch"]
    assert (remark.line, remark.severity) == (8, Severity.WARNING)
    assert "this launch of add fails" in remark.message
    assert "--args" in remark.help


@pytest.mark.parametrize(
    ("loop", "is_endless"),
    [
        ("while (v == v) v += 1.0f;", True),
        ("while (go > 0) v = v * 0.5f + 1.0f;", True),
        ("while (go > 0) { v = v * 0.5f + 1.0f; if (v > 9.0f) break; }", False),
        ("while (go > 0) { v = v * 0.5f + 1.0f; if (v > 9.0f) return; }", False),
        ("do { v = v * 0.5f + 1.0f; } while (go-- > 0);", False),
        ("for (long t = clock64(); clock64() - t < go;) v += 1.0f;", False),
        ("while (*(volatile float *)x == x[0]) v += 1.0f;", False),
    ],
)
def test_conditions_that_iterations_do_not_change_end_no_loop(analyse, loop, is_endless):
    text = f"""__global__ void wait(float *x, int go) {{
      float v = x[threadIdx.x];
      {loop}
      x[threadIdx.x] = v;
    }}
    int main() {{ float *x; cudaMalloc(&x, 4096); wait<<<1, 32>>>(x, 7); }}"""
    (kernel,) = analyse({"a.cu": text}).kernels
    assert any("loop that nothing leaves" in item.text for item in kernel.assumptions) is is_endless
    assert (kernel.highest_confidence == 0.6) is is_endless


def _collatz_steps(number):
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


@pytest.mark.parametrize("word", ["unsigned long long", "unsigned"])
@pytest.mark.parametrize(
    "step", ["x = x & 1 ? 3 * x + 1 : x / 2;", "if (x % 2 == 0) x >>= 1; else x = 3 * x + 1;"]
)
def test_words_that_a_loop_makes_of_themselves_are_followed(analyse, word, step):
    text = f"""#include <cstdlib>
    __global__ void collatz(const unsigned *begin, int *steps) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
      {word} x = begin[i];
      while (x != 1) {{ {step} count++; }}
      steps[i] = count;
    }}
    int main() {{
      int n = 1 << 16; unsigned *a, *h = (unsigned *)malloc(4 * n); int *c;
      cudaMalloc(&a, 4 * n); cudaMalloc(&c, 4 * n);
      for (int i = 0; i < n; i++) h[i] = 1 + rand() % 100000;
      cudaMemcpy(a, h, 4 * n, cudaMemcpyHostToDevice);
      collatz<<<n / 256, 256>>>(a, c);
    }}"""
    (kernel,) = analyse({"a.cu": text}).kernels
    mean = sum(map(_collatz_steps, range(1, 100001, 7))) / len(range(1, 100001, 7))
    assert kernel.loops[0].trip_count == pytest.approx(mean, rel=0.2)
    assert not any("end could not be" in item.text for item in kernel.assumptions)


def test_rows_of_an_unknown_length_are_contiguous(analyse):
    # The counter ends at size[1] or behind it, but takes no element there: rows of 1,024 elements lie 1,024 apart.
    text = """struct Rows { float *data; int size[2], stride[2]; };
    __global__ void scale(Rows x) {
      int row = blockIdx.x;
      for (int c = threadIdx.x; c < x.size[1]; c += blockDim.x) (x.data + x.stride[0] * row)[c] *= 2.0f;
    }"""
    (kernel,) = analyse({"a.cu": text}).kernels
    texts = [item.text for item in kernel.assumptions]
    for part in ("x.size[1]", "x.stride[0]"):
        assert any(
            text.startswith(f"argument {part} is not given: taken as 1024") for text in texts
        )


@pytest.mark.parametrize(
    ("suffix", "header", "api", "loops"),
    [("cu", "cuda_runtime.h", "cuda", 2), ("hip", "hip/hip_runtime.h", "hip", 1)],
)
def test_nvcc_alone_writes_a_loop_twice_for_a_choice_of_blocks(analyse, suffix, header, api, loops):
    text = f"""
    #include <{header}>
    __global__ void sum(const float *x, float *y, int n) {{
      float s = 0;
      for (int k = 0; k < n; k++)
        if (blockIdx.x & 1) s += x[k]; else s -= x[k];
      y[threadIdx.x] = s;
    }}
    int main() {{ float *x, *y; {api}Malloc(&x, 1024); {api}Malloc(&y, 1024); sum<<<4, 256>>>(x, y, 100); }}
    """
    (kernel,) = analyse({f"a.{suffix}": text}).kernels
    assert [loop.trip_count for loop in kernel.loops] == [100] * loops
