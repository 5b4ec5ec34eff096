#ifndef CQ_CUDA_OCCUPANCY_H
#define CQ_CUDA_OCCUPANCY_H
#include <cuda_runtime.h>
#endif
