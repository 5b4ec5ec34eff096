#ifndef CQ_CUDA_CRT_MATH_FUNCTIONS_H
#define CQ_CUDA_CRT_MATH_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
