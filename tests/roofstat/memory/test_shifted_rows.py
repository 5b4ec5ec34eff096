"""Even steps that data shift by an element or none: seams taken out of pictures, upwind differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware.catalogue import load_gpu

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_that_data_shift_are_read_whole(tmp_path: Path) -> None:
    """An element further from an unknown column on: all of the 134 MB, not the 73 % that requests at random places would meet."""
    path, width, height = tmp_path / "shift.cu", 8192, 4096
    path.write_text(f"""
    __global__ void k(const float *from, float *to, const int *column) {{
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
      if (x < {width - 1}) to[y * {width} + x] = from[y * {width} + x + (x >= column[y] ? 1 : 0)];
    }}
    int main() {{
      float *from, *to; int *column;
      cudaMalloc(&from, {4 * width * height}); cudaMalloc(&to, {4 * width * height}); cudaMalloc(&column, {4 * height});
      k<<<dim3({width // 256}, {height}), 256>>>(from, to, column);
    }}""")
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    assert 0.98 < kernel.traffic.profiled.read_bytes / (4 * width * height) < 1.02
