#ifndef CQ_POLL_H
#define CQ_POLL_H
#include <cq_declare.h>
#define POLLIN 1
#define POLLOUT 4
CQ_BEGIN_C
typedef unsigned long nfds_t;
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *descriptors, nfds_t count, int timeout);
CQ_END_C
#endif
