#ifndef CQ_CUDA_SURFACE_FUNCTIONS_H
#define CQ_CUDA_SURFACE_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
