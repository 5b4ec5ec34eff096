#ifndef CQ_STRINGS_H
#define CQ_STRINGS_H
#include <cq_declare.h>
#include <stddef.h>
CQ_BEGIN_C
int bcmp(const void *a, const void *b, size_t size);
void bcopy(const void *from, void *to, size_t size);
void bzero(void *data, size_t size);
int ffs(int x);
int ffsl(long x);
int ffsll(long long x);
char *index(const char *text, int c);
char *rindex(const char *text, int c);
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t size);
CQ_END_C
#endif
