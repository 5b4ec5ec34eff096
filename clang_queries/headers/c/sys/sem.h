#ifndef CQ_SYS_SEM_H
#define CQ_SYS_SEM_H
#include <sys/ipc.h>
CQ_BEGIN_C
struct sembuf { unsigned short sem_num; short sem_op, sem_flg; };
int semget(key_t key, int count, int flags);
int semop(int id, struct sembuf *operations, size_t count);
int semctl(int id, int number, int command, ...);
CQ_END_C
#endif
