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
