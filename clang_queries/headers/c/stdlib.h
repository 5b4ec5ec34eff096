#ifndef CQ_STDLIB_H
#define CQ_STDLIB_H
#include <alloca.h>
#include <cq_absolute.h>
#include <cq_declare.h>
#include <sys/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX 6
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
CQ_BEGIN_C
struct drand48_data { unsigned short cq_state[12]; };
struct random_data { int *cq_state[6]; };
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *data, size_t size);
void *reallocarray(void *data, size_t count, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
int posix_memalign(void **data, size_t alignment, size_t size);
void free(void *data);
CQ_NORETURN void abort(void);
CQ_NORETURN void exit(int status);
CQ_NORETURN void _Exit(int status);
CQ_NORETURN void quick_exit(int status);
int atexit(void (*function)(void));
int at_quick_exit(void (*function)(void));
char *getenv(const char *name);
char *secure_getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
int putenv(char *text);
int system(const char *command);
double atof(const char *text);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double strtod(const char *CQ_RESTRICT text, char **CQ_RESTRICT end);
float strtof(const char *CQ_RESTRICT text, char **CQ_RESTRICT end);
long double strtold(const char *CQ_RESTRICT text, char **CQ_RESTRICT end);
long strtol(const char *CQ_RESTRICT text, char **CQ_RESTRICT end, int base);
long long strtoll(const char *CQ_RESTRICT text, char **CQ_RESTRICT end, int base);
unsigned long strtoul(const char *CQ_RESTRICT text, char **CQ_RESTRICT end, int base);
unsigned long long strtoull(const char *CQ_RESTRICT text, char **CQ_RESTRICT end, int base);
int rand(void);
void srand(unsigned int seed);
int rand_r(unsigned int *seed);
long random(void);
void srandom(unsigned int seed);
int random_r(struct random_data *CQ_RESTRICT state, int32_t *CQ_RESTRICT result);
int srandom_r(unsigned int seed, struct random_data *state);
int initstate_r(unsigned int seed, char *text, size_t size, struct random_data *state);
char *initstate(unsigned int seed, char *state, size_t size);
char *setstate(char *state);
double drand48(void);
double erand48(unsigned short state[3]);
long lrand48(void);
long nrand48(unsigned short state[3]);
long mrand48(void);
long jrand48(unsigned short state[3]);
void srand48(long seed);
unsigned short *seed48(unsigned short state[3]);
void lcong48(unsigned short parameters[7]);
int drand48_r(struct drand48_data *CQ_RESTRICT state, double *CQ_RESTRICT result);
int lrand48_r(struct drand48_data *CQ_RESTRICT state, long *CQ_RESTRICT result);
int erand48_r(unsigned short x[3], struct drand48_data *CQ_RESTRICT state, double *CQ_RESTRICT result);
int srand48_r(long seed, struct drand48_data *state);
void qsort(void *data, size_t count, size_t size, int (*compare)(const void *, const void *));
void qsort_r(void *data, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *context);
void *bsearch(const void *key, const void *data, size_t count, size_t size, int (*compare)(const void *, const void *));
div_t div(int numerator, int denominator);
ldiv_t ldiv(long numerator, long denominator);
lldiv_t lldiv(long long numerator, long long denominator);
int mkstemp(char *name);
char *mkdtemp(char *name);
char *mktemp(char *name);
char *realpath(const char *CQ_RESTRICT path, char *CQ_RESTRICT resolved);
int mblen(const char *text, size_t size);
int mbtowc(wchar_t *CQ_RESTRICT wide, const char *CQ_RESTRICT text, size_t size);
int wctomb(char *text, wchar_t wide);
size_t mbstowcs(wchar_t *CQ_RESTRICT wide, const char *CQ_RESTRICT text, size_t size);
size_t wcstombs(char *CQ_RESTRICT text, const wchar_t *CQ_RESTRICT wide, size_t size);
int getloadavg(double averages[], int count);
int getsubopt(char **CQ_RESTRICT option, char *const *CQ_RESTRICT tokens, char **CQ_RESTRICT value);
CQ_END_C
#if defined(__cplusplus)
#include <cstdlib>
#endif
#endif
