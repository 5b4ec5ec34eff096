#include <cuda_runtime.h>

__global__ void column_sums(const float *matrix, float *sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) {
    sum += matrix[row * columns + column] * 0.5;
  }
  sums[row] = sum;
}

int main() {
  const int rows = 1 << 20, columns = 128;
  float *matrix, *sums;
  cudaMalloc(&matrix, sizeof(float) * rows * columns);
  cudaMalloc(&sums, sizeof(float) * rows);
  column_sums<<<(rows + 255) / 256, 256>>>(matrix, sums, rows, columns);
  cudaDeviceSynchronize();
}
