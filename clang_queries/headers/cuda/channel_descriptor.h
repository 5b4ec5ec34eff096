#ifndef CQ_CUDA_CHANNEL_DESCRIPTOR_H
#define CQ_CUDA_CHANNEL_DESCRIPTOR_H
#include <driver_types.h>
#endif
