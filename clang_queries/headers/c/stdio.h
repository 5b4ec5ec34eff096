#ifndef CQ_STDIO_H
#define CQ_STDIO_H
#include <cq_declare.h>
#include <cq_file.h>
#include <stdarg.h>
#include <sys/types.h>
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
CQ_BEGIN_C
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
int printf(const char *CQ_RESTRICT format, ...);
int fprintf(FILE *CQ_RESTRICT stream, const char *CQ_RESTRICT format, ...);
int sprintf(char *CQ_RESTRICT text, const char *CQ_RESTRICT format, ...);
int snprintf(char *CQ_RESTRICT text, size_t size, const char *CQ_RESTRICT format, ...);
int dprintf(int descriptor, const char *CQ_RESTRICT format, ...);
int asprintf(char **CQ_RESTRICT text, const char *CQ_RESTRICT format, ...);
int vprintf(const char *CQ_RESTRICT format, __builtin_va_list list);
int vfprintf(FILE *CQ_RESTRICT stream, const char *CQ_RESTRICT format, __builtin_va_list list);
int vsprintf(char *CQ_RESTRICT text, const char *CQ_RESTRICT format, __builtin_va_list list);
int vsnprintf(char *CQ_RESTRICT text, size_t size, const char *CQ_RESTRICT format, __builtin_va_list list);
int vasprintf(char **CQ_RESTRICT text, const char *CQ_RESTRICT format, __builtin_va_list list);
int scanf(const char *CQ_RESTRICT format, ...);
int fscanf(FILE *CQ_RESTRICT stream, const char *CQ_RESTRICT format, ...);
int sscanf(const char *CQ_RESTRICT text, const char *CQ_RESTRICT format, ...);
int vscanf(const char *CQ_RESTRICT format, __builtin_va_list list);
int vfscanf(FILE *CQ_RESTRICT stream, const char *CQ_RESTRICT format, __builtin_va_list list);
int vsscanf(const char *CQ_RESTRICT text, const char *CQ_RESTRICT format, __builtin_va_list list);
FILE *fopen(const char *CQ_RESTRICT path, const char *CQ_RESTRICT mode);
FILE *fopen64(const char *CQ_RESTRICT path, const char *CQ_RESTRICT mode);
FILE *freopen(const char *CQ_RESTRICT path, const char *CQ_RESTRICT mode, FILE *CQ_RESTRICT stream);
FILE *fdopen(int descriptor, const char *mode);
FILE *fmemopen(void *buffer, size_t size, const char *mode);
FILE *open_memstream(char **text, size_t *size);
FILE *popen(const char *command, const char *mode);
FILE *tmpfile(void);
int pclose(FILE *stream);
int fclose(FILE *stream);
int fflush(FILE *stream);
int fileno(FILE *stream);
size_t fread(void *CQ_RESTRICT data, size_t size, size_t count, FILE *CQ_RESTRICT stream);
size_t fwrite(const void *CQ_RESTRICT data, size_t size, size_t count, FILE *CQ_RESTRICT stream);
int fgetc(FILE *stream);
int getc(FILE *stream);
int getc_unlocked(FILE *stream);
int getchar(void);
int ungetc(int c, FILE *stream);
char *fgets(char *CQ_RESTRICT text, int size, FILE *CQ_RESTRICT stream);
char *gets(char *text);
ssize_t getline(char **CQ_RESTRICT line, size_t *CQ_RESTRICT size, FILE *CQ_RESTRICT stream);
ssize_t getdelim(char **CQ_RESTRICT line, size_t *CQ_RESTRICT size, int delimiter, FILE *CQ_RESTRICT stream);
int fputc(int c, FILE *stream);
int putc(int c, FILE *stream);
int putchar(int c);
int fputs(const char *CQ_RESTRICT text, FILE *CQ_RESTRICT stream);
int puts(const char *text);
int fseek(FILE *stream, long offset, int origin);
int fseeko(FILE *stream, off_t offset, int origin);
int fseeko64(FILE *stream, off_t offset, int origin);
long ftell(FILE *stream);
off_t ftello(FILE *stream);
off_t ftello64(FILE *stream);
void rewind(FILE *stream);
int fgetpos(FILE *CQ_RESTRICT stream, fpos_t *CQ_RESTRICT position);
int fsetpos(FILE *stream, const fpos_t *position);
int feof(FILE *stream);
int ferror(FILE *stream);
void clearerr(FILE *stream);
void perror(const char *text);
int remove(const char *path);
int rename(const char *from, const char *to);
char *tmpnam(char *name);
char *tempnam(const char *directory, const char *prefix);
void setbuf(FILE *CQ_RESTRICT stream, char *CQ_RESTRICT buffer);
int setvbuf(FILE *CQ_RESTRICT stream, char *CQ_RESTRICT buffer, int mode, size_t size);
void setlinebuf(FILE *stream);
void flockfile(FILE *stream);
void funlockfile(FILE *stream);
CQ_END_C
#define stdin stdin
#define stdout stdout
#define stderr stderr
#endif
