"""Rows of kernels that are not in the source: of a call whose size the host tells, and of one that only the grid tells."""

from __future__ import annotations

from roofstat.analysis.pipeline import analyze_program
from roofstat.evaluation.evaluation import LaunchMode
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.outcome import FailureKind
from roofstat.evaluation.runner import evaluate

TEXT = """
#include <cub/cub.cuh>
int size();
int main() {
  int n = 1000000, m = size();
  float *x, *y;
  void *storage;
  size_t bytes = 1000;
  cudaMalloc(&storage, bytes);
  cudaMalloc(&x, 4 * n);
  cudaMalloc(&y, 4 * n);
  cub::DeviceReduce::Sum(storage, bytes, x, y, n);
  cub::DeviceScan::InclusiveSum(storage, bytes, x, y, m);
}
"""
SUM = "void reduce::DeviceReduceKernel<reduce::policy_hub<float, unsigned int, cuda::plus<void>>::Policy1000, float *>(T2)"
SCAN = "void scan::DeviceScanKernel<scan::policy_hub<float, float>::Policy1000, float *, float *, cub::NullType>(T2, T3)"


def outcomes(sources, *rows, mode=LaunchMode.LABELS):
    (sources / "scale-cuda" / "main.cu").write_text(TEXT)
    return evaluate(rows, sources, analyzer=analyze_program, launch=mode).outcomes


def test_rows_of_library_kernels_are_predicted(sources, make_row):
    measured = {Quantity.SP_FLOP: 1.0, Quantity.INT_OP: 1.0, Quantity.DRAM_BYTES: 1e6}
    total = make_row(kernel=SUM, grid=(245, 1, 1), block=(256, 1, 1), measured=measured)
    scan = make_row(kernel=SCAN, grid=(100, 1, 1), block=(128, 1, 1), measured=measured)
    first, second = outcomes(sources, total, scan)
    assert first.prediction.grid == (245, 1, 1)
    # a million floats are read
    assert 4e6 < first.prediction.amounts[Quantity.DRAM_BYTES] < 4.05e6
    assert first.right
    # 100 tiles of 3,072 floats; what is written stays in the L2
    assert second.prediction.grid == (100, 1, 1)
    assert 4 * 307_200 < second.prediction.amounts[Quantity.DRAM_BYTES] < 4.1 * 307_200 + 30_000
    assert second.right


def test_without_its_launch_a_row_of_unknown_size_has_no_prediction(sources, make_row):
    row = make_row(kernel=SCAN, grid=(100, 1, 1), block=(128, 1, 1))
    (outcome,) = outcomes(sources, row, mode=LaunchMode.INFERRED)
    assert outcome.failure.kind is FailureKind.MATCH
