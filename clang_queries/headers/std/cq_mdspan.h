#ifndef CQ_STD_MDSPAN_BODY
#define CQ_STD_MDSPAN_BODY
#include <cq_span.h>
#include <type_traits>
#if __cplusplus >= 201703L
namespace std {
CQ_BEGIN_CXX
// Extents that are known are constants of the type; only the others are stored. Members stand for bases, which libclang does not
// show of instances.
template <size_t CqPosition, class CqIndex, size_t... CqExtents> struct cq_extents;
template <size_t CqPosition, class CqIndex> struct cq_extents<CqPosition, CqIndex> {
  constexpr cq_extents() noexcept = default;
  constexpr CqIndex cq_at(size_t) const noexcept { return 1; }
};
template <size_t CqPosition, class CqIndex, size_t CqFirst, size_t... CqRest>
struct cq_extents<CqPosition, CqIndex, CqFirst, CqRest...> {
  cq_extents<CqPosition + 1, CqIndex, CqRest...> cq_rest;
  constexpr cq_extents() noexcept = default;
  template <class... CqT> constexpr cq_extents(CqIndex, CqT... rest) noexcept : cq_rest(rest...) {}
  constexpr CqIndex cq_at(size_t r) const noexcept { return r == CqPosition ? static_cast<CqIndex>(CqFirst) : cq_rest.cq_at(r); }
};
template <size_t CqPosition, class CqIndex, size_t... CqRest>
struct cq_extents<CqPosition, CqIndex, dynamic_extent, CqRest...> {
  CqIndex cq_length;
  cq_extents<CqPosition + 1, CqIndex, CqRest...> cq_rest;
  constexpr cq_extents() noexcept : cq_length(0) {}
  template <class... CqT> constexpr cq_extents(CqIndex length, CqT... rest) noexcept : cq_length(length), cq_rest(rest...) {}
  constexpr CqIndex cq_at(size_t r) const noexcept { return r == CqPosition ? cq_length : cq_rest.cq_at(r); }
};
template <class CqIndex, size_t... CqExtents> class extents {
  cq_extents<0, CqIndex, CqExtents...> cq_all;
public:
  typedef CqIndex index_type;
  typedef size_t size_type;
  typedef size_t rank_type;
  static constexpr size_t rank() noexcept { return sizeof...(CqExtents); }
  static constexpr size_t rank_dynamic() noexcept { return (size_t(0) + ... + (CqExtents == dynamic_extent)); }
  static constexpr size_t static_extent(size_t r) noexcept { size_t all[] = {CqExtents..., 1}; return all[r]; }
  constexpr CqIndex extent(size_t r) const noexcept { return cq_all.cq_at(r); }
  constexpr extents() noexcept = default;
  template <class... CqT, class = typename enable_if<(sizeof...(CqT) > 0 && sizeof...(CqT) == sizeof...(CqExtents))>::type>
  constexpr extents(CqT... lengths) noexcept : cq_all(static_cast<CqIndex>(lengths)...) {}
  template <class CqT> constexpr extents(const array<CqT, sizeof...(CqExtents)> &all) noexcept : extents(all, make_index_sequence<sizeof...(CqExtents)>()) {}
  template <class CqA, size_t... CqR> constexpr extents(const CqA &all, index_sequence<CqR...>) noexcept : cq_all(static_cast<CqIndex>(all[CqR])...) {}
  template <class CqT, class = typename enable_if<(sizeof...(CqExtents) > 1 && is_convertible<CqT, CqIndex>::value)>::type, size_t CqOpen = rank_dynamic(), class = typename enable_if<CqOpen == 1>::type>
  constexpr extents(CqT length) noexcept : cq_all((CqExtents == dynamic_extent ? static_cast<CqIndex>(length) : static_cast<CqIndex>(CqExtents))...) {}
};
template <class CqIndex, size_t CqRank, size_t... CqDone> struct cq_dextents : cq_dextents<CqIndex, CqRank - 1, CqDone..., dynamic_extent> {};
template <class CqIndex, size_t... CqDone> struct cq_dextents<CqIndex, 0, CqDone...> { typedef extents<CqIndex, CqDone...> type; };
template <class CqIndex, size_t CqRank> using dextents = typename cq_dextents<CqIndex, CqRank>::type;
template <class... CqT> extents(CqT...) -> extents<size_t, (sizeof(CqT) ? dynamic_extent : 0)...>;

// The offset of an element: lengths and indices are taken in the order in which the layout nests them.
struct layout_right {
  template <class CqE> class mapping {
    CqE cq_extents_;
  public:
    typedef CqE extents_type;
    typedef typename CqE::index_type index_type;
    constexpr mapping() noexcept = default;
    constexpr mapping(const CqE &e) noexcept : cq_extents_(e) {}
    constexpr const CqE &extents() const noexcept { return cq_extents_; }
    template <class... CqT> constexpr index_type operator()(CqT... indices) const noexcept { return cq_offset<0>(index_type(0), static_cast<index_type>(indices)...); }
    constexpr index_type stride(size_t r) const noexcept { index_type s = 1; for (size_t k = r + 1; k < CqE::rank(); ++k) s *= cq_extents_.extent(k); return s; }
    constexpr index_type required_span_size() const noexcept { index_type s = 1; for (size_t k = 0; k < CqE::rank(); ++k) s *= cq_extents_.extent(k); return s; }
  private:
    template <size_t CqR> constexpr index_type cq_offset(index_type before) const noexcept { return before; }
    template <size_t CqR, class... CqT> constexpr index_type cq_offset(index_type before, index_type first, CqT... rest) const noexcept {
      if constexpr (CqR == 0) return cq_offset<1>(first, rest...);
      else return cq_offset<CqR + 1>(before * cq_extents_.extent(CqR) + first, rest...);
    }
  };
};
struct layout_left {
  template <class CqE> class mapping {
    CqE cq_extents_;
  public:
    typedef CqE extents_type;
    typedef typename CqE::index_type index_type;
    constexpr mapping() noexcept = default;
    constexpr mapping(const CqE &e) noexcept : cq_extents_(e) {}
    constexpr const CqE &extents() const noexcept { return cq_extents_; }
    template <class... CqT> constexpr index_type operator()(CqT... indices) const noexcept { return cq_offset<0>(static_cast<index_type>(indices)...); }
    constexpr index_type stride(size_t r) const noexcept { index_type s = 1; for (size_t k = 0; k < r; ++k) s *= cq_extents_.extent(k); return s; }
    constexpr index_type required_span_size() const noexcept { index_type s = 1; for (size_t k = 0; k < CqE::rank(); ++k) s *= cq_extents_.extent(k); return s; }
  private:
    template <size_t CqR> constexpr index_type cq_offset() const noexcept { return 0; }
    template <size_t CqR, class... CqT> constexpr index_type cq_offset(index_type first, CqT... rest) const noexcept {
      if constexpr (sizeof...(CqT) == 0) return first;
      else return first + cq_extents_.extent(CqR) * cq_offset<CqR + 1>(rest...);
    }
  };
};
struct layout_stride {
  template <class CqE> class mapping {
    CqE cq_extents_;
  public:
    typedef CqE extents_type;
    typedef typename CqE::index_type index_type;
    constexpr mapping() noexcept = default;
    template <class CqT> constexpr mapping(const CqE &e, const array<CqT, CqE::rank()> &strides) noexcept : cq_extents_(e) { for (size_t k = 0; k < CqE::rank(); ++k) cq_strides[k] = strides[k]; }
    constexpr const CqE &extents() const noexcept { return cq_extents_; }
    template <class... CqT> constexpr index_type operator()(CqT... indices) const noexcept { return cq_offset<0>(static_cast<index_type>(indices)...); }
    constexpr index_type stride(size_t r) const noexcept { return cq_strides[r]; }
  private:
    template <size_t CqR> constexpr index_type cq_offset() const noexcept { return 0; }
    template <size_t CqR, class... CqT> constexpr index_type cq_offset(index_type first, CqT... rest) const noexcept { return first * cq_strides[CqR] + cq_offset<CqR + 1>(rest...); }
    index_type cq_strides[CqE::rank() ? CqE::rank() : 1];
  };
};
template <class CqT> struct default_accessor {
  typedef CqT element_type;
  typedef CqT &reference;
  typedef CqT *data_handle_type;
  constexpr default_accessor() noexcept = default;
  constexpr CqT &access(CqT *data, size_t i) const noexcept { return data[i]; }
  constexpr CqT *offset(CqT *data, size_t i) const noexcept { return data + i; }
};
template <class CqT, class CqE, class CqLayout = layout_right, class CqAccessor = default_accessor<CqT>> class mdspan {
public:
  typedef CqE extents_type;
  typedef CqLayout layout_type;
  typedef CqAccessor accessor_type;
  typedef typename CqLayout::template mapping<CqE> mapping_type;
  typedef CqT element_type;
  typedef __remove_cv(CqT) value_type;
  typedef typename CqE::index_type index_type;
  typedef size_t size_type;
  typedef size_t rank_type;
  typedef typename CqAccessor::data_handle_type data_handle_type;
  typedef typename CqAccessor::reference reference;
  constexpr mdspan() noexcept = default;
  constexpr mdspan(const mdspan &) noexcept = default;
  constexpr mdspan &operator=(const mdspan &) noexcept = default;
  constexpr explicit mdspan(data_handle_type data) : cq_data(data) {}
  constexpr mdspan(data_handle_type data, const CqE &e) : cq_data(data), cq_map(e) {}
  constexpr mdspan(data_handle_type data, const mapping_type &map) : cq_data(data), cq_map(map) {}
  constexpr mdspan(data_handle_type data, const mapping_type &map, const CqAccessor &a) : cq_data(data), cq_map(map), cq_access(a) {}
  template <class CqI, size_t CqN> constexpr mdspan(data_handle_type data, const array<CqI, CqN> &e) : cq_data(data), cq_map(CqE(e)) {}
  template <class... CqI, class = typename enable_if<(sizeof...(CqI) > 0) && (is_convertible<CqI, index_type>::value && ...)>::type>
  constexpr explicit mdspan(data_handle_type data, CqI... lengths) : cq_data(data), cq_map(CqE(static_cast<index_type>(lengths)...)) {}
  template <class CqU, class CqA, class = typename enable_if<__is_convertible_to(CqU *, CqT *)>::type> constexpr mdspan(const mdspan<CqU, CqE, CqLayout, CqA> &other) : cq_data(other.data_handle()), cq_map(other.mapping()) {}
  template <class... CqI> constexpr reference operator()(CqI... indices) const { return cq_access.access(cq_data, cq_map(indices...)); }
#if __cplusplus >= 202101L
  template <class... CqI> constexpr reference operator[](CqI... indices) const { return cq_access.access(cq_data, cq_map(indices...)); }
#else
  template <class CqI> constexpr reference operator[](CqI index) const { return cq_access.access(cq_data, cq_map(index)); }
#endif
  template <class CqI, size_t CqN> constexpr reference operator[](const array<CqI, CqN> &all) const { return cq_at(all, make_index_sequence<CqN>()); }
  static constexpr size_t rank() noexcept { return CqE::rank(); }
  static constexpr size_t rank_dynamic() noexcept { return CqE::rank_dynamic(); }
  static constexpr size_t static_extent(size_t r) noexcept { return CqE::static_extent(r); }
  constexpr index_type extent(size_t r) const noexcept { return cq_map.extents().extent(r); }
  constexpr const CqE &extents() const noexcept { return cq_map.extents(); }
  constexpr const mapping_type &mapping() const noexcept { return cq_map; }
  constexpr const CqAccessor &accessor() const noexcept { return cq_access; }
  constexpr data_handle_type data_handle() const noexcept { return cq_data; }
  constexpr index_type stride(size_t r) const { return cq_map.stride(r); }
  constexpr size_t size() const noexcept { size_t s = 1; for (size_t k = 0; k < CqE::rank(); ++k) s *= extent(k); return s; }
  constexpr bool empty() const noexcept { return size() == 0; }
private:
  template <class CqA, size_t... CqR> constexpr reference cq_at(const CqA &all, index_sequence<CqR...>) const { return cq_access.access(cq_data, cq_map(all[CqR]...)); }
  data_handle_type cq_data;
  mapping_type cq_map;
  CqAccessor cq_access;
};
template <class CqT, class... CqI, class = typename enable_if<(sizeof...(CqI) > 0) && (is_convertible<CqI, size_t>::value && ...)>::type>
mdspan(CqT *, CqI...) -> mdspan<CqT, dextents<size_t, sizeof...(CqI)>>;
template <class CqT, class CqIndex, size_t... CqExtents> mdspan(CqT *, const extents<CqIndex, CqExtents...> &) -> mdspan<CqT, extents<CqIndex, CqExtents...>>;
template <class CqT, class CqMap> mdspan(CqT *, const CqMap &) -> mdspan<CqT, typename CqMap::extents_type>;
CQ_END_CXX
}
#endif
#endif
