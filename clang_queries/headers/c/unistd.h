#ifndef CQ_UNISTD_H
#define CQ_UNISTD_H
#include <cq_declare.h>
#include <sys/types.h>
#include <bits/cq_getopt.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define F_ULOCK 0
#define F_LOCK 1
#define F_TLOCK 2
#define F_TEST 3
#define _SC_ARG_MAX 0
#define _SC_CLK_TCK 2
#define _SC_OPEN_MAX 4
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PHYS_PAGES 85
#define _SC_AVPHYS_PAGES 86
#define _SC_LEVEL1_DCACHE_SIZE 188
#define _SC_LEVEL1_DCACHE_LINESIZE 190
#define _SC_LEVEL2_CACHE_SIZE 191
#define _SC_LEVEL3_CACHE_SIZE 194
#define _POSIX_VERSION 200809L
#define _POSIX_TIMERS 200809L
CQ_BEGIN_C
extern char **environ;
int access(const char *path, int mode);
unsigned int alarm(unsigned int seconds);
int chdir(const char *path);
int fchdir(int descriptor);
int chown(const char *path, uid_t owner, gid_t group);
int close(int descriptor);
int dup(int descriptor);
int dup2(int from, int to);
CQ_NORETURN void _exit(int status);
int execl(const char *path, const char *argument, ...);
int execlp(const char *file, const char *argument, ...);
int execv(const char *path, char *const arguments[]);
int execve(const char *path, char *const arguments[], char *const environment[]);
int execvp(const char *file, char *const arguments[]);
int fsync(int descriptor);
int fdatasync(int descriptor);
int ftruncate(int descriptor, off_t size);
int truncate(const char *path, off_t size);
pid_t fork(void);
pid_t vfork(void);
char *getcwd(char *path, size_t size);
char *get_current_dir_name(void);
gid_t getgid(void);
gid_t getegid(void);
uid_t getuid(void);
uid_t geteuid(void);
int gethostname(char *name, size_t size);
int getdomainname(char *name, size_t size);
char *getlogin(void);
int getpagesize(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
int isatty(int descriptor);
int link(const char *from, const char *to);
int lockf(int descriptor, int command, off_t size);
off_t lseek(int descriptor, off_t offset, int origin);
off_t lseek64(int descriptor, off_t offset, int origin);
int nice(int increment);
int pause(void);
int pipe(int descriptors[2]);
ssize_t pread(int descriptor, void *data, size_t size, off_t offset);
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset);
ssize_t read(int descriptor, void *data, size_t size);
ssize_t write(int descriptor, const void *data, size_t size);
ssize_t readlink(const char *CQ_RESTRICT path, char *CQ_RESTRICT target, size_t size);
int rmdir(const char *path);
void *sbrk(intptr_t increment);
int setpgid(pid_t process, pid_t group);
pid_t setsid(void);
int setuid(uid_t user);
unsigned int sleep(unsigned int seconds);
void swab(const void *CQ_RESTRICT from, void *CQ_RESTRICT to, ssize_t size);
int symlink(const char *from, const char *to);
void sync(void);
long syscall(long number, ...);
long sysconf(int name);
char *ttyname(int descriptor);
int unlink(const char *path);
int usleep(useconds_t microseconds);
CQ_END_C
#endif
