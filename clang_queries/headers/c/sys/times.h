#ifndef CQ_SYS_TIMES_H
#define CQ_SYS_TIMES_H
#include <sys/types.h>
#include <cq_declare.h>
CQ_BEGIN_C
struct tms { clock_t tms_utime, tms_stime, tms_cutime, tms_cstime; };
clock_t times(struct tms *result);
CQ_END_C
#endif
