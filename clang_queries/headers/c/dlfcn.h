#ifndef CQ_DLFCN_H
#define CQ_DLFCN_H
#include <cq_declare.h>
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_GLOBAL 0x100
#define RTLD_LOCAL 0
#define RTLD_DEFAULT ((void *)0)
#define RTLD_NEXT ((void *)-1)
CQ_BEGIN_C
typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
void *dlopen(const char *path, int flags);
void *dlsym(void *CQ_RESTRICT handle, const char *CQ_RESTRICT name);
int dlclose(void *handle);
char *dlerror(void);
int dladdr(const void *address, Dl_info *info);
CQ_END_C
#endif
