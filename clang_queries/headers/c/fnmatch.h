#ifndef CQ_FNMATCH_H
#define CQ_FNMATCH_H
#include <cq_declare.h>
CQ_BEGIN_C
int fnmatch(const char *pattern, const char *text, int flags);
CQ_END_C
#endif
