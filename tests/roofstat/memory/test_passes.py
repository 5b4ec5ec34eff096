"""Passes over the same data find what the pass before has left in the L2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_KERNEL = """
__global__ void k(const float *x, float *y, float *first, int n) {{
  const float *row = x + (blockIdx.x * 4 + threadIdx.y) * n;
  float *out = y + (blockIdx.x * 4 + threadIdx.y) * n;
  float most = -1e30f, sum = 0;
  for (int c = threadIdx.x; c < n; c += 32) most = fmaxf(most, row[c]);
  for (int c = threadIdx.x; c < n; c += 32) sum += row[c] - most;
  for (int c = threadIdx.x; c < n; c += 32) out[c] = row[c] / sum;
  {single}
}}
int main() {{
  float *x, *y, *first;
  cudaMalloc(&x, 6000 * 4000); cudaMalloc(&y, 6000 * 4000); cudaMalloc(&first, 6000 * 4);
  k<<<1500, dim3(32, 4)>>>(x, y, first, 1000);
}}
"""


@pytest.mark.parametrize(
    "single",
    ["", "if (threadIdx.x == 0) first[blockIdx.x * 4 + threadIdx.y] = row[n - 1];"],
)
def test_one_load_beside_three_passes_costs_nothing(tmp_path: Path, single: str) -> None:
    """All rows are there at a time: between two passes 24 to 43 MB come of the 42 MB that a GH100 holds, 62 MB in all."""
    path = tmp_path / "rows.cu"
    path.write_text(_KERNEL.format(single=single))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    assert kernel.traffic.profiled.read_bytes == pytest.approx(6000 * 4000, rel=0.05)


_BISECTION = """
__global__ void k(const float *x, int *found, int n) {
  const float *row = x + blockIdx.x * n;
  float middle = 0;
  for (int turn = 0; turn < 16; turn++) {
    float sum = 0;
    for (int c = threadIdx.x; c < n; c += 256) sum += row[c] > middle ? row[c] : 0;
    middle += __shfl_xor_sync(~0u, sum, 16);
  }
  int count = 0;
  for (int c = threadIdx.x; c < n; c += 256) count += row[c] > middle;
  found[blockIdx.x * 256 + threadIdx.x] = count;
}
int main() {
  float *x; int *found;
  cudaMalloc(&x, 128 * 512000); cudaMalloc(&found, 128 * 1024);
  k<<<128, 256>>>(x, found, 128000);
}
"""


def test_what_a_loop_misses_in_every_turn_no_later_pass_finds(tmp_path: Path) -> None:
    """17 passes over 65.5 MB, of which the L2 (41.9 MB of room) loses 56 % from pass to pass: each after the first misses as much."""
    path = tmp_path / "bisection.cu"
    path.write_text(_BISECTION)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    size = 128 * 512_000
    lost = size / (0.8 * 50 * 2**20) - 1
    assert kernel.traffic.profiled.read_bytes == pytest.approx(size * (1 + 16 * lost), rel=0.02)
