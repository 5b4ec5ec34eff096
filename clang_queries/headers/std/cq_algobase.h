// The few algorithms that <vector>, <string>, <memory> and <cmath> bring with them.
#ifndef CQ_STD_ALGOBASE_H
#define CQ_STD_ALGOBASE_H
#include <cq_iterator.h>
#include <cq_minmax.h>
namespace std {
CQ_BEGIN_CXX
template <class I, class O> CQ_CONSTEXPR14 O copy(I first, I last, O result) { for (; first != last; ++first, ++result) *result = *first; return result; }
template <class I, class O> CQ_CONSTEXPR14 O copy_backward(I first, I last, O result) { while (first != last) *--result = *--last; return result; }
template <class I, class O> CQ_CONSTEXPR14 O move(I first, I last, O result) { for (; first != last; ++first, ++result) *result = std::move(*first); return result; }
template <class I, class T> CQ_CONSTEXPR14 void fill(I first, I last, const T &value) { for (; first != last; ++first) *first = value; }
template <class I, class N, class T> CQ_CONSTEXPR14 I fill_n(I first, N count, const T &value) { for (; count > 0; --count, ++first) *first = value; return first; }
template <class I, class J> CQ_CONSTEXPR14 J swap_ranges(I first, I last, J other) { for (; first != last; ++first, ++other) iter_swap(first, other); return other; }
template <class I, class J> CQ_CONSTEXPR14 bool equal(I first, I last, J other) { for (; first != last; ++first, ++other) if (!(*first == *other)) return false; return true; }
template <class I, class J, class F> CQ_CONSTEXPR14 bool equal(I first, I last, J other, F same) { for (; first != last; ++first, ++other) if (!same(*first, *other)) return false; return true; }
CQ_END_CXX
}
#endif
