#ifndef CQ_THREADS_H
#define CQ_THREADS_H
#include <pthread.h>
#if !defined(__cplusplus)
#define thread_local _Thread_local
#endif
CQ_BEGIN_C
typedef unsigned long thrd_t;
typedef struct { long cq_words[5]; } mtx_t;
int thrd_create(thrd_t *thread, int (*start)(void *), void *argument);
int thrd_join(thrd_t thread, int *result);
int mtx_init(mtx_t *mutex, int type);
int mtx_lock(mtx_t *mutex);
int mtx_unlock(mtx_t *mutex);
CQ_END_C
#endif
