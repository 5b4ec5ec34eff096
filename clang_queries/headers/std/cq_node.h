// Iterators of the node-based containers.
#ifndef CQ_STD_NODE_H
#define CQ_STD_NODE_H
#include <cq_functional.h>
#include <cq_memory.h>
#include <tuple>
namespace std {
CQ_BEGIN_CXX
template <class CqV, class CqCategory = bidirectional_iterator_tag> class cq_node_iterator {
  void *cq_node;
public:
  typedef CqCategory iterator_category;
  typedef __remove_cv(CqV) value_type;
  typedef ptrdiff_t difference_type;
  typedef CqV *pointer;
  typedef CqV &reference;
  cq_node_iterator() noexcept;
  template <class CqU, class = typename enable_if<__is_same(const CqU, CqV) && !__is_same(CqU, CqV)>::type> cq_node_iterator(const cq_node_iterator<CqU, CqCategory> &other) noexcept;
  CqV &operator*() const noexcept;
  CqV *operator->() const noexcept;
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
