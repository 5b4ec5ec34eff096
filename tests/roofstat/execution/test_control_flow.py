"""Branches, jumps and loops of one launch: every count against the formula of the source."""

from __future__ import annotations

import math

import pytest

from roofstat.program.code import Op


def kernel(body: str, parameters: str = "float *a, int n, float x") -> str:
    return f"__global__ void k({parameters}) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"


def default(run, body, *, n=1000, **launch):
    return run(kernel(body), arguments={"a": None, "n": n, "x": 2.0}, **launch)


# Branches


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 999, 1000, 1024])
def test_a_guard_counts_its_tail(run, n):
    ran = default(run, "if (i < n) a[i] = a[i] * x;", n=n, grid=4, block=256)
    assert (ran.loads("a"), ran.stores("a"), ran.flop) == (n, n, n)
    # a warp asks if one of its lanes does
    assert ran.warps("a") == 2 * math.ceil(n / 32)


def test_both_arms_share_the_threads(run):
    ran = default(run, "if (i % 3 == 0) a[i] *= x; else a[i] += x;", block=32)
    multiples = len(range(0, 32, 3))
    assert ran.float_executions(Op.MUL) == multiples
    assert ran.float_executions(Op.ADD) == 32 - multiples


def test_a_conditional_evaluates_one_side(run):
    ran = default(run, "a[i] = i < 10 ? a[i] * x : a[n] - x;", block=32)
    assert (ran.flop, ran.loads("a")) == (32, 32)


def test_a_cheap_conditional_is_a_select_of_both_sides(run):
    ran = default(run, "a[i] = i < 10 ? x * 2.0f : x - 2.0f;", block=32)
    assert ran.float_executions(Op.MUL) == ran.float_executions(Op.SUB) == 32
    assert ran.executions(Op.SELECT) == 32


@pytest.mark.parametrize(
    ("condition", "evaluated", "stored"),
    [
        ("i < 8 && a[i] == x", 8, None),
        ("i < 8 || a[i] == x", 24, None),
        ("i < 8 && i > 3", 0, 4),
        ("!(i < 8) || i == 3", 0, 25),
    ],
)
def test_short_circuits(run, condition, evaluated, stored):
    ran = default(run, f"if ({condition}) a[i + 100] = x;", block=32)
    assert ran.loads("a") == evaluated
    if stored is not None:
        assert ran.stores("a") == stored


def test_comma_and_assignment_as_values(run):
    ran = default(run, "int j; if ((j = i * 2, j < 20)) a[j] = x;", block=32)
    assert ran.stores("a") == 10


# Switches


SWITCH = """
switch (i % 5) {
  case 0: a[i] *= x;
  case 1: a[i] -= x; break;
  case 2 ... 3: a[i] /= x; break;
  default: a[i] += x;
}
"""


def test_a_switch_falls_through_until_it_breaks(run):
    ran = default(run, SWITCH, block=32)
    residues = [sum(1 for i in range(32) if i % 5 == r) for r in range(5)]
    assert ran.float_executions(Op.MUL) == residues[0]
    assert ran.float_executions(Op.SUB) == residues[0] + residues[1]
    assert ran.float_executions(Op.DIV) == residues[2] + residues[3]
    assert ran.stores("a") == 32 + residues[0]


def test_a_default_in_the_middle_falls_through_too(run):
    body = "switch (i) { case 3: a[i] *= x; break; default: a[i] /= x; case 5: a[i] -= x; }"
    ran = default(run, body, block=8)
    assert (ran.float_executions(Op.DIV), ran.float_executions(Op.SUB)) == (6, 7)


def test_a_switch_without_a_match_runs_nothing(run):
    ran = default(run, "switch (n) { case 1: a[i] = x; break; case 2: a[i] = x; }", n=7)
    assert ran.stores("a") == 0


def test_a_switch_on_unknown_data_is_an_assumption(run):
    ran = default(run, "switch ((int)a[i]) { case 0: a[i] = x; break; case 1: a[i] = -x; }")
    assert "branch" in ran.kinds


# Jumps


def test_goto_forwards_skips(run):
    ran = default(run, "if (i < 7) goto done; a[i] *= x; done: a[i + 1] = 1.0f;", block=32)
    assert (ran.stores("a"), ran.flop) == (25 + 32, 25)


def test_goto_backwards_is_a_loop(run):
    ran = default(run, "int j = 0; again: a[j] *= x; j++; if (j < i) goto again;", block=32)
    assert ran.flop == 1 + sum(range(1, 32))


def test_goto_out_of_two_loops(run):
    body = """
    for (int p = 0; p < 4; p++)
      for (int q = 0; q < 4; q++) {
        if (p * 4 + q == i) goto out;
        a[i] *= x;
      }
    out: a[i] += x;
    """
    ran = default(run, body, block=32)
    assert ran.flop == sum(min(i, 16) for i in range(32)) + 32


def test_return_ends_the_thread(run):
    ran = default(run, "if (i >= n) return; a[i] *= x; if (i % 2) return; a[i] += x;", n=20)
    assert ran.flop == 20 + 10


def test_return_in_a_loop_ends_the_thread(run):
    body = "for (int j = 0; j < 50; j++) { if (j == i) return; a[j] *= x; } a[i] += x;"
    ran = default(run, body, block=64)
    assert ran.float_executions(Op.MUL) == sum(min(i, 50) for i in range(64))
    assert ran.stores("a") == sum(min(i, 50) for i in range(64)) + 14


# Loops


def test_do_while_runs_at_least_once(run):
    ran = default(run, "int j = i; do { a[j] *= x; j++; } while (j < 10);", block=32)
    assert ran.flop == sum(max(10 - i, 1) for i in range(32))


def test_break_and_continue(run):
    body = """
    for (int j = 0; j < n; j++) {
      if (j % 2 == 0) continue;
      if (j > i) break;
      a[j] *= x;
    }
    """
    ran = default(run, body, n=20, block=32)
    assert ran.flop == sum(len(range(1, min(i, 19) + 1, 2)) for i in range(32))


def test_continue_in_a_while_loop_still_tests(run):
    body = "int j = 0; while (j < 20) { j++; if (j % 5) continue; a[j] *= x; }"
    assert default(run, body, block=32).flop == 32 * 4


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 100, 10_000_019])
def test_a_counted_loop(run, n):
    ran = default(run, "for (int j = 0; j < n; j++) a[j] *= x;", n=n, block=32)
    assert ran.flop == pytest.approx(32 * n)
    assert ran.loads("a") == pytest.approx(32 * n)


@pytest.mark.parametrize(
    ("head", "trips"),
    [
        ("int j = 0; j < n; j += 3", 334),
        ("int j = 1; j <= n; j++", 1000),
        ("int j = n - 1; j >= 0; --j", 1000),
        ("int j = n; j > 0; j -= 7", 143),
        ("int j = 0; j != n; j += 4", 250),
        ("unsigned j = n; j-- > 0;", 1000),
        ("long j = 5; j < (long)n * 2; j += 2", 998),
        ("float f = 0.5f; f < n; f += 1.0f", 1000),
        ("float *p = a; p < a + n; p += 2", 500),
        ("int j = 0, m = n; j < m; j++, m--", 500),
        ("int j = 0; j < n && j < 77; j++", 77),
        ("int j = 1; j < n; j *= 2", 10),
        ("int j = n; j > 0; j >>= 1", 10),
        ("int j = n; j > 0; j /= 10", 4),
        ("int j = 1; j * j <= n; j++", 31),
        ("int j = 0; j / 8 < 100; j++", 800),
    ],
)
def test_loop_heads(run, head, trips):
    ran = default(run, f"for ({head}) a[i] *= x;", block=32)
    assert ran.float_executions(Op.MUL) == pytest.approx(32 * trips)


@pytest.mark.parametrize(
    ("head", "trips"),
    [
        ("int j = 0; j / 8 < n; j++", 8 * 20_000),
        ("int j = 0; (j >> 4) * 3 < n; j += 5", 16 * 20_000 / 3 / 5),
    ],
)
def test_a_long_loop_with_steps_in_its_condition_is_estimated_by_its_pace(run, head, trips):
    ran = default(run, f"for ({head}) a[i] *= x;", n=20_000, block=32)
    assert ran.flop == pytest.approx(32 * trips, rel=0.01)
    assert "trip-count" in ran.kinds


def test_a_loop_without_a_condition(run):
    ran = default(run, "int j = 0; for (;;) { if (++j == n) break; a[i] *= x; }", n=500)
    assert ran.flop == pytest.approx(32 * 499)


@pytest.mark.parametrize(("grid", "block", "n"), [(3, 64, 10_000), (80, 256, 1 << 24), (7, 96, 5)])
def test_grid_stride_loops_visit_every_element_once(run, grid, block, n):
    body = "for (int j = i; j < n; j += blockDim.x * gridDim.x) a[j] *= x;"
    ran = default(run, body, n=n, grid=grid, block=block)
    assert ran.flop == pytest.approx(n)
    assert (ran.loads("a"), ran.stores("a")) == (pytest.approx(n), pytest.approx(n))


@pytest.mark.parametrize("n", [5, 40, 1000])
def test_triangular_nests(run, n):
    body = "for (int p = 0; p < n; p++) for (int q = 0; q <= p; q++) a[q] *= x;"
    ran = default(run, body, n=n, block=32)
    assert ran.flop == pytest.approx(32 * n * (n + 1) / 2)


@pytest.mark.parametrize("n", [4, 30, 300])
def test_three_nested_triangles(run, n):
    body = """
    for (int p = 0; p < n; p++) for (int q = 0; q < p; q++) for (int r = 0; r < q; r++) a[r] *= x;
    """
    ran = default(run, body, n=n, block=32)
    assert ran.flop == pytest.approx(32 * math.comb(n, 3), rel=1e-6)


def test_a_triangle_over_the_threads(run):
    ran = default(run, "for (int j = 0; j < i; j++) a[j] *= x;", grid=8, block=128)
    assert ran.flop == pytest.approx(1024 * 1023 / 2, rel=0.01)


def test_a_loop_that_changes_its_own_counter(run):
    body = "for (int j = 0; j < n; j++) { a[j] *= x; if (j % 10 == 9) j += 10; }"
    ran = default(run, body, n=200, block=32)
    assert ran.flop == 32 * 100


def test_a_remainder_in_a_long_loop_repeats(run):
    ran = default(run, "for (int j = 0; j < n; j++) if (j % 4 == 1) a[j] *= x;", n=4000, block=32)
    assert ran.flop == pytest.approx(32 * 1000)


def test_a_variable_set_by_some_lanes_keeps_its_value_in_the_others(run):
    # Lanes that do not enter the first loop must not get its counter.
    body = """
    int v = 0;
    if (i >= 5) for (int j = 0; j < 100; j++) v += 3;
    for (int j = 0; j > v - 2; j--) a[i] *= x;
    """
    ran = default(run, body, block=32)
    assert ran.flop == 5 * 2


def test_the_iteration_that_breaks_counts_up_to_its_break(run):
    body = "for (int j = 0; ; j++) { a[j] *= x; if (j >= n) break; a[j] += x; }"
    ran = default(run, body, n=1000, block=32)
    assert ran.float_executions(Op.MUL) == pytest.approx(32 * 1001)
    assert ran.float_executions(Op.ADD) == pytest.approx(32 * 1000)


# Known data


def test_binary_search_on_known_data_takes_its_steps(run):
    text = """
    __global__ void k(const int *keys, int n, int *out) {
      int low = 0, high = n;
      while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] < (int)(threadIdx.x * 8)) low = middle + 1; else high = middle;
      }
      out[threadIdx.x] = low;
    }
    """
    keys = list(range(256))
    ran = run(text, block=32, arguments={"keys": keys, "n": 256, "out": 32})

    def steps(wanted):
        low, high, count = 0, 256, 0
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if keys[middle] < wanted else (low, middle)
            count += 1
        return count

    assert ran.loads("keys") == sum(steps(8 * lane) for lane in range(32))


def test_binary_search_on_unknown_data_takes_about_its_logarithm(run):
    text = """
    __global__ void k(const int *keys, int n, int key, int *out) {
      int low = 0, high = n;
      while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] < key) low = middle + 1; else high = middle;
      }
      out[threadIdx.x] = low;
    }
    """
    ran = run(text, arguments={"keys": 1 << 20, "n": 1 << 20, "key": 5, "out": 32})
    assert ran.loads("keys") / 32 == pytest.approx(20, abs=1.5)
    assert "branch" in ran.kinds


def test_row_pointers_give_the_row_lengths(run):
    text = """
    __global__ void k(const int *rows, const float *v, float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float sum = 0;
      for (int j = rows[i]; j < rows[i + 1]; j++) sum += v[j];
      y[i] = sum;
    }
    """
    rows = [0, 3, 3, 10, 11, 20, 21, 21, 40]
    ran = run(text, arguments={"rows": rows, "v": 40, "y": 8, "n": 8})
    assert ran.loads("v") == 40
    assert ran.stores("y") == 8


def test_a_loop_on_unknown_data_is_stated(run):
    ran = default(run, "int j = 0; while (a[j] > x) { a[j] -= x; j++; }", block=32)
    assert "trip-count" in ran.kinds
    assert {totals.source for totals in ran.trace.loops.values()} == {"assumed"}


# Reductions


@pytest.mark.parametrize("blocks", [1, 3, 1000])
def test_a_tree_reduction_halves_its_threads(run, blocks):
    text = """
    __global__ void k(const float *in, float *out) {
      __shared__ float s[256];
      int t = threadIdx.x;
      s[t] = in[blockIdx.x * 256 + t];
      __syncthreads();
      for (int w = 128; w > 0; w >>= 1) {
        if (t < w) s[t] += s[t + w];
        __syncthreads();
      }
      if (t == 0) out[blockIdx.x] = s[0];
    }
    """
    ran = run(text, grid=blocks, block=256, arguments={"in": None, "out": None})
    # 128 + 64 + ... + 1 = 255 additions a block
    assert ran.flop == pytest.approx(255 * blocks)
    assert ran.stores("out") == pytest.approx(blocks)
    assert ran.loads("s") == pytest.approx((2 * 255 + 1) * blocks)


def test_an_interleaved_reduction(run):
    text = """
    __global__ void k(float *a) {
      __shared__ float s[128];
      int t = threadIdx.x;
      s[t] = a[t];
      for (int w = 1; w < 128; w *= 2) { if (t % (2 * w) == 0) s[t] += s[t + w]; __syncthreads(); }
    }
    """
    assert run(text, block=128, arguments={"a": 128}).flop == 127


def test_a_shuffle_reduction(run):
    text = """
    __global__ void k(float *a) {
      float v = a[threadIdx.x];
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
      if (threadIdx.x % 32 == 0) a[threadIdx.x] = v;
    }
    """
    ran = run(text, block=128, arguments={"a": 128})
    assert (ran.flop, ran.executions(Op.SHUFFLE), ran.stores("a")) == (5 * 128, 5 * 128, 4)


# Branches on unknown data whose arms tell


@pytest.mark.parametrize(
    ("check", "guesses"),
    [
        ("assert(v > 0);", 0),
        ('assert(v > 0 && "positive");', 0),
        ("if (v < 0) __trap();", 0),
        ("if (v < 0) { a[n] = v; __trap(); }", 0),
        ('if (v < 0) { printf("%f", v); return; }', 1),
        ("if (v < 0) a[n] = v; else if (v > x) __trap();", 1),
    ],
)
def test_what_a_check_of_data_does_when_it_fails_is_not_counted(run, check, guesses):
    ran = default(run, f"float v = a[i]; {check} a[i] = v * x;", block=256)
    assert ran.flop == 256
    branches = [item for item in ran.trace.assumptions if item.kind == "branch"]
    assert len(branches) == guesses


# What a guess decided on


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("atomicAdd(a + n, x);", 0),
        ("if (i < 8) atomicAdd(a + n, x);", 0),
        ("if (a[i] > x) atomicAdd(a + n, x);", 1),
        # eight iterations are assumed; the first is certain where the test comes after it
        ("for (float s = a[i]; s > x; s = a[n + (int)s]) atomicAdd(a + n, x);", 1),
        ("float s = a[i]; do { atomicAdd(a + n, x); s = a[n + (int)s]; } while (s > x);", 7 / 8),
    ],
)
def test_accesses_that_a_guess_lets_run_are_doubtful(run, body, share):
    ran = default(run, body, block=32)
    sites = [item.site for _, item in ran.trace.code.instructions() if item.op is Op.ATOMIC]
    for totals in (ran.trace.sites[site] for site in sites):
        assert totals.doubtful_threads == share * totals.threads


def test_moves_and_forwards_are_no_calls(run):
    """Clang takes std::move and its like as builtins and instantiates no body unless told otherwise."""
    text = """
    #include <utility>
    struct Add { __device__ void operator()(float *out, int i) const { out[i] += 1.0f; } };
    template <class F, class... A> __device__ void apply(F &&f, A &&...a) { f(std::forward<A>(a)...); }
    __global__ void k(float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      Add add;
      Add moved = std::move(add);
      if (i < n) apply(moved, out, std::as_const(i));
    }"""
    ran = run(text, grid=64, block=256, arguments={"out": 64 * 256, "n": 64 * 256})
    assert ran.loads("out") == 64 * 256
    assert ran.flop == 64 * 256
    assert not ran.trace.assumptions


_SEARCH = """
__global__ void k(const float *a, const float *wanted, int *found, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float z = wanted[i];
  int at = a[1 << 15] <= z ? 1 << 15 : 0;
  for (int bit = 1 << 14; bit > 0; bit >>= 1) {{
    int next = at | bit;
    {decision}
  }}
  found[i] = at;
}}
"""


@pytest.mark.parametrize(
    "decision",
    [
        "if (next < n && z >= a[next]) at = next;",
        "at = z >= a[next] ? next : at;",
        "at |= z >= a[next] ? bit : 0;",
    ],
)
def test_a_search_decides_lane_by_lane_however_it_is_written(run, decision):
    arguments = {"a": None, "wanted": None, "found": None, "n": 1 << 16}
    ran = run(_SEARCH.format(decision=decision), block=256, arguments=arguments)
    probes = [event for event in ran.trace.events if event.loops]
    assert all(not ran.trace.sites[event.site].unknown_address_threads for event in probes)
    for event in probes:
        step = int(event.loops[0].iteration)
        if step > 8:
            continue  # steps of a few elements stay near by other means
        places = set(event.address[event.active].tolist())
        assert 1 < len(places) <= 2 << step
        # the step looks between what the steps before have looked at
        unit = 4 << (14 - step)
        assert {place % unit for place in places} == {int(event.address[0]) % unit}


@pytest.mark.parametrize("test", ["e > 1e-5f && it < 3", "it < 3 && e > 1e-5f"])
def test_a_counter_bounds_a_loop_on_unknown_data(run, test):
    """Convergence takes an unknown number of iterations, but never more than 3."""
    text = f"""
    __global__ void newton(const float *in, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, it = 0;
      float x = in[i], e = 1.0f;
      while ({test}) {{ float y = 0.5f * (x + 2.0f / x); e = fabsf(y - x); x = y; it++; }}
      out[i] = x;
    }}"""
    ran = run(text, grid=64, block=256, arguments={"in": 1 << 14, "out": 1 << 14, "n": 1 << 14})
    (loop,) = ran.trace.loops.values()
    assert 1 <= loop.mean_trips <= 3


def test_a_standard_array_is_walked_from_end_to_end(run):
    text = """#include <array>
    template <class T, size_t N> __device__ T sum(std::array<T, N> a) { T s = 0; for (T c : a) s += c; return s; }
    __global__ void k(float *a) { std::array<float, 5> b{a[0], a[1], a[2], a[3], a[4]}; a[threadIdx.x] = sum(b); for (auto &c : b) a[threadIdx.x] *= c; }"""
    ran = run(text, grid=1, block=32)
    # Five additions and five multiplications.
    assert ran.flop == 32 * 10
    assert ran.trace.assumptions == []


def test_a_guarded_jump_back_is_a_loop_with_a_condition(run):
    # 500 rounds for each of 32 threads, then one store each.
    text = """
    __global__ void k(float* y, int m) {
      float a = 0;
    L: if (m > 0) { a = a * 0.5f + 1.f; m--; goto L; }
      y[threadIdx.x] = a; }"""
    ran = run(text, arguments={"y": 32, "m": 500})
    (totals,) = ran.trace.loops.values()
    assert totals.iterations / totals.entries == pytest.approx(500)


@pytest.mark.parametrize("width", [32, 64, 128, 256, 512])
def test_a_search_in_the_condition_of_a_loop_is_looked_ahead_through(run, width):
    # width = 2^b: the search says b + 1, and each thread runs b rounds, of an unsigned counter.
    text = """
    __device__ int first_bit(int x) { for (int i = 0; i < 32; i++) if ((x >> i) & 1) return i + 1; return 0; }
    __global__ void k(float *y) {
      float a = y[threadIdx.x];
      for (unsigned j = 0; j < first_bit(blockDim.x) - 1; j++) a = a * 3;
      y[threadIdx.x] = a; }"""
    ran = run(text, grid=1, block=width, arguments={"y": 512})
    assert ran.flop == width * math.log2(width)


# Branches on unknown data that lanes agree on


@pytest.mark.parametrize(
    ("condition", "whole"),
    [
        ("p[blockIdx.x] - q[blockIdx.x] > x", 4),
        ("threadIdx.x / 32 < (q[blockIdx.x] - p[blockIdx.x]) / 64", 1),
    ],
)
def test_lanes_that_agree_on_unknown_data_branch_together(run, condition, whole):
    """64 blocks of 4 warps: each warp, or each block, takes one of the arms and repeats that where it is asked again."""
    ran = run(
        kernel(
            f"bool c = {condition}; if (c) a[i] = x; else b[i] = x; if (c) d[i] = x;",
            "float *a, float *b, float *d, const int *p, const int *q, int x",
        ),
        arguments={"a": None, "b": None, "d": None, "p": None, "q": None, "x": 2},
        grid=64,
        block=128,
    )
    assert ran.warps("a") + ran.warps("b") == 64 * 4
    assert ran.stores("a") == 32 * ran.warps("a") == ran.stores("d")
    assert 0 < ran.warps("a") < 256
    assert ran.warps("a") % whole == 0
