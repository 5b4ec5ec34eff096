#ifndef CQ_FILE_H
#define CQ_FILE_H
typedef struct _IO_FILE FILE;
typedef struct { long position; long state; } fpos_t;
#endif
