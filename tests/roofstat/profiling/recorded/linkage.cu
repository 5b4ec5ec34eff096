// Kernels with and without C++ linkage, in an order in which the name of the launch before tells them apart.
#include <cuda_runtime.h>

extern "C" __global__ void first_step(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1.0f;
}

extern "C" __global__ void second_step(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * 2.0f + 1.0f;
}

extern "C" __global__ void third_step(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * a[i] * a[i];
}

template <int N> __global__ void power(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = a[i], y = 1;
    for (int k = 0; k < N; ++k) y *= x;
    a[i] = y;
  }
}

int main() {
  int n = 1 << 16;
  float *a;
  cudaMalloc(&a, n * 4);
  cudaMemset(a, 0, n * 4);
  for (int r = 0; r < 2; ++r) {
    first_step<<<n / 256, 256>>>(a, n);
    second_step<<<n / 256, 256>>>(a, n);
    second_step<<<n / 256, 256>>>(a, n);
    third_step<<<n / 256, 256>>>(a, n);
    power<3><<<n / 256, 256>>>(a, n);
    power<5><<<n / 256, 256>>>(a, n);
    power<5><<<n / 256, 256>>>(a, n);
    power<7><<<n / 256, 256>>>(a, n);
    first_step<<<n / 128, 128>>>(a, n);
  }
  return cudaDeviceSynchronize();
}
