#ifndef CQ_MATH_H
#define CQ_MATH_H
#include <cq_absolute.h>
#include <cq_declare.h>
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE 3.40282347e+38F
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN 2147483647
#define FP_FAST_FMA 1
#define FP_FAST_FMAF 1
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling (MATH_ERRNO | MATH_ERREXCEPT)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_PIl 3.141592653589793238462643383279502884L
#define MAXFLOAT 3.40282347e+38F
CQ_BEGIN_C
typedef float float_t;
typedef double double_t;
extern int signgam;
double acos(double x); float acosf(float x); long double acosl(long double x);
double asin(double x); float asinf(float x); long double asinl(long double x);
double atan(double x); float atanf(float x); long double atanl(long double x);
double cos(double x); float cosf(float x); long double cosl(long double x);
double sin(double x); float sinf(float x); long double sinl(long double x);
double tan(double x); float tanf(float x); long double tanl(long double x);
double acosh(double x); float acoshf(float x); long double acoshl(long double x);
double asinh(double x); float asinhf(float x); long double asinhl(long double x);
double atanh(double x); float atanhf(float x); long double atanhl(long double x);
double cosh(double x); float coshf(float x); long double coshl(long double x);
double sinh(double x); float sinhf(float x); long double sinhl(long double x);
double tanh(double x); float tanhf(float x); long double tanhl(long double x);
double exp(double x); float expf(float x); long double expl(long double x);
double exp2(double x); float exp2f(float x); long double exp2l(long double x);
double expm1(double x); float expm1f(float x); long double expm1l(long double x);
double log(double x); float logf(float x); long double logl(long double x);
double log10(double x); float log10f(float x); long double log10l(long double x);
double log1p(double x); float log1pf(float x); long double log1pl(long double x);
double log2(double x); float log2f(float x); long double log2l(long double x);
double logb(double x); float logbf(float x); long double logbl(long double x);
double sqrt(double x); float sqrtf(float x); long double sqrtl(long double x);
double cbrt(double x); float cbrtf(float x); long double cbrtl(long double x);
double fabs(double x); float fabsf(float x); long double fabsl(long double x);
double ceil(double x); float ceilf(float x); long double ceill(long double x);
double floor(double x); float floorf(float x); long double floorl(long double x);
double trunc(double x); float truncf(float x); long double truncl(long double x);
double round(double x); float roundf(float x); long double roundl(long double x);
double rint(double x); float rintf(float x); long double rintl(long double x);
double nearbyint(double x); float nearbyintf(float x); long double nearbyintl(long double x);
double erf(double x); float erff(float x); long double erfl(long double x);
double erfc(double x); float erfcf(float x); long double erfcl(long double x);
double tgamma(double x); float tgammaf(float x); long double tgammal(long double x);
double lgamma(double x); float lgammaf(float x); long double lgammal(long double x);
int ilogb(double x); int ilogbf(float x); int ilogbl(long double x);
long lrint(double x); long lrintf(float x); long lrintl(long double x);
long long llrint(double x); long long llrintf(float x); long long llrintl(long double x);
long lround(double x); long lroundf(float x); long lroundl(long double x);
long long llround(double x); long long llroundf(float x); long long llroundl(long double x);
double pow(double x, double y); float powf(float x, float y); long double powl(long double x, long double y);
double fmod(double x, double y); float fmodf(float x, float y); long double fmodl(long double x, long double y);
double atan2(double x, double y); float atan2f(float x, float y); long double atan2l(long double x, long double y);
double hypot(double x, double y); float hypotf(float x, float y); long double hypotl(long double x, long double y);
double fdim(double x, double y); float fdimf(float x, float y); long double fdiml(long double x, long double y);
double fmax(double x, double y); float fmaxf(float x, float y); long double fmaxl(long double x, long double y);
double fmin(double x, double y); float fminf(float x, float y); long double fminl(long double x, long double y);
double copysign(double x, double y); float copysignf(float x, float y); long double copysignl(long double x, long double y);
double nextafter(double x, double y); float nextafterf(float x, float y); long double nextafterl(long double x, long double y);
double remainder(double x, double y); float remainderf(float x, float y); long double remainderl(long double x, long double y);
double fma(double x, double y, double z); float fmaf(float x, float y, float z); long double fmal(long double x, long double y, long double z);
double frexp(double x, int *exponent); float frexpf(float x, int *exponent); long double frexpl(long double x, int *exponent);
double ldexp(double x, int exponent); float ldexpf(float x, int exponent); long double ldexpl(long double x, int exponent);
double modf(double x, double *whole); float modff(float x, float *whole); long double modfl(long double x, long double *whole);
double scalbn(double x, int exponent); float scalbnf(float x, int exponent); long double scalbnl(long double x, int exponent);
double scalbln(double x, long exponent); float scalblnf(float x, long exponent); long double scalblnl(long double x, long exponent);
double remquo(double x, double y, int *quotient); float remquof(float x, float y, int *quotient); long double remquol(long double x, long double y, int *quotient);
double nexttoward(double x, long double y); float nexttowardf(float x, long double y);
double nan(const char *tag); float nanf(const char *tag); long double nanl(const char *tag);
double exp10(double x); float exp10f(float x); double pow10(double x);
double j0(double x); double j1(double x); double jn(int n, double x); float j0f(float x); float j1f(float x); float jnf(int n, float x);
double y0(double x); double y1(double x); double yn(int n, double x); float y0f(float x); float y1f(float x); float ynf(int n, float x);
double gamma(double x); double lgamma_r(double x, int *sign); float lgammaf_r(float x, int *sign);
double drem(double x, double y); double significand(double x); double scalb(double x, double exponent); double roundeven(double x);
void sincos(double x, double *sine, double *cosine); void sincosf(float x, float *sine, float *cosine);
int finite(double x); int finitef(float x); int isnanf(float x); int isinff(float x);
CQ_END_C
#if !defined(__cplusplus)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#else
CQ_BEGIN_OVERLOADS
#include <cq_arithmetic.h>
float acos(float x); template <class CqI> cq_double<CqI> acos(CqI x);
float asin(float x); template <class CqI> cq_double<CqI> asin(CqI x);
float atan(float x); template <class CqI> cq_double<CqI> atan(CqI x);
float cos(float x); template <class CqI> cq_double<CqI> cos(CqI x);
float sin(float x); template <class CqI> cq_double<CqI> sin(CqI x);
float tan(float x); template <class CqI> cq_double<CqI> tan(CqI x);
float acosh(float x); template <class CqI> cq_double<CqI> acosh(CqI x);
float asinh(float x); template <class CqI> cq_double<CqI> asinh(CqI x);
float atanh(float x); template <class CqI> cq_double<CqI> atanh(CqI x);
float cosh(float x); template <class CqI> cq_double<CqI> cosh(CqI x);
float sinh(float x); template <class CqI> cq_double<CqI> sinh(CqI x);
float tanh(float x); template <class CqI> cq_double<CqI> tanh(CqI x);
float exp(float x); template <class CqI> cq_double<CqI> exp(CqI x);
float exp2(float x); template <class CqI> cq_double<CqI> exp2(CqI x);
float expm1(float x); template <class CqI> cq_double<CqI> expm1(CqI x);
float log(float x); template <class CqI> cq_double<CqI> log(CqI x);
float log10(float x); template <class CqI> cq_double<CqI> log10(CqI x);
float log1p(float x); template <class CqI> cq_double<CqI> log1p(CqI x);
float log2(float x); template <class CqI> cq_double<CqI> log2(CqI x);
float logb(float x); template <class CqI> cq_double<CqI> logb(CqI x);
float sqrt(float x); template <class CqI> cq_double<CqI> sqrt(CqI x);
float cbrt(float x); template <class CqI> cq_double<CqI> cbrt(CqI x);
float fabs(float x); template <class CqI> cq_double<CqI> fabs(CqI x);
float ceil(float x); template <class CqI> cq_double<CqI> ceil(CqI x);
float floor(float x); template <class CqI> cq_double<CqI> floor(CqI x);
float trunc(float x); template <class CqI> cq_double<CqI> trunc(CqI x);
float round(float x); template <class CqI> cq_double<CqI> round(CqI x);
float rint(float x); template <class CqI> cq_double<CqI> rint(CqI x);
float nearbyint(float x); template <class CqI> cq_double<CqI> nearbyint(CqI x);
float erf(float x); template <class CqI> cq_double<CqI> erf(CqI x);
float erfc(float x); template <class CqI> cq_double<CqI> erfc(CqI x);
float tgamma(float x); template <class CqI> cq_double<CqI> tgamma(CqI x);
float lgamma(float x); template <class CqI> cq_double<CqI> lgamma(CqI x);
int ilogb(float x); template <class CqI> typename cq_arithmetic<CqI>::integer ilogb(CqI x);
long lrint(float x); template <class CqI> typename cq_arithmetic<CqI>::wide lrint(CqI x);
long long llrint(float x); template <class CqI> typename cq_arithmetic<CqI>::widest llrint(CqI x);
long lround(float x); template <class CqI> typename cq_arithmetic<CqI>::wide lround(CqI x);
long long llround(float x); template <class CqI> typename cq_arithmetic<CqI>::widest llround(CqI x);
float pow(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> pow(CqA x, CqB y);
float fmod(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> fmod(CqA x, CqB y);
float atan2(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> atan2(CqA x, CqB y);
float hypot(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> hypot(CqA x, CqB y);
float fdim(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> fdim(CqA x, CqB y);
float fmax(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> fmax(CqA x, CqB y);
float fmin(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> fmin(CqA x, CqB y);
float copysign(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> copysign(CqA x, CqB y);
float nextafter(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> nextafter(CqA x, CqB y);
float remainder(float x, float y); template <class CqA, class CqB> cq_promoted<CqA, CqB> remainder(CqA x, CqB y);
float fma(float x, float y, float z);
template <class CqA, class CqB, class CqC> cq_promoted<cq_promoted<CqA, CqB>, CqC> fma(CqA x, CqB y, CqC z);
float frexp(float x, int *exponent); template <class CqI> cq_double<CqI> frexp(CqI x, int *exponent);
float ldexp(float x, int exponent); template <class CqI> cq_double<CqI> ldexp(CqI x, int exponent);
float modf(float x, float *whole); long double modf(long double x, long double *whole);
float scalbn(float x, int exponent); template <class CqI> cq_double<CqI> scalbn(CqI x, int exponent);
float scalbln(float x, long exponent); long double scalbln(long double x, long exponent);
float remquo(float x, float y, int *quotient); long double remquo(long double x, long double y, int *quotient);
float nexttoward(float x, long double y);
bool isfinite(float x); bool isfinite(double x); template <class CqI> typename cq_arithmetic<CqI>::truth isfinite(CqI x);
bool isinf(float x); bool isinf(double x); template <class CqI> typename cq_arithmetic<CqI>::truth isinf(CqI x);
bool isnan(float x); bool isnan(double x); template <class CqI> typename cq_arithmetic<CqI>::truth isnan(CqI x);
bool isnormal(float x); bool isnormal(double x); template <class CqI> typename cq_arithmetic<CqI>::truth isnormal(CqI x);
bool signbit(float x); bool signbit(double x); template <class CqI> typename cq_arithmetic<CqI>::truth signbit(CqI x);
int fpclassify(float x); int fpclassify(double x); int fpclassify(long double x);
bool isgreater(float x, float y); bool isgreater(double x, double y); bool isgreater(long double x, long double y);
bool isgreaterequal(float x, float y); bool isgreaterequal(double x, double y); bool isgreaterequal(long double x, long double y);
bool isless(float x, float y); bool isless(double x, double y); bool isless(long double x, long double y);
bool islessequal(float x, float y); bool islessequal(double x, double y); bool islessequal(long double x, long double y);
bool islessgreater(float x, float y); bool islessgreater(double x, double y); bool islessgreater(long double x, long double y);
bool isunordered(float x, float y); bool isunordered(double x, double y); bool isunordered(long double x, long double y);
CQ_END_OVERLOADS
#endif
#if defined(__cplusplus)
extern "C++" {
#include <cmath>
}
#include <stdlib.h>
#endif
#endif
