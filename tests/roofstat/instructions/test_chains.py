"""How long one warp takes on its own."""

import pytest

from roofstat.instructions.chains import Latencies, warp_clocks

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
