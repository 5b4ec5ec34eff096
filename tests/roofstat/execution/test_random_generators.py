"""curand's device functions: the work of a draw, and draws that are spread as they should be."""

from __future__ import annotations

import pytest

from roofstat.program.code import Op

HEAD = "#include <curand_kernel.h>\n"


def test_draws_are_spread_evenly_over_the_unit_square(run):
    text = f"""{HEAD} __global__ void k(int *hits) {{
      curandState state;
      curand_init(1234, 0, 0, &state);
      float x = curand_uniform(&state), y = curand_uniform(&state);
      if (x * x + y * y < 1.0f) hits[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    }}"""
    ran = run(text, grid=32, block=256)
    # A quarter of a circle: pi / 4 of the square.
    assert ran.stores("hits") / (32 * 256) == pytest.approx(3.1416 / 4, rel=0.1)
    assert not any(item.kind in ("branch", "library-call") for item in ran.trace.assumptions)


def test_the_steps_of_a_generator_are_counted(run):
    text = f"""{HEAD} __global__ void k(curandState *states, unsigned *out) {{
      curandState state = states[threadIdx.x];
      out[threadIdx.x] = curand(&state);
      states[threadIdx.x] = state;
    }}"""
    ran = run(text, grid=1, block=32)
    # xorwow: three shifts, four exclusive ors, two sums; each of them for every thread.
    assert ran.executions(Op.XOR) == 4 * 32
    assert ran.executions(Op.SHL) + ran.executions(Op.SHR) == 3 * 32


def test_normal_numbers_come_in_pairs(run):
    text = f"""{HEAD} __global__ void k(float *out) {{
      curandStatePhilox4_32_10_t state;
      curand_init(1234, threadIdx.x, 0, &state);
      float sum = 0;
      for (int i = 0; i < 8; i++) sum += curand_normal(&state);
      out[threadIdx.x] = sum;
    }}"""
    ran = run(text, grid=1, block=32)
    # Eight numbers from four pairs, with one logarithm each.
    logarithms = sum(
        threads
        for item, threads in ran.instructions()
        if item.op is Op.MATH and item.detail == "log"
    )
    assert logarithms == pytest.approx(4 * 32)
