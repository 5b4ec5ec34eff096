#ifndef CQ_TGMATH_H
#define CQ_TGMATH_H
#include <complex.h>
#include <math.h>
#endif
