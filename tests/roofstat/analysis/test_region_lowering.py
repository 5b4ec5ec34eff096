"""Integer work of own target regions beside what their SASS executes: clang 18.1.6 with its device run time, sm_86, ptxas 12.6,
all threads of a team run to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.report import Compiler

if TYPE_CHECKING:
    from pathlib import Path

PROLOGUE = """
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
"""


def int_op_of_a_thread(path: Path, parameters: str, call: str, body: str) -> float:
    """Integer operations of a thread of the one region in `body`, a function that `main` calls so."""
    source = path / "region.cpp"
    source.write_text(
        f"{PROLOGUE}void f({parameters}) {{\n{body}\n}}\nint main() {{ {call} return 0; }}\n"
    )
    options = AnalysisOptions(gpu=load_gpu("rtx3080"), compiler=Compiler.CLANG)
    (kernel,) = analyze_program([source], options).kernels
    threads = 1
    for size in (*kernel.launch.grid, *kernel.launch.block):
        threads *= size
    assert kernel.counts.int_op is not None
    return kernel.counts.int_op / threads


ARRAYS = """
  const int size = 8192;
  int *in = (int *)calloc(size, 4), *out = (int *)calloc(size, 4);
  #pragma omp target enter data map(to: in[0:size], out[0:size])
"""


def test_what_depends_on_the_thread_number_stays_in_loops_with_barriers(tmp_path: Path) -> None:
    body = """
    #pragma omp target teams num_teams(16) thread_limit(64)
    {
      int temp[256];
      #pragma omp parallel
      {
        for (int64_t team = omp_get_team_num(); team < n; team += omp_get_num_teams()) {
          int t = omp_get_thread_num(), u = t + 64, offset = 1;
          temp[t + (t >> 5)] = in[team * 128 + t];
          temp[u + (u >> 5)] = in[team * 128 + u];
          for (int d = 64; d > 0; d >>= 1) {
            #pragma omp barrier
            if (t < d) {
              int first = offset * (2 * t + 1) - 1, second = offset * (2 * t + 2) - 1;
              first += first >> 5;
              second += second >> 5;
              temp[second] += temp[first];
            }
            offset *= 2;
          }
          #pragma omp barrier
          out[team * 128 + t] = temp[t + (t >> 5)];
          out[team * 128 + u] = temp[u + (u >> 5)];
        }
      }
    }
    """
    found = int_op_of_a_thread(
        tmp_path, "int *in, int *out, int64_t n", ARRAYS + "f(in, out, 16);", body
    )
    assert found == pytest.approx(50.8, rel=0.1)


@pytest.mark.parametrize(
    ("statement", "executed"),
    [
        ("out[i] = in[i];", 18.0),
        ("out[i] = in[i] + more[i];", 19.0),
        ("out[i] = in[i / 5];", 20.0),
        ("out[i] = i;", 17.0),
    ],
)
def test_unsigned_counters_advance_no_pointers(
    tmp_path: Path, statement: str, executed: float
) -> None:
    body = f"""
    #pragma omp target teams distribute parallel for num_teams(8)
    for (unsigned i = 0; i < n; i++) {{ {statement} }}
    """
    call = ARRAYS + "f(in, in + 1024, out, 1024);"
    found = int_op_of_a_thread(tmp_path, "int *in, int *more, int *out, unsigned n", call, body)
    assert found == pytest.approx(executed, rel=0.1)


def test_each_block_of_relocatable_code_evens_its_copies(tmp_path: Path) -> None:
    """SASS: constants of the exponentials are two MOV in each block of FFMA, whatever stands elsewhere; 873 in all."""
    body = """
    #pragma omp target teams distribute parallel for
    for (int r = 0; r < 128; r++) {
      const float *row = x + r * n;
      float most = row[0], sum = 0;
      for (int c = 1; c < n; c++) most = fmaxf(most, row[c]);
      for (int c = 0; c < n; c++) sum += expf(row[c] - most);
      for (int c = 0; c < n; c++) y[r * n + c] = expf(row[c] - most) / sum;
    }
    """
    call = """
      float *x = (float *)calloc(16384, 4), *y = (float *)calloc(16384, 4);
      #pragma omp target enter data map(to: x[0:16384], y[0:16384])
      f(x, y, 128);
    """
    found = int_op_of_a_thread(tmp_path, "const float *x, float *y, int n", call, body)
    assert found == pytest.approx(873, rel=0.1)


def test_products_in_sums_are_one_operation_to_the_unroller(tmp_path: Path) -> None:
    """SASS: eight copies of a gather (LLVM's remarks; four in CUDA), which share six instructions for pointers and counter."""
    body = """
    #pragma omp target teams distribute parallel for
    for (int r = 0; r < 4096; r++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += a[j] * x[col[j]];
      y[r] = sum;
    }
    """
    call = """
      double *a = (double *)calloc(8192, 8), *x = (double *)calloc(8192, 8), *y = (double *)calloc(4096, 8);
      int *col = (int *)calloc(8192, 4);
      #pragma omp target enter data map(to: a[0:8192], x[0:8192], y[0:4096], col[0:8192])
      f(a, x, col, y, {});
    """
    parameters = "const double *a, const double *x, const int *col, double *y, int n"
    long, short = (
        int_op_of_a_thread(tmp_path, parameters, call.format(n), body) for n in (2048, 1024)
    )
    # IADD3 and IADD3.X of two pointers, IADD3 and ISETP of the counter for eight IMAD.WIDE.
    assert long - short == pytest.approx(1024 * (8 + 6) / 8, rel=0.01)
