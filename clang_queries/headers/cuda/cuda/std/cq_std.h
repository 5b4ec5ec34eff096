// cuda::std mirrors std: every name of std is found in it.
#ifndef CQ_CUDA_STD_H
#define CQ_CUDA_STD_H
#include <cuda_runtime.h>
namespace cuda { namespace std { using namespace ::std; } }
#endif
