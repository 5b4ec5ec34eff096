#ifndef CQ_ARPA_INET_H
#define CQ_ARPA_INET_H
#include <netinet/in.h>
CQ_BEGIN_C
in_addr_t inet_addr(const char *text);
char *inet_ntoa(struct in_addr address);
int inet_pton(int family, const char *CQ_RESTRICT text, void *CQ_RESTRICT address);
const char *inet_ntop(int family, const void *CQ_RESTRICT address, char *CQ_RESTRICT text, socklen_t size);
CQ_END_C
#endif
