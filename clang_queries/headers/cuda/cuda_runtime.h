#ifndef CQ_CUDA_RUNTIME_H
#define CQ_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__
#include <cuda_runtime_api.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cq_math.h>
#include <vector_functions.h>
#if defined(__cplusplus)
#include <cmath>
#include <cq_algobase.h>
#include <cstdlib>
#include <new>
#include <utility>
#include <cq_device.h>
#include <cq_simd.h>
#include <cq_texture.h>
// Forms of the runtime interface that exist in C++ only.
CQ_BEGIN_CXX
template <class CqT> cudaError_t cudaMalloc(CqT **data, size_t size);
template <class CqT> cudaError_t cudaMallocHost(CqT **data, size_t size, unsigned int flags = 0);
template <class CqT> cudaError_t cudaHostAlloc(CqT **data, size_t size, unsigned int flags);
template <class CqT> cudaError_t cudaMallocManaged(CqT **data, size_t size, unsigned int flags = cudaMemAttachGlobal);
template <class CqT> cudaError_t cudaMallocPitch(CqT **data, size_t *pitch, size_t width, size_t height);
template <class CqT> cudaError_t cudaMallocAsync(CqT **data, size_t size, cudaStream_t stream);
template <class CqT> cudaError_t cudaMallocAsync(CqT **data, size_t size, cudaMemPool_t pool, cudaStream_t stream);
template <class CqT> cudaError_t cudaMallocFromPoolAsync(CqT **data, size_t size, cudaMemPool_t pool, cudaStream_t stream);
template <class CqT> cudaError_t cudaHostGetDevicePointer(CqT **device, void *host, unsigned int flags);
template <class CqT> cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, CqT *data, size_t size = 0, unsigned int flags = cudaMemAttachSingle);
template <class CqT> cudaError_t cudaMemcpyToSymbol(const CqT &symbol, const void *from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice);
template <class CqT> cudaError_t cudaMemcpyToSymbolAsync(const CqT &symbol, const void *from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0);
template <class CqT> cudaError_t cudaMemcpyFromSymbol(void *to, const CqT &symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
template <class CqT> cudaError_t cudaMemcpyFromSymbolAsync(void *to, const CqT &symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0);
template <class CqT> cudaError_t cudaGetSymbolAddress(void **data, const CqT &symbol);
template <class CqT, class CqU> cudaError_t cudaGetSymbolAddress(CqU **data, const CqT &symbol);
template <class CqT> cudaError_t cudaGetSymbolSize(size_t *size, const CqT &symbol);
template <class CqT> cudaError_t cudaFuncSetCacheConfig(CqT *function, cudaFuncCache config);
template <class CqT> cudaError_t cudaFuncSetSharedMemConfig(CqT *function, cudaSharedMemConfig config);
template <class CqT> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, CqT *function);
template <class CqT> cudaError_t cudaFuncSetAttribute(CqT *function, cudaFuncAttribute attribute, int value);
template <class CqT> cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, CqT *symbol);
template <class CqT> cudaError_t cudaLaunch(CqT *function);
template <class CqT> cudaError_t cudaSetupArgument(CqT argument, size_t offset);
template <class CqT> cudaError_t cudaLaunchKernel(CqT *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0);
template <class CqT> cudaError_t cudaLaunchCooperativeKernel(CqT *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0);
template <class... CqP, class... CqA> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(CqP...), CqA &&...arguments);
template <class CqT> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CqT function, int block_size, size_t shared_bytes);
template <class CqT> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CqT function, int block_size, size_t shared_bytes, unsigned int flags);
template <class CqT> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, CqT function, size_t shared_bytes = 0, int limit = 0);
template <class CqT> cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CqT function, size_t shared_bytes = 0, int limit = 0, unsigned int flags = 0);
template <class CqF, class CqT> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, CqT function, CqF shared_bytes, int limit = 0);
template <class CqT> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, CqT *function, int blocks, int block_size);
template <class CqT> cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, CqT *function, const cudaLaunchConfig_t *config);
template <class CqT> cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, CqT *function, const cudaLaunchConfig_t *config);
template <class CqT> cudaChannelFormatDesc cudaCreateChannelDesc();
template <class CqT> cudaError_t cudaGetDriverEntryPoint(const char *symbol, CqT **function, unsigned long long flags, cudaDriverEntryPointQueryResult *result = nullptr);
cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, cudaGraphNode_t *error, char *log, size_t size);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *error, cudaGraphExecUpdateResult *result);
// CUDA 13 takes a location where older versions took a device number.
cudaError_t cudaMemAdvise(const void *data, size_t size, cudaMemoryAdvise advice, cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync(const void *data, size_t size, cudaMemLocation location, unsigned int flags, cudaStream_t stream = 0);
CQ_END_CXX
__host__ __device__ inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return cudaExtent{width, height, depth}; }
__host__ __device__ inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
__host__ __device__ inline cudaPitchedPtr make_cudaPitchedPtr(void *data, size_t pitch, size_t width, size_t height) { return cudaPitchedPtr{data, pitch, width, height}; }
#endif
#endif
