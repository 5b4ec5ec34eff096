#ifndef CQ_STD_MEMORY_H
#define CQ_STD_MEMORY_H
#include <cq_algobase.h>
#include <new>
namespace std {
CQ_BEGIN_CXX
template <class T> class allocator {
public:
  typedef T value_type;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef true_type propagate_on_container_move_assignment;
  typedef true_type is_always_equal;
  template <class U> struct rebind { typedef allocator<U> other; };
  constexpr allocator() noexcept {}
  template <class U> constexpr allocator(const allocator<U> &) noexcept {}
  T *allocate(size_t count, const void *hint = nullptr);
  void deallocate(T *data, size_t count);
  template <class U, class... A> void construct(U *place, A &&...arguments);
  template <class U> void destroy(U *place);
  size_t max_size() const noexcept;
  friend bool operator==(const allocator &, const allocator &) noexcept { return true; }
  friend bool operator!=(const allocator &, const allocator &) noexcept { return false; }
};
template <> class allocator<void> { public: typedef void value_type; typedef void *pointer; template <class U> struct rebind { typedef allocator<U> other; }; };
template <class P> struct pointer_traits;
template <class T> struct pointer_traits<T *> { typedef T *pointer; typedef T element_type; typedef ptrdiff_t difference_type; template <class U> using rebind = U *; static T *pointer_to(T &r) noexcept { return __builtin_addressof(r); } };
template <class A, class U> struct cq_rebind;
template <template <class, class...> class A, class T, class... Rest, class U> struct cq_rebind<A<T, Rest...>, U> { typedef A<U, Rest...> type; };
template <class A> struct allocator_traits {
  typedef A allocator_type;
  typedef typename A::value_type value_type;
  typedef value_type *pointer;
  typedef const value_type *const_pointer;
  typedef void *void_pointer;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef true_type propagate_on_container_copy_assignment;
  typedef true_type propagate_on_container_move_assignment;
  typedef true_type propagate_on_container_swap;
  typedef true_type is_always_equal;
  template <class U> using rebind_alloc = typename cq_rebind<A, U>::type;
  template <class U> using rebind_traits = allocator_traits<rebind_alloc<U>>;
  static pointer allocate(A &a, size_t count);
  static void deallocate(A &a, pointer data, size_t count);
  template <class T, class... B> static void construct(A &a, T *place, B &&...arguments);
  template <class T> static void destroy(A &a, T *place);
  static size_t max_size(const A &a) noexcept;
  static A select_on_container_copy_construction(const A &a);
};
struct allocator_arg_t { explicit allocator_arg_t() = default; };
CQ_END_CXX
}
#endif
