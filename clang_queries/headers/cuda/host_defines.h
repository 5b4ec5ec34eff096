#ifndef CQ_CUDA_HOST_DEFINES_H
#define CQ_CUDA_HOST_DEFINES_H
#include <cq_declare.h>
#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// Managed variables exist for HIP only in this compiler; the annotation keeps them apart.
#define __managed__ __attribute__((device)) __attribute__((annotate("managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((annotate("grid_constant")))
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims")))
#define __maxnreg__(n) __attribute__((annotate("maxnreg")))
#define __nv_pure__ __attribute__((pure))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(n)
#define __noinline__ __attribute__((noinline))
#define __nv_pure__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __specialization_static static
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDA_CB
#define CUDART_CB
#define CUDART_DEVICE
#define __dv(value) = value
#endif
