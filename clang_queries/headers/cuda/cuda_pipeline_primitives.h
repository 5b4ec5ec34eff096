#ifndef CQ_CUDA_PIPELINE_PRIMITIVES_H
#define CQ_CUDA_PIPELINE_PRIMITIVES_H
#include <cuda_runtime.h>
#include <stdint.h>
#if defined(__CUDA__)
typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;
__device__ void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t size, size_t zero_fill = 0);
__device__ void __pipeline_commit();
__device__ void __pipeline_wait_prior(size_t stages);
__device__ void __pipeline_arrive_on(__mbarrier_t *barrier);
__device__ void __mbarrier_init(__mbarrier_t *barrier, unsigned int count);
__device__ void __mbarrier_inval(__mbarrier_t *barrier);
__device__ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier);
__device__ bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token);
#endif
#endif
