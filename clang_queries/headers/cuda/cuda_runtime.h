#ifndef CQ_CUDA_RUNTIME_H
#define CQ_CUDA_RUNTIME_H
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
template <class T> cudaError_t cudaMalloc(T **data, size_t size);
template <class T> cudaError_t cudaMallocHost(T **data, size_t size, unsigned int flags = 0);
template <class T> cudaError_t cudaHostAlloc(T **data, size_t size, unsigned int flags);
template <class T> cudaError_t cudaMallocManaged(T **data, size_t size, unsigned int flags = cudaMemAttachGlobal);
template <class T> cudaError_t cudaMallocPitch(T **data, size_t *pitch, size_t width, size_t height);
template <class T> cudaError_t cudaMallocAsync(T **data, size_t size, cudaStream_t stream);
template <class T> cudaError_t cudaMallocAsync(T **data, size_t size, cudaMemPool_t pool, cudaStream_t stream);
template <class T> cudaError_t cudaMallocFromPoolAsync(T **data, size_t size, cudaMemPool_t pool, cudaStream_t stream);
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags);
template <class T> cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *data, size_t size = 0, unsigned int flags = cudaMemAttachSingle);
template <class T> cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0);
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0);
template <class T> cudaError_t cudaGetSymbolAddress(void **data, const T &symbol);
template <class T, class U> cudaError_t cudaGetSymbolAddress(U **data, const T &symbol);
template <class T> cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol);
template <class T> cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config);
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config);
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function);
template <class T> cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value);
template <class T> cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *symbol);
template <class T> cudaError_t cudaLaunch(T *function);
template <class T> cudaError_t cudaSetupArgument(T argument, size_t offset);
template <class T> cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0);
template <class T> cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0);
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments);
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size, size_t shared_bytes);
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size, size_t shared_bytes, unsigned int flags);
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function, size_t shared_bytes = 0, int limit = 0);
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T function, size_t shared_bytes = 0, int limit = 0, unsigned int flags = 0);
template <class F, class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function, F shared_bytes, int limit = 0);
template <class T> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, T *function, int blocks, int block_size);
template <class T> cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *function, const cudaLaunchConfig_t *config);
template <class T> cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function, const cudaLaunchConfig_t *config);
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
template <class T> cudaError_t cudaGetDriverEntryPoint(const char *symbol, T **function, unsigned long long flags, cudaDriverEntryPointQueryResult *result = nullptr);
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
