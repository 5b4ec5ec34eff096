#ifndef CQ_STD_ITERATOR_H
#define CQ_STD_ITERATOR_H
#include <utility>
namespace std {
CQ_BEGIN_CXX
struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
struct contiguous_iterator_tag : random_access_iterator_tag {};
template <class Category, class T, class Distance = ptrdiff_t, class Pointer = T *, class Reference = T &> struct iterator {
  typedef T value_type;
  typedef Distance difference_type;
  typedef Pointer pointer;
  typedef Reference reference;
  typedef Category iterator_category;
};
template <class Void, class I> struct cq_iterator_traits {};
template <class I> struct cq_iterator_traits<typename cq_void<typename I::iterator_category, typename I::value_type, typename I::difference_type, typename I::pointer, typename I::reference>::type, I> {
  typedef typename I::iterator_category iterator_category;
  typedef typename I::value_type value_type;
  typedef typename I::difference_type difference_type;
  typedef typename I::pointer pointer;
  typedef typename I::reference reference;
};
template <class I> struct iterator_traits : cq_iterator_traits<void, I> {};
template <class T> struct iterator_traits<T *> {
  typedef random_access_iterator_tag iterator_category;
  typedef __remove_cv(T) value_type;
  typedef ptrdiff_t difference_type;
  typedef T *pointer;
  typedef T &reference;
};
template <class I> using cq_value = typename iterator_traits<I>::value_type;
template <class I> using cq_distance = typename iterator_traits<I>::difference_type;
template <class I> using cq_is_iterator = typename cq_void<typename iterator_traits<I>::iterator_category>::type;
template <class I> class reverse_iterator {
  I current;
public:
  typedef I iterator_type;
  typedef typename iterator_traits<I>::iterator_category iterator_category;
  typedef typename iterator_traits<I>::value_type value_type;
  typedef typename iterator_traits<I>::difference_type difference_type;
  typedef typename iterator_traits<I>::pointer pointer;
  typedef typename iterator_traits<I>::reference reference;
  CQ_CONSTEXPR14 reverse_iterator() : current() {}
  CQ_CONSTEXPR14 explicit reverse_iterator(I i) : current(i) {}
  template <class J> CQ_CONSTEXPR14 reverse_iterator(const reverse_iterator<J> &other) : current(other.base()) {}
  CQ_CONSTEXPR14 I base() const { return current; }
  CQ_CONSTEXPR14 reference operator*() const { I i = current; return *--i; }
  CQ_CONSTEXPR14 pointer operator->() const { I i = current; return &*--i; }
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
template <class A, class B> CQ_CONSTEXPR14 bool operator==(const reverse_iterator<A> &a, const reverse_iterator<B> &b) { return a.base() == b.base(); }
template <class A, class B> CQ_CONSTEXPR14 bool operator!=(const reverse_iterator<A> &a, const reverse_iterator<B> &b) { return a.base() != b.base(); }
template <class A, class B> CQ_CONSTEXPR14 bool operator<(const reverse_iterator<A> &a, const reverse_iterator<B> &b) { return a.base() > b.base(); }
template <class A, class B> CQ_CONSTEXPR14 bool operator>(const reverse_iterator<A> &a, const reverse_iterator<B> &b) { return a.base() < b.base(); }
template <class A, class B> CQ_CONSTEXPR14 auto operator-(const reverse_iterator<A> &a, const reverse_iterator<B> &b) -> decltype(b.base() - a.base()) { return b.base() - a.base(); }
template <class I> CQ_CONSTEXPR14 reverse_iterator<I> make_reverse_iterator(I i) { return reverse_iterator<I>(i); }
template <class I> class move_iterator {
  I current;
public:
  typedef I iterator_type;
  typedef typename iterator_traits<I>::iterator_category iterator_category;
  typedef typename iterator_traits<I>::value_type value_type;
  typedef typename iterator_traits<I>::difference_type difference_type;
  typedef I pointer;
  typedef value_type &&reference;
  explicit move_iterator(I i) : current(i) {}
  I base() const { return current; }
  reference operator*() const { return static_cast<reference>(*current); }
  move_iterator &operator++() { ++current; return *this; }
  move_iterator operator++(int) { return move_iterator(current++); }
  friend bool operator==(const move_iterator &a, const move_iterator &b) { return a.current == b.current; }
  friend bool operator!=(const move_iterator &a, const move_iterator &b) { return a.current != b.current; }
  friend difference_type operator-(const move_iterator &a, const move_iterator &b) { return a.current - b.current; }
};
template <class I> move_iterator<I> make_move_iterator(I i) { return move_iterator<I>(i); }
template <class C> struct cq_inserter {
  typedef output_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef void reference;
  typedef C container_type;
  C *container;
};
template <class C> struct back_insert_iterator : cq_inserter<C> {
  explicit back_insert_iterator(C &c);
  template <class T> back_insert_iterator &operator=(T &&value);
  back_insert_iterator &operator*();
  back_insert_iterator &operator++();
  back_insert_iterator operator++(int);
};
template <class C> struct front_insert_iterator : cq_inserter<C> {
  explicit front_insert_iterator(C &c);
  template <class T> front_insert_iterator &operator=(T &&value);
  front_insert_iterator &operator*();
  front_insert_iterator &operator++();
  front_insert_iterator operator++(int);
};
template <class C> struct insert_iterator : cq_inserter<C> {
  insert_iterator(C &c, typename C::iterator position);
  template <class T> insert_iterator &operator=(T &&value);
  insert_iterator &operator*();
  insert_iterator &operator++();
  insert_iterator &operator++(int);
};
template <class C> back_insert_iterator<C> back_inserter(C &c);
template <class C> front_insert_iterator<C> front_inserter(C &c);
template <class C> insert_iterator<C> inserter(C &c, typename C::iterator position);
template <class I, class N> CQ_CONSTEXPR14 void advance(I &i, N n);
template <class I> CQ_CONSTEXPR14 cq_distance<I> distance(I first, I last);
template <class T> CQ_CONSTEXPR14 ptrdiff_t distance(T *first, T *last) { return last - first; }
template <class T> CQ_CONSTEXPR14 T *next(T *i, ptrdiff_t n = 1) { return i + n; }
template <class T> CQ_CONSTEXPR14 T *prev(T *i, ptrdiff_t n = 1) { return i - n; }
template <class I, class = cq_is_iterator<I>> CQ_CONSTEXPR14 I next(I i, cq_distance<I> n = 1);
template <class I, class = cq_is_iterator<I>> CQ_CONSTEXPR14 I prev(I i, cq_distance<I> n = 1);
template <class A, class B> CQ_CONSTEXPR14 void iter_swap(A a, B b) { swap(*a, *b); }
template <class T, size_t N> constexpr T *begin(T (&array)[N]) noexcept { return array; }
template <class T, size_t N> constexpr T *end(T (&array)[N]) noexcept { return array + N; }
template <class C> constexpr auto begin(C &c) -> decltype(c.begin()) { return c.begin(); }
template <class C> constexpr auto begin(const C &c) -> decltype(c.begin()) { return c.begin(); }
template <class C> constexpr auto end(C &c) -> decltype(c.end()) { return c.end(); }
template <class C> constexpr auto end(const C &c) -> decltype(c.end()) { return c.end(); }
#if __cplusplus >= 201402L
template <class C> constexpr auto cbegin(const C &c) -> decltype(std::begin(c)) { return std::begin(c); }
template <class C> constexpr auto cend(const C &c) -> decltype(std::end(c)) { return std::end(c); }
template <class C> auto rbegin(C &c) -> decltype(c.rbegin()) { return c.rbegin(); }
template <class C> auto rend(C &c) -> decltype(c.rend()) { return c.rend(); }
#endif
#if __cplusplus >= 201703L
template <class C> constexpr auto size(const C &c) -> decltype(c.size()) { return c.size(); }
template <class T, size_t N> constexpr size_t size(const T (&)[N]) noexcept { return N; }
template <class C> constexpr auto empty(const C &c) -> decltype(c.empty()) { return c.empty(); }
template <class C> constexpr auto data(C &c) -> decltype(c.data()) { return c.data(); }
template <class C> constexpr auto data(const C &c) -> decltype(c.data()) { return c.data(); }
template <class T, size_t N> constexpr T *data(T (&array)[N]) noexcept { return array; }
template <class T> constexpr const T *data(initializer_list<T> list) noexcept { return list.begin(); }
#endif
#if __cplusplus >= 202002L
template <class C> constexpr ptrdiff_t ssize(const C &c) { return static_cast<ptrdiff_t>(c.size()); }
template <class T, ptrdiff_t N> constexpr ptrdiff_t ssize(const T (&)[N]) noexcept { return N; }
template <class I> using iter_value_t = typename iterator_traits<__remove_cvref(I)>::value_type;
template <class I> using iter_reference_t = decltype(*declval<I &>());
template <class I> using iter_difference_t = typename iterator_traits<__remove_cvref(I)>::difference_type;
struct default_sentinel_t {};
inline constexpr default_sentinel_t default_sentinel{};
struct unreachable_sentinel_t {};
inline constexpr unreachable_sentinel_t unreachable_sentinel{};
#endif
CQ_END_CXX
}
#endif
