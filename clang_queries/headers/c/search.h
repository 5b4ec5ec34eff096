#ifndef CQ_SEARCH_H
#define CQ_SEARCH_H
#include <cq_declare.h>
#include <stddef.h>
CQ_BEGIN_C
typedef struct entry { char *key; void *data; } ENTRY;
typedef enum { FIND, ENTER } ACTION;
int hcreate(size_t size);
ENTRY *hsearch(ENTRY item, ACTION action);
void hdestroy(void);
void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *));
void *tfind(const void *key, void *const *root, int (*compare)(const void *, const void *));
void *lfind(const void *key, const void *data, size_t *count, size_t size, int (*compare)(const void *, const void *));
CQ_END_C
#endif
