#ifndef CQ_CUDA_DEVICE_DOUBLE_FUNCTIONS_H
#define CQ_CUDA_DEVICE_DOUBLE_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
