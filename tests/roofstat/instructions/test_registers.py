"""Registers of a thread: what is alive at once, by hand, and with what ptxas 13.0 reports for sm_80 beside it."""

import pytest
from builder import PROLOGUE, kernel

from clang_queries.unit import lower_unit
from roofstat.instructions.graph.registers import BASE_REGISTERS
from roofstat.instructions.model import CompilerFlags, static_model
from roofstat.instructions.tables.costs import Compiler
from roofstat.program.code import Code
from roofstat.program.link import link
from roofstat.program.lowering import lower_kernel


def registers(code: Code, architecture: str = "sm_80") -> int:
    model = static_model(
        code, compiler=Compiler.NVCC, architecture=architecture, flags=CompilerFlags()
    )
    return model.registers_per_thread


def test_what_a_loop_uses_is_alive_until_its_end():
    """Sixteen values from before the loop, each used once at the start of an iteration that then loads twelve others."""
    loads = "".join(f"float v{k} = a[{k} * n + threadIdx.x];" for k in range(16))
    uses = "".join(f"s = s * v{k} + 1;" for k in range(16))
    others = "".join(f"float w{k} = c[t * 12 + {k}];" for k in range(12))
    sums = "".join(f"s += w{k};" for k in range(12))
    loop = f"\n#pragma unroll 1\nfor (int t = 0; t < n; t++) {{ {uses} __syncthreads(); {others} __syncthreads(); {sums} }}"
    text = f"{loads} float s = 0; {loop} c[threadIdx.x] = s;"
    code = kernel("const float *a, float *c, int n", text)
    # All of them, the sum, and at most the counter and the address of the others.
    assert 16 + 12 + 1 <= registers(code) - BASE_REGISTERS <= 16 + 12 + 4


def test_accumulators_of_an_unrolled_tile_are_alive_in_its_loop():
    text = """
    float sums[8][8] = {};
    for (int t = 0; t < n; t++) {
      float x[8], y[8];
      for (int i = 0; i < 8; i++) { x[i] = a[t * 8 + i]; y[i] = b[t * 8 + i]; }
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) sums[i][j] += x[i] * y[j];
    }
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) c[threadIdx.x * 64 + 8 * i + j] = sums[i][j];"""
    code = kernel("const float *a, const float *b, float *c, int n", text)
    # 64 sums and at least one operand of each kind; at most all 16 operands and three addresses of two words.
    assert 64 + 9 <= registers(code) - BASE_REGISTERS <= 64 + 16 + 6 + 4


def test_matrix_fragments_are_in_registers():
    prologue = PROLOGUE + "#include <mma.h>\nusing namespace nvcuda;\n"
    text = """
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
    for (int k = 0; k < 4; k++) wmma::fill_fragment(sums[k], 0.0f);
    for (int t = 0; t < n; t++)
      for (int k = 0; k < 4; k++) {
        wmma::load_matrix_sync(x, a + 256 * k, 16);
        wmma::load_matrix_sync(y, b + 256 * t, 16);
        wmma::mma_sync(sums[k], x, y, sums[k]);
      }
    for (int k = 0; k < 4; k++) wmma::store_matrix_sync(c + 256 * k, sums[k], 16, wmma::mem_row_major);"""
    code = kernel("const half *a, const half *b, float *c, int n", text, prologue)
    # 8 words for each of four sums; the bundled fragments of 16 halves take 8 words each.
    assert 32 + 8 <= registers(code) - BASE_REGISTERS <= 32 + 16 + 12


def test_ways_out_of_an_unrolled_loop_share_a_register():
    text = """
    double x = a[threadIdx.x], c0 = x;
    for (int k = 0; k < 50; k++) {
      double f = x * x * x - c0, g = 3 * x * x;
      x -= f / g;
      if (fabs(f) < 1e-14) break;
    }
    c[threadIdx.x] = x;"""
    # ptxas: 30. x, c0, f, g and a quotient of two words each, and what the division needs.
    assert 20 <= registers(kernel("const double *a, double *c", text)) <= 38


def test_loads_of_unrolled_iterations_are_alive_together_while_that_is_free():
    """Four copies of the body: 8 loaded words, and no more than the 32 registers that cost no occupancy."""
    text = """
    int sum = 0;
    for (int t = 0; t < n; t++) sum += __popcll(a[(size_t)t * m + threadIdx.x] ^ b[t]);
    c[threadIdx.x] = sum;"""
    parameters = "const unsigned long long *__restrict__ a, const unsigned long long *__restrict__ b, int *__restrict__ c, int n, int m"
    assert 8 + 8 + BASE_REGISTERS <= registers(kernel(parameters, text)) <= 32


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("__launch_bounds__(1024)", 64),  # 65,536 registers / 1,024 threads
        ("__launch_bounds__(256, 3)", 80),  # 65,536 / 768 = 85, in units of 8
    ],
)
def test_launch_bounds_limit_the_registers(bounds, expected):
    loads = "".join(f"float v{k} = a[{k} * n];" for k in range(128))
    stores = "".join(f"c[{k}] = v{k};" for k in range(128))
    body = f"{{ {loads} __syncthreads(); {stores} }}"
    text = f"__global__ void {bounds} k(const float *a, float *c, int n) {body}"
    unit = lower_unit("kernel.cu", text=PROLOGUE + text)
    assert registers(lower_kernel(link([unit]), unit.kernels[0])) == expected


def test_conditions_take_no_registers():
    tests = "".join(f"bool p{k} = a[0] > {k};" for k in range(20))
    uses = "".join(f"if (p{k}) c[{k}] = 1;" for k in range(20))
    text = f"{tests} __syncthreads(); {uses}"
    assert registers(kernel("const int *a, float *c", text)) <= BASE_REGISTERS + 6
