#ifndef CQ_HELPER_STRING_H
#define CQ_HELPER_STRING_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#if defined(__cplusplus)
#include <fstream>
#include <string>
CQ_BEGIN_HOST
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, size, from) strcpy(to, from)
#define FOPEN(file, path, mode) (file = fopen(path, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
int stringRemoveDelimiter(char delimiter, const char *text);
int getFileExtension(char *path, char **extension);
bool checkCmdLineFlag(int argc, const char **argv, const char *name);
int getCmdLineArgumentInt(int argc, const char **argv, const char *name);
float getCmdLineArgumentFloat(int argc, const char **argv, const char *name);
bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value);
template <class CqT> bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, CqT *value);
char *sdkFindFilePath(const char *name, const char *executable);
CQ_END_HOST
#endif
#endif
