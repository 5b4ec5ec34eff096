#ifndef CQ_SYSLOG_H
#define CQ_SYSLOG_H
#include <cq_declare.h>
#define LOG_ERR 3
#define LOG_WARNING 4
#define LOG_INFO 6
#define LOG_DEBUG 7
CQ_BEGIN_C
void syslog(int priority, const char *format, ...);
CQ_END_C
#endif
