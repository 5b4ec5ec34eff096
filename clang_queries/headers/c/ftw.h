#ifndef CQ_FTW_H
#define CQ_FTW_H
#include <sys/stat.h>
CQ_BEGIN_C
int ftw(const char *path, int (*visit)(const char *, const struct stat *, int), int descriptors);
CQ_END_C
#endif
