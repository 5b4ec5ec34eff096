#ifndef CQ_CUDA_VECTOR_FUNCTIONS_H
#define CQ_CUDA_VECTOR_FUNCTIONS_H
#include <vector_types.h>
#if defined(__cplusplus)
#define CQ_VALUE(type) type
#define CQ_MAKE __host__ __device__ constexpr
#else
#define CQ_VALUE(type) (struct type)
#define CQ_MAKE static inline
#endif
CQ_MAKE struct char1 make_char1(signed char x) { return CQ_VALUE(char1){x}; }
CQ_MAKE struct char2 make_char2(signed char x, signed char y) { return CQ_VALUE(char2){x, y}; }
CQ_MAKE struct char3 make_char3(signed char x, signed char y, signed char z) { return CQ_VALUE(char3){x, y, z}; }
CQ_MAKE struct char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return CQ_VALUE(char4){x, y, z, w}; }
CQ_MAKE struct uchar1 make_uchar1(unsigned char x) { return CQ_VALUE(uchar1){x}; }
CQ_MAKE struct uchar2 make_uchar2(unsigned char x, unsigned char y) { return CQ_VALUE(uchar2){x, y}; }
CQ_MAKE struct uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return CQ_VALUE(uchar3){x, y, z}; }
CQ_MAKE struct uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return CQ_VALUE(uchar4){x, y, z, w}; }
CQ_MAKE struct short1 make_short1(short x) { return CQ_VALUE(short1){x}; }
CQ_MAKE struct short2 make_short2(short x, short y) { return CQ_VALUE(short2){x, y}; }
CQ_MAKE struct short3 make_short3(short x, short y, short z) { return CQ_VALUE(short3){x, y, z}; }
CQ_MAKE struct short4 make_short4(short x, short y, short z, short w) { return CQ_VALUE(short4){x, y, z, w}; }
CQ_MAKE struct ushort1 make_ushort1(unsigned short x) { return CQ_VALUE(ushort1){x}; }
CQ_MAKE struct ushort2 make_ushort2(unsigned short x, unsigned short y) { return CQ_VALUE(ushort2){x, y}; }
CQ_MAKE struct ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { return CQ_VALUE(ushort3){x, y, z}; }
CQ_MAKE struct ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) { return CQ_VALUE(ushort4){x, y, z, w}; }
CQ_MAKE struct int1 make_int1(int x) { return CQ_VALUE(int1){x}; }
CQ_MAKE struct int2 make_int2(int x, int y) { return CQ_VALUE(int2){x, y}; }
CQ_MAKE struct int3 make_int3(int x, int y, int z) { return CQ_VALUE(int3){x, y, z}; }
CQ_MAKE struct int4 make_int4(int x, int y, int z, int w) { return CQ_VALUE(int4){x, y, z, w}; }
CQ_MAKE struct uint1 make_uint1(unsigned int x) { return CQ_VALUE(uint1){x}; }
CQ_MAKE struct uint2 make_uint2(unsigned int x, unsigned int y) { return CQ_VALUE(uint2){x, y}; }
CQ_MAKE struct uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return CQ_VALUE(uint3){x, y, z}; }
CQ_MAKE struct uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return CQ_VALUE(uint4){x, y, z, w}; }
CQ_MAKE struct long1 make_long1(long x) { return CQ_VALUE(long1){x}; }
CQ_MAKE struct long2 make_long2(long x, long y) { return CQ_VALUE(long2){x, y}; }
CQ_MAKE struct long3 make_long3(long x, long y, long z) { return CQ_VALUE(long3){x, y, z}; }
CQ_MAKE struct long4 make_long4(long x, long y, long z, long w) { return CQ_VALUE(long4){x, y, z, w}; }
CQ_MAKE struct ulong1 make_ulong1(unsigned long x) { return CQ_VALUE(ulong1){x}; }
CQ_MAKE struct ulong2 make_ulong2(unsigned long x, unsigned long y) { return CQ_VALUE(ulong2){x, y}; }
CQ_MAKE struct ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { return CQ_VALUE(ulong3){x, y, z}; }
CQ_MAKE struct ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) { return CQ_VALUE(ulong4){x, y, z, w}; }
CQ_MAKE struct longlong1 make_longlong1(long long x) { return CQ_VALUE(longlong1){x}; }
CQ_MAKE struct longlong2 make_longlong2(long long x, long long y) { return CQ_VALUE(longlong2){x, y}; }
CQ_MAKE struct longlong3 make_longlong3(long long x, long long y, long long z) { return CQ_VALUE(longlong3){x, y, z}; }
CQ_MAKE struct longlong4 make_longlong4(long long x, long long y, long long z, long long w) { return CQ_VALUE(longlong4){x, y, z, w}; }
CQ_MAKE struct ulonglong1 make_ulonglong1(unsigned long long x) { return CQ_VALUE(ulonglong1){x}; }
CQ_MAKE struct ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return CQ_VALUE(ulonglong2){x, y}; }
CQ_MAKE struct ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) { return CQ_VALUE(ulonglong3){x, y, z}; }
CQ_MAKE struct ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) { return CQ_VALUE(ulonglong4){x, y, z, w}; }
CQ_MAKE struct float1 make_float1(float x) { return CQ_VALUE(float1){x}; }
CQ_MAKE struct float2 make_float2(float x, float y) { return CQ_VALUE(float2){x, y}; }
CQ_MAKE struct float3 make_float3(float x, float y, float z) { return CQ_VALUE(float3){x, y, z}; }
CQ_MAKE struct float4 make_float4(float x, float y, float z, float w) { return CQ_VALUE(float4){x, y, z, w}; }
CQ_MAKE struct double1 make_double1(double x) { return CQ_VALUE(double1){x}; }
CQ_MAKE struct double2 make_double2(double x, double y) { return CQ_VALUE(double2){x, y}; }
CQ_MAKE struct double3 make_double3(double x, double y, double z) { return CQ_VALUE(double3){x, y, z}; }
CQ_MAKE struct double4 make_double4(double x, double y, double z, double w) { return CQ_VALUE(double4){x, y, z, w}; }
#undef CQ_MAKE
#undef CQ_VALUE
#endif
