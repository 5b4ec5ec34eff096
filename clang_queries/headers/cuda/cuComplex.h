#ifndef CQ_CUDA_COMPLEX_H
#define CQ_CUDA_COMPLEX_H
#include <cuda_runtime_api.h>
#include <math.h>
#include <vector_types.h>
#if defined(__cplusplus)
#define CQ_INLINE __host__ __device__ inline
#else
#define CQ_INLINE static inline
#endif
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
CQ_INLINE float cuCrealf(cuFloatComplex z) { return z.x; }
CQ_INLINE float cuCimagf(cuFloatComplex z) { return z.y; }
CQ_INLINE cuFloatComplex make_cuFloatComplex(float real, float imag) { cuFloatComplex z; z.x = real; z.y = imag; return z; }
CQ_INLINE cuFloatComplex cuConjf(cuFloatComplex z) { return make_cuFloatComplex(z.x, -z.y); }
CQ_INLINE cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x + b.x, a.y + b.y); }
CQ_INLINE cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x - b.x, a.y - b.y); }
CQ_INLINE cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
// Division scales both parts first, so that the squares cannot overflow.
CQ_INLINE cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  float scale = 1 / (fabsf(b.x) + fabsf(b.y));
  float ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
  float inverse = 1 / (bx * bx + by * by);
  return make_cuFloatComplex((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);
}
CQ_INLINE float cuCabsf(cuFloatComplex z) {
  float a = fabsf(z.x), b = fabsf(z.y), large = a > b ? a : b, small = a > b ? b : a;
  if (large == 0) return small;
  float ratio = small / large;
  return large * sqrtf(1 + ratio * ratio);
}
CQ_INLINE cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) { return make_cuFloatComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); }
CQ_INLINE double cuCreal(cuDoubleComplex z) { return z.x; }
CQ_INLINE double cuCimag(cuDoubleComplex z) { return z.y; }
CQ_INLINE cuDoubleComplex make_cuDoubleComplex(double real, double imag) { cuDoubleComplex z; z.x = real; z.y = imag; return z; }
CQ_INLINE cuDoubleComplex cuConj(cuDoubleComplex z) { return make_cuDoubleComplex(z.x, -z.y); }
CQ_INLINE cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x + b.x, a.y + b.y); }
CQ_INLINE cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x - b.x, a.y - b.y); }
CQ_INLINE cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
// Division scales both parts first, so that the squares cannot overflow.
CQ_INLINE cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  double scale = 1 / (fabs(b.x) + fabs(b.y));
  double ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
  double inverse = 1 / (bx * bx + by * by);
  return make_cuDoubleComplex((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);
}
CQ_INLINE double cuCabs(cuDoubleComplex z) {
  double a = fabs(z.x), b = fabs(z.y), large = a > b ? a : b, small = a > b ? b : a;
  if (large == 0) return small;
  double ratio = small / large;
  return large * sqrt(1 + ratio * ratio);
}
CQ_INLINE cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) { return make_cuDoubleComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); }
CQ_INLINE cuComplex make_cuComplex(float real, float imag) { return make_cuFloatComplex(real, imag); }
CQ_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
CQ_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }
#undef CQ_INLINE
#endif
