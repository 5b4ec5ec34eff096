#ifndef CQ_ARITHMETIC_H
#define CQ_ARITHMETIC_H
#if defined(__cplusplus)
// Which type an argument has in the "any other arithmetic type" overloads: integers count as double.
template <class CqT, bool CqIntegral = __is_integral(CqT), bool CqReal = __is_floating_point(CqT)> struct cq_arithmetic {};
template <class CqT> struct cq_arithmetic<CqT, true, false> { typedef double type; typedef int integer; typedef bool truth; typedef long wide; typedef long long widest; };
template <class CqT> struct cq_arithmetic<CqT, false, true> { typedef CqT type; typedef int integer; typedef bool truth; typedef long wide; typedef long long widest; };
template <class CqT> using cq_double = typename cq_arithmetic<CqT>::type;
template <class CqA, class CqB> using cq_promoted = decltype(typename cq_arithmetic<CqA>::type() + typename cq_arithmetic<CqB>::type());
#endif
#endif
