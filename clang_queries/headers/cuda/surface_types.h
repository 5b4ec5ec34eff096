#ifndef CQ_CUDA_SURFACE_TYPES_H
#define CQ_CUDA_SURFACE_TYPES_H
#include <driver_types.h>
#endif
