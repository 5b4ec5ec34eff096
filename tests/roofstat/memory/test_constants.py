"""Loads from constant memory: one address after the other where threads of a warp want different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.report import BoundBy, MemorySpace

if TYPE_CHECKING:
    from pathlib import Path

_PROGRAM = """
__constant__ float table[1024];
struct Filter {{ float weights[64]; }};
__global__ void k(const int *x, float *y, Filter f) {{
  int t = blockIdx.x * 256 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 64; k++) s += {load};
  y[t] = s;
}}
int main() {{
  int *x; float *y; Filter f;
  cudaMalloc(&x, 1 << 26); cudaMalloc(&y, 1 << 26);
  k<<<65536, 256>>>(x, y, f);
}}
"""
_REQUESTS = 65536 * 8 * 64


def run(tmp_path: Path, load: str):
    path = tmp_path / "constants.cu"
    path.write_text(_PROGRAM.format(load=load))
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    return kernel


@pytest.mark.parametrize(
    ("load", "addresses"),
    [
        ("table[(threadIdx.x + k) & 1023]", 32),
        ("table[((threadIdx.x >> 2) + k) & 1023]", 8),
        ("table[(threadIdx.x % 3 + k) & 1023]", 3),
        ("f.weights[(threadIdx.x + k) & 63]", 32),
    ],
)
def test_each_address_is_a_turn_of_the_cache(tmp_path: Path, load: str, addresses: int) -> None:
    """An SM serves half an address a clock: 33.6 M requests of 32 addresses take 132 SMs of 1.98 GHz 8.2 ms."""
    kernel = run(tmp_path, load)
    (access,) = (each for each in kernel.accesses if each.space is MemorySpace.CONSTANT)
    assert access.wavefronts_per_request == pytest.approx(addresses, rel=0.01)
    assert access.requests == pytest.approx(_REQUESTS)
    expected = _REQUESTS * addresses / (0.5 * 132 * 1.98e9)
    assert kernel.times_s[BoundBy.CONSTANT] == pytest.approx(expected, rel=0.01)


def test_numbers_in_no_order_meet_at_few_addresses(tmp_path: Path) -> None:
    """32 draws from 1,024 places find 1024 * (1 - (1023 / 1024) ** 32) = 31.5 of them."""
    kernel = run(tmp_path, "table[(x[t] + k) & 1023]")
    (access,) = (each for each in kernel.accesses if each.space is MemorySpace.CONSTANT)
    assert access.wavefronts_per_request == pytest.approx(31.5, rel=0.05)
    assert kernel.bound_by is BoundBy.CONSTANT


@pytest.mark.parametrize("load", ["table[k]", "table[(blockIdx.x + k) & 1023]", "f.weights[k]"])
def test_one_address_for_a_warp_costs_nothing(tmp_path: Path, load: str) -> None:
    kernel = run(tmp_path, load)
    assert BoundBy.CONSTANT not in kernel.times_s
    assert not [each for each in kernel.accesses if each.space is MemorySpace.CONSTANT]
