// The few algorithms that <vector>, <string>, <memory> and <cmath> bring with them, and those that std::erase of containers uses.
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
// Ranges that are not short, or whose elements are not all known, are not compacted element by element: how many are left is counted.
template <class CqI> static bool cq_all_known(CqI first, CqI last);
template <class CqI> static bool cq_one_range(CqI first, CqI last);
template <class CqI> static CqI cq_compacted(CqI first, CqI last, long count);
template <class CqI> static CqI cq_distinct(CqI first, CqI last);
template <class CqI, class CqT> CqI remove(CqI first, CqI last, const CqT &value) { if (!cq_all_known(first, last)) { long left = 0; for (CqI at = first; at != last; ++at) if (!(*at == value)) ++left; return cq_compacted(first, last, left); } CqI result = first; for (; first != last; ++first) if (!(*first == value)) { *result = std::move(*first); ++result; } return result; }
template <class CqI, class CqF> CqI remove_if(CqI first, CqI last, CqF predicate) { if (!cq_all_known(first, last)) { long left = 0; for (CqI at = first; at != last; ++at) if (!predicate(*at)) ++left; return cq_compacted(first, last, left); } CqI result = first; for (; first != last; ++first) if (!predicate(*first)) { *result = std::move(*first); ++result; } return result; }
CQ_END_CXX
}
#endif
#endif
