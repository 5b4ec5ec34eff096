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


def test_what_such_a_loop_has_stored_is_not_the_zeros_beneath_it(host):
    # 5 x 5 random numbers a matrix, the products of whose rows are packed: sixty thousand are too many to be run.
    text = f"""{HEAD}
    __global__ void use(const double *x, float *y) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (x[i] > 0) for (int k = 0; k < 1000; k++) y[i] += k;
    }}
    void fill(double *h, long n) {{
      unsigned s = 2463534242u;
      for (long b = 0; b < n; ++b) {{
        double g[9][9];
        for (auto &row : g)
          for (double &v : row) {{ s ^= s << 13; s ^= s >> 17; s ^= s << 5; v = s / 4294967296.0 - 0.5; }}
        for (int i = 0, c = 0; i < 9; ++i)
          for (int j = 0; j <= i; ++j, ++c) {{
            double d = i == j ? 0.1 : 0;
            for (int k = 0; k < 9; ++k) d += g[i][k] * g[j][k];
            h[c * n + b] = d;
          }}
      }}
    }}
    int main() {{
      float *x, *y; double *m, *h = (double *)calloc(45 * 65536, 8);
      cudaMalloc(&x, 1 << 20); cudaMalloc(&y, 45 << 18); cudaMalloc(&m, 45 << 19); k<<<100, 64>>>(x, 6400);
      fill(h, 65536);
      cudaMemcpy(m, h, 45 << 19, cudaMemcpyHostToDevice);
      use<<<45 * 256, 256>>>(m, y);
    }}"""
    _, use = host(text).launches
    (loop,) = use.trace.loops.values()
    assert loop.entries >= 0.4 * 45 * 65536
