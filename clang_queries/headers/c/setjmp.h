#ifndef CQ_SETJMP_H
#define CQ_SETJMP_H
#include <cq_declare.h>
CQ_BEGIN_C
typedef struct { long cq_registers[25]; } jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int setjmp(jmp_buf environment);
int _setjmp(jmp_buf environment);
int sigsetjmp(sigjmp_buf environment, int save_mask);
CQ_NORETURN void longjmp(jmp_buf environment, int value);
CQ_NORETURN void siglongjmp(sigjmp_buf environment, int value);
CQ_END_C
#endif
