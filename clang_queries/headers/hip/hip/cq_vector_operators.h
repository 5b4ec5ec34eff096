#ifndef CQ_HIP_VECTOR_OPERATORS_H
#define CQ_HIP_VECTOR_OPERATORS_H
// HIP gives its vector types arithmetic, CUDA does not.
#include <vector_functions.h>
#if defined(__cplusplus)
CQ_BEGIN_CXX
inline float2 operator+(float2 a, float2 b) { return float2{a.x + b.x, a.y + b.y}; }
inline float2 operator+(float2 a, float b) { return float2{a.x + b, a.y + b}; }
inline float2 operator+(float a, float2 b) { return float2{a + b.x, a + b.y}; }
inline float2 &operator+=(float2 &a, float2 b) { return a = a + b; }
inline float2 &operator+=(float2 &a, float b) { return a = a + b; }
inline float2 operator-(float2 a, float2 b) { return float2{a.x - b.x, a.y - b.y}; }
inline float2 operator-(float2 a, float b) { return float2{a.x - b, a.y - b}; }
inline float2 &operator-=(float2 &a, float2 b) { return a = a - b; }
inline float2 &operator-=(float2 &a, float b) { return a = a - b; }
inline float2 operator*(float2 a, float2 b) { return float2{a.x * b.x, a.y * b.y}; }
inline float2 operator*(float2 a, float b) { return float2{a.x * b, a.y * b}; }
inline float2 operator*(float a, float2 b) { return float2{a * b.x, a * b.y}; }
inline float2 &operator*=(float2 &a, float2 b) { return a = a * b; }
inline float2 &operator*=(float2 &a, float b) { return a = a * b; }
inline float2 operator/(float2 a, float2 b) { return float2{a.x / b.x, a.y / b.y}; }
inline float2 operator/(float2 a, float b) { return float2{a.x / b, a.y / b}; }
inline float2 &operator/=(float2 &a, float2 b) { return a = a / b; }
inline float2 &operator/=(float2 &a, float b) { return a = a / b; }
inline float2 operator-(float2 a) { return float2{-a.x, -a.y}; }
inline float3 operator+(float3 a, float3 b) { return float3{a.x + b.x, a.y + b.y, a.z + b.z}; }
inline float3 operator+(float3 a, float b) { return float3{a.x + b, a.y + b, a.z + b}; }
inline float3 operator+(float a, float3 b) { return float3{a + b.x, a + b.y, a + b.z}; }
inline float3 &operator+=(float3 &a, float3 b) { return a = a + b; }
inline float3 &operator+=(float3 &a, float b) { return a = a + b; }
inline float3 operator-(float3 a, float3 b) { return float3{a.x - b.x, a.y - b.y, a.z - b.z}; }
inline float3 operator-(float3 a, float b) { return float3{a.x - b, a.y - b, a.z - b}; }
inline float3 &operator-=(float3 &a, float3 b) { return a = a - b; }
inline float3 &operator-=(float3 &a, float b) { return a = a - b; }
inline float3 operator*(float3 a, float3 b) { return float3{a.x * b.x, a.y * b.y, a.z * b.z}; }
inline float3 operator*(float3 a, float b) { return float3{a.x * b, a.y * b, a.z * b}; }
inline float3 operator*(float a, float3 b) { return float3{a * b.x, a * b.y, a * b.z}; }
inline float3 &operator*=(float3 &a, float3 b) { return a = a * b; }
inline float3 &operator*=(float3 &a, float b) { return a = a * b; }
inline float3 operator/(float3 a, float3 b) { return float3{a.x / b.x, a.y / b.y, a.z / b.z}; }
inline float3 operator/(float3 a, float b) { return float3{a.x / b, a.y / b, a.z / b}; }
inline float3 &operator/=(float3 &a, float3 b) { return a = a / b; }
inline float3 &operator/=(float3 &a, float b) { return a = a / b; }
inline float3 operator-(float3 a) { return float3{-a.x, -a.y, -a.z}; }
inline float4 operator+(float4 a, float4 b) { return float4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline float4 operator+(float4 a, float b) { return float4{a.x + b, a.y + b, a.z + b, a.w + b}; }
inline float4 operator+(float a, float4 b) { return float4{a + b.x, a + b.y, a + b.z, a + b.w}; }
inline float4 &operator+=(float4 &a, float4 b) { return a = a + b; }
inline float4 &operator+=(float4 &a, float b) { return a = a + b; }
inline float4 operator-(float4 a, float4 b) { return float4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline float4 operator-(float4 a, float b) { return float4{a.x - b, a.y - b, a.z - b, a.w - b}; }
inline float4 &operator-=(float4 &a, float4 b) { return a = a - b; }
inline float4 &operator-=(float4 &a, float b) { return a = a - b; }
inline float4 operator*(float4 a, float4 b) { return float4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline float4 operator*(float4 a, float b) { return float4{a.x * b, a.y * b, a.z * b, a.w * b}; }
inline float4 operator*(float a, float4 b) { return float4{a * b.x, a * b.y, a * b.z, a * b.w}; }
inline float4 &operator*=(float4 &a, float4 b) { return a = a * b; }
inline float4 &operator*=(float4 &a, float b) { return a = a * b; }
inline float4 operator/(float4 a, float4 b) { return float4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline float4 operator/(float4 a, float b) { return float4{a.x / b, a.y / b, a.z / b, a.w / b}; }
inline float4 &operator/=(float4 &a, float4 b) { return a = a / b; }
inline float4 &operator/=(float4 &a, float b) { return a = a / b; }
inline float4 operator-(float4 a) { return float4{-a.x, -a.y, -a.z, -a.w}; }
inline double2 operator+(double2 a, double2 b) { return double2{a.x + b.x, a.y + b.y}; }
inline double2 operator+(double2 a, double b) { return double2{a.x + b, a.y + b}; }
inline double2 operator+(double a, double2 b) { return double2{a + b.x, a + b.y}; }
inline double2 &operator+=(double2 &a, double2 b) { return a = a + b; }
inline double2 &operator+=(double2 &a, double b) { return a = a + b; }
inline double2 operator-(double2 a, double2 b) { return double2{a.x - b.x, a.y - b.y}; }
inline double2 operator-(double2 a, double b) { return double2{a.x - b, a.y - b}; }
inline double2 &operator-=(double2 &a, double2 b) { return a = a - b; }
inline double2 &operator-=(double2 &a, double b) { return a = a - b; }
inline double2 operator*(double2 a, double2 b) { return double2{a.x * b.x, a.y * b.y}; }
inline double2 operator*(double2 a, double b) { return double2{a.x * b, a.y * b}; }
inline double2 operator*(double a, double2 b) { return double2{a * b.x, a * b.y}; }
inline double2 &operator*=(double2 &a, double2 b) { return a = a * b; }
inline double2 &operator*=(double2 &a, double b) { return a = a * b; }
inline double2 operator/(double2 a, double2 b) { return double2{a.x / b.x, a.y / b.y}; }
inline double2 operator/(double2 a, double b) { return double2{a.x / b, a.y / b}; }
inline double2 &operator/=(double2 &a, double2 b) { return a = a / b; }
inline double2 &operator/=(double2 &a, double b) { return a = a / b; }
inline double2 operator-(double2 a) { return double2{-a.x, -a.y}; }
inline double3 operator+(double3 a, double3 b) { return double3{a.x + b.x, a.y + b.y, a.z + b.z}; }
inline double3 operator+(double3 a, double b) { return double3{a.x + b, a.y + b, a.z + b}; }
inline double3 operator+(double a, double3 b) { return double3{a + b.x, a + b.y, a + b.z}; }
inline double3 &operator+=(double3 &a, double3 b) { return a = a + b; }
inline double3 &operator+=(double3 &a, double b) { return a = a + b; }
inline double3 operator-(double3 a, double3 b) { return double3{a.x - b.x, a.y - b.y, a.z - b.z}; }
inline double3 operator-(double3 a, double b) { return double3{a.x - b, a.y - b, a.z - b}; }
inline double3 &operator-=(double3 &a, double3 b) { return a = a - b; }
inline double3 &operator-=(double3 &a, double b) { return a = a - b; }
inline double3 operator*(double3 a, double3 b) { return double3{a.x * b.x, a.y * b.y, a.z * b.z}; }
inline double3 operator*(double3 a, double b) { return double3{a.x * b, a.y * b, a.z * b}; }
inline double3 operator*(double a, double3 b) { return double3{a * b.x, a * b.y, a * b.z}; }
inline double3 &operator*=(double3 &a, double3 b) { return a = a * b; }
inline double3 &operator*=(double3 &a, double b) { return a = a * b; }
inline double3 operator/(double3 a, double3 b) { return double3{a.x / b.x, a.y / b.y, a.z / b.z}; }
inline double3 operator/(double3 a, double b) { return double3{a.x / b, a.y / b, a.z / b}; }
inline double3 &operator/=(double3 &a, double3 b) { return a = a / b; }
inline double3 &operator/=(double3 &a, double b) { return a = a / b; }
inline double3 operator-(double3 a) { return double3{-a.x, -a.y, -a.z}; }
inline double4 operator+(double4 a, double4 b) { return double4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline double4 operator+(double4 a, double b) { return double4{a.x + b, a.y + b, a.z + b, a.w + b}; }
inline double4 operator+(double a, double4 b) { return double4{a + b.x, a + b.y, a + b.z, a + b.w}; }
inline double4 &operator+=(double4 &a, double4 b) { return a = a + b; }
inline double4 &operator+=(double4 &a, double b) { return a = a + b; }
inline double4 operator-(double4 a, double4 b) { return double4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline double4 operator-(double4 a, double b) { return double4{a.x - b, a.y - b, a.z - b, a.w - b}; }
inline double4 &operator-=(double4 &a, double4 b) { return a = a - b; }
inline double4 &operator-=(double4 &a, double b) { return a = a - b; }
inline double4 operator*(double4 a, double4 b) { return double4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline double4 operator*(double4 a, double b) { return double4{a.x * b, a.y * b, a.z * b, a.w * b}; }
inline double4 operator*(double a, double4 b) { return double4{a * b.x, a * b.y, a * b.z, a * b.w}; }
inline double4 &operator*=(double4 &a, double4 b) { return a = a * b; }
inline double4 &operator*=(double4 &a, double b) { return a = a * b; }
inline double4 operator/(double4 a, double4 b) { return double4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline double4 operator/(double4 a, double b) { return double4{a.x / b, a.y / b, a.z / b, a.w / b}; }
inline double4 &operator/=(double4 &a, double4 b) { return a = a / b; }
inline double4 &operator/=(double4 &a, double b) { return a = a / b; }
inline double4 operator-(double4 a) { return double4{-a.x, -a.y, -a.z, -a.w}; }
inline int2 operator+(int2 a, int2 b) { return int2{a.x + b.x, a.y + b.y}; }
inline int2 operator+(int2 a, int b) { return int2{a.x + b, a.y + b}; }
inline int2 operator+(int a, int2 b) { return int2{a + b.x, a + b.y}; }
inline int2 &operator+=(int2 &a, int2 b) { return a = a + b; }
inline int2 &operator+=(int2 &a, int b) { return a = a + b; }
inline int2 operator-(int2 a, int2 b) { return int2{a.x - b.x, a.y - b.y}; }
inline int2 operator-(int2 a, int b) { return int2{a.x - b, a.y - b}; }
inline int2 &operator-=(int2 &a, int2 b) { return a = a - b; }
inline int2 &operator-=(int2 &a, int b) { return a = a - b; }
inline int2 operator*(int2 a, int2 b) { return int2{a.x * b.x, a.y * b.y}; }
inline int2 operator*(int2 a, int b) { return int2{a.x * b, a.y * b}; }
inline int2 operator*(int a, int2 b) { return int2{a * b.x, a * b.y}; }
inline int2 &operator*=(int2 &a, int2 b) { return a = a * b; }
inline int2 &operator*=(int2 &a, int b) { return a = a * b; }
inline int2 operator/(int2 a, int2 b) { return int2{a.x / b.x, a.y / b.y}; }
inline int2 operator/(int2 a, int b) { return int2{a.x / b, a.y / b}; }
inline int2 &operator/=(int2 &a, int2 b) { return a = a / b; }
inline int2 &operator/=(int2 &a, int b) { return a = a / b; }
inline int2 operator-(int2 a) { return int2{-a.x, -a.y}; }
inline int3 operator+(int3 a, int3 b) { return int3{a.x + b.x, a.y + b.y, a.z + b.z}; }
inline int3 operator+(int3 a, int b) { return int3{a.x + b, a.y + b, a.z + b}; }
inline int3 operator+(int a, int3 b) { return int3{a + b.x, a + b.y, a + b.z}; }
inline int3 &operator+=(int3 &a, int3 b) { return a = a + b; }
inline int3 &operator+=(int3 &a, int b) { return a = a + b; }
inline int3 operator-(int3 a, int3 b) { return int3{a.x - b.x, a.y - b.y, a.z - b.z}; }
inline int3 operator-(int3 a, int b) { return int3{a.x - b, a.y - b, a.z - b}; }
inline int3 &operator-=(int3 &a, int3 b) { return a = a - b; }
inline int3 &operator-=(int3 &a, int b) { return a = a - b; }
inline int3 operator*(int3 a, int3 b) { return int3{a.x * b.x, a.y * b.y, a.z * b.z}; }
inline int3 operator*(int3 a, int b) { return int3{a.x * b, a.y * b, a.z * b}; }
inline int3 operator*(int a, int3 b) { return int3{a * b.x, a * b.y, a * b.z}; }
inline int3 &operator*=(int3 &a, int3 b) { return a = a * b; }
inline int3 &operator*=(int3 &a, int b) { return a = a * b; }
inline int3 operator/(int3 a, int3 b) { return int3{a.x / b.x, a.y / b.y, a.z / b.z}; }
inline int3 operator/(int3 a, int b) { return int3{a.x / b, a.y / b, a.z / b}; }
inline int3 &operator/=(int3 &a, int3 b) { return a = a / b; }
inline int3 &operator/=(int3 &a, int b) { return a = a / b; }
inline int3 operator-(int3 a) { return int3{-a.x, -a.y, -a.z}; }
inline int4 operator+(int4 a, int4 b) { return int4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline int4 operator+(int4 a, int b) { return int4{a.x + b, a.y + b, a.z + b, a.w + b}; }
inline int4 operator+(int a, int4 b) { return int4{a + b.x, a + b.y, a + b.z, a + b.w}; }
inline int4 &operator+=(int4 &a, int4 b) { return a = a + b; }
inline int4 &operator+=(int4 &a, int b) { return a = a + b; }
inline int4 operator-(int4 a, int4 b) { return int4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline int4 operator-(int4 a, int b) { return int4{a.x - b, a.y - b, a.z - b, a.w - b}; }
inline int4 &operator-=(int4 &a, int4 b) { return a = a - b; }
inline int4 &operator-=(int4 &a, int b) { return a = a - b; }
inline int4 operator*(int4 a, int4 b) { return int4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline int4 operator*(int4 a, int b) { return int4{a.x * b, a.y * b, a.z * b, a.w * b}; }
inline int4 operator*(int a, int4 b) { return int4{a * b.x, a * b.y, a * b.z, a * b.w}; }
inline int4 &operator*=(int4 &a, int4 b) { return a = a * b; }
inline int4 &operator*=(int4 &a, int b) { return a = a * b; }
inline int4 operator/(int4 a, int4 b) { return int4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline int4 operator/(int4 a, int b) { return int4{a.x / b, a.y / b, a.z / b, a.w / b}; }
inline int4 &operator/=(int4 &a, int4 b) { return a = a / b; }
inline int4 &operator/=(int4 &a, int b) { return a = a / b; }
inline int4 operator-(int4 a) { return int4{-a.x, -a.y, -a.z, -a.w}; }
inline uint2 operator+(uint2 a, uint2 b) { return uint2{a.x + b.x, a.y + b.y}; }
inline uint2 operator+(uint2 a, unsigned int b) { return uint2{a.x + b, a.y + b}; }
inline uint2 operator+(unsigned int a, uint2 b) { return uint2{a + b.x, a + b.y}; }
inline uint2 &operator+=(uint2 &a, uint2 b) { return a = a + b; }
inline uint2 &operator+=(uint2 &a, unsigned int b) { return a = a + b; }
inline uint2 operator-(uint2 a, uint2 b) { return uint2{a.x - b.x, a.y - b.y}; }
inline uint2 operator-(uint2 a, unsigned int b) { return uint2{a.x - b, a.y - b}; }
inline uint2 &operator-=(uint2 &a, uint2 b) { return a = a - b; }
inline uint2 &operator-=(uint2 &a, unsigned int b) { return a = a - b; }
inline uint2 operator*(uint2 a, uint2 b) { return uint2{a.x * b.x, a.y * b.y}; }
inline uint2 operator*(uint2 a, unsigned int b) { return uint2{a.x * b, a.y * b}; }
inline uint2 operator*(unsigned int a, uint2 b) { return uint2{a * b.x, a * b.y}; }
inline uint2 &operator*=(uint2 &a, uint2 b) { return a = a * b; }
inline uint2 &operator*=(uint2 &a, unsigned int b) { return a = a * b; }
inline uint2 operator/(uint2 a, uint2 b) { return uint2{a.x / b.x, a.y / b.y}; }
inline uint2 operator/(uint2 a, unsigned int b) { return uint2{a.x / b, a.y / b}; }
inline uint2 &operator/=(uint2 &a, uint2 b) { return a = a / b; }
inline uint2 &operator/=(uint2 &a, unsigned int b) { return a = a / b; }
inline uint3 operator+(uint3 a, uint3 b) { return uint3{a.x + b.x, a.y + b.y, a.z + b.z}; }
inline uint3 operator+(uint3 a, unsigned int b) { return uint3{a.x + b, a.y + b, a.z + b}; }
inline uint3 operator+(unsigned int a, uint3 b) { return uint3{a + b.x, a + b.y, a + b.z}; }
inline uint3 &operator+=(uint3 &a, uint3 b) { return a = a + b; }
inline uint3 &operator+=(uint3 &a, unsigned int b) { return a = a + b; }
inline uint3 operator-(uint3 a, uint3 b) { return uint3{a.x - b.x, a.y - b.y, a.z - b.z}; }
inline uint3 operator-(uint3 a, unsigned int b) { return uint3{a.x - b, a.y - b, a.z - b}; }
inline uint3 &operator-=(uint3 &a, uint3 b) { return a = a - b; }
inline uint3 &operator-=(uint3 &a, unsigned int b) { return a = a - b; }
inline uint3 operator*(uint3 a, uint3 b) { return uint3{a.x * b.x, a.y * b.y, a.z * b.z}; }
inline uint3 operator*(uint3 a, unsigned int b) { return uint3{a.x * b, a.y * b, a.z * b}; }
inline uint3 operator*(unsigned int a, uint3 b) { return uint3{a * b.x, a * b.y, a * b.z}; }
inline uint3 &operator*=(uint3 &a, uint3 b) { return a = a * b; }
inline uint3 &operator*=(uint3 &a, unsigned int b) { return a = a * b; }
inline uint3 operator/(uint3 a, uint3 b) { return uint3{a.x / b.x, a.y / b.y, a.z / b.z}; }
inline uint3 operator/(uint3 a, unsigned int b) { return uint3{a.x / b, a.y / b, a.z / b}; }
inline uint3 &operator/=(uint3 &a, uint3 b) { return a = a / b; }
inline uint3 &operator/=(uint3 &a, unsigned int b) { return a = a / b; }
inline uint4 operator+(uint4 a, uint4 b) { return uint4{a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
inline uint4 operator+(uint4 a, unsigned int b) { return uint4{a.x + b, a.y + b, a.z + b, a.w + b}; }
inline uint4 operator+(unsigned int a, uint4 b) { return uint4{a + b.x, a + b.y, a + b.z, a + b.w}; }
inline uint4 &operator+=(uint4 &a, uint4 b) { return a = a + b; }
inline uint4 &operator+=(uint4 &a, unsigned int b) { return a = a + b; }
inline uint4 operator-(uint4 a, uint4 b) { return uint4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
inline uint4 operator-(uint4 a, unsigned int b) { return uint4{a.x - b, a.y - b, a.z - b, a.w - b}; }
inline uint4 &operator-=(uint4 &a, uint4 b) { return a = a - b; }
inline uint4 &operator-=(uint4 &a, unsigned int b) { return a = a - b; }
inline uint4 operator*(uint4 a, uint4 b) { return uint4{a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
inline uint4 operator*(uint4 a, unsigned int b) { return uint4{a.x * b, a.y * b, a.z * b, a.w * b}; }
inline uint4 operator*(unsigned int a, uint4 b) { return uint4{a * b.x, a * b.y, a * b.z, a * b.w}; }
inline uint4 &operator*=(uint4 &a, uint4 b) { return a = a * b; }
inline uint4 &operator*=(uint4 &a, unsigned int b) { return a = a * b; }
inline uint4 operator/(uint4 a, uint4 b) { return uint4{a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w}; }
inline uint4 operator/(uint4 a, unsigned int b) { return uint4{a.x / b, a.y / b, a.z / b, a.w / b}; }
inline uint4 &operator/=(uint4 &a, uint4 b) { return a = a / b; }
inline uint4 &operator/=(uint4 &a, unsigned int b) { return a = a / b; }
CQ_END_CXX
#endif
#endif
