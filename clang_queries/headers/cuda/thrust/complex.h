#ifndef CQ_THRUST_COMPLEX_H
#define CQ_THRUST_COMPLEX_H
#include <complex>
#include <thrust/cq_thrust.h>
namespace thrust {
CQ_BEGIN_CXX
template <class T> struct alignas(sizeof(T) * 2) complex {
  T cq_real, cq_imag;
  typedef T value_type;
  complex() = default;
  constexpr complex(const T &real) : cq_real(real), cq_imag(T()) {}
  constexpr complex(const T &real, const T &imag) : cq_real(real), cq_imag(imag) {}
  complex(const complex &) = default;
  template <class U> constexpr complex(const complex<U> &z) : cq_real(static_cast<T>(z.real())), cq_imag(static_cast<T>(z.imag())) {}
  template <class U> constexpr complex(const std::complex<U> &z) : cq_real(static_cast<T>(z.real())), cq_imag(static_cast<T>(z.imag())) {}
  complex &operator=(const complex &) = default;
  complex &operator=(const T &real) { cq_real = real; cq_imag = T(); return *this; }
  template <class U> complex &operator=(const complex<U> &z) { cq_real = static_cast<T>(z.real()); cq_imag = static_cast<T>(z.imag()); return *this; }
  template <class U> complex &operator=(const std::complex<U> &z) { cq_real = static_cast<T>(z.real()); cq_imag = static_cast<T>(z.imag()); return *this; }
  constexpr T real() const { return cq_real; }
  constexpr T imag() const { return cq_imag; }
  void real(T value) { cq_real = value; }
  void imag(T value) { cq_imag = value; }
  operator std::complex<T>() const { return std::complex<T>(cq_real, cq_imag); }
  template <class U> complex &operator+=(const complex<U> &b) { return *this = *this + b; }
  template <class U> complex &operator-=(const complex<U> &b) { return *this = *this - b; }
  template <class U> complex &operator*=(const complex<U> &b) { return *this = *this * b; }
  template <class U> complex &operator/=(const complex<U> &b) { return *this = *this / b; }
  complex &operator+=(const T &b) { cq_real += b; return *this; }
  complex &operator-=(const T &b) { cq_real -= b; return *this; }
  complex &operator*=(const T &b) { cq_real *= b; cq_imag *= b; return *this; }
  complex &operator/=(const T &b) { cq_real /= b; cq_imag /= b; return *this; }
};
template <class A, class B> using cq_wider = complex<decltype(A() + B())>;
template <class T> using cq_only_real = typename std::enable_if<__is_arithmetic(T), T>::type;
template <class T> complex<T> operator+(const complex<T> &a) { return a; }
template <class T> complex<T> operator-(const complex<T> &a) { return complex<T>(-a.real(), -a.imag()); }
template <class A, class B> cq_wider<A, B> operator+(const complex<A> &a, const complex<B> &b) { return cq_wider<A, B>(a.real() + b.real(), a.imag() + b.imag()); }
template <class A, class B> cq_wider<A, cq_only_real<B>> operator+(const complex<A> &a, const B &b) { return cq_wider<A, B>(a.real() + b, a.imag()); }
template <class A, class B> cq_wider<cq_only_real<A>, B> operator+(const A &a, const complex<B> &b) { return cq_wider<A, B>(a + b.real(), b.imag()); }
template <class A, class B> cq_wider<A, B> operator-(const complex<A> &a, const complex<B> &b) { return cq_wider<A, B>(a.real() - b.real(), a.imag() - b.imag()); }
template <class A, class B> cq_wider<A, cq_only_real<B>> operator-(const complex<A> &a, const B &b) { return cq_wider<A, B>(a.real() - b, a.imag()); }
template <class A, class B> cq_wider<cq_only_real<A>, B> operator-(const A &a, const complex<B> &b) { return cq_wider<A, B>(a - b.real(), -b.imag()); }
template <class A, class B> cq_wider<A, B> operator*(const complex<A> &a, const complex<B> &b) { return cq_wider<A, B>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()); }
template <class A, class B> cq_wider<A, cq_only_real<B>> operator*(const complex<A> &a, const B &b) { return cq_wider<A, B>(a.real() * b, a.imag() * b); }
template <class A, class B> cq_wider<cq_only_real<A>, B> operator*(const A &a, const complex<B> &b) { return cq_wider<A, B>(a * b.real(), a * b.imag()); }
// Division scales both operands first, so that the squares cannot overflow.
template <class A, class B> cq_wider<A, B> operator/(const complex<A> &a, const complex<B> &b) {
  typedef decltype(A() + B()) T;
  T scale = T(1) / (fabs(b.real()) + fabs(b.imag()));
  T ar = a.real() * scale, ai = a.imag() * scale, br = b.real() * scale, bi = b.imag() * scale;
  T inverse = T(1) / (br * br + bi * bi);
  return complex<T>((ar * br + ai * bi) * inverse, (ai * br - ar * bi) * inverse);
}
template <class A, class B> cq_wider<A, cq_only_real<B>> operator/(const complex<A> &a, const B &b) { return cq_wider<A, B>(a.real() / b, a.imag() / b); }
template <class A, class B> cq_wider<cq_only_real<A>, B> operator/(const A &a, const complex<B> &b) { return complex<A>(a) / b; }
template <class A, class B> bool operator==(const complex<A> &a, const complex<B> &b) { return a.real() == b.real() && a.imag() == b.imag(); }
template <class A, class B> bool operator!=(const complex<A> &a, const complex<B> &b) { return !(a == b); }
template <class A> bool operator==(const complex<A> &a, const A &b) { return a.real() == b && a.imag() == A(); }
template <class A> bool operator!=(const complex<A> &a, const A &b) { return !(a == b); }
template <class T> T abs(const complex<T> &z) { return hypot(z.real(), z.imag()); }
template <class T> T arg(const complex<T> &z) { return atan2(z.imag(), z.real()); }
template <class T> T norm(const complex<T> &z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> complex<T> conj(const complex<T> &z) { return complex<T>(z.real(), -z.imag()); }
template <class T> complex<T> polar(const T &radius, const T &angle = T()) { return complex<T>(radius * cos(angle), radius * sin(angle)); }
template <class T> complex<T> exp(const complex<T> &z) { return polar<T>(exp(z.real()), z.imag()); }
template <class T> complex<T> log(const complex<T> &z) { return complex<T>(log(abs(z)), arg(z)); }
template <class T> complex<T> sqrt(const complex<T> &z) { return polar<T>(sqrt(abs(z)), arg(z) / T(2)); }
template <class A, class B> cq_wider<A, B> pow(const complex<A> &z, const complex<B> &w) { return exp(log(cq_wider<A, B>(z)) * cq_wider<A, B>(w)); }
template <class A, class B> cq_wider<A, cq_only_real<B>> pow(const complex<A> &z, const B &w) { return exp(log(cq_wider<A, B>(z)) * w); }
template <class T> complex<T> log10(const complex<T> &z);
template <class T> complex<T> proj(const T &z);
template <class T> complex<T> sin(const complex<T> &z);
template <class T> complex<T> cos(const complex<T> &z);
template <class T> complex<T> tan(const complex<T> &z);
template <class T> complex<T> sinh(const complex<T> &z);
template <class T> complex<T> cosh(const complex<T> &z);
template <class T> complex<T> tanh(const complex<T> &z);
template <class T> complex<T> asin(const complex<T> &z);
template <class T> complex<T> acos(const complex<T> &z);
template <class T> complex<T> atan(const complex<T> &z);
template <class T, class C, class Traits> std::basic_ostream<C, Traits> &operator<<(std::basic_ostream<C, Traits> &stream, const complex<T> &z);
CQ_END_CXX
}
#endif
