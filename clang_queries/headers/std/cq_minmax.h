#ifndef CQ_STD_MINMAX_H
#define CQ_STD_MINMAX_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <algorithm>
#else
#include <utility>
// A program may hold function-like macros of these names.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max
namespace std {
CQ_BEGIN_CXX
template <class CqT> CQ_CONSTEXPR14 const CqT &min(const CqT &a, const CqT &b) { return b < a ? b : a; }
template <class CqT, class CqCompare> CQ_CONSTEXPR14 const CqT &min(const CqT &a, const CqT &b, CqCompare less) { return less(b, a) ? b : a; }
template <class CqT> CQ_CONSTEXPR14 const CqT &max(const CqT &a, const CqT &b) { return a < b ? b : a; }
template <class CqT, class CqCompare> CQ_CONSTEXPR14 const CqT &max(const CqT &a, const CqT &b, CqCompare less) { return less(a, b) ? b : a; }
template <class CqT> CQ_CONSTEXPR14 CqT min(initializer_list<CqT> list) {
  const CqT *best = list.begin();
  for (const CqT *i = list.begin(); i != list.end(); ++i) if (*i < *best) best = i;
  return *best;
}
template <class CqT> CQ_CONSTEXPR14 CqT max(initializer_list<CqT> list) {
  const CqT *best = list.begin();
  for (const CqT *i = list.begin(); i != list.end(); ++i) if (*best < *i) best = i;
  return *best;
}
template <class CqT, class CqCompare> CQ_CONSTEXPR14 CqT min(initializer_list<CqT> list, CqCompare less);
template <class CqT, class CqCompare> CQ_CONSTEXPR14 CqT max(initializer_list<CqT> list, CqCompare less);
template <class CqT> CQ_CONSTEXPR14 pair<const CqT &, const CqT &> minmax(const CqT &a, const CqT &b) { return b < a ? pair<const CqT &, const CqT &>(b, a) : pair<const CqT &, const CqT &>(a, b); }
template <class CqT> CQ_CONSTEXPR14 pair<CqT, CqT> minmax(initializer_list<CqT> list);
#if __cplusplus >= 201703L
template <class CqT> constexpr const CqT &clamp(const CqT &value, const CqT &low, const CqT &high) { return value < low ? low : high < value ? high : value; }
template <class CqT, class CqCompare> constexpr const CqT &clamp(const CqT &value, const CqT &low, const CqT &high, CqCompare less) { return less(value, low) ? low : less(high, value) ? high : value; }
#endif
CQ_END_CXX
}
#pragma pop_macro("min")
#pragma pop_macro("max")
#endif
#endif
