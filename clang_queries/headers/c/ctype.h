#ifndef CQ_CTYPE_H
#define CQ_CTYPE_H
#include <cq_declare.h>
CQ_BEGIN_C
int isalnum(int c);
int isalpha(int c);
int isascii(int c);
int isblank(int c);
int iscntrl(int c);
int isdigit(int c);
int isgraph(int c);
int islower(int c);
int isprint(int c);
int ispunct(int c);
int isspace(int c);
int isupper(int c);
int isxdigit(int c);
int toascii(int c);
int tolower(int c);
int toupper(int c);
CQ_END_C
#endif
