#ifndef CQ_SYS_TIME_H
#define CQ_SYS_TIME_H
#include <bits/cq_time.h>
#include <cq_declare.h>
#include <sys/select.h>
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2
CQ_BEGIN_C
struct timezone { int tz_minuteswest, tz_dsttime; };
struct itimerval { struct timeval it_interval, it_value; };
int gettimeofday(struct timeval *CQ_RESTRICT time, void *CQ_RESTRICT zone);
int settimeofday(const struct timeval *time, const struct timezone *zone);
int getitimer(int which, struct itimerval *value);
int setitimer(int which, const struct itimerval *CQ_RESTRICT value, struct itimerval *CQ_RESTRICT old);
int utimes(const char *path, const struct timeval times[2]);
CQ_END_C
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timersub(a, b, r) \
  do { (r)->tv_sec = (a)->tv_sec - (b)->tv_sec; (r)->tv_usec = (a)->tv_usec - (b)->tv_usec; \
       if ((r)->tv_usec < 0) { --(r)->tv_sec; (r)->tv_usec += 1000000; } } while (0)
#define timeradd(a, b, r) \
  do { (r)->tv_sec = (a)->tv_sec + (b)->tv_sec; (r)->tv_usec = (a)->tv_usec + (b)->tv_usec; \
       if ((r)->tv_usec >= 1000000) { ++(r)->tv_sec; (r)->tv_usec -= 1000000; } } while (0)
#endif
