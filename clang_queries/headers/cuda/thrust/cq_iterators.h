#ifndef CQ_THRUST_ITERATORS_H
#define CQ_THRUST_ITERATORS_H
#include <thrust/cq_thrust.h>
namespace thrust {
CQ_BEGIN_CXX
template <class CqT, class CqSystem = use_default, class CqTraversal = use_default, class CqDifference = use_default> class counting_iterator {
  CqT cq_value;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef CqT value_type;
  typedef ptrdiff_t difference_type;
  typedef CqT reference;
  typedef void pointer;
  counting_iterator() : cq_value() {}
  explicit counting_iterator(CqT value) : cq_value(value) {}
  reference operator*() const { return cq_value; }
  reference operator[](ptrdiff_t n) const { return *(*this + n); }
  counting_iterator &operator++() { ++cq_value; return *this; }
  counting_iterator operator++(int) { counting_iterator old = *this; ++cq_value; return old; }
  counting_iterator &operator--() { --cq_value; return *this; }
  counting_iterator operator+(ptrdiff_t n) const { return counting_iterator(static_cast<CqT>(cq_value + n)); }
  counting_iterator operator-(ptrdiff_t n) const { return counting_iterator(static_cast<CqT>(cq_value - n)); }
  counting_iterator &operator+=(ptrdiff_t n) { return *this = *this + n; }
  counting_iterator &operator-=(ptrdiff_t n) { return *this = *this - n; }
  friend ptrdiff_t operator-(const counting_iterator &a, const counting_iterator &b) { return static_cast<ptrdiff_t>(a.cq_value) - static_cast<ptrdiff_t>(b.cq_value); }
  friend bool operator==(const counting_iterator &a, const counting_iterator &b) { return a.cq_value == b.cq_value; }
  friend bool operator!=(const counting_iterator &a, const counting_iterator &b) { return !(a.cq_value == b.cq_value); }
  friend bool operator<(const counting_iterator &a, const counting_iterator &b) { return (a - b) < 0; }
};
template <class CqT> counting_iterator<CqT> make_counting_iterator(CqT value) { return counting_iterator<CqT>(value); }
template <class CqT, class CqOffset = use_default, class CqSystem = use_default> class constant_iterator {
  CqT cq_value;
  ptrdiff_t cq_offset;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef CqT value_type;
  typedef ptrdiff_t difference_type;
  typedef CqT reference;
  typedef void pointer;
  constant_iterator() : cq_value(), cq_offset(0) {}
  explicit constant_iterator(const CqT &value, ptrdiff_t offset = 0) : cq_value(value), cq_offset(offset) {}
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
template <class CqT> constant_iterator<CqT> make_constant_iterator(CqT value, ptrdiff_t offset = 0) { return constant_iterator<CqT>(value, offset); }
template <class CqF, class CqI, class CqReference = use_default, class CqValue = use_default> class transform_iterator {
  CqI cq_input;
  CqF cq_function;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef __remove_cvref(decltype(std::declval<CqF>()(*std::declval<CqI>()))) value_type;
  typedef ptrdiff_t difference_type;
  typedef decltype(std::declval<CqF>()(*std::declval<CqI>())) reference;
  typedef void pointer;
  transform_iterator(CqI input, CqF function) : cq_input(input), cq_function(function) {}
  CqI base() const { return cq_input; }
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
template <class CqF, class CqI> transform_iterator<CqF, CqI> make_transform_iterator(CqI input, CqF function) { return transform_iterator<CqF, CqI>(input, function); }
template <class CqE, class CqI> class permutation_iterator {
  CqE cq_elements;
  CqI cq_indices;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef typename std::iterator_traits<CqE>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<CqE>::reference reference;
  typedef void pointer;
  permutation_iterator(CqE elements, CqI indices) : cq_elements(elements), cq_indices(indices) {}
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
template <class CqE, class CqI> permutation_iterator<CqE, CqI> make_permutation_iterator(CqE elements, CqI indices) { return permutation_iterator<CqE, CqI>(elements, indices); }
template <class CqI> class reverse_iterator {
  CqI cq_input;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef typename std::iterator_traits<CqI>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<CqI>::reference reference;
  typedef void pointer;
  explicit reverse_iterator(CqI input) : cq_input(input) {}
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
template <class CqI> reverse_iterator<CqI> make_reverse_iterator(CqI input) { return reverse_iterator<CqI>(input); }
template <class CqTuple> class zip_iterator;
template <class... CqI> class zip_iterator<std::tuple<CqI...>> {
  std::tuple<CqI...> cq_iterators;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef std::tuple<typename std::iterator_traits<CqI>::value_type...> value_type;
  typedef std::tuple<typename std::iterator_traits<CqI>::reference...> reference;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  zip_iterator(const std::tuple<CqI...> &iterators) : cq_iterators(iterators) {}
  const std::tuple<CqI...> &get_iterator_tuple() const { return cq_iterators; }
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
template <class... CqI> zip_iterator<std::tuple<CqI...>> make_zip_iterator(const std::tuple<CqI...> &iterators) { return zip_iterator<std::tuple<CqI...>>(iterators); }
template <class... CqI, class = typename std::enable_if<(sizeof...(CqI) > 1)>::type> zip_iterator<std::tuple<CqI...>> make_zip_iterator(CqI... iterators) { return zip_iterator<std::tuple<CqI...>>(std::tuple<CqI...>(iterators...)); }
template <class CqSystem = use_default> struct discard_iterator {
  typedef std::random_access_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  struct reference { template <class CqT> reference &operator=(const CqT &) { return *this; } };
  discard_iterator(ptrdiff_t offset = 0) {}
  reference operator*() const { return reference(); }
  reference operator[](ptrdiff_t) const { return reference(); }
  discard_iterator &operator++() { return *this; }
  discard_iterator operator+(ptrdiff_t) const { return *this; }
};
inline discard_iterator<> make_discard_iterator(ptrdiff_t offset = 0) { return discard_iterator<>(offset); }
template <class CqF, class CqO> class transform_output_iterator {
  CqF cq_function;
  CqO cq_output;
public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  struct reference { template <class CqT> reference &operator=(const CqT &value); };
  transform_output_iterator(CqO output, CqF function) : cq_function(function), cq_output(output) {}
  reference operator*() const;
  transform_output_iterator operator+(ptrdiff_t n) const;
};
template <class CqF, class CqO> transform_output_iterator<CqF, CqO> make_transform_output_iterator(CqO output, CqF function) { return transform_output_iterator<CqF, CqO>(output, function); }
// Base of user iterators: derived classes give dereference and advance.
template <class CqDerived, class CqBase, class CqValue = use_default, class CqSystem = use_default, class CqTraversal = use_default, class CqReference = use_default, class CqDifference = use_default> class iterator_adaptor {
  CqBase cq_base;
protected:
  const CqBase &base_reference() const { return cq_base; }
  CqBase &base_reference() { return cq_base; }
public:
  typedef iterator_adaptor super_t;
  typedef iterator_adaptor iterator_adaptor_;
  typedef std::random_access_iterator_tag iterator_category;
  typedef typename std::iterator_traits<CqBase>::value_type value_type;
  typedef typename std::iterator_traits<CqBase>::reference reference;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  iterator_adaptor() {}
  explicit iterator_adaptor(const CqBase &base) : cq_base(base) {}
  const CqBase &base() const { return cq_base; }
  reference operator*() const;
  reference operator[](ptrdiff_t n) const;
  CqDerived &operator++();
  CqDerived operator+(ptrdiff_t n) const;
  CqDerived operator-(ptrdiff_t n) const;
};
struct iterator_core_access {};
CQ_END_CXX
}
#endif
