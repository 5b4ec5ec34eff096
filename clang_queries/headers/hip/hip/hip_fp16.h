#ifndef CQ_HIP_FP16_H
#define CQ_HIP_FP16_H
#include <cuda_fp16.h>
#include <hip/hip_runtime.h>
#endif
