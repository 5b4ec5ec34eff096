#ifndef CQ_SYS_SELECT_H
#define CQ_SYS_SELECT_H
#include <bits/cq_time.h>
#include <cq_declare.h>
#define FD_SETSIZE 1024
typedef struct { long fds_bits[16]; } fd_set;
#define FD_ZERO(set) ((void)__builtin_memset((set), 0, sizeof(fd_set)))
#define FD_SET(fd, set) ((void)((set)->fds_bits[(fd) / 64] |= 1L << ((fd) % 64)))
#define FD_CLR(fd, set) ((void)((set)->fds_bits[(fd) / 64] &= ~(1L << ((fd) % 64))))
#define FD_ISSET(fd, set) (((set)->fds_bits[(fd) / 64] >> ((fd) % 64)) & 1)
CQ_BEGIN_C
int select(int count, fd_set *CQ_RESTRICT read, fd_set *CQ_RESTRICT write, fd_set *CQ_RESTRICT error, struct timeval *CQ_RESTRICT timeout);
CQ_END_C
#endif
