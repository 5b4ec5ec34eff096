#ifndef CQ_SYS_UIO_H
#define CQ_SYS_UIO_H
#include <cq_declare.h>
#include <sys/types.h>
CQ_BEGIN_C
struct iovec { void *iov_base; size_t iov_len; };
ssize_t readv(int descriptor, const struct iovec *vectors, int count);
ssize_t writev(int descriptor, const struct iovec *vectors, int count);
CQ_END_C
#endif
