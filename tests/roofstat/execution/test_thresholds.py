"""Detectors: how many numbers lie above a multiple of their mean, also where a flag tells the next kernel of it."""

import math

import pytest

from roofstat.program.code import Op

N = 1 << 16


@pytest.mark.parametrize(
    ("test", "share"),
    [
        ("x[i] > 3.0f * (s / n)", math.exp(-3)),
        ("3.0f * (s / n) < x[i]", math.exp(-3)),
        ("x[i] <= factor * (float)(s / n)", 1 - math.exp(-2.5)),
        ("x[i] > 1.5f * (s / n)", 0.5),  # about as large as the mean
        ("x[i] > 3.0f * s", 0.5),  # no mean
        ("x[i] > 3.0f * (s / x[i + 1])", 0.5),
    ],
)
def test_as_many_are_above_a_multiple_of_the_mean_as_of_exponential_numbers(host, test, share):
    text = """
    __global__ void flag(const float *x, unsigned char *f, int n, float factor) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float s = 0;
      for (int k = 0; k < n; k++) s += x[(i + k * 977) % n];
      f[i] = @;
    }
    __global__ void use(const unsigned char *f, float *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int t = f[i] ? 100 : 0;
      for (int k = 0; k < t; k++) out[k] += i;
    }
    int main() {
      float *x, *out; unsigned char *f;
      cudaMalloc(&x, %d * 4); cudaMalloc(&out, 400); cudaMalloc(&f, %d);
      flag<<<%d / 256, 256>>>(x, f, %d, 2.5f);
      use<<<%d / 256, 256>>>(f, out);
    }""".replace("@", test).replace("%d", str(N))
    _, use = host(text).launches
    (loop,) = use.trace.loops.values()
    assert loop.mean_trips == pytest.approx(100 * share, rel=0.35)


@pytest.mark.parametrize(
    ("test", "share"),
    [
        ("x[i] < 3.0e38f", 1),
        ("1e30f > x[i]", 1),
        ("x[i] >= FLT_MAX", 0),
        ("x[i] == INFINITY", 0),
        ("x[i] != INFINITY", 1),
        ("x[i] > -1e30f", 1),
        ("fminf(x[i], i % 2 ? x[i + 1] : INFINITY) < FLT_MAX", 1),
        ("(i % 4 ? x[i] : INFINITY) < FLT_MAX", 0.75),  # what is known to be none
        ("x[i] < 1e9f", 0.5),  # may be a number
        ("k[i] < INT_MAX", 0.5),  # flags and distances of searches often are such
    ],
)
def test_data_are_not_what_stands_for_infinity(host, test, share):
    text = """
    #include <cfloat>
    #include <climits>
    __global__ void use(const float *x, const int *k, float *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (@) out[i] = 1;
    }
    int main() {
      float *x, *out; int *k;
      cudaMalloc(&x, 4 << 16); cudaMalloc(&k, 4 << 16); cudaMalloc(&out, 4 << 16);
      use<<<256, 256>>>(x, k, out);
    }""".replace("@", test)
    trace = host(text).only().trace
    stored = sum(
        trace.sites[item.site].threads
        for _, item in trace.code.instructions()
        if item.op is Op.STORE and item.site in trace.sites
    )
    assert stored / N == pytest.approx(share, abs=0.1)
