#ifndef CQ_CUDA_MATH_FUNCTIONS_H
#define CQ_CUDA_MATH_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
