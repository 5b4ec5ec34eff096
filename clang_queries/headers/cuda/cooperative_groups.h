#ifndef CQ_COOPERATIVE_GROUPS_H
#define CQ_COOPERATIVE_GROUPS_H
#include <cuda_runtime.h>
#if defined(__CUDA__)
namespace cooperative_groups {
CQ_BEGIN_CXX
struct cq_group {};
class thread_group : public cq_group {
protected:
  unsigned int cq_size;
  unsigned int cq_rank;
public:
  __device__ thread_group() : cq_size(0), cq_rank(0) {}
  __device__ thread_group(unsigned int size, unsigned int rank) : cq_size(size), cq_rank(rank) {}
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
  template <class T> __device__ static T *map_shared_rank(T *address, int rank);
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
template <unsigned int Size> struct cq_tile_operations {
  static constexpr unsigned int cq_mask = 0xffffffffu;
  template <class T> __device__ T shfl(T value, int lane) const { return __shfl_sync(cq_mask, value, lane, Size); }
  template <class T> __device__ T shfl_down(T value, unsigned int delta) const { return __shfl_down_sync(cq_mask, value, delta, Size); }
  template <class T> __device__ T shfl_up(T value, unsigned int delta) const { return __shfl_up_sync(cq_mask, value, delta, Size); }
  template <class T> __device__ T shfl_xor(T value, unsigned int lanes) const { return __shfl_xor_sync(cq_mask, value, static_cast<int>(lanes), Size); }
  __device__ int any(int predicate) const { return __any_sync(cq_mask, predicate); }
  __device__ int all(int predicate) const { return __all_sync(cq_mask, predicate); }
  __device__ unsigned int ballot(int predicate) const { return __ballot_sync(cq_mask, predicate); }
  template <class T> __device__ unsigned int match_any(T value) const { return __match_any_sync(cq_mask, value); }
  template <class T> __device__ unsigned int match_all(T value, int &predicate) const { return __match_all_sync(cq_mask, value, &predicate); }
};
template <unsigned int Size, class Parent = void> class thread_block_tile : public thread_group, public cq_tile_operations<Size> {
public:
  __device__ thread_block_tile() {}
  template <class Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &) {}
  __device__ static void sync() { __syncwarp(); }
  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static constexpr unsigned int num_threads() { return Size; }
  __device__ static unsigned int thread_rank() { return thread_block::thread_rank() % Size; }
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
  __device__ static unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
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
template <unsigned int Size, class Parent> __device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return thread_block_tile<Size, Parent>(); }
__device__ inline thread_group tiled_partition(const thread_group &, unsigned int size) { return thread_group(size, thread_block::thread_rank() % size); }
__device__ inline thread_group tiled_partition(const thread_block &, unsigned int size) { return thread_group(size, thread_block::thread_rank() % size); }
template <class Parent> __device__ coalesced_group labeled_partition(const Parent &, int label);
template <class Parent> __device__ coalesced_group binary_partition(const Parent &, bool predicate);
template <class Group> __device__ void sync(const Group &group) { group.sync(); }
template <class Group> __device__ unsigned long long group_size(const Group &group) { return group.size(); }
template <class Group> __device__ unsigned long long thread_rank(const Group &group) { return group.thread_rank(); }
__device__ inline dim3 group_index(const thread_block &) { return thread_block::group_index(); }
__device__ inline dim3 thread_index(const thread_block &) { return thread_block::thread_index(); }
template <unsigned int Size = 1024> struct alignas(16) block_tile_memory { unsigned char cq_bytes[Size]; };
template <unsigned int Size> __device__ thread_block this_thread_block(block_tile_memory<Size> &) { return thread_block(); }
template <class Group, class F> __device__ void invoke_one(const Group &group, F &&function);
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
// Collectives and copies: their meaning is known by name.
template <class Group, class T, class Operation> __device__ T reduce(const Group &group, T value, Operation &&operation);
template <class Group, class T, class Operation> __device__ void reduce_update_async(const Group &group, T &target, T value, Operation &&operation);
template <class Group, class T, class Operation> __device__ void reduce_store_async(const Group &group, T *target, T value, Operation &&operation);
template <class Group, class T, class Operation> __device__ T inclusive_scan(const Group &group, T value, Operation &&operation);
template <class Group, class T> __device__ T inclusive_scan(const Group &group, T value);
template <class Group, class T, class Operation> __device__ T exclusive_scan(const Group &group, T value, Operation &&operation);
template <class Group, class T> __device__ T exclusive_scan(const Group &group, T value);
template <class Group, class T> __device__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes);
template <class Group, class T, class Layout> __device__ void memcpy_async(const Group &group, T *to, const T *from, const Layout &bytes);
template <class Group, class T, class U, class Layout> __device__ void memcpy_async(const Group &group, T *to, const Layout &to_layout, const U *from, const Layout &from_layout);
template <class Group> __device__ void wait(const Group &group);
template <unsigned int Stages, class Group> __device__ void wait_prior(const Group &group);
namespace experimental { using cooperative_groups::block_tile_memory; using cooperative_groups::this_thread_block; using cooperative_groups::tiled_partition; }
CQ_END_CXX
}
#endif
#endif
