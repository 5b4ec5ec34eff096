"""What loops load together, from source to DRAM bytes.

Each of 408 * 256 threads walks over two rows of 4 KiB of its own by floats, all at once on an RTX 3080: a line of 128 bytes
for each row is 26.7 MB, and 393 KB on each SM. Neither 5 MB of L2 nor 128 KB of L1 hold that, so what each thread reads is
gone before it comes again, unless it comes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_THREADS = 408 * 256
_ROW = 1024

WALKS = [
    # Four copies of the body: 16 of the 32 bytes of a sector at once, so that each comes twice.
    ("for (int j = 0; j < n; j++) s += a[j] * b[j];", 2),
    # Loads do not pass stores that may change what they load: every float on its own.
    ("for (int j = 0; j < n; j++) { s += a[j] * b[j]; o[j & 1] = s; }", 8),
    ("\n#pragma unroll 1\nfor (int j = 0; j < n; j++) s += a[j] * b[j];", 8),
    # A loop inside that is copied in whole.
    (
        "\n#pragma unroll 1\nfor (int j = 0; j < n; j += 2) for (int k = 0; k < 2; k++) s += a[j + k] * b[j + k];",
        4,
    ),
    # Two such loops in one iteration are one piece of code.
    (
        """
        #pragma unroll 1
        for (int j = 0; j < n; j += 4) {
          for (int k = 0; k < 2; k++) s += a[j + k] * b[j + k];
          for (int k = 2; k < 4; k++) s -= a[j + k] * b[j + k];
        }""",
        2,
    ),
    (
        "for (int j = 0; j < n; j++) { s += a[j] * b[j]; __syncthreads(); }",
        8,
    ),
]


@pytest.mark.parametrize(("walk", "times"), WALKS)
def test_sectors_come_once_for_loads_that_go_out_together(
    tmp_path: Path, walk: str, times: int
) -> None:
    path = tmp_path / "walk.cu"
    path.write_text(f"""
    __global__ void k(const float *x, const float *y, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      const float *a = x + i * n, *b = y + i * n;
      float *o = out + 2 * i;
      float s = 0;
      {walk}
      o[0] = s;
    }}
    int main() {{
      float *x, *y, *o;
      cudaMalloc(&x, {4 * _THREADS * _ROW}); cudaMalloc(&y, {4 * _THREADS * _ROW});
      cudaMalloc(&o, {8 * _THREADS});
      k<<<{_THREADS // 256}, 256>>>(x, y, o, {_ROW});
    }}
    """)
    result = analyze_program([path], AnalysisOptions(gpu=load_gpu("rtx3080")))
    read = sum(each.traffic.profiled.read_bytes for each in result.kernels)
    assert read == pytest.approx(times * 2 * 4 * _THREADS * _ROW, rel=0.05)
