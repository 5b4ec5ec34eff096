"""How long one warp takes on its own."""

import pytest

from roofstat.instructions.model import CompilerFlags, count_instructions
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.timing.chains import warp_time
from roofstat.instructions.timing.step_costs import Latencies
from roofstat.instructions.timing.warp_steps import WarpStep

LOAD = 500.0


def clocks(ran, **changes):
    return warp_time(ran.trace, Latencies(load=LOAD, **changes)).clocks


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


@pytest.mark.parametrize(("qualifier", "loads"), [("", 100), ("__restrict__", 50)])
def test_stores_keep_the_loads_of_later_iterations_back(run, qualifier, loads):
    text = f"""
    __global__ void k(const float *{qualifier} x, float *{qualifier} y) {{
      for (int i = 0; i < 100; i++) y[i * 32 + threadIdx.x] = x[i * 32 + threadIdx.x] * 2;
    }}"""
    ran = run(text, arguments={"x": 3200, "y": 3200})
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
    # A conversion, three products, a sum, a comparison and an increment are issued; the chain of the sum is shorter.
    assert clocks(ran) - LOAD == pytest.approx(64 * 7, rel=0.3)


def run_counted(run, text, **launch):
    """The time of a warp, with loads that the compiler hoists and merges."""
    ran = run(text, **launch)
    counts = count_instructions(
        ran.trace, compiler=Compiler.NVCC, architecture="sm_90", flags=CompilerFlags()
    )
    return warp_time(ran.trace, Latencies(load=LOAD), counts=counts)


@pytest.mark.parametrize(
    "body",
    ["d = c; c = b; b = a; a = a * b + 1;", "float t = a + b; d = c; c = b; b = a; a = t;"],
)
def test_what_was_loaded_before_a_loop_is_waited_for_once(run, body):
    """The load before the loop passes through three more variables, one in each iteration."""
    text = f"""
    __global__ void k(float *x, int n) {{
      float a = x[threadIdx.x], b = 1, c = 2, d = 3;
      for (int i = 0; i < n; i++) {{ {body} }}
      x[threadIdx.x] = a + d;
    }}"""
    ran = run(text, arguments={"x": 32, "n": 100})
    # Each iteration: a sum or two dependent operations (4.5 clocks each), a comparison, an increment: at most 15 clocks.
    assert LOAD < clocks(ran) < 2 * LOAD + 100 * 15


def test_loads_that_do_not_change_are_waited_for_once(run):
    text = """
    __global__ void k(float *y, const float *x, int n) {
      float s = 0;
      for (int i = 0; i < n; i++) s = s * x[threadIdx.x] + x[0];
      y[threadIdx.x] = s;
    }"""
    time = run_counted(run, text, arguments={"y": 32, "x": 32, "n": 100})
    # Both loads together; what is left of 1 / 100 in each iteration is hidden in part.
    assert LOAD * 0.9 < time.steps[WarpStep.LOAD] < 1.5 * LOAD


def test_independent_work_in_a_block_waits_together(run):
    """As written, each load would be waited for before the next is issued."""
    text = """
    __global__ void k(float *z, const float *x, const float *y) {
      int i = threadIdx.x;
      __shared__ float s[64];
      s[i] = x[i] * 2; s[i + 32] = y[i] * 3;
      z[i] = s[63 - i];
    }"""
    ran = run(text, arguments={"z": 32, "x": 32, "y": 32})
    time = warp_time(ran.trace, Latencies(load=LOAD))
    assert time.steps[WarpStep.LOAD] == pytest.approx(LOAD, rel=0.05)


def test_a_load_behind_a_store_to_the_same_memory_waits_again(run):
    text = """
    __global__ void k(float *x, float *y) {
      int i = threadIdx.x;
      y[i] = x[i] * 2;
      y[i + 32] = x[i + 32] * 3;
    }"""
    ran = run(text, arguments={"x": 64, "y": 64})
    time = warp_time(ran.trace, Latencies(load=LOAD))
    assert time.steps[WarpStep.LOAD] == pytest.approx(2 * LOAD, rel=0.05)


def test_what_one_block_of_many_does_counts_once(run):
    """64 dependent loads of one block of 1,024, half of which wait together: once for the launch, not in each wave."""
    text = """
    __global__ void k(const int *list, int *out, int n) {
      int next = threadIdx.x;
      if (blockIdx.x == 7) { for (int i = 0; i < n; i++) next = list[next]; }
      out[blockIdx.x * 256 + threadIdx.x] = next;
    }"""
    ran = run(text, grid=1024, block=256, arguments={"list": 256, "out": 1024 * 256, "n": 64})
    time = warp_time(ran.trace, Latencies(load=LOAD))
    assert time.clocks < 0.02 * 64 * LOAD
    assert time.clocks + time.rare == pytest.approx(64 * LOAD, rel=0.15)


def test_threads_that_jumped_away_leave_the_rest_to_few(run):
    text = """
    __global__ void k(const int *list, int *out, int n) {
      int next = threadIdx.x;
      if (blockIdx.x != 7) return;
      for (int i = 0; i < n; i++) next = list[next];
      out[threadIdx.x] = next;
    }"""
    ran = run(text, grid=1024, block=256, arguments={"list": 256, "out": 256, "n": 64})
    time = warp_time(ran.trace, Latencies(load=LOAD))
    assert time.clocks < 0.02 * 64 * LOAD
    assert time.clocks + time.rare == pytest.approx(64 * LOAD, rel=0.15)


def test_warps_that_take_different_arms_do_not_wait_for_each_other(run):
    """Each half of the blocks has ten dependent loads."""
    text = """
    __global__ void k(const int *list, int *out) {
      int next = threadIdx.x;
      if (blockIdx.x % 2) { for (int i = 0; i < 10; i++) next = list[next]; }
      else { for (int i = 0; i < 10; i++) next = list[next + 1]; }
      out[threadIdx.x] = next;
    }"""
    ran = run(text, grid=64, block=64, arguments={"list": 256, "out": 64})
    time = warp_time(ran.trace, Latencies(load=LOAD))
    assert time.steps[WarpStep.LOAD] == pytest.approx(10 * LOAD, rel=0.1)


def test_the_steps_add_up(run):
    text = """
    __global__ void k(float *x) {
      __shared__ float s[64];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = 1 / s[63 - threadIdx.x];
    }"""
    ran = run(text, block=64, arguments={"x": 64})
    steps = warp_time(ran.trace, Latencies(load=LOAD)).steps
    # The store to shared memory waits for the load; the barrier takes 20, the load from shared memory 25, the division 20.
    assert steps[WarpStep.LOAD] == pytest.approx(LOAD, abs=10)
    assert steps[WarpStep.BARRIER] == 20
    assert steps[WarpStep.SHARED] == pytest.approx(25, abs=10)
    assert steps[WarpStep.FUNCTION] == 19  # the clock in which it is issued is one of them


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
    whole = warp_time(ran.trace, latencies).clocks
    fused = warp_time(ran.trace, latencies, counts=counted).clocks
    # In each iteration at least a barrier with 20 clocks, a load with 25 (behind which seven others hide) and eight
    # multiply-adds; at most all of them one after another, and a counter with its test.
    assert 100 * (20 + 25 + 8) <= fused <= 100 * (8 + 8 + 20 + 25 + 7)
    assert fused < 0.8 * whole


MULTIPLY_ADDS = """
    __global__ void k(float *out, float a, float b, int n) {{
      {state}
      for (int i = 0; i < n; i++) {{ {body} }}
      out[threadIdx.x] = {sum};
    }}"""


@pytest.mark.parametrize(
    ("state", "body", "sum_", "clocks_each"),
    [
        # Each multiply-add waits for the one before: 4.5 clocks.
        ("float s = 0;", "s = s * a + b; " * 8, "s", 8 * 4.5),
        # Eight that do not: each is issued in a clock, and what is left of 4.5 clocks is over when its turn comes again.
        (
            "float s = 0, t = 1, u = 2, v = 3, w = 4, x = 5, y = 6, z = 7;",
            " ".join(f"{c} = {c} * a + b;" for c in "stuvwxyz"),
            "s + t + u + v + w + x + y + z",
            8,
        ),
        (
            "float s[8] = {};",
            "for (int j = 0; j < 8; j++) s[j] = s[j] * a + b;",
            "s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]",
            8,
        ),
    ],
    ids=["dependent", "independent", "independent, in an array"],
)
def test_multiply_adds_take_their_chain_or_their_issue(run, state, body, sum_, clocks_each):
    text = MULTIPLY_ADDS.format(state=state, body=body, sum=sum_)
    time = run_counted(run, text, arguments={"out": 32, "a": 0.5, "b": 1.0, "n": 1000})
    # A counter, a test and a jump for every four iterations come on top.
    assert time.clocks / 1000 == pytest.approx(clocks_each, abs=2)
    assert WarpStep.FUNCTION not in {step for step, spent in time.steps.items() if spent}


def test_conversions_that_cost_nothing_are_no_functions(run):
    text = """
    __global__ void k(float *x, unsigned n) {
      for (size_t i = threadIdx.x; i < (size_t)n; i += blockDim.x) x[(int)i] = 1;
    }"""
    time = run_counted(run, text, arguments={"x": 3200, "n": 3200})
    assert time.steps[WarpStep.FUNCTION] == 0


@pytest.mark.parametrize(
    ("loop", "loads"),
    [
        # A run-time step: the compiler copies nothing, and each load is waited for.
        ("for (int i = threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += x[i];", 32),
        ("for (int i = 0; i < 32; i++) s += x[i * 32 + threadIdx.x];", 1),
    ],
    ids=["rolled", "unrolled"],
)
def test_loads_wait_together_as_far_as_the_compiler_copies_loops(run, loop, loads):
    text = f"""
    __global__ void k(const float *x, float *y, int n) {{
      float s = 0; {loop} y[threadIdx.x] = s;
    }}"""
    time = run_counted(run, text, arguments={"x": 1024, "y": 32, "n": 1024})
    assert time.steps[WarpStep.LOAD] == pytest.approx(loads * LOAD, rel=0.15)


def test_what_is_loaded_into_an_array_in_registers_is_waited_for(run):
    text = """
    __global__ void k(const float *x, float *y) {
      float r[4];
      for (int j = 0; j < 4; j++) r[j] = x[j * 32 + threadIdx.x];
      for (int i = 0; i < 2; i++) {
        y[i * 32 + threadIdx.x] = r[i] * r[i + 1] * r[3];
        __syncthreads();
      }
    }"""
    time = run_counted(run, text, arguments={"x": 128, "y": 64})
    assert time.steps[WarpStep.LOAD] == pytest.approx(LOAD, rel=0.1)


@pytest.mark.parametrize(("space", "step"), [("x", WarpStep.LOAD), ("s", WarpStep.SHARED)])
def test_products_of_matrices_wait_for_their_fragments(run, space, step):
    """Two loads are on their way together; what they load is waited for in each of 20 iterations, and no other does it."""
    text = f"""
    #include <mma.h>
    using namespace nvcuda;
    __global__ void k(const half *x, float *y) {{
      __shared__ half s[32 * 256];
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
      wmma::fill_fragment(c, 0.0f);
      #pragma unroll 1
      for (int i = 0; i < 20; i++) {{
        wmma::load_matrix_sync(a, {space} + i * 256, 16);
        wmma::load_matrix_sync(b, {space} + i * 256 + 256, 16);
        wmma::mma_sync(c, a, b, c);
      }}
      wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);
    }}"""
    time = run_counted(run, text, arguments={"x": 32 * 256, "y": 256})
    # A product takes as long as a load from shared memory (25 clocks) and is waited for once, at the end.
    expected = {WarpStep.LOAD: 20 * LOAD, WarpStep.SHARED: 20 * 25}[step]
    assert time.steps[step] == pytest.approx(expected, rel=0.15)


def test_waits_for_loads_are_told_by_line(run):
    text = """
    __global__ void k(const int *x, const float *y, float *z, int n) {
      float s = 0;
      #pragma unroll 1
      for (int i = 0; i < n; i++) {
        int at = x[i * 32 + threadIdx.x];
        s += y[at];
        s += y[32 + at];
      }
      z[threadIdx.x] = s;
    }"""
    time = run_counted(run, text, arguments={"x": 3200, "y": 64, "z": 32, "n": 100})
    waits = {
        line: clocks / LOAD for (_, line), clocks in time.loads.items() if clocks > 0.05 * LOAD
    }
    # The second of two loads that go out together has arrived with the first, but for a clock.
    assert waits == pytest.approx({6: 100, 7: 100}, rel=0.1)
    assert sum(time.loads.values()) == time.steps[WarpStep.LOAD]
