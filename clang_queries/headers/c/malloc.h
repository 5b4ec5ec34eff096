#ifndef CQ_MALLOC_H
#define CQ_MALLOC_H
#include <stdio.h>
#include <stdlib.h>
CQ_BEGIN_C
struct mallinfo { int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; };
struct mallinfo mallinfo(void);
size_t malloc_usable_size(void *data);
int malloc_trim(size_t pad);
int mallopt(int parameter, int value);
void malloc_stats(void);
CQ_END_C
#endif
