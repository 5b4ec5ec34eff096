#ifndef CQ_GETOPT_H
#define CQ_GETOPT_H
#include <bits/cq_getopt.h>
#define no_argument 0
#define required_argument 1
#define optional_argument 2
CQ_BEGIN_C
struct option { const char *name; int has_arg; int *flag; int val; };
int getopt_long(int argc, char *const argv[], const char *options, const struct option *long_options, int *index);
int getopt_long_only(int argc, char *const argv[], const char *options, const struct option *long_options, int *index);
CQ_END_C
#endif
