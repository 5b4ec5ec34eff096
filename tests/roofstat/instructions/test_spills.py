"""Values that ptxas 13.0 (sm_90) keeps in local memory because no register is left, in words of a thread."""

import pytest
from builder import kernel

from roofstat.instructions.graph.spills import Spill
from roofstat.instructions.model import CompilerFlags, static_model
from roofstat.instructions.tables.costs import Compiler


def spills(code, compiler=Compiler.NVCC) -> tuple[Spill, ...]:
    return static_model(code, compiler=compiler, architecture="sm_90", flags=CompilerFlags()).spills


def words(code, compiler=Compiler.NVCC) -> int:
    return sum(spill.words for spill in spills(code, compiler))


def network(size: int, loop: str, weights: str = "s"):
    """One layer of a small network for each thread, its weights in shared memory, all loops over nodes unrolled."""
    return kernel(
        "const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n",
        f"""
        __shared__ float s[{size * size}];
        for (int k = threadIdx.x; k < {size * size}; k += blockDim.x) s[k] = w[k];
        __syncthreads();
        {loop} {{
          float a[{size}], o = 0;
        #pragma unroll
          for (int k = 0; k < {size}; k++) a[k] = x[k * n + i];
        #pragma unroll
          for (int j = 0; j < {size}; j++) {{
            float t = 0;
        #pragma unroll
            for (int k = 0; k < {size}; k++) t += {weights}[j * {size} + k] * a[k];
            o += fmaxf(t, 0.f);
          }}
          y[i] = o;
        }}""",
    )


LOOP = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
ONCE = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)"


@pytest.mark.parametrize(("size", "spilled"), [(16, 0), (20, 142), (24, 330), (32, 789)])
def test_weights_that_a_loop_reads_are_loaded_before_it(size, spilled):
    # The measured words of each size; those of the network of 16 just fit.
    found = words(network(size, LOOP))
    assert found == pytest.approx(spilled, abs=15)
    assert all(len(spill.loaded) == 1 for spill in spills(network(size, LOOP)))


def test_weights_that_are_read_once_are_loaded_where_they_are_needed():
    assert words(network(32, ONCE)) == 0


def test_clang_leaves_loads_from_shared_memory_in_a_loop_that_stores():
    # None by clang 18.1.6, but 313 where the weights come from read-only memory.
    assert words(network(24, LOOP), Compiler.CLANG) == 0
    assert words(network(24, LOOP, "w"), Compiler.CLANG) == pytest.approx(313, rel=0.1)


def test_what_a_second_sweep_needs_again_is_stored_once_and_loaded_once():
    # 32 unknowns in double precision: 496 elements of two words below the diagonal, 3,320 bytes of spills by ptxas.
    code = kernel(
        "const double *__restrict__ L, const float *__restrict__ m, float *__restrict__ y, int n",
        """
        __shared__ double l[1024];
        for (int e = threadIdx.x; e < 1024; e += blockDim.x) l[e] = L[e];
        __syncthreads();
        int row = blockIdx.x * blockDim.x + threadIdx.x;
        if (row >= n) return;
        double x[32];
        #pragma unroll
        for (int r = 0; r < 32; r++) {
          double s = m[row * 32 + r];
        #pragma unroll
          for (int q = 0; q < 32; q++) if (q < r) s -= l[r * 32 + q] * x[q];
          x[r] = s / l[r * 32 + r];
        }
        #pragma unroll
        for (int r = 31; r >= 0; r--) {
          double s = x[r];
        #pragma unroll
          for (int q = 0; q < 32; q++) if (q > r) s -= l[q * 32 + r] * x[q];
          x[r] = s / l[r * 32 + r];
        }
        #pragma unroll
        for (int r = 0; r < 32; r++) y[row * 32 + r] = (float)x[r];""",
    )
    assert words(code) == pytest.approx(3320 / 4, rel=0.1)
    assert sum(spill.words * len(spill.loaded) for spill in spills(code)) == pytest.approx(
        3328 / 4, rel=0.1
    )
