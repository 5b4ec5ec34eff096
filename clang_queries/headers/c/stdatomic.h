#ifndef CQ_STDATOMIC_H
#define CQ_STDATOMIC_H
#if defined(__cplusplus)
extern "C++" {
#include <atomic>
}
#else
#include <stdint.h>
typedef enum { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst } memory_order;
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(unsigned long) atomic_size_t;
typedef struct { atomic_bool cq_value; } atomic_flag;
#define ATOMIC_FLAG_INIT {0}
#define ATOMIC_VAR_INIT(value) (value)
#define atomic_init(a, v) __c11_atomic_init(a, v)
#define atomic_load(a) __c11_atomic_load(a, 5)
#define atomic_store(a, v) __c11_atomic_store(a, v, 5)
#define atomic_exchange(a, v) __c11_atomic_exchange(a, v, 5)
#define atomic_fetch_add(a, v) __c11_atomic_fetch_add(a, v, 5)
#define atomic_fetch_sub(a, v) __c11_atomic_fetch_sub(a, v, 5)
#define atomic_thread_fence(order) __c11_atomic_thread_fence(order)
#endif
#endif
