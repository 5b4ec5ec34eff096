#ifndef CQ_CUDA_FP8_H
#define CQ_CUDA_FP8_H
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#if defined(__cplusplus)
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
CQ_BEGIN_CXX
__nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format);
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format);
__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format);
// A half holds either format: the instruction of sm_89 and later, and what stands for it before.
inline float cq_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return __half2float(__ushort_as_half((unsigned short)(x << 8)));
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  return __half2float(__ushort_as_half((unsigned short)(x << 7)));
#else
  unsigned int word = x << 8, exponent = ((word & 0x7800u) >> 1) + 0x2000u, mantissa = (word & 0x0700u) >> 1;
  if ((x & 0x7fu) == 0x7fu) word = 0x7fffu;
  else if (exponent == 0x2000u) {
    unsigned int shift = mantissa ? __clz((int)mantissa) - 21 : 0;
    word = (word & 0x8000u) | (mantissa ? ((exponent - (shift << 10) + 0x400u) | ((mantissa << shift) & 0x3ffu)) : 0u);
  } else word = (word & 0x8000u) | exponent | mantissa;
  return __half2float(__ushort_as_half((unsigned short)word));
#endif
}
float2 cq_fp8x2_to_float2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format);
float4 cq_fp8x4_to_float4(__nv_fp8x4_storage_t x, __nv_fp8_interpretation_t format);
__nv_fp8x4_storage_t cq_float4_to_fp8x4(float4 x, __nv_fp8_interpretation_t format);
struct __nv_fp8_e4m3 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e4m3() = default;
  explicit __nv_fp8_e4m3(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) {}
  explicit __nv_fp8_e4m3(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) {}
  explicit __nv_fp8_e4m3(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) {}
  explicit __nv_fp8_e4m3(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) {}
  explicit __nv_fp8_e4m3(int x) : __x(__nv_cvt_float_to_fp8(static_cast<float>(x), __NV_SATFINITE, __NV_E4M3)) {}
  explicit operator float() const { return cq_fp8_to_float(__x, __NV_E4M3); }
  explicit operator double() const { return cq_fp8_to_float(__x, __NV_E4M3); }
  explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3)); }
  explicit operator __nv_bfloat16() const { return __float2bfloat16(cq_fp8_to_float(__x, __NV_E4M3)); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e4m3 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e4m3() = default;
  explicit __nv_fp8x2_e4m3(double2 x);
  explicit __nv_fp8x2_e4m3(__half2 x);
  explicit __nv_fp8x2_e4m3(__nv_bfloat162 x);
  explicit __nv_fp8x2_e4m3(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3)) {}
  explicit operator float2() const { return cq_fp8x2_to_float2(__x, __NV_E4M3); }
  explicit operator __half2() const;
};
struct __attribute__((aligned(4))) __nv_fp8x4_e4m3 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e4m3() = default;
  explicit __nv_fp8x4_e4m3(double4 x);
  __nv_fp8x4_e4m3(__half2 low, __half2 high);
  __nv_fp8x4_e4m3(__nv_bfloat162 low, __nv_bfloat162 high);
  explicit __nv_fp8x4_e4m3(float4 x) : __x(cq_float4_to_fp8x4(x, __NV_E4M3)) {}
  explicit operator float4() const { return cq_fp8x4_to_float4(__x, __NV_E4M3); }
};
struct __nv_fp8_e5m2 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e5m2() = default;
  explicit __nv_fp8_e5m2(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)) {}
  explicit __nv_fp8_e5m2(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2)) {}
  explicit __nv_fp8_e5m2(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, __NV_E5M2)) {}
  explicit __nv_fp8_e5m2(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, __NV_E5M2)) {}
  explicit __nv_fp8_e5m2(int x) : __x(__nv_cvt_float_to_fp8(static_cast<float>(x), __NV_SATFINITE, __NV_E5M2)) {}
  explicit operator float() const { return cq_fp8_to_float(__x, __NV_E5M2); }
  explicit operator double() const { return cq_fp8_to_float(__x, __NV_E5M2); }
  explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2)); }
  explicit operator __nv_bfloat16() const { return __float2bfloat16(cq_fp8_to_float(__x, __NV_E5M2)); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e5m2 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e5m2() = default;
  explicit __nv_fp8x2_e5m2(double2 x);
  explicit __nv_fp8x2_e5m2(__half2 x);
  explicit __nv_fp8x2_e5m2(__nv_bfloat162 x);
  explicit __nv_fp8x2_e5m2(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2)) {}
  explicit operator float2() const { return cq_fp8x2_to_float2(__x, __NV_E5M2); }
  explicit operator __half2() const;
};
struct __attribute__((aligned(4))) __nv_fp8x4_e5m2 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e5m2() = default;
  explicit __nv_fp8x4_e5m2(double4 x);
  __nv_fp8x4_e5m2(__half2 low, __half2 high);
  __nv_fp8x4_e5m2(__nv_bfloat162 low, __nv_bfloat162 high);
  explicit __nv_fp8x4_e5m2(float4 x) : __x(cq_float4_to_fp8x4(x, __NV_E5M2)) {}
  explicit operator float4() const { return cq_fp8x4_to_float4(__x, __NV_E5M2); }
};
CQ_END_CXX
#endif
#endif
