#ifndef CQ_HIPCUB_H
#define CQ_HIPCUB_H
#include <cub/cub.cuh>
#include <hip/hip_runtime.h>
namespace hipcub = cub;
#endif
