#ifndef CQ_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define CQ_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#include <cuda_runtime.h>
#endif
