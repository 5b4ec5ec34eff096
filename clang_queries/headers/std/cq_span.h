#ifndef CQ_STD_SPAN_BODY
#define CQ_STD_SPAN_BODY
#include <array>
#if __cplusplus >= 201703L
namespace std {
CQ_BEGIN_CXX
inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);
template <class CqT, size_t CqExtent = dynamic_extent> class span {
  CqT *cq_data;
  size_t cq_size;
public:
  typedef CqT element_type;
  typedef __remove_cv(CqT) value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef CqT *pointer;
  typedef CqT &reference;
  typedef CqT *iterator;
  typedef std::reverse_iterator<iterator> reverse_iterator;
  static constexpr size_t extent = CqExtent;
  constexpr span() noexcept : cq_data(nullptr), cq_size(0) {}
  constexpr span(CqT *data, size_t count) : cq_data(data), cq_size(count) {}
  constexpr span(CqT *first, CqT *last) : cq_data(first), cq_size(last - first) {}
  template <size_t CqN> constexpr span(CqT (&a)[CqN]) noexcept : cq_data(a), cq_size(CqN) {}
  template <class CqC, class = decltype(declval<CqC &>().data()), class = decltype(declval<CqC &>().size())> constexpr span(CqC &c) : cq_data(c.data()), cq_size(c.size()) {}
  template <class CqC, class = decltype(declval<const CqC &>().size()), class = typename enable_if<__is_convertible_to(decltype(declval<const CqC &>().data()), CqT *)>::type> constexpr span(const CqC &c) : cq_data(c.data()), cq_size(c.size()) {}
  constexpr span(const span &) noexcept = default;
  constexpr span &operator=(const span &) noexcept = default;
  constexpr CqT *begin() const noexcept { return cq_data; }
  constexpr CqT *end() const noexcept { return cq_data + cq_size; }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  constexpr CqT &front() const { return cq_data[0]; }
  constexpr CqT &back() const { return cq_data[cq_size - 1]; }
  constexpr CqT &operator[](size_t i) const { return cq_data[i]; }
  constexpr CqT *data() const noexcept { return cq_data; }
  constexpr size_t size() const noexcept { return cq_size; }
  constexpr size_t size_bytes() const noexcept { return cq_size * sizeof(CqT); }
  constexpr bool empty() const noexcept { return cq_size == 0; }
  constexpr span<CqT> first(size_t n) const { return span<CqT>(cq_data, n); }
  constexpr span<CqT> last(size_t n) const { return span<CqT>(cq_data + cq_size - n, n); }
  constexpr span<CqT> subspan(size_t offset, size_t n = dynamic_extent) const { return span<CqT>(cq_data + offset, n == dynamic_extent ? cq_size - offset : n); }
};
template <class CqT, size_t CqN> span(CqT (&)[CqN]) -> span<CqT, CqN>;
template <class CqT> span(CqT *, size_t) -> span<CqT>;
template <class CqC> span(CqC &) -> span<__remove_reference_t(decltype(*declval<CqC &>().data()))>;
CQ_END_CXX
}
#endif
#endif
