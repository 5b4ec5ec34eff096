#ifndef CQ_STD_MEMORY_H
#define CQ_STD_MEMORY_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <memory>
#else
#include <cq_algobase.h>
#include <new>
namespace std {
CQ_BEGIN_CXX
template <class CqT> class allocator {
public:
  typedef CqT value_type;
  typedef CqT *pointer;
  typedef const CqT *const_pointer;
  typedef CqT &reference;
  typedef const CqT &const_reference;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef true_type propagate_on_container_move_assignment;
  typedef true_type is_always_equal;
  template <class CqU> struct rebind { typedef allocator<CqU> other; };
  constexpr allocator() noexcept {}
  template <class CqU> constexpr allocator(const allocator<CqU> &) noexcept {}
  CqT *allocate(size_t count, const void *hint = nullptr);
  void deallocate(CqT *data, size_t count);
  template <class CqU, class... CqA> void construct(CqU *place, CqA &&...arguments);
  template <class CqU> void destroy(CqU *place);
  size_t max_size() const noexcept;
  friend bool operator==(const allocator &, const allocator &) noexcept { return true; }
  friend bool operator!=(const allocator &, const allocator &) noexcept { return false; }
};
template <> class allocator<void> { public: typedef void value_type; typedef void *pointer; template <class CqU> struct rebind { typedef allocator<CqU> other; }; };
template <class CqP> struct pointer_traits;
template <class CqT> struct pointer_traits<CqT *> { typedef CqT *pointer; typedef CqT element_type; typedef ptrdiff_t difference_type; template <class CqU> using rebind = CqU *; static CqT *pointer_to(CqT &r) noexcept { return __builtin_addressof(r); } };
template <class CqA, class CqU> struct cq_rebind;
template <template <class, class...> class CqA, class CqT, class... CqRest, class CqU> struct cq_rebind<CqA<CqT, CqRest...>, CqU> { typedef CqA<CqU, CqRest...> type; };
template <class CqA> struct allocator_traits {
  typedef CqA allocator_type;
  typedef typename CqA::value_type value_type;
  typedef value_type *pointer;
  typedef const value_type *const_pointer;
  typedef void *void_pointer;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef true_type propagate_on_container_copy_assignment;
  typedef true_type propagate_on_container_move_assignment;
  typedef true_type propagate_on_container_swap;
  typedef true_type is_always_equal;
  template <class CqU> using rebind_alloc = typename cq_rebind<CqA, CqU>::type;
  template <class CqU> using rebind_traits = allocator_traits<rebind_alloc<CqU>>;
  static pointer allocate(CqA &a, size_t count);
  static void deallocate(CqA &a, pointer data, size_t count);
  template <class CqT, class... CqB> static void construct(CqA &a, CqT *place, CqB &&...arguments);
  template <class CqT> static void destroy(CqA &a, CqT *place);
  static size_t max_size(const CqA &a) noexcept;
  static CqA select_on_container_copy_construction(const CqA &a);
};
struct allocator_arg_t { explicit allocator_arg_t() = default; };
CQ_END_CXX
}
#endif
#endif
