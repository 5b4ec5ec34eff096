"""Loops of checks and references beside launches: they do not use up what is left for the launches behind them."""

HEAD = """#include <cuda_runtime.h>
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }
"""
CHECK = """
  for (int a = 0; a < 4000; a++) for (int b = 0; b < a; b++) for (int c = 0; c < b; c++) for (int d = 0; d < c; d++) {
    unsigned s = a * b + c * d + 1;
    while (s != 1) s = s & 1 ? 3 * s + 1 : s / 2;
    sum += s;
  }
"""


def test_a_long_check_leaves_launches_behind_it(host):
    text = f"""{HEAD}
    int experiment(float *x, int n) {{ k<<<n / 64, 64>>>(x, n); int sum = 0; {CHECK} {CHECK} return sum; }}
    int main() {{ float *x; cudaMalloc(&x, 1 << 20); experiment(x, 6400); experiment(x, 12800); experiment(x, 640); }}"""
    assert [item.grid[0] for item in host(text).launches] == [100, 200, 10]


def test_what_such_a_loop_has_counted_is_unknown(host):
    text = f"""{HEAD}
    int main() {{
      float *x; cudaMalloc(&x, 1 << 20); k<<<100, 64>>>(x, 6400);
      int sum = 0; {CHECK} k<<<sum, 32>>>(x, sum);
    }}"""
    first, second = host(text).launches
    assert first.grid[0] == 100
    assert any("not run to its end" in text for _, text in second.notes)


def test_a_long_preparation_leaves_the_launch_that_it_is_for(host):
    """Before the first launch such loops may take more, but not all of it."""
    text = f"""{HEAD}
    int main() {{
      float *x; cudaMalloc(&x, 1 << 20);
      int sum = 0; {CHECK} {CHECK} {CHECK} k<<<100, 64>>>(x, 6400); k<<<sum, 32>>>(x, sum);
    }}"""
    first, second = host(text).launches
    assert (first.grid[0], first.source) == (100, "host-code")
    assert second.source == "assumed"
