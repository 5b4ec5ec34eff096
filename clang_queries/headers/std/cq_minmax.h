#ifndef CQ_STD_MINMAX_H
#define CQ_STD_MINMAX_H
#include <utility>
namespace std {
CQ_BEGIN_CXX
template <class T> CQ_CONSTEXPR14 const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T, class Compare> CQ_CONSTEXPR14 const T &min(const T &a, const T &b, Compare less) { return less(b, a) ? b : a; }
template <class T> CQ_CONSTEXPR14 const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, class Compare> CQ_CONSTEXPR14 const T &max(const T &a, const T &b, Compare less) { return less(a, b) ? b : a; }
template <class T> CQ_CONSTEXPR14 T min(initializer_list<T> list) {
  const T *best = list.begin();
  for (const T *i = list.begin(); i != list.end(); ++i) if (*i < *best) best = i;
  return *best;
}
template <class T> CQ_CONSTEXPR14 T max(initializer_list<T> list) {
  const T *best = list.begin();
  for (const T *i = list.begin(); i != list.end(); ++i) if (*best < *i) best = i;
  return *best;
}
template <class T, class Compare> CQ_CONSTEXPR14 T min(initializer_list<T> list, Compare less);
template <class T, class Compare> CQ_CONSTEXPR14 T max(initializer_list<T> list, Compare less);
template <class T> CQ_CONSTEXPR14 pair<const T &, const T &> minmax(const T &a, const T &b) { return b < a ? pair<const T &, const T &>(b, a) : pair<const T &, const T &>(a, b); }
template <class T> CQ_CONSTEXPR14 pair<T, T> minmax(initializer_list<T> list);
#if __cplusplus >= 201703L
template <class T> constexpr const T &clamp(const T &value, const T &low, const T &high) { return value < low ? low : high < value ? high : value; }
template <class T, class Compare> constexpr const T &clamp(const T &value, const T &low, const T &high, Compare less) { return less(value, low) ? low : less(high, value) ? high : value; }
#endif
CQ_END_CXX
}
#endif
