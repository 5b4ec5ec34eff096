"""Places that fall at random within a window that follows the thread."""

import pytest

N = 1 << 22
BINS = 256
KERNEL = """
__global__ void count(const unsigned char *x, int *bins, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int *own = bins + (size_t)(t / 16) * 256;
  for (int i = 0; i < 16; i++) ACCESS;
}
int main() {
  unsigned char *x; int *bins;
  cudaMalloc(&x, (size_t)SIZE * 16); cudaMalloc(&bins, (size_t)SIZE / 16 * 1024);
  count<<<SIZE / 256, 256>>>(x, bins, SIZE);
}
"""


@pytest.mark.parametrize(
    "access",
    [
        "atomicAdd(&own[x[(size_t)i * n + t] & 255], 1)",
        "own[x[(size_t)i * n + t] & 255] = i",
    ],
)
def test_all_of_the_windows_are_touched(kernel_of, access):
    """16 threads that count 16 numbers each among 32 sectors leave out exp(-256 / 32) of them; the numbers are read besides."""
    kernel = kernel_of(KERNEL.replace("ACCESS", access).replace("SIZE", str(N)))
    assert kernel.traffic.compulsory_bytes == pytest.approx(N // 16 * BINS * 4 + 16 * N, rel=0.02)
