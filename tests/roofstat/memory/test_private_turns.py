"""Threads that come back to places of their private arrays find them in the caches, or do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.memory.records import DramTraffic

_WALK = """
__global__ void __launch_bounds__(128, {blocks}) walk(unsigned *out, int passes, int zero, int n) {{
  unsigned a[{words}], acc = 0, t = blockIdx.x * 128 + threadIdx.x;
  #pragma unroll 1
  for (int i = 0; i < {words}; i++) a[i ^ zero] = t + i;
  #pragma unroll 1
  for (int p = 0; p < passes; p++) {{
    #pragma unroll 1
    for (int i = 0; i < n; i++) {{ {body} }}
  }}
  #pragma unroll 1
  for (int i = 0; i < {words}; i++) acc += a[i ^ zero];
  out[t] = acc;
}}
int main() {{
  unsigned *out;
  cudaMalloc(&out, 132 * {blocks} * 512);
  walk<<<132 * {blocks}, 128>>>(out, {passes}, 0, {words});
}}
"""
_UPDATE = "a[i ^ zero] = a[i ^ zero] * 5u + acc;"
_LOAD = "acc = acc * 5u + a[i ^ zero];"
_STORE = "acc = acc * 5u + 1u; a[i ^ zero] = acc;"


def traffic(path: Path, body: str, words: int, blocks: int = 8) -> DramTraffic:
    passes = max(2048 // words, 8)
    path.write_text(_WALK.format(body=body, words=words, blocks=blocks, passes=passes))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    return kernel.traffic.profiled


# Megabytes of DRAM that a profiler saw on an H200, 1,024 threads an SM (8 blocks): private arrays of 17, 35, 69, 104 and 173 MB together.
@pytest.mark.parametrize(
    ("body", "words", "read_mb", "written_mb"),
    [
        (_UPDATE, 32, 0, 39),
        (_UPDATE, 64, 10, 163),
        (_UPDATE, 192, 1126, 1142),
        (_LOAD, 64, 1, 10),
        (_LOAD, 192, 997, 104),
        (_LOAD, 320, 1453, 173),
        (_STORE, 32, 0, 46),
        (_STORE, 64, 0, 543),
        (_STORE, 128, 34, 1139),
    ],
)
def test_walks_over_private_arrays_move_what_was_measured(
    tmp_path: Path, body: str, words: int, read_mb: float, written_mb: float
) -> None:
    """Within a quarter or 60 MB: laws of few numbers stand for caches of many sets."""
    found = traffic(tmp_path / "walk.cu", body, words)
    assert found.read_bytes / 1e6 == pytest.approx(read_mb, rel=0.25, abs=60)
    assert found.write_bytes / 1e6 == pytest.approx(written_mb, rel=0.25, abs=60)


_HELD = """
__global__ void held(float *out, int n, int rows) {
  float a[256], b[256], sum = 0;
  int t = blockIdx.x * 128 + threadIdx.x;
  for (int i = 0; i < n; i++) { a[i] = t * i; b[i] = i; }
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++) sum += a[r] * b[i];
  out[t] = sum;
}
int main() {
  float *out;
  cudaMalloc(&out, 2112 * 512);
  held<<<2112, 128>>>(out, 256, 4);
}
"""


def test_the_place_at_which_a_loop_stays_does_not_come_back(tmp_path: Path) -> None:
    """`a[r]` is loaded 256 times in a row, `b` is gone over 4 times: 277 MB of `b` between turns are all gone from the L2.

    Read: 4 passes over `b`, 4 elements of `a`.
    """
    path = tmp_path / "held.cu"
    path.write_text(_HELD)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    threads = 2112 * 128
    expected = threads * (4 * 1024 + 4 * 4)
    assert kernel.traffic.profiled.read_bytes == pytest.approx(expected, rel=0.1)
