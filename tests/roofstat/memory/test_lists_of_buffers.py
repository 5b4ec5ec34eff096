"""Blocks that each take a buffer of their own from a list of pointers: those that are sampled stand for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_KERNEL = """
struct List { float *p[40]; };
__global__ void sums(List list, int n, float *out) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += list.p[blockIdx.y][i];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = s;
}
int main() {
  int n = 1000000, kinds = KINDS;
  List list;
  float *out;
  for (int t = 0; t < kinds; t++) cudaMalloc(&list.p[t], (n + 100 * t) * 4);
  for (int t = kinds; t < 40; t++) list.p[t] = list.p[t % kinds];
  cudaMalloc(&out, 40 * 8 * 256 * 4);
  sums<<<dim3(8, 40), 256>>>(list, n, out);
}
"""


@pytest.mark.parametrize("kinds", [40, 2])
def test_sampled_buffers_of_a_list_stand_for_others_if_there_are_any(
    tmp_path: Path, kinds: int
) -> None:
    """Buffers of 4 MB, all of which are read, by one row of blocks or by twenty."""
    path = tmp_path / "list.cu"
    path.write_text(_KERNEL.replace("KINDS", str(kinds)))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    assert kernel.traffic.profiled.read_bytes == pytest.approx(kinds * 4e6, rel=0.05)
