"""How long one warp takes on its own."""

import pytest

from roofstat.instructions.chains import Latencies, warp_clocks
from roofstat.instructions.costs import Compiler
from roofstat.instructions.model import CompilerFlags, count_instructions

LOAD = 500.0


def clocks(ran, **changes):
    return warp_clocks(ran.trace, Latencies(load=LOAD, **changes))


def test_independent_loads_wait_once(run):
    text = """
    __global__ void k(const float *x, const float *y, float *z) {
      int i = threadIdx.x;
      z[i] = x[i] + y[i];
    }"""
    ran = run(text, arguments={"x": 32, "y": 32, "z": 32})
    assert LOAD < clocks(ran) < 1.2 * LOAD


def test_a_gather_waits_twice(run):
    text = """
    __global__ void k(const int *index, const float *x, float *y) {
      int i = threadIdx.x;
      y[i] = x[index[i]];
    }"""
    ran = run(text, arguments={"index": 32, "x": 32, "y": 32})
    assert 2 * LOAD < clocks(ran) < 2.3 * LOAD


@pytest.mark.parametrize(
    ("body", "loads"),
    [("next = list[next];", 100), ("next += list[i * 32 + threadIdx.x];", 50)],
    ids=["each waits for the one before", "two at a time"],
)
def test_loads_of_a_loop(run, body, loads):
    text = f"""
    __global__ void k(const int *list, int *out) {{
      int next = threadIdx.x;
      for (int i = 0; i < 100; i++) {body}
      out[threadIdx.x] = next;
    }}"""
    ran = run(text, arguments={"list": 3200, "out": 32})
    assert clocks(ran) == pytest.approx(loads * LOAD, rel=0.2)


def test_one_thread_makes_its_warp_wait(run):
    text = """
    __global__ void k(const float *x, float *y) {
      if (threadIdx.x == 0) { float s = 0; for (int i = 0; i < 100; i++) s = s * x[i] + 1; y[0] = s; }
    }"""
    ran = run(text, arguments={"x": 100, "y": 1})
    assert clocks(ran) > 40 * LOAD


def test_an_unrolled_loop_is_as_long_as_what_it_carries(run):
    text = """
    __global__ void k(float *x) {
      float s = x[threadIdx.x], t = s;
      #pragma unroll
      for (int i = 0; i < 64; i++) { float u = t * i; u = u * u; u = u * u; s += u; }
      x[threadIdx.x] = s;
    }"""
    ran = run(text, arguments={"x": 32})
    assert clocks(ran) - LOAD == pytest.approx(64 * 4.5, rel=0.9)


def test_nothing_runs_in_no_time(run):
    ran = run("__global__ void k() {}")
    assert clocks(ran) == 0


def test_fused_and_shared_work_issues_once(run):
    """Eight independent multiply-adds on eight loads from shared memory, a hundred times, each behind a barrier."""
    text = """
    __global__ void k(float *out, float a) {
      __shared__ float s[8 * 32];
      float sums[8] = {};
      for (int i = 0; i < 100; i++) {
        __syncthreads();
        for (int j = 0; j < 8; j++) sums[j] += a * s[j * 32 + threadIdx.x];
      }
      for (int j = 0; j < 8; j++) out[j * 32 + threadIdx.x] = sums[j];
    }"""
    ran = run(text, arguments={"out": 256, "a": 2.0})
    counted = count_instructions(
        ran.trace, compiler=Compiler.NVCC, architecture="sm_90", flags=CompilerFlags()
    )
    latencies = Latencies(load=LOAD)
    whole = warp_clocks(ran.trace, latencies)
    fused = warp_clocks(ran.trace, latencies, instructions=counted.instructions)
    # At least: 8 loads, 8 multiply-adds, a barrier with 20 clocks and a load with 25 in each iteration.
    assert 100 * (8 + 8 + 20 + 25) <= fused < 0.8 * whole
