"""Scans of one block over shared memory: what begins where they say is as long as what they have added up."""

from __future__ import annotations

import pytest

HEAD = """
#define T 256
__global__ void sizes(unsigned *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[i] = 10 + (i * 2654435761u >> 16) % 91;
}
__global__ void use(const unsigned *offs, const char *in, char *out, int n) {
  int t = blockIdx.x * blockDim.y + threadIdx.y;
  if (t >= n) return;
  unsigned at = offs[t], len = offs[t + 1] - at;
  for (unsigned k = threadIdx.x; k < len; k += 32) out[at + k] = in[t * 400 + k];
}
"""
SCANS = {
    "two buffers": """
      __shared__ unsigned buf[2][T];
      unsigned carry = 0;
      for (int base = 0; base < n; base += T) {
        int i = base + threadIdx.x, cur = 0;
        unsigned v = i < n ? sizes[i] : 0;
        buf[0][threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < T; d *= 2) {
          unsigned s = buf[cur][threadIdx.x];
          if (threadIdx.x >= d) s += buf[cur][threadIdx.x - d];
          buf[cur ^= 1][threadIdx.x] = s;
          __syncthreads();
        }
        if (i < n) offs[i] = carry + buf[cur][threadIdx.x] - v;
        carry += buf[cur][T - 1];
        __syncthreads();
      }
      if (threadIdx.x == 0) offs[n] = carry;""",
    "one buffer and a shared carry": """
      __shared__ unsigned buf[T], carry;
      if (threadIdx.x == 0) carry = 0;
      __syncthreads();
      for (int base = 0; base < n; base += T) {
        int i = base + threadIdx.x;
        unsigned v = i < n ? sizes[i] : 0;
        buf[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < T; d <<= 1) {
          unsigned a = threadIdx.x >= d ? buf[threadIdx.x - d] : 0;
          __syncthreads();
          buf[threadIdx.x] += a;
          __syncthreads();
        }
        if (i < n) offs[i] = carry + buf[threadIdx.x] - v;
        __syncthreads();
        if (threadIdx.x == T - 1) carry += buf[T - 1];
        __syncthreads();
      }
      if (threadIdx.x == 0) offs[n] = carry;""",
    "up and down": """
      __shared__ unsigned tmp[2 * T], carry;
      int t = threadIdx.x;
      if (t == 0) carry = 0;
      for (int base = 0; base < n; base += 2 * T) {
        tmp[2 * t] = base + 2 * t < n ? sizes[base + 2 * t] : 0;
        tmp[2 * t + 1] = base + 2 * t + 1 < n ? sizes[base + 2 * t + 1] : 0;
        int offset = 1;
        for (int d = T; d > 0; d >>= 1) {
          __syncthreads();
          if (t < d) tmp[offset * (2 * t + 2) - 1] += tmp[offset * (2 * t + 1) - 1];
          offset *= 2;
        }
        __syncthreads();
        unsigned total = tmp[2 * T - 1], begin = carry;
        __syncthreads();
        if (t == 0) { tmp[2 * T - 1] = 0; carry += total; }
        for (int d = 1; d < 2 * T; d *= 2) {
          offset >>= 1;
          __syncthreads();
          if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            unsigned q = tmp[ai];
            tmp[ai] = tmp[bi];
            tmp[bi] += q;
          }
        }
        __syncthreads();
        if (base + 2 * t < n) offs[base + 2 * t] = begin + tmp[2 * t];
        if (base + 2 * t + 1 < n) offs[base + 2 * t + 1] = begin + tmp[2 * t + 1];
        __syncthreads();
      }
      if (t == 0) offs[n] = carry;""",
}


@pytest.mark.parametrize("scan", SCANS)
def test_rows_are_as_long_as_the_numbers_that_were_scanned(host, scan):
    text = f"""{HEAD}
    __global__ void scan(const unsigned *sizes, unsigned *offs, int n) {{ {SCANS[scan]} }}
    int main() {{
      const int n = 20000;
      unsigned *s, *o;
      char *in, *out;
      cudaMalloc(&s, n * 4); cudaMalloc(&o, (n + 1) * 4);
      cudaMalloc(&in, n * 400); cudaMalloc(&out, n * 400);
      sizes<<<(n + 255) / 256, 256>>>(s, n);
      scan<<<1, T>>>(s, o, n);
      use<<<(n + 7) / 8, dim3(32, 8)>>>(o, in, out, n);
    }}"""
    trace = host(text).launches[-1].trace
    (totals,) = trace.loops.values()
    # 10 to 100 elements, 55 in the mean, over 32 lanes: the room for 400 of them says nothing.
    assert totals.mean_trips == pytest.approx(55 / 32, rel=0.1)
