#ifndef CQ_STDDEF_H
#define CQ_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#if !defined(__cplusplus)
typedef __WCHAR_TYPE__ wchar_t;
#endif
#undef NULL
#if defined(__cplusplus)
#define NULL __null
#else
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
#if defined(__cplusplus) && __cplusplus >= 201103L || defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
typedef struct {
  long long cq_max_align_integer __attribute__((aligned(__alignof__(long long))));
  long double cq_max_align_real __attribute__((aligned(__alignof__(long double))));
} max_align_t;
#endif
#if defined(__cplusplus) && __cplusplus >= 201103L
namespace std { typedef decltype(nullptr) nullptr_t; }
using ::std::nullptr_t;
#endif
#endif
