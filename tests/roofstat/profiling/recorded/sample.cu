// What the recorded exports in this folder were made of: `sample N FAILURE`, four kernels with seven launches.
//
//   scale<float>(float *, float, int)    blocks of 256: three launches of one configuration
//   scale<float>(float *, float, int)    blocks of 128: one launch
//   scale<double>(double *, double, int) blocks of 256: one launch
//   sum(const float *, float *, int)     blocks of 256: two launches of one configuration
//
// By hand for N = 4096: scale<float> does N sp_flop, loads and stores 4 N bytes in N/32 requests of 4 sectors each;
// scale<double> N dp_flop, 8 sectors a request; sum adds log2(256) times in the half of the lanes that is left, N - N/256.
#include <cstdio>
#include <cstdlib>

template <typename T>
__global__ void scale(T *x, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

__global__ void sum(const float *x, float *sums, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4096;
  int failure = argc > 2 ? atoi(argv[2]) : 0;
  if (n <= 0) return failure;
  float *x, *sums;
  double *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(double));
  cudaMalloc(&sums, (n + 255) / 256 * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(double));
  int blocks = (n + 255) / 256;
  for (int turn = 0; turn < 3; ++turn) scale<float><<<blocks, 256>>>(x, 1.5f, n);
  scale<float><<<(n + 127) / 128, 128>>>(x, 0.5f, n);
  scale<double><<<blocks, 256>>>(y, 1.5, n);
  for (int turn = 0; turn < 2; ++turn) sum<<<blocks, 256>>>(x, sums, n);
  cudaError_t error = cudaDeviceSynchronize();
  printf("sample: %s\n", cudaGetErrorString(error));
  return failure;
}
