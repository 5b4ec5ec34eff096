#ifndef CQ_CUDA_TEXTURE_H
#define CQ_CUDA_TEXTURE_H
// Texture and surface reads and writes: objects, and the texture<> references of CUDA 11.
#include <driver_types.h>
#if defined(__CUDA__)
template <class T, int Dimensions = 1, cudaTextureReadMode Mode = cudaReadModeElementType> struct __attribute__((device_builtin_texture_type)) texture : textureReference {
  __host__ texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint, cudaTextureAddressMode address = cudaAddressModeClamp);
  __host__ texture(int normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc description);
};
template <class T, int Dimensions = 1> struct __attribute__((device_builtin_surface_type)) surface : surfaceReference {};
template <int Dimensions> struct __attribute__((device_builtin_surface_type)) surface<void, Dimensions> : surfaceReference { __host__ surface(); };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12, cudaTextureType1DLayered = 241, cudaTextureType2DLayered = 242, cudaTextureTypeCubemapLayered = 252 };
enum { cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3, cudaSurfaceTypeCubemap = 12, cudaSurfaceType1DLayered = 241, cudaSurfaceType2DLayered = 242 };
// What a read returns: the element, or float (of as many channels) when values are normalised.
template <class T, cudaTextureReadMode Mode> struct cq_texel { typedef T type; };
template <> struct cq_texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<uchar2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct cq_texel<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cq_texel<char4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cq_texel<ushort2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct cq_texel<ushort4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <class T> __device__ T tex1Dfetch(cudaTextureObject_t object, int x);
template <class T> __device__ void tex1Dfetch(T *result, cudaTextureObject_t object, int x);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex1Dfetch(texture<T, Dimensions, Mode> reference, int x);
template <class T> __device__ T tex1D(cudaTextureObject_t object, float x);
template <class T> __device__ void tex1D(T *result, cudaTextureObject_t object, float x);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex1D(texture<T, Dimensions, Mode> reference, float x);
template <class T> __device__ T tex2D(cudaTextureObject_t object, float x, float y);
template <class T> __device__ void tex2D(T *result, cudaTextureObject_t object, float x, float y);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex2D(texture<T, Dimensions, Mode> reference, float x, float y);
template <class T> __device__ T tex3D(cudaTextureObject_t object, float x, float y, float z);
template <class T> __device__ void tex3D(T *result, cudaTextureObject_t object, float x, float y, float z);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex3D(texture<T, Dimensions, Mode> reference, float x, float y, float z);
template <class T> __device__ T tex1DLod(cudaTextureObject_t object, float x, float level);
template <class T> __device__ void tex1DLod(T *result, cudaTextureObject_t object, float x, float level);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex1DLod(texture<T, Dimensions, Mode> reference, float x, float level);
template <class T> __device__ T tex2DLod(cudaTextureObject_t object, float x, float y, float level);
template <class T> __device__ void tex2DLod(T *result, cudaTextureObject_t object, float x, float y, float level);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex2DLod(texture<T, Dimensions, Mode> reference, float x, float y, float level);
template <class T> __device__ T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float level);
template <class T> __device__ void tex3DLod(T *result, cudaTextureObject_t object, float x, float y, float z, float level);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex3DLod(texture<T, Dimensions, Mode> reference, float x, float y, float z, float level);
template <class T> __device__ T tex1DLayered(cudaTextureObject_t object, float x, int layer);
template <class T> __device__ void tex1DLayered(T *result, cudaTextureObject_t object, float x, int layer);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex1DLayered(texture<T, Dimensions, Mode> reference, float x, int layer);
template <class T> __device__ T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer);
template <class T> __device__ void tex2DLayered(T *result, cudaTextureObject_t object, float x, float y, int layer);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex2DLayered(texture<T, Dimensions, Mode> reference, float x, float y, int layer);
template <class T> __device__ T texCubemap(cudaTextureObject_t object, float x, float y, float z);
template <class T> __device__ void texCubemap(T *result, cudaTextureObject_t object, float x, float y, float z);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type texCubemap(texture<T, Dimensions, Mode> reference, float x, float y, float z);
template <class T> __device__ T tex2DGrad(cudaTextureObject_t object, float x, float y, float2 dx, float2 dy);
template <class T> __device__ void tex2DGrad(T *result, cudaTextureObject_t object, float x, float y, float2 dx, float2 dy);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex2DGrad(texture<T, Dimensions, Mode> reference, float x, float y, float2 dx, float2 dy);
template <class T> __device__ T tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy);
template <class T> __device__ void tex3DGrad(T *result, cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy);
template <class T, int Dimensions, cudaTextureReadMode Mode> __device__ typename cq_texel<T, Mode>::type tex3DGrad(texture<T, Dimensions, Mode> reference, float x, float y, float z, float4 dx, float4 dy);
template <class T> __device__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0);
template <class T> __device__ T surf1Dread(cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf1Dread(T *result, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf1Dwrite(T value, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf1Dread(T *result, surface<void, Dimensions> reference, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf1Dwrite(T value, surface<void, Dimensions> reference, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ T surf2Dread(cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf2Dread(T *result, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf2Dread(T *result, surface<void, Dimensions> reference, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf2Dwrite(T value, surface<void, Dimensions> reference, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf3Dread(T *result, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf3Dread(T *result, surface<void, Dimensions> reference, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf3Dwrite(T value, surface<void, Dimensions> reference, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ T surf1DLayeredread(cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf1DLayeredread(T *result, cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf1DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf1DLayeredread(T *result, surface<void, Dimensions> reference, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf1DLayeredwrite(T value, surface<void, Dimensions> reference, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ T surf2DLayeredread(cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf2DLayeredread(T *result, cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surf2DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf2DLayeredread(T *result, surface<void, Dimensions> reference, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surf2DLayeredwrite(T value, surface<void, Dimensions> reference, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ T surfCubemapread(cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surfCubemapread(T *result, cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T> __device__ void surfCubemapwrite(T value, cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surfCubemapread(T *result, surface<void, Dimensions> reference, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class T, int Dimensions> __device__ void surfCubemapwrite(T value, surface<void, Dimensions> reference, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
CQ_BEGIN_CXX
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &reference, const void *data, const cudaChannelFormatDesc &description, size_t size = 0xffffffffu);
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaBindTexture(size_t *offset, const texture<T, D, M> &reference, const void *data, size_t size = 0xffffffffu);
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &reference, const void *data, const cudaChannelFormatDesc &description, size_t width, size_t height, size_t pitch);
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, D, M> &reference, const void *data, size_t width, size_t height, size_t pitch);
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaBindTextureToArray(const texture<T, D, M> &reference, cudaArray_const_t array);
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaBindTextureToArray(const texture<T, D, M> &reference, cudaArray_const_t array, const cudaChannelFormatDesc &description);
template <class T, int D, cudaTextureReadMode M> cudaError_t cudaUnbindTexture(const texture<T, D, M> &reference);
template <class T, int D> cudaError_t cudaBindSurfaceToArray(const surface<T, D> &reference, cudaArray_const_t array);
template <class T, int D> cudaError_t cudaBindSurfaceToArray(const surface<T, D> &reference, cudaArray_const_t array, const cudaChannelFormatDesc &description);
CQ_END_CXX
#endif
#endif
