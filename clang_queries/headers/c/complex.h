#ifndef CQ_COMPLEX_H
#define CQ_COMPLEX_H
#if defined(__cplusplus)
extern "C++" {
#include <complex>
}
#else
#include <cq_declare.h>
#define complex _Complex
#define _Complex_I (__extension__ 1.0fi)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
CQ_BEGIN_C
double creal(double _Complex z); float crealf(float _Complex z); long double creall(long double _Complex z);
double cimag(double _Complex z); float cimagf(float _Complex z); long double cimagl(long double _Complex z);
double cabs(double _Complex z); float cabsf(float _Complex z); long double cabsl(long double _Complex z);
double carg(double _Complex z); float cargf(float _Complex z);
double _Complex conj(double _Complex z); float _Complex conjf(float _Complex z);
double _Complex cexp(double _Complex z); float _Complex cexpf(float _Complex z);
double _Complex clog(double _Complex z); float _Complex clogf(float _Complex z);
double _Complex csqrt(double _Complex z); float _Complex csqrtf(float _Complex z);
double _Complex csin(double _Complex z); float _Complex csinf(float _Complex z);
double _Complex ccos(double _Complex z); float _Complex ccosf(float _Complex z);
double _Complex ctan(double _Complex z); float _Complex ctanf(float _Complex z);
double _Complex csinh(double _Complex z); float _Complex csinhf(float _Complex z);
double _Complex ccosh(double _Complex z); float _Complex ccoshf(float _Complex z);
double _Complex ctanh(double _Complex z); float _Complex ctanhf(float _Complex z);
double _Complex casin(double _Complex z); float _Complex casinf(float _Complex z);
double _Complex cacos(double _Complex z); float _Complex cacosf(float _Complex z);
double _Complex catan(double _Complex z); float _Complex catanf(float _Complex z);
double _Complex cproj(double _Complex z); float _Complex cprojf(float _Complex z);
double _Complex cpow(double _Complex z, double _Complex w); float _Complex cpowf(float _Complex z, float _Complex w);
CQ_END_C
#endif
#endif
