"""The attainable time bounds the time from below: only what no guess decided on counts."""

from __future__ import annotations

import pytest

from roofstat.hardware import load_gpu
from roofstat.report import TrafficRegime
from roofstat.roofline import BoundBy, issued_op_per_s

GPU = load_gpu("h100")
N = 1 << 24
MAIN = f"""
#include <cuda_runtime.h>
void read_data(const char *name, int *data, int n);
KERNEL
int main(int argc, char **argv) {{
  int n = {N};
  int *host = new int[n], *index, *flag; float *x, *out;
  cudaMalloc(&index, n * sizeof(int)); cudaMalloc(&flag, n * sizeof(int));
  cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));
  read_data(argv[1], host, n);
  cudaMemcpy(index, host, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(flag, host, n * sizeof(int), cudaMemcpyHostToDevice);
  kernel<<<n / 256, 256>>>(index, flag, x, out);
}}
"""
HEAD = """
__global__ void kernel(const int *index, const int *flag, const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
"""


@pytest.fixture
def analysed(kernel_of):
    """The body of a kernel of 2^24 threads to its report."""

    def run(body):
        text = MAIN.replace("KERNEL", HEAD + body + "}")
        return kernel_of(text, "h100", traffic=TrafficRegime.STEADY)

    return run


def test_gathers_through_unknown_data_may_all_hit_one_element(analysed):
    """The index is read and the result written, 4 bytes each; what is gathered is in the modelled time only."""
    kernel = analysed("out[i] = x[index[i]];")
    assert kernel.attainable_time_s == pytest.approx(8 * N / GPU.dram_bytes_per_s, rel=0.01)
    assert kernel.times_s[BoundBy.DRAM] > 1.4 * kernel.attainable_time_s


def test_what_an_unknown_branch_guards_may_not_run(analysed):
    kernel = analysed("if (flag[i] > 0) out[i] = x[i];")
    assert kernel.attainable_time_s == pytest.approx(4 * N / GPU.dram_bytes_per_s, rel=0.01)


def test_loops_of_unknown_length_may_not_run(analysed):
    """The loop has the arithmetic of a hundred bytes for each that moves; the bound is that of the 12 bytes."""
    body = "float s = x[i];\n for (int k = 0; k < flag[i]; k++) {\n"
    body += "s = s * s + 1.0f;\n" * 400 + "}\n out[i] = s;"
    kernel = analysed(body)
    assert kernel.times_s[BoundBy.FP32] > kernel.times_s[BoundBy.DRAM]
    assert kernel.attainable_time_s == pytest.approx(12 * N / GPU.dram_bytes_per_s, rel=0.01)


def test_loops_with_the_test_behind_run_once(analysed):
    """800 FLOP for each thread are certain, those of the other seven iterations are not."""
    body = "float s = x[i]; int k = 0;\n do {\n"
    body += "s = s * s + 1.0f;\n" * 400 + "} while (++k < flag[i]);\n out[i] = s;"
    kernel = analysed(body)
    assert kernel.attainable_time_s == pytest.approx(800 * N / GPU.fp32_flop_per_s)
    assert kernel.counts.sp_flop == pytest.approx(8 * 800 * N)
    # 400 multiply-adds take the schedulers as long as the pipe, and a few other instructions a little longer.
    issued = kernel.counts.instructions / issued_op_per_s(GPU)
    assert kernel.times_s[BoundBy.ISSUE] == pytest.approx(issued)
    assert kernel.bound_by is BoundBy.FP32
    assert 8 * kernel.attainable_time_s < issued < 1.02 * 8 * kernel.attainable_time_s


def test_integer_work_is_bounded_by_issue(analysed):
    """Integer multiply-adds have a pipe beside the integer lanes: 128 instructions a clock, not 64."""
    body = "int s = index[i];\n" + "s = s * s + i; s ^= s >> 3;\n" * 200 + "out[i] = s;"
    kernel = analysed(body)
    assert kernel.bound_by is BoundBy.INT
    assert kernel.counts.int_op is not None
    issued = 128 * GPU.clock_hz * GPU.sm_count
    assert kernel.attainable_time_s == pytest.approx(kernel.counts.int_op / issued)


def test_additions_take_their_pipe_as_long_as_multiply_adds(analysed):
    """400 additions and 400 multiplications in turn, of one FLOP each: 800 instructions a thread."""
    body = "double s = x[i], t = 0;\n" + "t = t + s; s = s * t;\n" * 400 + "out[i] = s + t;"
    kernel = analysed(body)
    issued_per_s = GPU.fp64_flop_per_s / 2.0
    assert kernel.times_s[BoundBy.FP64] == pytest.approx(800 * N / issued_per_s, rel=0.01)
    assert kernel.attainable_time_s == pytest.approx(800 * N / issued_per_s, rel=0.01)
