"""Where the loads hit that a warp waits for."""

from __future__ import annotations

import pytest

from roofstat.report import Compiler, MemoryLevel, WarpStep

SOURCE = """
__global__ void add(int *to, const int *from, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) to[i] += from[i];
}
int main() {
  int *to, *from;
  cudaMalloc(&to, 4096 * sizeof(int));
  cudaMalloc(&from, 4096 * sizeof(int));
  add<<<16, 256>>>(to, from, 1000);
}
"""


def test_what_goes_through_to_the_l2_makes_no_load_wait(kernel_of):
    """Each thread reads its own elements again and again: the first time from DRAM, later from L1, 1 in 1,000 apart.

    Stores write through, so that as many bytes reach the L2 as loads ask for; no load waits for those.
    """
    kernel = kernel_of(SOURCE, "rtx3080")
    assert kernel.traffic.l2_bytes == pytest.approx(4096 * 4 * 1000, rel=0.01)
    assert kernel.latency is not None
    assert kernel.latency.level_shares[MemoryLevel.L1] == pytest.approx(0.999, abs=0.002)


def test_what_a_loop_keeps_in_a_register_is_loaded_and_waited_for_once(kernel_of):
    """Without aliases, stores behind the loop are enough and the element is loaded before it: one wait for both arrays."""
    text = SOURCE.replace(
        "int *to, const int *from,", "int *__restrict__ to, const int *__restrict__ from,"
    )
    latency = kernel_of(text, "rtx3080", compiler=Compiler.CLANG).latency
    assert latency is not None
    assert latency.step_clocks[WarpStep.LOAD] == pytest.approx(latency.load_clocks, rel=0.2)
