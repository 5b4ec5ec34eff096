#ifndef CQ_THRUST_H
#define CQ_THRUST_H
// Policies, iterators, pointers and references that all of thrust shares.
#include <cuda_runtime.h>
#include <cq_functional.h>
#include <cq_memory.h>
#include <tuple>
#define THRUST_VERSION 200800
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 8
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM 1
#define THRUST_CUB_WRAPPED_NAMESPACE
namespace thrust {
CQ_BEGIN_CXX
using std::ptrdiff_t;
using std::size_t;
using std::true_type;
using std::false_type;
template <class T, T V> using integral_constant = std::integral_constant<T, V>;
typedef std::random_access_iterator_tag random_access_traversal_tag;
using std::bidirectional_iterator_tag;
using std::forward_iterator_tag;
using std::input_iterator_tag;
using std::output_iterator_tag;
using std::random_access_iterator_tag;
using std::iterator_traits;
typedef std::random_access_iterator_tag random_access_device_iterator_tag;
typedef std::random_access_iterator_tag random_access_host_iterator_tag;
struct any_system_tag {};
struct use_default {};
template <class I> struct iterator_value { typedef typename std::iterator_traits<I>::value_type type; };
template <class I> struct iterator_reference { typedef typename std::iterator_traits<I>::reference type; };
template <class I> struct iterator_difference { typedef typename std::iterator_traits<I>::difference_type type; };
template <class I> struct iterator_pointer { typedef typename std::iterator_traits<I>::pointer type; };
template <class I> struct iterator_system { typedef any_system_tag type; };
template <class I> struct iterator_traversal { typedef random_access_traversal_tag type; };
template <class I> using iterator_value_t = typename iterator_value<I>::type;
template <class I> using iterator_reference_t = typename iterator_reference<I>::type;
// Execution policies. on() binds a stream or an allocator.
struct execution_policy_base {};
template <class Derived> struct execution_policy : execution_policy_base {};
template <class Derived> struct device_execution_policy : execution_policy<Derived> {};
template <class Derived> struct host_execution_policy : execution_policy<Derived> {};
struct cq_policy : execution_policy<cq_policy> {
  template <class S> cq_policy on(S &&stream) const { return *this; }
  template <class A> cq_policy operator()(A &&allocator) const { return *this; }
  template <class E> cq_policy after(E &&event) const { return *this; }
};
const __device__ cq_policy device = cq_policy();
const __device__ cq_policy host = cq_policy();
const __device__ cq_policy seq = cq_policy();
namespace cuda {
const __device__ cq_policy par = cq_policy();
const __device__ cq_policy par_nosync = cq_policy();
template <class D> using execution_policy = thrust::execution_policy<D>;
typedef any_system_tag tag;
}
namespace cuda_cub { using thrust::cuda::par; using thrust::cuda::par_nosync; }
namespace omp { const __device__ cq_policy par = cq_policy(); }
namespace cpp { const __device__ cq_policy par = cq_policy(); }
namespace system { namespace cuda { using thrust::cuda::par; using thrust::cuda::par_nosync; struct tag {}; namespace experimental { template <class T> using pinned_allocator = std::allocator<T>; } } }
template <class X, class R> using cq_if_policy = typename std::enable_if<std::is_base_of<execution_policy_base, __remove_cvref(X)>::value, R>::type;
typedef any_system_tag device_system_tag;
typedef any_system_tag host_system_tag;
// Function objects
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
using std::plus; using std::minus; using std::multiplies; using std::divides; using std::modulus; using std::negate; using std::equal_to; using std::not_equal_to; using std::greater; using std::less;
using std::greater_equal; using std::less_equal; using std::logical_and; using std::logical_or; using std::logical_not; using std::bit_and; using std::bit_or; using std::bit_xor;
template <class T = void> struct identity { typedef T argument_type; typedef T result_type; constexpr const T &operator()(const T &x) const { return x; } };
template <> struct identity<void> { template <class T> constexpr const T &operator()(const T &x) const { return x; } };
template <class T = void> struct square { constexpr T operator()(const T &x) const { return x * x; } };
template <> struct square<void> { template <class T> constexpr T operator()(const T &x) const { return x * x; } };
template <class T = void> struct maximum { constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <> struct maximum<void> { template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <class T = void> struct minimum { constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct minimum<void> { template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class A = void, class B = void> struct project1st { constexpr const A &operator()(const A &a, const B &) const { return a; } };
template <class A = void, class B = void> struct project2nd { constexpr const B &operator()(const A &, const B &b) const { return b; } };
template <class F> struct unary_negate { F f; template <class T> bool operator()(const T &x) const { return !f(x); } };
template <class F> unary_negate<F> not1(F f) { return unary_negate<F>{f}; }
template <class F> unary_negate<F> not_fn(F f) { return unary_negate<F>{f}; }
// Placeholder expressions such as _1 + 2 * _2 keep only their operand types.
namespace placeholders {
template <class... T> struct cq_expression { template <class... A> constexpr auto operator()(A &&...arguments) const -> typename std::common_type<__decay(A)..., __decay(T)...>::type; };
const __device__ cq_expression<> _1 = cq_expression<>(), _2 = cq_expression<>(), _3 = cq_expression<>();
template <class... A, class B> cq_expression<A..., B> operator+(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator+(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator+(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator-(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator-(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator-(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator*(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator*(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator*(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator/(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator/(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator/(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator%(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator%(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator%(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator&(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator&(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator&(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator|(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator|(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator|(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator^(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator^(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator^(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator<<(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator<<(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator<<(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator>>(cq_expression<A...>, B);
template <class A, class... B> typename std::enable_if<__is_arithmetic(A), cq_expression<B..., A>>::type operator>>(A, cq_expression<B...>);
template <class... A, class... B> cq_expression<A..., B...> operator>>(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator==(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator==(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator!=(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator!=(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator<(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator<(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator>(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator>(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator<=(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator<=(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator>=(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator>=(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator&&(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator&&(cq_expression<A...>, cq_expression<B...>);
template <class... A, class B> cq_expression<A..., B> operator||(cq_expression<A...>, B);
template <class... A, class... B> cq_expression<A..., B...> operator||(cq_expression<A...>, cq_expression<B...>);
template <class... A> cq_expression<A...> operator-(cq_expression<A...>);
template <class... A> cq_expression<A..., bool> operator!(cq_expression<A...>);
}
// Tuples and pairs are those of std, with thrust's names.
using std::get; using std::make_pair; using std::make_tuple; using std::pair; using std::swap; using std::tie; using std::tuple; using std::tuple_element; using std::tuple_size;
template <class... T> struct null_type_list;
struct null_type {};
// References and pointers to device memory
template <class T> class device_ptr;
template <class T> class device_reference {
  T *cq_target;
public:
  typedef T value_type;
  typedef device_ptr<T> pointer;
  explicit device_reference(T *target) : cq_target(target) {}
  device_reference(const device_reference &) = default;
  template <class U, class = typename std::enable_if<__is_same(const U, T)>::type> device_reference(const device_reference<U> &other);
  operator T() const { return *cq_target; }
  device_ptr<T> operator&() const;
  device_reference &operator=(const T &value) { *cq_target = value; return *this; }
  device_reference &operator=(const device_reference &other) { *cq_target = *other.cq_target; return *this; }
  template <class U> device_reference &operator=(const device_reference<U> &other) { *cq_target = static_cast<U>(other); return *this; }
  device_reference &operator++() { ++*cq_target; return *this; }
  T operator++(int) { return (*cq_target)++; }
  device_reference &operator--() { --*cq_target; return *this; }
  template <class U> device_reference &operator+=(const U &value) { *cq_target += value; return *this; }
  template <class U> device_reference &operator-=(const U &value) { *cq_target -= value; return *this; }
  template <class U> device_reference &operator*=(const U &value) { *cq_target *= value; return *this; }
  template <class U> device_reference &operator/=(const U &value) { *cq_target /= value; return *this; }
};
template <class C, class T> auto operator<<(C &stream, const device_reference<T> &r) -> decltype(stream << static_cast<T>(r));
template <class T> class device_ptr {
  T *cq_pointer;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef __remove_cv(T) value_type;
  typedef T element_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr pointer;
  typedef device_reference<T> reference;
  typedef T *raw_pointer;
  device_ptr() : cq_pointer(nullptr) {}
  device_ptr(decltype(nullptr)) : cq_pointer(nullptr) {}
  template <class U> explicit device_ptr(U *p) : cq_pointer(static_cast<T *>(p)) {}
  template <class U, class = typename std::enable_if<__is_convertible_to(U *, T *)>::type> device_ptr(const device_ptr<U> &other) : cq_pointer(other.get()) {}
  T *get() const { return cq_pointer; }
  device_reference<T> operator*() const { return device_reference<T>(cq_pointer); }
  device_reference<T> operator[](ptrdiff_t i) const { return device_reference<T>(cq_pointer + i); }
  T *operator->() const { return cq_pointer; }
  device_ptr &operator++() { ++cq_pointer; return *this; }
  device_ptr operator++(int) { return device_ptr(cq_pointer++); }
  device_ptr &operator--() { --cq_pointer; return *this; }
  device_ptr operator--(int) { return device_ptr(cq_pointer--); }
  device_ptr &operator+=(ptrdiff_t n) { cq_pointer += n; return *this; }
  device_ptr &operator-=(ptrdiff_t n) { cq_pointer -= n; return *this; }
  device_ptr operator+(ptrdiff_t n) const { return device_ptr(cq_pointer + n); }
  device_ptr operator-(ptrdiff_t n) const { return device_ptr(cq_pointer - n); }
  template <class U> friend ptrdiff_t operator-(const device_ptr &a, const device_ptr<U> &b) { return a.get() - b.get(); }
  friend device_ptr operator+(ptrdiff_t n, const device_ptr &p) { return device_ptr(p.get() + n); }
  explicit operator bool() const { return cq_pointer != nullptr; }
};
template <class T, class U> bool operator==(const device_ptr<T> &a, const device_ptr<U> &b) { return a.get() == b.get(); }
template <class T, class U> bool operator!=(const device_ptr<T> &a, const device_ptr<U> &b) { return a.get() != b.get(); }
template <class T, class U> bool operator<(const device_ptr<T> &a, const device_ptr<U> &b) { return a.get() < b.get(); }
template <> class device_ptr<void> { void *cq_pointer; public: typedef void element_type; device_ptr() : cq_pointer(nullptr) {} explicit device_ptr(void *p) : cq_pointer(p) {} void *get() const { return cq_pointer; } };
template <class T> device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <class T> T *raw_pointer_cast(T *p) { return p; }
template <class T> T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <class T> T &raw_reference_cast(T &r) { return r; }
template <class T> T &raw_reference_cast(const device_reference<T> &r);
template <class T> device_ptr<T> device_malloc(size_t count);
device_ptr<void> device_malloc(size_t bytes);
template <class T> void device_free(device_ptr<T> p);
template <class T> device_ptr<T> device_new(size_t count = 1);
template <class T> void device_delete(device_ptr<T> p, size_t count = 0);
template <class T, class Element> using pointer = device_ptr<T>;
template <class T> class device_allocator : public std::allocator<T> { public: template <class U> struct rebind { typedef device_allocator<U> other; }; device_ptr<T> allocate(size_t count); void deallocate(device_ptr<T> p, size_t count); };
template <class T> using device_malloc_allocator = device_allocator<T>;
template <class I> ptrdiff_t distance(I first, I last) { return last - first; }
template <class I, class N> void advance(I &i, N n) { i += n; }
template <class I> I next(I i, ptrdiff_t n = 1) { return i + n; }
template <class I> I prev(I i, ptrdiff_t n = 1) { return i - n; }
CQ_END_CXX
}
#endif
