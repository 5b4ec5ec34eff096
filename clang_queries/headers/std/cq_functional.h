// Function objects and hash: what containers and algorithms need of <functional>.
#ifndef CQ_STD_FUNCTIONAL_H
#define CQ_STD_FUNCTIONAL_H
#include <utility>
namespace std {
CQ_BEGIN_CXX
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
#if __cplusplus >= 201402L
#define CQ_FUNCTION_OBJECT_ARGUMENT class T = void
#else
#define CQ_FUNCTION_OBJECT_ARGUMENT class T
#endif
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct plus : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a + b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct minus : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a - b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct multiplies : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a * b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct divides : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a / b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct modulus : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a % b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct negate : unary_function<T, T> { constexpr T operator()(const T &a) const { return -a; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct equal_to : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a == b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct not_equal_to : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a != b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct less : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a < b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct greater : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a > b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct less_equal : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a <= b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct greater_equal : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a >= b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct logical_and : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a && b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct logical_or : binary_function<T, T, bool> { constexpr bool operator()(const T &a, const T &b) const { return a || b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct logical_not : unary_function<T, bool> { constexpr bool operator()(const T &a) const { return !a; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_and : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a & b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_or : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a | b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_xor : binary_function<T, T, T> { constexpr T operator()(const T &a, const T &b) const { return a ^ b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_not : unary_function<T, T> { constexpr T operator()(const T &a) const { return ~a; } };
#undef CQ_FUNCTION_OBJECT_ARGUMENT
#if __cplusplus >= 201402L
template <> struct plus<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a + b; } };
template <> struct minus<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a - b; } };
template <> struct multiplies<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a * b; } };
template <> struct divides<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a / b; } };
template <> struct less<void> { typedef void is_transparent; template <class A, class B> constexpr bool operator()(A &&a, B &&b) const { return a < b; } };
template <> struct greater<void> { typedef void is_transparent; template <class A, class B> constexpr bool operator()(A &&a, B &&b) const { return a > b; } };
template <> struct equal_to<void> { typedef void is_transparent; template <class A, class B> constexpr bool operator()(A &&a, B &&b) const { return a == b; } };
template <> struct not_equal_to<void> { typedef void is_transparent; template <class A, class B> constexpr bool operator()(A &&a, B &&b) const { return a != b; } };
template <> struct less_equal<void> { typedef void is_transparent; template <class A, class B> constexpr bool operator()(A &&a, B &&b) const { return a <= b; } };
template <> struct greater_equal<void> { typedef void is_transparent; template <class A, class B> constexpr bool operator()(A &&a, B &&b) const { return a >= b; } };
template <> struct bit_or<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a | b; } };
template <> struct bit_and<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a & b; } };
template <> struct bit_xor<void> { typedef void is_transparent; template <class A, class B> constexpr auto operator()(A &&a, B &&b) const { return a ^ b; } };
#endif
template <class T, bool = __is_enum(T) || __is_scalar(T)> struct cq_hash { cq_hash() = delete; };
template <class T> struct cq_hash<T, true> { typedef T argument_type; typedef size_t result_type; size_t operator()(T value) const noexcept; };
template <class T> struct hash : cq_hash<T> {};
template <class T> class reference_wrapper {
  T *cq_target;
public:
  typedef T type;
  reference_wrapper(T &target) noexcept : cq_target(__builtin_addressof(target)) {}
  operator T &() const noexcept { return *cq_target; }
  T &get() const noexcept { return *cq_target; }
  template <class... A> typename invoke_result<T &, A...>::type operator()(A &&...arguments) const;
};
template <class T> reference_wrapper<T> ref(T &target) noexcept { return reference_wrapper<T>(target); }
template <class T> reference_wrapper<const T> cref(const T &target) noexcept { return reference_wrapper<const T>(target); }
template <class T> reference_wrapper<T> ref(reference_wrapper<T> r) noexcept { return r; }
CQ_END_CXX
}
#endif
