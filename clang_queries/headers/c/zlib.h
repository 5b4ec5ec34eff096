#ifndef CQ_ZLIB_H
#define CQ_ZLIB_H
#include <cq_declare.h>
#include <stddef.h>
#define Z_OK 0
#define Z_STREAM_END 1
#define Z_NO_FLUSH 0
#define Z_FINISH 4
#define Z_DEFAULT_COMPRESSION (-1)
#define Z_BEST_COMPRESSION 9
#define Z_NULL 0
CQ_BEGIN_C
typedef unsigned char Byte, Bytef;
typedef unsigned int uInt;
typedef unsigned long uLong, uLongf;
typedef void *voidpf;
typedef struct z_stream_s { const Bytef *next_in; uInt avail_in; uLong total_in; Bytef *next_out; uInt avail_out; uLong total_out; const char *msg; void *state; voidpf (*zalloc)(voidpf, uInt, uInt); void (*zfree)(voidpf, voidpf); voidpf opaque; int data_type; uLong adler, reserved; } z_stream;
typedef struct gzFile_s *gzFile;
int compress(Bytef *to, uLongf *to_size, const Bytef *from, uLong size);
int compress2(Bytef *to, uLongf *to_size, const Bytef *from, uLong size, int level);
uLong compressBound(uLong size);
int uncompress(Bytef *to, uLongf *to_size, const Bytef *from, uLong size);
int deflateInit(z_stream *stream, int level);
int deflate(z_stream *stream, int flush);
int deflateEnd(z_stream *stream);
int inflateInit(z_stream *stream);
int inflate(z_stream *stream, int flush);
int inflateEnd(z_stream *stream);
gzFile gzopen(const char *path, const char *mode);
int gzread(gzFile file, void *data, unsigned int size);
int gzwrite(gzFile file, const void *data, unsigned int size);
char *gzgets(gzFile file, char *text, int size);
int gzeof(gzFile file);
int gzclose(gzFile file);
uLong crc32(uLong crc, const Bytef *data, uInt size);
uLong adler32(uLong adler, const Bytef *data, uInt size);
CQ_END_C
#endif
