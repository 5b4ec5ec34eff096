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
// What the tables of costs know: conversions by format, those of halves on bits.
#define CQ_FP8_CONVERSIONS(kind)                                          \
  unsigned char __float_to_##kind(float);                                 \
  unsigned char __double_to_##kind(double);                               \
  unsigned char __half_to_##kind(__half);                                 \
  unsigned short __float2_to_##kind##x2(float, float);                    \
  unsigned short __half2_to_##kind##x2(__half2);                          \
  unsigned short __bfloat162_to_##kind##x2(__nv_bfloat162);               \
  unsigned int __float4_to_##kind##x4(float, float, float, float);        \
  unsigned int __two_half2_to_##kind##x4(__half2, __half2);               \
  unsigned int __two_bfloat162_to_##kind##x4(__nv_bfloat162, __nv_bfloat162); \
  unsigned short __##kind##_to_half(unsigned int);                       \
  unsigned int __##kind##x2_to_half2(unsigned int);
CQ_FP8_CONVERSIONS(e4m3)
CQ_FP8_CONVERSIONS(e5m2)
#define CQ_FP8_BY_FORMAT(name, result, before, after, type, value)                                      \
  inline result name(type x, __nv_saturation_t, __nv_fp8_interpretation_t format) {                     \
    if (format == __NV_E5M2) return before##_to_e5m2##after(value);                                     \
    return before##_to_e4m3##after(value);                                                              \
  }
CQ_FP8_BY_FORMAT(__nv_cvt_double_to_fp8, __nv_fp8_storage_t, __double, , double, x)
CQ_FP8_BY_FORMAT(__nv_cvt_float_to_fp8, __nv_fp8_storage_t, __float, , float, x)
CQ_FP8_BY_FORMAT(__nv_cvt_halfraw_to_fp8, __nv_fp8_storage_t, __half, , __half_raw, __half(x))
CQ_FP8_BY_FORMAT(__nv_cvt_bfloat16raw_to_fp8, __nv_fp8_storage_t, __float, , __nv_bfloat16_raw, __bfloat162float(__nv_bfloat16(x)))
CQ_FP8_BY_FORMAT(__nv_cvt_halfraw2_to_fp8x2, __nv_fp8x2_storage_t, __half2, x2, __half2_raw, __half2(x))
CQ_FP8_BY_FORMAT(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_fp8x2_storage_t, __bfloat162, x2, __nv_bfloat162_raw, __nv_bfloat162(x))
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t, __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return __float2_to_e5m2x2(x.x, x.y);
  return __float2_to_e4m3x2(x.x, x.y);
}
inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t, __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return (unsigned short)(__double_to_e5m2(x.y) << 8 | __double_to_e5m2(x.x));
  return (unsigned short)(__double_to_e4m3(x.y) << 8 | __double_to_e4m3(x.x));
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return __half_raw{__e5m2_to_half(x)};
  return __half_raw{__e4m3_to_half(x)};
}
inline __half2 cq_fp8x2_to_half2(unsigned int x, __nv_fp8_interpretation_t format) {
  unsigned int bits = format == __NV_E5M2 ? __e5m2x2_to_half2(x) : __e4m3x2_to_half2(x);
  return *reinterpret_cast<__half2 *>(&bits);
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
  return cq_fp8x2_to_half2(x, format);
}
inline float cq_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  if (format == __NV_E5M2) return __half2float(__ushort_as_half(__e5m2_to_half(x)));
  return __half2float(__ushort_as_half(__e4m3_to_half(x)));
}
inline float2 cq_fp8x2_to_float2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
  return __half22float2(cq_fp8x2_to_half2(x, format));
}
inline float4 cq_fp8x4_to_float4(__nv_fp8x4_storage_t x, __nv_fp8_interpretation_t format) {
  float2 low = __half22float2(cq_fp8x2_to_half2(x, format)), high = __half22float2(cq_fp8x2_to_half2(x >> 16, format));
  return make_float4(low.x, low.y, high.x, high.y);
}
struct __nv_fp8_e4m3 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e4m3() = default;
  explicit __nv_fp8_e4m3(float x) : __x(__float_to_e4m3(x)) {}
  explicit __nv_fp8_e4m3(double x) : __x(__double_to_e4m3(x)) {}
  explicit __nv_fp8_e4m3(__half x) : __x(__half_to_e4m3(x)) {}
  explicit __nv_fp8_e4m3(__nv_bfloat16 x) : __x(__float_to_e4m3(__bfloat162float(x))) {}
  explicit __nv_fp8_e4m3(int x) : __x(__float_to_e4m3(static_cast<float>(x))) {}
  explicit operator float() const { return cq_fp8_to_float(__x, __NV_E4M3); }
  explicit operator double() const { return cq_fp8_to_float(__x, __NV_E4M3); }
  explicit operator __half() const { return __ushort_as_half(__e4m3_to_half(__x)); }
  explicit operator __nv_bfloat16() const { return __float2bfloat16(cq_fp8_to_float(__x, __NV_E4M3)); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e4m3 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e4m3() = default;
  explicit __nv_fp8x2_e4m3(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3)) {}
  explicit __nv_fp8x2_e4m3(__half2 x) : __x(__half2_to_e4m3x2(x)) {}
  explicit __nv_fp8x2_e4m3(__nv_bfloat162 x) : __x(__bfloat162_to_e4m3x2(x)) {}
  explicit __nv_fp8x2_e4m3(float2 x) : __x(__float2_to_e4m3x2(x.x, x.y)) {}
  explicit operator float2() const { return cq_fp8x2_to_float2(__x, __NV_E4M3); }
  explicit operator __half2() const { return cq_fp8x2_to_half2(__x, __NV_E4M3); }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e4m3 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e4m3() = default;
  explicit __nv_fp8x4_e4m3(double4 x) : __x(__float4_to_e4m3x4(x.x, x.y, x.z, x.w)) {}
  __nv_fp8x4_e4m3(__half2 low, __half2 high) : __x(__two_half2_to_e4m3x4(low, high)) {}
  __nv_fp8x4_e4m3(__nv_bfloat162 low, __nv_bfloat162 high) : __x(__two_bfloat162_to_e4m3x4(low, high)) {}
  explicit __nv_fp8x4_e4m3(float4 x) : __x(__float4_to_e4m3x4(x.x, x.y, x.z, x.w)) {}
  explicit operator float4() const { return cq_fp8x4_to_float4(__x, __NV_E4M3); }
};
struct __nv_fp8_e5m2 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e5m2() = default;
  explicit __nv_fp8_e5m2(float x) : __x(__float_to_e5m2(x)) {}
  explicit __nv_fp8_e5m2(double x) : __x(__double_to_e5m2(x)) {}
  explicit __nv_fp8_e5m2(__half x) : __x(__half_to_e5m2(x)) {}
  explicit __nv_fp8_e5m2(__nv_bfloat16 x) : __x(__float_to_e5m2(__bfloat162float(x))) {}
  explicit __nv_fp8_e5m2(int x) : __x(__float_to_e5m2(static_cast<float>(x))) {}
  explicit operator float() const { return cq_fp8_to_float(__x, __NV_E5M2); }
  explicit operator double() const { return cq_fp8_to_float(__x, __NV_E5M2); }
  explicit operator __half() const { return __ushort_as_half(__e5m2_to_half(__x)); }
  explicit operator __nv_bfloat16() const { return __float2bfloat16(cq_fp8_to_float(__x, __NV_E5M2)); }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e5m2 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e5m2() = default;
  explicit __nv_fp8x2_e5m2(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2)) {}
  explicit __nv_fp8x2_e5m2(__half2 x) : __x(__half2_to_e5m2x2(x)) {}
  explicit __nv_fp8x2_e5m2(__nv_bfloat162 x) : __x(__bfloat162_to_e5m2x2(x)) {}
  explicit __nv_fp8x2_e5m2(float2 x) : __x(__float2_to_e5m2x2(x.x, x.y)) {}
  explicit operator float2() const { return cq_fp8x2_to_float2(__x, __NV_E5M2); }
  explicit operator __half2() const { return cq_fp8x2_to_half2(__x, __NV_E5M2); }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e5m2 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e5m2() = default;
  explicit __nv_fp8x4_e5m2(double4 x) : __x(__float4_to_e5m2x4(x.x, x.y, x.z, x.w)) {}
  __nv_fp8x4_e5m2(__half2 low, __half2 high) : __x(__two_half2_to_e5m2x4(low, high)) {}
  __nv_fp8x4_e5m2(__nv_bfloat162 low, __nv_bfloat162 high) : __x(__two_bfloat162_to_e5m2x4(low, high)) {}
  explicit __nv_fp8x4_e5m2(float4 x) : __x(__float4_to_e5m2x4(x.x, x.y, x.z, x.w)) {}
  explicit operator float4() const { return cq_fp8x4_to_float4(__x, __NV_E5M2); }
};
CQ_END_CXX
#endif
#endif
