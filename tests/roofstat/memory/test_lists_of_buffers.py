"""Blocks that each take a buffer of their own from a list of pointers: those that are sampled stand for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.memory import sites

if TYPE_CHECKING:
    from pathlib import Path

_KERNEL = """
struct List { float *p[40]; };
__global__ void sums(List list, int n, float *out) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += list.p[blockIdx.y][i];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = s;
}
int main() {
  int n = 1000000, kinds = KINDS;
  List list;
  float *out;
  for (int t = 0; t < kinds; t++) cudaMalloc(&list.p[t], (n + 100 * t) * 4);
  for (int t = kinds; t < 40; t++) list.p[t] = list.p[t % kinds];
  cudaMalloc(&out, 40 * 8 * 256 * 4);
  sums<<<dim3(8, 40), 256>>>(list, n, out);
}
"""


@pytest.mark.parametrize("kinds", [40, 2])
def test_sampled_buffers_of_a_list_stand_for_others_if_there_are_any(
    tmp_path: Path, kinds: int
) -> None:
    """Buffers of 4 MB, all of which are read, by one row of blocks or by twenty."""
    path = tmp_path / "list.cu"
    path.write_text(_KERNEL.replace("KINDS", str(kinds)))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    assert kernel.traffic.profiled.read_bytes == pytest.approx(kinds * 4e6, rel=0.05)


_COLUMNS = """
struct Table { float *column[COLUMNS]; };
__global__ void sums(Table table, int n, float *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = 0;
    for (int c = 0; c < COLUMNS; c++) s += table.column[c][i];
    out[i] = s;
  }
}
int main() {
  int n = 4000000;
  Table table;
  float *out;
  for (int c = 0; c < COLUMNS; c++) cudaMalloc(&table.column[c], n * 4);
  cudaMalloc(&out, n * 4);
  sums<<<64, 256>>>(table, n, out);
}
"""


@pytest.mark.parametrize("columns", [6, 24, 48])
def test_every_column_of_a_list_that_a_thread_walks_along_is_read(
    tmp_path: Path, columns: int
) -> None:
    """Columns of 16 MB in a loop within a loop of 244 turns: an iteration cannot stand for others, nor can every second one."""
    path = tmp_path / "table.cu"
    path.write_text(_COLUMNS.replace("COLUMNS", str(columns)))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm"))).kernels
    assert kernel.traffic.profiled.read_bytes == pytest.approx(columns * 16e6, rel=0.05)
    reads = [access for access in kernel.accesses if access.array == "table.column"]
    assert sum(access.requests for access in reads) == pytest.approx(columns * 125_000, rel=0.02)
    assert sum(access.footprint_bytes for access in reads) == pytest.approx(
        columns * 16e6, rel=0.05
    )


def test_executions_on_many_buffers_need_not_stand_beside_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executions on each of 24 columns alone say what they say with all others beside them."""
    path = tmp_path / "table.cu"
    path.write_text(_COLUMNS.replace("COLUMNS", "24"))
    options = AnalysisOptions(gpu=load_gpu("h100-sxm"))
    (together,) = analyze_program([path], options).kernels
    monkeypatch.setattr(sites, "_MOST_PLACES", 0)
    (apart,) = analyze_program([path], options).kernels
    assert apart.traffic.profiled.read_bytes == pytest.approx(together.traffic.profiled.read_bytes)
    assert apart.traffic.l2_bytes == pytest.approx(together.traffic.l2_bytes)
