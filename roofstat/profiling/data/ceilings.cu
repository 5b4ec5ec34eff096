// What a card reaches: DRAM bandwidth and the rate of each arithmetic pipe. Prints `name value`, one a line.
//
// Rates are results a second (one fused multiply-add is one result), from kernels of independent chains with one large block
// on each multiprocessor; the clock is that of the multiprocessors while they run: cycles of the last run over
// the time of the fastest.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t status = (call);                                           \
    if (status != cudaSuccess) {                                           \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));      \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

constexpr int kChains = 8;
constexpr int kSteps = 64;
constexpr int kRuns = 5;
constexpr int kCopyThreads = 256;
constexpr int kChainThreads = 1024;

struct Fp32 {
  using Value = float;
  static constexpr int results = 1;
  __device__ static Value start(int i) { return i * 1e-3f; }
  __device__ static Value step(Value a, Value, float k) { return fmaf(a, k, k); }
  __device__ static bool odd(Value a) { return a == 1.25f; }
};
struct Fp64 {
  using Value = double;
  static constexpr int results = 1;
  __device__ static Value start(int i) { return i * 1e-3; }
  __device__ static Value step(Value a, Value, float k) { return fma(a, (double)k, (double)k); }
  __device__ static bool odd(Value a) { return a == 1.25; }
};
// Operands with two different halves can go down both pipes that take half-precision work; the compiler takes turns.
struct Fp16 {
  using Value = __half2;
  static constexpr int results = 2;
  __device__ static Value start(int i) { return __float2half2_rn(i * 1e-3f); }
  __device__ static Value step(Value a, Value, float k) {
    return __hfma2(a, __floats2half2_rn(k, k * 0.9f), __floats2half2_rn(k * 0.7f, k * 0.6f));
  }
  __device__ static bool odd(Value a) { return __low2float(a) == 1.25f; }
};
// One three-input logical instruction; each chain takes its neighbour in, so that no two steps fold into one.
struct Int32 {
  using Value = unsigned;
  static constexpr int results = 1;
  __device__ static Value start(int i) { return i * 2654435761u; }
  __device__ static Value step(Value a, Value next, float k) { return (a & next) ^ __float_as_uint(k); }
  __device__ static bool odd(Value a) { return a == 12345u; }
};
struct Special {
  using Value = float;
  static constexpr int results = 1;
  __device__ static Value start(int i) { return i * 1e-3f; }
  __device__ static Value step(Value a, Value, float) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
  }
  __device__ static bool odd(Value a) { return a == 1.25f; }
};

template <class Pipe>
__global__ void chains(int turns, float k, long long *clocks, unsigned *sink) {
  long long begin = clock64();
  typename Pipe::Value value[kChains];
  for (int c = 0; c < kChains; ++c) value[c] = Pipe::start(threadIdx.x + c);
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int c = 0; c < kChains; ++c) value[c] = Pipe::step(value[c], value[(c + 1) % kChains], k);
  }
  for (int c = 0; c < kChains; ++c)
    if (Pipe::odd(value[c])) *sink = c;
  __syncthreads();  // older warps are served first: the multiprocessor is busy until the last one ends
  if (blockIdx.x == 0 && threadIdx.x == 0) *clocks = clock64() - begin;
}

__global__ void copy(const float4 *from, float4 *to, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    to[i] = from[i];
}

__global__ void read(const float4 *from, float *sink, size_t n) {
  float sum = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 1.25f) *sink = sum;
}

template <class Launch>
float fastest_ms(Launch launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  launch();
  float best = 1e30f;
  for (int run = 0; run < kRuns; ++run) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (ms < best) best = ms;
  }
  return best;
}

template <class Pipe>
void measure(const char *name, int multiprocessors, long long *clocks, unsigned *sink) {
  int turns = 64;
  auto launch = [&] { chains<Pipe><<<multiprocessors, kChainThreads>>>(turns, 0.5f, clocks, sink); };
  while (fastest_ms(launch) < 20 && turns < (1 << 20)) turns *= 4;
  double seconds = fastest_ms(launch) * 1e-3;
  CHECK(cudaGetLastError());
  double results = (double)multiprocessors * kChainThreads * turns * kSteps * kChains * Pipe::results;
  long long spent;
  CHECK(cudaMemcpy(&spent, clocks, sizeof spent, cudaMemcpyDeviceToHost));
  printf("%s_results_per_s %.6g\n", name, results / seconds);
  printf("%s_clock_hz %.6g\n", name, spent / seconds);
}

int main() {
  cudaDeviceProp card;
  CHECK(cudaGetDeviceProperties(&card, 0));
  printf("device_name %s\n", card.name);
  printf("compute_capability %d%d\n", card.major, card.minor);
  printf("sm_count %d\n", card.multiProcessorCount);
  printf("memory_bytes %zu\n", card.totalGlobalMem);
  printf("l2_bytes %d\n", card.l2CacheSize);
  printf("shared_bytes_per_sm %zu\n", card.sharedMemPerMultiprocessor);
  printf("shared_bytes_per_block %zu\n", card.sharedMemPerBlockOptin);
  printf("registers_per_sm %d\n", card.regsPerMultiprocessor);
  printf("threads_per_sm %d\n", card.maxThreadsPerMultiProcessor);

  size_t spare, total;
  CHECK(cudaMemGetInfo(&spare, &total));
  size_t bytes = (size_t)2 << 30;
  while (bytes > spare / 3) bytes /= 2;
  float4 *from, *to;
  CHECK(cudaMalloc(&from, bytes));
  CHECK(cudaMalloc(&to, bytes));
  CHECK(cudaMemset(from, 0, bytes));
  int blocks = card.multiProcessorCount * (card.maxThreadsPerMultiProcessor / kCopyThreads);
  size_t n = bytes / sizeof(float4);
  float copy_ms = fastest_ms([&] { copy<<<blocks, kCopyThreads>>>(from, to, n); });
  float read_ms = fastest_ms([&] { read<<<blocks, kCopyThreads>>>(from, (float *)to, n); });
  CHECK(cudaGetLastError());
  printf("buffer_bytes %zu\n", bytes);
  printf("dram_copy_bytes_per_s %.6g\n", 2.0 * bytes / (copy_ms * 1e-3));
  printf("dram_read_bytes_per_s %.6g\n", 1.0 * bytes / (read_ms * 1e-3));

  long long *clocks;
  unsigned *sink;
  CHECK(cudaMalloc(&clocks, sizeof *clocks));
  CHECK(cudaMalloc(&sink, sizeof *sink));
  measure<Fp32>("fp32", card.multiProcessorCount, clocks, sink);
  measure<Fp64>("fp64", card.multiProcessorCount, clocks, sink);
  measure<Fp16>("fp16", card.multiProcessorCount, clocks, sink);
  measure<Int32>("int32", card.multiProcessorCount, clocks, sink);
  measure<Special>("special", card.multiProcessorCount, clocks, sink);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
