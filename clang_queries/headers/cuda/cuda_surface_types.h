#ifndef CQ_CUDA_CUDA_SURFACE_TYPES_H
#define CQ_CUDA_CUDA_SURFACE_TYPES_H
#include <cuda_runtime.h>
#endif
