#ifndef CQ_COOPERATIVE_GROUPS_H
#define CQ_COOPERATIVE_GROUPS_H
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#if defined(__CUDA__)
namespace cooperative_groups {
CQ_BEGIN_CXX
struct cq_group {};
class thread_block;
template <unsigned int CqSize, class CqParent> class thread_block_tile;
class thread_group : public cq_group {
protected:
  unsigned int cq_size;
  unsigned int cq_rank;
public:
  __device__ thread_group() : cq_size(0), cq_rank(0) {}
  __device__ thread_group(unsigned int size, unsigned int rank) : cq_size(size), cq_rank(rank) {}
  __device__ thread_group(const thread_block &);
  template <unsigned int CqSize, class CqParent> __device__ thread_group(const thread_block_tile<CqSize, CqParent> &) : cq_size(CqSize), cq_rank(thread_block_tile<CqSize, CqParent>::thread_rank()) {}
  __device__ unsigned long long size() const { return cq_size; }
  __device__ unsigned long long num_threads() const { return cq_size; }
  __device__ unsigned long long thread_rank() const { return cq_rank; }
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const;
};
class thread_block : public thread_group {
public:
  typedef unsigned int arrival_token;
  __device__ thread_block() {}
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ arrival_token barrier_arrive();
  __device__ void barrier_wait(arrival_token &&token);
  __device__ void barrier_wait();
};
__device__ inline thread_group::thread_group(const thread_block &) : cq_size(thread_block::size()), cq_rank(thread_block::thread_rank()) {}
class grid_group : public cq_group {
public:
  typedef unsigned int arrival_token;
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const;
  __device__ arrival_token barrier_arrive();
  __device__ void barrier_wait(arrival_token &&token);
  __device__ static unsigned long long block_rank() { return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  __device__ static unsigned long long num_blocks() { return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z; }
  __device__ static unsigned long long size() { return num_blocks() * thread_block::size(); }
  __device__ static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  __device__ static unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
class multi_grid_group : public cq_group {
public:
  __device__ bool is_valid() const;
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long thread_rank() const;
  __device__ unsigned int grid_rank() const;
  __device__ unsigned int num_grids() const;
};
class cluster_group : public cq_group {
public:
  typedef unsigned int arrival_token;
  __device__ static void sync();
  __device__ static arrival_token barrier_arrive();
  __device__ static void barrier_wait(arrival_token &&token);
  __device__ static void barrier_wait();
  __device__ static unsigned int query_shared_rank(const void *address);
  // Another block's copy is shared memory as one's own is.
  template <class CqT> __device__ static CqT *map_shared_rank(CqT *address, int rank) { return address; }
  __device__ static dim3 block_index();
  __device__ static unsigned int block_rank();
  __device__ static dim3 thread_index();
  __device__ static unsigned int thread_rank();
  __device__ static dim3 dim_blocks();
  __device__ static unsigned int num_blocks();
  __device__ static dim3 dim_threads();
  __device__ static unsigned int num_threads();
  __device__ static unsigned int size();
};
// Objects go word by word, but for those that have shuffles of their own, as halves have.
template <class CqT, class CqShuffle> __device__ CqT cq_words(CqT value, CqShuffle &&shuffle) {
  CqT result;
  for (unsigned int word = 0; word < sizeof(CqT) / 4; word++) reinterpret_cast<unsigned int *>(&result)[word] = shuffle(reinterpret_cast<unsigned int *>(&value)[word]);
  return result;
}
template <class CqT, bool = __is_class(CqT) && sizeof(CqT) % 4 == 0> struct cq_if_words {};
template <class CqT> struct cq_if_words<CqT, true> { typedef CqT type; };
using ::__shfl_sync;
using ::__shfl_up_sync;
using ::__shfl_down_sync;
using ::__shfl_xor_sync;
template <class CqT> __device__ typename cq_if_words<CqT>::type __shfl_sync(unsigned int mask, CqT value, int lane, unsigned int width) { return cq_words(value, [=](unsigned int word) { return ::__shfl_sync(mask, word, lane, width); }); }
template <class CqT> __device__ typename cq_if_words<CqT>::type __shfl_up_sync(unsigned int mask, CqT value, unsigned int delta, unsigned int width) { return cq_words(value, [=](unsigned int word) { return ::__shfl_up_sync(mask, word, delta, width); }); }
template <class CqT> __device__ typename cq_if_words<CqT>::type __shfl_down_sync(unsigned int mask, CqT value, unsigned int delta, unsigned int width) { return cq_words(value, [=](unsigned int word) { return ::__shfl_down_sync(mask, word, delta, width); }); }
template <class CqT> __device__ typename cq_if_words<CqT>::type __shfl_xor_sync(unsigned int mask, CqT value, int lanes, unsigned int width) { return cq_words(value, [=](unsigned int word) { return ::__shfl_xor_sync(mask, word, lanes, width); }); }
template <unsigned int CqSize> struct cq_tile_operations {
  static constexpr unsigned int cq_mask = 0xffffffffu;
  template <class CqT> __device__ CqT shfl(CqT value, int lane) const { return __shfl_sync(cq_mask, value, lane, CqSize); }
  template <class CqT> __device__ CqT shfl_down(CqT value, unsigned int delta) const { return __shfl_down_sync(cq_mask, value, delta, CqSize); }
  template <class CqT> __device__ CqT shfl_up(CqT value, unsigned int delta) const { return __shfl_up_sync(cq_mask, value, delta, CqSize); }
  template <class CqT> __device__ CqT shfl_xor(CqT value, unsigned int lanes) const { return __shfl_xor_sync(cq_mask, value, static_cast<int>(lanes), CqSize); }
  __device__ int any(int predicate) const { return __any_sync(cq_mask, predicate); }
  __device__ int all(int predicate) const { return __all_sync(cq_mask, predicate); }
  __device__ unsigned int ballot(int predicate) const { return __ballot_sync(cq_mask, predicate); }
  template <class CqT> __device__ unsigned int match_any(CqT value) const { return __match_any_sync(cq_mask, value); }
  template <class CqT> __device__ unsigned int match_all(CqT value, int &predicate) const { return __match_all_sync(cq_mask, value, &predicate); }
};
template <unsigned int CqSize, class CqParent = void> class thread_block_tile : public thread_group, public cq_tile_operations<CqSize> {
public:
  __device__ thread_block_tile() {}
  template <class CqOther> __device__ thread_block_tile(const thread_block_tile<CqSize, CqOther> &) {}
  __device__ static void sync() { __syncwarp(); }
  __device__ static constexpr unsigned int size() { return CqSize; }
  __device__ static constexpr unsigned int num_threads() { return CqSize; }
  __device__ static unsigned int thread_rank() { return thread_block::thread_rank() % CqSize; }
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / CqSize; }
  __device__ static unsigned int meta_group_size() { return (thread_block::size() + CqSize - 1) / CqSize; }
};
class coalesced_group : public thread_group, public cq_tile_operations<32> {
  unsigned int cq_members;
public:
  __device__ coalesced_group() : cq_members(__activemask()) {}
  __device__ void sync() const { __syncwarp(cq_members); }
  __device__ unsigned int size() const { return static_cast<unsigned int>(__popc(cq_members)); }
  __device__ unsigned int num_threads() const { return static_cast<unsigned int>(__popc(cq_members)); }
  __device__ unsigned int thread_rank() const { return static_cast<unsigned int>(__popc(cq_members & ((1u << (thread_block::thread_rank() % 32)) - 1))); }
  __device__ unsigned int meta_group_rank() const { return 0; }
  __device__ unsigned int meta_group_size() const { return 1; }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }
__device__ inline grid_group this_grid() { return grid_group(); }
__device__ inline multi_grid_group this_multi_grid() { return multi_grid_group(); }
__device__ inline cluster_group this_cluster() { return cluster_group(); }
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(); }
template <unsigned int CqSize, class CqParent> __device__ thread_block_tile<CqSize, CqParent> tiled_partition(const CqParent &) { return thread_block_tile<CqSize, CqParent>(); }
__device__ inline thread_group tiled_partition(const thread_group &, unsigned int size) { return thread_group(size, thread_block::thread_rank() % size); }
__device__ inline thread_group tiled_partition(const thread_block &, unsigned int size) { return thread_group(size, thread_block::thread_rank() % size); }
template <class CqParent> __device__ coalesced_group labeled_partition(const CqParent &, int label);
template <class CqParent> __device__ coalesced_group binary_partition(const CqParent &, bool predicate);
template <class CqGroup> __device__ void sync(const CqGroup &group) { group.sync(); }
template <class CqGroup> __device__ unsigned long long group_size(const CqGroup &group) { return group.size(); }
template <class CqGroup> __device__ unsigned long long thread_rank(const CqGroup &group) { return group.thread_rank(); }
__device__ inline dim3 group_index(const thread_block &) { return thread_block::group_index(); }
__device__ inline dim3 thread_index(const thread_block &) { return thread_block::thread_index(); }
template <unsigned int CqSize = 1024> struct alignas(16) block_tile_memory { unsigned char cq_bytes[CqSize]; };
template <unsigned int CqSize> __device__ thread_block this_thread_block(block_tile_memory<CqSize> &) { return thread_block(); }
template <class CqGroup, class CqF> __device__ void invoke_one(const CqGroup &group, CqF &&function);
template <class CqT> struct plus { __device__ CqT operator()(CqT a, CqT b) const { return a + b; } };
template <class CqT> struct less { __device__ CqT operator()(CqT a, CqT b) const { return b < a ? b : a; } };
template <class CqT> struct greater { __device__ CqT operator()(CqT a, CqT b) const { return a < b ? b : a; } };
template <class CqT> struct bit_and { __device__ CqT operator()(CqT a, CqT b) const { return a & b; } };
template <class CqT> struct bit_or { __device__ CqT operator()(CqT a, CqT b) const { return a | b; } };
template <class CqT> struct bit_xor { __device__ CqT operator()(CqT a, CqT b) const { return a ^ b; } };
// Collectives and copies: their meaning is known by name.
// Collectives are shuffles, as on cards without instructions of their own for them.
template <class CqGroup, class CqT, class CqOperation> __device__ CqT reduce(const CqGroup &group, CqT value, CqOperation &&operation) {
  for (unsigned int distance = group.size() / 2; distance > 0; distance /= 2) value = operation(value, group.shfl_xor(value, distance));
  return value;
}
template <class CqGroup, class CqT, class CqOperation> __device__ void reduce_update_async(const CqGroup &group, CqT &target, CqT value, CqOperation &&operation);
template <class CqGroup, class CqT, class CqOperation> __device__ void reduce_store_async(const CqGroup &group, CqT *target, CqT value, CqOperation &&operation);
template <class CqGroup, class CqT, class CqOperation> __device__ CqT inclusive_scan(const CqGroup &group, CqT value, CqOperation &&operation) {
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    CqT below = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = operation(below, value);
  }
  return value;
}
template <class CqGroup, class CqT> __device__ CqT inclusive_scan(const CqGroup &group, CqT value) { return inclusive_scan(group, value, plus<CqT>()); }
template <class CqGroup, class CqT, class CqOperation> __device__ CqT exclusive_scan(const CqGroup &group, CqT value, CqOperation &&operation) {
  CqT below = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? CqT() : below;
}
template <class CqGroup, class CqT> __device__ CqT exclusive_scan(const CqGroup &group, CqT value) { return exclusive_scan(group, value, plus<CqT>()); }
template <class CqGroup, class CqT> __device__ void memcpy_async(const CqGroup &group, CqT *to, const CqT *from, size_t bytes) { cq_copy_async(to, from, bytes, group.thread_rank(), group.size()); }
template <class CqGroup, class CqT, class CqLayout> __device__ void memcpy_async(const CqGroup &group, CqT *to, const CqT *from, const CqLayout &bytes) { cq_copy_async(to, from, bytes, group.thread_rank(), group.size()); }
template <class CqGroup, class CqT, class CqU, class CqLayout> __device__ void memcpy_async(const CqGroup &group, CqT *to, const CqLayout &to_layout, const CqU *from, const CqLayout &from_layout) {
  cq_copy_async(to, from, sizeof(CqT) * (to_layout < from_layout ? to_layout : from_layout), group.thread_rank(), group.size());
}
template <class CqGroup> __device__ void wait(const CqGroup &group) { group.sync(); }
template <unsigned int CqStages, class CqGroup> __device__ void wait_prior(const CqGroup &group) { group.sync(); }
namespace experimental { using cooperative_groups::block_tile_memory; using cooperative_groups::this_thread_block; using cooperative_groups::tiled_partition; }
CQ_END_CXX
}
#endif
#endif
