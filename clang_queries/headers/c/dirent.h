#ifndef CQ_DIRENT_H
#define CQ_DIRENT_H
#include <cq_declare.h>
#include <sys/types.h>
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10
CQ_BEGIN_C
typedef struct __dirstream DIR;
struct dirent { ino_t d_ino; off_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
DIR *opendir(const char *path);
struct dirent *readdir(DIR *directory);
int closedir(DIR *directory);
int dirfd(DIR *directory);
void rewinddir(DIR *directory);
int scandir(const char *path, struct dirent ***entries, int (*filter)(const struct dirent *), int (*compare)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **a, const struct dirent **b);
CQ_END_C
#endif
