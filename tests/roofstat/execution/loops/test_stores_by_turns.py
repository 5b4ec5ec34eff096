"""Stores that fill several places in one iteration: of two arrays by turns, or by a function that is called twice."""

from __future__ import annotations

import pytest

KERNEL = """
__global__ void rows(const int *length, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  int end = length[(i % 2) * (n / 2) + i / 2];
  for (int k = 0; k < end; k++) s += k;
  out[i] = s;
}
"""
LAUNCH = """
  int *d; float *out;
  cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
  cudaMemcpy(d, filled.data(), n * 4, cudaMemcpyHostToDevice);
  rows<<<(n + 127) / 128, 128>>>(d, out, n);
"""


def trips(host, body):
    text = f"{KERNEL} int main(int argc, char **argv) {{ int w = atoi(argv[1]); {body} {LAUNCH} }}"
    (totals,) = host(text, argv=["300"]).only().trace.loops.values()
    return totals.mean_trips


@pytest.mark.parametrize("filled", ["a", "b"])
def test_two_arrays_are_filled_by_turns(host, filled):
    # Lengths of 5 and of 15.
    body = f"""
      int n = w * w;
      std::vector<int> a(n), b(n);
      for (int y = 0; y < w; y++)
        for (int x = 0; x < w; x++)
          for (int k = 0; k < 2; k++) (k ? b : a)[y * w + x] = 5 + 10 * k;
      std::vector<int> &filled = {filled};
    """
    assert trips(host, body) == pytest.approx(5 if filled == "a" else 15, rel=0.15)


def test_a_function_appends_twice_in_each_iteration(host):
    body = """
      std::vector<int> filled;
      auto put = [&](int length) { filled.push_back(length); };
      for (int y = 0; y < w; y++)
        for (int x = 0; x < w; x++) { put(4 + x % 2); put(20 + x % 2); }
      int n = (int)filled.size();
    """
    assert trips(host, body) == pytest.approx(12.5, rel=0.1)


def test_a_function_stores_into_two_halves(host):
    body = """
      int n = 2 * w * w;
      std::vector<int> filled(n);
      auto put = [&](int at, int length) { filled[at] = length; };
      for (int y = 0; y < w; y++)
        for (int x = 0; x < w; x++) { put(y * w + x, 4); put(w * w + y * w + x, 20); }
    """
    assert trips(host, body) == pytest.approx(12, rel=0.1)
