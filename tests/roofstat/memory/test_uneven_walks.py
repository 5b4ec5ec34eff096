"""Threads that walk rows of uneven lengths, each its own: what they come back to lies in as many lines as there are threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = """
#include <cstdlib>
#include <vector>
__global__ void sums(const unsigned *words, const int *begin, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0;
  for (int j = begin[i]; j < begin[i + 1]; j += 4)
    for (int k = 0; k < 4; k++) sum = sum * 31 + words[j + k];
  out[i] = sum;
}
int main(int argc, char **argv) {
  int n = 100000;
  std::vector<int> begin(n + 1);
  begin[0] = 0;
  for (int i = 0; i < n; i++) begin[i + 1] = begin[i] + 4 * (rand() % 600);
  unsigned *words, *out; int *d;
  cudaMalloc(&words, 4L * begin[n]); cudaMalloc(&out, 4 * n); cudaMalloc(&d, 4 * (n + 1));
  cudaMemcpy(d, begin.data(), 4 * (n + 1), cudaMemcpyHostToDevice);
  sums<<<(n + 255) / 256, 256>>>(words, d, out, n);
}
"""
_WORDS = 100_000 * 4 * 299.5
"""Expected: rows of 0 to 599 quadruples."""


@pytest.mark.parametrize(("gpu", "least", "most"), [("rtx3080", 1.5, 2.5), ("h200-sxm", 0.9, 1.1)])
def test_lines_between_two_steps(tmp_path: Path, gpu: str, least: float, most: float) -> None:
    """Some 100,000 threads stand in a line of 128 bytes each, 12.8 MB of which a L2 of 5 MB loses half a sector, one of 50 MB none.

    Each step of 16 bytes then fetches its sector of 32 again.
    """
    path = tmp_path / "a.cu"
    path.write_text(_TEXT)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu(gpu))).kernels
    read = kernel.traffic.profiled.read_bytes
    assert read is not None
    assert least <= read / (4 * _WORDS) <= most
