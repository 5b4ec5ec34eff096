#ifndef CQ_SYS_STATVFS_H
#define CQ_SYS_STATVFS_H
#include <cq_declare.h>
#include <sys/types.h>
CQ_BEGIN_C
struct statvfs { unsigned long f_bsize, f_frsize; fsblkcnt_t f_blocks, f_bfree, f_bavail; fsfilcnt_t f_files, f_ffree, f_favail; unsigned long f_fsid, f_flag, f_namemax; };
int statvfs(const char *CQ_RESTRICT path, struct statvfs *CQ_RESTRICT status);
CQ_END_C
#endif
