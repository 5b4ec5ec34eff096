#ifndef CQ_CUDA_GL_INTEROP_H
#define CQ_CUDA_GL_INTEROP_H
#include <cuda_runtime.h>
CQ_BEGIN_C
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t *resource, unsigned int buffer, unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t *resource, unsigned int image, unsigned int target, unsigned int flags);
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(unsigned int buffer);
cudaError_t cudaGLMapBufferObject(void **data, unsigned int buffer);
cudaError_t cudaGLUnmapBufferObject(unsigned int buffer);
CQ_END_C
#endif
