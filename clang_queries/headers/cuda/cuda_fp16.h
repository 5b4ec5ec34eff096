#ifndef CQ_CUDA_FP16_H
#define CQ_CUDA_FP16_H
#define __CUDA_FP16_H__
#include <cuda_runtime_api.h>
#include <vector_types.h>
#if defined(__cplusplus)
// Operators have bodies that call the named intrinsics; the intrinsics are declarations.
struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __half;
struct __half2;
CQ_BEGIN_CXX
__half __double2half(double x);
__half __float2half(float x);
__half __float2half_rn(float x); __half __float2half_rz(float x); __half __float2half_rd(float x); __half __float2half_ru(float x);
float __half2float(__half x);
__half2 __float2half2_rn(float x);
__half2 __floats2half2_rn(float x, float y);
__half2 __float22half2_rn(float2 x);
float2 __half22float2(__half2 x);
float __low2float(__half2 x);
float __high2float(__half2 x);
__half __low2half(__half2 x);
__half __high2half(__half2 x);
__half2 __low2half2(__half2 x);
__half2 __high2half2(__half2 x);
__half2 __half2half2(__half x);
__half2 __halves2half2(__half x, __half y);
__half2 __lows2half2(__half2 x, __half2 y);
__half2 __highs2half2(__half2 x, __half2 y);
__half2 __lowhigh2highlow(__half2 x);
__half2 make_half2(__half x, __half y);
short __half2short_rn(__half x); short __half2short_rz(__half x); short __half2short_rd(__half x); short __half2short_ru(__half x); __half __short2half_rn(short x); __half __short2half_rz(short x); __half __short2half_rd(short x); __half __short2half_ru(short x);
unsigned short __half2ushort_rn(__half x); unsigned short __half2ushort_rz(__half x); unsigned short __half2ushort_rd(__half x); unsigned short __half2ushort_ru(__half x); __half __ushort2half_rn(unsigned short x); __half __ushort2half_rz(unsigned short x); __half __ushort2half_rd(unsigned short x); __half __ushort2half_ru(unsigned short x);
int __half2int_rn(__half x); int __half2int_rz(__half x); int __half2int_rd(__half x); int __half2int_ru(__half x); __half __int2half_rn(int x); __half __int2half_rz(int x); __half __int2half_rd(int x); __half __int2half_ru(int x);
unsigned int __half2uint_rn(__half x); unsigned int __half2uint_rz(__half x); unsigned int __half2uint_rd(__half x); unsigned int __half2uint_ru(__half x); __half __uint2half_rn(unsigned int x); __half __uint2half_rz(unsigned int x); __half __uint2half_rd(unsigned int x); __half __uint2half_ru(unsigned int x);
long long __half2ll_rn(__half x); long long __half2ll_rz(__half x); long long __half2ll_rd(__half x); long long __half2ll_ru(__half x); __half __ll2half_rn(long long x); __half __ll2half_rz(long long x); __half __ll2half_rd(long long x); __half __ll2half_ru(long long x);
unsigned long long __half2ull_rn(__half x); unsigned long long __half2ull_rz(__half x); unsigned long long __half2ull_rd(__half x); unsigned long long __half2ull_ru(__half x); __half __ull2half_rn(unsigned long long x); __half __ull2half_rz(unsigned long long x); __half __ull2half_rd(unsigned long long x); __half __ull2half_ru(unsigned long long x);
signed char __half2char_rz(__half x); unsigned char __half2uchar_rz(__half x);
short __half_as_short(__half x); unsigned short __half_as_ushort(__half x); __half __short_as_half(short x); __half __ushort_as_half(unsigned short x);
__half __hadd(__half x, __half y); __half __hadd_rn(__half x, __half y); __half __hadd_sat(__half x, __half y);
__half __hsub(__half x, __half y); __half __hsub_rn(__half x, __half y); __half __hsub_sat(__half x, __half y);
__half __hmul(__half x, __half y); __half __hmul_rn(__half x, __half y); __half __hmul_sat(__half x, __half y);
__half __hdiv(__half x, __half y);
__half __hfma(__half x, __half y, __half z); __half __hfma_sat(__half x, __half y, __half z); __half __hfma_relu(__half x, __half y, __half z);
__half __hneg(__half x); __half __habs(__half x); __half __hmax(__half x, __half y); __half __hmin(__half x, __half y); __half __hmax_nan(__half x, __half y); __half __hmin_nan(__half x, __half y);
bool __heq(__half x, __half y);
bool __hne(__half x, __half y);
bool __hle(__half x, __half y);
bool __hge(__half x, __half y);
bool __hlt(__half x, __half y);
bool __hgt(__half x, __half y);
bool __hequ(__half x, __half y);
bool __hneu(__half x, __half y);
bool __hleu(__half x, __half y);
bool __hgeu(__half x, __half y);
bool __hltu(__half x, __half y);
bool __hgtu(__half x, __half y);
bool __hisnan(__half x); int __hisinf(__half x);
__half hsqrt(__half x); __half hrsqrt(__half x); __half hrcp(__half x); __half hexp(__half x); __half hexp2(__half x);
__half hexp10(__half x); __half hlog(__half x); __half hlog2(__half x); __half hlog10(__half x); __half hsin(__half x);
__half hcos(__half x); __half htanh(__half x); __half htanh_approx(__half x); __half hfloor(__half x); __half hceil(__half x);
__half htrunc(__half x); __half hrint(__half x);
__half2 __hadd2(__half2 x, __half2 y); __half2 __hadd2_rn(__half2 x, __half2 y); __half2 __hadd2_sat(__half2 x, __half2 y);
__half2 __hsub2(__half2 x, __half2 y); __half2 __hsub2_rn(__half2 x, __half2 y); __half2 __hsub2_sat(__half2 x, __half2 y);
__half2 __hmul2(__half2 x, __half2 y); __half2 __hmul2_rn(__half2 x, __half2 y); __half2 __hmul2_sat(__half2 x, __half2 y);
__half2 __h2div(__half2 x, __half2 y);
__half2 __hfma2(__half2 x, __half2 y, __half2 z); __half2 __hfma2_sat(__half2 x, __half2 y, __half2 z); __half2 __hfma2_relu(__half2 x, __half2 y, __half2 z);
__half2 __hneg2(__half2 x); __half2 __habs2(__half2 x); __half2 __hmax2(__half2 x, __half2 y); __half2 __hmin2(__half2 x, __half2 y); __half2 __hmax2_nan(__half2 x, __half2 y); __half2 __hmin2_nan(__half2 x, __half2 y);
__half2 __heq2(__half2 x, __half2 y); bool __hbeq2(__half2 x, __half2 y); unsigned int __heq2_mask(__half2 x, __half2 y);
__half2 __hne2(__half2 x, __half2 y); bool __hbne2(__half2 x, __half2 y); unsigned int __hne2_mask(__half2 x, __half2 y);
__half2 __hle2(__half2 x, __half2 y); bool __hble2(__half2 x, __half2 y); unsigned int __hle2_mask(__half2 x, __half2 y);
__half2 __hge2(__half2 x, __half2 y); bool __hbge2(__half2 x, __half2 y); unsigned int __hge2_mask(__half2 x, __half2 y);
__half2 __hlt2(__half2 x, __half2 y); bool __hblt2(__half2 x, __half2 y); unsigned int __hlt2_mask(__half2 x, __half2 y);
__half2 __hgt2(__half2 x, __half2 y); bool __hbgt2(__half2 x, __half2 y); unsigned int __hgt2_mask(__half2 x, __half2 y);
__half2 __hequ2(__half2 x, __half2 y); bool __hbequ2(__half2 x, __half2 y); unsigned int __hequ2_mask(__half2 x, __half2 y);
__half2 __hneu2(__half2 x, __half2 y); bool __hbneu2(__half2 x, __half2 y); unsigned int __hneu2_mask(__half2 x, __half2 y);
__half2 __hleu2(__half2 x, __half2 y); bool __hbleu2(__half2 x, __half2 y); unsigned int __hleu2_mask(__half2 x, __half2 y);
__half2 __hgeu2(__half2 x, __half2 y); bool __hbgeu2(__half2 x, __half2 y); unsigned int __hgeu2_mask(__half2 x, __half2 y);
__half2 __hltu2(__half2 x, __half2 y); bool __hbltu2(__half2 x, __half2 y); unsigned int __hltu2_mask(__half2 x, __half2 y);
__half2 __hgtu2(__half2 x, __half2 y); bool __hbgtu2(__half2 x, __half2 y); unsigned int __hgtu2_mask(__half2 x, __half2 y);
__half2 __hisnan2(__half2 x);
__half2 h2sqrt(__half2 x); __half2 h2rsqrt(__half2 x); __half2 h2rcp(__half2 x); __half2 h2exp(__half2 x); __half2 h2exp2(__half2 x);
__half2 h2exp10(__half2 x); __half2 h2log(__half2 x); __half2 h2log2(__half2 x); __half2 h2log10(__half2 x); __half2 h2sin(__half2 x);
__half2 h2cos(__half2 x); __half2 h2tanh(__half2 x); __half2 h2tanh_approx(__half2 x); __half2 h2floor(__half2 x); __half2 h2ceil(__half2 x);
__half2 h2trunc(__half2 x); __half2 h2rint(__half2 x);
__half2 __hcmadd(__half2 x, __half2 y, __half2 z);
CQ_END_CXX
#if defined(__CUDA__)
__device__ __half __shfl_sync(unsigned int mask, __half value, int lane, int width = 32); __device__ __half __shfl_up_sync(unsigned int mask, __half value, unsigned int delta, int width = 32); __device__ __half __shfl_down_sync(unsigned int mask, __half value, unsigned int delta, int width = 32); __device__ __half __shfl_xor_sync(unsigned int mask, __half value, int lanes, int width = 32);
__device__ __half atomicAdd(__half *address, __half value);
__device__ __half2 __shfl_sync(unsigned int mask, __half2 value, int lane, int width = 32); __device__ __half2 __shfl_up_sync(unsigned int mask, __half2 value, unsigned int delta, int width = 32); __device__ __half2 __shfl_down_sync(unsigned int mask, __half2 value, unsigned int delta, int width = 32); __device__ __half2 __shfl_xor_sync(unsigned int mask, __half2 value, int lanes, int width = 32);
__device__ __half2 atomicAdd(__half2 *address, __half2 value);
#endif
CQ_BEGIN_CXX
struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  constexpr __half(const __half_raw &raw) : __x(raw.x) {}
  __half(float x) { *this = __float2half(x); }
  __half(double x) { *this = __double2half(x); }
  __half(short x) { *this = __short2half_rn(x); }
  __half(unsigned short x) { *this = __ushort2half_rn(x); }
  __half(int x) { *this = __int2half_rn(x); }
  __half(unsigned int x) { *this = __uint2half_rn(x); }
  __half(long x) { *this = __ll2half_rn(x); }
  __half(unsigned long x) { *this = __ull2half_rn(x); }
  __half(long long x) { *this = __ll2half_rn(x); }
  __half(unsigned long long x) { *this = __ull2half_rn(x); }
  __half &operator=(float x) { return *this = __float2half(x); }
  __half &operator=(double x) { return *this = __double2half(x); }
  __half &operator=(int x) { return *this = __int2half_rn(x); }
  __half &operator=(unsigned int x) { return *this = __uint2half_rn(x); }
  operator float() const { return __half2float(*this); }
  operator __half_raw() const { return __half_raw{__x}; }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half low, __half high) : x(low), y(high) {}
  __half2(const __half2_raw &raw) { *this = *reinterpret_cast<const __half2 *>(&raw); }
  operator __half2_raw() const { return *reinterpret_cast<const __half2_raw *>(this); }
};
inline __half operator+(const __half &x, const __half &y) { return __hadd(x, y); }
inline __half &operator+=(__half &x, const __half &y) { return x = __hadd(x, y); }
inline __half operator-(const __half &x, const __half &y) { return __hsub(x, y); }
inline __half &operator-=(__half &x, const __half &y) { return x = __hsub(x, y); }
inline __half operator*(const __half &x, const __half &y) { return __hmul(x, y); }
inline __half &operator*=(__half &x, const __half &y) { return x = __hmul(x, y); }
inline __half operator/(const __half &x, const __half &y) { return __hdiv(x, y); }
inline __half &operator/=(__half &x, const __half &y) { return x = __hdiv(x, y); }
inline __half operator+(const __half &x) { return x; }
inline __half operator-(const __half &x) { return __hneg(x); }
inline __half &operator++(__half &x) { return x = __hadd(x, __float2half(1.0f)); }
inline __half &operator--(__half &x) { return x = __hsub(x, __float2half(1.0f)); }
inline __half operator++(__half &x, int) { __half old = x; x = __hadd(x, __float2half(1.0f)); return old; }
inline bool operator==(const __half &x, const __half &y) { return __heq(x, y); }
inline bool operator!=(const __half &x, const __half &y) { return __hneu(x, y); }
inline bool operator<(const __half &x, const __half &y) { return __hlt(x, y); }
inline bool operator>(const __half &x, const __half &y) { return __hgt(x, y); }
inline bool operator<=(const __half &x, const __half &y) { return __hle(x, y); }
inline bool operator>=(const __half &x, const __half &y) { return __hge(x, y); }
inline __half2 operator+(const __half2 &x, const __half2 &y) { return __hadd2(x, y); }
inline __half2 &operator+=(__half2 &x, const __half2 &y) { return x = __hadd2(x, y); }
inline __half2 operator-(const __half2 &x, const __half2 &y) { return __hsub2(x, y); }
inline __half2 &operator-=(__half2 &x, const __half2 &y) { return x = __hsub2(x, y); }
inline __half2 operator*(const __half2 &x, const __half2 &y) { return __hmul2(x, y); }
inline __half2 &operator*=(__half2 &x, const __half2 &y) { return x = __hmul2(x, y); }
inline __half2 operator/(const __half2 &x, const __half2 &y) { return __h2div(x, y); }
inline __half2 &operator/=(__half2 &x, const __half2 &y) { return x = __h2div(x, y); }
inline __half2 operator+(const __half2 &x) { return x; }
inline __half2 operator-(const __half2 &x) { return __hneg2(x); }
inline __half2 &operator++(__half2 &x) { return x = __hadd2(x, __float2half2_rn(1.0f)); }
inline __half2 &operator--(__half2 &x) { return x = __hsub2(x, __float2half2_rn(1.0f)); }
inline __half2 operator++(__half2 &x, int) { __half2 old = x; x = __hadd2(x, __float2half2_rn(1.0f)); return old; }
inline bool operator==(const __half2 &x, const __half2 &y) { return __hbeq2(x, y); }
inline bool operator!=(const __half2 &x, const __half2 &y) { return __hbneu2(x, y); }
inline bool operator<(const __half2 &x, const __half2 &y) { return __hblt2(x, y); }
inline bool operator>(const __half2 &x, const __half2 &y) { return __hbgt2(x, y); }
inline bool operator<=(const __half2 &x, const __half2 &y) { return __hble2(x, y); }
inline bool operator>=(const __half2 &x, const __half2 &y) { return __hbge2(x, y); }
CQ_END_CXX
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif
#endif
