#ifndef CQ_SYS_WAIT_H
#define CQ_SYS_WAIT_H
#include <signal.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WIFEXITED(status) (((status) & 0x7f) == 0)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WIFSIGNALED(status) ((((status) & 0x7f) + 1) >> 1 > 0)
#define WTERMSIG(status) ((status) & 0x7f)
CQ_BEGIN_C
pid_t wait(int *status);
pid_t waitpid(pid_t process, int *status, int options);
CQ_END_C
#endif
