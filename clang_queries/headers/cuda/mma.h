#ifndef CQ_CUDA_MMA_H
#define CQ_CUDA_MMA_H
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#if defined(__CUDA__)
namespace nvcuda { namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
struct u4 {};
struct s4 {};
struct b1 {};
}
namespace experimental { namespace precision { using wmma::precision::u4; using wmma::precision::s4; using wmma::precision::b1; } enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 }; enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 }; }
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct cq_storage { typedef T type; };
template <> struct cq_storage<precision::tf32> { typedef float type; };
template <> struct cq_storage<precision::u4> { typedef unsigned int type; };
template <> struct cq_storage<precision::s4> { typedef int type; };
template <> struct cq_storage<precision::b1> { typedef unsigned int type; };
// Elements that one thread of the warp holds. Operands of 16-bit types are held twice.
template <class Use, int M, int N, int K, class T> struct cq_elements { static constexpr int value = (__is_same(Use, matrix_a) ? M * K : __is_same(Use, matrix_b) ? K * N : M * N) * (!__is_same(Use, accumulator) && sizeof(T) == 2 ? 2 : 1) / 32; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  typedef typename cq_storage<T>::type element_type;
  typedef element_type storage_element_type;
  static constexpr int num_elements = cq_elements<Use, M, N, K, element_type>::value;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};
template <class U, int M, int N, int K, class T, class L, class S> __device__ void load_matrix_sync(fragment<U, M, N, K, T, L> &to, const S *from, unsigned int stride);
template <class U, int M, int N, int K, class T, class L, class S> __device__ void load_matrix_sync(fragment<U, M, N, K, T, L> &to, const S *from, unsigned int stride, layout_t layout);
template <int M, int N, int K, class T, class S> __device__ void store_matrix_sync(S *to, const fragment<accumulator, M, N, K, T> &from, unsigned int stride, layout_t layout);
template <class U, int M, int N, int K, class T, class L, class V> __device__ void fill_fragment(fragment<U, M, N, K, T, L> &to, const V &value);
template <int M, int N, int K, class D, class A, class LA, class B, class LB, class C> __device__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, A, LA> &a, const fragment<matrix_b, M, N, K, B, LB> &b, const fragment<accumulator, M, N, K, C> &c, bool saturate = false);
template <int M, int N, int K, class D, class A, class LA, class B, class LB, class C> __device__ void bmma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, A, LA> &a, const fragment<matrix_b, M, N, K, B, LB> &b, const fragment<accumulator, M, N, K, C> &c, experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR, experimental::bmmaAccumulateOp accumulate = experimental::bmmaAccumulateOpPOPC);
__device__ float __float_to_tf32(float x);
} }
__device__ float __float_to_tf32(float x);
#endif
#endif
