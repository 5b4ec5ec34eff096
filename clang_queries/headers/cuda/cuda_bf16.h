#ifndef CQ_CUDA_BF16_H
#define CQ_CUDA_BF16_H
#define __CUDA_BF16_H__
#include <cuda_runtime_api.h>
#include <vector_types.h>
#if defined(__cplusplus)
// Operators have bodies that call the named intrinsics; the intrinsics are declarations.
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
struct __nv_bfloat16;
struct __nv_bfloat162;
CQ_BEGIN_CXX
__nv_bfloat16 __double2bfloat16(double x);
__nv_bfloat16 __float2bfloat16(float x);
__nv_bfloat16 __float2bfloat16_rn(float x); __nv_bfloat16 __float2bfloat16_rz(float x); __nv_bfloat16 __float2bfloat16_rd(float x); __nv_bfloat16 __float2bfloat16_ru(float x);
float __bfloat162float(__nv_bfloat16 x);
__nv_bfloat162 __float2bfloat162_rn(float x);
__nv_bfloat162 __floats2bfloat162_rn(float x, float y);
__nv_bfloat162 __float22bfloat162_rn(float2 x);
float2 __bfloat1622float2(__nv_bfloat162 x);
float __low2float(__nv_bfloat162 x);
float __high2float(__nv_bfloat162 x);
__nv_bfloat16 __low2bfloat16(__nv_bfloat162 x);
__nv_bfloat16 __high2bfloat16(__nv_bfloat162 x);
__nv_bfloat162 __low2bfloat162(__nv_bfloat162 x);
__nv_bfloat162 __high2bfloat162(__nv_bfloat162 x);
__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x);
__nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y);
__nv_bfloat162 __lows2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __highs2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 x);
__nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y);
short __bfloat162short_rn(__nv_bfloat16 x); short __bfloat162short_rz(__nv_bfloat16 x); short __bfloat162short_rd(__nv_bfloat16 x); short __bfloat162short_ru(__nv_bfloat16 x); __nv_bfloat16 __short2bfloat16_rn(short x); __nv_bfloat16 __short2bfloat16_rz(short x); __nv_bfloat16 __short2bfloat16_rd(short x); __nv_bfloat16 __short2bfloat16_ru(short x);
unsigned short __bfloat162ushort_rn(__nv_bfloat16 x); unsigned short __bfloat162ushort_rz(__nv_bfloat16 x); unsigned short __bfloat162ushort_rd(__nv_bfloat16 x); unsigned short __bfloat162ushort_ru(__nv_bfloat16 x); __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x); __nv_bfloat16 __ushort2bfloat16_rz(unsigned short x); __nv_bfloat16 __ushort2bfloat16_rd(unsigned short x); __nv_bfloat16 __ushort2bfloat16_ru(unsigned short x);
int __bfloat162int_rn(__nv_bfloat16 x); int __bfloat162int_rz(__nv_bfloat16 x); int __bfloat162int_rd(__nv_bfloat16 x); int __bfloat162int_ru(__nv_bfloat16 x); __nv_bfloat16 __int2bfloat16_rn(int x); __nv_bfloat16 __int2bfloat16_rz(int x); __nv_bfloat16 __int2bfloat16_rd(int x); __nv_bfloat16 __int2bfloat16_ru(int x);
unsigned int __bfloat162uint_rn(__nv_bfloat16 x); unsigned int __bfloat162uint_rz(__nv_bfloat16 x); unsigned int __bfloat162uint_rd(__nv_bfloat16 x); unsigned int __bfloat162uint_ru(__nv_bfloat16 x); __nv_bfloat16 __uint2bfloat16_rn(unsigned int x); __nv_bfloat16 __uint2bfloat16_rz(unsigned int x); __nv_bfloat16 __uint2bfloat16_rd(unsigned int x); __nv_bfloat16 __uint2bfloat16_ru(unsigned int x);
long long __bfloat162ll_rn(__nv_bfloat16 x); long long __bfloat162ll_rz(__nv_bfloat16 x); long long __bfloat162ll_rd(__nv_bfloat16 x); long long __bfloat162ll_ru(__nv_bfloat16 x); __nv_bfloat16 __ll2bfloat16_rn(long long x); __nv_bfloat16 __ll2bfloat16_rz(long long x); __nv_bfloat16 __ll2bfloat16_rd(long long x); __nv_bfloat16 __ll2bfloat16_ru(long long x);
unsigned long long __bfloat162ull_rn(__nv_bfloat16 x); unsigned long long __bfloat162ull_rz(__nv_bfloat16 x); unsigned long long __bfloat162ull_rd(__nv_bfloat16 x); unsigned long long __bfloat162ull_ru(__nv_bfloat16 x); __nv_bfloat16 __ull2bfloat16_rn(unsigned long long x); __nv_bfloat16 __ull2bfloat16_rz(unsigned long long x); __nv_bfloat16 __ull2bfloat16_rd(unsigned long long x); __nv_bfloat16 __ull2bfloat16_ru(unsigned long long x);
signed char __bfloat162char_rz(__nv_bfloat16 x); unsigned char __bfloat162uchar_rz(__nv_bfloat16 x);
short __bfloat16_as_short(__nv_bfloat16 x); unsigned short __bfloat16_as_ushort(__nv_bfloat16 x); __nv_bfloat16 __short_as_bfloat16(short x); __nv_bfloat16 __ushort_as_bfloat16(unsigned short x);
__nv_bfloat16 __hadd(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hadd_rn(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hadd_sat(__nv_bfloat16 x, __nv_bfloat16 y);
__nv_bfloat16 __hsub(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hsub_rn(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hsub_sat(__nv_bfloat16 x, __nv_bfloat16 y);
__nv_bfloat16 __hmul(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hmul_rn(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hmul_sat(__nv_bfloat16 x, __nv_bfloat16 y);
__nv_bfloat16 __hdiv(__nv_bfloat16 x, __nv_bfloat16 y);
__nv_bfloat16 __hfma(__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z); __nv_bfloat16 __hfma_sat(__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z); __nv_bfloat16 __hfma_relu(__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z);
__nv_bfloat16 __hneg(__nv_bfloat16 x); __nv_bfloat16 __habs(__nv_bfloat16 x); __nv_bfloat16 __hmax(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hmin(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hmax_nan(__nv_bfloat16 x, __nv_bfloat16 y); __nv_bfloat16 __hmin_nan(__nv_bfloat16 x, __nv_bfloat16 y);
bool __heq(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hne(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hle(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hge(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hlt(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hgt(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hequ(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hneu(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hleu(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hgeu(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hltu(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hgtu(__nv_bfloat16 x, __nv_bfloat16 y);
bool __hisnan(__nv_bfloat16 x); int __hisinf(__nv_bfloat16 x);
__nv_bfloat16 hsqrt(__nv_bfloat16 x); __nv_bfloat16 hrsqrt(__nv_bfloat16 x); __nv_bfloat16 hrcp(__nv_bfloat16 x); __nv_bfloat16 hexp(__nv_bfloat16 x); __nv_bfloat16 hexp2(__nv_bfloat16 x);
__nv_bfloat16 hexp10(__nv_bfloat16 x); __nv_bfloat16 hlog(__nv_bfloat16 x); __nv_bfloat16 hlog2(__nv_bfloat16 x); __nv_bfloat16 hlog10(__nv_bfloat16 x); __nv_bfloat16 hsin(__nv_bfloat16 x);
__nv_bfloat16 hcos(__nv_bfloat16 x); __nv_bfloat16 htanh(__nv_bfloat16 x); __nv_bfloat16 htanh_approx(__nv_bfloat16 x); __nv_bfloat16 hfloor(__nv_bfloat16 x); __nv_bfloat16 hceil(__nv_bfloat16 x);
__nv_bfloat16 htrunc(__nv_bfloat16 x); __nv_bfloat16 hrint(__nv_bfloat16 x);
__nv_bfloat162 __hadd2(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hadd2_rn(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hadd2_sat(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hsub2(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hsub2_rn(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hsub2_sat(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hmul2(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hmul2_rn(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hmul2_sat(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __h2div(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hfma2(__nv_bfloat162 x, __nv_bfloat162 y, __nv_bfloat162 z); __nv_bfloat162 __hfma2_sat(__nv_bfloat162 x, __nv_bfloat162 y, __nv_bfloat162 z); __nv_bfloat162 __hfma2_relu(__nv_bfloat162 x, __nv_bfloat162 y, __nv_bfloat162 z);
__nv_bfloat162 __hneg2(__nv_bfloat162 x); __nv_bfloat162 __habs2(__nv_bfloat162 x); __nv_bfloat162 __hmax2(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hmin2(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hmax2_nan(__nv_bfloat162 x, __nv_bfloat162 y); __nv_bfloat162 __hmin2_nan(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __heq2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbeq2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __heq2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hne2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbne2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hne2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hle2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hble2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hle2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hge2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbge2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hge2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hlt2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hblt2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hlt2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hgt2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbgt2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hgt2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hequ2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbequ2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hequ2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hneu2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbneu2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hneu2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hleu2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbleu2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hleu2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hgeu2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbgeu2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hgeu2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hltu2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbltu2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hltu2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hgtu2(__nv_bfloat162 x, __nv_bfloat162 y); bool __hbgtu2(__nv_bfloat162 x, __nv_bfloat162 y); unsigned int __hgtu2_mask(__nv_bfloat162 x, __nv_bfloat162 y);
__nv_bfloat162 __hisnan2(__nv_bfloat162 x);
__nv_bfloat162 h2sqrt(__nv_bfloat162 x); __nv_bfloat162 h2rsqrt(__nv_bfloat162 x); __nv_bfloat162 h2rcp(__nv_bfloat162 x); __nv_bfloat162 h2exp(__nv_bfloat162 x); __nv_bfloat162 h2exp2(__nv_bfloat162 x);
__nv_bfloat162 h2exp10(__nv_bfloat162 x); __nv_bfloat162 h2log(__nv_bfloat162 x); __nv_bfloat162 h2log2(__nv_bfloat162 x); __nv_bfloat162 h2log10(__nv_bfloat162 x); __nv_bfloat162 h2sin(__nv_bfloat162 x);
__nv_bfloat162 h2cos(__nv_bfloat162 x); __nv_bfloat162 h2tanh(__nv_bfloat162 x); __nv_bfloat162 h2tanh_approx(__nv_bfloat162 x); __nv_bfloat162 h2floor(__nv_bfloat162 x); __nv_bfloat162 h2ceil(__nv_bfloat162 x);
__nv_bfloat162 h2trunc(__nv_bfloat162 x); __nv_bfloat162 h2rint(__nv_bfloat162 x);
__nv_bfloat162 __hcmadd(__nv_bfloat162 x, __nv_bfloat162 y, __nv_bfloat162 z);
CQ_END_CXX
#if defined(__CUDA__)
__device__ __nv_bfloat16 __shfl_sync(unsigned int mask, __nv_bfloat16 value, int lane, int width = 32); __device__ __nv_bfloat16 __shfl_up_sync(unsigned int mask, __nv_bfloat16 value, unsigned int delta, int width = 32); __device__ __nv_bfloat16 __shfl_down_sync(unsigned int mask, __nv_bfloat16 value, unsigned int delta, int width = 32); __device__ __nv_bfloat16 __shfl_xor_sync(unsigned int mask, __nv_bfloat16 value, int lanes, int width = 32);
__device__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value);
__device__ __nv_bfloat162 __shfl_sync(unsigned int mask, __nv_bfloat162 value, int lane, int width = 32); __device__ __nv_bfloat162 __shfl_up_sync(unsigned int mask, __nv_bfloat162 value, unsigned int delta, int width = 32); __device__ __nv_bfloat162 __shfl_down_sync(unsigned int mask, __nv_bfloat162 value, unsigned int delta, int width = 32); __device__ __nv_bfloat162 __shfl_xor_sync(unsigned int mask, __nv_bfloat162 value, int lanes, int width = 32);
__device__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value);
#endif
CQ_BEGIN_CXX
struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  __nv_bfloat16(float x) { *this = __float2bfloat16(x); }
  __nv_bfloat16(double x) { *this = __double2bfloat16(x); }
  __nv_bfloat16(short x) { *this = __short2bfloat16_rn(x); }
  __nv_bfloat16(unsigned short x) { *this = __ushort2bfloat16_rn(x); }
  __nv_bfloat16(int x) { *this = __int2bfloat16_rn(x); }
  __nv_bfloat16(unsigned int x) { *this = __uint2bfloat16_rn(x); }
  __nv_bfloat16(long x) { *this = __ll2bfloat16_rn(x); }
  __nv_bfloat16(unsigned long x) { *this = __ull2bfloat16_rn(x); }
  __nv_bfloat16(long long x) { *this = __ll2bfloat16_rn(x); }
  __nv_bfloat16(unsigned long long x) { *this = __ull2bfloat16_rn(x); }
  __nv_bfloat16 &operator=(float x) { return *this = __float2bfloat16(x); }
  __nv_bfloat16 &operator=(double x) { return *this = __double2bfloat16(x); }
  __nv_bfloat16 &operator=(int x) { return *this = __int2bfloat16_rn(x); }
  __nv_bfloat16 &operator=(unsigned int x) { return *this = __uint2bfloat16_rn(x); }
  operator float() const { return __bfloat162float(*this); }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
  __nv_bfloat162(const __nv_bfloat162_raw &raw) { *this = *reinterpret_cast<const __nv_bfloat162 *>(&raw); }
  operator __nv_bfloat162_raw() const { return *reinterpret_cast<const __nv_bfloat162_raw *>(this); }
};
inline __nv_bfloat16 operator+(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hadd(x, y); }
inline __nv_bfloat16 &operator+=(__nv_bfloat16 &x, const __nv_bfloat16 &y) { return x = __hadd(x, y); }
inline __nv_bfloat16 operator-(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hsub(x, y); }
inline __nv_bfloat16 &operator-=(__nv_bfloat16 &x, const __nv_bfloat16 &y) { return x = __hsub(x, y); }
inline __nv_bfloat16 operator*(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hmul(x, y); }
inline __nv_bfloat16 &operator*=(__nv_bfloat16 &x, const __nv_bfloat16 &y) { return x = __hmul(x, y); }
inline __nv_bfloat16 operator/(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hdiv(x, y); }
inline __nv_bfloat16 &operator/=(__nv_bfloat16 &x, const __nv_bfloat16 &y) { return x = __hdiv(x, y); }
inline __nv_bfloat16 operator+(const __nv_bfloat16 &x) { return x; }
inline __nv_bfloat16 operator-(const __nv_bfloat16 &x) { return __hneg(x); }
inline __nv_bfloat16 &operator++(__nv_bfloat16 &x) { return x = __hadd(x, __float2bfloat16(1.0f)); }
inline __nv_bfloat16 &operator--(__nv_bfloat16 &x) { return x = __hsub(x, __float2bfloat16(1.0f)); }
inline __nv_bfloat16 operator++(__nv_bfloat16 &x, int) { __nv_bfloat16 old = x; x = __hadd(x, __float2bfloat16(1.0f)); return old; }
inline bool operator==(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __heq(x, y); }
inline bool operator!=(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hneu(x, y); }
inline bool operator<(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hlt(x, y); }
inline bool operator>(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hgt(x, y); }
inline bool operator<=(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hle(x, y); }
inline bool operator>=(const __nv_bfloat16 &x, const __nv_bfloat16 &y) { return __hge(x, y); }
inline __nv_bfloat162 operator+(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hadd2(x, y); }
inline __nv_bfloat162 &operator+=(__nv_bfloat162 &x, const __nv_bfloat162 &y) { return x = __hadd2(x, y); }
inline __nv_bfloat162 operator-(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hsub2(x, y); }
inline __nv_bfloat162 &operator-=(__nv_bfloat162 &x, const __nv_bfloat162 &y) { return x = __hsub2(x, y); }
inline __nv_bfloat162 operator*(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hmul2(x, y); }
inline __nv_bfloat162 &operator*=(__nv_bfloat162 &x, const __nv_bfloat162 &y) { return x = __hmul2(x, y); }
inline __nv_bfloat162 operator/(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __h2div(x, y); }
inline __nv_bfloat162 &operator/=(__nv_bfloat162 &x, const __nv_bfloat162 &y) { return x = __h2div(x, y); }
inline __nv_bfloat162 operator+(const __nv_bfloat162 &x) { return x; }
inline __nv_bfloat162 operator-(const __nv_bfloat162 &x) { return __hneg2(x); }
inline __nv_bfloat162 &operator++(__nv_bfloat162 &x) { return x = __hadd2(x, __float2bfloat162_rn(1.0f)); }
inline __nv_bfloat162 &operator--(__nv_bfloat162 &x) { return x = __hsub2(x, __float2bfloat162_rn(1.0f)); }
inline __nv_bfloat162 operator++(__nv_bfloat162 &x, int) { __nv_bfloat162 old = x; x = __hadd2(x, __float2bfloat162_rn(1.0f)); return old; }
inline bool operator==(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hbeq2(x, y); }
inline bool operator!=(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hbneu2(x, y); }
inline bool operator<(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hblt2(x, y); }
inline bool operator>(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hbgt2(x, y); }
inline bool operator<=(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hble2(x, y); }
inline bool operator>=(const __nv_bfloat162 &x, const __nv_bfloat162 &y) { return __hbge2(x, y); }
CQ_END_CXX
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
#endif
