// The part of the x86 vector intrinsics that host code of accelerator programs uses. Arithmetic
// has bodies on vector types; what needs an instruction of its own is a declaration.
#ifndef CQ_SIMD_TYPES_H
#define CQ_SIMD_TYPES_H
#include <cq_declare.h>
#include <mm_malloc.h>
typedef float __m128 __attribute__((vector_size(16)));
typedef double __m128d __attribute__((vector_size(16)));
typedef long long __m128i __attribute__((vector_size(16)));
typedef float __m256 __attribute__((vector_size(32)));
typedef double __m256d __attribute__((vector_size(32)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef float __m512 __attribute__((vector_size(64)));
typedef double __m512d __attribute__((vector_size(64)));
typedef long long __m512i __attribute__((vector_size(64)));
typedef unsigned char __mmask8;
typedef unsigned short __mmask16;
#define _MM_SHUFFLE(d, c, b, a) (((d) << 6) | ((c) << 4) | ((b) << 2) | (a))
#define _MM_HINT_T0 3
#define _MM_HINT_NTA 0
#define _mm_shuffle_ps(a, b, mask) cq_mm_shuffle_ps(a, b, mask)
#define _mm_prefetch(address, hint) ((void)(address))
// Host only: the compiler knows some of these names as functions of the host.
#if defined(__cplusplus)
extern "C" {
#endif
__m128 cq_mm_shuffle_ps(__m128 a, __m128 b, int mask);
void _mm_pause(void);
void _mm_mfence(void);
void _mm_sfence(void);
void _mm_lfence(void);
void _mm_clflush(const void *address);
unsigned int _mm_getcsr(void);
void _mm_setcsr(unsigned int value);
unsigned long long __rdtsc(void);
unsigned long long _rdtsc(void);
int _mm_popcnt_u32(unsigned int x);
long long _mm_popcnt_u64(unsigned long long x);
unsigned int _mm_crc32_u32(unsigned int crc, unsigned int x);
static inline __m128 _mm_add_ps(__m128 a, __m128 b) { return a + b; }
static inline __m128 _mm_sub_ps(__m128 a, __m128 b) { return a - b; }
static inline __m128 _mm_mul_ps(__m128 a, __m128 b) { return a * b; }
static inline __m128 _mm_div_ps(__m128 a, __m128 b) { return a / b; }
static inline __m128 _mm_fmadd_ps(__m128 a, __m128 b, __m128 c) { return a * b + c; }
__m128 _mm_load_ps(const float *from); __m128 _mm_loadu_ps(const float *from); void _mm_store_ps(float *to, __m128 a); void _mm_storeu_ps(float *to, __m128 a); void _mm_stream_ps(float *to, __m128 a);
__m128 _mm_set1_ps(float x); __m128 _mm_setzero_ps(void); __m128 _mm_sqrt_ps(__m128 a); __m128 _mm_max_ps(__m128 a, __m128 b); __m128 _mm_min_ps(__m128 a, __m128 b);
static inline __m128d _mm_add_pd(__m128d a, __m128d b) { return a + b; }
static inline __m128d _mm_sub_pd(__m128d a, __m128d b) { return a - b; }
static inline __m128d _mm_mul_pd(__m128d a, __m128d b) { return a * b; }
static inline __m128d _mm_div_pd(__m128d a, __m128d b) { return a / b; }
static inline __m128d _mm_fmadd_pd(__m128d a, __m128d b, __m128d c) { return a * b + c; }
__m128d _mm_load_pd(const double *from); __m128d _mm_loadu_pd(const double *from); void _mm_store_pd(double *to, __m128d a); void _mm_storeu_pd(double *to, __m128d a); void _mm_stream_pd(double *to, __m128d a);
__m128d _mm_set1_pd(double x); __m128d _mm_setzero_pd(void); __m128d _mm_sqrt_pd(__m128d a); __m128d _mm_max_pd(__m128d a, __m128d b); __m128d _mm_min_pd(__m128d a, __m128d b);
static inline __m256 _mm256_add_ps(__m256 a, __m256 b) { return a + b; }
static inline __m256 _mm256_sub_ps(__m256 a, __m256 b) { return a - b; }
static inline __m256 _mm256_mul_ps(__m256 a, __m256 b) { return a * b; }
static inline __m256 _mm256_div_ps(__m256 a, __m256 b) { return a / b; }
static inline __m256 _mm256_fmadd_ps(__m256 a, __m256 b, __m256 c) { return a * b + c; }
__m256 _mm256_load_ps(const float *from); __m256 _mm256_loadu_ps(const float *from); void _mm256_store_ps(float *to, __m256 a); void _mm256_storeu_ps(float *to, __m256 a); void _mm256_stream_ps(float *to, __m256 a);
__m256 _mm256_set1_ps(float x); __m256 _mm256_setzero_ps(void); __m256 _mm256_sqrt_ps(__m256 a); __m256 _mm256_max_ps(__m256 a, __m256 b); __m256 _mm256_min_ps(__m256 a, __m256 b);
static inline __m256d _mm256_add_pd(__m256d a, __m256d b) { return a + b; }
static inline __m256d _mm256_sub_pd(__m256d a, __m256d b) { return a - b; }
static inline __m256d _mm256_mul_pd(__m256d a, __m256d b) { return a * b; }
static inline __m256d _mm256_div_pd(__m256d a, __m256d b) { return a / b; }
static inline __m256d _mm256_fmadd_pd(__m256d a, __m256d b, __m256d c) { return a * b + c; }
__m256d _mm256_load_pd(const double *from); __m256d _mm256_loadu_pd(const double *from); void _mm256_store_pd(double *to, __m256d a); void _mm256_storeu_pd(double *to, __m256d a); void _mm256_stream_pd(double *to, __m256d a);
__m256d _mm256_set1_pd(double x); __m256d _mm256_setzero_pd(void); __m256d _mm256_sqrt_pd(__m256d a); __m256d _mm256_max_pd(__m256d a, __m256d b); __m256d _mm256_min_pd(__m256d a, __m256d b);
static inline __m512 _mm512_add_ps(__m512 a, __m512 b) { return a + b; }
static inline __m512 _mm512_sub_ps(__m512 a, __m512 b) { return a - b; }
static inline __m512 _mm512_mul_ps(__m512 a, __m512 b) { return a * b; }
static inline __m512 _mm512_div_ps(__m512 a, __m512 b) { return a / b; }
static inline __m512 _mm512_fmadd_ps(__m512 a, __m512 b, __m512 c) { return a * b + c; }
__m512 _mm512_load_ps(const float *from); __m512 _mm512_loadu_ps(const float *from); void _mm512_store_ps(float *to, __m512 a); void _mm512_storeu_ps(float *to, __m512 a); void _mm512_stream_ps(float *to, __m512 a);
__m512 _mm512_set1_ps(float x); __m512 _mm512_setzero_ps(void); __m512 _mm512_sqrt_ps(__m512 a); __m512 _mm512_max_ps(__m512 a, __m512 b); __m512 _mm512_min_ps(__m512 a, __m512 b);
static inline __m512d _mm512_add_pd(__m512d a, __m512d b) { return a + b; }
static inline __m512d _mm512_sub_pd(__m512d a, __m512d b) { return a - b; }
static inline __m512d _mm512_mul_pd(__m512d a, __m512d b) { return a * b; }
static inline __m512d _mm512_div_pd(__m512d a, __m512d b) { return a / b; }
static inline __m512d _mm512_fmadd_pd(__m512d a, __m512d b, __m512d c) { return a * b + c; }
__m512d _mm512_load_pd(const double *from); __m512d _mm512_loadu_pd(const double *from); void _mm512_store_pd(double *to, __m512d a); void _mm512_storeu_pd(double *to, __m512d a); void _mm512_stream_pd(double *to, __m512d a);
__m512d _mm512_set1_pd(double x); __m512d _mm512_setzero_pd(void); __m512d _mm512_sqrt_pd(__m512d a); __m512d _mm512_max_pd(__m512d a, __m512d b); __m512d _mm512_min_pd(__m512d a, __m512d b);
__m128 _mm_load1_ps(const float *from); __m128 _mm_set_ps1(float x); __m128 _mm_set_ps(float d, float c, float b, float a); __m128 _mm_setr_ps(float a, float b, float c, float d); __m128 _mm_rcp_ps(__m128 a); __m128 _mm_rsqrt_ps(__m128 a); float _mm_cvtss_f32(__m128 a); __m128 _mm_load_ss(const float *from); void _mm_store_ss(float *to, __m128 a); __m128 _mm_hadd_ps(__m128 a, __m128 b);
__m128d _mm_set_pd(double b, double a); __m128d _mm_load1_pd(const double *from); double _mm_cvtsd_f64(__m128d a); __m128d _mm_hadd_pd(__m128d a, __m128d b);
__m256 _mm256_set_ps(float h, float g, float f, float e, float d, float c, float b, float a); __m256d _mm256_set_pd(double d, double c, double b, double a); __m256 _mm256_hadd_ps(__m256 a, __m256 b); __m256 _mm256_and_ps(__m256 a, __m256 b);
__m128i _mm_set1_epi32(int x); __m128i _mm_setzero_si128(void); __m128i _mm_loadu_si128(const __m128i *from); __m128i _mm_load_si128(const __m128i *from); void _mm_storeu_si128(__m128i *to, __m128i a); void _mm_store_si128(__m128i *to, __m128i a); __m128i _mm_add_epi32(__m128i a, __m128i b); __m128i _mm_xor_si128(__m128i a, __m128i b); __m128i _mm_and_si128(__m128i a, __m128i b); __m128i _mm_or_si128(__m128i a, __m128i b);
__m256i _mm256_set1_epi32(int x); __m256i _mm256_setzero_si256(void); __m256i _mm256_loadu_si256(const __m256i *from); void _mm256_storeu_si256(__m256i *to, __m256i a); __m256i _mm256_add_epi32(__m256i a, __m256i b); float _mm512_reduce_add_ps(__m512 a); double _mm512_reduce_add_pd(__m512d a);
#if defined(__cplusplus)
}
#endif
#endif
