#ifndef CQ_CUDA_CUDA_TEXTURE_TYPES_H
#define CQ_CUDA_CUDA_TEXTURE_TYPES_H
#include <cuda_runtime.h>
#endif
