#ifndef CQ_REGEX_H
#define CQ_REGEX_H
#include <cq_declare.h>
#include <stddef.h>
#define REG_EXTENDED 1
#define REG_ICASE 2
#define REG_NEWLINE 4
#define REG_NOSUB 8
#define REG_NOMATCH 1
CQ_BEGIN_C
typedef struct { void *cq_state; size_t re_nsub; long cq_words[6]; } regex_t;
typedef int regoff_t;
typedef struct { regoff_t rm_so, rm_eo; } regmatch_t;
int regcomp(regex_t *CQ_RESTRICT expression, const char *CQ_RESTRICT pattern, int flags);
int regexec(const regex_t *CQ_RESTRICT expression, const char *CQ_RESTRICT text, size_t count, regmatch_t *matches, int flags);
size_t regerror(int code, const regex_t *CQ_RESTRICT expression, char *CQ_RESTRICT text, size_t size);
void regfree(regex_t *expression);
CQ_END_C
#endif
