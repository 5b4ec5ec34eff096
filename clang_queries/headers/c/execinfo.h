#ifndef CQ_EXECINFO_H
#define CQ_EXECINFO_H
#include <cq_declare.h>
CQ_BEGIN_C
int backtrace(void **frames, int size);
char **backtrace_symbols(void *const *frames, int size);
void backtrace_symbols_fd(void *const *frames, int size, int descriptor);
CQ_END_C
#endif
