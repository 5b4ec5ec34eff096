#ifndef CQ_LIBINTL_H
#define CQ_LIBINTL_H
#include <cq_declare.h>
CQ_BEGIN_C
char *gettext(const char *text);
char *dgettext(const char *domain, const char *text);
char *textdomain(const char *domain);
char *bindtextdomain(const char *domain, const char *directory);
CQ_END_C
#endif
