#ifndef CQ_BITS_GETOPT_H
#define CQ_BITS_GETOPT_H
#include <cq_declare.h>
CQ_BEGIN_C
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int argc, char *const argv[], const char *options);
CQ_END_C
#endif
