#ifndef CQ_CUDA_PIPELINE_PRIMITIVES_H
#define CQ_CUDA_PIPELINE_PRIMITIVES_H
#include <cuda_runtime.h>
#include <stdint.h>
#if defined(__CUDA__)
typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;
__device__ void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t size, size_t zero_fill = 0);
// Groups of copies and barriers in shared memory order work; they do none.
__device__ inline void __pipeline_commit() {}
__device__ inline void __pipeline_wait_prior(size_t stages) {}
__device__ inline void __pipeline_arrive_on(__mbarrier_t *barrier) {}
__device__ inline void __mbarrier_init(__mbarrier_t *barrier, unsigned int count) {}
__device__ inline void __mbarrier_inval(__mbarrier_t *barrier) {}
__device__ inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) { return 0; }
__device__ inline bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) { return true; }
// One of several threads copies its part in the widest pieces that divide the size.
template <unsigned int CqPiece> __device__ void cq_copy_pieces(char *to, const char *from, size_t bytes, unsigned int rank, unsigned int threads) {
  for (size_t at = rank * CqPiece; at < bytes; at += threads * CqPiece) __pipeline_memcpy_async(to + at, from + at, CqPiece);
}
__device__ inline void cq_copy_async(void *to, const void *from, size_t bytes, unsigned int rank, unsigned int threads) {
  if (bytes % 16 == 0) cq_copy_pieces<16>((char *)to, (const char *)from, bytes, rank, threads);
  else if (bytes % 8 == 0) cq_copy_pieces<8>((char *)to, (const char *)from, bytes, rank, threads);
  else cq_copy_pieces<4>((char *)to, (const char *)from, bytes, rank, threads);
}
#endif
#endif
