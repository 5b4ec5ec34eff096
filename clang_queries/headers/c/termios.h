#ifndef CQ_TERMIOS_H
#define CQ_TERMIOS_H
#include <cq_declare.h>
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define ISIG 1
#define ICANON 2
#define ECHO 8
#define VTIME 5
#define VMIN 6
CQ_BEGIN_C
typedef unsigned int tcflag_t, speed_t;
typedef unsigned char cc_t;
struct termios { tcflag_t c_iflag, c_oflag, c_cflag, c_lflag; cc_t c_line, c_cc[32]; speed_t c_ispeed, c_ospeed; };
int tcgetattr(int descriptor, struct termios *settings);
int tcsetattr(int descriptor, int action, const struct termios *settings);
CQ_END_C
#endif
