#ifndef CQ_FCNTL_H
#define CQ_FCNTL_H
#include <sys/stat.h>
#define O_RDONLY 00
#define O_WRONLY 01
#define O_RDWR 02
#define O_ACCMODE 03
#define O_CREAT 0100
#define O_EXCL 0200
#define O_NOCTTY 0400
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_SYNC 04010000
#define O_DIRECT 040000
#define O_LARGEFILE 0
#define O_DIRECTORY 0200000
#define O_CLOEXEC 02000000
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define FD_CLOEXEC 1
#define POSIX_FADV_NORMAL 0
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_DONTNEED 4
CQ_BEGIN_C
struct flock { short l_type, l_whence; off_t l_start, l_len; pid_t l_pid; };
int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int fcntl(int descriptor, int command, ...);
int posix_fadvise(int descriptor, off_t offset, off_t size, int advice);
int posix_fallocate(int descriptor, off_t offset, off_t size);
CQ_END_C
#endif
