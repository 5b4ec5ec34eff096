#ifndef CQ_LOCALE_H
#define CQ_LOCALE_H
#include <cq_declare.h>
#include <stddef.h>
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_TIME 2
#define LC_COLLATE 3
#define LC_MONETARY 4
#define LC_MESSAGES 5
#define LC_ALL 6
CQ_BEGIN_C
struct lconv { char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol; };
typedef struct __locale_struct *locale_t;
char *setlocale(int category, const char *locale);
struct lconv *localeconv(void);
CQ_END_C
#endif
