"""Reads of which each one takes what the other leaves out touch all between them, and no more than that where they overlap."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

N = 1 << 24
PROGRAM = """
#include <cuda_runtime.h>
__global__ void kernel(const float *a, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  BODY
}
int main() {
  float *a, *o;
  cudaMalloc(&a, N * 4); cudaMalloc(&o, N * 4);
  kernel<<<GRID, 256>>>(a, o);
}
"""


def kernel(kernel_of, body, threads, gpu="h100-sxm"):
    values = {"BODY": body, "GRID": str(threads // 256), "N": str(N)}
    source = PROGRAM
    for name, value in values.items():
        source = source.replace(name, value)
    return kernel_of(source, gpu, traffic=TrafficRegime.STEADY)


@pytest.mark.parametrize(
    "body",
    [
        "if (!(i & 16)) o[i] = a[i] + a[i ^ 16];",
        "if (!(i & 8)) o[i] = a[i] + a[i + 8];",
        "if (!(i & 128)) o[i] = a[i] + a[i ^ 128];",
        "if (threadIdx.x < 128) o[i] = a[i] + a[i + 128];",
        "if (blockIdx.x % 2 == 0) o[i] = a[i] + a[i + 256];",
        "if (i < (i ^ 4096)) o[i] = a[i] + a[i ^ 4096];",
    ],
)
def test_half_of_the_threads_read_their_own_and_their_partners(kernel_of, body):
    """4 N bytes: half of the threads read two elements each, none of which any other thread reads."""
    found = kernel(kernel_of, body, N)
    assert found.traffic.steady.read_bytes == pytest.approx(4 * N, rel=0.05)


def test_neighbours_that_half_of_the_threads_read_are_the_same(kernel_of):
    """4 N / 2 bytes and a sector at each end of the 4,096 neighbours of N / 8,192 runs."""
    body = "if (i & 4096) o[i] = a[i] + a[i - 1] + a[i + 1];"
    found = kernel(kernel_of, body, N)
    assert found.traffic.steady.read_bytes == pytest.approx(2 * N + 64 * N / 8192, rel=0.03)


@pytest.mark.parametrize("gpu", ["h100-sxm", "rtx3080"])
def test_alternate_sectors_come_from_dram_together(kernel_of, gpu):
    """4 N bytes read by N / 2 threads: each loads from one of two sectors and from the other; 2 N written."""
    body = "o[i] = a[i / 8 * 16 + i % 8] + a[i / 8 * 16 + 8 + i % 8];"
    found = kernel(kernel_of, body, N // 2, gpu)
    assert found.traffic.steady.read_bytes == pytest.approx(4 * N, rel=0.02)
    assert found.traffic.steady.write_bytes == pytest.approx(2 * N, rel=0.02)


def test_pairs_of_writes_fill_the_sectors(kernel_of):
    """4 N bytes: half of the threads write two elements each."""
    found = kernel(kernel_of, "if (!(i & 16)) { o[i] = 1; o[i ^ 16] = 2; }", N)
    assert found.traffic.steady.write_bytes == pytest.approx(4 * N, rel=0.02)


def test_what_is_read_and_written_in_place_has_its_partners_beside_it(kernel_of):
    """4 N bytes read, of which the first half of each block is written back."""
    source = PROGRAM.replace("BODY", "if (threadIdx.x < 128) o[i] += o[i + 128];")
    source = source.replace("GRID", str(N // 256)).replace("N", str(N))
    found = kernel_of(source, "h100-sxm", traffic=TrafficRegime.STEADY)
    assert found.traffic.steady.read_bytes == pytest.approx(4 * N, rel=0.02)
    assert found.traffic.steady.write_bytes == pytest.approx(2 * N, rel=0.02)
