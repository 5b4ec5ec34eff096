#ifndef CQ_CUDA_SM_20_ATOMIC_FUNCTIONS_H
#define CQ_CUDA_SM_20_ATOMIC_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
