#ifndef CQ_CUDA_SM_70_RT_H
#define CQ_CUDA_SM_70_RT_H
#include <cuda_runtime.h>
#endif
