#ifndef CQ_CUTIL_H
#define CQ_CUTIL_H
// The utility library of CUDA 4 and before.
#include <cuda_runtime.h>
#include <helper_functions.h>
#define CUDA_SAFE_CALL(call) ((void)(call))
#define CUDA_SAFE_CALL_NO_SYNC(call) ((void)(call))
#define CUT_SAFE_CALL(call) ((void)(call))
#define CUT_CHECK_ERROR(text) ((void)(text))
#define CUT_DEVICE_INIT(argc, argv) ((void)cudaSetDevice(0))
#define CUT_EXIT(argc, argv) ((void)0)
#define cutilSafeCall(call) ((void)(call))
#define cutilSafeCallNoSync(call) ((void)(call))
#define cutilCheckError(call) ((void)(call))
#define cutilCheckMsg(text) ((void)(text))
#define cutilExit(argc, argv) ((void)0)
#define CUTBoolean bool
#define CUTTrue true
#define CUTFalse false
CQ_BEGIN_C
bool cutCreateTimer(unsigned int *timer);
bool cutDeleteTimer(unsigned int timer);
bool cutStartTimer(unsigned int timer);
bool cutStopTimer(unsigned int timer);
bool cutResetTimer(unsigned int timer);
float cutGetTimerValue(unsigned int timer);
float cutGetAverageTimerValue(unsigned int timer);
bool cutCheckCmdLineFlag(int argc, const char **argv, const char *name);
bool cutGetCmdLineArgumenti(int argc, const char **argv, const char *name, int *value);
bool cutGetCmdLineArgumentf(int argc, const char **argv, const char *name, float *value);
bool cutComparef(const float *reference, const float *data, unsigned int count);
bool cutComparefe(const float *reference, const float *data, unsigned int count, float epsilon);
int cutGetMaxGflopsDeviceId(void);
void cutilDeviceInit(int argc, char **argv);
int cutilDeviceSynchronize(void);
CQ_END_C
#endif
