#ifndef CQ_CUDA_SCOPE_H
#define CQ_CUDA_SCOPE_H
#include <atomic>
#include <cuda/std/cq_std.h>
namespace cuda {
CQ_BEGIN_CXX
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
template <size_t CqN> struct aligned_size_t { static constexpr size_t align = CqN; size_t value; explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {} constexpr operator size_t() const { return value; } };
CQ_END_CXX
}
#endif
