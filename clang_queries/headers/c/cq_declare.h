// Brackets for every bundled declaration block. In CUDA all library functions are callable from
// both sides (the pragma adds __host__ __device__), so device code never fails for want of an
// attribute that only a real compiler run would need.
#ifndef CQ_DECLARE_H
#define CQ_DECLARE_H
#if defined(__CUDA__)
#define CQ_BEGIN_CXX _Pragma("clang force_cuda_host_device begin")
#define CQ_END_CXX _Pragma("clang force_cuda_host_device end")
#else
#define CQ_BEGIN_CXX
#define CQ_END_CXX
#endif
#if defined(__cplusplus)
#define CQ_BEGIN_C CQ_BEGIN_CXX extern "C" {
#define CQ_END_C } CQ_END_CXX
#else
#define CQ_BEGIN_C
#define CQ_END_C
#endif
#if defined(__cplusplus)
#define CQ_NORETURN __attribute__((noreturn))
#define CQ_RESTRICT __restrict
#else
#define CQ_NORETURN __attribute__((noreturn))
#define CQ_RESTRICT restrict
#endif
#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#undef CQ_RESTRICT
#define CQ_RESTRICT __restrict
#endif
#endif
