"""Called device functions: their work is counted as often as a brute-force run of the same function does it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofstat.program.code import Code, Op


def fibonacci_work(n: int) -> tuple[int, int]:
    """(calls, additions) of the naive recursion."""
    if n < 2:
        return 1, 0
    first, second = fibonacci_work(n - 1), fibonacci_work(n - 2)
    return first[0] + second[0] + 1, first[1] + second[1] + 1


FIBONACCI = """
__device__ float fib(int n) { if (n < 2) return 1.0f; return fib(n - 1) + fib(n - 2); }
__global__ void k(float* o) { o[threadIdx.x] = fib(threadIdx.x % 9); }
"""


def test_branching_recursion_is_counted_exactly(run: Callable) -> None:
    threads = 64
    ran = run(FIBONACCI, grid=3, block=threads, arguments={"o": threads})
    expected = 3 * sum(fibonacci_work(n % 9)[1] for n in range(threads))
    assert ran.flop == pytest.approx(expected)
    calls = 3 * sum(fibonacci_work(n % 9)[0] for n in range(threads))
    # The first level is inlined, every further one is a call.
    assert ran.executions(Op.CALL) == pytest.approx(calls - 3 * threads)


RAY = """
struct Vec { float x, y, z; };
__device__ Vec shade(Vec d, int depth, const float* m, int limit) {
  Vec r = {d.x * m[depth], d.y, d.z};
  if (depth >= limit) return r;
  Vec q = shade(Vec{d.y + r.x, d.z + r.y, d.x}, depth + 1, m, limit);
  r.x += q.x * 0.5f;
  return r;
}
__global__ void k(float* o, const float* m, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Vec v = shade(Vec{1.0f * i, 2.0f, 3.0f}, 0, m, limit + i % 3);
  o[i] = v.x + v.y + v.z;
}
"""


def test_records_travel_through_recursion(run: Callable) -> None:
    threads, blocks, limit = 96, 2, 4
    ran = run(RAY, grid=blocks, block=threads, arguments={"o": 192, "m": 16, "limit": limit})
    # At every level one product with m; between levels two sums for the new direction, a product and a sum for the colour;
    # in the kernel a product and two sums.
    levels = [limit + i % 3 + 1 for i in range(blocks * threads)]
    assert ran.flop == pytest.approx(sum(n + 4 * (n - 1) + 3 for n in levels))
    assert ran.loads("m") == pytest.approx(sum(levels))
    assert "recursion" not in ran.kinds


def test_depth_beyond_the_limit_is_cut_off_and_said(run: Callable) -> None:
    text = """
    __device__ float down(int n) { if (n == 0) return 0.0f; return down(n - 1) + 1.0f; }
    __global__ void k(float* o) { o[threadIdx.x] = down(1000); }
    """
    ran = run(text, arguments={"o": 32})
    assert "recursion-cut" in ran.kinds
    assert 0 < ran.flop < 32 * 1000


POINTERS = """
typedef float (*Function)(float);
__device__ float square(float x) { return x * x; }
__device__ float cube(float x) { return x * x * x; }
__global__ void k(float* o, int n) {
  Function f = n > 3 ? square : cube;
  o[threadIdx.x] = f(o[threadIdx.x]);
}
"""


@pytest.mark.parametrize(("n", "products"), [(5, 1), (1, 2)])
def test_targets_of_function_pointers_are_counted(run: Callable, n: int, products: int) -> None:
    assert run(POINTERS, arguments={"o": 32, "n": n}).flop == products * 32


def test_loops_of_called_functions_count_their_iterations(run: Callable) -> None:
    text = """
    __device__ float walk(const float* a, int n) {
      float s = 0;
      for (int j = 0; j < n; j++) s += a[j];
      return n > 1 ? s + walk(a, n / 2) : s;
    }
    __global__ void k(float* o, const float* a, int n) { o[threadIdx.x] = walk(a, n); }
    """
    ran = run(text, arguments={"o": 32, "a": 64, "n": 40})
    lengths = [40, 20, 10, 5, 2, 1]
    assert ran.loads("a") == pytest.approx(32 * sum(lengths))
    assert ran.iterations(4) == pytest.approx(32 * sum(lengths))


def test_a_kernel_without_calls_has_no_called_functions(code: Callable[..., Code]) -> None:
    text = """
    __device__ float twice(float x) { return 2 * x; }
    __global__ void k(float* o) { o[threadIdx.x] = twice(o[threadIdx.x]); }
    """
    assert code(text).functions == {}
    assert [function.name for function in code(FIBONACCI).functions.values()] == ["fib"]


def test_mutual_recursion(run: Callable) -> None:
    text = """
    __device__ float odd(int n);
    __device__ float even(int n) { return n == 0 ? 0.0f : odd(n - 1) + 1.0f; }
    __device__ float odd(int n) { return n == 0 ? 0.0f : even(n - 1) * 2.0f; }
    __global__ void k(float* o) { o[threadIdx.x] = even(threadIdx.x % 8); }
    """
    ran = run(text, arguments={"o": 32})
    assert ran.flop == pytest.approx(sum(n % 8 for n in range(32)))


def notes(ran) -> dict[str, float]:
    """Kind -> weight of what is noted of recursions."""
    return {
        item.kind: item.weight
        for item in ran.trace.assumptions
        if item.kind.startswith("recursion")
    }


def test_a_depth_that_rests_on_data_is_a_guess_of_all_who_recurse(run: Callable) -> None:
    """Half of the threads go on at each level, if nothing is known of x; depths that the threads' numbers tell are none."""
    text = """
    __device__ float walk(int n) { if (n < 2) return 1.0f; return walk(n - 1) + 1.0f; }
    __global__ void k(float* o, const int* x) { o[threadIdx.x] = walk(x[threadIdx.x]); }
    """
    ran = run(text, grid=1, block=256, arguments={"o": 256, "x": 256})
    # The first level is inlined: those who go on from it rest on how deep they go.
    assert notes(ran)["recursion"] == pytest.approx(0.5, abs=0.1)
    known = text.replace("x[threadIdx.x]", "threadIdx.x % 9")
    assert not notes(run(known, grid=1, block=64, arguments={"o": 64, "x": 64}))


def test_a_recursion_that_is_cut_off_weighs_with_all_who_entered_it(run: Callable) -> None:
    """One thread of 64 would go 63 levels deep; all that recurse are noted, not the few that are cut off."""
    text = """
    __device__ float walk(int n) { return n < 1 ? 0.0f : walk(n - 1) + 1.0f; }
    __global__ void k(float* o) { o[threadIdx.x] = walk(threadIdx.x); }
    """
    ran = run(text, grid=1, block=64, arguments={"o": 64})
    assert notes(ran) == {"recursion-cut": pytest.approx(63 / 64)}
