#ifndef CQ_CUDA_TEXTURE_H
#define CQ_CUDA_TEXTURE_H
// Texture and surface reads and writes: objects, and the texture<> references of CUDA 11.
#include <driver_types.h>
#if defined(__CUDA__)
template <class CqT, int CqDimensions = 1, cudaTextureReadMode CqMode = cudaReadModeElementType> struct __attribute__((device_builtin_texture_type)) texture : textureReference {
  __host__ texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint, cudaTextureAddressMode address = cudaAddressModeClamp);
  __host__ texture(int normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc description);
};
template <class CqT, int CqDimensions = 1> struct __attribute__((device_builtin_surface_type)) surface : surfaceReference {};
template <int CqDimensions> struct __attribute__((device_builtin_surface_type)) surface<void, CqDimensions> : surfaceReference { __host__ surface(); };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12, cudaTextureType1DLayered = 241, cudaTextureType2DLayered = 242, cudaTextureTypeCubemapLayered = 252 };
enum { cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3, cudaSurfaceTypeCubemap = 12, cudaSurfaceType1DLayered = 241, cudaSurfaceType2DLayered = 242 };
// What a read returns: the element, or float (of as many channels) when values are normalised.
template <class CqT, cudaTextureReadMode CqMode> struct cq_texel { typedef CqT type; };
template <> struct cq_texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cq_texel<uchar2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct cq_texel<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cq_texel<char4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cq_texel<ushort2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct cq_texel<ushort4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <class CqT> __device__ CqT tex1Dfetch(cudaTextureObject_t object, int x);
template <class CqT> __device__ void tex1Dfetch(CqT *result, cudaTextureObject_t object, int x);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex1Dfetch(texture<CqT, CqDimensions, CqMode> reference, int x);
template <class CqT> __device__ CqT tex1D(cudaTextureObject_t object, float x);
template <class CqT> __device__ void tex1D(CqT *result, cudaTextureObject_t object, float x);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex1D(texture<CqT, CqDimensions, CqMode> reference, float x);
template <class CqT> __device__ CqT tex2D(cudaTextureObject_t object, float x, float y);
template <class CqT> __device__ void tex2D(CqT *result, cudaTextureObject_t object, float x, float y);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex2D(texture<CqT, CqDimensions, CqMode> reference, float x, float y);
template <class CqT> __device__ CqT tex3D(cudaTextureObject_t object, float x, float y, float z);
template <class CqT> __device__ void tex3D(CqT *result, cudaTextureObject_t object, float x, float y, float z);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex3D(texture<CqT, CqDimensions, CqMode> reference, float x, float y, float z);
template <class CqT> __device__ CqT tex1DLod(cudaTextureObject_t object, float x, float level);
template <class CqT> __device__ void tex1DLod(CqT *result, cudaTextureObject_t object, float x, float level);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex1DLod(texture<CqT, CqDimensions, CqMode> reference, float x, float level);
template <class CqT> __device__ CqT tex2DLod(cudaTextureObject_t object, float x, float y, float level);
template <class CqT> __device__ void tex2DLod(CqT *result, cudaTextureObject_t object, float x, float y, float level);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex2DLod(texture<CqT, CqDimensions, CqMode> reference, float x, float y, float level);
template <class CqT> __device__ CqT tex3DLod(cudaTextureObject_t object, float x, float y, float z, float level);
template <class CqT> __device__ void tex3DLod(CqT *result, cudaTextureObject_t object, float x, float y, float z, float level);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex3DLod(texture<CqT, CqDimensions, CqMode> reference, float x, float y, float z, float level);
template <class CqT> __device__ CqT tex1DLayered(cudaTextureObject_t object, float x, int layer);
template <class CqT> __device__ void tex1DLayered(CqT *result, cudaTextureObject_t object, float x, int layer);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex1DLayered(texture<CqT, CqDimensions, CqMode> reference, float x, int layer);
template <class CqT> __device__ CqT tex2DLayered(cudaTextureObject_t object, float x, float y, int layer);
template <class CqT> __device__ void tex2DLayered(CqT *result, cudaTextureObject_t object, float x, float y, int layer);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex2DLayered(texture<CqT, CqDimensions, CqMode> reference, float x, float y, int layer);
template <class CqT> __device__ CqT texCubemap(cudaTextureObject_t object, float x, float y, float z);
template <class CqT> __device__ void texCubemap(CqT *result, cudaTextureObject_t object, float x, float y, float z);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type texCubemap(texture<CqT, CqDimensions, CqMode> reference, float x, float y, float z);
template <class CqT> __device__ CqT tex2DGrad(cudaTextureObject_t object, float x, float y, float2 dx, float2 dy);
template <class CqT> __device__ void tex2DGrad(CqT *result, cudaTextureObject_t object, float x, float y, float2 dx, float2 dy);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex2DGrad(texture<CqT, CqDimensions, CqMode> reference, float x, float y, float2 dx, float2 dy);
template <class CqT> __device__ CqT tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy);
template <class CqT> __device__ void tex3DGrad(CqT *result, cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy);
template <class CqT, int CqDimensions, cudaTextureReadMode CqMode> __device__ typename cq_texel<CqT, CqMode>::type tex3DGrad(texture<CqT, CqDimensions, CqMode> reference, float x, float y, float z, float4 dx, float4 dy);
template <class CqT> __device__ CqT tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0);
template <class CqT> __device__ CqT surf1Dread(cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf1Dread(CqT *result, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf1Dwrite(CqT value, cudaSurfaceObject_t object, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf1Dread(CqT *result, surface<void, CqDimensions> reference, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf1Dwrite(CqT value, surface<void, CqDimensions> reference, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ CqT surf2Dread(cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf2Dread(CqT *result, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf2Dwrite(CqT value, cudaSurfaceObject_t object, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf2Dread(CqT *result, surface<void, CqDimensions> reference, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf2Dwrite(CqT value, surface<void, CqDimensions> reference, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ CqT surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf3Dread(CqT *result, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf3Dwrite(CqT value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf3Dread(CqT *result, surface<void, CqDimensions> reference, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf3Dwrite(CqT value, surface<void, CqDimensions> reference, int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ CqT surf1DLayeredread(cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf1DLayeredread(CqT *result, cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf1DLayeredwrite(CqT value, cudaSurfaceObject_t object, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf1DLayeredread(CqT *result, surface<void, CqDimensions> reference, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf1DLayeredwrite(CqT value, surface<void, CqDimensions> reference, int x, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ CqT surf2DLayeredread(cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf2DLayeredread(CqT *result, cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surf2DLayeredwrite(CqT value, cudaSurfaceObject_t object, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf2DLayeredread(CqT *result, surface<void, CqDimensions> reference, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surf2DLayeredwrite(CqT value, surface<void, CqDimensions> reference, int x, int y, int layer, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ CqT surfCubemapread(cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surfCubemapread(CqT *result, cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT> __device__ void surfCubemapwrite(CqT value, cudaSurfaceObject_t object, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surfCubemapread(CqT *result, surface<void, CqDimensions> reference, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <class CqT, int CqDimensions> __device__ void surfCubemapwrite(CqT value, surface<void, CqDimensions> reference, int x, int y, int face, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
CQ_BEGIN_CXX
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaBindTexture(size_t *offset, const texture<CqT, CqD, CqM> &reference, const void *data, const cudaChannelFormatDesc &description, size_t size = 0xffffffffu);
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaBindTexture(size_t *offset, const texture<CqT, CqD, CqM> &reference, const void *data, size_t size = 0xffffffffu);
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaBindTexture2D(size_t *offset, const texture<CqT, CqD, CqM> &reference, const void *data, const cudaChannelFormatDesc &description, size_t width, size_t height, size_t pitch);
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaBindTexture2D(size_t *offset, const texture<CqT, CqD, CqM> &reference, const void *data, size_t width, size_t height, size_t pitch);
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaBindTextureToArray(const texture<CqT, CqD, CqM> &reference, cudaArray_const_t array);
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaBindTextureToArray(const texture<CqT, CqD, CqM> &reference, cudaArray_const_t array, const cudaChannelFormatDesc &description);
template <class CqT, int CqD, cudaTextureReadMode CqM> cudaError_t cudaUnbindTexture(const texture<CqT, CqD, CqM> &reference);
template <class CqT, int CqD> cudaError_t cudaBindSurfaceToArray(const surface<CqT, CqD> &reference, cudaArray_const_t array);
template <class CqT, int CqD> cudaError_t cudaBindSurfaceToArray(const surface<CqT, CqD> &reference, cudaArray_const_t array, const cudaChannelFormatDesc &description);
CQ_END_CXX
#endif
#endif
