#ifndef CQ_CUB_H
#define CQ_CUB_H
// Warp and block collectives are class templates with the storage they need and members that do what the real ones do, so
// that work and traffic count; merge sorts, segmented reductions and device-wide algorithms are declarations.
#include <cuda_runtime.h>
#include <chrono>
#include <cq_iterator.h>
#include <type_traits>
#if defined(__CUDA__)
#define CUB_VERSION 200800
#define CUB_PTX_ARCH 800
#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(arch) 32
#define CUB_LOG_WARP_THREADS(arch) 5
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) { exit(1); }
namespace cub {
CQ_BEGIN_CXX
cudaError_t Debug(cudaError_t error, const char *file, int line);
struct NullType {};
template <int CqN> struct Int2Type { static constexpr int VALUE = CqN; };
template <bool CqC, class CqA, class CqB> struct If { typedef typename std::conditional<CqC, CqA, CqB>::type Type; };
template <class CqA, class CqB> struct Equals { static constexpr bool VALUE = std::is_same<CqA, CqB>::value; static constexpr bool NEGATE = !VALUE; };
template <int CqN> struct PowerOfTwo { static constexpr bool VALUE = (CqN & (CqN - 1)) == 0; };
template <int CqN, int CqCurrent = CqN, int CqCount = 0> struct Log2 { static constexpr int VALUE = Log2<CqN, (CqCurrent >> 1), CqCount + 1>::VALUE; };
template <int CqN, int CqCount> struct Log2<CqN, 0, CqCount> { static constexpr int VALUE = (1 << (CqCount - 1)) < CqN ? CqCount : CqCount - 1; };
template <class CqK, class CqV> struct KeyValuePair {
  typedef CqK Key;
  typedef CqV Value;
  CqK key;
  CqV value;
  KeyValuePair() = default;
  KeyValuePair(const CqK &k, const CqV &v) : key(k), value(v) {}
  bool operator!=(const KeyValuePair &other) const { return key != other.key || value != other.value; }
};
struct Sum { template <class CqA, class CqB> constexpr auto operator()(const CqA &a, const CqB &b) const -> decltype(a + b) { return a + b; } };
struct Difference { template <class CqA, class CqB> constexpr auto operator()(const CqA &a, const CqB &b) const -> decltype(a - b) { return a - b; } };
struct Division { template <class CqA, class CqB> constexpr auto operator()(const CqA &a, const CqB &b) const -> decltype(a / b) { return a / b; } };
struct Max { template <class CqT> constexpr CqT operator()(const CqT &a, const CqT &b) const { return a < b ? b : a; } };
struct Min { template <class CqT> constexpr CqT operator()(const CqT &a, const CqT &b) const { return b < a ? b : a; } };
struct ArgMax { template <class CqT> CqT operator()(const CqT &a, const CqT &b) const { return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct ArgMin { template <class CqT> CqT operator()(const CqT &a, const CqT &b) const { return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct Equality { template <class CqA, class CqB> constexpr bool operator()(const CqA &a, const CqB &b) const { return a == b; } };
struct Inequality { template <class CqA, class CqB> constexpr bool operator()(const CqA &a, const CqB &b) const { return a != b; } };
template <class CqT> struct CastOp { template <class CqA> constexpr CqT operator()(const CqA &a) const { return static_cast<CqT>(a); } };
template <class CqT> struct alignas(CqT) Uninitialized { unsigned char storage[sizeof(CqT)]; CqT &Alias() { return reinterpret_cast<CqT &>(*this); } };
template <class CqT> struct DoubleBuffer {
  CqT *d_buffers[2];
  int selector;
  DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  DoubleBuffer(CqT *current, CqT *alternate) : d_buffers{current, alternate}, selector(0) {}
  CqT *Current() { return d_buffers[selector]; }
  CqT *Alternate() { return d_buffers[selector ^ 1]; }
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier CqModifier, class CqI> typename std::iterator_traits<CqI>::value_type ThreadLoad(CqI address) { return *address; }
template <CacheStoreModifier CqModifier, class CqO, class CqT> void ThreadStore(CqO address, CqT value) { *address = value; }
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
inline unsigned int LaneId() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32; }
inline unsigned int WarpId() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32; }
inline int RowMajorTid(int x, int y, int z) { return static_cast<int>((threadIdx.z * y + threadIdx.y) * x + threadIdx.x); }
inline unsigned int LaneMaskLt() { return (1u << LaneId()) - 1; }
unsigned int LaneMaskLe();
unsigned int LaneMaskGt();
unsigned int LaneMaskGe();
unsigned int WarpMask(unsigned int warp);
unsigned int BFE(unsigned long long source, unsigned int start, unsigned int bits);
int SHR_ADD(unsigned int x, unsigned int shift, unsigned int addend);
int PRMT(unsigned int a, unsigned int b, unsigned int selector);
void CTA_SYNC();
int CTA_SYNC_AND(int predicate);
void WARP_SYNC(unsigned int mask);
template <int CqThreads, class CqT> CqT ShuffleUp(CqT value, int offset, int first, unsigned int mask);
template <int CqThreads, class CqT> CqT ShuffleDown(CqT value, int offset, int last, unsigned int mask);
template <int CqThreads, class CqT> CqT ShuffleIndex(CqT value, int lane, unsigned int mask);
template <class CqA, class CqB> constexpr CqA DivideAndRoundUp(CqA a, CqB b) { return (a + b - 1) / b; }
cudaError_t PtxVersion(int &version);
cudaError_t SmVersion(int &version, int device = 0);
template <class CqK> cudaError_t MaxSmOccupancy(int &blocks, CqK kernel, int threads, int shared_bytes = 0);
template <class CqT, int CqN, class CqI> void LoadDirectBlocked(int thread, CqI from, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) items[item] = from[thread * CqN + item]; }
template <class CqT, int CqN, class CqI> void LoadDirectBlocked(int thread, CqI from, CqT (&items)[CqN], int valid) { for (int item = 0; item < CqN; ++item) if (thread * CqN + item < valid) items[item] = from[thread * CqN + item]; }
template <class CqT, int CqN, class CqI, class CqD> void LoadDirectBlocked(int thread, CqI from, CqT (&items)[CqN], int valid, CqD other) { for (int item = 0; item < CqN; ++item) items[item] = thread * CqN + item < valid ? from[thread * CqN + item] : other; }
template <class CqT, int CqN, class CqI> void LoadDirectWarpStriped(int thread, CqI from, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) items[item] = from[thread / 32 * 32 * CqN + item * 32 + thread % 32]; }
template <class CqT, int CqN, class CqI> void LoadDirectWarpStriped(int thread, CqI from, CqT (&items)[CqN], int valid) { for (int item = 0; item < CqN; ++item) if (thread / 32 * 32 * CqN + item * 32 + thread % 32 < valid) items[item] = from[thread / 32 * 32 * CqN + item * 32 + thread % 32]; }
template <class CqT, int CqN, class CqI, class CqD> void LoadDirectWarpStriped(int thread, CqI from, CqT (&items)[CqN], int valid, CqD other) { for (int item = 0; item < CqN; ++item) items[item] = thread / 32 * 32 * CqN + item * 32 + thread % 32 < valid ? from[thread / 32 * 32 * CqN + item * 32 + thread % 32] : other; }
template <class CqT, int CqN> void LoadDirectBlockedVectorized(int thread, CqT *from, CqT (&items)[CqN]);
template <int CqThreads, class CqT, int CqN, class CqI> void LoadDirectStriped(int thread, CqI from, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) items[item] = from[item * CqThreads + thread]; }
template <int CqThreads, class CqT, int CqN, class CqI> void LoadDirectStriped(int thread, CqI from, CqT (&items)[CqN], int valid) { for (int item = 0; item < CqN; ++item) if (item * CqThreads + thread < valid) items[item] = from[item * CqThreads + thread]; }
template <int CqThreads, class CqT, int CqN, class CqI, class CqD> void LoadDirectStriped(int thread, CqI from, CqT (&items)[CqN], int valid, CqD other) { for (int item = 0; item < CqN; ++item) items[item] = item * CqThreads + thread < valid ? from[item * CqThreads + thread] : other; }
template <class CqT, int CqN, class CqO> void StoreDirectBlocked(int thread, CqO to, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) to[thread * CqN + item] = items[item]; }
template <class CqT, int CqN, class CqO> void StoreDirectBlocked(int thread, CqO to, CqT (&items)[CqN], int valid) { for (int item = 0; item < CqN; ++item) if (thread * CqN + item < valid) to[thread * CqN + item] = items[item]; }
template <class CqT, int CqN, class CqO> void StoreDirectWarpStriped(int thread, CqO to, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) to[thread / 32 * 32 * CqN + item * 32 + thread % 32] = items[item]; }
template <class CqT, int CqN, class CqO> void StoreDirectWarpStriped(int thread, CqO to, CqT (&items)[CqN], int valid) { for (int item = 0; item < CqN; ++item) if (thread / 32 * 32 * CqN + item * 32 + thread % 32 < valid) to[thread / 32 * 32 * CqN + item * 32 + thread % 32] = items[item]; }
template <class CqT, int CqN> void StoreDirectBlockedVectorized(int thread, CqT *to, CqT (&items)[CqN]);
template <int CqThreads, class CqT, int CqN, class CqO> void StoreDirectStriped(int thread, CqO to, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) to[item * CqThreads + thread] = items[item]; }
template <int CqThreads, class CqT, int CqN, class CqO> void StoreDirectStriped(int thread, CqO to, CqT (&items)[CqN], int valid) { for (int item = 0; item < CqN; ++item) if (item * CqThreads + thread < valid) to[item * CqThreads + thread] = items[item]; }
// Block and warp reductions have bodies (shuffles, one partial result a warp in shared memory), so that their work counts.
template <class CqT> CqT cq_lane_below(const CqT &value, int) { return value; }
inline int cq_lane_below(int value, int distance) { return __shfl_down_sync(0xffffffffu, value, distance); }
inline unsigned cq_lane_below(unsigned value, int distance) { return __shfl_down_sync(0xffffffffu, value, distance); }
inline long long cq_lane_below(long long value, int distance) { return __shfl_down_sync(0xffffffffu, value, distance); }
inline unsigned long long cq_lane_below(unsigned long long value, int distance) { return __shfl_down_sync(0xffffffffu, value, distance); }
inline float cq_lane_below(float value, int distance) { return __shfl_down_sync(0xffffffffu, value, distance); }
inline double cq_lane_below(double value, int distance) { return __shfl_down_sync(0xffffffffu, value, distance); }
template <class CqT> CqT cq_lane_above(const CqT &value, int) { return value; }
inline int cq_lane_above(int value, int distance) { return __shfl_up_sync(0xffffffffu, value, distance); }
inline unsigned cq_lane_above(unsigned value, int distance) { return __shfl_up_sync(0xffffffffu, value, distance); }
inline long long cq_lane_above(long long value, int distance) { return __shfl_up_sync(0xffffffffu, value, distance); }
inline unsigned long long cq_lane_above(unsigned long long value, int distance) { return __shfl_up_sync(0xffffffffu, value, distance); }
inline float cq_lane_above(float value, int distance) { return __shfl_up_sync(0xffffffffu, value, distance); }
inline double cq_lane_above(double value, int distance) { return __shfl_up_sync(0xffffffffu, value, distance); }
struct CqAddition { template <class CqU> CqU operator()(const CqU &a, const CqU &b) const { return a + b; } };
struct CqMaximum { template <class CqU> CqU operator()(const CqU &a, const CqU &b) const { return a < b ? b : a; } };
struct CqMinimum { template <class CqU> CqU operator()(const CqU &a, const CqU &b) const { return b < a ? b : a; } };
template <class CqT, int CqX, BlockReduceAlgorithm CqAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockReduce {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * ((CqX * CqY * CqZ + 31) / 32) + sizeof(CqT)]; };
  BlockReduce() : cq_partials(nullptr) {}
  explicit BlockReduce(TempStorage &storage) : cq_partials(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <class CqF> CqT Reduce(CqT input, CqF operation) {
    const unsigned thread = threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z);
    CqT value = input;
    for (int distance = 16; distance > 0; distance /= 2) value = operation(value, cq_lane_below(value, distance));
    if (thread % 32 == 0) cq_partials[thread / 32] = value;
    __syncthreads();
    if (thread == 0)
      for (int warp = 1; warp < (CqX * CqY * CqZ + 31) / 32; ++warp) value = operation(value, cq_partials[warp]);
    return value;
  }
  template <class CqF> CqT Reduce(CqT input, CqF operation, int) { return Reduce(input, operation); }
  template <int CqN, class CqF> CqT Reduce(CqT (&inputs)[CqN], CqF operation) {
    CqT value = inputs[0];
    for (int item = 1; item < CqN; ++item) value = operation(value, inputs[item]);
    return Reduce(value, operation);
  }
  CqT Sum(CqT input) { return Reduce(input, CqAddition()); }
  CqT Sum(CqT input, int) { return Reduce(input, CqAddition()); }
  template <int CqN> CqT Sum(CqT (&inputs)[CqN]) { return Reduce(inputs, CqAddition()); }
private:
  CqT *cq_partials;
};
template <class CqT, int CqX, BlockScanAlgorithm CqAlgorithm = BLOCK_SCAN_RAKING, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockScan {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqX * CqY * CqZ + (CqX * CqY * CqZ + 31) / 32)]; };
  BlockScan() : cq_partials(nullptr) {}
  explicit BlockScan(TempStorage &storage) : cq_partials(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  // The inclusive scan of the block, what lies before this thread, and the sum of all.
  template <class CqF> CqT cq_scan(CqT input, CqF operation, CqT &before, CqT &total) {
    return CqAlgorithm == BLOCK_SCAN_WARP_SCANS ? cq_scan_warps(input, operation, before, total) : cq_rake(input, operation, before, total);
  }
  // Everything goes through shared memory, where one warp scans a run of values with each lane.
  template <class CqF> CqT cq_rake(CqT input, CqF operation, CqT &before, CqT &total) {
    constexpr int run = (CqX * CqY * CqZ + 31) / 32;
    const int thread = threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z);
    cq_partials[thread] = input;
    __syncthreads();
    if (thread < 32) {
      CqT *mine = cq_partials + thread * run;
      CqT items[run];
      for (int item = 0; item < run; ++item) items[item] = mine[item];
      CqT sum = items[0];
      for (int item = 1; item < run; ++item) sum = operation(sum, items[item]);
      for (int distance = 1; distance < 32; distance *= 2) {
        CqT below = cq_lane_above(sum, distance);
        if (thread >= distance) sum = operation(below, sum);
      }
      CqT running = cq_lane_above(sum, 1);
      for (int item = 0; item < run; ++item) {
        mine[item] = running;
        running = operation(running, items[item]);
      }
    }
    __syncthreads();
    before = cq_partials[thread];
    total = cq_partials[CqX * CqY * CqZ - 1];
    return operation(before, input);
  }
  // Warp by warp with shuffles.
  template <class CqF> CqT cq_scan_warps(CqT input, CqF operation, CqT &before, CqT &total) {
    const int thread = threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z);
    CqT value = input;
    for (int distance = 1; distance < 32; distance *= 2) {
      CqT below = cq_lane_above(value, distance);
      if (thread % 32 >= distance) value = operation(below, value);
    }
    if (thread % 32 == 31) cq_partials[thread / 32] = value;
    before = cq_lane_above(value, 1);
    __syncthreads();
    total = cq_partials[0];
    CqT warps = total;
    for (int warp = 1; warp < (CqX * CqY * CqZ + 31) / 32; ++warp) {
      if (warp == thread / 32) warps = total;
      total = operation(total, cq_partials[warp]);
    }
    if (thread >= 32) {
      value = operation(warps, value);
      before = thread % 32 == 0 ? warps : operation(warps, before);
    }
    return value;
  }
  template <class CqF> void cq_one(CqT input, CqT &output, CqF operation, CqT &total) { CqT before; output = cq_scan(input, operation, before, total); }
  template <class CqF> void cq_one_before(CqT input, CqT &output, CqT initial, CqF operation, CqT &total) {
    CqT before;
    cq_scan(input, operation, before, total);
    output = threadIdx.x + threadIdx.y + threadIdx.z == 0 ? initial : operation(initial, before);
  }
  template <int CqN, class CqF> void cq_many(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqF operation, CqT &total) {
    CqT sum = inputs[0];
    for (int item = 1; item < CqN; ++item) sum = operation(sum, inputs[item]);
    CqT before;
    cq_scan(sum, operation, before, total);
    CqT running = threadIdx.x + threadIdx.y + threadIdx.z == 0 ? inputs[0] : operation(before, inputs[0]);
    outputs[0] = running;
    for (int item = 1; item < CqN; ++item) outputs[item] = running = operation(running, inputs[item]);
  }
  template <int CqN, class CqF> void cq_many_before(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqT initial, CqF operation, CqT &total) {
    CqT sum = inputs[0];
    for (int item = 1; item < CqN; ++item) sum = operation(sum, inputs[item]);
    CqT before;
    cq_scan(sum, operation, before, total);
    CqT running = threadIdx.x + threadIdx.y + threadIdx.z == 0 ? initial : operation(initial, before);
    for (int item = 0; item < CqN; ++item) {
      CqT next = operation(running, inputs[item]);
      outputs[item] = running;
      running = next;
    }
  }
  void ExclusiveSum(CqT input, CqT &output) { CqT total; cq_one_before(input, output, CqT(), CqAddition(), total); }
  void ExclusiveSum(CqT input, CqT &output, CqT &total) { cq_one_before(input, output, CqT(), CqAddition(), total); }
  template <class CqP> void ExclusiveSum(CqT input, CqT &output, CqP &prefix_callback) { CqT total; cq_one_before(input, output, CqT(), CqAddition(), total); output = prefix_callback(total) + output; }
  template <int CqN> void ExclusiveSum(CqT (&inputs)[CqN], CqT (&outputs)[CqN]) { CqT total; cq_many_before(inputs, outputs, CqT(), CqAddition(), total); }
  template <int CqN> void ExclusiveSum(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqT &total) { cq_many_before(inputs, outputs, CqT(), CqAddition(), total); }
  template <int CqN, class CqP> void ExclusiveSum(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqP &prefix_callback) { CqT total; cq_many_before(inputs, outputs, CqT(), CqAddition(), total); CqT prefix = prefix_callback(total); for (int item = 0; item < CqN; ++item) outputs[item] = prefix + outputs[item]; }
  void InclusiveSum(CqT input, CqT &output) { CqT total; cq_one(input, output, CqAddition(), total); }
  void InclusiveSum(CqT input, CqT &output, CqT &total) { cq_one(input, output, CqAddition(), total); }
  template <class CqP> void InclusiveSum(CqT input, CqT &output, CqP &prefix_callback) { CqT total; cq_one(input, output, CqAddition(), total); output = prefix_callback(total) + output; }
  template <int CqN> void InclusiveSum(CqT (&inputs)[CqN], CqT (&outputs)[CqN]) { CqT total; cq_many(inputs, outputs, CqAddition(), total); }
  template <int CqN> void InclusiveSum(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqT &total) { cq_many(inputs, outputs, CqAddition(), total); }
  template <int CqN, class CqP> void InclusiveSum(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqP &prefix_callback) { CqT total; cq_many(inputs, outputs, CqAddition(), total); CqT prefix = prefix_callback(total); for (int item = 0; item < CqN; ++item) outputs[item] = prefix + outputs[item]; }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqT initial, CqF operation) { CqT total; cq_one_before(input, output, initial, operation, total); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqT initial, CqF operation, CqT &total) { cq_one_before(input, output, initial, operation, total); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqF operation) { CqT total; cq_one_before(input, output, CqT(), operation, total); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqF operation, CqT &total) { cq_one_before(input, output, CqT(), operation, total); }
  template <class CqF, class CqP> void ExclusiveScan(CqT input, CqT &output, CqF operation, CqP &prefix_callback) { CqT total; cq_one_before(input, output, CqT(), operation, total); output = operation(prefix_callback(total), output); }
  template <int CqN, class CqF> void ExclusiveScan(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqT initial, CqF operation) { CqT total; cq_many_before(inputs, outputs, initial, operation, total); }
  template <int CqN, class CqF> void ExclusiveScan(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqT initial, CqF operation, CqT &total) { cq_many_before(inputs, outputs, initial, operation, total); }
  template <int CqN, class CqF, class CqP> void ExclusiveScan(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqF operation, CqP &prefix_callback) { CqT total; cq_many_before(inputs, outputs, CqT(), operation, total); CqT prefix = prefix_callback(total); for (int item = 0; item < CqN; ++item) outputs[item] = operation(prefix, outputs[item]); }
  template <class CqF> void InclusiveScan(CqT input, CqT &output, CqF operation) { CqT total; cq_one(input, output, operation, total); }
  template <class CqF> void InclusiveScan(CqT input, CqT &output, CqF operation, CqT &total) { cq_one(input, output, operation, total); }
  template <class CqF, class CqP> void InclusiveScan(CqT input, CqT &output, CqF operation, CqP &prefix_callback) { CqT total; cq_one(input, output, operation, total); output = operation(prefix_callback(total), output); }
  template <int CqN, class CqF> void InclusiveScan(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqF operation) { CqT total; cq_many(inputs, outputs, operation, total); }
  template <int CqN, class CqF> void InclusiveScan(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqF operation, CqT &total) { cq_many(inputs, outputs, operation, total); }
  template <int CqN, class CqF, class CqP> void InclusiveScan(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqF operation, CqP &prefix_callback) { CqT total; cq_many(inputs, outputs, operation, total); CqT prefix = prefix_callback(total); for (int item = 0; item < CqN; ++item) outputs[item] = operation(prefix, outputs[item]); }
private:
  CqT *cq_partials;
};
// The order in which the threads of a block touch the items of a tile: each its own (blocked), or all in turn (striped).
template <class CqT, int CqN> struct alignas(sizeof(CqT) * CqN) cq_pack { CqT items[CqN]; };
template <bool CqIsTaken> struct cq_packed_move {
  template <class CqT, class CqU, int CqN> static void load(CqU *from, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) items[item] = from[item]; }
  template <class CqT, int CqN> static void store(CqT *to, CqT (&items)[CqN]) { for (int item = 0; item < CqN; ++item) to[item] = items[item]; }
};
template <> struct cq_packed_move<true> {
  template <class CqT, class CqU, int CqN> static void load(CqU *from, CqT (&items)[CqN]) { *reinterpret_cast<cq_pack<CqT, CqN> *>(items) = *reinterpret_cast<const cq_pack<CqT, CqN> *>(from); }
  template <class CqT, int CqN> static void store(CqT *to, CqT (&items)[CqN]) { *reinterpret_cast<cq_pack<CqT, CqN> *>(to) = *reinterpret_cast<cq_pack<CqT, CqN> *>(items); }
};
template <class CqT, int CqX, int CqN, BlockLoadAlgorithm CqAlgorithm = BLOCK_LOAD_DIRECT, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockLoad {
  static constexpr int cq_threads = CqX * CqY * CqZ;
  static constexpr bool cq_transposes = CqAlgorithm == BLOCK_LOAD_TRANSPOSE || CqAlgorithm == BLOCK_LOAD_WARP_TRANSPOSE || CqAlgorithm == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;
  static constexpr bool cq_strides = cq_transposes || CqAlgorithm == BLOCK_LOAD_STRIPED;
  static constexpr bool cq_packs = CqAlgorithm == BLOCK_LOAD_VECTORIZE && (sizeof(CqT) * CqN == 4 || sizeof(CqT) * CqN == 8 || sizeof(CqT) * CqN == 16);
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  static int cq_place(int item) { return cq_strides ? cq_thread() + item * cq_threads : cq_thread() * CqN + item; }
  void cq_transpose(CqT (&items)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_thread() + item * cq_threads] = items[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) items[item] = cq_items[cq_thread() * CqN + item];
  }
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (cq_transposes ? cq_threads * CqN : 1)]; };
  BlockLoad() : cq_items(nullptr) {}
  explicit BlockLoad(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <class CqI> void Load(CqI from, CqT (&items)[CqN]) {
    for (int item = 0; item < CqN; ++item) items[item] = from[cq_place(item)];
    if (cq_transposes) cq_transpose(items);
  }
  template <class CqU> void Load(CqU *from, CqT (&items)[CqN]) {
    if (cq_packs) {
      cq_packed_move<cq_packs>::load(from + cq_thread() * CqN, items);
    } else {
      for (int item = 0; item < CqN; ++item) items[item] = from[cq_place(item)];
      if (cq_transposes) cq_transpose(items);
    }
  }
  template <class CqI> void Load(CqI from, CqT (&items)[CqN], int valid) {
    for (int item = 0; item < CqN; ++item)
      if (cq_place(item) < valid) items[item] = from[cq_place(item)];
    if (cq_transposes) cq_transpose(items);
  }
  template <class CqI, class CqD> void Load(CqI from, CqT (&items)[CqN], int valid, CqD other) {
    for (int item = 0; item < CqN; ++item) items[item] = other;
    Load(from, items, valid);
  }
private:
  CqT *cq_items;
};
template <class CqT, int CqX, int CqN, BlockStoreAlgorithm CqAlgorithm = BLOCK_STORE_DIRECT, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockStore {
  static constexpr int cq_threads = CqX * CqY * CqZ;
  static constexpr bool cq_transposes = CqAlgorithm == BLOCK_STORE_TRANSPOSE || CqAlgorithm == BLOCK_STORE_WARP_TRANSPOSE || CqAlgorithm == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;
  static constexpr bool cq_strides = cq_transposes || CqAlgorithm == BLOCK_STORE_STRIPED;
  static constexpr bool cq_packs = CqAlgorithm == BLOCK_STORE_VECTORIZE && (sizeof(CqT) * CqN == 4 || sizeof(CqT) * CqN == 8 || sizeof(CqT) * CqN == 16);
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  static int cq_place(int item) { return cq_strides ? cq_thread() + item * cq_threads : cq_thread() * CqN + item; }
  void cq_transpose(CqT (&items)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_thread() * CqN + item] = items[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) items[item] = cq_items[cq_thread() + item * cq_threads];
  }
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (cq_transposes ? cq_threads * CqN : 1)]; };
  BlockStore() : cq_items(nullptr) {}
  explicit BlockStore(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <class CqO> void Store(CqO to, CqT (&items)[CqN]) {
    if (cq_transposes) cq_transpose(items);
    for (int item = 0; item < CqN; ++item) to[cq_place(item)] = items[item];
  }
  void Store(CqT *to, CqT (&items)[CqN]) {
    if (cq_packs) {
      cq_packed_move<cq_packs>::store(to + cq_thread() * CqN, items);
    } else {
      if (cq_transposes) cq_transpose(items);
      for (int item = 0; item < CqN; ++item) to[cq_place(item)] = items[item];
    }
  }
  template <class CqO> void Store(CqO to, CqT (&items)[CqN], int valid) {
    if (cq_transposes) cq_transpose(items);
    for (int item = 0; item < CqN; ++item)
      if (cq_place(item) < valid) to[cq_place(item)] = items[item];
  }
private:
  CqT *cq_items;
};
template <class CqT, int CqX, int CqN, bool CqTimeSliced = false, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockExchange {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqX * CqY * CqZ * CqN + CqX * CqY * CqZ * CqN / 32)]; };
  BlockExchange() : cq_items(nullptr) {}
  explicit BlockExchange(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  // Out to shared memory in one order and back in another; warps that exchange among themselves keep to a part of their own.
  static int cq_blocked(int item) { return cq_thread() * CqN + item; }
  static int cq_striped(int item) { return item * (CqX * CqY * CqZ) + cq_thread(); }
  static int cq_warp_striped(int item) { return cq_thread() / 32 * 32 * CqN + item * 32 + cq_thread() % 32; }
  template <class CqU> void StripedToBlocked(const CqT (&inputs)[CqN], CqU (&outputs)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_striped(item)] = inputs[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_blocked(item)];
  }
  void StripedToBlocked(CqT (&items)[CqN]) { StripedToBlocked(items, items); }
  template <class CqU> void BlockedToStriped(const CqT (&inputs)[CqN], CqU (&outputs)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_blocked(item)] = inputs[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_striped(item)];
  }
  void BlockedToStriped(CqT (&items)[CqN]) { BlockedToStriped(items, items); }
  template <class CqU> void WarpStripedToBlocked(const CqT (&inputs)[CqN], CqU (&outputs)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_warp_striped(item)] = inputs[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_blocked(item)];
  }
  void WarpStripedToBlocked(CqT (&items)[CqN]) { WarpStripedToBlocked(items, items); }
  template <class CqU> void BlockedToWarpStriped(const CqT (&inputs)[CqN], CqU (&outputs)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_blocked(item)] = inputs[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_warp_striped(item)];
  }
  void BlockedToWarpStriped(CqT (&items)[CqN]) { BlockedToWarpStriped(items, items); }
  template <class CqR> void cq_scatter(const CqT (&inputs)[CqN], CqR (&ranks)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[ranks[item]] = inputs[item];
    __syncthreads();
  }
  template <class CqU, class CqR> void ScatterToBlocked(const CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqR (&ranks)[CqN]) {
    cq_scatter(inputs, ranks);
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_blocked(item)];
  }
  template <class CqR> void ScatterToBlocked(CqT (&items)[CqN], CqR (&ranks)[CqN]) { ScatterToBlocked(items, items, ranks); }
  template <class CqU, class CqR> void ScatterToStriped(const CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqR (&ranks)[CqN]) {
    cq_scatter(inputs, ranks);
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_striped(item)];
  }
  template <class CqR> void ScatterToStriped(CqT (&items)[CqN], CqR (&ranks)[CqN]) { ScatterToStriped(items, items, ranks); }
  template <class CqU, class CqR> void ScatterToStripedGuarded(const CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqR (&ranks)[CqN]) {
    for (int item = 0; item < CqN; ++item)
      if (ranks[item] >= 0) cq_items[ranks[item]] = inputs[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_striped(item)];
  }
  template <class CqR> void ScatterToStripedGuarded(CqT (&items)[CqN], CqR (&ranks)[CqN]) { ScatterToStripedGuarded(items, items, ranks); }
  template <class CqU, class CqR, class CqV> void ScatterToStripedFlagged(const CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqR (&ranks)[CqN], CqV (&valid)[CqN]) {
    for (int item = 0; item < CqN; ++item)
      if (valid[item]) cq_items[ranks[item]] = inputs[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_striped(item)];
  }
private:
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  CqT *cq_items;
};
// A pass for each group of bits: counters of every digit and thread in shared memory, their scan, and an exchange.
template <class CqK, int CqX, int CqN, class CqV = NullType, int CqRadixBits = 4, bool CqMemoizeOuterScan = true, BlockScanAlgorithm CqInner = BLOCK_SCAN_WARP_SCANS, cudaSharedMemConfig CqConfig = cudaSharedMemBankSizeFourByte, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockRadixSort {
  static constexpr int cq_threads = CqX * CqY * CqZ;
  static constexpr int cq_lanes = (1 << CqRadixBits) / 2;
  typedef BlockScan<unsigned int, CqX, CqInner, CqY, CqZ> cq_scan;
  typedef typename std::conditional<(sizeof(CqK) > 4), unsigned long long, unsigned int>::type cq_word;
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  static unsigned int cq_digit(const CqK &key, int bit) { return static_cast<unsigned int>(*reinterpret_cast<const cq_word *>(&key) >> bit) & ((1u << CqRadixBits) - 1); }
  void cq_rank(CqK (&keys)[CqN], unsigned int (&ranks)[CqN], int bit) {
    for (int lane = 0; lane < cq_lanes; ++lane) cq_counters[lane * cq_threads + cq_thread()] = 0;
    for (int item = 0; item < CqN; ++item) {
      unsigned int digit = cq_digit(keys[item], bit);
      unsigned int place = (digit % cq_lanes) * cq_threads + cq_thread();
      unsigned int shift = digit / cq_lanes * 16;
      unsigned int count = cq_counters[place];
      ranks[item] = count >> shift & 0xffff;
      cq_counters[place] = count + (1u << shift);
    }
    __syncthreads();
    unsigned int own[cq_lanes];
    for (int lane = 0; lane < cq_lanes; ++lane) own[lane] = cq_counters[cq_thread() * cq_lanes + lane];
    cq_scan(*reinterpret_cast<typename cq_scan::TempStorage *>(cq_keys)).ExclusiveSum(own, own);
    for (int lane = 0; lane < cq_lanes; ++lane) cq_counters[cq_thread() * cq_lanes + lane] = own[lane];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) {
      unsigned int digit = cq_digit(keys[item], bit);
      ranks[item] += cq_counters[(digit % cq_lanes) * cq_threads + cq_thread()] >> digit / cq_lanes * 16 & 0xffff;
    }
    __syncthreads();
  }
  template <class CqU> void cq_exchange(CqU (&items)[CqN], unsigned int (&ranks)[CqN], bool is_striped) {
    CqU *shared = reinterpret_cast<CqU *>(cq_keys);
    for (int item = 0; item < CqN; ++item) shared[ranks[item]] = items[item];
    __syncthreads();
    for (int item = 0; item < CqN; ++item) items[item] = shared[is_striped ? cq_thread() + item * cq_threads : cq_thread() * CqN + item];
    __syncthreads();
  }
  void cq_sort(CqK (&keys)[CqN], int begin_bit, int end_bit, bool is_striped) {
    for (int bit = begin_bit; bit < end_bit; bit += CqRadixBits) {
      unsigned int ranks[CqN];
      cq_rank(keys, ranks, bit);
      cq_exchange(keys, ranks, is_striped && bit + CqRadixBits >= end_bit);
    }
  }
  template <class CqW> void cq_sort(CqK (&keys)[CqN], CqW (&values)[CqN], int begin_bit, int end_bit, bool is_striped) {
    for (int bit = begin_bit; bit < end_bit; bit += CqRadixBits) {
      unsigned int ranks[CqN];
      cq_rank(keys, ranks, bit);
      cq_exchange(keys, ranks, is_striped && bit + CqRadixBits >= end_bit);
      cq_exchange(values, ranks, is_striped && bit + CqRadixBits >= end_bit);
    }
  }
public:
  struct alignas(CqK) TempStorage { unsigned char cq_bytes[sizeof(CqK) * (cq_threads * CqN) + sizeof(unsigned int) * ((cq_threads + 32) * cq_lanes)]; };
  BlockRadixSort() : cq_keys(nullptr), cq_counters(nullptr) {}
  explicit BlockRadixSort(TempStorage &storage) : cq_keys(storage.cq_bytes), cq_counters(reinterpret_cast<unsigned int *>(storage.cq_bytes + sizeof(CqK) * (cq_threads * CqN))) {}
  void Sort(CqK (&keys)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, begin_bit, end_bit, false); }
  template <class CqW> void Sort(CqK (&keys)[CqN], CqW (&values)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, values, begin_bit, end_bit, false); }
  void SortDescending(CqK (&keys)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, begin_bit, end_bit, false); }
  template <class CqW> void SortDescending(CqK (&keys)[CqN], CqW (&values)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, values, begin_bit, end_bit, false); }
  void SortBlockedToStriped(CqK (&keys)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, begin_bit, end_bit, true); }
  template <class CqW> void SortBlockedToStriped(CqK (&keys)[CqN], CqW (&values)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, values, begin_bit, end_bit, true); }
  void SortDescendingBlockedToStriped(CqK (&keys)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, begin_bit, end_bit, true); }
  template <class CqW> void SortDescendingBlockedToStriped(CqK (&keys)[CqN], CqW (&values)[CqN], int begin_bit = 0, int end_bit = sizeof(CqK) * 8) { cq_sort(keys, values, begin_bit, end_bit, true); }
private:
  unsigned char *cq_keys;
  unsigned int *cq_counters;
};
template <class CqK, int CqX, int CqN, class CqV = NullType, int CqY = 1, int CqZ = 1> class BlockMergeSort {
public:
  struct alignas(CqK) TempStorage { unsigned char cq_bytes[sizeof(CqK) * (CqX * CqY * CqZ * CqN + 1)]; };
  BlockMergeSort();
  explicit BlockMergeSort(TempStorage &storage);
  template <class CqF> void Sort(CqK (&keys)[CqN], CqF less);
  template <class CqF> void Sort(CqK (&keys)[CqN], CqF less, int valid, CqK other);
  template <class CqW, class CqF> void Sort(CqK (&keys)[CqN], CqW (&values)[CqN], CqF less);
  template <class CqW, class CqF> void Sort(CqK (&keys)[CqN], CqW (&values)[CqN], CqF less, int valid, CqK other);
  template <class CqF> void StableSort(CqK (&keys)[CqN], CqF less);
  template <class CqW, class CqF> void StableSort(CqK (&keys)[CqN], CqW (&values)[CqN], CqF less);
private:
  TempStorage *cq_storage;
};
template <class CqK, int CqN, int CqThreads = 32, class CqV = NullType, int CqArch = 0> class WarpMergeSort {
public:
  struct alignas(CqK) TempStorage { unsigned char cq_bytes[sizeof(CqK) * (CqThreads * CqN + 1)]; };
  WarpMergeSort();
  explicit WarpMergeSort(TempStorage &storage);
  template <class CqF> void Sort(CqK (&keys)[CqN], CqF less);
  template <class CqF> void Sort(CqK (&keys)[CqN], CqF less, int valid, CqK other);
  template <class CqW, class CqF> void Sort(CqK (&keys)[CqN], CqW (&values)[CqN], CqF less);
  template <class CqW, class CqF> void Sort(CqK (&keys)[CqN], CqW (&values)[CqN], CqF less, int valid, CqK other);
  template <class CqF> void StableSort(CqK (&keys)[CqN], CqF less);
  template <class CqW, class CqF> void StableSort(CqK (&keys)[CqN], CqW (&values)[CqN], CqF less);
private:
  TempStorage *cq_storage;
};
template <class CqT, int CqX, int CqN, int CqBins, BlockHistogramAlgorithm CqAlgorithm = BLOCK_HISTO_SORT, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockHistogram {
public:
  typedef BlockRadixSort<CqT, CqX, CqN> cq_sort;
  static constexpr bool cq_sorts = CqAlgorithm == BLOCK_HISTO_SORT;
  struct alignas(unsigned int) TempStorage { unsigned char cq_bytes[cq_sorts ? sizeof(typename cq_sort::TempStorage) : sizeof(unsigned int)]; };
  BlockHistogram() : cq_storage(nullptr) {}
  explicit BlockHistogram(TempStorage &storage) : cq_storage(&storage) {}
  template <class CqC> void InitHistogram(CqC *histogram) {
    for (int bin = cq_thread(); bin < CqBins; bin += CqX * CqY * CqZ) histogram[bin] = 0;
  }
  template <class CqC> void Composite(CqT (&items)[CqN], CqC *histogram) {
    if (cq_sorts) cq_sort(reinterpret_cast<typename cq_sort::TempStorage &>(*cq_storage)).Sort(items);
    for (int item = 0; item < CqN; ++item) atomicAdd(histogram + items[item], 1);
  }
  template <class CqC> void Histogram(CqT (&items)[CqN], CqC *histogram) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
private:
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  TempStorage *cq_storage;
};
template <class CqT, int CqX, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockDiscontinuity {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqX * CqY * CqZ) + sizeof(CqT) * (CqX * CqY * CqZ)]; };
  BlockDiscontinuity() : cq_items(nullptr) {}
  explicit BlockDiscontinuity(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  // Each thread leaves its first or last item for its neighbour; the item before or after the block is given or flagged.
  template <int CqN, class CqF, class CqO> void FlagHeads(CqF (&flags)[CqN], CqT (&items)[CqN], CqO operation) {
    cq_items[cq_thread()] = items[CqN - 1];
    __syncthreads();
    flags[0] = cq_thread() == 0 ? 1 : operation(cq_items[cq_thread() - 1], items[0]);
    for (int item = 1; item < CqN; ++item) flags[item] = operation(items[item - 1], items[item]);
  }
  template <int CqN, class CqF, class CqO> void FlagHeads(CqF (&flags)[CqN], CqT (&items)[CqN], CqO operation, CqT neighbour) {
    FlagHeads(flags, items, operation);
    if (cq_thread() == 0) flags[0] = operation(neighbour, items[0]);
  }
  template <int CqN, class CqF, class CqO> void FlagTails(CqF (&flags)[CqN], CqT (&items)[CqN], CqO operation) {
    cq_items[cq_thread()] = items[0];
    __syncthreads();
    for (int item = 0; item + 1 < CqN; ++item) flags[item] = operation(items[item], items[item + 1]);
    flags[CqN - 1] = cq_thread() == CqX * CqY * CqZ - 1 ? 1 : operation(items[CqN - 1], cq_items[cq_thread() + 1]);
  }
  template <int CqN, class CqF, class CqO> void FlagTails(CqF (&flags)[CqN], CqT (&items)[CqN], CqO operation, CqT neighbour) {
    FlagTails(flags, items, operation);
    if (cq_thread() == CqX * CqY * CqZ - 1) flags[CqN - 1] = operation(items[CqN - 1], neighbour);
  }
  template <int CqN, class CqF, class CqO> void FlagHeadsAndTails(CqF (&heads)[CqN], CqF (&tails)[CqN], CqT (&items)[CqN], CqO operation) {
    FlagHeads(heads, items, operation);
    __syncthreads();
    FlagTails(tails, items, operation);
  }
private:
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  CqT *cq_items;
};
template <class CqT, int CqX, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockAdjacentDifference {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqX * CqY * CqZ) + sizeof(CqT) * (CqX * CqY * CqZ)]; };
  BlockAdjacentDifference() : cq_items(nullptr) {}
  explicit BlockAdjacentDifference(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <int CqN, class CqU, class CqO> void SubtractLeft(CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqO operation) {
    cq_items[cq_thread()] = inputs[CqN - 1];
    __syncthreads();
    for (int item = CqN - 1; item > 0; --item) outputs[item] = operation(inputs[item], inputs[item - 1]);
    outputs[0] = cq_thread() == 0 ? inputs[0] : operation(inputs[0], cq_items[cq_thread() - 1]);
  }
  template <int CqN, class CqU, class CqO> void SubtractRight(CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqO operation) {
    cq_items[cq_thread()] = inputs[0];
    __syncthreads();
    for (int item = 0; item + 1 < CqN; ++item) outputs[item] = operation(inputs[item], inputs[item + 1]);
    outputs[CqN - 1] = cq_thread() == CqX * CqY * CqZ - 1 ? inputs[CqN - 1] : operation(inputs[CqN - 1], cq_items[cq_thread() + 1]);
  }
private:
  static int cq_thread() { return threadIdx.x + CqX * (threadIdx.y + CqY * threadIdx.z); }
  CqT *cq_items;
};
template <class CqT, int CqX, int CqY = 1, int CqZ = 1, int CqArch = 0> class BlockShuffle {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqX * CqY * CqZ)]; };
  BlockShuffle();
  explicit BlockShuffle(TempStorage &storage);
  void CqOffset(CqT input, CqT &output, int distance = 1);
  void Rotate(CqT input, CqT &output, unsigned int distance = 1);
  template <int CqN> void Up(CqT (&inputs)[CqN], CqT (&previous)[CqN]);
  template <int CqN> void Down(CqT (&inputs)[CqN], CqT (&next)[CqN]);
private:
  TempStorage *cq_storage;
};
template <class CqT, int CqThreads = 32, int CqArch = 0> class WarpReduce {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqThreads)]; };
  WarpReduce() {}
  explicit WarpReduce(TempStorage &) {}
  CqT Sum(CqT input) { return Reduce(input, CqAddition()); }
  CqT Sum(CqT input, int) { return Reduce(input, CqAddition()); }
  CqT Max(CqT input) { return Reduce(input, CqMaximum()); }
  CqT Min(CqT input) { return Reduce(input, CqMinimum()); }
  template <class CqF> CqT Reduce(CqT input, CqF operation) {
    CqT value = input;
    for (int distance = CqThreads / 2; distance > 0; distance /= 2) value = operation(value, cq_lane_below(value, distance));
    return value;
  }
  template <class CqF> CqT Reduce(CqT input, CqF operation, int) { return Reduce(input, operation); }
  template <class CqG> CqT HeadSegmentedSum(CqT input, CqG head);
  template <class CqG> CqT TailSegmentedSum(CqT input, CqG tail);
  template <class CqF, class CqG> CqT HeadSegmentedReduce(CqT input, CqG head, CqF operation);
  template <class CqF, class CqG> CqT TailSegmentedReduce(CqT input, CqG tail, CqF operation);
};
template <class CqT, int CqThreads = 32, int CqArch = 0> class WarpScan {
  static int cq_lane() { return static_cast<int>(LaneId()) % CqThreads; }
  static CqT cq_last(CqT value) { return __shfl_sync(0xffffffffu, value, CqThreads - 1, CqThreads); }
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqThreads + CqThreads / 2)]; };
  WarpScan() {}
  explicit WarpScan(TempStorage &) {}
  template <class CqF> void InclusiveScan(CqT input, CqT &output, CqF operation) {
    CqT value = input;
    for (int distance = 1; distance < CqThreads; distance *= 2) {
      CqT below = cq_lane_above(value, distance);
      if (cq_lane() >= distance) value = operation(below, value);
    }
    output = value;
  }
  template <class CqF> void Scan(CqT input, CqT &inclusive, CqT &exclusive, CqF operation) {
    InclusiveScan(input, inclusive, operation);
    exclusive = cq_lane_above(inclusive, 1);
  }
  template <class CqF> void InclusiveScan(CqT input, CqT &output, CqF operation, CqT &total) { InclusiveScan(input, output, operation); total = cq_last(output); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqF operation) { CqT inclusive; Scan(input, inclusive, output, operation); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqF operation, CqT &total) { CqT inclusive; Scan(input, inclusive, output, operation); total = cq_last(inclusive); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqT initial, CqF operation) { CqT inclusive, before; Scan(input, inclusive, before, operation); output = cq_lane() == 0 ? initial : operation(initial, before); }
  template <class CqF> void ExclusiveScan(CqT input, CqT &output, CqT initial, CqF operation, CqT &total) { CqT inclusive, before; Scan(input, inclusive, before, operation); output = cq_lane() == 0 ? initial : operation(initial, before); total = cq_last(inclusive); }
  void ExclusiveSum(CqT input, CqT &output) { ExclusiveScan(input, output, CqT(), CqAddition()); }
  void ExclusiveSum(CqT input, CqT &output, CqT &total) { ExclusiveScan(input, output, CqT(), CqAddition(), total); }
  void InclusiveSum(CqT input, CqT &output) { InclusiveScan(input, output, CqAddition()); }
  void InclusiveSum(CqT input, CqT &output, CqT &total) { InclusiveScan(input, output, CqAddition(), total); }
  void Sum(CqT input, CqT &inclusive, CqT &exclusive) { Scan(input, inclusive, exclusive, CqAddition()); }
  CqT Broadcast(CqT input, unsigned int lane) { return __shfl_sync(0xffffffffu, input, static_cast<int>(lane), CqThreads); }
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class CqT, int CqN, int CqThreads = 32, int CqArch = 0, WarpExchangeAlgorithm CqAlgorithm = WARP_EXCHANGE_SMEM> class WarpExchange {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqThreads * CqN + CqThreads * CqN / 32)]; };
  WarpExchange() : cq_items(nullptr) {}
  explicit WarpExchange(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <class CqU> void StripedToBlocked(const CqT (&inputs)[CqN], CqU (&outputs)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[item * CqThreads + cq_lane()] = inputs[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[cq_lane() * CqN + item];
  }
  template <class CqU> void BlockedToStriped(const CqT (&inputs)[CqN], CqU (&outputs)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[cq_lane() * CqN + item] = inputs[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[item * CqThreads + cq_lane()];
  }
  template <class CqU, class CqR> void ScatterToStriped(const CqT (&inputs)[CqN], CqU (&outputs)[CqN], CqR (&ranks)[CqN]) {
    for (int item = 0; item < CqN; ++item) cq_items[ranks[item]] = inputs[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) outputs[item] = cq_items[item * CqThreads + cq_lane()];
  }
  template <class CqR> void ScatterToStriped(CqT (&items)[CqN], CqR (&ranks)[CqN]) { ScatterToStriped(items, items, ranks); }
private:
  static int cq_lane() { return static_cast<int>(LaneId()) % CqThreads; }
  CqT *cq_items;
};
template <class CqT, int CqN, WarpLoadAlgorithm CqAlgorithm = WARP_LOAD_DIRECT, int CqThreads = 32, int CqArch = 0> class WarpLoad {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqAlgorithm == WARP_LOAD_TRANSPOSE ? CqThreads * CqN : 1)]; };
  WarpLoad() : cq_items(nullptr) {}
  explicit WarpLoad(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <class CqI> void Load(CqI from, CqT (&items)[CqN]) {
    for (int item = 0; item < CqN; ++item) items[item] = from[cq_place(item)];
    cq_transpose(items);
  }
  void Load(CqT *from, CqT (&items)[CqN]) {
    if (cq_packs) {
      cq_packed_move<cq_packs>::load(from + cq_lane() * CqN, items);
    } else {
      for (int item = 0; item < CqN; ++item) items[item] = from[cq_place(item)];
      cq_transpose(items);
    }
  }
  template <class CqI> void Load(CqI from, CqT (&items)[CqN], int valid) {
    for (int item = 0; item < CqN; ++item)
      if (cq_place(item) < valid) items[item] = from[cq_place(item)];
    cq_transpose(items);
  }
  template <class CqI, class CqD> void Load(CqI from, CqT (&items)[CqN], int valid, CqD other) {
    for (int item = 0; item < CqN; ++item) items[item] = other;
    Load(from, items, valid);
  }
private:
  static constexpr bool cq_transposes = CqAlgorithm == WARP_LOAD_TRANSPOSE;
  static int cq_lane() { return static_cast<int>(LaneId()) % CqThreads; }
  static int cq_place(int item) { return cq_transposes || CqAlgorithm == WARP_LOAD_STRIPED ? item * CqThreads + cq_lane() : cq_lane() * CqN + item; }
  static constexpr bool cq_packs = CqAlgorithm == WARP_LOAD_VECTORIZE && (sizeof(CqT) * CqN == 4 || sizeof(CqT) * CqN == 8 || sizeof(CqT) * CqN == 16);
  void cq_transpose(CqT (&items)[CqN]) {
    if (!cq_transposes) return;
    for (int item = 0; item < CqN; ++item) cq_items[item * CqThreads + cq_lane()] = items[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) items[item] = cq_items[cq_lane() * CqN + item];
  }
  CqT *cq_items;
};
template <class CqT, int CqN, WarpStoreAlgorithm CqAlgorithm = WARP_STORE_DIRECT, int CqThreads = 32, int CqArch = 0> class WarpStore {
public:
  struct alignas(CqT) TempStorage { unsigned char cq_bytes[sizeof(CqT) * (CqAlgorithm == WARP_STORE_TRANSPOSE ? CqThreads * CqN : 1)]; };
  WarpStore() : cq_items(nullptr) {}
  explicit WarpStore(TempStorage &storage) : cq_items(reinterpret_cast<CqT *>(storage.cq_bytes)) {}
  template <class CqO> void Store(CqO to, CqT (&items)[CqN]) {
    cq_transpose(items);
    for (int item = 0; item < CqN; ++item) to[cq_place(item)] = items[item];
  }
  void Store(CqT *to, CqT (&items)[CqN]) {
    if (cq_packs) {
      cq_packed_move<cq_packs>::store(to + cq_lane() * CqN, items);
    } else {
      cq_transpose(items);
      for (int item = 0; item < CqN; ++item) to[cq_place(item)] = items[item];
    }
  }
  template <class CqO> void Store(CqO to, CqT (&items)[CqN], int valid) {
    cq_transpose(items);
    for (int item = 0; item < CqN; ++item)
      if (cq_place(item) < valid) to[cq_place(item)] = items[item];
  }
private:
  static constexpr bool cq_transposes = CqAlgorithm == WARP_STORE_TRANSPOSE;
  static int cq_lane() { return static_cast<int>(LaneId()) % CqThreads; }
  static int cq_place(int item) { return cq_transposes || CqAlgorithm == WARP_STORE_STRIPED ? item * CqThreads + cq_lane() : cq_lane() * CqN + item; }
  static constexpr bool cq_packs = CqAlgorithm == WARP_STORE_VECTORIZE && (sizeof(CqT) * CqN == 4 || sizeof(CqT) * CqN == 8 || sizeof(CqT) * CqN == 16);
  void cq_transpose(CqT (&items)[CqN]) {
    if (!cq_transposes) return;
    for (int item = 0; item < CqN; ++item) cq_items[cq_lane() * CqN + item] = items[item];
    __syncwarp();
    for (int item = 0; item < CqN; ++item) items[item] = cq_items[item * CqThreads + cq_lane()];
  }
  CqT *cq_items;
};
template <class CqT, int CqN, class CqF> CqT ThreadReduce(CqT (&inputs)[CqN], CqF operation) { CqT value = inputs[0]; for (int item = 1; item < CqN; ++item) value = operation(value, inputs[item]); return value; }
template <class CqT, int CqN, class CqF> CqT ThreadReduce(CqT *inputs, CqF operation);
template <int CqN, class CqT, class CqF> CqT ThreadScanInclusive(CqT (&inputs)[CqN], CqT (&outputs)[CqN], CqF operation);
// Iterators
template <class CqT, class CqOffset = ptrdiff_t> class CountingInputIterator {
  CqT cq_value;
public:
  typedef CqOffset difference_type;
  typedef CqT value_type;
  typedef CqT *pointer;
  typedef CqT reference;
  typedef std::random_access_iterator_tag iterator_category;
  explicit CountingInputIterator(const CqT &value) : cq_value(value) {}
  reference operator*() const { return cq_value; }
  template <class CqD> reference operator[](CqD n) const { return cq_value + static_cast<CqT>(n); }
  CountingInputIterator &operator++() { ++cq_value; return *this; }
  CountingInputIterator operator++(int) { return CountingInputIterator(cq_value++); }
  template <class CqD> CountingInputIterator operator+(CqD n) const { return CountingInputIterator(cq_value + static_cast<CqT>(n)); }
  template <class CqD> CountingInputIterator &operator+=(CqD n) { cq_value += static_cast<CqT>(n); return *this; }
  template <class CqD> CountingInputIterator operator-(CqD n) const { return CountingInputIterator(cq_value - static_cast<CqT>(n)); }
  difference_type operator-(CountingInputIterator other) const { return static_cast<difference_type>(cq_value - other.cq_value); }
  bool operator==(const CountingInputIterator &other) const { return cq_value == other.cq_value; }
  bool operator!=(const CountingInputIterator &other) const { return cq_value != other.cq_value; }
};
template <class CqT, class CqOffset = ptrdiff_t> class ConstantInputIterator {
  CqT cq_value;
public:
  typedef CqOffset difference_type;
  typedef CqT value_type;
  typedef CqT *pointer;
  typedef CqT reference;
  typedef std::random_access_iterator_tag iterator_category;
  explicit ConstantInputIterator(CqT value, CqOffset offset = 0) : cq_value(value) {}
  reference operator*() const { return cq_value; }
  template <class CqD> reference operator[](CqD) const { return cq_value; }
  template <class CqD> ConstantInputIterator operator+(CqD) const { return *this; }
  ConstantInputIterator &operator++() { return *this; }
};
template <class CqT, class CqF, class CqI, class CqOffset = ptrdiff_t> class TransformInputIterator {
  CqF cq_function;
  CqI cq_input;
public:
  typedef CqOffset difference_type;
  typedef CqT value_type;
  typedef CqT *pointer;
  typedef CqT reference;
  typedef std::random_access_iterator_tag iterator_category;
  TransformInputIterator(CqI input, CqF function) : cq_function(function), cq_input(input) {}
  reference operator*() const { return cq_function(*cq_input); }
  template <class CqD> reference operator[](CqD n) const { return cq_function(cq_input[n]); }
  TransformInputIterator &operator++() { ++cq_input; return *this; }
  template <class CqD> TransformInputIterator operator+(CqD n) const { return TransformInputIterator(cq_input + n, cq_function); }
};
template <class CqI, class CqOffset = ptrdiff_t, class CqV = typename std::iterator_traits<CqI>::value_type> class ArgIndexInputIterator {
  CqI cq_input;
  CqOffset cq_offset;
public:
  typedef CqOffset difference_type;
  typedef KeyValuePair<CqOffset, CqV> value_type;
  typedef value_type *pointer;
  typedef value_type reference;
  typedef std::random_access_iterator_tag iterator_category;
  ArgIndexInputIterator(CqI input, CqOffset offset = 0) : cq_input(input), cq_offset(offset) {}
  value_type operator*() const { return value_type(cq_offset, cq_input[cq_offset]); }
  template <class CqD> ArgIndexInputIterator operator+(CqD n) const { return ArgIndexInputIterator(cq_input, cq_offset + n); }
};
template <CacheLoadModifier CqModifier, class CqT, class CqOffset = ptrdiff_t> class CacheModifiedInputIterator {
  const CqT *cq_data;
public:
  typedef CqOffset difference_type;
  typedef CqT value_type;
  typedef const CqT *pointer;
  typedef CqT reference;
  typedef std::random_access_iterator_tag iterator_category;
  template <class CqQ> CacheModifiedInputIterator(CqQ *data) : cq_data(data) {}
  CqT operator*() const { return *cq_data; }
  template <class CqD> CqT operator[](CqD n) const { return cq_data[n]; }
  template <class CqD> CacheModifiedInputIterator operator+(CqD n) const { return CacheModifiedInputIterator(cq_data + n); }
};
template <class CqOffset = ptrdiff_t> class DiscardOutputIterator {
public:
  typedef CqOffset difference_type;
  typedef void value_type;
  typedef void pointer;
  typedef void reference;
  typedef std::random_access_iterator_tag iterator_category;
  struct cq_sink { template <class CqT> void operator=(const CqT &) {} };
  DiscardOutputIterator(CqOffset offset = 0) {}
  cq_sink operator*() const { return cq_sink(); }
  template <class CqD> cq_sink operator[](CqD) const { return cq_sink(); }
  template <class CqD> DiscardOutputIterator operator+(CqD) const { return *this; }
};
template <class CqT, class CqOffset = ptrdiff_t> class TexObjInputIterator {
  const CqT *cq_data;
public:
  typedef CqT value_type;
  typedef CqOffset difference_type;
  typedef const CqT *pointer;
  typedef CqT reference;
  typedef std::random_access_iterator_tag iterator_category;
  template <class CqQ> cudaError_t BindTexture(CqQ *data, size_t bytes, size_t offset = 0);
  cudaError_t UnbindTexture();
  template <class CqD> CqT operator[](CqD n) const { return cq_data[n]; }
};
struct CachingDeviceAllocator {
  bool debug;
  CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false);
  CachingDeviceAllocator(unsigned int bin_growth, unsigned int min_bin = 1, unsigned int max_bin = ~0u, size_t max_cached = ~size_t(0), bool skip_cleanup = false, bool debug = false);
  cudaError_t SetMaxCachedBytes(size_t bytes);
  cudaError_t DeviceAllocate(int device, void **data, size_t bytes, cudaStream_t stream = 0);
  cudaError_t DeviceAllocate(void **data, size_t bytes, cudaStream_t stream = 0);
  cudaError_t DeviceFree(int device, void *data);
  cudaError_t DeviceFree(void *data);
  cudaError_t FreeAllCached();
};
// Device-wide algorithms: the first two arguments are the temporary storage and its size.
struct DeviceReduce {
  template <class CqI, class CqO, class CqF, class CqT, class CqN> static cudaError_t Reduce(void *storage, size_t &bytes, CqI in, CqO out, CqN count, CqF operation, CqT initial, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN> static cudaError_t Sum(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN> static cudaError_t Min(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN> static cudaError_t Max(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN> static cudaError_t ArgMin(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN> static cudaError_t ArgMax(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqUK, class CqV, class CqA, class CqR, class CqF, class CqN> static cudaError_t ReduceByKey(void *storage, size_t &bytes, CqK keys, CqUK unique, CqV values, CqA aggregates, CqR runs, CqF operation, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqF, class CqG, class CqT, class CqN> static cudaError_t TransformReduce(void *storage, size_t &bytes, CqI in, CqO out, CqN count, CqF operation, CqG transform, CqT initial, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceScan {
  template <class CqI, class CqO, class CqN> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN> static cudaError_t InclusiveSum(void *storage, size_t &bytes, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqF, class CqT, class CqN> static cudaError_t ExclusiveScan(void *storage, size_t &bytes, CqI in, CqO out, CqF operation, CqT initial, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqF, class CqN> static cudaError_t InclusiveScan(void *storage, size_t &bytes, CqI in, CqO out, CqF operation, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqI, class CqO, class CqN> static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, CqK keys, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqI, class CqO, class CqN> static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, CqK keys, CqI in, CqO out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqN> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, CqI in_out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqN> static cudaError_t InclusiveSum(void *storage, size_t &bytes, CqI in_out, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSelect {
  template <class CqI, class CqG, class CqO, class CqR, class CqN> static cudaError_t Flagged(void *storage, size_t &bytes, CqI in, CqG flags, CqO out, CqR selected, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqR, class CqF, class CqN> static cudaError_t If(void *storage, size_t &bytes, CqI in, CqO out, CqR selected, CqN count, CqF predicate, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqR, class CqN> static cudaError_t Unique(void *storage, size_t &bytes, CqI in, CqO out, CqR selected, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqKO, class CqVO, class CqR, class CqN> static cudaError_t UniqueByKey(void *storage, size_t &bytes, CqK keys, CqV values, CqKO keys_out, CqVO values_out, CqR selected, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DevicePartition {
  template <class CqI, class CqG, class CqO, class CqR, class CqN> static cudaError_t Flagged(void *storage, size_t &bytes, CqI in, CqG flags, CqO out, CqR selected, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqR, class CqF, class CqN> static cudaError_t If(void *storage, size_t &bytes, CqI in, CqO out, CqR selected, CqN count, CqF predicate, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceRadixSort {
  template <class CqK, class CqN> static cudaError_t SortKeys(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqN> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqN> static cudaError_t SortPairs(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqN> static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqN> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqN> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqN> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqN> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, CqN count, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSegmentedSort {
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeys(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairs(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t StableSortKeys(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t StableSortKeys(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t StableSortPairs(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t StableSortPairs(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t StableSortKeysDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t StableSortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t StableSortPairsDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t StableSortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, int count, int segments, CqB begins, CqF ends, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSegmentedRadixSort {
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeys(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairs(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqB, class CqF> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const CqK *keys_in, CqK *keys_out, const CqV *values_in, CqV *values_out, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqB, class CqF> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<CqK> &keys, DoubleBuffer<CqV> &values, int count, int segments, CqB begins, CqF ends, int begin_bit = 0, int end_bit = sizeof(CqK) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSegmentedReduce {
  template <class CqI, class CqO, class CqB, class CqE, class CqF, class CqT> static cudaError_t Reduce(void *storage, size_t &bytes, CqI in, CqO out, int segments, CqB begins, CqE ends, CqF operation, CqT initial, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqB, class CqE> static cudaError_t Sum(void *storage, size_t &bytes, CqI in, CqO out, int segments, CqB begins, CqE ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqB, class CqE> static cudaError_t Min(void *storage, size_t &bytes, CqI in, CqO out, int segments, CqB begins, CqE ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqB, class CqE> static cudaError_t Max(void *storage, size_t &bytes, CqI in, CqO out, int segments, CqB begins, CqE ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqB, class CqE> static cudaError_t ArgMin(void *storage, size_t &bytes, CqI in, CqO out, int segments, CqB begins, CqE ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqB, class CqE> static cudaError_t ArgMax(void *storage, size_t &bytes, CqI in, CqO out, int segments, CqB begins, CqE ends, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceMergeSort {
  template <class CqK, class CqN, class CqF> static cudaError_t SortKeys(void *storage, size_t &bytes, CqK keys, CqN count, CqF less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqN, class CqF> static cudaError_t StableSortKeys(void *storage, size_t &bytes, CqK keys, CqN count, CqF less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqN, class CqF> static cudaError_t SortPairs(void *storage, size_t &bytes, CqK keys, CqV values, CqN count, CqF less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqK, class CqV, class CqN, class CqF> static cudaError_t StableSortPairs(void *storage, size_t &bytes, CqK keys, CqV values, CqN count, CqF less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN, class CqF> static cudaError_t SortKeysCopy(void *storage, size_t &bytes, CqI in, CqO out, CqN count, CqF less, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceHistogram {
  template <class CqI, class CqC, class CqL, class CqN> static cudaError_t HistogramEven(void *storage, size_t &bytes, CqI samples, CqC *histogram, int levels, CqL low, CqL high, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqC, class CqL, class CqN> static cudaError_t HistogramRange(void *storage, size_t &bytes, CqI samples, CqC *histogram, int levels, const CqL *boundaries, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <int CqChannels, int CqActive, class CqI, class CqC, class CqL, class CqN> static cudaError_t MultiHistogramEven(void *storage, size_t &bytes, CqI samples, CqC *(&histograms)[CqActive], const int (&levels)[CqActive], const CqL (&low)[CqActive], const CqL (&high)[CqActive], CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceRunLengthEncode {
  template <class CqI, class CqU, class CqC, class CqR, class CqN> static cudaError_t Encode(void *storage, size_t &bytes, CqI in, CqU unique, CqC counts, CqR runs, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqB, class CqL, class CqR, class CqN> static cudaError_t NonTrivialRuns(void *storage, size_t &bytes, CqI in, CqB begins, CqL lengths, CqR runs, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceAdjacentDifference {
  template <class CqI, class CqO, class CqN, class CqF> static cudaError_t SubtractLeftCopy(void *storage, size_t &bytes, CqI in, CqO out, CqN count, CqF operation, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqO, class CqN, class CqF> static cudaError_t SubtractRightCopy(void *storage, size_t &bytes, CqI in, CqO out, CqN count, CqF operation, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqN, class CqF> static cudaError_t SubtractLeft(void *storage, size_t &bytes, CqI in, CqN count, CqF operation, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class CqI, class CqN, class CqF> static cudaError_t SubtractRight(void *storage, size_t &bytes, CqI in, CqN count, CqF operation, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSpmv {
  template <class CqV> static cudaError_t CsrMV(void *storage, size_t &bytes, const CqV *values, const int *offsets, const int *columns, const CqV *x, CqV *y, int rows, int columns_count, int nonzeros, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceMemcpy {
  template <class CqI, class CqO, class CqB, class CqN> static cudaError_t Batched(void *storage, size_t &bytes, CqI from, CqO to, CqB sizes, CqN count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceMerge {
  template <class CqA, class CqB, class CqO, class CqF> static cudaError_t MergeKeys(void *storage, size_t &bytes, CqA a, int a_count, CqB b, int b_count, CqO out, CqF less, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceFor {
  template <class CqN, class CqF> static cudaError_t Bulk(CqN count, CqF operation, cudaStream_t stream = 0);
  template <class CqI, class CqN, class CqF> static cudaError_t ForEachN(CqI first, CqN count, CqF operation, cudaStream_t stream = 0);
  template <class CqI, class CqF> static cudaError_t ForEach(CqI first, CqI last, CqF operation, cudaStream_t stream = 0);
};
CQ_END_CXX
}
#endif
#endif
