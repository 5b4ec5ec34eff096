#ifndef CQ_STD_MOVE_H
#define CQ_STD_MOVE_H
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
template <class T> constexpr __remove_reference_t(T) &&move(T &&value) noexcept { return static_cast<__remove_reference_t(T) &&>(value); }
template <class T> constexpr T &&forward(__remove_reference_t(T) &value) noexcept { return static_cast<T &&>(value); }
template <class T> constexpr T &&forward(__remove_reference_t(T) &&value) noexcept { return static_cast<T &&>(value); }
template <class T> constexpr T &&move_if_noexcept(T &value) noexcept { return static_cast<T &&>(value); }
template <class T> constexpr T *addressof(T &value) noexcept { return __builtin_addressof(value); }
template <class T> const T *addressof(const T &&) = delete;
template <class T> CQ_CONSTEXPR14 typename enable_if<__is_constructible(T, T &&)>::type swap(T &a, T &b) {
  T kept = static_cast<T &&>(a);
  a = static_cast<T &&>(b);
  b = static_cast<T &&>(kept);
}
template <class T, size_t N> CQ_CONSTEXPR14 void swap(T (&a)[N], T (&b)[N]) {
  for (size_t i = 0; i < N; ++i) swap(a[i], b[i]);
}
template <class T, class U = T> CQ_CONSTEXPR14 T exchange(T &value, U &&next) {
  T old = static_cast<T &&>(value);
  value = static_cast<U &&>(next);
  return old;
}
template <class T> constexpr const T &as_const(T &value) noexcept { return value; }
template <class T> void as_const(const T &&) = delete;
CQ_END_CXX
}
#endif
