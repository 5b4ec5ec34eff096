"""Probes of a table with open addressing go on from the place where they began."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.report import KernelReport

_LOOKUPS = 1 << 20
_KERNEL = """
struct Slot { unsigned key, value; };
__global__ void look(const Slot *t, const unsigned *keys, unsigned *found) {
  unsigned i = blockIdx.x * 256 + threadIdx.x, key = keys[i], s = key;
  s ^= s >> 16; s *= 0x85ebca6b; s ^= s >> 13; s *= 0xc2b2ae35; s = (s ^ s >> 16) & ((1u << 24) - 1);
  while (true) {
    if (t[s].key == key) { found[i] = 1; return; }
    if (t[s].key == ~0u) { found[i] = 0; return; }
    s = (s + 1) & ((1u << 24) - 1);
  }
}
int main() {
  Slot *t; unsigned *keys, *found;
  cudaMalloc(&t, 8 << 24); cudaMalloc(&keys, 4 << 20); cudaMalloc(&found, 4 << 20);
  look<<<4096, 256>>>(t, keys, found);
}
"""


@pytest.fixture
def looked(tmp_path: Path) -> KernelReport:
    path = tmp_path / "look.cu"
    path.write_text(_KERNEL)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("rtx3080"))).kernels
    return kernel


def test_steps_from_a_place_that_nobody_knows_stay_near_it(looked: KernelReport) -> None:
    """134 MB of table beside 5 MB of L2: two probes of 8 bytes a lookup touch 1.25 sectors, of which 4 % are there."""
    table = looked.traffic.profiled.read_bytes - 4 * _LOOKUPS
    assert table == pytest.approx(1.25 * 32 * _LOOKUPS * (1 - 5 / 134), rel=0.1)


def test_what_lanes_leave_with_is_loaded_again_by_none(looked: KernelReport) -> None:
    """The stores end the search of those that make them: others compare the key that they have."""
    assert [access.line for access in looked.accesses if access.array == "t.key"] == [7]


_RECORDS = """
#include <stdlib.h>
#include <algorithm>
#include <vector>
struct Key { unsigned w[4]; };
#pragma omp declare target
static int compare(const Key &a, const unsigned *b) {
  for (int i = 0; i < 4; ++i)
    if (a.w[i] != b[i]) return a.w[i] < b[i] ? -1 : 1;
  return 0;
}
static int find(const Key *list, int n, const unsigned *key) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int middle = (low + high) >> 1, order = compare(list[middle], key);
    if (order == 0) return middle;
    if (order < 0) low = middle + 1; else high = middle - 1;
  }
  return -1;
}
#pragma omp end declare target
int main() {
  const int n = 1 << 20;
  std::vector<Key> table(n), wanted(n);
  std::vector<int> found(n);
  for (int i = 0; i < n; ++i) for (int k = 0; k < 4; ++k) table[i].w[k] = rand();
  for (int i = 0; i < n; ++i) for (int k = 0; k < 4; ++k) wanted[i].w[k] = rand();
  std::sort(table.begin(), table.end(), [](const Key &a, const Key &b) { return compare(a, b.w) < 0; });
  const Key *t = table.data(), *q = wanted.data();
  int *f = found.data();
  #pragma omp target teams distribute parallel for map(to: t[0:n], q[0:n]) map(from: f[0:n])
  for (int i = 0; i < n; ++i) f[i] = find(t, n, q[i].w);
}
"""


def test_steps_of_a_search_are_those_of_the_loop_that_takes_it_on(tmp_path: Path) -> None:
    """Keys of four words among 2^20 sorted ones: the first word decides, and the loop over the words says nothing of the steps.

    Replayed in a cache of 33,000 lines (4.2 MB, what an RTX 3080 keeps of 16.8 MB), a search misses 4.75 sectors; each key is read once.
    """
    path = tmp_path / "find.cpp"
    path.write_text(_RECORDS)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("rtx3080"))).kernels
    missed = (kernel.traffic.profiled.read_bytes - 16 * _LOOKUPS) / 32 / _LOOKUPS
    assert missed == pytest.approx(4.75, rel=0.25)
