#ifndef CQ_CPUID_H
#define CQ_CPUID_H
#include <cq_declare.h>
CQ_BEGIN_C
int __get_cpuid(unsigned int leaf, unsigned int *a, unsigned int *b, unsigned int *c, unsigned int *d);
CQ_END_C
#endif
