#ifndef CQ_NETDB_H
#define CQ_NETDB_H
#include <netinet/in.h>
CQ_BEGIN_C
struct hostent { char *h_name, **h_aliases; int h_addrtype, h_length; char **h_addr_list; };
struct addrinfo { int ai_flags, ai_family, ai_socktype, ai_protocol; socklen_t ai_addrlen; struct sockaddr *ai_addr; char *ai_canonname; struct addrinfo *ai_next; };
struct hostent *gethostbyname(const char *name);
int getaddrinfo(const char *CQ_RESTRICT node, const char *CQ_RESTRICT service, const struct addrinfo *CQ_RESTRICT hints, struct addrinfo **CQ_RESTRICT result);
void freeaddrinfo(struct addrinfo *info);
CQ_END_C
#define h_addr h_addr_list[0]
#endif
