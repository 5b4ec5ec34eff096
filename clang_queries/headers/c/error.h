#ifndef CQ_ERROR_H
#define CQ_ERROR_H
#include <cq_declare.h>
CQ_BEGIN_C
void error(int status, int number, const char *format, ...);
CQ_END_C
#endif
