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
template <class CqT, CqT CqV> using integral_constant = std::integral_constant<CqT, CqV>;
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
template <class CqI> struct iterator_value { typedef typename std::iterator_traits<CqI>::value_type type; };
template <class CqI> struct iterator_reference { typedef typename std::iterator_traits<CqI>::reference type; };
template <class CqI> struct iterator_difference { typedef typename std::iterator_traits<CqI>::difference_type type; };
template <class CqI> struct iterator_pointer { typedef typename std::iterator_traits<CqI>::pointer type; };
template <class CqI> struct iterator_system { typedef any_system_tag type; };
template <class CqI> struct iterator_traversal { typedef random_access_traversal_tag type; };
template <class CqI> using iterator_value_t = typename iterator_value<CqI>::type;
template <class CqI> using iterator_reference_t = typename iterator_reference<CqI>::type;
// Execution policies. on() binds a stream or an allocator.
struct execution_policy_base {};
template <class CqDerived> struct execution_policy : execution_policy_base {};
template <class CqDerived> struct device_execution_policy : execution_policy<CqDerived> {};
template <class CqDerived> struct host_execution_policy : execution_policy<CqDerived> {};
struct cq_policy : execution_policy<cq_policy> {
  template <class CqS> cq_policy on(CqS &&stream) const { return *this; }
  template <class CqA> cq_policy operator()(CqA &&allocator) const { return *this; }
  template <class CqE> cq_policy after(CqE &&event) const { return *this; }
};
const __device__ cq_policy device = cq_policy();
const __device__ cq_policy host = cq_policy();
const __device__ cq_policy seq = cq_policy();
namespace cuda {
const __device__ cq_policy par = cq_policy();
const __device__ cq_policy par_nosync = cq_policy();
template <class CqD> using execution_policy = thrust::execution_policy<CqD>;
typedef any_system_tag tag;
}
namespace cuda_cub { using thrust::cuda::par; using thrust::cuda::par_nosync; }
namespace omp { const __device__ cq_policy par = cq_policy(); }
namespace cpp { const __device__ cq_policy par = cq_policy(); }
namespace system { namespace cuda { using thrust::cuda::par; using thrust::cuda::par_nosync; struct tag {}; namespace experimental { template <class CqT> using pinned_allocator = std::allocator<CqT>; } } }
template <class CqX, class CqR> using cq_if_policy = typename std::enable_if<std::is_base_of<execution_policy_base, __remove_cvref(CqX)>::value, CqR>::type;
typedef any_system_tag device_system_tag;
typedef any_system_tag host_system_tag;
// Function objects
template <class CqA, class CqR> struct unary_function { typedef CqA argument_type; typedef CqR result_type; };
template <class CqA, class CqB, class CqR> struct binary_function { typedef CqA first_argument_type; typedef CqB second_argument_type; typedef CqR result_type; };
using std::plus; using std::minus; using std::multiplies; using std::divides; using std::modulus; using std::negate; using std::equal_to; using std::not_equal_to; using std::greater; using std::less;
using std::greater_equal; using std::less_equal; using std::logical_and; using std::logical_or; using std::logical_not; using std::bit_and; using std::bit_or; using std::bit_xor;
template <class CqT = void> struct identity { typedef CqT argument_type; typedef CqT result_type; constexpr const CqT &operator()(const CqT &x) const { return x; } };
template <> struct identity<void> { template <class CqT> constexpr const CqT &operator()(const CqT &x) const { return x; } };
template <class CqT = void> struct square { constexpr CqT operator()(const CqT &x) const { return x * x; } };
template <> struct square<void> { template <class CqT> constexpr CqT operator()(const CqT &x) const { return x * x; } };
template <class CqT = void> struct maximum { constexpr CqT operator()(const CqT &a, const CqT &b) const { return a < b ? b : a; } };
template <> struct maximum<void> { template <class CqT> constexpr CqT operator()(const CqT &a, const CqT &b) const { return a < b ? b : a; } };
template <class CqT = void> struct minimum { constexpr CqT operator()(const CqT &a, const CqT &b) const { return b < a ? b : a; } };
template <> struct minimum<void> { template <class CqT> constexpr CqT operator()(const CqT &a, const CqT &b) const { return b < a ? b : a; } };
template <class CqA = void, class CqB = void> struct project1st { constexpr const CqA &operator()(const CqA &a, const CqB &) const { return a; } };
template <class CqA = void, class CqB = void> struct project2nd { constexpr const CqB &operator()(const CqA &, const CqB &b) const { return b; } };
template <class CqF> struct unary_negate { CqF f; template <class CqT> bool operator()(const CqT &x) const { return !f(x); } };
template <class CqF> unary_negate<CqF> not1(CqF f) { return unary_negate<CqF>{f}; }
template <class CqF> unary_negate<CqF> not_fn(CqF f) { return unary_negate<CqF>{f}; }
// Placeholder expressions such as _1 + 2 * _2 keep only their operand types.
namespace placeholders {
template <class... CqT> struct cq_expression { template <class... CqA> constexpr auto operator()(CqA &&...arguments) const -> typename std::common_type<__decay(CqA)..., __decay(CqT)...>::type; };
const __device__ cq_expression<> _1 = cq_expression<>(), _2 = cq_expression<>(), _3 = cq_expression<>();
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator+(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator+(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator+(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator-(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator-(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator-(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator*(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator*(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator*(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator/(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator/(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator/(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator%(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator%(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator%(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator&(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator&(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator&(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator|(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator|(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator|(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator^(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator^(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator^(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator<<(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator<<(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator<<(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator>>(cq_expression<CqA...>, CqB);
template <class CqA, class... CqB> typename std::enable_if<__is_arithmetic(CqA), cq_expression<CqB..., CqA>>::type operator>>(CqA, cq_expression<CqB...>);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator>>(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator==(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator==(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator!=(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator!=(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator<(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator<(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator>(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator>(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator<=(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator<=(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator>=(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator>=(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator&&(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator&&(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA, class CqB> cq_expression<CqA..., CqB> operator||(cq_expression<CqA...>, CqB);
template <class... CqA, class... CqB> cq_expression<CqA..., CqB...> operator||(cq_expression<CqA...>, cq_expression<CqB...>);
template <class... CqA> cq_expression<CqA...> operator-(cq_expression<CqA...>);
template <class... CqA> cq_expression<CqA..., bool> operator!(cq_expression<CqA...>);
}
// Tuples and pairs are those of std, with thrust's names.
using std::get; using std::make_pair; using std::make_tuple; using std::pair; using std::swap; using std::tie; using std::tuple; using std::tuple_element; using std::tuple_size;
template <class... CqT> struct null_type_list;
struct null_type {};
// References and pointers to device memory
template <class CqT> class device_ptr;
template <class CqT> class device_reference {
  CqT *cq_target;
public:
  typedef CqT value_type;
  typedef device_ptr<CqT> pointer;
  explicit device_reference(CqT *target) : cq_target(target) {}
  device_reference(const device_reference &) = default;
  template <class CqU, class = typename std::enable_if<__is_same(const CqU, CqT)>::type> device_reference(const device_reference<CqU> &other);
  operator CqT() const { return *cq_target; }
  device_ptr<CqT> operator&() const;
  device_reference &operator=(const CqT &value) { *cq_target = value; return *this; }
  device_reference &operator=(const device_reference &other) { *cq_target = *other.cq_target; return *this; }
  template <class CqU> device_reference &operator=(const device_reference<CqU> &other) { *cq_target = static_cast<CqU>(other); return *this; }
  device_reference &operator++() { ++*cq_target; return *this; }
  CqT operator++(int) { return (*cq_target)++; }
  device_reference &operator--() { --*cq_target; return *this; }
  template <class CqU> device_reference &operator+=(const CqU &value) { *cq_target += value; return *this; }
  template <class CqU> device_reference &operator-=(const CqU &value) { *cq_target -= value; return *this; }
  template <class CqU> device_reference &operator*=(const CqU &value) { *cq_target *= value; return *this; }
  template <class CqU> device_reference &operator/=(const CqU &value) { *cq_target /= value; return *this; }
};
template <class CqC, class CqT> auto operator<<(CqC &stream, const device_reference<CqT> &r) -> decltype(stream << static_cast<CqT>(r));
template <class CqT> class device_ptr {
  CqT *cq_pointer;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef __remove_cv(CqT) value_type;
  typedef CqT element_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr pointer;
  typedef device_reference<CqT> reference;
  typedef CqT *raw_pointer;
  device_ptr() : cq_pointer(nullptr) {}
  device_ptr(decltype(nullptr)) : cq_pointer(nullptr) {}
  template <class CqU> explicit device_ptr(CqU *p) : cq_pointer(static_cast<CqT *>(p)) {}
  template <class CqU, class = typename std::enable_if<__is_convertible_to(CqU *, CqT *)>::type> device_ptr(const device_ptr<CqU> &other) : cq_pointer(other.get()) {}
  CqT *get() const { return cq_pointer; }
  device_reference<CqT> operator*() const { return device_reference<CqT>(cq_pointer); }
  device_reference<CqT> operator[](ptrdiff_t i) const { return device_reference<CqT>(cq_pointer + i); }
  CqT *operator->() const { return cq_pointer; }
  device_ptr &operator++() { ++cq_pointer; return *this; }
  device_ptr operator++(int) { return device_ptr(cq_pointer++); }
  device_ptr &operator--() { --cq_pointer; return *this; }
  device_ptr operator--(int) { return device_ptr(cq_pointer--); }
  device_ptr &operator+=(ptrdiff_t n) { cq_pointer += n; return *this; }
  device_ptr &operator-=(ptrdiff_t n) { cq_pointer -= n; return *this; }
  device_ptr operator+(ptrdiff_t n) const { return device_ptr(cq_pointer + n); }
  device_ptr operator-(ptrdiff_t n) const { return device_ptr(cq_pointer - n); }
  template <class CqU> friend ptrdiff_t operator-(const device_ptr &a, const device_ptr<CqU> &b) { return a.get() - b.get(); }
  friend device_ptr operator+(ptrdiff_t n, const device_ptr &p) { return device_ptr(p.get() + n); }
  explicit operator bool() const { return cq_pointer != nullptr; }
};
template <class CqT, class CqU> bool operator==(const device_ptr<CqT> &a, const device_ptr<CqU> &b) { return a.get() == b.get(); }
template <class CqT, class CqU> bool operator!=(const device_ptr<CqT> &a, const device_ptr<CqU> &b) { return a.get() != b.get(); }
template <class CqT, class CqU> bool operator<(const device_ptr<CqT> &a, const device_ptr<CqU> &b) { return a.get() < b.get(); }
template <> class device_ptr<void> { void *cq_pointer; public: typedef void element_type; device_ptr() : cq_pointer(nullptr) {} explicit device_ptr(void *p) : cq_pointer(p) {} void *get() const { return cq_pointer; } };
template <class CqT> device_ptr<CqT> device_pointer_cast(CqT *p) { return device_ptr<CqT>(p); }
template <class CqT> device_ptr<CqT> device_pointer_cast(const device_ptr<CqT> &p) { return p; }
template <class CqT> CqT *raw_pointer_cast(CqT *p) { return p; }
template <class CqT> CqT *raw_pointer_cast(const device_ptr<CqT> &p) { return p.get(); }
template <class CqT> CqT &raw_reference_cast(CqT &r) { return r; }
template <class CqT> CqT &raw_reference_cast(const device_reference<CqT> &r);
template <class CqT> device_ptr<CqT> device_malloc(size_t count);
device_ptr<void> device_malloc(size_t bytes);
template <class CqT> void device_free(device_ptr<CqT> p);
template <class CqT> device_ptr<CqT> device_new(size_t count = 1);
template <class CqT> void device_delete(device_ptr<CqT> p, size_t count = 0);
template <class CqT, class CqElement> using pointer = device_ptr<CqT>;
template <class CqT> class device_allocator : public std::allocator<CqT> { public: template <class CqU> struct rebind { typedef device_allocator<CqU> other; }; device_ptr<CqT> allocate(size_t count); void deallocate(device_ptr<CqT> p, size_t count); };
template <class CqT> using device_malloc_allocator = device_allocator<CqT>;
template <class CqI> ptrdiff_t distance(CqI first, CqI last) { return last - first; }
template <class CqI, class CqN> void advance(CqI &i, CqN n) { i += n; }
template <class CqI> CqI next(CqI i, ptrdiff_t n = 1) { return i + n; }
template <class CqI> CqI prev(CqI i, ptrdiff_t n = 1) { return i - n; }
CQ_END_CXX
}
#endif
