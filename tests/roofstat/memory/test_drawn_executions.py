"""Of the executions of an access some are looked at; they stand for all, however few lanes others have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_LOOKUPS = 1 << 22
_KERNEL = """
__global__ void look(const unsigned *table, const unsigned *keys, unsigned *found) {
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < 1 << 22; i += gridDim.x * 256) {
    unsigned key = keys[i], at = key * 2654435769u >> 8;
    while (true) {
      unsigned other = table[at];
      if (other == key) { sum += at; break; }
      if (other == ~0u) break;
      at = (at + 1) & 0xffffff;
    }
  }
  found[blockIdx.x * 256 + threadIdx.x] = sum;
}
int main() {
  unsigned *table, *keys, *found;
  cudaMalloc(&table, 4 << 24); cudaMalloc(&keys, 4 << 22); cudaMalloc(&found, 4 << 17);
  look<<<512, 256>>>(table, keys, found);
}
"""


def test_first_and_last_steps_of_a_search_have_their_shares(tmp_path: Path) -> None:
    """Half of the lanes leave with each step: two probes of a lookup, each in a sector of its own, in 6.3 requests a warp.

    The maximum of 32 such searches has a mean of 6.3 steps, most of them with one or two lanes.
    """
    path = tmp_path / "look.cu"
    path.write_text(_KERNEL)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("rtx3080"))).kernels
    (probe,) = [access for access in kernel.accesses if access.array == "table"]
    assert probe.requests == pytest.approx(6.3 * _LOOKUPS / 32, rel=0.1)
    assert probe.requests * probe.sectors_per_request == pytest.approx(2 * _LOOKUPS, rel=0.1)
