#ifndef CQ_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define CQ_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#include <cuda_runtime.h>
#endif
