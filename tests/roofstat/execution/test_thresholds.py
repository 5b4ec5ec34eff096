"""Detectors: how many numbers lie above a multiple of their mean, also where a flag tells the next kernel of it."""

import math

import pytest

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
