"""Loads of the math library's coefficients in the report of a launch."""

SINES = """
__global__ void k(const double *a, double *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = sin(a[i]);
}
int main() {
  double *a, *b;
  cudaMalloc(&a, 8 << 20);
  cudaMalloc(&b, 8 << 20);
  k<<<4096, 256>>>(a, b);
}
"""


def test_sines_request_their_coefficients(kernel_of):
    """32,768 warps: a request of 8 sectors for the angles, three of 1.5 each for the coefficients; DRAM has the angles alone."""
    kernel = kernel_of(SINES)
    assert kernel.traffic.global_ld_requests == 32768 * (1 + 3)
    assert kernel.traffic.global_ld_sectors == 32768 * (8 + 3 * 1.5)
    assert 8 << 20 <= kernel.traffic.profiled.read_bytes <= (8 << 20) + 8192


HOISTED = """
__global__ void k(const double *a, double *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double c = sin(a[i]), s = 0.0;
  for (int k = 0; k < n; k++) s += c * k;
  b[i] = s;
}
int main() {
  double *a, *b;
  cudaMalloc(&a, 8 << 20);
  cudaMalloc(&b, 8 << 20);
  k<<<4096, 256>>>(a, b, 100);
}
"""


def test_sines_in_front_of_a_loop_are_of_warps(kernel_of):
    """What only a loop uses is computed where it begins: by 32,768 warps, not by their threads."""
    assert kernel_of(HOISTED).traffic.global_ld_requests == 32768 * (1 + 3)
