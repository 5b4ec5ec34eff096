#ifndef CQ_CUDA_TEXTURE_TYPES_H
#define CQ_CUDA_TEXTURE_TYPES_H
#include <driver_types.h>
#endif
