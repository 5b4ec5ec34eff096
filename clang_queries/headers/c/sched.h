#ifndef CQ_SCHED_H
#define CQ_SCHED_H
#include <bits/cq_time.h>
#include <cq_declare.h>
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define CPU_SETSIZE 1024
CQ_BEGIN_C
struct sched_param { int sched_priority; };
typedef struct { unsigned long cq_bits[16]; } cpu_set_t;
int sched_yield(void);
int sched_getcpu(void);
int sched_getscheduler(pid_t process);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *mask);
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask);
CQ_END_C
#define CPU_ZERO(set) ((void)__builtin_memset((set), 0, sizeof(cpu_set_t)))
#define CPU_SET(cpu, set) ((void)((set)->cq_bits[(cpu) / 64] |= 1UL << ((cpu) % 64)))
#define CPU_CLR(cpu, set) ((void)((set)->cq_bits[(cpu) / 64] &= ~(1UL << ((cpu) % 64))))
#define CPU_ISSET(cpu, set) (((set)->cq_bits[(cpu) / 64] >> ((cpu) % 64)) & 1)
#define CPU_COUNT(set) __builtin_popcountl((set)->cq_bits[0])
#endif
