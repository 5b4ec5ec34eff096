"""Gathers through an index array find neighbours near each other, as a rule; elements of a list lie anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_COUNT = 1 << 24


@pytest.mark.parametrize(
    ("index", "is_chased"), [("list[i]", True), ("list[i] >> 32", True), ("order[i]", False)]
)
def test_only_chased_pointers_fall_anywhere(tmp_path: Path, index: str, *, is_chased: bool) -> None:
    """2^24 elements of 8 bytes, 134 MB, of which an H100 keeps 42 MB at most: each of 2^24 random ones costs 64 bytes or so.

    What is read once is 134 MB of the list, and as much of the array of indices where there is one.
    """
    path = tmp_path / "chase.cu"
    path.write_text(f"""
    __global__ void k(const long *list, const long *order, long *out) {{
      long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
      out[i] = list[{index}];
    }}
    int main() {{
      long *list, *order, *out;
      cudaMalloc(&list, {8 * _COUNT}); cudaMalloc(&order, {8 * _COUNT}); cudaMalloc(&out, {8 * _COUNT});
      k<<<{_COUNT // 256}, 256>>>(list, order, out);
    }}
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    read, once = kernel.traffic.profiled.read_bytes, 8 * _COUNT
    if is_chased:
        assert once + 0.6 * 64 * _COUNT < read < once + 64 * _COUNT
    else:
        assert read <= 2.05 * once


def test_what_an_array_of_the_thread_keeps_leads_on(tmp_path: Path) -> None:
    """64 threads of 128 blocks mix 256 rows of 128 bytes into eight words, the first of which is the next row: 268 MB.

    They look at 2^21 rows, 16 bytes of a lane at a time, for each of which 64 bytes are fetched if the L2 has lost them.
    """
    path, lanes, rows = tmp_path / "mix.cu", 8192, 256
    path.write_text(f"""
    __global__ void k(const uint4 *table, unsigned *out) {{
      unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x[8];
      for (int i = 0; i < 8; i++) x[i] = t * 8 + i;
      for (int n = 0; n < {rows}; n++) {{
        unsigned row = x[0] & {rows - 1};
        for (int i = 0; i < 8; i++) {{
          uint4 v = table[(row * 8 + i) * {lanes} + t];
          x[i] ^= v.x + v.y + v.z + v.w;
        }}
        for (int i = 0; i < 8; i++) x[i] = (x[i] << 7 | x[i] >> 25) + x[(i + 1) % 8];
      }}
      out[t] = x[0];
    }}
    int main() {{
      uint4 *table; unsigned *out;
      cudaMalloc(&table, {128 * lanes * rows}); cudaMalloc(&out, {4 * lanes});
      k<<<{lanes // 64}, 64>>>(table, out);
    }}
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    asked = 8 * 64 * lanes * rows
    assert 0.7 * asked < kernel.traffic.profiled.read_bytes < asked
