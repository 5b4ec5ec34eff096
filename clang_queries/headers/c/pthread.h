#ifndef CQ_PTHREAD_H
#define CQ_PTHREAD_H
#include <cq_declare.h>
#include <sched.h>
#include <time.h>
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
CQ_BEGIN_C
typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef volatile int pthread_spinlock_t;
typedef struct { long cq_words[7]; } pthread_attr_t;
typedef struct { long cq_words[5]; } pthread_mutex_t;
typedef struct { int cq_words[1]; } pthread_mutexattr_t;
typedef struct { long cq_words[6]; } pthread_cond_t;
typedef struct { int cq_words[1]; } pthread_condattr_t;
typedef struct { long cq_words[7]; } pthread_rwlock_t;
typedef struct { long cq_words[1]; } pthread_rwlockattr_t;
typedef struct { long cq_words[4]; } pthread_barrier_t;
typedef struct { int cq_words[1]; } pthread_barrierattr_t;
int pthread_create(pthread_t *CQ_RESTRICT thread, const pthread_attr_t *CQ_RESTRICT attributes, void *(*start)(void *), void *CQ_RESTRICT argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
CQ_NORETURN void pthread_exit(void *result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);
int pthread_cancel(pthread_t thread);
int pthread_kill(pthread_t thread, int number);
int pthread_once(pthread_once_t *control, void (*routine)(void));
int pthread_setconcurrency(int level);
int pthread_setcancelstate(int state, int *old);
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_setscope(pthread_attr_t *attributes, int scope);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_cond_init(pthread_cond_t *CQ_RESTRICT condition, const pthread_condattr_t *CQ_RESTRICT attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *CQ_RESTRICT condition, pthread_mutex_t *CQ_RESTRICT mutex);
int pthread_cond_timedwait(pthread_cond_t *CQ_RESTRICT condition, pthread_mutex_t *CQ_RESTRICT mutex, const struct timespec *CQ_RESTRICT time);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared);
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);
int pthread_barrier_init(pthread_barrier_t *CQ_RESTRICT barrier, const pthread_barrierattr_t *CQ_RESTRICT attributes, unsigned int count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);
int pthread_barrierattr_init(pthread_barrierattr_t *attributes);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared);
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *mask);
int pthread_setname_np(pthread_t thread, const char *name);
CQ_END_C
#define PTHREAD_MUTEX_INITIALIZER {{0}}
#define PTHREAD_COND_INITIALIZER {{0}}
#define PTHREAD_RWLOCK_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT 0
#endif
