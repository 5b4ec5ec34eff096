#ifndef CQ_CUDA_CRT_DEVICE_FUNCTIONS_H
#define CQ_CUDA_CRT_DEVICE_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
