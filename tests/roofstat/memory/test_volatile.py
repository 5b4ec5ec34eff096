"""Volatile accesses are made as often as the source says."""

from __future__ import annotations

import pytest

from roofstat.hardware import load_gpu
from roofstat.memory.model import model_memory


@pytest.mark.parametrize(
    ("declared", "access"),
    [
        ("volatile float *a", "a[i] = a[i] + 1.0f;"),
        ("float *a", "*(volatile float *)(a + i) += 1;"),
    ],
)
def test_volatile_accesses_happen_in_each_iteration(run, declared, access):
    text = f"""
    __global__ void k({declared}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      for (int step = 0; step < 100; step++) {{ {access} }}
    }}"""
    ran = run(text, grid=64, block=256, arguments={"a": 64 * 256})
    traffic = model_memory(
        ran.trace,
        load_gpu("a100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    warps = 64 * 256 // 32
    # nvcc: LDG.E.STRONG.SYS and STG.E.STRONG.SYS in each of the 100 iterations.
    assert traffic.global_load_requests == pytest.approx(100 * warps)
    assert traffic.global_store_requests == pytest.approx(100 * warps)
    # Volatile loads go past the L1: four sectors a request in both directions.
    assert traffic.l2_bytes == pytest.approx(2 * 100 * warps * 128)
