#ifndef CQ_ALLOCA_H
#define CQ_ALLOCA_H
#include <stddef.h>
#define alloca(size) __builtin_alloca(size)
#endif
