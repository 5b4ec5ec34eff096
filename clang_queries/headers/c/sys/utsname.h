#ifndef CQ_SYS_UTSNAME_H
#define CQ_SYS_UTSNAME_H
#include <cq_declare.h>
CQ_BEGIN_C
struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65]; };
int uname(struct utsname *name);
CQ_END_C
#endif
