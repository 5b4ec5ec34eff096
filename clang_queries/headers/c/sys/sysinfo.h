#ifndef CQ_SYS_SYSINFO_H
#define CQ_SYS_SYSINFO_H
#include <cq_declare.h>
CQ_BEGIN_C
struct sysinfo {
  long uptime; unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
  unsigned short procs; unsigned long totalhigh, freehigh; unsigned int mem_unit;
};
int sysinfo(struct sysinfo *info);
int get_nprocs(void);
int get_nprocs_conf(void);
long get_phys_pages(void);
long get_avphys_pages(void);
CQ_END_C
#endif
