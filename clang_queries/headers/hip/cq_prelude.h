// Included before every HIP source, as hipcc does with its own runtime header.
#ifndef CQ_HIP_PRELUDE_H
#define CQ_HIP_PRELUDE_H
#include <hip/hip_runtime.h>
#endif
