// abs() for every arithmetic type: <stdlib.h> and <math.h> both give all of them in C++.
#ifndef CQ_ABSOLUTE_H
#define CQ_ABSOLUTE_H
#include <cq_declare.h>
CQ_BEGIN_C
int abs(int x);
long labs(long x);
long long llabs(long long x);
CQ_END_C
#if defined(__cplusplus)
CQ_BEGIN_OVERLOADS
long abs(long x);
long long abs(long long x);
float abs(float x);
double abs(double x);
long double abs(long double x);
CQ_END_OVERLOADS
#endif
#endif
