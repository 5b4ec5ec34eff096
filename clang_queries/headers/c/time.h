#ifndef CQ_TIME_H
#define CQ_TIME_H
#include <bits/cq_time.h>
#include <cq_declare.h>
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLK_TCK CLOCKS_PER_SEC
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define TIME_UTC 1
#define TIMER_ABSTIME 1
CQ_BEGIN_C
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };
struct itimerspec { struct timespec it_interval, it_value; };
struct sigevent;
extern char *tzname[2];
extern int daylight;
extern long timezone;
time_t time(time_t *result);
double difftime(time_t later, time_t earlier);
time_t mktime(struct tm *time);
time_t timegm(struct tm *time);
clock_t clock(void);
char *asctime(const struct tm *time);
char *asctime_r(const struct tm *CQ_RESTRICT time, char *CQ_RESTRICT text);
char *ctime(const time_t *time);
char *ctime_r(const time_t *CQ_RESTRICT time, char *CQ_RESTRICT text);
struct tm *gmtime(const time_t *time);
struct tm *gmtime_r(const time_t *CQ_RESTRICT time, struct tm *CQ_RESTRICT result);
struct tm *localtime(const time_t *time);
struct tm *localtime_r(const time_t *CQ_RESTRICT time, struct tm *CQ_RESTRICT result);
size_t strftime(char *CQ_RESTRICT text, size_t size, const char *CQ_RESTRICT format, const struct tm *CQ_RESTRICT time);
char *strptime(const char *CQ_RESTRICT text, const char *CQ_RESTRICT format, struct tm *CQ_RESTRICT time);
int clock_gettime(clockid_t clock, struct timespec *time);
int clock_getres(clockid_t clock, struct timespec *time);
int clock_settime(clockid_t clock, const struct timespec *time);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *rest);
int nanosleep(const struct timespec *request, struct timespec *rest);
int timespec_get(struct timespec *time, int base);
int timer_create(clockid_t clock, struct sigevent *CQ_RESTRICT event, timer_t *CQ_RESTRICT timer);
int timer_settime(timer_t timer, int flags, const struct itimerspec *CQ_RESTRICT value, struct itimerspec *CQ_RESTRICT old);
int timer_delete(timer_t timer);
void tzset(void);
CQ_END_C
#endif
