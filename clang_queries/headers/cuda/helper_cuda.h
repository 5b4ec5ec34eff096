#ifndef CQ_HELPER_CUDA_H
#define CQ_HELPER_CUDA_H
#include <cuda_runtime.h>
#include <helper_string.h>
#if defined(__cplusplus)
CQ_BEGIN_HOST
template <class CqT> void check(CqT result, const char *function, const char *file, int line) { if (result) { fprintf(stderr, "%s:%d: %s\n", file, line, function); exit(EXIT_FAILURE); } }
void cq_last_error(const char *text, const char *file, int line);
#define checkCudaErrors(value) check((value), #value, __FILE__, __LINE__)
#define getLastCudaError(text) cq_last_error(text, __FILE__, __LINE__)
#define printLastCudaError(text) cq_last_error(text, __FILE__, __LINE__)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
inline int ftoi(float value) { return value >= 0 ? static_cast<int>(value + 0.5) : static_cast<int>(value - 0.5); }
const char *_cudaGetErrorEnum(cudaError_t error);
int _ConvertSMVer2Cores(int major, int minor);
const char *_ConvertSMVer2ArchName(int major, int minor);
int gpuDeviceInit(int device);
int gpuGetMaxGflopsDeviceId();
int findCudaDevice(int argc, const char **argv);
int findIntegratedGPU();
bool checkCudaCapabilities(int major, int minor);
CQ_END_HOST
#endif
#endif
