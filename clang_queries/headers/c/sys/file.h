#ifndef CQ_SYS_FILE_H
#define CQ_SYS_FILE_H
#include <fcntl.h>
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
CQ_BEGIN_C
int flock(int descriptor, int operation);
CQ_END_C
#endif
