#ifndef CQ_FENV_H
#define CQ_FENV_H
#include <cq_declare.h>
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
CQ_BEGIN_C
typedef unsigned short fexcept_t;
typedef struct { unsigned int cq_words[8]; } fenv_t;
int feclearexcept(int exceptions);
int fegetexceptflag(fexcept_t *flag, int exceptions);
int feraiseexcept(int exceptions);
int fesetexceptflag(const fexcept_t *flag, int exceptions);
int fetestexcept(int exceptions);
int fegetround(void);
int fesetround(int mode);
int fegetenv(fenv_t *environment);
int feholdexcept(fenv_t *environment);
int fesetenv(const fenv_t *environment);
int feupdateenv(const fenv_t *environment);
int feenableexcept(int exceptions);
int fedisableexcept(int exceptions);
CQ_END_C
#define FE_DFL_ENV ((const fenv_t *)-1)
#if defined(__cplusplus)
#include <cfenv>
#endif
#endif
