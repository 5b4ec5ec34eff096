#ifndef CQ_CUDA_PIPELINE_H
#define CQ_CUDA_PIPELINE_H
#include <cuda_pipeline_primitives.h>
#if defined(__CUDA__)
namespace nvcuda { namespace experimental {
class pipeline {
public:
  __device__ pipeline() {}
  __device__ size_t commit() { return 0; }
  __device__ void wait(size_t stage) {}
  template <unsigned int CqN> __device__ void wait_prior() {}
};
template <class CqT> __device__ void memcpy_async(CqT &to, const CqT &from, pipeline &pipe) { cq_copy_async(&to, &from, sizeof(CqT), 0, 1); }
} }
#endif
#endif
