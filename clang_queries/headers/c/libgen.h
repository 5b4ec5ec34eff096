#ifndef CQ_LIBGEN_H
#define CQ_LIBGEN_H
#include <cq_declare.h>
CQ_BEGIN_C
char *dirname(char *path);
char *__xpg_basename(char *path);
CQ_END_C
#endif
