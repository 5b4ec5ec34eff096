#ifndef CQ_SIGNAL_H
#define CQ_SIGNAL_H
#include <cq_declare.h>
#include <bits/cq_time.h>
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGXCPU 24
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGSYS 31
#define SA_NOCLDSTOP 1
#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2
CQ_BEGIN_C
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
typedef void (*__sighandler_t)(int);
typedef struct { unsigned long cq_bits[16]; } sigset_t;
union sigval { int sival_int; void *sival_ptr; };
typedef struct { int si_signo, si_errno, si_code; pid_t si_pid; uid_t si_uid; int si_status; void *si_addr; union sigval si_value; } siginfo_t;
struct sigaction { union { sighandler_t sa_handler; void (*sa_sigaction)(int, siginfo_t *, void *); }; sigset_t sa_mask; int sa_flags; };
struct sigevent { union sigval sigev_value; int sigev_signo, sigev_notify; void (*sigev_notify_function)(union sigval); void *sigev_notify_attributes; };
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
sighandler_t signal(int number, sighandler_t handler);
int raise(int number);
int kill(pid_t process, int number);
int sigaction(int number, const struct sigaction *CQ_RESTRICT action, struct sigaction *CQ_RESTRICT old);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigismember(const sigset_t *set, int number);
int sigprocmask(int how, const sigset_t *CQ_RESTRICT set, sigset_t *CQ_RESTRICT old);
int pthread_sigmask(int how, const sigset_t *CQ_RESTRICT set, sigset_t *CQ_RESTRICT old);
int sigsuspend(const sigset_t *mask);
int sigwait(const sigset_t *CQ_RESTRICT set, int *CQ_RESTRICT number);
int sigaltstack(const stack_t *CQ_RESTRICT stack, stack_t *CQ_RESTRICT old);
CQ_END_C
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_ERR ((sighandler_t)-1)
#endif
