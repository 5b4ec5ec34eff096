#ifndef CQ_CUDA_CRT_COMMON_FUNCTIONS_H
#define CQ_CUDA_CRT_COMMON_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
