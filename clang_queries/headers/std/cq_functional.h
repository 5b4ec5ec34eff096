// Function objects and hash: what containers and algorithms need of <functional>.
#ifndef CQ_STD_FUNCTIONAL_H
#define CQ_STD_FUNCTIONAL_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <functional>
#else
#include <utility>
namespace std {
CQ_BEGIN_CXX
template <class CqA, class CqR> struct unary_function { typedef CqA argument_type; typedef CqR result_type; };
template <class CqA, class CqB, class CqR> struct binary_function { typedef CqA first_argument_type; typedef CqB second_argument_type; typedef CqR result_type; };
#if __cplusplus >= 201402L
#define CQ_FUNCTION_OBJECT_ARGUMENT class CqT = void
#else
#define CQ_FUNCTION_OBJECT_ARGUMENT class CqT
#endif
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct plus : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a + b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct minus : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a - b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct multiplies : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a * b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct divides : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a / b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct modulus : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a % b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct negate : unary_function<CqT, CqT> { constexpr CqT operator()(const CqT &a) const { return -a; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct equal_to : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a == b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct not_equal_to : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a != b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct less : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a < b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct greater : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a > b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct less_equal : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a <= b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct greater_equal : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a >= b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct logical_and : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a && b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct logical_or : binary_function<CqT, CqT, bool> { constexpr bool operator()(const CqT &a, const CqT &b) const { return a || b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct logical_not : unary_function<CqT, bool> { constexpr bool operator()(const CqT &a) const { return !a; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_and : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a & b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_or : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a | b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_xor : binary_function<CqT, CqT, CqT> { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a ^ b; } };
template <CQ_FUNCTION_OBJECT_ARGUMENT> struct bit_not : unary_function<CqT, CqT> { constexpr CqT operator()(const CqT &a) const { return ~a; } };
#undef CQ_FUNCTION_OBJECT_ARGUMENT
#if __cplusplus >= 201402L
template <> struct plus<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a + b; } };
template <> struct minus<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a - b; } };
template <> struct multiplies<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a * b; } };
template <> struct divides<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a / b; } };
template <> struct less<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr bool operator()(CqA &&a, CqB &&b) const { return a < b; } };
template <> struct greater<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr bool operator()(CqA &&a, CqB &&b) const { return a > b; } };
template <> struct equal_to<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr bool operator()(CqA &&a, CqB &&b) const { return a == b; } };
template <> struct not_equal_to<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr bool operator()(CqA &&a, CqB &&b) const { return a != b; } };
template <> struct less_equal<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr bool operator()(CqA &&a, CqB &&b) const { return a <= b; } };
template <> struct greater_equal<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr bool operator()(CqA &&a, CqB &&b) const { return a >= b; } };
template <> struct bit_or<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a | b; } };
template <> struct bit_and<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a & b; } };
template <> struct bit_xor<void> { typedef void is_transparent; template <class CqA, class CqB> constexpr auto operator()(CqA &&a, CqB &&b) const { return a ^ b; } };
#endif
template <class CqT, bool = __is_enum(CqT) || __is_scalar(CqT)> struct cq_hash { cq_hash() = delete; };
template <class CqT> struct cq_hash<CqT, true> { typedef CqT argument_type; typedef size_t result_type; size_t operator()(CqT value) const noexcept; };
template <class CqT> struct hash : cq_hash<CqT> {};
template <class CqT> class reference_wrapper {
  CqT *cq_target;
public:
  typedef CqT type;
  reference_wrapper(CqT &target) noexcept : cq_target(__builtin_addressof(target)) {}
  operator CqT &() const noexcept { return *cq_target; }
  CqT &get() const noexcept { return *cq_target; }
  template <class... CqA> typename invoke_result<CqT &, CqA...>::type operator()(CqA &&...arguments) const;
};
template <class CqT> reference_wrapper<CqT> ref(CqT &target) noexcept { return reference_wrapper<CqT>(target); }
template <class CqT> reference_wrapper<const CqT> cref(const CqT &target) noexcept { return reference_wrapper<const CqT>(target); }
template <class CqT> reference_wrapper<CqT> ref(reference_wrapper<CqT> r) noexcept { return r; }
CQ_END_CXX
}
#endif
#endif
