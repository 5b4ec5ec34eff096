#ifndef CQ_THRUST_COMPLEX_H
#define CQ_THRUST_COMPLEX_H
#include <complex>
#include <thrust/cq_thrust.h>
namespace thrust {
CQ_BEGIN_CXX
template <class CqT> struct alignas(sizeof(CqT) * 2) complex {
  CqT cq_real, cq_imag;
  typedef CqT value_type;
  complex() = default;
  constexpr complex(const CqT &real) : cq_real(real), cq_imag(CqT()) {}
  constexpr complex(const CqT &real, const CqT &imag) : cq_real(real), cq_imag(imag) {}
  complex(const complex &) = default;
  template <class CqU> constexpr complex(const complex<CqU> &z) : cq_real(static_cast<CqT>(z.real())), cq_imag(static_cast<CqT>(z.imag())) {}
  template <class CqU> constexpr complex(const std::complex<CqU> &z) : cq_real(static_cast<CqT>(z.real())), cq_imag(static_cast<CqT>(z.imag())) {}
  complex &operator=(const complex &) = default;
  complex &operator=(const CqT &real) { cq_real = real; cq_imag = CqT(); return *this; }
  template <class CqU> complex &operator=(const complex<CqU> &z) { cq_real = static_cast<CqT>(z.real()); cq_imag = static_cast<CqT>(z.imag()); return *this; }
  template <class CqU> complex &operator=(const std::complex<CqU> &z) { cq_real = static_cast<CqT>(z.real()); cq_imag = static_cast<CqT>(z.imag()); return *this; }
  constexpr CqT real() const { return cq_real; }
  constexpr CqT imag() const { return cq_imag; }
  void real(CqT value) { cq_real = value; }
  void imag(CqT value) { cq_imag = value; }
  operator std::complex<CqT>() const { return std::complex<CqT>(cq_real, cq_imag); }
  template <class CqU> complex &operator+=(const complex<CqU> &b) { return *this = *this + b; }
  template <class CqU> complex &operator-=(const complex<CqU> &b) { return *this = *this - b; }
  template <class CqU> complex &operator*=(const complex<CqU> &b) { return *this = *this * b; }
  template <class CqU> complex &operator/=(const complex<CqU> &b) { return *this = *this / b; }
  complex &operator+=(const CqT &b) { cq_real += b; return *this; }
  complex &operator-=(const CqT &b) { cq_real -= b; return *this; }
  complex &operator*=(const CqT &b) { cq_real *= b; cq_imag *= b; return *this; }
  complex &operator/=(const CqT &b) { cq_real /= b; cq_imag /= b; return *this; }
};
template <class CqA, class CqB> using cq_wider = complex<decltype(CqA() + CqB())>;
template <class CqT> using cq_only_real = typename std::enable_if<__is_arithmetic(CqT), CqT>::type;
template <class CqT> complex<CqT> operator+(const complex<CqT> &a) { return a; }
template <class CqT> complex<CqT> operator-(const complex<CqT> &a) { return complex<CqT>(-a.real(), -a.imag()); }
template <class CqA, class CqB> cq_wider<CqA, CqB> operator+(const complex<CqA> &a, const complex<CqB> &b) { return cq_wider<CqA, CqB>(a.real() + b.real(), a.imag() + b.imag()); }
template <class CqA, class CqB> cq_wider<CqA, cq_only_real<CqB>> operator+(const complex<CqA> &a, const CqB &b) { return cq_wider<CqA, CqB>(a.real() + b, a.imag()); }
template <class CqA, class CqB> cq_wider<cq_only_real<CqA>, CqB> operator+(const CqA &a, const complex<CqB> &b) { return cq_wider<CqA, CqB>(a + b.real(), b.imag()); }
template <class CqA, class CqB> cq_wider<CqA, CqB> operator-(const complex<CqA> &a, const complex<CqB> &b) { return cq_wider<CqA, CqB>(a.real() - b.real(), a.imag() - b.imag()); }
template <class CqA, class CqB> cq_wider<CqA, cq_only_real<CqB>> operator-(const complex<CqA> &a, const CqB &b) { return cq_wider<CqA, CqB>(a.real() - b, a.imag()); }
template <class CqA, class CqB> cq_wider<cq_only_real<CqA>, CqB> operator-(const CqA &a, const complex<CqB> &b) { return cq_wider<CqA, CqB>(a - b.real(), -b.imag()); }
template <class CqA, class CqB> cq_wider<CqA, CqB> operator*(const complex<CqA> &a, const complex<CqB> &b) { return cq_wider<CqA, CqB>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()); }
template <class CqA, class CqB> cq_wider<CqA, cq_only_real<CqB>> operator*(const complex<CqA> &a, const CqB &b) { return cq_wider<CqA, CqB>(a.real() * b, a.imag() * b); }
template <class CqA, class CqB> cq_wider<cq_only_real<CqA>, CqB> operator*(const CqA &a, const complex<CqB> &b) { return cq_wider<CqA, CqB>(a * b.real(), a * b.imag()); }
// Division scales both operands first, so that the squares cannot overflow.
template <class CqA, class CqB> cq_wider<CqA, CqB> operator/(const complex<CqA> &a, const complex<CqB> &b) {
  typedef decltype(CqA() + CqB()) CqT;
  CqT scale = CqT(1) / (::fabs(b.real()) + ::fabs(b.imag()));
  CqT ar = a.real() * scale, ai = a.imag() * scale, br = b.real() * scale, bi = b.imag() * scale;
  CqT inverse = CqT(1) / (br * br + bi * bi);
  return complex<CqT>((ar * br + ai * bi) * inverse, (ai * br - ar * bi) * inverse);
}
template <class CqA, class CqB> cq_wider<CqA, cq_only_real<CqB>> operator/(const complex<CqA> &a, const CqB &b) { return cq_wider<CqA, CqB>(a.real() / b, a.imag() / b); }
template <class CqA, class CqB> cq_wider<cq_only_real<CqA>, CqB> operator/(const CqA &a, const complex<CqB> &b) { return complex<CqA>(a) / b; }
template <class CqA, class CqB> bool operator==(const complex<CqA> &a, const complex<CqB> &b) { return a.real() == b.real() && a.imag() == b.imag(); }
template <class CqA, class CqB> bool operator!=(const complex<CqA> &a, const complex<CqB> &b) { return !(a == b); }
template <class CqA> bool operator==(const complex<CqA> &a, const CqA &b) { return a.real() == b && a.imag() == CqA(); }
template <class CqA> bool operator!=(const complex<CqA> &a, const CqA &b) { return !(a == b); }
template <class CqT> CqT abs(const complex<CqT> &z) { return ::hypot(z.real(), z.imag()); }
template <class CqT> CqT arg(const complex<CqT> &z) { return ::atan2(z.imag(), z.real()); }
template <class CqT> CqT norm(const complex<CqT> &z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class CqT> complex<CqT> conj(const complex<CqT> &z) { return complex<CqT>(z.real(), -z.imag()); }
template <class CqT> complex<CqT> polar(const CqT &radius, const CqT &angle = CqT()) { return complex<CqT>(radius * ::cos(angle), radius * ::sin(angle)); }
template <class CqT> complex<CqT> exp(const complex<CqT> &z) { return polar<CqT>(::exp(z.real()), z.imag()); }
template <class CqT> complex<CqT> log(const complex<CqT> &z) { return complex<CqT>(::log(abs(z)), arg(z)); }
template <class CqT> complex<CqT> sqrt(const complex<CqT> &z) { return polar<CqT>(::sqrt(abs(z)), arg(z) / CqT(2)); }
template <class CqA, class CqB> cq_wider<CqA, CqB> pow(const complex<CqA> &z, const complex<CqB> &w) { return exp(log(cq_wider<CqA, CqB>(z)) * cq_wider<CqA, CqB>(w)); }
template <class CqA, class CqB> cq_wider<CqA, cq_only_real<CqB>> pow(const complex<CqA> &z, const CqB &w) { return exp(log(cq_wider<CqA, CqB>(z)) * w); }
template <class CqT> complex<CqT> log10(const complex<CqT> &z);
template <class CqT> complex<CqT> proj(const CqT &z);
template <class CqT> complex<CqT> sin(const complex<CqT> &z);
template <class CqT> complex<CqT> cos(const complex<CqT> &z);
template <class CqT> complex<CqT> tan(const complex<CqT> &z);
template <class CqT> complex<CqT> sinh(const complex<CqT> &z);
template <class CqT> complex<CqT> cosh(const complex<CqT> &z);
template <class CqT> complex<CqT> tanh(const complex<CqT> &z);
template <class CqT> complex<CqT> asin(const complex<CqT> &z);
template <class CqT> complex<CqT> acos(const complex<CqT> &z);
template <class CqT> complex<CqT> atan(const complex<CqT> &z);
template <class CqT, class CqC, class CqTraits> std::basic_ostream<CqC, CqTraits> &operator<<(std::basic_ostream<CqC, CqTraits> &stream, const complex<CqT> &z);
CQ_END_CXX
}
#endif
