#ifndef CQ_CUDA_DEVICE_TYPES_H
#define CQ_CUDA_DEVICE_TYPES_H
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif
