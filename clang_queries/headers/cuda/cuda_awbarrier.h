#ifndef CQ_CUDA_AWBARRIER_H
#define CQ_CUDA_AWBARRIER_H
#include <cuda_runtime.h>
#if defined(__CUDA__)
namespace nvcuda { namespace experimental {
class awbarrier {
  unsigned long long cq_state;
public:
  struct arrival_token { unsigned long long cq_value; };
  __device__ arrival_token arrive();
  __device__ bool timed_wait(arrival_token token, unsigned int cycles);
  __device__ void wait(arrival_token token);
  __device__ void arrive_and_wait();
};
__device__ void init(awbarrier *barrier, unsigned int count);
} }
#endif
#endif
