#ifndef CQ_CUDA_MATH_H
#define CQ_CUDA_MATH_H
// What CUDA adds to <math.h>, callable from both sides.
#include <cq_declare.h>
#include <math.h>
#if defined(__cplusplus)
extern "C++" {
#include <cq_arithmetic.h>
}
#endif
CQ_BEGIN_C
double rsqrt(double x); float rsqrtf(float x);
double rcbrt(double x); float rcbrtf(float x);
double sinpi(double x); float sinpif(float x);
double cospi(double x); float cospif(float x);
double tanpi(double x); float tanpif(float x);
double erfinv(double x); float erfinvf(float x);
double erfcinv(double x); float erfcinvf(float x);
double erfcx(double x); float erfcxf(float x);
double normcdf(double x); float normcdff(float x);
double normcdfinv(double x); float normcdfinvf(float x);
double cyl_bessel_i0(double x); float cyl_bessel_i0f(float x);
double cyl_bessel_i1(double x); float cyl_bessel_i1f(float x);
double rhypot(double x, double y); float rhypotf(float x, float y);
double norm(int n, const double *x); float normf(int n, const float *x); double rnorm(int n, const double *x); float rnormf(int n, const float *x);
double norm3d(double x, double y, double z); float norm3df(float x, float y, float z); double rnorm3d(double x, double y, double z); float rnorm3df(float x, float y, float z);
double norm4d(double x, double y, double z, double w); float norm4df(float x, float y, float z, float w); double rnorm4d(double x, double y, double z, double w); float rnorm4df(float x, float y, float z, float w);
void sincospi(double x, double *sine, double *cosine); void sincospif(float x, float *sine, float *cosine);
double fdivide(double x, double y); float fdividef(float x, float y);
long long llmin(long long x, long long y); long long llmax(long long x, long long y);
unsigned int umin(unsigned int x, unsigned int y); unsigned int umax(unsigned int x, unsigned int y);
unsigned long long ullmin(unsigned long long x, unsigned long long y); unsigned long long ullmax(unsigned long long x, unsigned long long y);
CQ_END_C
#if defined(__cplusplus)
CQ_BEGIN_CXX
float rsqrt(float x);
float rcbrt(float x);
float sinpi(float x);
float cospi(float x);
float tanpi(float x);
float erfinv(float x);
float erfcinv(float x);
float erfcx(float x);
float normcdf(float x);
float normcdfinv(float x);
float cyl_bessel_i0(float x);
float cyl_bessel_i1(float x);
float exp10(float x);
float j0(float x);
float j1(float x);
float y0(float x);
float y1(float x);
template <class CqI> cq_double<CqI> rsqrt(CqI x);
template <class CqI> cq_double<CqI> exp10(CqI x);
float rhypot(float x, float y);
float fdivide(float x, float y);
void sincos(float x, float *sine, float *cosine);
void sincospi(float x, float *sine, float *cosine);
float jn(int n, float x); float yn(int n, float x);
inline int min(int x, int y) { return x < y ? x : y; }
inline int max(int x, int y) { return x > y ? x : y; }
inline unsigned int min(unsigned int x, unsigned int y) { return x < y ? x : y; }
inline unsigned int max(unsigned int x, unsigned int y) { return x > y ? x : y; }
inline unsigned int min(int x, unsigned int y) { return (unsigned int)x < y ? x : y; }
inline unsigned int max(int x, unsigned int y) { return (unsigned int)x > y ? x : y; }
inline unsigned int min(unsigned int x, int y) { return x < (unsigned int)y ? x : y; }
inline unsigned int max(unsigned int x, int y) { return x > (unsigned int)y ? x : y; }
inline long min(long x, long y) { return x < y ? x : y; }
inline long max(long x, long y) { return x > y ? x : y; }
inline unsigned long min(unsigned long x, unsigned long y) { return x < y ? x : y; }
inline unsigned long max(unsigned long x, unsigned long y) { return x > y ? x : y; }
inline unsigned long min(long x, unsigned long y) { return (unsigned long)x < y ? x : y; }
inline unsigned long max(long x, unsigned long y) { return (unsigned long)x > y ? x : y; }
inline unsigned long min(unsigned long x, long y) { return x < (unsigned long)y ? x : y; }
inline unsigned long max(unsigned long x, long y) { return x > (unsigned long)y ? x : y; }
inline long long min(long long x, long long y) { return x < y ? x : y; }
inline long long max(long long x, long long y) { return x > y ? x : y; }
inline unsigned long long min(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
inline unsigned long long max(unsigned long long x, unsigned long long y) { return x > y ? x : y; }
inline unsigned long long min(long long x, unsigned long long y) { return (unsigned long long)x < y ? x : y; }
inline unsigned long long max(long long x, unsigned long long y) { return (unsigned long long)x > y ? x : y; }
inline unsigned long long min(unsigned long long x, long long y) { return x < (unsigned long long)y ? x : y; }
inline unsigned long long max(unsigned long long x, long long y) { return x > (unsigned long long)y ? x : y; }
inline float min(float x, float y) { return x < y ? x : y; }
inline float max(float x, float y) { return x > y ? x : y; }
inline double min(double x, double y) { return x < y ? x : y; }
inline double max(double x, double y) { return x > y ? x : y; }
inline double min(float x, double y) { return (double)x < y ? x : y; }
inline double max(float x, double y) { return (double)x > y ? x : y; }
inline double min(double x, float y) { return x < (double)y ? x : y; }
inline double max(double x, float y) { return x > (double)y ? x : y; }
CQ_END_CXX
#endif
#endif
