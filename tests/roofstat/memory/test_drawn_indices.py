"""Gathers through indices that the program itself draws: no locality, whatever other index arrays have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware.catalogue import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_COUNT = 1 << 24
_DRAWN = {
    "rand": "for (int i = 0; i < n; i++) h[i] = rand() % n;",
    "distribution": """std::mt19937 g(1); std::uniform_int_distribution<int> any(0, n - 1);
      for (int i = 0; i < n; i++) h[i] = any(g);""",
    "own": "unsigned s = 1; for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = (s >> 4) % n; }",
    "shuffle": "std::mt19937 g(1); std::iota(h.begin(), h.end(), 0); std::shuffle(h.begin(), h.end(), g);",
    "swaps": """for (int i = 0; i < n; i++) h[i] = i;
      for (int i = n - 1; i > 0; i--) std::swap(h[i], h[rand() % (i + 1)]);""",
    "scaled": "for (int i = 0; i < n; i++) h[i] = (int)(n * (rand() / (RAND_MAX + 1.0)));",
    "rows": """h.clear(); unsigned s = 1; auto next = [&]() { s = s * 1664525u + 1013904223u; return (s >> 4) % n; };
      for (int r = 0; r < n / 16; r++) for (int k = 0; k < 16; k++) h.push_back(next());""",
    "clamped": """h.clear();
      for (int r = 0; r < n / 16; r++) for (int k = 0; k < 16; k++) h.push_back(std::min(n - 1, rand() % n));""",
    "sorted rows": """h.clear(); for (int r = 0; r < n / 16; r++) { std::vector<int> row;
      for (int k = 0; k < 16; k++) row.push_back(rand() % n);
      std::sort(row.begin(), row.end()); row.erase(std::unique(row.begin(), row.end()), row.end());
      for (int j : row) h.push_back(j); }""",
}
_HALF_DRAWN = """h.clear(); for (int r = 0; r < n / 16; r++) for (int k = 0; k < 16; k++)
  h.push_back(k % 2 ? (int)(rand() % n) : std::min(n - 1, std::max(0, 16 * r + rand() % 512 - 256)));"""
_OTHERS = {
    "windows": "for (int i = 0; i < n; i++) h[i] = std::min(i / 256 * 256 + rand() % 256, n - 1);",
    "sorted": "for (int i = 0; i < n; i++) h[i] = rand() % n; std::sort(h.begin(), h.end());",
}


def read_bytes(path: Path, fill: str) -> float:
    """What a gather of 8 bytes for each of 2^24 indices reads on an H100, which keeps 42 of the 134 MB at most."""
    path.write_text(f"""
    #include <algorithm>
    #include <numeric>
    #include <random>
    #include <vector>
    __global__ void k(const double *x, const int *index, double *out) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = x[index[i]];
    }}
    int main() {{
      int n = {_COUNT};
      std::vector<int> h(n);
      {fill}
      double *x, *out; int *index;
      cudaMalloc(&x, n * 8L); cudaMalloc(&out, n * 8L); cudaMalloc(&index, n * 4L);
      cudaMemcpy(index, h.data(), n * 4L, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(x, index, out);
    }}""")
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    return kernel.traffic.profiled.read_bytes


@pytest.mark.parametrize("fill", _DRAWN.values(), ids=_DRAWN)
def test_each_drawn_index_fetches_its_own_sectors(tmp_path: Path, fill: str) -> None:
    """64 bytes for each of those that the cache does not hold, two thirds at least."""
    read = read_bytes(tmp_path / "drawn.cu", fill)
    assert 4 * _COUNT + 0.6 * 64 * _COUNT < read < 4 * _COUNT + 64 * _COUNT


def test_of_half_drawn_indices_half_fetch_their_own_sectors(tmp_path: Path) -> None:
    """The other half stays near the thread's own place, as in matrices with a band and some entries anywhere."""
    read = read_bytes(tmp_path / "half.cu", _HALF_DRAWN)
    assert 4 * _COUNT + 0.3 * 64 * _COUNT < read < 4 * _COUNT + 0.6 * 64 * _COUNT


@pytest.mark.parametrize("fill", _OTHERS.values(), ids=_OTHERS)
def test_indices_with_an_order_read_each_element_once(tmp_path: Path, fill: str) -> None:
    assert read_bytes(tmp_path / "order.cu", fill) < 2 * 12 * _COUNT


def test_rows_behind_drawn_indices_are_fetched_anew(tmp_path: Path) -> None:
    """2^19 rows of 256 bytes, 134 MB, drawn as often: 63 % of them at least once, and again where the cache has lost them."""
    path, rows, table = tmp_path / "rows.cu", 1 << 19, 1 << 27
    path.write_text(f"""
    #include <cstdlib>
    #include <vector>
    __global__ void k(const float *x, const int *index, float *out) {{
      int i = blockIdx.x * blockDim.y + threadIdx.y;
      out[i * 64 + threadIdx.x] = x[index[i] * 64 + threadIdx.x];
    }}
    int main() {{
      std::vector<int> h({rows});
      for (int i = 0; i < {rows}; i++) h[i] = rand() % {rows};
      float *x, *out; int *index;
      cudaMalloc(&x, {table}); cudaMalloc(&out, {table}); cudaMalloc(&index, {4 * rows});
      cudaMemcpy(index, h.data(), {4 * rows}, cudaMemcpyHostToDevice);
      k<<<{rows // 4}, dim3(64, 4)>>>(x, index, out);
    }}""")
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    assert 0.75 * table < kernel.traffic.profiled.read_bytes < table + 4 * rows


def test_rows_of_one_block_each_are_few_draws(tmp_path: Path) -> None:
    """2^12 rows of 2 kB in the L2, drawn as often: 63 % of them, though the sampled blocks have drawn no more than a few."""
    path, rows, table = tmp_path / "block_rows.cu", 1 << 12, 1 << 23
    path.write_text(f"""
    #include <cstdlib>
    #include <vector>
    __global__ void k(const float *x, const int *index, float *out) {{
      int row = index[blockIdx.x];
      for (int d = threadIdx.x; d < 512; d += blockDim.x) out[blockIdx.x * 512 + d] = x[row * 512 + d];
    }}
    int main() {{
      std::vector<int> h({rows});
      for (int i = 0; i < {rows}; i++) h[i] = rand() % {rows};
      float *x, *out; int *index;
      cudaMalloc(&x, {table}); cudaMalloc(&out, {table}); cudaMalloc(&index, {4 * rows});
      cudaMemcpy(index, h.data(), {4 * rows}, cudaMemcpyHostToDevice);
      k<<<{rows}, 128>>>(x, index, out);
    }}""")
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    assert 0.6 * table < kernel.traffic.profiled.read_bytes < 0.75 * table
