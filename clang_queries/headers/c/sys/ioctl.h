#ifndef CQ_SYS_IOCTL_H
#define CQ_SYS_IOCTL_H
#include <cq_declare.h>
#define TIOCGWINSZ 0x5413
#define FIONREAD 0x541B
#define FIONBIO 0x5421
CQ_BEGIN_C
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
int ioctl(int descriptor, unsigned long request, ...);
CQ_END_C
#endif
