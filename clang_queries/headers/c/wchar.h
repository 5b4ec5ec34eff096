#ifndef CQ_WCHAR_H
#define CQ_WCHAR_H
#include <cq_declare.h>
#include <cq_file.h>
#include <stdarg.h>
#include <stddef.h>
#define WEOF (0xffffffffu)
#ifndef WCHAR_MAX
#define WCHAR_MIN (-2147483647 - 1)
#define WCHAR_MAX 2147483647
#endif
CQ_BEGIN_C
typedef unsigned int wint_t;
typedef struct { int cq_count; unsigned int cq_value; } mbstate_t;
struct tm;
size_t wcslen(const wchar_t *text);
wchar_t *wcscpy(wchar_t *CQ_RESTRICT to, const wchar_t *CQ_RESTRICT from);
wchar_t *wcsncpy(wchar_t *CQ_RESTRICT to, const wchar_t *CQ_RESTRICT from, size_t size);
wchar_t *wcscat(wchar_t *CQ_RESTRICT to, const wchar_t *CQ_RESTRICT from);
int wcscmp(const wchar_t *a, const wchar_t *b);
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t size);
wchar_t *wcschr(const wchar_t *text, wchar_t c);
wchar_t *wcsrchr(const wchar_t *text, wchar_t c);
wchar_t *wcsstr(const wchar_t *text, const wchar_t *part);
wchar_t *wcstok(wchar_t *CQ_RESTRICT text, const wchar_t *CQ_RESTRICT delimiters, wchar_t **CQ_RESTRICT state);
long wcstol(const wchar_t *CQ_RESTRICT text, wchar_t **CQ_RESTRICT end, int base);
double wcstod(const wchar_t *CQ_RESTRICT text, wchar_t **CQ_RESTRICT end);
wchar_t *wmemcpy(wchar_t *CQ_RESTRICT to, const wchar_t *CQ_RESTRICT from, size_t size);
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t size);
wchar_t *wmemset(wchar_t *data, wchar_t value, size_t size);
int wmemcmp(const wchar_t *a, const wchar_t *b, size_t size);
size_t mbrtowc(wchar_t *CQ_RESTRICT wide, const char *CQ_RESTRICT text, size_t size, mbstate_t *CQ_RESTRICT state);
size_t wcrtomb(char *CQ_RESTRICT text, wchar_t wide, mbstate_t *CQ_RESTRICT state);
size_t mbsrtowcs(wchar_t *CQ_RESTRICT wide, const char **CQ_RESTRICT text, size_t size, mbstate_t *CQ_RESTRICT state);
size_t wcsrtombs(char *CQ_RESTRICT text, const wchar_t **CQ_RESTRICT wide, size_t size, mbstate_t *CQ_RESTRICT state);
wint_t fgetwc(FILE *stream);
wint_t fputwc(wchar_t c, FILE *stream);
int wprintf(const wchar_t *CQ_RESTRICT format, ...);
int fwprintf(FILE *CQ_RESTRICT stream, const wchar_t *CQ_RESTRICT format, ...);
int swprintf(wchar_t *CQ_RESTRICT text, size_t size, const wchar_t *CQ_RESTRICT format, ...);
CQ_END_C
#endif
