#ifndef CQ_CUDA_SM_30_INTRINSICS_H
#define CQ_CUDA_SM_30_INTRINSICS_H
#include <cuda_runtime.h>
#endif
