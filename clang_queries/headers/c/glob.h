#ifndef CQ_GLOB_H
#define CQ_GLOB_H
#include <cq_declare.h>
#include <stddef.h>
CQ_BEGIN_C
typedef struct { size_t gl_pathc; char **gl_pathv; size_t gl_offs; int gl_flags; } glob_t;
int glob(const char *CQ_RESTRICT pattern, int flags, int (*error)(const char *, int), glob_t *CQ_RESTRICT result);
void globfree(glob_t *result);
CQ_END_C
#endif
