// Iterators of the node-based containers.
#ifndef CQ_STD_NODE_H
#define CQ_STD_NODE_H
#include <cq_functional.h>
#include <cq_memory.h>
namespace std {
CQ_BEGIN_CXX
template <class V, class Category = bidirectional_iterator_tag> class cq_node_iterator {
  void *cq_node;
public:
  typedef Category iterator_category;
  typedef __remove_cv(V) value_type;
  typedef ptrdiff_t difference_type;
  typedef V *pointer;
  typedef V &reference;
  cq_node_iterator() noexcept;
  template <class U, class = typename enable_if<__is_same(const U, V) && !__is_same(U, V)>::type> cq_node_iterator(const cq_node_iterator<U, Category> &other) noexcept;
  V &operator*() const noexcept;
  V *operator->() const noexcept;
  cq_node_iterator &operator++();
  cq_node_iterator operator++(int);
  cq_node_iterator &operator--();
  cq_node_iterator operator--(int);
  friend bool operator==(const cq_node_iterator &a, const cq_node_iterator &b) noexcept;
  friend bool operator!=(const cq_node_iterator &a, const cq_node_iterator &b) noexcept;
};
CQ_END_CXX
}
#endif
