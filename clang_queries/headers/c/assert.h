// No include guard around assert itself: NDEBUG is looked at on every inclusion.
#include <cq_declare.h>
#ifndef CQ_ASSERT_H
#define CQ_ASSERT_H
CQ_BEGIN_C
CQ_NORETURN void __assert_fail(const char *expression, const char *file, unsigned int line, const char *function);
CQ_END_C
#if !defined(__cplusplus)
#define static_assert _Static_assert
#endif
#endif
#undef assert
#if defined(NDEBUG)
#define assert(expression) ((void)0)
#else
#define assert(expression) ((expression) ? (void)0 : __assert_fail(#expression, __FILE__, __LINE__, __func__))
#endif
