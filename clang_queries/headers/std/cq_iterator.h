#ifndef CQ_STD_ITERATOR_H
#define CQ_STD_ITERATOR_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <iterator>
#else
#include <utility>
namespace std {
CQ_BEGIN_CXX
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
struct contiguous_iterator_tag : random_access_iterator_tag {};
template <class CqCategory, class CqT, class CqDistance = ptrdiff_t, class CqPointer = CqT *, class CqReference = CqT &> struct iterator {
  typedef CqT value_type;
  typedef CqDistance difference_type;
  typedef CqPointer pointer;
  typedef CqReference reference;
  typedef CqCategory iterator_category;
};
template <class CqVoid, class CqI> struct cq_iterator_traits {};
template <class CqI> struct cq_iterator_traits<typename cq_void<typename CqI::iterator_category, typename CqI::value_type, typename CqI::difference_type, typename CqI::pointer, typename CqI::reference>::type, CqI> {
  typedef typename CqI::iterator_category iterator_category;
  typedef typename CqI::value_type value_type;
  typedef typename CqI::difference_type difference_type;
  typedef typename CqI::pointer pointer;
  typedef typename CqI::reference reference;
};
template <class CqI> struct iterator_traits : cq_iterator_traits<void, CqI> {};
template <class CqT> struct iterator_traits<CqT *> {
  typedef random_access_iterator_tag iterator_category;
  typedef __remove_cv(CqT) value_type;
  typedef ptrdiff_t difference_type;
  typedef CqT *pointer;
  typedef CqT &reference;
};
template <class CqI> using cq_value = typename iterator_traits<CqI>::value_type;
template <class CqI> using cq_distance = typename iterator_traits<CqI>::difference_type;
template <class CqI> using cq_is_iterator = typename cq_void<typename iterator_traits<CqI>::iterator_category>::type;
template <class CqI> class reverse_iterator {
  CqI current;
public:
  typedef CqI iterator_type;
  typedef typename iterator_traits<CqI>::iterator_category iterator_category;
  typedef typename iterator_traits<CqI>::value_type value_type;
  typedef typename iterator_traits<CqI>::difference_type difference_type;
  typedef typename iterator_traits<CqI>::pointer pointer;
  typedef typename iterator_traits<CqI>::reference reference;
  CQ_CONSTEXPR14 reverse_iterator() : current() {}
  CQ_CONSTEXPR14 explicit reverse_iterator(CqI i) : current(i) {}
  template <class CqJ> CQ_CONSTEXPR14 reverse_iterator(const reverse_iterator<CqJ> &other) : current(other.base()) {}
  CQ_CONSTEXPR14 CqI base() const { return current; }
  CQ_CONSTEXPR14 reference operator*() const { CqI i = current; return *--i; }
  CQ_CONSTEXPR14 pointer operator->() const { CqI i = current; return &*--i; }
  CQ_CONSTEXPR14 reverse_iterator &operator++() { --current; return *this; }
  CQ_CONSTEXPR14 reverse_iterator operator++(int) { reverse_iterator old = *this; --current; return old; }
  CQ_CONSTEXPR14 reverse_iterator &operator--() { ++current; return *this; }
  CQ_CONSTEXPR14 reverse_iterator operator--(int) { reverse_iterator old = *this; ++current; return old; }
  CQ_CONSTEXPR14 reverse_iterator operator+(difference_type n) const { return reverse_iterator(current - n); }
  CQ_CONSTEXPR14 reverse_iterator operator-(difference_type n) const { return reverse_iterator(current + n); }
  CQ_CONSTEXPR14 reverse_iterator &operator+=(difference_type n) { current -= n; return *this; }
  CQ_CONSTEXPR14 reverse_iterator &operator-=(difference_type n) { current += n; return *this; }
  CQ_CONSTEXPR14 reference operator[](difference_type n) const { return *(*this + n); }
};
template <class CqA, class CqB> CQ_CONSTEXPR14 bool operator==(const reverse_iterator<CqA> &a, const reverse_iterator<CqB> &b) { return a.base() == b.base(); }
template <class CqA, class CqB> CQ_CONSTEXPR14 bool operator!=(const reverse_iterator<CqA> &a, const reverse_iterator<CqB> &b) { return a.base() != b.base(); }
template <class CqA, class CqB> CQ_CONSTEXPR14 bool operator<(const reverse_iterator<CqA> &a, const reverse_iterator<CqB> &b) { return a.base() > b.base(); }
template <class CqA, class CqB> CQ_CONSTEXPR14 bool operator>(const reverse_iterator<CqA> &a, const reverse_iterator<CqB> &b) { return a.base() < b.base(); }
template <class CqA, class CqB> CQ_CONSTEXPR14 auto operator-(const reverse_iterator<CqA> &a, const reverse_iterator<CqB> &b) -> decltype(b.base() - a.base()) { return b.base() - a.base(); }
template <class CqI> CQ_CONSTEXPR14 reverse_iterator<CqI> make_reverse_iterator(CqI i) { return reverse_iterator<CqI>(i); }
template <class CqI> class move_iterator {
  CqI current;
public:
  typedef CqI iterator_type;
  typedef typename iterator_traits<CqI>::iterator_category iterator_category;
  typedef typename iterator_traits<CqI>::value_type value_type;
  typedef typename iterator_traits<CqI>::difference_type difference_type;
  typedef CqI pointer;
  typedef value_type &&reference;
  explicit move_iterator(CqI i) : current(i) {}
  CqI base() const { return current; }
  reference operator*() const { return static_cast<reference>(*current); }
  move_iterator &operator++() { ++current; return *this; }
  move_iterator operator++(int) { return move_iterator(current++); }
  friend bool operator==(const move_iterator &a, const move_iterator &b) { return a.current == b.current; }
  friend bool operator!=(const move_iterator &a, const move_iterator &b) { return a.current != b.current; }
  friend difference_type operator-(const move_iterator &a, const move_iterator &b) { return a.current - b.current; }
};
template <class CqI> move_iterator<CqI> make_move_iterator(CqI i) { return move_iterator<CqI>(i); }
template <class CqC> struct cq_inserter {
  typedef output_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef void reference;
  typedef CqC container_type;
  CqC *container;
};
template <class CqC> struct back_insert_iterator : cq_inserter<CqC> {
  explicit back_insert_iterator(CqC &c);
  template <class CqT> back_insert_iterator &operator=(CqT &&value);
  back_insert_iterator &operator*();
  back_insert_iterator &operator++();
  back_insert_iterator operator++(int);
};
template <class CqC> struct front_insert_iterator : cq_inserter<CqC> {
  explicit front_insert_iterator(CqC &c);
  template <class CqT> front_insert_iterator &operator=(CqT &&value);
  front_insert_iterator &operator*();
  front_insert_iterator &operator++();
  front_insert_iterator operator++(int);
};
template <class CqC> struct insert_iterator : cq_inserter<CqC> {
  insert_iterator(CqC &c, typename CqC::iterator position);
  template <class CqT> insert_iterator &operator=(CqT &&value);
  insert_iterator &operator*();
  insert_iterator &operator++();
  insert_iterator &operator++(int);
};
template <class CqC> back_insert_iterator<CqC> back_inserter(CqC &c);
template <class CqC> front_insert_iterator<CqC> front_inserter(CqC &c);
template <class CqC> insert_iterator<CqC> inserter(CqC &c, typename CqC::iterator position);
template <class CqI, class CqN> CQ_CONSTEXPR14 void advance(CqI &i, CqN n);
template <class CqI> CQ_CONSTEXPR14 cq_distance<CqI> distance(CqI first, CqI last);
template <class CqT> CQ_CONSTEXPR14 ptrdiff_t distance(CqT *first, CqT *last) { return last - first; }
template <class CqT> CQ_CONSTEXPR14 CqT *next(CqT *i, ptrdiff_t n = 1) { return i + n; }
template <class CqT> CQ_CONSTEXPR14 CqT *prev(CqT *i, ptrdiff_t n = 1) { return i - n; }
template <class CqI, class = cq_is_iterator<CqI>> CQ_CONSTEXPR14 CqI next(CqI i, cq_distance<CqI> n = 1);
template <class CqI, class = cq_is_iterator<CqI>> CQ_CONSTEXPR14 CqI prev(CqI i, cq_distance<CqI> n = 1);
template <class CqA, class CqB> CQ_CONSTEXPR14 void iter_swap(CqA a, CqB b) { swap(*a, *b); }
template <class CqT, size_t CqN> constexpr CqT *begin(CqT (&array)[CqN]) noexcept { return array; }
template <class CqT, size_t CqN> constexpr CqT *end(CqT (&array)[CqN]) noexcept { return array + CqN; }
template <class CqC> constexpr auto begin(CqC &c) -> decltype(c.begin()) { return c.begin(); }
template <class CqC> constexpr auto begin(const CqC &c) -> decltype(c.begin()) { return c.begin(); }
template <class CqC> constexpr auto end(CqC &c) -> decltype(c.end()) { return c.end(); }
template <class CqC> constexpr auto end(const CqC &c) -> decltype(c.end()) { return c.end(); }
#if __cplusplus >= 201402L
template <class CqC> constexpr auto cbegin(const CqC &c) -> decltype(std::begin(c)) { return std::begin(c); }
template <class CqC> constexpr auto cend(const CqC &c) -> decltype(std::end(c)) { return std::end(c); }
template <class CqC> auto rbegin(CqC &c) -> decltype(c.rbegin()) { return c.rbegin(); }
template <class CqC> auto rend(CqC &c) -> decltype(c.rend()) { return c.rend(); }
#endif
#if __cplusplus >= 201703L
template <class CqC> constexpr auto size(const CqC &c) -> decltype(c.size()) { return c.size(); }
template <class CqT, size_t CqN> constexpr size_t size(const CqT (&)[CqN]) noexcept { return CqN; }
template <class CqC> constexpr auto empty(const CqC &c) -> decltype(c.empty()) { return c.empty(); }
template <class CqC> constexpr auto data(CqC &c) -> decltype(c.data()) { return c.data(); }
template <class CqC> constexpr auto data(const CqC &c) -> decltype(c.data()) { return c.data(); }
template <class CqT, size_t CqN> constexpr CqT *data(CqT (&array)[CqN]) noexcept { return array; }
template <class CqT> constexpr const CqT *data(initializer_list<CqT> list) noexcept { return list.begin(); }
#endif
#if __cplusplus >= 202002L
template <class CqC> constexpr ptrdiff_t ssize(const CqC &c) { return static_cast<ptrdiff_t>(c.size()); }
template <class CqT, ptrdiff_t CqN> constexpr ptrdiff_t ssize(const CqT (&)[CqN]) noexcept { return CqN; }
template <class CqI> using iter_value_t = typename iterator_traits<__remove_cvref(CqI)>::value_type;
template <class CqI> using iter_reference_t = decltype(*declval<CqI &>());
template <class CqI> using iter_difference_t = typename iterator_traits<__remove_cvref(CqI)>::difference_type;
struct default_sentinel_t {};
inline constexpr default_sentinel_t default_sentinel{};
struct unreachable_sentinel_t {};
inline constexpr unreachable_sentinel_t unreachable_sentinel{};
#endif
CQ_END_CXX
}
#endif
#endif
