"""Sizes of kernels that no host code launches: what guards a thread's index follows the assumed threads."""

from __future__ import annotations

import pytest

from roofstat.analysis.options import AnalysisOptions, LaunchOverride
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

THREADS = 1 << 20
CAP = 0.8


@pytest.fixture
def kernel(tmp_path):
    """The report of the one kernel of a text."""

    def run(text, **options):
        path = tmp_path / "a.cu"
        path.write_text(text)
        (found,) = analyze_program(
            [path], AnalysisOptions(gpu=load_gpu("h100-sxm"), **options)
        ).kernels
        return found

    return run


def taken(kernel):
    """What each argument was taken as."""
    words = [item.text.split() for item in kernel.assumptions if item.text.startswith("argument")]
    return {word[1]: int(word[-1]) for word in words}


GUARDS = {
    "n": 1,
    "n - 1": 1,
    "1 + n": 1,
    "n / 3": 3,
    "(n + 3) / 4": 4,
    "n >> 1": 2,
    "n * 2": 1 / 2,
    "2 * n": 1 / 2,
    "n << 2": 1 / 4,
    "3 * (n / 2)": 2 / 3,
}


@pytest.mark.parametrize("guard", GUARDS)
def test_a_multiple_or_part_of_a_size_that_guards_threads_is_their_number(kernel, guard):
    text = f"""__global__ void fill(float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < {guard}) out[i] = 1.0f;
    }}"""
    assert taken(kernel(text)) == {"n": round(THREADS * GUARDS[guard])}


def test_factors_of_a_guard_share_the_threads(kernel):
    """n * n is 1,024 squared; a quarter of rows * cols is 2,048 squared / 4."""
    square = """__global__ void fill(float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n * n) out[i] = 1.0f;
    }"""
    vectors = """__global__ void fill(float4 *out, int rows, int cols) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < rows * cols / 4) out[i] = make_float4(1, 1, 1, 1);
    }"""
    assert taken(kernel(square)) == {"n": 1024}
    assert taken(kernel(vectors)) == {"rows": 2048, "cols": 2048}


def test_a_loop_over_the_grid_gives_every_thread_an_element(kernel):
    """A subtraction for each third of n; with n = 1,024 only 341 threads had work, and the launch counted as compute-bound."""
    found = kernel("""__global__ void differences(const float *x, float *y, int n) {
      for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n / 3; i += gridDim.x * blockDim.x)
        y[i * 3 + 1] = x[i * 3] - x[i * 3 + 2];
    }""")
    assert found.counts.sp_flop == THREADS
    assert found.verdict.value == "bandwidth"
    assert found.confidence > CAP


def test_an_invented_size_of_an_invented_launch_bounds_the_confidence(kernel):
    """`steps` follows from nothing, and decides on its own how much arithmetic there is for each byte."""
    text = """__global__ void iterate(float *x, int n, int steps) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float v = x[i];
      for (int s = 0; s < steps; s++) v = v * v * 0.5f + v;
      x[i] = v;
    }"""
    assert kernel(text).confidence <= CAP
    assert kernel(text, values={"steps": 1000}).confidence > CAP
    stated = {"iterate": LaunchOverride(grid=(4096, 1, 1), block=(256, 1, 1))}
    assert kernel(text, launches=stated, values={"n": THREADS, "steps": 1000}).confidence > CAP


def test_an_index_that_is_compared_as_it_is_bounds_its_block(kernel):
    """What the index is compared with is looked at as a bound, too: nothing is computed for it."""
    found = kernel("""__global__ void fill(float *out, int n) {
      if (threadIdx.x < n / 2) out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
    }""")
    assert taken(found) == {"n": 512}


BEGINNINGS = {
    "if (i >= lo && i < hi)": THREADS,
    "if (i < lo || i >= hi) return;": THREADS,
    "if (i >= hi) return; if (i < lo) return;": THREADS,
    "if (i + lo < hi)": THREADS + 1024,
}


@pytest.mark.parametrize("guard", BEGINNINGS)
def test_what_a_range_begins_at_leaves_every_thread_its_element(kernel, guard):
    """Were the beginning as large as the end, no thread had any work."""
    found = kernel(f"""__global__ void scale(float *a, int lo, int hi) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {guard} a[i] *= 2.0f;
    }}""")
    assert taken(found) == {"lo": 1024, "hi": BEGINNINGS[guard]}
    assert found.counts.sp_flop == pytest.approx(THREADS, rel=0.002)


def test_an_end_of_part_of_the_work_is_no_beginning(kernel):
    """`i < part` stands for work as `i < n` does; `i >= tail` is where other work begins."""
    found = kernel("""__global__ void parts(float *a, float *b, int n, int part, int tail) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      if (i < part) a[i] = 1.0f;
      if (i >= tail) b[i] = 1.0f;
    }""")
    assert taken(found) == {"n": THREADS, "part": THREADS, "tail": 1024}


def test_every_block_has_the_elements_that_it_strides_over(kernel):
    """Two elements a thread: with half as many, half of the blocks only add up zeros."""
    found = kernel("""__global__ void pairs(const float *in, float *out, int n) {
      int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
      if (i + blockDim.x < n) out[i] = in[i] + in[i + blockDim.x];
    }""")
    assert taken(found) == {"n": 2 * THREADS}
    assert found.counts.sp_flop == THREADS


def test_threads_with_a_chunk_each_share_the_elements(kernel):
    """32 elements for each thread, not 1,024 for one in 1,024."""
    found = kernel("""__global__ void chunks(float *a, int n, int chunk) {
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      int lo = t * chunk, hi = min(lo + chunk, n);
      for (int i = lo; i < hi; i++) a[i] += 1.0f;
    }""")
    assert taken(found)["chunk"] == 32
    assert found.counts.sp_flop == pytest.approx(32 * THREADS, rel=0.01)


def test_columns_lie_apart(kernel):
    """A column of 1,048,576 rows in a matrix with columns of 1,024 would be read once for all."""
    found = kernel("""__global__ void product(const double *A, const double *x, double *y, int m, int n, int lda) {
      int r = blockIdx.x * blockDim.x + threadIdx.x;
      if (r >= m) return;
      double s = 0;
      for (int j = 0; j < n; j++) s += A[r + (size_t)j * lda] * x[j];
      y[r] = s;
    }""")
    assert taken(found) == {"m": THREADS, "n": 32, "lda": THREADS}
    assert found.verdict.value == "bandwidth"


def test_a_window_around_an_element_says_less_than_the_element(kernel):
    found = kernel("""__global__ void blur(const float *in, float *out, int w, int r) {
      int x = blockIdx.x * blockDim.x + threadIdx.x;
      if (x >= w) return;
      float s = 0;
      for (int d = -r; d <= r; d++)
        if (x + d >= 0 && x + d < w) s += in[x + d];
      out[x] = s;
    }""")
    assert taken(found) == {"w": THREADS, "r": 32}


BLOCKS = {
    "int i = blockIdx.x * 64 + threadIdx.x; a[i] = 1.0f;": (64, 1, 1),
    "int i = (blockIdx.x << 7) + threadIdx.x; a[i] = 1.0f;": (128, 1, 1),
    "int i = blockIdx.x * 1024 + threadIdx.x; for (int j = 0; j < 1024; j += 128) a[i + j] = 1.0f;": (
        128,
        1,
        1,
    ),
    "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; a[y * 2048 + x] = 1.0f;": (
        32,
        32,
        1,
    ),
    "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;"
    "for (int j = 0; j < 32; j += 8) a[(y + j) * 2048 + x] = 1.0f;": (32, 8, 1),
    "int i = blockIdx.x * blockDim.x + threadIdx.x; a[i + 64 * blockIdx.x] = 1.0f;": (256, 1, 1),
}


@pytest.mark.parametrize("body", BLOCKS)
def test_blocks_are_as_the_code_says_them(kernel, body):
    found = kernel(f"__global__ void fill(float *a) {{ {body} }}")
    assert found.launch.block == BLOCKS[body]
