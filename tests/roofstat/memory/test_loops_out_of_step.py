"""Loops of which each lane has its own number of iterations, from source to requests and bytes: a warp runs them in step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.report.records import KernelReport


def _only_kernel(tmp_path: Path, text: str) -> KernelReport:
    path = tmp_path / "steps.cu"
    path.write_text(text)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    return kernel


def test_a_private_array_is_one_row_a_step(tmp_path: Path) -> None:
    """Element j of 32 lanes is 128 bytes in a row, whichever of its iterations each lane is sampled at: 4 sectors at most."""
    kernel = _only_kernel(
        tmp_path,
        """
    #include <vector>
    __global__ void k(const int *len, const float *x, float *o) {
      int i = blockIdx.x * 256 + threadIdx.x;
      float u[64];
      for (int j = 0; j < 64; j++) u[j] = j * x[i];
      for (int j = 0; j < len[i]; j++) u[j] += 1.0f;
      float s = 0.0f;
      for (int j = 0; j < len[i]; j++) s = s * 0.5f + u[j];
      o[i] = s;
    }
    int main() {
      int n = 64 * 256;
      std::vector<int> l(n);
      for (int i = 0; i < n; i++) l[i] = 1 + (i * 7) % 61;
      int *len; float *x, *o;
      cudaMalloc(&len, n * 4); cudaMalloc(&x, n * 4); cudaMalloc(&o, n * 4);
      cudaMemcpy(len, l.data(), n * 4, cudaMemcpyHostToDevice);
      k<<<64, 256>>>(len, x, o);
    }
    """,
    )
    private = [access for access in kernel.accesses if access.array == "u"]
    assert len(private) == 4
    assert all(access.sectors_per_request <= 4.0 for access in private)


def test_rows_of_a_loop_over_the_grid_stay_rows_where_each_lane_is_elsewhere_in_its_own(
    tmp_path: Path,
) -> None:
    """24 bytes of each of 4,194,304 rows are read again and again by the thread that has the row: 48 kB of an SM's threads."""
    rows = 1 << 22
    kernel = _only_kernel(
        tmp_path,
        f"""
    __global__ void k(const unsigned *w, int *o, int n, int m) {{
      for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {{
        const unsigned *in = w + i * 6;
        int pos = 0, c = 0;
        for (int k = 0; k < 31 && pos < m; k++) {{
          int j = 0;
          for (; j < c && pos < m; j++) {{ c ^= in[pos >> 5] >> (pos & 31) & 1; pos++; }}
          while (c < 16 && pos < m) {{ if (in[pos >> 5] >> (pos & 31) & 1) break; pos++; c++; }}
          pos++;
        }}
        o[i] = c;
      }}
    }}
    int main() {{
      unsigned *w; int *o;
      cudaMalloc(&w, 24l * {rows}); cudaMalloc(&o, 4l * {rows});
      k<<<1024, 256>>>(w, o, {rows}, 192);
    }}
    """,
    )
    once = 24 * rows
    reads = [access for access in kernel.accesses if access.array == "in"]
    assert [access.footprint_bytes for access in reads] == pytest.approx([once, once], rel=0.01)
    assert kernel.traffic.profiled.read_bytes == pytest.approx(once, rel=0.01)
    assert kernel.traffic.l2_bytes == pytest.approx(once + 4 * rows, rel=0.05)


def test_items_that_are_fetched_for_the_next_round_lie_all_over_their_array(tmp_path: Path) -> None:
    """Of 100,000 rows of 512 bytes those of the rounds that were run between skipped ones reach over four fifths (51.2 MB in all)."""
    kernel = _only_kernel(
        tmp_path,
        """
    __global__ void k(int *head, const float *x, float *y, int n) {
      __shared__ int item;
      if (threadIdx.x == 0) item = atomicAdd(head, 1);
      __syncthreads();
      while (item < n) {
        y[item * 128 + threadIdx.x] = 2.0f * x[item * 128 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(head, 1);
        __syncthreads();
      }
    }
    int main() {
      int *head; float *x, *y;
      cudaMalloc(&head, 4); cudaMalloc(&x, 51200000); cudaMalloc(&y, 51200000);
      cudaMemset(head, 0, 4);
      k<<<264, 128>>>(head, x, y, 100000);
    }
    """,
    )
    assert kernel.counts.sp_flop == pytest.approx(12_800_000, rel=0.02)
    assert kernel.traffic.profiled.read_bytes == pytest.approx(51_200_000, rel=0.25)
