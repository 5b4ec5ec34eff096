"""Private arrays in memory and other stores share the room that the L2 has for dirty lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.memory.parameters import memory_parameters
from roofstat.memory.write_back import kept_in_l2

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.memory.records import DramTraffic

_KERNEL = """
__global__ void k(const float *x, float *y, int n, int k) {{
  int i = blockIdx.x * 128 + threadIdx.x;
  float p[20], sum = 0;
  for (int turn = 0; turn < {turns}; turn++) {{
    for (int c = 0; c < k; c++) {{ p[c] = x[i] * c + sum; sum += p[c]; }}
    for (int c = 0; c < k; c++) y[(turn * k + c) * n + i] = p[c] / sum;
  }}
}}
int main() {{
  int n = 2048 * 128;
  float *x, *y;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, {turns} * n * 80);
  k<<<2048, 128>>>(x, y, n, 20);
}}
"""
_ARRAYS = 2048 * 128 * 80
"""Bytes of all arrays, each in 128-byte lines of its own: the launch is one wave."""
_DIRTY = 0.46 * 50 * 2**20 - 2_350_000
"""What a GH100 keeps, less what others leave in it."""


def traffic(path: Path, turns: int) -> DramTraffic:
    path.write_text(_KERNEL.format(turns=turns))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    return kernel.traffic.profiled


def test_private_and_other_dirty_lines_share_the_room_of_the_l2(tmp_path: Path) -> None:
    """21 MB each: alone both would stay, together about half of it goes out."""
    found = traffic(tmp_path / "once.cu", 1)
    assert found.write_bytes == pytest.approx(2 * _ARRAYS - _DIRTY, rel=0.07)


def test_arrays_leave_with_each_turn_where_more_is_stored_in_between(tmp_path: Path) -> None:
    """An eighth of what 8 turns write to `y` comes between two turns to the array: 41.9 MB at the places of 21.8 MB.

    Half of that are other stores, before which hardly a line finds room until its next turn; how much of the array's own goes out
    depends on how many threads are at work at a time. What is left when the launch ends is shared by one array and nine.
    """
    found = traffic(tmp_path / "often.cu", 8)
    arrays = 8 * _ARRAYS - _DIRTY / 9
    others = 8 * _ARRAYS - _DIRTY * 8 / 9
    assert others + 0.5 * arrays < found.write_bytes < 1.05 * (others + arrays)


@pytest.mark.parametrize(("written_mb", "leaked_mb"), [(14.7, 0.0), (20.9, 0.7), (45.1, 21.0)])
def test_dirty_lines_leak_before_there_is_no_room_left(written_mb: float, leaked_mb: float) -> None:
    """Room for 24.1 MB on a GH100: a little below it, and the rest of more than there is room for."""
    kept = kept_in_l2(load_gpu("h100-sxm"), written_mb * 1e6, 1.0, memory_parameters())
    assert written_mb - kept / 1e6 == pytest.approx(leaked_mb, rel=0.2, abs=0.01)


_TWICE = """
__global__ void twice(int *y, int n) {
  int *row = y + (blockIdx.x * 64 + threadIdx.x) * n, sum = 0;
  for (int c = 0; c < n; c++) { sum += c; row[c] = sum; }
  for (int c = n - 1; c >= 0; c--) row[c] = row[c] * sum;
}
int main() {
  int n = 320;
  int *y;
  cudaMalloc(&y, 102400 * n * 4);
  twice<<<1600, 64>>>(y, n);
}
"""
_ROWS = 102_400 * 320 * 4


def test_what_was_written_and_has_left_the_l2_is_read_again(tmp_path: Path) -> None:
    """All 102,400 threads are resident and write 131 MB before they turn back to the first of it: all is read, and written twice."""
    path = tmp_path / "twice.cu"
    path.write_text(_TWICE)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    found = kernel.traffic.profiled
    assert found.read_bytes == pytest.approx(_ROWS, rel=0.01)
    assert 2 * _ROWS - _DIRTY <= found.write_bytes + 0.25 * _DIRTY <= 2 * _ROWS


_HASHED = """
__global__ void look(const float *table, unsigned *found) {
  unsigned i = blockIdx.x * 128 + threadIdx.x, h = i * 2654435761u, sum = 0;
  for (int k = 0; k < 16; k++) {
    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;
    sum += table[h % 81920u * 32] > 0.5f;
  }
  found[i] = sum;
}
int main() {
  float *table; unsigned *found;
  cudaMalloc(&table, 81920 * 128); cudaMalloc(&found, 65536 * 4);
  look<<<512, 128>>>(table, found);
}
"""


def test_random_loads_find_as_much_as_the_whole_l2_holds(tmp_path: Path) -> None:
    """2^20 words, each of one of 81,920 lines, of which 5 MB hold half: each second one misses, and all do at first."""
    path = tmp_path / "look.cu"
    path.write_text(_HASHED)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("rtx3080"))).kernels
    misses = kernel.traffic.profiled.read_bytes / 32
    assert misses == pytest.approx(0.5 * 2**20 + 0.5 * 40_960, rel=0.07)


_TRIANGLES = """
__global__ void triangles(double *a, int batch) {
  int m = blockIdx.x * 256 + threadIdx.x;
  double v = m;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      v = v * 0.7 + i - j;
      a[(i * 6 + j) * batch + m] = v;
      a[(j * 6 + i) * batch + m] = v;
    }
}
int main() {
  int batch = 640 * 256;
  double *a;
  cudaMalloc(&a, batch * 288);
  triangles<<<640, 256>>>(a, batch);
}
"""


def test_both_halves_of_square_matrices_are_written(tmp_path: Path) -> None:
    """163,840 matrices of 36 doubles, which the L2 keeps as far as it can."""
    path = tmp_path / "triangles.cu"
    path.write_text(_TRIANGLES)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    assert kernel.traffic.steady.write_bytes == pytest.approx(163_840 * 288, rel=0.01)


_CENTRED = """
__global__ void centre(float *x, int n) {
  float *row = x + blockIdx.x * n, most = 0;
  for (int c = threadIdx.x; c < n; c += 256) most = fmaxf(most, row[c]);
  for (int c = threadIdx.x; c < n; c += 256) row[c] -= most;
}
int main() {
  float *x;
  cudaMalloc(&x, 128 << 20);
  centre<<<128, 256>>>(x, 1 << 18);
}
"""


def test_passes_over_what_is_overwritten_leave_all_of_the_room_to_it(tmp_path: Path) -> None:
    """134 MB, read twice and written in place: in the end all lines that the L2 can keep dirty are."""
    path = tmp_path / "centre.cu"
    path.write_text(_CENTRED)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    assert kernel.traffic.profiled.read_bytes == pytest.approx(2 << 27, rel=0.01)
    assert kernel.traffic.profiled.write_bytes == pytest.approx((1 << 27) - _DIRTY, rel=0.01)
