"""Quantities of the memory model that are zero where others are divided by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from synthetic import Access, Kernel, sampled_trace

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.memory import local
from roofstat.memory.affine import fit_site
from roofstat.memory.lane_pairs import LanePairs
from roofstat.memory.pointers import Remainder
from roofstat.memory.sites import collect_sites

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_OUTSIDE = """
__global__ void outside(int n) {
  double a[8], s = 0;
  #pragma unroll 1
  for (int k = 0; k < n; k++) s += a[k - 8];
  if (s == 3.0) __trap();
}
int main() { outside<<<1024, 256>>>(6); }
"""


def test_a_remainder_that_moves_no_byte_is_no_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of an index into elements without a size: 48 places, over and over."""
    remainder = Remainder(divisor=48, unit_bytes=0)
    monkeypatch.setattr(LanePairs, "remainders", lambda *_: (remainder,))
    trace = sampled_trace(Kernel((64, 1, 1), (128, 1, 1), [Access(lambda t: t.x % 48 * 4)]))
    fit = fit_site(collect_sites(trace)[0][0], LanePairs(trace))
    assert fit.wrapped is None


def test_private_arrays_of_which_no_place_is_reached_leave_no_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """6 requests of 8 bytes for each of 262,144 threads."""
    monkeypatch.setattr(local, "find_walks", lambda *_: [])
    path = tmp_path / "outside.cu"
    path.write_text(_OUTSIDE)
    result = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm")))
    assert result.errors == ()
    (kernel,) = result.kernels
    assert kernel.traffic.local_bytes == np.prod([6, 8, 1024, 256])
