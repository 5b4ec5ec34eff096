#ifndef CQ_SYS_TIMEB_H
#define CQ_SYS_TIMEB_H
#include <sys/types.h>
#include <cq_declare.h>
CQ_BEGIN_C
struct timeb { time_t time; unsigned short millitm; short timezone, dstflag; };
int ftime(struct timeb *result);
CQ_END_C
#endif
