"""Counts of tests on data that nobody knows: skipped iterations have counted as those before did."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("elements", [8, 16, 24])
def test_a_count_goes_on_through_skipped_iterations(host, elements):
    # Half of the tests hold: a thread counts elements / 2 in the mean.
    text = f"""
    __global__ void k(const int *x, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int found = 0;
      for (int k = 0; k < {elements}; k++) found += x[k * n + i] >= 0;
      float s = 0;
      for (int k = 0; k < found; k++) s += k;
      out[i] = s;
    }}
    int main() {{
      int n = 65536;
      int *x; float *out;
      cudaMalloc(&x, n * {elements} * 4); cudaMalloc(&out, n * 4);
      k<<<n / 128, 128>>>(x, out, n);
    }}"""
    _, totals = host(text).only().trace.loops.values()
    assert totals.mean_trips == pytest.approx(elements / 2, rel=0.15)


def test_rows_stored_by_columns_are_half_of_the_columns_long(host):
    text = """
    __global__ void k(const float *x, const int *length, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float s = 0;
      for (int k = 0; k < length[i]; k++) s += x[(size_t)k * n + i];
      out[i] = s;
    }
    int main(int argc, char **argv) {
      int n = 65536;
      float *x, *out; int *length;
      cudaMalloc(&x, n * 24 * 4); cudaMalloc(&length, n * 4); cudaMalloc(&out, n * 4);
      k<<<n / 128, 128>>>(x, length, out, n);
    }"""
    (totals,) = host(text).only().trace.loops.values()
    assert totals.mean_trips == pytest.approx(12)


def test_elements_of_private_arrays_differ_from_lane_to_lane(host):
    # Nobody knows what is in them in the end: half of the tests hold, in each warp those of some threads.
    text = """
    __global__ void k(const int *x, const int *first, float *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int mine[8];
      for (int k = 0; k < 8; k++) mine[k] = -1;
      for (int j = first[i]; j < first[i + 1]; j++) mine[j & 7] = x[j];
      float s = 0;
      if (mine[3] > 0) s = i * 2.0f;
      out[i] = s;
    }
    int main(int argc, char **argv) {
      int n = 65536;
      int *x, *first; float *out;
      cudaMalloc(&x, n * 16 * 4); cudaMalloc(&first, n * 4 + 4); cudaMalloc(&out, n * 4);
      k<<<n / 128, 128>>>(x, first, out);
    }"""
    trace = host(text).only().trace
    threads = {
        number: there for number, there in trace.block_threads.items() if there < 0.9 * 65536
    }
    (arm,) = [number for number, there in threads.items() if there > 0]
    assert threads[arm] == pytest.approx(65536 / 2, rel=0.1)
    assert trace.block_warps[arm] == pytest.approx(65536 / 32, rel=0.05)
