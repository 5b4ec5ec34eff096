"""Threads below a limit that nobody knows: whole warps of them, not some lanes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = """
#include <cstdio>
#include <cstdlib>
__global__ void whole(float *out, const float *in, const int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count[0]) out[i] = in[i];
}
__global__ void rows(float *out, const float *in, const int *length) {
  int i = threadIdx.x, r = blockIdx.x;
  if (length[r] > i) out[r * 256 + i] = in[r * 256 + i];
}
__global__ void behind(float *out, const float *in, const int *start) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, d = blockIdx.y;
  if (start[d] + i >= start[d + 1]) return;
  out[start[d] + i] = in[start[d] + i];
}
__global__ void marked(float *out, const float *in, const int *length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (length[i] > 7) out[i] = in[i];
}
int main() {
  FILE *f = fopen("x", "r");
  float *out, *in; int *start, *h = (int *)malloc(1 << 20);
  fread(h, 4, 1 << 18, f);
  cudaMalloc(&out, 64 << 20); cudaMalloc(&in, 64 << 20); cudaMalloc(&start, 1 << 20);
  cudaMemcpy(start, h, 1 << 20, cudaMemcpyHostToDevice);
  whole<<<1000, 256>>>(out, in, start);
  rows<<<1000, 256>>>(out, in, start);
  behind<<<dim3(10, 100), 256>>>(out, in, start);
  marked<<<1000, 256>>>(out, in, start);
}
"""
_WARPS = 8000
"""Of each launch: 1,000 blocks of 256 threads."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, float]]:
    """(requests, threads) of the store of each kernel."""
    path: Path = tmp_path_factory.mktemp("limits") / "a.cu"
    path.write_text(_TEXT)
    kernels = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    return {
        kernel.name: (access.requests or 0.0, access.threads or 0.0)
        for kernel in kernels
        for access in kernel.accesses
        if access.array == "out"
    }


@pytest.mark.parametrize("kernel", ["whole", "rows", "behind"])
def test_half_of_the_warps_are_within_the_limit(
    stores: dict[str, tuple[float, float]], kernel: str
) -> None:
    """Half of the threads, which nobody knows better, are half of the warps."""
    requests, threads = stores[kernel]
    assert threads == pytest.approx(32 * _WARPS / 2, rel=0.03)
    assert requests == pytest.approx(_WARPS / 2, rel=0.06)


def test_lanes_that_look_at_numbers_of_their_own_decide_alone(
    stores: dict[str, tuple[float, float]],
) -> None:
    requests, threads = stores["marked"]
    assert threads == pytest.approx(32 * _WARPS / 2, rel=0.03)
    assert requests == pytest.approx(_WARPS, rel=0.01)
