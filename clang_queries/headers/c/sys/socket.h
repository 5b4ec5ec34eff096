#ifndef CQ_SYS_SOCKET_H
#define CQ_SYS_SOCKET_H
#include <sys/uio.h>
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define PF_UNIX AF_UNIX
#define PF_INET AF_INET
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOL_SOCKET 1
#define SO_REUSEADDR 2
#define SO_KEEPALIVE 9
#define SO_SNDBUF 7
#define SO_RCVBUF 8
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define MSG_NOSIGNAL 0x4000
#define SCM_RIGHTS 1
CQ_BEGIN_C
typedef unsigned int socklen_t;
typedef unsigned short sa_family_t;
struct sockaddr { sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_storage { sa_family_t ss_family; char cq_padding[126]; };
struct msghdr { void *msg_name; socklen_t msg_namelen; struct iovec *msg_iov; size_t msg_iovlen; void *msg_control; size_t msg_controllen; int msg_flags; };
struct cmsghdr { size_t cmsg_len; int cmsg_level, cmsg_type; };
int socket(int domain, int type, int protocol);
int bind(int descriptor, const struct sockaddr *address, socklen_t size);
int listen(int descriptor, int backlog);
int accept(int descriptor, struct sockaddr *CQ_RESTRICT address, socklen_t *CQ_RESTRICT size);
int connect(int descriptor, const struct sockaddr *address, socklen_t size);
ssize_t send(int descriptor, const void *data, size_t size, int flags);
ssize_t recv(int descriptor, void *data, size_t size, int flags);
ssize_t sendto(int descriptor, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t address_size);
ssize_t recvfrom(int descriptor, void *CQ_RESTRICT data, size_t size, int flags, struct sockaddr *CQ_RESTRICT address, socklen_t *CQ_RESTRICT address_size);
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags);
ssize_t recvmsg(int descriptor, struct msghdr *message, int flags);
int setsockopt(int descriptor, int level, int name, const void *value, socklen_t size);
int getsockopt(int descriptor, int level, int name, void *CQ_RESTRICT value, socklen_t *CQ_RESTRICT size);
int shutdown(int descriptor, int how);
int socketpair(int domain, int type, int protocol, int descriptors[2]);
CQ_END_C
#define CMSG_DATA(c) ((unsigned char *)((c) + 1))
#define CMSG_LEN(n) (sizeof(struct cmsghdr) + (n))
#define CMSG_SPACE(n) (sizeof(struct cmsghdr) + (((n) + 7) & ~(size_t)7))
#define CMSG_FIRSTHDR(m) ((struct cmsghdr *)(m)->msg_control)
#endif
