#ifndef CQ_BITS_TIME_H
#define CQ_BITS_TIME_H
#include <sys/types.h>
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
#endif
