"""Elements of constant arrays that the compiler knows are not requested."""

from __future__ import annotations

import pytest

from roofstat.hardware import load_gpu
from roofstat.instructions.model import CompilerFlags, count_instructions
from roofstat.instructions.tables.costs import Compiler
from roofstat.memory.model import model_memory

TEXT = """
__device__ {qualifier} int off[9] = {{0, 1, 2, 5, 7, 11, 13, 17, 19}};
__global__ void k(const float *a, float *c) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int q = 0; q < 9; q++) s += a[i + off[q]];
  c[i] = s;
}}"""


@pytest.mark.parametrize(("qualifier", "requests"), [("const", 9), ("", 18)])
def test_requests_of_elements_that_the_compiler_knows(run, qualifier, requests):
    ran = run(
        TEXT.format(qualifier=qualifier),
        grid=64,
        block=128,
        arguments={"a": 64 * 128 + 20, "c": 64 * 128},
    )
    counts = count_instructions(
        ran.trace, compiler=Compiler.NVCC, architecture="sm_80", flags=CompilerFlags()
    )
    traffic = model_memory(
        ran.trace,
        load_gpu("a100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=counts.local_slots,
        known_loads=counts.known_loads,
    )
    assert traffic.global_load_requests == pytest.approx(requests * 64 * 4)
