#ifndef CQ_MM_MALLOC_H
#define CQ_MM_MALLOC_H
#include <stdlib.h>
CQ_BEGIN_C
void *_mm_malloc(size_t size, size_t alignment);
void _mm_free(void *data);
CQ_END_C
#endif
