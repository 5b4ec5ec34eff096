#ifndef CQ_SEMAPHORE_H
#define CQ_SEMAPHORE_H
#include <bits/cq_time.h>
#include <cq_declare.h>
CQ_BEGIN_C
typedef struct { long cq_words[4]; } sem_t;
int sem_init(sem_t *semaphore, int shared, unsigned int value);
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *CQ_RESTRICT semaphore, int *CQ_RESTRICT value);
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *semaphore);
int sem_unlink(const char *name);
CQ_END_C
#endif
