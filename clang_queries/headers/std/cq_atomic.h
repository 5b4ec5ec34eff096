#ifndef CQ_STD_ATOMIC_H
#define CQ_STD_ATOMIC_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <atomic>
#else
#include <stdint.h>
#include <type_traits>
namespace std {
CQ_BEGIN_CXX
#if __cplusplus >= 202002L
enum class memory_order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed, memory_order_consume = memory_order::consume, memory_order_acquire = memory_order::acquire, memory_order_release = memory_order::release, memory_order_acq_rel = memory_order::acq_rel, memory_order_seq_cst = memory_order::seq_cst;
#else
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
#endif
CQ_END_CXX
}
#endif
#endif
