#ifndef CQ_CUDA_PROFILER_API_H
#define CQ_CUDA_PROFILER_API_H
#include <cuda_runtime_api.h>
CQ_BEGIN_C
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
CQ_END_C
#endif
