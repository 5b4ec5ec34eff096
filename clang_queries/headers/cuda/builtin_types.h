#ifndef CQ_CUDA_BUILTIN_TYPES_H
#define CQ_CUDA_BUILTIN_TYPES_H
#include <driver_types.h>
#endif
