#ifndef CQ_CUB_H
#define CQ_CUB_H
// Warp and block collectives are class templates with the storage they need and declared members;
// device-wide algorithms are declarations. What they cost is known by name.
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
template <int N> struct Int2Type { static constexpr int VALUE = N; };
template <bool C, class A, class B> struct If { typedef typename std::conditional<C, A, B>::type Type; };
template <class A, class B> struct Equals { static constexpr bool VALUE = std::is_same<A, B>::value; static constexpr bool NEGATE = !VALUE; };
template <int N> struct PowerOfTwo { static constexpr bool VALUE = (N & (N - 1)) == 0; };
template <int N, int Current = N, int Count = 0> struct Log2 { static constexpr int VALUE = Log2<N, (Current >> 1), Count + 1>::VALUE; };
template <int N, int Count> struct Log2<N, 0, Count> { static constexpr int VALUE = (1 << (Count - 1)) < N ? Count : Count - 1; };
template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  bool operator!=(const KeyValuePair &other) const { return key != other.key || value != other.value; }
};
struct Sum { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const -> decltype(a + b) { return a + b; } };
struct Difference { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const -> decltype(a - b) { return a - b; } };
struct Division { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const -> decltype(a / b) { return a / b; } };
struct Max { template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
struct ArgMax { template <class T> T operator()(const T &a, const T &b) const { return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct ArgMin { template <class T> T operator()(const T &a, const T &b) const { return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct Equality { template <class A, class B> constexpr bool operator()(const A &a, const B &b) const { return a == b; } };
struct Inequality { template <class A, class B> constexpr bool operator()(const A &a, const B &b) const { return a != b; } };
template <class T> struct CastOp { template <class A> constexpr T operator()(const A &a) const { return static_cast<T>(a); } };
template <class T> struct alignas(T) Uninitialized { unsigned char storage[sizeof(T)]; T &Alias() { return reinterpret_cast<T &>(*this); } };
template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0) {}
  T *Current() { return d_buffers[selector]; }
  T *Alternate() { return d_buffers[selector ^ 1]; }
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier Modifier, class I> typename std::iterator_traits<I>::value_type ThreadLoad(I address) { return *address; }
template <CacheStoreModifier Modifier, class O, class T> void ThreadStore(O address, T value) { *address = value; }
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
template <int Threads, class T> T ShuffleUp(T value, int offset, int first, unsigned int mask);
template <int Threads, class T> T ShuffleDown(T value, int offset, int last, unsigned int mask);
template <int Threads, class T> T ShuffleIndex(T value, int lane, unsigned int mask);
template <class A, class B> constexpr A DivideAndRoundUp(A a, B b) { return (a + b - 1) / b; }
cudaError_t PtxVersion(int &version);
cudaError_t SmVersion(int &version, int device = 0);
template <class K> cudaError_t MaxSmOccupancy(int &blocks, K kernel, int threads, int shared_bytes = 0);
template <class T, int N, class I> void LoadDirectBlocked(int thread, I from, T (&items)[N]);
template <class T, int N, class I> void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid);
template <class T, int N, class I, class D> void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid, D other);
template <class T, int N, class I> void LoadDirectWarpStriped(int thread, I from, T (&items)[N]);
template <class T, int N, class I> void LoadDirectWarpStriped(int thread, I from, T (&items)[N], int valid);
template <class T, int N, class I, class D> void LoadDirectWarpStriped(int thread, I from, T (&items)[N], int valid, D other);
template <class T, int N> void LoadDirectBlockedVectorized(int thread, T *from, T (&items)[N]);
template <int Threads, class T, int N, class I> void LoadDirectStriped(int thread, I from, T (&items)[N]);
template <int Threads, class T, int N, class I> void LoadDirectStriped(int thread, I from, T (&items)[N], int valid);
template <int Threads, class T, int N, class I, class D> void LoadDirectStriped(int thread, I from, T (&items)[N], int valid, D other);
template <class T, int N, class O> void StoreDirectBlocked(int thread, O to, T (&items)[N]);
template <class T, int N, class O> void StoreDirectBlocked(int thread, O to, T (&items)[N], int valid);
template <class T, int N, class O> void StoreDirectWarpStriped(int thread, O to, T (&items)[N]);
template <class T, int N, class O> void StoreDirectWarpStriped(int thread, O to, T (&items)[N], int valid);
template <class T, int N> void StoreDirectBlockedVectorized(int thread, T *to, T (&items)[N]);
template <int Threads, class T, int N, class O> void StoreDirectStriped(int thread, O to, T (&items)[N]);
template <int Threads, class T, int N, class O> void StoreDirectStriped(int thread, O to, T (&items)[N], int valid);
template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0> class BlockReduce {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * ((X * Y * Z + 31) / 32) + sizeof(T)]; };
  BlockReduce();
  explicit BlockReduce(TempStorage &storage);
  template <class F> T Reduce(T input, F operation);
  template <class F> T Reduce(T input, F operation, int valid);
  template <int N, class F> T Reduce(T (&inputs)[N], F operation);
  T Sum(T input);
  T Sum(T input, int valid);
  template <int N> T Sum(T (&inputs)[N]);
private:
  TempStorage *cq_storage;
};
template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0> class BlockScan {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (X * Y * Z + (X * Y * Z + 31) / 32)]; };
  BlockScan();
  explicit BlockScan(TempStorage &storage);
  void ExclusiveSum(T input, T &output);
  void ExclusiveSum(T input, T &output, T &total);
  template <class P> void ExclusiveSum(T input, T &output, P &prefix_callback);
  template <int N> void ExclusiveSum(T (&inputs)[N], T (&outputs)[N]);
  template <int N> void ExclusiveSum(T (&inputs)[N], T (&outputs)[N], T &total);
  template <int N, class P> void ExclusiveSum(T (&inputs)[N], T (&outputs)[N], P &prefix_callback);
  void InclusiveSum(T input, T &output);
  void InclusiveSum(T input, T &output, T &total);
  template <class P> void InclusiveSum(T input, T &output, P &prefix_callback);
  template <int N> void InclusiveSum(T (&inputs)[N], T (&outputs)[N]);
  template <int N> void InclusiveSum(T (&inputs)[N], T (&outputs)[N], T &total);
  template <int N, class P> void InclusiveSum(T (&inputs)[N], T (&outputs)[N], P &prefix_callback);
  template <class F> void ExclusiveScan(T input, T &output, T initial, F operation);
  template <class F> void ExclusiveScan(T input, T &output, T initial, F operation, T &total);
  template <class F> void ExclusiveScan(T input, T &output, F operation);
  template <class F> void ExclusiveScan(T input, T &output, F operation, T &total);
  template <class F, class P> void ExclusiveScan(T input, T &output, F operation, P &prefix_callback);
  template <int N, class F> void ExclusiveScan(T (&inputs)[N], T (&outputs)[N], T initial, F operation);
  template <int N, class F> void ExclusiveScan(T (&inputs)[N], T (&outputs)[N], T initial, F operation, T &total);
  template <int N, class F, class P> void ExclusiveScan(T (&inputs)[N], T (&outputs)[N], F operation, P &prefix_callback);
  template <class F> void InclusiveScan(T input, T &output, F operation);
  template <class F> void InclusiveScan(T input, T &output, F operation, T &total);
  template <class F, class P> void InclusiveScan(T input, T &output, F operation, P &prefix_callback);
  template <int N, class F> void InclusiveScan(T (&inputs)[N], T (&outputs)[N], F operation);
  template <int N, class F> void InclusiveScan(T (&inputs)[N], T (&outputs)[N], F operation, T &total);
  template <int N, class F, class P> void InclusiveScan(T (&inputs)[N], T (&outputs)[N], F operation, P &prefix_callback);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0> class BlockLoad {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * ((Algorithm == BLOCK_LOAD_TRANSPOSE || Algorithm == BLOCK_LOAD_WARP_TRANSPOSE) ? X * Y * Z * N : 1)]; };
  BlockLoad();
  explicit BlockLoad(TempStorage &storage);
  template <class I> void Load(I from, T (&items)[N]);
  template <class I> void Load(I from, T (&items)[N], int valid);
  template <class I, class D> void Load(I from, T (&items)[N], int valid, D other);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0> class BlockStore {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * ((Algorithm == BLOCK_STORE_TRANSPOSE || Algorithm == BLOCK_STORE_WARP_TRANSPOSE) ? X * Y * Z * N : 1)]; };
  BlockStore();
  explicit BlockStore(TempStorage &storage);
  template <class O> void Store(O to, T (&items)[N]);
  template <class O> void Store(O to, T (&items)[N], int valid);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int N, bool TimeSliced = false, int Y = 1, int Z = 1, int Arch = 0> class BlockExchange {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (X * Y * Z * N + X * Y * Z * N / 32)]; };
  BlockExchange();
  explicit BlockExchange(TempStorage &storage);
  template <class U> void StripedToBlocked(const T (&inputs)[N], U (&outputs)[N]);
  void StripedToBlocked(T (&items)[N]);
  template <class U> void BlockedToStriped(const T (&inputs)[N], U (&outputs)[N]);
  void BlockedToStriped(T (&items)[N]);
  template <class U> void WarpStripedToBlocked(const T (&inputs)[N], U (&outputs)[N]);
  void WarpStripedToBlocked(T (&items)[N]);
  template <class U> void BlockedToWarpStriped(const T (&inputs)[N], U (&outputs)[N]);
  void BlockedToWarpStriped(T (&items)[N]);
  template <class U, class R> void ScatterToBlocked(const T (&inputs)[N], U (&outputs)[N], R (&ranks)[N]);
  template <class R> void ScatterToBlocked(T (&items)[N], R (&ranks)[N]);
  template <class U, class R> void ScatterToStriped(const T (&inputs)[N], U (&outputs)[N], R (&ranks)[N]);
  template <class R> void ScatterToStriped(T (&items)[N], R (&ranks)[N]);
  template <class U, class R> void ScatterToStripedGuarded(const T (&inputs)[N], U (&outputs)[N], R (&ranks)[N]);
  template <class R> void ScatterToStripedGuarded(T (&items)[N], R (&ranks)[N]);
  template <class U, class R, class V> void ScatterToStripedFlagged(const T (&inputs)[N], U (&outputs)[N], R (&ranks)[N], V (&valid)[N]);
private:
  TempStorage *cq_storage;
};
template <class K, int X, int N, class V = NullType, int RadixBits = 4, bool MemoizeOuterScan = true, BlockScanAlgorithm Inner = BLOCK_SCAN_WARP_SCANS, cudaSharedMemConfig Config = cudaSharedMemBankSizeFourByte, int Y = 1, int Z = 1, int Arch = 0> class BlockRadixSort {
public:
  struct alignas(K) TempStorage { unsigned char cq_bytes[sizeof(K) * (X * Y * Z * N) + sizeof(unsigned int) * ((X * Y * Z + 32) * 8)]; };
  BlockRadixSort();
  explicit BlockRadixSort(TempStorage &storage);
  void Sort(K (&keys)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  template <class W> void Sort(K (&keys)[N], W (&values)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  void SortDescending(K (&keys)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  template <class W> void SortDescending(K (&keys)[N], W (&values)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  void SortBlockedToStriped(K (&keys)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  template <class W> void SortBlockedToStriped(K (&keys)[N], W (&values)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  void SortDescendingBlockedToStriped(K (&keys)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
  template <class W> void SortDescendingBlockedToStriped(K (&keys)[N], W (&values)[N], int begin_bit = 0, int end_bit = sizeof(K) * 8);
private:
  TempStorage *cq_storage;
};
template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1> class BlockMergeSort {
public:
  struct alignas(K) TempStorage { unsigned char cq_bytes[sizeof(K) * (X * Y * Z * N + 1)]; };
  BlockMergeSort();
  explicit BlockMergeSort(TempStorage &storage);
  template <class F> void Sort(K (&keys)[N], F less);
  template <class F> void Sort(K (&keys)[N], F less, int valid, K other);
  template <class W, class F> void Sort(K (&keys)[N], W (&values)[N], F less);
  template <class W, class F> void Sort(K (&keys)[N], W (&values)[N], F less, int valid, K other);
  template <class F> void StableSort(K (&keys)[N], F less);
  template <class W, class F> void StableSort(K (&keys)[N], W (&values)[N], F less);
private:
  TempStorage *cq_storage;
};
template <class K, int N, int Threads = 32, class V = NullType, int Arch = 0> class WarpMergeSort {
public:
  struct alignas(K) TempStorage { unsigned char cq_bytes[sizeof(K) * (Threads * N + 1)]; };
  WarpMergeSort();
  explicit WarpMergeSort(TempStorage &storage);
  template <class F> void Sort(K (&keys)[N], F less);
  template <class F> void Sort(K (&keys)[N], F less, int valid, K other);
  template <class W, class F> void Sort(K (&keys)[N], W (&values)[N], F less);
  template <class W, class F> void Sort(K (&keys)[N], W (&values)[N], F less, int valid, K other);
  template <class F> void StableSort(K (&keys)[N], F less);
  template <class W, class F> void StableSort(K (&keys)[N], W (&values)[N], F less);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int N, int Bins, BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int Arch = 0> class BlockHistogram {
public:
  struct alignas(unsigned int) TempStorage { unsigned char cq_bytes[sizeof(unsigned int) * (Bins)]; };
  BlockHistogram();
  explicit BlockHistogram(TempStorage &storage);
  template <class C> void InitHistogram(C (&histogram)[Bins]);
  template <class C> void Histogram(T (&items)[N], C (&histogram)[Bins]);
  template <class C> void Composite(T (&items)[N], C (&histogram)[Bins]);
  template <class C> void InitHistogram(C *histogram);
  template <class C> void Composite(T (&items)[N], C *histogram);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> class BlockDiscontinuity {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (X * Y * Z) + sizeof(T) * (X * Y * Z)]; };
  BlockDiscontinuity();
  explicit BlockDiscontinuity(TempStorage &storage);
  template <int N, class F, class O> void FlagHeads(F (&flags)[N], T (&items)[N], O operation);
  template <int N, class F, class O> void FlagHeads(F (&flags)[N], T (&items)[N], O operation, T neighbour);
  template <int N, class F, class O> void FlagTails(F (&flags)[N], T (&items)[N], O operation);
  template <int N, class F, class O> void FlagTails(F (&flags)[N], T (&items)[N], O operation, T neighbour);
  template <int N, class F, class O> void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], T (&items)[N], O operation);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> class BlockAdjacentDifference {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (X * Y * Z) + sizeof(T) * (X * Y * Z)]; };
  BlockAdjacentDifference();
  explicit BlockAdjacentDifference(TempStorage &storage);
  template <int N, class U, class O> void SubtractLeft(T (&inputs)[N], U (&outputs)[N], O operation);
  template <int N, class U, class O> void SubtractRight(T (&inputs)[N], U (&outputs)[N], O operation);
private:
  TempStorage *cq_storage;
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> class BlockShuffle {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (X * Y * Z)]; };
  BlockShuffle();
  explicit BlockShuffle(TempStorage &storage);
  void Offset(T input, T &output, int distance = 1);
  void Rotate(T input, T &output, unsigned int distance = 1);
  template <int N> void Up(T (&inputs)[N], T (&previous)[N]);
  template <int N> void Down(T (&inputs)[N], T (&next)[N]);
private:
  TempStorage *cq_storage;
};
template <class T, int Threads = 32, int Arch = 0> class WarpReduce {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (Threads)]; };
  WarpReduce();
  explicit WarpReduce(TempStorage &storage);
  T Sum(T input);
  T Sum(T input, int valid);
  T Max(T input);
  T Min(T input);
  template <class F> T Reduce(T input, F operation);
  template <class F> T Reduce(T input, F operation, int valid);
  template <class G> T HeadSegmentedSum(T input, G head);
  template <class G> T TailSegmentedSum(T input, G tail);
  template <class F, class G> T HeadSegmentedReduce(T input, G head, F operation);
  template <class F, class G> T TailSegmentedReduce(T input, G tail, F operation);
private:
  TempStorage *cq_storage;
};
template <class T, int Threads = 32, int Arch = 0> class WarpScan {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (Threads + Threads / 2)]; };
  WarpScan();
  explicit WarpScan(TempStorage &storage);
  void ExclusiveSum(T input, T &output);
  void ExclusiveSum(T input, T &output, T &total);
  template <class F> void ExclusiveScan(T input, T &output, F operation);
  template <class F> void ExclusiveScan(T input, T &output, F operation, T &total);
  void InclusiveSum(T input, T &output);
  void InclusiveSum(T input, T &output, T &total);
  template <class F> void InclusiveScan(T input, T &output, F operation);
  template <class F> void InclusiveScan(T input, T &output, F operation, T &total);
  template <class F> void ExclusiveScan(T input, T &output, T initial, F operation);
  template <class F> void ExclusiveScan(T input, T &output, T initial, F operation, T &total);
  template <class F> void Scan(T input, T &inclusive, T &exclusive, F operation);
  void Sum(T input, T &inclusive, T &exclusive);
  T Broadcast(T input, unsigned int lane);
private:
  TempStorage *cq_storage;
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int N, int Threads = 32, int Arch = 0, WarpExchangeAlgorithm Algorithm = WARP_EXCHANGE_SMEM> class WarpExchange {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (Threads * N + Threads * N / 32)]; };
  WarpExchange();
  explicit WarpExchange(TempStorage &storage);
  template <class U> void StripedToBlocked(const T (&inputs)[N], U (&outputs)[N]);
  template <class U> void BlockedToStriped(const T (&inputs)[N], U (&outputs)[N]);
  template <class R> void ScatterToStriped(T (&items)[N], R (&ranks)[N]);
  template <class U, class R> void ScatterToStriped(const T (&inputs)[N], U (&outputs)[N], R (&ranks)[N]);
private:
  TempStorage *cq_storage;
};
template <class T, int N, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int Threads = 32, int Arch = 0> class WarpLoad {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (Algorithm == WARP_LOAD_TRANSPOSE ? Threads * N : 1)]; };
  WarpLoad();
  explicit WarpLoad(TempStorage &storage);
  template <class I> void Load(I from, T (&items)[N]);
  template <class I> void Load(I from, T (&items)[N], int valid);
  template <class I, class D> void Load(I from, T (&items)[N], int valid, D other);
private:
  TempStorage *cq_storage;
};
template <class T, int N, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Threads = 32, int Arch = 0> class WarpStore {
public:
  struct alignas(T) TempStorage { unsigned char cq_bytes[sizeof(T) * (Algorithm == WARP_STORE_TRANSPOSE ? Threads * N : 1)]; };
  WarpStore();
  explicit WarpStore(TempStorage &storage);
  template <class O> void Store(O to, T (&items)[N]);
  template <class O> void Store(O to, T (&items)[N], int valid);
private:
  TempStorage *cq_storage;
};
template <class T, int N, class F> T ThreadReduce(T (&inputs)[N], F operation);
template <class T, int N, class F> T ThreadReduce(T *inputs, F operation);
template <int N, class T, class F> T ThreadScanInclusive(T (&inputs)[N], T (&outputs)[N], F operation);
// Iterators
template <class T, class Offset = ptrdiff_t> class CountingInputIterator {
  T cq_value;
public:
  typedef Offset difference_type;
  typedef T value_type;
  typedef T *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  explicit CountingInputIterator(const T &value) : cq_value(value) {}
  reference operator*() const { return cq_value; }
  template <class D> reference operator[](D n) const { return cq_value + static_cast<T>(n); }
  CountingInputIterator &operator++() { ++cq_value; return *this; }
  CountingInputIterator operator++(int) { return CountingInputIterator(cq_value++); }
  template <class D> CountingInputIterator operator+(D n) const { return CountingInputIterator(cq_value + static_cast<T>(n)); }
  template <class D> CountingInputIterator &operator+=(D n) { cq_value += static_cast<T>(n); return *this; }
  template <class D> CountingInputIterator operator-(D n) const { return CountingInputIterator(cq_value - static_cast<T>(n)); }
  difference_type operator-(CountingInputIterator other) const { return static_cast<difference_type>(cq_value - other.cq_value); }
  bool operator==(const CountingInputIterator &other) const { return cq_value == other.cq_value; }
  bool operator!=(const CountingInputIterator &other) const { return cq_value != other.cq_value; }
};
template <class T, class Offset = ptrdiff_t> class ConstantInputIterator {
  T cq_value;
public:
  typedef Offset difference_type;
  typedef T value_type;
  typedef T *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  explicit ConstantInputIterator(T value, Offset offset = 0) : cq_value(value) {}
  reference operator*() const { return cq_value; }
  template <class D> reference operator[](D) const { return cq_value; }
  template <class D> ConstantInputIterator operator+(D) const { return *this; }
  ConstantInputIterator &operator++() { return *this; }
};
template <class T, class F, class I, class Offset = ptrdiff_t> class TransformInputIterator {
  F cq_function;
  I cq_input;
public:
  typedef Offset difference_type;
  typedef T value_type;
  typedef T *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  TransformInputIterator(I input, F function) : cq_function(function), cq_input(input) {}
  reference operator*() const { return cq_function(*cq_input); }
  template <class D> reference operator[](D n) const { return cq_function(cq_input[n]); }
  TransformInputIterator &operator++() { ++cq_input; return *this; }
  template <class D> TransformInputIterator operator+(D n) const { return TransformInputIterator(cq_input + n, cq_function); }
};
template <class I, class Offset = ptrdiff_t, class V = typename std::iterator_traits<I>::value_type> class ArgIndexInputIterator {
  I cq_input;
  Offset cq_offset;
public:
  typedef Offset difference_type;
  typedef KeyValuePair<Offset, V> value_type;
  typedef value_type *pointer;
  typedef value_type reference;
  typedef std::random_access_iterator_tag iterator_category;
  ArgIndexInputIterator(I input, Offset offset = 0) : cq_input(input), cq_offset(offset) {}
  value_type operator*() const { return value_type(cq_offset, cq_input[cq_offset]); }
  template <class D> ArgIndexInputIterator operator+(D n) const { return ArgIndexInputIterator(cq_input, cq_offset + n); }
};
template <CacheLoadModifier Modifier, class T, class Offset = ptrdiff_t> class CacheModifiedInputIterator {
  const T *cq_data;
public:
  typedef Offset difference_type;
  typedef T value_type;
  typedef const T *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  template <class Q> CacheModifiedInputIterator(Q *data) : cq_data(data) {}
  T operator*() const { return *cq_data; }
  template <class D> T operator[](D n) const { return cq_data[n]; }
  template <class D> CacheModifiedInputIterator operator+(D n) const { return CacheModifiedInputIterator(cq_data + n); }
};
template <class Offset = ptrdiff_t> class DiscardOutputIterator {
public:
  typedef Offset difference_type;
  typedef void value_type;
  typedef void pointer;
  typedef void reference;
  typedef std::random_access_iterator_tag iterator_category;
  struct cq_sink { template <class T> void operator=(const T &) {} };
  DiscardOutputIterator(Offset offset = 0) {}
  cq_sink operator*() const { return cq_sink(); }
  template <class D> cq_sink operator[](D) const { return cq_sink(); }
  template <class D> DiscardOutputIterator operator+(D) const { return *this; }
};
template <class T, class Offset = ptrdiff_t> class TexObjInputIterator {
  const T *cq_data;
public:
  typedef T value_type;
  typedef Offset difference_type;
  typedef const T *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  template <class Q> cudaError_t BindTexture(Q *data, size_t bytes, size_t offset = 0);
  cudaError_t UnbindTexture();
  template <class D> T operator[](D n) const { return cq_data[n]; }
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
  template <class I, class O, class F, class T, class N> static cudaError_t Reduce(void *storage, size_t &bytes, I in, O out, N count, F operation, T initial, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N> static cudaError_t Sum(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N> static cudaError_t Min(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N> static cudaError_t Max(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N> static cudaError_t ArgMin(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N> static cudaError_t ArgMax(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class UK, class V, class A, class R, class F, class N> static cudaError_t ReduceByKey(void *storage, size_t &bytes, K keys, UK unique, V values, A aggregates, R runs, F operation, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class F, class G, class T, class N> static cudaError_t TransformReduce(void *storage, size_t &bytes, I in, O out, N count, F operation, G transform, T initial, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceScan {
  template <class I, class O, class N> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N> static cudaError_t InclusiveSum(void *storage, size_t &bytes, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class F, class T, class N> static cudaError_t ExclusiveScan(void *storage, size_t &bytes, I in, O out, F operation, T initial, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class F, class N> static cudaError_t InclusiveScan(void *storage, size_t &bytes, I in, O out, F operation, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class I, class O, class N> static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, K keys, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class I, class O, class N> static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, K keys, I in, O out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class N> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, I in_out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class N> static cudaError_t InclusiveSum(void *storage, size_t &bytes, I in_out, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSelect {
  template <class I, class G, class O, class R, class N> static cudaError_t Flagged(void *storage, size_t &bytes, I in, G flags, O out, R selected, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class R, class F, class N> static cudaError_t If(void *storage, size_t &bytes, I in, O out, R selected, N count, F predicate, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class R, class N> static cudaError_t Unique(void *storage, size_t &bytes, I in, O out, R selected, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class KO, class VO, class R, class N> static cudaError_t UniqueByKey(void *storage, size_t &bytes, K keys, V values, KO keys_out, VO values_out, R selected, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DevicePartition {
  template <class I, class G, class O, class R, class N> static cudaError_t Flagged(void *storage, size_t &bytes, I in, G flags, O out, R selected, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class R, class F, class N> static cudaError_t If(void *storage, size_t &bytes, I in, O out, R selected, N count, F predicate, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceRadixSort {
  template <class K, class N> static cudaError_t SortKeys(void *storage, size_t &bytes, const K *keys_in, K *keys_out, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class N> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<K> &keys, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class N> static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class N> static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class N> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class N> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class N> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class N> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, N count, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSegmentedSort {
  template <class K, class B, class F> static cudaError_t SortKeys(void *storage, size_t &bytes, const K *keys_in, K *keys_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t StableSortKeys(void *storage, size_t &bytes, const K *keys_in, K *keys_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t StableSortKeys(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t StableSortPairs(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t StableSortPairs(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t StableSortKeysDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t StableSortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t StableSortPairsDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t StableSortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int segments, B begins, F ends, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSegmentedRadixSort {
  template <class K, class B, class F> static cudaError_t SortKeys(void *storage, size_t &bytes, const K *keys_in, K *keys_out, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class B, class F> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keys_in, K *keys_out, const V *values_in, V *values_out, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class B, class F> static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int segments, B begins, F ends, int begin_bit = 0, int end_bit = sizeof(K) * 8, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSegmentedReduce {
  template <class I, class O, class B, class E, class F, class T> static cudaError_t Reduce(void *storage, size_t &bytes, I in, O out, int segments, B begins, E ends, F operation, T initial, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class B, class E> static cudaError_t Sum(void *storage, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class B, class E> static cudaError_t Min(void *storage, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class B, class E> static cudaError_t Max(void *storage, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class B, class E> static cudaError_t ArgMin(void *storage, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class B, class E> static cudaError_t ArgMax(void *storage, size_t &bytes, I in, O out, int segments, B begins, E ends, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceMergeSort {
  template <class K, class N, class F> static cudaError_t SortKeys(void *storage, size_t &bytes, K keys, N count, F less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class N, class F> static cudaError_t StableSortKeys(void *storage, size_t &bytes, K keys, N count, F less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class N, class F> static cudaError_t SortPairs(void *storage, size_t &bytes, K keys, V values, N count, F less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class K, class V, class N, class F> static cudaError_t StableSortPairs(void *storage, size_t &bytes, K keys, V values, N count, F less, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N, class F> static cudaError_t SortKeysCopy(void *storage, size_t &bytes, I in, O out, N count, F less, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceHistogram {
  template <class I, class C, class L, class N> static cudaError_t HistogramEven(void *storage, size_t &bytes, I samples, C *histogram, int levels, L low, L high, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class C, class L, class N> static cudaError_t HistogramRange(void *storage, size_t &bytes, I samples, C *histogram, int levels, const L *boundaries, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <int Channels, int Active, class I, class C, class L, class N> static cudaError_t MultiHistogramEven(void *storage, size_t &bytes, I samples, C *(&histograms)[Active], const int (&levels)[Active], const L (&low)[Active], const L (&high)[Active], N count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceRunLengthEncode {
  template <class I, class U, class C, class R, class N> static cudaError_t Encode(void *storage, size_t &bytes, I in, U unique, C counts, R runs, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class B, class L, class R, class N> static cudaError_t NonTrivialRuns(void *storage, size_t &bytes, I in, B begins, L lengths, R runs, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceAdjacentDifference {
  template <class I, class O, class N, class F> static cudaError_t SubtractLeftCopy(void *storage, size_t &bytes, I in, O out, N count, F operation, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class O, class N, class F> static cudaError_t SubtractRightCopy(void *storage, size_t &bytes, I in, O out, N count, F operation, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class N, class F> static cudaError_t SubtractLeft(void *storage, size_t &bytes, I in, N count, F operation, cudaStream_t stream = 0, bool debug_synchronous = false);
  template <class I, class N, class F> static cudaError_t SubtractRight(void *storage, size_t &bytes, I in, N count, F operation, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceSpmv {
  template <class V> static cudaError_t CsrMV(void *storage, size_t &bytes, const V *values, const int *offsets, const int *columns, const V *x, V *y, int rows, int columns_count, int nonzeros, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceMemcpy {
  template <class I, class O, class B, class N> static cudaError_t Batched(void *storage, size_t &bytes, I from, O to, B sizes, N count, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceMerge {
  template <class A, class B, class O, class F> static cudaError_t MergeKeys(void *storage, size_t &bytes, A a, int a_count, B b, int b_count, O out, F less, cudaStream_t stream = 0, bool debug_synchronous = false);
};
struct DeviceFor {
  template <class N, class F> static cudaError_t Bulk(N count, F operation, cudaStream_t stream = 0);
  template <class I, class N, class F> static cudaError_t ForEachN(I first, N count, F operation, cudaStream_t stream = 0);
  template <class I, class F> static cudaError_t ForEach(I first, I last, F operation, cudaStream_t stream = 0);
};
CQ_END_CXX
}
#endif
#endif
