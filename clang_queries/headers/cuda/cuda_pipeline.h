#ifndef CQ_CUDA_PIPELINE_H
#define CQ_CUDA_PIPELINE_H
#include <cuda_pipeline_primitives.h>
#if defined(__CUDA__)
namespace nvcuda { namespace experimental {
class pipeline {
public:
  __device__ pipeline();
  __device__ size_t commit();
  __device__ void wait(size_t stage);
  template <unsigned int N> __device__ void wait_prior();
};
template <class T> __device__ void memcpy_async(T &to, const T &from, pipeline &pipe);
} }
#endif
#endif
