#ifndef CQ_ERR_H
#define CQ_ERR_H
#include <cq_declare.h>
CQ_BEGIN_C
CQ_NORETURN void err(int status, const char *format, ...);
CQ_NORETURN void errx(int status, const char *format, ...);
void warn(const char *format, ...);
void warnx(const char *format, ...);
CQ_END_C
#endif
