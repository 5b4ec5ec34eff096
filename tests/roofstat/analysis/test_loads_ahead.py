"""Loops that load ahead: the first tile before the loop, each next one in it but for the last."""

from __future__ import annotations

import pytest

AHEAD = """
__global__ void k(const float4 *in, float4 *out) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  float4 v = in[i];
  for (int k = 0; k < 4; k++) {
    float4 w = v;
    if (k < 3) v = in[i + (k + 1) * 256];
    w.x += 1.0f;
    out[i + k * 256] = w;
  }
}
"""
SOME = """
__global__ void k(const float *in, float *out) {
  int i = blockIdx.x * 4096 + threadIdx.x;
  float s = 0;
  for (int k = 0; k < 16; k++) if (k < 5) s += in[i + k * 256];
  out[blockIdx.x * 256 + threadIdx.x] = s;
}
"""


def _program(kernel: str, element: str, blocks: int) -> str:
    return f"""{kernel}
int main() {{
  {element} *a, *b; cudaMalloc(&a, 1 << 30); cudaMalloc(&b, 1 << 30);
  k<<<{blocks}, 256>>>(a, b);
}}
"""


def test_tiles_beside_each_other_are_all_read(kernel_of):
    """4 tiles of 256 elements of 16 bytes for each block, read and written once."""
    blocks = 16384
    kernel = kernel_of(_program(AHEAD, "float4", blocks))
    assert kernel.traffic.steady.read_bytes == pytest.approx(blocks * 1024 * 16, rel=0.01)
    assert kernel.traffic.steady.write_bytes == pytest.approx(blocks * 1024 * 16, rel=0.01)


def test_iterations_that_a_condition_leaves_out_are_not_read(kernel_of):
    """5 of 16 tiles of 256 elements of 4 bytes."""
    blocks = 16384
    kernel = kernel_of(_program(SOME, "float", blocks))
    assert kernel.traffic.steady.read_bytes == pytest.approx(blocks * 5 * 256 * 4, rel=0.01)
