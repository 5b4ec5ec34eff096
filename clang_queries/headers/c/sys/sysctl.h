#ifndef CQ_SYS_SYSCTL_H
#define CQ_SYS_SYSCTL_H
#include <sys/types.h>
#include <cq_declare.h>
#define CTL_KERN 1
#define CTL_HW 6
#define HW_NCPU 3
#define HW_MEMSIZE 24
CQ_BEGIN_C
int sysctl(int *name, unsigned int count, void *old, size_t *old_size, void *value, size_t size);
int sysctlbyname(const char *name, void *old, size_t *old_size, void *value, size_t size);
CQ_END_C
#endif
