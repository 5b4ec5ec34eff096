#ifndef CQ_OMP_H
#define CQ_OMP_H
#include <cq_declare.h>
#include <stdlib.h>
#include <stdint.h>
CQ_BEGIN_C
typedef struct { void *cq_lock; } omp_lock_t;
typedef struct { void *cq_lock; } omp_nest_lock_t;
typedef int omp_int_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, omp_sched_auto = 4, omp_sched_monotonic = 0x80000000U } omp_sched_t;
typedef enum { omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_master, omp_proc_bind_close, omp_proc_bind_spread, omp_proc_bind_primary = 2 } omp_proc_bind_t;
typedef enum { omp_sync_hint_none, omp_lock_hint_none = 0, omp_sync_hint_uncontended = 1, omp_lock_hint_uncontended = 1, omp_sync_hint_contended = 2, omp_lock_hint_contended = 2, omp_sync_hint_nonspeculative = 4, omp_sync_hint_speculative = 8 } omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;
typedef enum { omp_pause_resume, omp_pause_soft, omp_pause_hard } omp_pause_resource_t;
typedef uintptr_t omp_allocator_handle_t;
typedef uintptr_t omp_memspace_handle_t;
typedef uintptr_t omp_event_handle_t;
typedef intptr_t omp_interop_t;
typedef int omp_alloctrait_key_t;
typedef struct { omp_alloctrait_key_t key; uintptr_t value; } omp_alloctrait_t;
enum {
  omp_null_allocator, omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc, omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,
  omp_cgroup_mem_alloc, omp_pteam_mem_alloc, omp_thread_mem_alloc,
  llvm_omp_target_host_mem_alloc = 100, llvm_omp_target_shared_mem_alloc, llvm_omp_target_device_mem_alloc
};
enum { omp_initial_device = -1, omp_invalid_device = -2 };
void omp_set_num_threads(int count);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_dynamic(int enabled);
int omp_get_dynamic(void);
void omp_set_nested(int enabled);
int omp_get_nested(void);
int omp_get_cancellation(void);
void omp_set_schedule(omp_sched_t kind, int chunk);
void omp_get_schedule(omp_sched_t *kind, int *chunk);
int omp_get_thread_limit(void);
int omp_get_supported_active_levels(void);
void omp_set_max_active_levels(int levels);
int omp_get_max_active_levels(void);
int omp_get_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_get_active_level(void);
int omp_in_final(void);
omp_proc_bind_t omp_get_proc_bind(void);
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
int omp_get_place_num(void);
void omp_set_default_device(int device);
int omp_get_default_device(void);
int omp_get_num_devices(void);
int omp_get_device_num(void);
int omp_get_initial_device(void);
int omp_is_initial_device(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int count);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int limit);
int omp_get_teams_thread_limit(void);
int omp_get_max_task_priority(void);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t *lock);
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
void omp_destroy_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
void omp_init_nest_lock(omp_nest_lock_t *lock);
void omp_set_nest_lock(omp_nest_lock_t *lock);
void omp_unset_nest_lock(omp_nest_lock_t *lock);
void omp_destroy_nest_lock(omp_nest_lock_t *lock);
int omp_test_nest_lock(omp_nest_lock_t *lock);
void *omp_target_alloc(size_t size, int device);
void omp_target_free(void *data, int device);
int omp_target_is_present(const void *data, int device);
int omp_target_is_accessible(const void *data, size_t size, int device);
void *omp_target_memset(void *to, int value, size_t size, int device);
void *omp_target_memset_async(void *to, int value, size_t size, int device, int dependences, void *list);
int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset, int to_device, int from_device);
int omp_target_memcpy_rect(void *to, const void *from, size_t size, int dimensions, const size_t *volume, const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions, const size_t *from_dimensions, int to_device, int from_device);
int omp_target_associate_ptr(const void *host, const void *device, size_t size, size_t offset, int number);
int omp_target_disassociate_ptr(const void *host, int device);
void *omp_get_mapped_ptr(const void *data, int device);
int omp_pause_resource(omp_pause_resource_t kind, int device);
int omp_pause_resource_all(omp_pause_resource_t kind);
void omp_display_env(int verbose);
void omp_fulfill_event(omp_event_handle_t event);
omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int count, const omp_alloctrait_t *traits);
void omp_destroy_allocator(omp_allocator_handle_t allocator);
void omp_set_default_allocator(omp_allocator_handle_t allocator);
omp_allocator_handle_t omp_get_default_allocator(void);
#if defined(__cplusplus)
void *omp_alloc(size_t size, omp_allocator_handle_t allocator = omp_null_allocator);
void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator = omp_null_allocator);
void *omp_calloc(size_t count, size_t size, omp_allocator_handle_t allocator = omp_null_allocator);
void omp_free(void *data, omp_allocator_handle_t allocator = omp_null_allocator);
#else
void *omp_alloc(size_t size, omp_allocator_handle_t allocator);
void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator);
void *omp_calloc(size_t count, size_t size, omp_allocator_handle_t allocator);
void omp_free(void *data, omp_allocator_handle_t allocator);
#endif
void *llvm_omp_target_alloc_host(size_t size, int device);
void *llvm_omp_target_alloc_shared(size_t size, int device);
void *llvm_omp_target_alloc_device(size_t size, int device);
void *llvm_omp_target_dynamic_shared_alloc(void);
CQ_END_C
#endif
