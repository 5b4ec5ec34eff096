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
template <class CqT> struct cq_storage { typedef CqT type; };
template <> struct cq_storage<precision::tf32> { typedef float type; };
template <> struct cq_storage<precision::u4> { typedef unsigned int type; };
template <> struct cq_storage<precision::s4> { typedef int type; };
template <> struct cq_storage<precision::b1> { typedef unsigned int type; };
// Elements that one thread of the warp holds. Operands of 16-bit types are held twice.
template <class CqUse, int CqM, int CqN, int CqK, class CqT> struct cq_elements { static constexpr int value = (__is_same(CqUse, matrix_a) ? CqM * CqK : __is_same(CqUse, matrix_b) ? CqK * CqN : CqM * CqN) * (!__is_same(CqUse, accumulator) && sizeof(CqT) == 2 ? 2 : 1) / 32; };
template <class CqUse, int CqM, int CqN, int CqK, class CqT, class CqLayout = void> struct fragment {
  typedef typename cq_storage<CqT>::type element_type;
  typedef element_type storage_element_type;
  static constexpr int num_elements = cq_elements<CqUse, CqM, CqN, CqK, element_type>::value;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};
template <class CqU, int CqM, int CqN, int CqK, class CqT, class CqL, class CqS> __device__ void load_matrix_sync(fragment<CqU, CqM, CqN, CqK, CqT, CqL> &to, const CqS *from, unsigned int stride);
template <class CqU, int CqM, int CqN, int CqK, class CqT, class CqL, class CqS> __device__ void load_matrix_sync(fragment<CqU, CqM, CqN, CqK, CqT, CqL> &to, const CqS *from, unsigned int stride, layout_t layout);
template <int CqM, int CqN, int CqK, class CqT, class CqS> __device__ void store_matrix_sync(CqS *to, const fragment<accumulator, CqM, CqN, CqK, CqT> &from, unsigned int stride, layout_t layout);
template <class CqU, int CqM, int CqN, int CqK, class CqT, class CqL, class CqV> __device__ void fill_fragment(fragment<CqU, CqM, CqN, CqK, CqT, CqL> &to, const CqV &value);
template <int CqM, int CqN, int CqK, class CqD, class CqA, class CqLA, class CqB, class CqLB, class CqC> __device__ void mma_sync(fragment<accumulator, CqM, CqN, CqK, CqD> &d, const fragment<matrix_a, CqM, CqN, CqK, CqA, CqLA> &a, const fragment<matrix_b, CqM, CqN, CqK, CqB, CqLB> &b, const fragment<accumulator, CqM, CqN, CqK, CqC> &c, bool saturate = false);
template <int CqM, int CqN, int CqK, class CqD, class CqA, class CqLA, class CqB, class CqLB, class CqC> __device__ void bmma_sync(fragment<accumulator, CqM, CqN, CqK, CqD> &d, const fragment<matrix_a, CqM, CqN, CqK, CqA, CqLA> &a, const fragment<matrix_b, CqM, CqN, CqK, CqB, CqLB> &b, const fragment<accumulator, CqM, CqN, CqK, CqC> &c, experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR, experimental::bmmaAccumulateOp accumulate = experimental::bmmaAccumulateOpPOPC);
__device__ float __float_to_tf32(float x);
} }
__device__ float __float_to_tf32(float x);
#endif
#endif
