#ifndef CQ_THRUST_ITERATORS_H
#define CQ_THRUST_ITERATORS_H
#include <thrust/cq_thrust.h>
namespace thrust {
CQ_BEGIN_CXX
template <class T, class System = use_default, class Traversal = use_default, class Difference = use_default> class counting_iterator {
  T cq_value;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef T reference;
  typedef void pointer;
  counting_iterator() : cq_value() {}
  explicit counting_iterator(T value) : cq_value(value) {}
  reference operator*() const { return cq_value; }
  reference operator[](ptrdiff_t n) const { return *(*this + n); }
  counting_iterator &operator++() { ++cq_value; return *this; }
  counting_iterator operator++(int) { counting_iterator old = *this; ++cq_value; return old; }
  counting_iterator &operator--() { --cq_value; return *this; }
  counting_iterator operator+(ptrdiff_t n) const { return counting_iterator(static_cast<T>(cq_value + n)); }
  counting_iterator operator-(ptrdiff_t n) const { return counting_iterator(static_cast<T>(cq_value - n)); }
  counting_iterator &operator+=(ptrdiff_t n) { return *this = *this + n; }
  counting_iterator &operator-=(ptrdiff_t n) { return *this = *this - n; }
  friend ptrdiff_t operator-(const counting_iterator &a, const counting_iterator &b) { return static_cast<ptrdiff_t>(a.cq_value) - static_cast<ptrdiff_t>(b.cq_value); }
  friend bool operator==(const counting_iterator &a, const counting_iterator &b) { return a.cq_value == b.cq_value; }
  friend bool operator!=(const counting_iterator &a, const counting_iterator &b) { return !(a.cq_value == b.cq_value); }
  friend bool operator<(const counting_iterator &a, const counting_iterator &b) { return (a - b) < 0; }
};
template <class T> counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }
template <class T, class Offset = use_default, class System = use_default> class constant_iterator {
  T cq_value;
  ptrdiff_t cq_offset;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef T reference;
  typedef void pointer;
  constant_iterator() : cq_value(), cq_offset(0) {}
  explicit constant_iterator(const T &value, ptrdiff_t offset = 0) : cq_value(value), cq_offset(offset) {}
  reference operator*() const { return cq_value; }
  reference operator[](ptrdiff_t n) const { return *(*this + n); }
  constant_iterator &operator++() { ++cq_offset; return *this; }
  constant_iterator operator++(int) { constant_iterator old = *this; ++cq_offset; return old; }
  constant_iterator &operator--() { --cq_offset; return *this; }
  constant_iterator operator+(ptrdiff_t n) const { return constant_iterator(cq_value, cq_offset + n); }
  constant_iterator operator-(ptrdiff_t n) const { return constant_iterator(cq_value, cq_offset - n); }
  constant_iterator &operator+=(ptrdiff_t n) { return *this = *this + n; }
  constant_iterator &operator-=(ptrdiff_t n) { return *this = *this - n; }
  friend ptrdiff_t operator-(const constant_iterator &a, const constant_iterator &b) { return a.cq_offset - b.cq_offset; }
  friend bool operator==(const constant_iterator &a, const constant_iterator &b) { return a.cq_offset == b.cq_offset; }
  friend bool operator!=(const constant_iterator &a, const constant_iterator &b) { return !(a.cq_offset == b.cq_offset); }
  friend bool operator<(const constant_iterator &a, const constant_iterator &b) { return (a - b) < 0; }
};
template <class T> constant_iterator<T> make_constant_iterator(T value, ptrdiff_t offset = 0) { return constant_iterator<T>(value, offset); }
template <class F, class I, class Reference = use_default, class Value = use_default> class transform_iterator {
  I cq_input;
  F cq_function;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef __remove_cvref(decltype(std::declval<F>()(*std::declval<I>()))) value_type;
  typedef ptrdiff_t difference_type;
  typedef decltype(std::declval<F>()(*std::declval<I>())) reference;
  typedef void pointer;
  transform_iterator(I input, F function) : cq_input(input), cq_function(function) {}
  I base() const { return cq_input; }
  reference operator*() const { return cq_function(*cq_input); }
  reference operator[](ptrdiff_t n) const { return *(*this + n); }
  transform_iterator &operator++() { ++cq_input; return *this; }
  transform_iterator operator++(int) { transform_iterator old = *this; ++cq_input; return old; }
  transform_iterator &operator--() { --cq_input; return *this; }
  transform_iterator operator+(ptrdiff_t n) const { return transform_iterator(cq_input + n, cq_function); }
  transform_iterator operator-(ptrdiff_t n) const { return transform_iterator(cq_input - n, cq_function); }
  transform_iterator &operator+=(ptrdiff_t n) { return *this = *this + n; }
  transform_iterator &operator-=(ptrdiff_t n) { return *this = *this - n; }
  friend ptrdiff_t operator-(const transform_iterator &a, const transform_iterator &b) { return a.cq_input - b.cq_input; }
  friend bool operator==(const transform_iterator &a, const transform_iterator &b) { return a.cq_input == b.cq_input; }
  friend bool operator!=(const transform_iterator &a, const transform_iterator &b) { return !(a.cq_input == b.cq_input); }
  friend bool operator<(const transform_iterator &a, const transform_iterator &b) { return (a - b) < 0; }
};
template <class F, class I> transform_iterator<F, I> make_transform_iterator(I input, F function) { return transform_iterator<F, I>(input, function); }
template <class E, class I> class permutation_iterator {
  E cq_elements;
  I cq_indices;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef typename std::iterator_traits<E>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<E>::reference reference;
  typedef void pointer;
  permutation_iterator(E elements, I indices) : cq_elements(elements), cq_indices(indices) {}
  reference operator*() const { return *(cq_elements + *cq_indices); }
  reference operator[](ptrdiff_t n) const { return *(*this + n); }
  permutation_iterator &operator++() { ++cq_indices; return *this; }
  permutation_iterator operator++(int) { permutation_iterator old = *this; ++cq_indices; return old; }
  permutation_iterator &operator--() { --cq_indices; return *this; }
  permutation_iterator operator+(ptrdiff_t n) const { return permutation_iterator(cq_elements, cq_indices + n); }
  permutation_iterator operator-(ptrdiff_t n) const { return permutation_iterator(cq_elements, cq_indices - n); }
  permutation_iterator &operator+=(ptrdiff_t n) { return *this = *this + n; }
  permutation_iterator &operator-=(ptrdiff_t n) { return *this = *this - n; }
  friend ptrdiff_t operator-(const permutation_iterator &a, const permutation_iterator &b) { return a.cq_indices - b.cq_indices; }
  friend bool operator==(const permutation_iterator &a, const permutation_iterator &b) { return a.cq_indices == b.cq_indices; }
  friend bool operator!=(const permutation_iterator &a, const permutation_iterator &b) { return !(a.cq_indices == b.cq_indices); }
  friend bool operator<(const permutation_iterator &a, const permutation_iterator &b) { return (a - b) < 0; }
};
template <class E, class I> permutation_iterator<E, I> make_permutation_iterator(E elements, I indices) { return permutation_iterator<E, I>(elements, indices); }
template <class I> class reverse_iterator {
  I cq_input;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef typename std::iterator_traits<I>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<I>::reference reference;
  typedef void pointer;
  explicit reverse_iterator(I input) : cq_input(input) {}
  reference operator*() const { return *(cq_input - 1); }
  reference operator[](ptrdiff_t n) const { return *(*this + n); }
  reverse_iterator &operator++() { cq_input = cq_input - 1; return *this; }
  reverse_iterator operator++(int) { reverse_iterator old = *this; cq_input = cq_input - 1; return old; }
  reverse_iterator &operator--() { cq_input = cq_input - 1; return *this; }
  reverse_iterator operator+(ptrdiff_t n) const { return reverse_iterator(cq_input - n); }
  reverse_iterator operator-(ptrdiff_t n) const { return reverse_iterator(cq_input - n); }
  reverse_iterator &operator+=(ptrdiff_t n) { return *this = *this + n; }
  reverse_iterator &operator-=(ptrdiff_t n) { return *this = *this - n; }
  friend ptrdiff_t operator-(const reverse_iterator &a, const reverse_iterator &b) { return b.cq_input - a.cq_input; }
  friend bool operator==(const reverse_iterator &a, const reverse_iterator &b) { return a.cq_input == b.cq_input; }
  friend bool operator!=(const reverse_iterator &a, const reverse_iterator &b) { return !(a.cq_input == b.cq_input); }
  friend bool operator<(const reverse_iterator &a, const reverse_iterator &b) { return (a - b) < 0; }
};
template <class I> reverse_iterator<I> make_reverse_iterator(I input) { return reverse_iterator<I>(input); }
template <class Tuple> class zip_iterator;
template <class... I> class zip_iterator<std::tuple<I...>> {
  std::tuple<I...> cq_iterators;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef std::tuple<typename std::iterator_traits<I>::value_type...> value_type;
  typedef std::tuple<typename std::iterator_traits<I>::reference...> reference;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  zip_iterator(const std::tuple<I...> &iterators) : cq_iterators(iterators) {}
  const std::tuple<I...> &get_iterator_tuple() const { return cq_iterators; }
  reference operator*() const;
  reference operator[](ptrdiff_t n) const;
  zip_iterator &operator++();
  zip_iterator operator++(int);
  zip_iterator &operator--();
  zip_iterator &operator+=(ptrdiff_t n);
  zip_iterator operator+(ptrdiff_t n) const;
  zip_iterator operator-(ptrdiff_t n) const;
  friend ptrdiff_t operator-(const zip_iterator &a, const zip_iterator &b) { return std::get<0>(a.cq_iterators) - std::get<0>(b.cq_iterators); }
  friend bool operator==(const zip_iterator &a, const zip_iterator &b) { return std::get<0>(a.cq_iterators) == std::get<0>(b.cq_iterators); }
  friend bool operator!=(const zip_iterator &a, const zip_iterator &b) { return std::get<0>(a.cq_iterators) != std::get<0>(b.cq_iterators); }
};
template <class... I> zip_iterator<std::tuple<I...>> make_zip_iterator(const std::tuple<I...> &iterators) { return zip_iterator<std::tuple<I...>>(iterators); }
template <class... I, class = typename std::enable_if<(sizeof...(I) > 1)>::type> zip_iterator<std::tuple<I...>> make_zip_iterator(I... iterators) { return zip_iterator<std::tuple<I...>>(std::tuple<I...>(iterators...)); }
template <class System = use_default> struct discard_iterator {
  typedef std::random_access_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  struct reference { template <class T> reference &operator=(const T &) { return *this; } };
  discard_iterator(ptrdiff_t offset = 0) {}
  reference operator*() const { return reference(); }
  reference operator[](ptrdiff_t) const { return reference(); }
  discard_iterator &operator++() { return *this; }
  discard_iterator operator+(ptrdiff_t) const { return *this; }
};
inline discard_iterator<> make_discard_iterator(ptrdiff_t offset = 0) { return discard_iterator<>(offset); }
template <class F, class O> class transform_output_iterator {
  F cq_function;
  O cq_output;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  struct reference { template <class T> reference &operator=(const T &value); };
  transform_output_iterator(O output, F function) : cq_function(function), cq_output(output) {}
  reference operator*() const;
  transform_output_iterator operator+(ptrdiff_t n) const;
};
template <class F, class O> transform_output_iterator<F, O> make_transform_output_iterator(O output, F function) { return transform_output_iterator<F, O>(output, function); }
// Base of user iterators: derived classes give dereference and advance.
template <class Derived, class Base, class Value = use_default, class System = use_default, class Traversal = use_default, class Reference = use_default, class Difference = use_default> class iterator_adaptor {
  Base cq_base;
protected:
  const Base &base_reference() const { return cq_base; }
  Base &base_reference() { return cq_base; }
public:
  typedef iterator_adaptor super_t;
  typedef iterator_adaptor iterator_adaptor_;
  typedef std::random_access_iterator_tag iterator_category;
  typedef typename std::iterator_traits<Base>::value_type value_type;
  typedef typename std::iterator_traits<Base>::reference reference;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  iterator_adaptor() {}
  explicit iterator_adaptor(const Base &base) : cq_base(base) {}
  const Base &base() const { return cq_base; }
  reference operator*() const;
  reference operator[](ptrdiff_t n) const;
  Derived &operator++();
  Derived operator+(ptrdiff_t n) const;
  Derived operator-(ptrdiff_t n) const;
};
struct iterator_core_access {};
CQ_END_CXX
}
#endif
