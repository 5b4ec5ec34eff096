// The few algorithms that <vector>, <string>, <memory> and <cmath> bring with them.
#ifndef CQ_STD_ALGOBASE_H
#define CQ_STD_ALGOBASE_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <algorithm>
#else
#include <cq_iterator.h>
#include <cq_minmax.h>
namespace std {
CQ_BEGIN_CXX
template <class CqI, class CqO> CQ_CONSTEXPR14 CqO copy(CqI first, CqI last, CqO result) { for (; first != last; ++first, ++result) *result = *first; return result; }
template <class CqI, class CqO> CQ_CONSTEXPR14 CqO copy_backward(CqI first, CqI last, CqO result) { while (first != last) *--result = *--last; return result; }
template <class CqI, class CqO> CQ_CONSTEXPR14 CqO move(CqI first, CqI last, CqO result) { for (; first != last; ++first, ++result) *result = std::move(*first); return result; }
template <class CqI, class CqT> CQ_CONSTEXPR14 void fill(CqI first, CqI last, const CqT &value) { for (; first != last; ++first) *first = value; }
template <class CqI, class CqN, class CqT> CQ_CONSTEXPR14 CqI fill_n(CqI first, CqN count, const CqT &value) { for (; count > 0; --count, ++first) *first = value; return first; }
template <class CqI, class CqJ> CQ_CONSTEXPR14 CqJ swap_ranges(CqI first, CqI last, CqJ other) { for (; first != last; ++first, ++other) iter_swap(first, other); return other; }
template <class CqI, class CqJ> CQ_CONSTEXPR14 bool equal(CqI first, CqI last, CqJ other) { for (; first != last; ++first, ++other) if (!(*first == *other)) return false; return true; }
template <class CqI, class CqJ, class CqF> CQ_CONSTEXPR14 bool equal(CqI first, CqI last, CqJ other, CqF same) { for (; first != last; ++first, ++other) if (!same(*first, *other)) return false; return true; }
CQ_END_CXX
}
#endif
#endif
