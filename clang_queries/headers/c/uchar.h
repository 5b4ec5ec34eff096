#ifndef CQ_UCHAR_H
#define CQ_UCHAR_H
#include <wchar.h>
#if !defined(__cplusplus)
typedef unsigned short char16_t;
typedef unsigned int char32_t;
#endif
#endif
