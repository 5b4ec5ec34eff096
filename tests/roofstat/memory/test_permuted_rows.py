"""Rows that threads go to in an order of their own: each is read once, and only drawn ones are read again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_ROWS = 20_000
_ROW_BYTES = 2048
_TEXT = """
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>
__global__ void gather(const float4 *in, float4 *out, const int *table) {
  int b = blockIdx.x;
  out[b * 128 + threadIdx.x] = in[table[b] * 128 + threadIdx.x];
}
__global__ void place(int *slots, int *filled, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slots[i] = atomicAdd(&filled[i % 16], 1);
}
int main(int argc, char **argv) {
  int n = 20000, used = USED;
  std::vector<int> table(n);
  HOST
  float4 *in, *out; int *d, *filled;
  cudaMalloc(&in, 2048L * n); cudaMalloc(&out, 2048L * n); cudaMalloc(&d, 4 * n); cudaMalloc(&filled, 64);
  cudaMemcpy(d, table.data(), 4 * n, cudaMemcpyHostToDevice);
  KERNEL
  gather<<<used, 128>>>(in, out, d);
}
"""
_IDENTITY = "for (int i = 0; i < n; i++) table[i] = i;"
_ORDERS = {
    "swap": f"{_IDENTITY} for (int i = n - 1; i > 0; i--) std::swap(table[i], table[rand() % (i + 1)]);",
    "seeded": f"srand(1); {_IDENTITY} for (int i = n - 1; i > 0; i--) std::swap(table[i], table[rand() % (i + 1)]);",
    "by hand": f"{_IDENTITY} for (int i = n - 1; i > 0; i--) {{ int j = rand() % (i + 1), t = table[i]; table[i] = table[j]; table[j] = t; }}",
    "shuffle": "std::iota(table.begin(), table.end(), 0); std::mt19937 g(1); std::shuffle(table.begin(), table.end(), g);",
}
_DRAWN = "for (int i = 0; i < n; i++) table[i] = rand() % n;"


def _read_rows(folder: Path, host: str, used: int, kernel: str = "") -> float:
    path = folder / "a.cu"
    path.write_text(
        _TEXT.replace("HOST", host).replace("USED", str(used)).replace("KERNEL", kernel)
    )
    kernels = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    (access,) = (
        access
        for each in kernels
        if each.name == "gather"
        for access in each.accesses
        if access.array == "in"
    )
    assert access.footprint_bytes is not None
    return access.footprint_bytes / _ROW_BYTES


@pytest.mark.parametrize("order", _ORDERS)
@pytest.mark.parametrize("share", [0.25, 0.7, 1.0])
def test_shuffled_rows_are_read_once(tmp_path: Path, order: str, share: float) -> None:
    used = int(share * _ROWS)
    assert _read_rows(tmp_path, _ORDERS[order], used) == pytest.approx(used, rel=0.01)


@pytest.mark.parametrize("share", [0.7, 1.0])
def test_drawn_rows_meet(tmp_path: Path, share: float) -> None:
    expected = _ROWS * (1 - math.exp(-share))
    assert _read_rows(tmp_path, _DRAWN, int(share * _ROWS)) == pytest.approx(expected, rel=0.02)


def test_as_many_rows_as_there_are_by_places_that_a_kernel_counts(tmp_path: Path) -> None:
    kernel = "place<<<(n + 255) / 256, 256>>>(d, filled, n);"
    assert _read_rows(tmp_path, "", _ROWS, kernel) == pytest.approx(_ROWS, rel=0.01)


def test_a_drawn_row_has_one_room_for_each_of_its_lines(tmp_path: Path) -> None:
    """600,000 rows of 384 bytes are drawn from 120,000, the lines of which (46 MB) take 1.6 times their size of the L2's 52 MB.

    Of a cache that holds 71 % of the rows, 29 % of the draws are lost that meet a row again: 46 MB + 0.29 * 184 MB.
    """
    path = tmp_path / "a.cu"
    path.write_text("""
    #include <cstdlib>
    #include <vector>
    __global__ void bags(const float4 *table, float4 *out, const int *ids, int n) {
      int b = blockIdx.x * 5 + threadIdx.y;
      float s = 0;
      for (int k = 0; k < 30; k++) s += table[ids[b * 30 + k] * 24 + threadIdx.x].x;
      if (s == 12.5f) out[b] = make_float4(s, s, s, s);
    }
    int main() {
      int vocab = 120000, n = 20000;
      std::vector<int> ids(30 * n);
      for (int i = 0; i < 30 * n; i++) ids[i] = rand() % vocab;
      float4 *table, *out; int *d;
      cudaMalloc(&table, 384L * vocab); cudaMalloc(&out, 16L * n); cudaMalloc(&d, 120L * n);
      cudaMemcpy(d, ids.data(), 120L * n, cudaMemcpyHostToDevice);
      bags<<<n / 5, dim3(24, 5)>>>(table, out, d, n);
    }
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    read = kernel.traffic.profiled.read_bytes
    assert read is not None
    assert read == pytest.approx(46.1e6 + 0.29 * 184e6 + 2.4e6, rel=0.1)
