#ifndef CQ_CURAND_KERNEL_H
#define CQ_CURAND_KERNEL_H
#include <curand.h>
#if defined(__CUDA__)
// State sizes are those of the library (48, 64, 72 and 16 bytes of generator state and cache).
struct curandStateXORWOW { unsigned int d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
struct curandStatePhilox4_32_10 { uint4 ctr, output; uint2 key; unsigned int STATE; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
struct curandStateMRG32k3a { unsigned int s1[3], s2[3]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
struct curandStateSobol32 { unsigned int i, x, c, direction_vectors[32]; };
struct curandStateScrambledSobol32 { unsigned int i, x, c, direction_vectors[32]; };
struct curandStateSobol64 { unsigned long long i, x, c, direction_vectors[64]; };
struct mtgp32_kernel_params;
struct curandStateMtgp32 { unsigned int s[1024]; int offset, pIdx; mtgp32_kernel_params *k; };
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateMtgp32 curandStateMtgp32_t;
__device__ void skipahead(unsigned long long n, curandStateXORWOW *state);
__device__ void skipahead_sequence(unsigned long long n, curandStateXORWOW *state);
__device__ unsigned int curand_poisson(curandStateXORWOW *state, double lambda);
__device__ void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state);
__device__ void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state);
__device__ unsigned int curand_poisson(curandStatePhilox4_32_10 *state, double lambda);
__device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateMRG32k3a *state);
__device__ void skipahead(unsigned long long n, curandStateMRG32k3a *state);
__device__ void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *state);
__device__ unsigned int curand(curandStateMRG32k3a *state);
__device__ unsigned int curand_poisson(curandStateMRG32k3a *state, double lambda);
__device__ void curand_init(unsigned int *vectors, unsigned int offset, curandStateSobol32 *state);
__device__ void skipahead(unsigned long long n, curandStateSobol32 *state);
__device__ unsigned int curand_poisson(curandStateSobol32 *state, double lambda);
__device__ void curand_init(unsigned int *vectors, unsigned int offset, curandStateScrambledSobol32 *state);
__device__ void skipahead(unsigned long long n, curandStateScrambledSobol32 *state);
__device__ unsigned int curand(curandStateScrambledSobol32 *state);
__device__ unsigned int curand_poisson(curandStateScrambledSobol32 *state, double lambda);
__device__ void curand_init(unsigned long long *vectors, unsigned int offset, curandStateSobol64 *state);
__device__ void skipahead(unsigned long long n, curandStateSobol64 *state);
__device__ unsigned long long curand(curandStateSobol64 *state);
__device__ unsigned int curand_poisson(curandStateSobol64 *state, double lambda);
__device__ unsigned int curand(curandStateMtgp32 *state);
__device__ unsigned int curand_poisson(curandStateMtgp32 *state, double lambda);
__device__ unsigned int curand_discrete(curandStateXORWOW *state, curandDiscreteDistribution_t distribution);
// The work of a generator, and values that are evenly spread: __cq_evenly(x) costs nothing and may be any word.
__device__ unsigned int __cq_evenly(unsigned int x);
inline __device__ unsigned int curand(curandStateXORWOW *state) {
  unsigned int t = state->v[0] ^ (state->v[0] >> 2);
  state->v[0] = state->v[1]; state->v[1] = state->v[2]; state->v[2] = state->v[3]; state->v[3] = state->v[4];
  state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
  state->d += 362437u;
  return __cq_evenly(state->v[4] + state->d);
}
// Jumps ahead are products of the state (160 bits) with matrices of bits, one for each two bits of the distance. Every
// second bit is set: a row of each pair of rows is added, which costs what adding one row or none does.
static __device__ unsigned int cq_xorwow_sequences[32][800], cq_xorwow_offsets[32][800];
inline __device__ void cq_xorwow_jump(unsigned long long distance, unsigned int (*matrices)[800], unsigned int *v) {
  for (int m = 0; distance != 0 && m < 32; m++, distance >>= 2)
    for (unsigned int step = 0; step < (unsigned int)(distance & 3); step++) {
      unsigned int product[5] = {0, 0, 0, 0, 0};
      for (int word = 0; word < 5; word++) {
#pragma unroll 16
        for (int pair = 0; pair < 16; pair++) {
          unsigned int row = word * 32 + 2 * pair + ((v[word] >> pair) & 1u);
          for (int k = 0; k < 5; k++) product[k] ^= matrices[m][5 * row + k];
        }
      }
      for (int k = 0; k < 5; k++) v[k] = __cq_evenly(product[k]);
    }
}
inline __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *state) {
  unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u), high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low; state->v[1] = 362436069u ^ low; state->v[2] = 521288629u + high; state->v[3] = 88675123u ^ high; state->v[4] = 5783321u + low;
  cq_xorwow_jump(sequence, cq_xorwow_sequences, state->v);
  cq_xorwow_jump(offset, cq_xorwow_offsets, state->v);
  state->d += 362437u * (unsigned int)offset;
  state->boxmuller_flag = 0; state->boxmuller_flag_double = 0; state->boxmuller_extra = 0.0f; state->boxmuller_extra_double = 0.0;
}
inline __device__ uint4 cq_philox(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned int high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x, high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c.x = high1 ^ c.y ^ k.x; c.y = low1; c.z = high0 ^ c.w ^ k.y; c.w = low0;
    k.x += 0x9E3779B9u; k.y += 0xBB67AE85u;
  }
  return c;
}
inline __device__ void cq_philox_next(curandStatePhilox4_32_10 *state) {
  if (++state->ctr.x == 0 && ++state->ctr.y == 0 && ++state->ctr.z == 0) ++state->ctr.w;
  state->output = cq_philox(state->ctr, state->key);
}
inline __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *state) {
  unsigned long long ahead = offset / 4;
  state->ctr.x = (unsigned int)ahead; state->ctr.y = (unsigned int)(ahead >> 32);
  state->ctr.z = (unsigned int)sequence; state->ctr.w = (unsigned int)(sequence >> 32);
  state->key.x = (unsigned int)seed; state->key.y = (unsigned int)(seed >> 32);
  state->STATE = (unsigned int)offset & 3u;
  state->boxmuller_flag = 0; state->boxmuller_flag_double = 0; state->boxmuller_extra = 0.0f; state->boxmuller_extra_double = 0.0;
  state->output = cq_philox(state->ctr, state->key);
}
inline __device__ unsigned int curand(curandStatePhilox4_32_10 *state) {
  unsigned int result = state->STATE == 0 ? state->output.x : state->STATE == 1 ? state->output.y : state->STATE == 2 ? state->output.z : state->output.w;
  if (++state->STATE == 4) { cq_philox_next(state); state->STATE = 0; }
  return __cq_evenly(result);
}
inline __device__ uint4 curand4(curandStatePhilox4_32_10 *state) {
  uint4 result = state->output;
  cq_philox_next(state);
  result.x = __cq_evenly(result.x); result.y = __cq_evenly(result.y); result.z = __cq_evenly(result.z); result.w = __cq_evenly(result.w);
  return result;
}
inline __device__ unsigned int curand(curandStateSobol32 *state) {
  unsigned int result = state->x;
  state->x ^= state->direction_vectors[__ffs(~state->i) - 1];
  state->i++;
  return __cq_evenly(result);
}
inline __device__ float cq_uniform(unsigned int x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
inline __device__ float2 cq_box_muller(unsigned int x, unsigned int y) {
  float s = sqrtf(-2.0f * logf(x * 2.3283064e-10f + 1.1641532e-10f)), v = y * 1.46291807e-9f + 7.3145904e-10f;
  float2 result;
  __sincosf(v, &result.x, &result.y);
  result.x *= s; result.y *= s;
  return result;
}
// Pairs of normal numbers: the second is kept for the next call.
#define CQ_CURAND_PAIRS(S) \
  inline __device__ float curand_uniform(S *state) { return cq_uniform(curand(state)); } \
  inline __device__ float2 curand_normal2(S *state) { unsigned int x = curand(state), y = curand(state); return cq_box_muller(x, y); } \
  inline __device__ float curand_normal(S *state) { \
    if (state->boxmuller_flag) { state->boxmuller_flag = 0; return state->boxmuller_extra; } \
    float2 pair = curand_normal2(state); \
    state->boxmuller_extra = pair.y; state->boxmuller_flag = 1; \
    return pair.x; } \
  inline __device__ float curand_log_normal(S *state, float mean, float deviation) { return expf(mean + deviation * curand_normal(state)); } \
  inline __device__ float2 curand_log_normal2(S *state, float mean, float deviation) { \
    float2 pair = curand_normal2(state); \
    return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y)); }
#define CQ_CURAND_SINGLE(S) \
  inline __device__ float curand_uniform(S *state) { return cq_uniform((unsigned int)curand(state)); } \
  inline __device__ float curand_normal(S *state) { return normcdfinvf(cq_uniform((unsigned int)curand(state))); } \
  inline __device__ float curand_log_normal(S *state, float mean, float deviation) { return expf(mean + deviation * curand_normal(state)); }
CQ_CURAND_PAIRS(curandStateXORWOW)
CQ_CURAND_PAIRS(curandStatePhilox4_32_10)
CQ_CURAND_PAIRS(curandStateMRG32k3a)
CQ_CURAND_SINGLE(curandStateSobol32)
CQ_CURAND_SINGLE(curandStateScrambledSobol32)
CQ_CURAND_SINGLE(curandStateSobol64)
CQ_CURAND_SINGLE(curandStateMtgp32)
inline __device__ float4 curand_uniform4(curandStatePhilox4_32_10 *state) { uint4 x = curand4(state); return make_float4(cq_uniform(x.x), cq_uniform(x.y), cq_uniform(x.z), cq_uniform(x.w)); }
inline __device__ float4 curand_normal4(curandStatePhilox4_32_10 *state) {
  uint4 x = curand4(state);
  float2 first = cq_box_muller(x.x, x.y), second = cq_box_muller(x.z, x.w);
  return make_float4(first.x, first.y, second.x, second.y);
}
inline __device__ float4 curand_log_normal4(curandStatePhilox4_32_10 *state, float mean, float deviation) {
  float4 x = curand_normal4(state);
  return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y), expf(mean + deviation * x.z), expf(mean + deviation * x.w));
}
__device__ double curand_normal_double(curandStateXORWOW *state); __device__ double curand_log_normal_double(curandStateXORWOW *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStateXORWOW *state) { unsigned long long x = curand(state), y = curand(state); return (x ^ (y << 21)) * 1.1102230246251565e-16 + 5.5511151231257827e-17; }
__device__ double2 curand_normal2_double(curandStateXORWOW *state);
__device__ double curand_normal_double(curandStatePhilox4_32_10 *state); __device__ double curand_log_normal_double(curandStatePhilox4_32_10 *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStatePhilox4_32_10 *state) { unsigned long long x = curand(state), y = curand(state); return (x ^ (y << 21)) * 1.1102230246251565e-16 + 5.5511151231257827e-17; }
__device__ double2 curand_normal2_double(curandStatePhilox4_32_10 *state);
__device__ double curand_normal_double(curandStateMRG32k3a *state); __device__ double curand_log_normal_double(curandStateMRG32k3a *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStateMRG32k3a *state) { return (unsigned int)curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__device__ double2 curand_normal2_double(curandStateMRG32k3a *state);
__device__ double curand_normal_double(curandStateSobol32 *state); __device__ double curand_log_normal_double(curandStateSobol32 *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStateSobol32 *state) { return (unsigned int)curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__device__ double curand_normal_double(curandStateScrambledSobol32 *state); __device__ double curand_log_normal_double(curandStateScrambledSobol32 *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStateScrambledSobol32 *state) { return (unsigned int)curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__device__ double curand_normal_double(curandStateSobol64 *state); __device__ double curand_log_normal_double(curandStateSobol64 *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStateSobol64 *state) { return (unsigned int)curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__device__ double curand_normal_double(curandStateMtgp32 *state); __device__ double curand_log_normal_double(curandStateMtgp32 *state, double mean, double deviation);
inline __device__ double curand_uniform_double(curandStateMtgp32 *state) { return (unsigned int)curand(state) * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__device__ double2 curand_uniform2_double(curandStatePhilox4_32_10 *state); __device__ double4 curand_uniform4_double(curandStatePhilox4_32_10 *state); __device__ double4 curand_normal4_double(curandStatePhilox4_32_10 *state); __device__ uint4 curand_poisson4(curandStatePhilox4_32_10 *state, double lambda);
#endif
#endif
