"""Loops that threads leave at random times, each at its own: too long to be run, their mean length is what others took."""

import numpy as np
import pytest

WALK = """
__global__ void walk(double *out, int n, int paths, double step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = i * 2654435761u + 12345u;
  double total = 0;
  for (int k = 0; k < paths; k++) {
    double x = 0.5;
    int length = 0;
    while (x > 0.0 && x < 1.0) {
      state = state * 1664525u + 1013904223u;
      x += (state >> 31) ? step : -step;
      length++;
    }
    total += length;
  }
  out[i] = total;
}
int main() {
  int n = 8192;
  double *out;
  cudaMalloc(&out, n * 8);
  walk<<<n / 256, 256>>>(out, n, 100, 0.02);
}
"""


def test_walks_of_many_paths_are_as_long_as_the_first(host):
    # A walk between walls s steps to either side takes s^2 steps in the mean: 25^2 = 625.
    _, inner = sorted(host(WALK).only().trace.loops.values(), key=lambda loop: loop.entries)
    assert inner.source == "assumed"
    assert inner.mean_trips == pytest.approx(625, rel=0.05)


@pytest.mark.parametrize(
    "loop",
    [
        "while (alive && length < 100000) { length++; @ if (x <= 0.0 || x >= 1.0) alive = 0; }",
        "for (; length < 100000; length++) { @ if (x <= 0.0 || x >= 1.0) break; }",
    ],
)
def test_a_cap_on_the_length_of_walks_is_not_taken_for_their_pace(host, loop):
    step = "state = state * 1664525u + 1013904223u; x += (state >> 31) ? step : -step;"
    begin, end = WALK.index("while (x"), WALK.index("total += length")
    text = WALK[:begin] + "int alive = 1; " + loop.replace("@", step) + WALK[end:]
    text = text.replace("0.02)", "0.01)")
    _, inner = sorted(host(text).only().trace.loops.values(), key=lambda loop: loop.entries)
    # 50^2 in the mean, of which no more than 1,500 are run: told by those that have left by then
    assert 1_250 < inner.mean_trips < 5_000


FLIGHT = """
__global__ void flight(double *out, double far, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = -25, y = 0.01 * (i - 2048), u = 1, w = 0;
  int steps = 0;
  for (; steps < 1000; steps++) {
    @
    if (x * x + y * y < 1.0) break;
    if (x * x + y * y > far * far) break;
  }
  out[i] = steps;
}
int main() {
  double *out;
  cudaMalloc(&out, 4096 * 8);
  flight<<<16, 256>>>(out, 28.0, 0.02);
}
"""
MOVES = 25 * (
    "{ double r2 = x * x + y * y, f = 2.0 / (r2 * sqrt(r2)); u -= f * x * dt; w -= f * y * dt; x += u * dt; y += w * dt; }"
)


def steps_of_flights():
    """The same in Python: mean steps of all 4,096."""
    x, y = np.full(4096, -25.0), 0.01 * (np.arange(4096) - 2048)
    u, w, steps = np.ones(4096), np.zeros(4096), np.full(4096, 1000)
    for step in range(1000):
        for _ in range(25):
            f = 2 / (x * x + y * y) ** 1.5
            u, w = u - f * x * 0.02, w - f * y * 0.02
            x, y = x + u * 0.02, y + w * 0.02
        left = (x * x + y * y < 1) | (x * x + y * y > 28**2)
        steps = np.where(left & (steps == 1000), step + 1, steps)
    return steps.mean()


def test_flights_that_follow_known_numbers_are_run_as_far_as_the_budget_goes(host):
    (loop,) = host(FLIGHT.replace("@", MOVES)).only().trace.loops.values()
    assert loop.mean_trips == pytest.approx(steps_of_flights(), rel=0.05)


REJECTION = """
struct Words {{
  unsigned long long s;
  __device__ float next() {{ s = s * 6364136223846793005ull + 1442695040888963407ull; return (s >> 40) * 5.9604645e-8f; }}
}};
__device__ float draw(Words &w, const float *limit) {{
  while (true) {{
    float x = w.next();
    {tests}
  }}
}}
__global__ void k(Words *words, const float *limit, float *out) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Words w = words[i];
  for (int n = 0; n < 64; n++) out[n * 4096 + i] = draw(w, limit);
  words[i] = w;
}}
int main() {{
  Words *w; float *l, *o;
  cudaMalloc(&w, 8 * 4096); cudaMalloc(&l, 1024); cudaMalloc(&o, 4 * 4096 * 64);
  k<<<32, 128>>>(w, l, o);
}}
"""


@pytest.mark.parametrize(
    ("tests", "trips"),
    [
        ("float y = w.next(); if (y < x * x) return x;", 2),
        ("if (x < limit[(w.s >> 20) & 255]) return x; float y = w.next(); if (y < x * x) return -x;", 4 / 3),
    ],
)  # fmt: skip
def test_a_loop_that_draws_until_a_test_is_passed_is_left_by_its_tests(host, tests, trips):
    # Each test is passed by half of what comes to it.
    ran = host(REJECTION.format(tests=tests)).only()
    _, inner = sorted(ran.trace.loops.values(), key=lambda loop: loop.entries)
    assert inner.mean_trips == pytest.approx(trips, rel=0.05)
