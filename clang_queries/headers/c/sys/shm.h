#ifndef CQ_SYS_SHM_H
#define CQ_SYS_SHM_H
#include <sys/ipc.h>
CQ_BEGIN_C
struct shmid_ds { size_t shm_segsz; time_t shm_atime, shm_dtime, shm_ctime; pid_t shm_cpid, shm_lpid; unsigned long shm_nattch; };
int shmget(key_t key, size_t size, int flags);
void *shmat(int id, const void *address, int flags);
int shmdt(const void *address);
int shmctl(int id, int command, struct shmid_ds *buffer);
CQ_END_C
#endif
