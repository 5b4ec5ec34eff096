"""DRAM traffic that rests on the room in the L2 is said to, with a weight that is its spread."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.memory.l2_room import with_room
from roofstat.memory.parameters import memory_parameters
from roofstat.report import AssumptionKind

if TYPE_CHECKING:
    from pathlib import Path

_PRODUCT = """
__global__ void product(const float *a, const float *b, float *c, int n) {{
  __shared__ float s[16][16], t[16][16];
  int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {{
    s[y][x] = a[i * n + k + x]; t[y][x] = b[(k + y) * n + j];
    __syncthreads();
    for (int m = 0; m < 16; m++) sum += s[y][m] * t[m][x];
    __syncthreads();
  }}
  c[i * n + j] = sum;
}}
int main() {{
  float *a, *b, *c; int n = {n};
  cudaMalloc(&a, 4l * n * n); cudaMalloc(&b, 4l * n * n); cudaMalloc(&c, 4l * n * n);
  product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}}
"""


def product(tmp_path: Path, n: int):
    path = tmp_path / "product.cu"
    path.write_text(_PRODUCT.format(n=n))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    return kernel, [a for a in kernel.assumptions if a.kind is AssumptionKind.CACHE]


def test_a_matrix_as_large_as_the_l2_may_be_read_again_or_not(tmp_path: Path) -> None:
    """67 MB of each matrix and 50 MB of L2: the text states both sums, whose logarithms lie twice the weight apart."""
    kernel, (said,) = product(tmp_path, 4096)
    words = said.text.split()
    low, high = float(words[words.index("L2:") + 1]), float(words[words.index("to") + 1])
    assert said.weight == pytest.approx(0.5 * math.log(high / low), rel=0.01)
    assert low <= 1.01 * kernel.traffic.steady.total_bytes / 1e9 <= 1.02 * high


@pytest.mark.parametrize("n", [512, 8192])
def test_what_fits_and_what_never_does_is_not_in_doubt(tmp_path: Path, n: int) -> None:
    _, said = product(tmp_path, n)
    assert not said


def test_room_is_scaled_for_single_and_shared_data_alike() -> None:
    shipped = memory_parameters()
    wider = with_room(shipped, 2.0)
    card = load_gpu("h200-sxm")
    assert wider.usable_l2_bytes(card) == 2.0 * shipped.usable_l2_bytes(card)
    assert wider.copies_of_shared(card) == shipped.copies_of_shared(card)
