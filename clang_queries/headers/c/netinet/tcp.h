#ifndef CQ_NETINET_TCP_H
#define CQ_NETINET_TCP_H
#define TCP_NODELAY 1
#endif
