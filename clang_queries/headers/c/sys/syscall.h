#ifndef CQ_SYS_SYSCALL_H
#define CQ_SYS_SYSCALL_H
#define SYS_gettid 186
#define SYS_getcpu 309
#define __NR_gettid SYS_gettid
#define SYS_perf_event_open 298
#define __NR_perf_event_open SYS_perf_event_open
#endif
