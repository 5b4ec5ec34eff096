#ifndef CQ_HELPER_MATH_H
#define CQ_HELPER_MATH_H
// Vector arithmetic as the vendor's samples define it, for programs that do not bring their own.
#include <cuda_runtime.h>
#if defined(__cplusplus)
CQ_BEGIN_CXX
typedef unsigned int uint;
typedef unsigned short ushort;
inline float2 make_float2(float s) { return make_float2(s, s); }
inline float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
inline float2 make_float2(uint2 a) { return make_float2((float)a.x, (float)a.y); }
inline float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
inline float2 operator-(const float2 &a) { return make_float2(-a.x, -a.y); }
inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
inline float2 operator+(float2 a, float b) { return make_float2(a.x + b, a.y + b); }
inline float2 operator+(float a, float2 b) { return make_float2(a + b.x, a + b.y); }
inline void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }
inline void operator+=(float2 &a, float b) { a.x += b; a.y += b; }
inline float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
inline float2 operator-(float2 a, float b) { return make_float2(a.x - b, a.y - b); }
inline void operator-=(float2 &a, float2 b) { a.x -= b.x; a.y -= b.y; }
inline void operator-=(float2 &a, float b) { a.x -= b; a.y -= b; }
inline float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
inline float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }
inline float2 operator*(float a, float2 b) { return make_float2(a * b.x, a * b.y); }
inline void operator*=(float2 &a, float2 b) { a.x *= b.x; a.y *= b.y; }
inline void operator*=(float2 &a, float b) { a.x *= b; a.y *= b; }
inline float2 operator/(float2 a, float2 b) { return make_float2(a.x / b.x, a.y / b.y); }
inline float2 operator/(float2 a, float b) { return make_float2(a.x / b, a.y / b); }
inline float2 operator/(float a, float2 b) { return make_float2(a / b.x, a / b.y); }
inline void operator/=(float2 &a, float2 b) { a.x /= b.x; a.y /= b.y; }
inline void operator/=(float2 &a, float b) { a.x /= b; a.y /= b; }
inline float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
inline float3 make_float3(float s) { return make_float3(s, s, s); }
inline float3 make_float3(int3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
inline float3 make_float3(uint3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
inline float3 make_float3(float2 a, float z) { return make_float3(a.x, a.y, z); }
inline float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
inline float3 operator-(const float3 &a) { return make_float3(-a.x, -a.y, -a.z); }
inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline float3 operator+(float3 a, float b) { return make_float3(a.x + b, a.y + b, a.z + b); }
inline float3 operator+(float a, float3 b) { return make_float3(a + b.x, a + b.y, a + b.z); }
inline void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline void operator+=(float3 &a, float b) { a.x += b; a.y += b; a.z += b; }
inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline float3 operator-(float3 a, float b) { return make_float3(a.x - b, a.y - b, a.z - b); }
inline void operator-=(float3 &a, float3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
inline void operator-=(float3 &a, float b) { a.x -= b; a.y -= b; a.z -= b; }
inline float3 operator*(float3 a, float3 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
inline float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
inline float3 operator*(float a, float3 b) { return make_float3(a * b.x, a * b.y, a * b.z); }
inline void operator*=(float3 &a, float3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
inline void operator*=(float3 &a, float b) { a.x *= b; a.y *= b; a.z *= b; }
inline float3 operator/(float3 a, float3 b) { return make_float3(a.x / b.x, a.y / b.y, a.z / b.z); }
inline float3 operator/(float3 a, float b) { return make_float3(a.x / b, a.y / b, a.z / b); }
inline float3 operator/(float a, float3 b) { return make_float3(a / b.x, a / b.y, a / b.z); }
inline void operator/=(float3 &a, float3 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; }
inline void operator/=(float3 &a, float b) { a.x /= b; a.y /= b; a.z /= b; }
inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float4 make_float4(float s) { return make_float4(s, s, s, s); }
inline float4 make_float4(int4 a) { return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w); }
inline float4 make_float4(uint4 a) { return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w); }
inline float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
inline float4 operator-(const float4 &a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
inline float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline float4 operator+(float4 a, float b) { return make_float4(a.x + b, a.y + b, a.z + b, a.w + b); }
inline float4 operator+(float a, float4 b) { return make_float4(a + b.x, a + b.y, a + b.z, a + b.w); }
inline void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline void operator+=(float4 &a, float b) { a.x += b; a.y += b; a.z += b; a.w += b; }
inline float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
inline float4 operator-(float4 a, float b) { return make_float4(a.x - b, a.y - b, a.z - b, a.w - b); }
inline void operator-=(float4 &a, float4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
inline void operator-=(float4 &a, float b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
inline float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
inline float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
inline float4 operator*(float a, float4 b) { return make_float4(a * b.x, a * b.y, a * b.z, a * b.w); }
inline void operator*=(float4 &a, float4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
inline void operator*=(float4 &a, float b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
inline float4 operator/(float4 a, float4 b) { return make_float4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
inline float4 operator/(float4 a, float b) { return make_float4(a.x / b, a.y / b, a.z / b, a.w / b); }
inline float4 operator/(float a, float4 b) { return make_float4(a / b.x, a / b.y, a / b.z, a / b.w); }
inline void operator/=(float4 &a, float4 b) { a.x /= b.x; a.y /= b.y; a.z /= b.z; a.w /= b.w; }
inline void operator/=(float4 &a, float b) { a.x /= b; a.y /= b; a.z /= b; a.w /= b; }
inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline int2 make_int2(int s) { return make_int2(s, s); }
inline int2 make_int2(float2 a) { return make_int2((int)a.x, (int)a.y); }
inline int2 make_int2(uint2 a) { return make_int2((int)a.x, (int)a.y); }
inline int2 make_int2(int3 a) { return make_int2(a.x, a.y); }
inline int2 operator-(const int2 &a) { return make_int2(-a.x, -a.y); }
inline int2 operator+(int2 a, int2 b) { return make_int2(a.x + b.x, a.y + b.y); }
inline int2 operator+(int2 a, int b) { return make_int2(a.x + b, a.y + b); }
inline int2 operator+(int a, int2 b) { return make_int2(a + b.x, a + b.y); }
inline void operator+=(int2 &a, int2 b) { a.x += b.x; a.y += b.y; }
inline void operator+=(int2 &a, int b) { a.x += b; a.y += b; }
inline int2 operator-(int2 a, int2 b) { return make_int2(a.x - b.x, a.y - b.y); }
inline int2 operator-(int2 a, int b) { return make_int2(a.x - b, a.y - b); }
inline void operator-=(int2 &a, int2 b) { a.x -= b.x; a.y -= b.y; }
inline void operator-=(int2 &a, int b) { a.x -= b; a.y -= b; }
inline int2 operator*(int2 a, int2 b) { return make_int2(a.x * b.x, a.y * b.y); }
inline int2 operator*(int2 a, int b) { return make_int2(a.x * b, a.y * b); }
inline int2 operator*(int a, int2 b) { return make_int2(a * b.x, a * b.y); }
inline void operator*=(int2 &a, int2 b) { a.x *= b.x; a.y *= b.y; }
inline void operator*=(int2 &a, int b) { a.x *= b; a.y *= b; }
inline int dot(int2 a, int2 b) { return a.x * b.x + a.y * b.y; }
inline int2 min(int2 a, int2 b) { return make_int2(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y); }
inline int2 max(int2 a, int2 b) { return make_int2(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y); }
inline int3 make_int3(int s) { return make_int3(s, s, s); }
inline int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
inline int3 make_int3(uint3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
inline int3 make_int3(int2 a, int z) { return make_int3(a.x, a.y, z); }
inline int3 make_int3(int4 a) { return make_int3(a.x, a.y, a.z); }
inline int3 operator-(const int3 &a) { return make_int3(-a.x, -a.y, -a.z); }
inline int3 operator+(int3 a, int3 b) { return make_int3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline int3 operator+(int3 a, int b) { return make_int3(a.x + b, a.y + b, a.z + b); }
inline int3 operator+(int a, int3 b) { return make_int3(a + b.x, a + b.y, a + b.z); }
inline void operator+=(int3 &a, int3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline void operator+=(int3 &a, int b) { a.x += b; a.y += b; a.z += b; }
inline int3 operator-(int3 a, int3 b) { return make_int3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline int3 operator-(int3 a, int b) { return make_int3(a.x - b, a.y - b, a.z - b); }
inline void operator-=(int3 &a, int3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
inline void operator-=(int3 &a, int b) { a.x -= b; a.y -= b; a.z -= b; }
inline int3 operator*(int3 a, int3 b) { return make_int3(a.x * b.x, a.y * b.y, a.z * b.z); }
inline int3 operator*(int3 a, int b) { return make_int3(a.x * b, a.y * b, a.z * b); }
inline int3 operator*(int a, int3 b) { return make_int3(a * b.x, a * b.y, a * b.z); }
inline void operator*=(int3 &a, int3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
inline void operator*=(int3 &a, int b) { a.x *= b; a.y *= b; a.z *= b; }
inline int dot(int3 a, int3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline int3 min(int3 a, int3 b) { return make_int3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z); }
inline int3 max(int3 a, int3 b) { return make_int3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z); }
inline int4 make_int4(int s) { return make_int4(s, s, s, s); }
inline int4 make_int4(float4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
inline int4 make_int4(uint4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }
inline int4 make_int4(int3 a, int w) { return make_int4(a.x, a.y, a.z, w); }
inline int4 operator-(const int4 &a) { return make_int4(-a.x, -a.y, -a.z, -a.w); }
inline int4 operator+(int4 a, int4 b) { return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline int4 operator+(int4 a, int b) { return make_int4(a.x + b, a.y + b, a.z + b, a.w + b); }
inline int4 operator+(int a, int4 b) { return make_int4(a + b.x, a + b.y, a + b.z, a + b.w); }
inline void operator+=(int4 &a, int4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline void operator+=(int4 &a, int b) { a.x += b; a.y += b; a.z += b; a.w += b; }
inline int4 operator-(int4 a, int4 b) { return make_int4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
inline int4 operator-(int4 a, int b) { return make_int4(a.x - b, a.y - b, a.z - b, a.w - b); }
inline void operator-=(int4 &a, int4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
inline void operator-=(int4 &a, int b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
inline int4 operator*(int4 a, int4 b) { return make_int4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
inline int4 operator*(int4 a, int b) { return make_int4(a.x * b, a.y * b, a.z * b, a.w * b); }
inline int4 operator*(int a, int4 b) { return make_int4(a * b.x, a * b.y, a * b.z, a * b.w); }
inline void operator*=(int4 &a, int4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
inline void operator*=(int4 &a, int b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
inline int dot(int4 a, int4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline int4 min(int4 a, int4 b) { return make_int4(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z, a.w < b.w ? a.w : b.w); }
inline int4 max(int4 a, int4 b) { return make_int4(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z, a.w > b.w ? a.w : b.w); }
inline uint2 make_uint2(unsigned int s) { return make_uint2(s, s); }
inline uint2 make_uint2(float2 a) { return make_uint2((unsigned int)a.x, (unsigned int)a.y); }
inline uint2 make_uint2(int2 a) { return make_uint2((unsigned int)a.x, (unsigned int)a.y); }
inline uint2 make_uint2(uint3 a) { return make_uint2(a.x, a.y); }
inline uint2 operator+(uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y + b.y); }
inline uint2 operator+(uint2 a, unsigned int b) { return make_uint2(a.x + b, a.y + b); }
inline uint2 operator+(unsigned int a, uint2 b) { return make_uint2(a + b.x, a + b.y); }
inline void operator+=(uint2 &a, uint2 b) { a.x += b.x; a.y += b.y; }
inline void operator+=(uint2 &a, unsigned int b) { a.x += b; a.y += b; }
inline uint2 operator-(uint2 a, uint2 b) { return make_uint2(a.x - b.x, a.y - b.y); }
inline uint2 operator-(uint2 a, unsigned int b) { return make_uint2(a.x - b, a.y - b); }
inline void operator-=(uint2 &a, uint2 b) { a.x -= b.x; a.y -= b.y; }
inline void operator-=(uint2 &a, unsigned int b) { a.x -= b; a.y -= b; }
inline uint2 operator*(uint2 a, uint2 b) { return make_uint2(a.x * b.x, a.y * b.y); }
inline uint2 operator*(uint2 a, unsigned int b) { return make_uint2(a.x * b, a.y * b); }
inline uint2 operator*(unsigned int a, uint2 b) { return make_uint2(a * b.x, a * b.y); }
inline void operator*=(uint2 &a, uint2 b) { a.x *= b.x; a.y *= b.y; }
inline void operator*=(uint2 &a, unsigned int b) { a.x *= b; a.y *= b; }
inline unsigned int dot(uint2 a, uint2 b) { return a.x * b.x + a.y * b.y; }
inline uint2 min(uint2 a, uint2 b) { return make_uint2(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y); }
inline uint2 max(uint2 a, uint2 b) { return make_uint2(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y); }
inline uint3 make_uint3(unsigned int s) { return make_uint3(s, s, s); }
inline uint3 make_uint3(float3 a) { return make_uint3((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z); }
inline uint3 make_uint3(int3 a) { return make_uint3((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z); }
inline uint3 make_uint3(uint2 a, unsigned int z) { return make_uint3(a.x, a.y, z); }
inline uint3 make_uint3(uint4 a) { return make_uint3(a.x, a.y, a.z); }
inline uint3 operator+(uint3 a, uint3 b) { return make_uint3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline uint3 operator+(uint3 a, unsigned int b) { return make_uint3(a.x + b, a.y + b, a.z + b); }
inline uint3 operator+(unsigned int a, uint3 b) { return make_uint3(a + b.x, a + b.y, a + b.z); }
inline void operator+=(uint3 &a, uint3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
inline void operator+=(uint3 &a, unsigned int b) { a.x += b; a.y += b; a.z += b; }
inline uint3 operator-(uint3 a, uint3 b) { return make_uint3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline uint3 operator-(uint3 a, unsigned int b) { return make_uint3(a.x - b, a.y - b, a.z - b); }
inline void operator-=(uint3 &a, uint3 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; }
inline void operator-=(uint3 &a, unsigned int b) { a.x -= b; a.y -= b; a.z -= b; }
inline uint3 operator*(uint3 a, uint3 b) { return make_uint3(a.x * b.x, a.y * b.y, a.z * b.z); }
inline uint3 operator*(uint3 a, unsigned int b) { return make_uint3(a.x * b, a.y * b, a.z * b); }
inline uint3 operator*(unsigned int a, uint3 b) { return make_uint3(a * b.x, a * b.y, a * b.z); }
inline void operator*=(uint3 &a, uint3 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; }
inline void operator*=(uint3 &a, unsigned int b) { a.x *= b; a.y *= b; a.z *= b; }
inline unsigned int dot(uint3 a, uint3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline uint3 min(uint3 a, uint3 b) { return make_uint3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z); }
inline uint3 max(uint3 a, uint3 b) { return make_uint3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z); }
inline uint4 make_uint4(unsigned int s) { return make_uint4(s, s, s, s); }
inline uint4 make_uint4(float4 a) { return make_uint4((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z, (unsigned int)a.w); }
inline uint4 make_uint4(int4 a) { return make_uint4((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z, (unsigned int)a.w); }
inline uint4 make_uint4(uint3 a, unsigned int w) { return make_uint4(a.x, a.y, a.z, w); }
inline uint4 operator+(uint4 a, uint4 b) { return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline uint4 operator+(uint4 a, unsigned int b) { return make_uint4(a.x + b, a.y + b, a.z + b, a.w + b); }
inline uint4 operator+(unsigned int a, uint4 b) { return make_uint4(a + b.x, a + b.y, a + b.z, a + b.w); }
inline void operator+=(uint4 &a, uint4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline void operator+=(uint4 &a, unsigned int b) { a.x += b; a.y += b; a.z += b; a.w += b; }
inline uint4 operator-(uint4 a, uint4 b) { return make_uint4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
inline uint4 operator-(uint4 a, unsigned int b) { return make_uint4(a.x - b, a.y - b, a.z - b, a.w - b); }
inline void operator-=(uint4 &a, uint4 b) { a.x -= b.x; a.y -= b.y; a.z -= b.z; a.w -= b.w; }
inline void operator-=(uint4 &a, unsigned int b) { a.x -= b; a.y -= b; a.z -= b; a.w -= b; }
inline uint4 operator*(uint4 a, uint4 b) { return make_uint4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
inline uint4 operator*(uint4 a, unsigned int b) { return make_uint4(a.x * b, a.y * b, a.z * b, a.w * b); }
inline uint4 operator*(unsigned int a, uint4 b) { return make_uint4(a * b.x, a * b.y, a * b.z, a * b.w); }
inline void operator*=(uint4 &a, uint4 b) { a.x *= b.x; a.y *= b.y; a.z *= b.z; a.w *= b.w; }
inline void operator*=(uint4 &a, unsigned int b) { a.x *= b; a.y *= b; a.z *= b; a.w *= b; }
inline unsigned int dot(uint4 a, uint4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline uint4 min(uint4 a, uint4 b) { return make_uint4(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z, a.w < b.w ? a.w : b.w); }
inline uint4 max(uint4 a, uint4 b) { return make_uint4(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z, a.w > b.w ? a.w : b.w); }
inline float length(float2 v) { return sqrtf(dot(v, v)); }
inline float2 normalize(float2 v) { return v * rsqrtf(dot(v, v)); }
inline float2 lerp(float2 a, float2 b, float t) { return a + t * (b - a); }
inline float2 fminf(float2 a, float2 b) { return make_float2(fminf(a.x, b.x), fminf(a.y, b.y)); }
inline float2 fmaxf(float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
inline float2 fmodf(float2 a, float2 b) { return make_float2(fmodf(a.x, b.x), fmodf(a.y, b.y)); }
inline float2 floorf(float2 v) { return make_float2(floorf(v.x), floorf(v.y)); }
inline float2 fabs(float2 v) { return make_float2(fabsf(v.x), fabsf(v.y)); }
inline float2 fracf(float2 v) { return make_float2(v.x - floorf(v.x), v.y - floorf(v.y)); }
inline float length(float3 v) { return sqrtf(dot(v, v)); }
inline float3 normalize(float3 v) { return v * rsqrtf(dot(v, v)); }
inline float3 lerp(float3 a, float3 b, float t) { return a + t * (b - a); }
inline float3 fminf(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
inline float3 fmaxf(float3 a, float3 b) { return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
inline float3 fmodf(float3 a, float3 b) { return make_float3(fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z)); }
inline float3 floorf(float3 v) { return make_float3(floorf(v.x), floorf(v.y), floorf(v.z)); }
inline float3 fabs(float3 v) { return make_float3(fabsf(v.x), fabsf(v.y), fabsf(v.z)); }
inline float3 fracf(float3 v) { return make_float3(v.x - floorf(v.x), v.y - floorf(v.y), v.z - floorf(v.z)); }
inline float length(float4 v) { return sqrtf(dot(v, v)); }
inline float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
inline float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
inline float4 fminf(float4 a, float4 b) { return make_float4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w)); }
inline float4 fmaxf(float4 a, float4 b) { return make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)); }
inline float4 fmodf(float4 a, float4 b) { return make_float4(fmodf(a.x, b.x), fmodf(a.y, b.y), fmodf(a.z, b.z), fmodf(a.w, b.w)); }
inline float4 floorf(float4 v) { return make_float4(floorf(v.x), floorf(v.y), floorf(v.z), floorf(v.w)); }
inline float4 fabs(float4 v) { return make_float4(fabsf(v.x), fabsf(v.y), fabsf(v.z), fabsf(v.w)); }
inline float4 fracf(float4 v) { return make_float4(v.x - floorf(v.x), v.y - floorf(v.y), v.z - floorf(v.z), v.w - floorf(v.w)); }
inline float lerp(float a, float b, float t) { return a + t * (b - a); }
inline float fracf(float v) { return v - floorf(v); }
inline float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
inline int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
inline unsigned int clamp(unsigned int f, unsigned int a, unsigned int b) { return f < a ? a : f > b ? b : f; }
inline float2 clamp(float2 v, float a, float b) { return make_float2(clamp(v.x, a, b), clamp(v.y, a, b)); }
inline float2 clamp(float2 v, float2 a, float2 b) { return make_float2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); }
inline float3 clamp(float3 v, float a, float b) { return make_float3(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b)); }
inline float3 clamp(float3 v, float3 a, float3 b) { return make_float3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z)); }
inline float4 clamp(float4 v, float a, float b) { return make_float4(clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b)); }
inline float4 clamp(float4 v, float4 a, float4 b) { return make_float4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w)); }
inline float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
inline float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
inline float smoothstep(float a, float b, float x) { float y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
CQ_END_CXX
#endif
#endif
