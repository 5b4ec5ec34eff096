// Brackets for every bundled declaration block. In CUDA all library functions are callable from
// both sides (the pragma adds __host__ __device__), so device code never fails for want of an
// attribute that only a real compiler run would need. Classes with virtual functions are host
// only: a program's override without attributes must match them.
#ifndef CQ_DECLARE_H
#define CQ_DECLARE_H
// With the machine's own headers its C++ library stands for the bundled one.
#if defined(CQ_SYSTEM_HEADERS) && defined(__cplusplus)
#if __has_include(<bits/c++config.h>) || __has_include(<__config>)
#define CQ_SYSTEM_LIBRARY 1
#endif
#endif
#ifndef CQ_SYSTEM_LIBRARY
#define CQ_SYSTEM_LIBRARY 0
#endif
#if defined(__CUDA__)
#define CQ_BEGIN_BOTH_SIDES _Pragma("clang force_cuda_host_device begin")
#define CQ_END_BOTH_SIDES _Pragma("clang force_cuda_host_device end")
#else
#define CQ_BEGIN_BOTH_SIDES
#define CQ_END_BOTH_SIDES
#endif
#if defined(__cplusplus)
#define CQ_BEGIN_HOST
#define CQ_END_HOST
#define CQ_BEGIN_CXX CQ_BEGIN_BOTH_SIDES
#define CQ_END_CXX CQ_END_BOTH_SIDES
// For the C++ part of a C header, which programs may include inside extern "C".
#define CQ_BEGIN_OVERLOADS CQ_BEGIN_BOTH_SIDES extern "C++" {
#define CQ_END_OVERLOADS } CQ_END_BOTH_SIDES
#define CQ_BEGIN_C CQ_BEGIN_BOTH_SIDES extern "C" {
#define CQ_END_C } CQ_END_BOTH_SIDES
#else
#define CQ_BEGIN_C
#define CQ_END_C
#endif
#define CQ_NORETURN __attribute__((noreturn))
#define CQ_RESTRICT __restrict
#endif
