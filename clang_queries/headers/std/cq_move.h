#ifndef CQ_STD_MOVE_H
#define CQ_STD_MOVE_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <utility>
#else
#include <type_traits>
#if __cplusplus >= 201402L
#define CQ_CONSTEXPR14 constexpr
#else
#define CQ_CONSTEXPR14 inline
#endif
#if __cplusplus >= 202002L
#define CQ_CONSTEXPR20 constexpr
#else
#define CQ_CONSTEXPR20 inline
#endif
namespace std {
CQ_BEGIN_CXX
template <class CqT> constexpr __remove_reference_t(CqT) &&move(CqT &&value) noexcept { return static_cast<__remove_reference_t(CqT) &&>(value); }
template <class CqT> constexpr CqT &&forward(__remove_reference_t(CqT) &value) noexcept { return static_cast<CqT &&>(value); }
template <class CqT> constexpr CqT &&forward(__remove_reference_t(CqT) &&value) noexcept { return static_cast<CqT &&>(value); }
template <class CqT> constexpr CqT &&move_if_noexcept(CqT &value) noexcept { return static_cast<CqT &&>(value); }
template <class CqT> constexpr CqT *addressof(CqT &value) noexcept { return __builtin_addressof(value); }
template <class CqT> const CqT *addressof(const CqT &&) = delete;
template <class CqT> CQ_CONSTEXPR14 typename enable_if<__is_constructible(CqT, CqT &&)>::type swap(CqT &a, CqT &b) {
  CqT kept = static_cast<CqT &&>(a);
  a = static_cast<CqT &&>(b);
  b = static_cast<CqT &&>(kept);
}
template <class CqT, size_t CqN> CQ_CONSTEXPR14 void swap(CqT (&a)[CqN], CqT (&b)[CqN]) {
  for (size_t i = 0; i < CqN; ++i) swap(a[i], b[i]);
}
template <class CqT, class CqU = CqT> CQ_CONSTEXPR14 CqT exchange(CqT &value, CqU &&next) {
  CqT old = static_cast<CqT &&>(value);
  value = static_cast<CqU &&>(next);
  return old;
}
template <class CqT> constexpr const CqT &as_const(CqT &value) noexcept { return value; }
template <class CqT> void as_const(const CqT &&) = delete;
CQ_END_CXX
}
#endif
#endif
