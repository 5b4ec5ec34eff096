#ifndef CQ_STRING_H
#define CQ_STRING_H
#include <cq_declare.h>
#include <stddef.h>
#include <strings.h>
CQ_BEGIN_C
void *memcpy(void *CQ_RESTRICT to, const void *CQ_RESTRICT from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *mempcpy(void *CQ_RESTRICT to, const void *CQ_RESTRICT from, size_t size);
void *memset(void *data, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t size);
char *strcpy(char *CQ_RESTRICT to, const char *CQ_RESTRICT from);
char *strncpy(char *CQ_RESTRICT to, const char *CQ_RESTRICT from, size_t size);
char *stpcpy(char *CQ_RESTRICT to, const char *CQ_RESTRICT from);
char *strcat(char *CQ_RESTRICT to, const char *CQ_RESTRICT from);
char *strncat(char *CQ_RESTRICT to, const char *CQ_RESTRICT from, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
int strcoll(const char *a, const char *b);
size_t strxfrm(char *CQ_RESTRICT to, const char *CQ_RESTRICT from, size_t size);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strtok(char *CQ_RESTRICT text, const char *CQ_RESTRICT delimiters);
char *strtok_r(char *CQ_RESTRICT text, const char *CQ_RESTRICT delimiters, char **CQ_RESTRICT state);
char *strsep(char **CQ_RESTRICT text, const char *CQ_RESTRICT delimiters);
char *strdup(const char *text);
char *strndup(const char *text, size_t size);
char *strerror(int number);
char *strerror_r(int number, char *text, size_t size);
char *strsignal(int number);
size_t strlcpy(char *to, const char *from, size_t size);
size_t strlcat(char *to, const char *from, size_t size);
int strverscmp(const char *a, const char *b);
#if !defined(__cplusplus)
void *memchr(const void *data, int value, size_t size);
void *memrchr(const void *data, int value, size_t size);
void *memmem(const void *data, size_t size, const void *part, size_t part_size);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strchrnul(const char *text, int c);
char *strstr(const char *text, const char *part);
char *strcasestr(const char *text, const char *part);
char *strpbrk(const char *text, const char *set);
char *basename(const char *path);
#endif
CQ_END_C
#if defined(__cplusplus)
CQ_BEGIN_OVERLOADS
// C++ keeps constness: both forms of each search function.
void *memchr(void *data, int value, size_t size);
const void *memchr(const void *data, int value, size_t size);
void *memrchr(void *data, int value, size_t size);
const void *memrchr(const void *data, int value, size_t size);
void *memmem(const void *data, size_t size, const void *part, size_t part_size);
char *strchr(char *text, int c);
const char *strchr(const char *text, int c);
char *strrchr(char *text, int c);
const char *strrchr(const char *text, int c);
char *strchrnul(char *text, int c);
const char *strchrnul(const char *text, int c);
char *strstr(char *text, const char *part);
const char *strstr(const char *text, const char *part);
char *strcasestr(char *text, const char *part);
const char *strcasestr(const char *text, const char *part);
char *strpbrk(char *text, const char *set);
const char *strpbrk(const char *text, const char *set);
char *basename(char *path);
const char *basename(const char *path);
CQ_END_OVERLOADS
#endif
#endif
