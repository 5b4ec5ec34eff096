#ifndef CQ_C10_TYPES_H
#define CQ_C10_TYPES_H
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif
#define CQ_BOTH __host__ __device__
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE inline
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_WARP_SIZE 32
namespace caffe2 { struct TypeMeta { bool operator==(const TypeMeta &) const; }; }
namespace c10 {
[[noreturn]] inline void cq_fail() { __builtin_trap(); }
// Arithmetic on them is done in float, as the library does it.
struct alignas(2) Half {
  unsigned short x;
  Half() = default;
  CQ_BOTH Half(float value) : x(__half_as_ushort(__float2half(value))) {}
  CQ_BOTH Half(const __half &value) : x(__half_as_ushort(value)) {}
  CQ_BOTH operator float() const { return __half2float(__ushort_as_half(x)); }
  CQ_BOTH operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
  unsigned short x;
  BFloat16() = default;
  CQ_BOTH BFloat16(float value) : x(__bfloat16_as_ushort(__float2bfloat16(value))) {}
  CQ_BOTH BFloat16(const __nv_bfloat16 &value) : x(__bfloat16_as_ushort(value)) {}
  CQ_BOTH operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
  CQ_BOTH operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
#define CQ_TORCH_OPERATOR(type, op) \
  CQ_BOTH inline type operator op(const type &a, const type &b) { return static_cast<float>(a) op static_cast<float>(b); } \
  CQ_BOTH inline float operator op(type a, float b) { return static_cast<float>(a) op b; } \
  CQ_BOTH inline float operator op(float a, type b) { return a op static_cast<float>(b); } \
  CQ_BOTH inline double operator op(type a, double b) { return static_cast<double>(static_cast<float>(a)) op b; } \
  CQ_BOTH inline double operator op(double a, type b) { return a op static_cast<double>(static_cast<float>(b)); } \
  CQ_BOTH inline type operator op(type a, int b) { return static_cast<float>(a) op static_cast<float>(b); } \
  CQ_BOTH inline type operator op(int a, type b) { return static_cast<float>(a) op static_cast<float>(b); } \
  CQ_BOTH inline type &operator op##=(type &a, const type &b) { a = static_cast<float>(a) op static_cast<float>(b); return a; } \
  CQ_BOTH inline float &operator op##=(float &a, const type &b) { a = a op static_cast<float>(b); return a; }
#define CQ_TORCH_COMPARISON(type, op) CQ_BOTH inline bool operator op(const type &a, const type &b) { return static_cast<float>(a) op static_cast<float>(b); }
#define CQ_TORCH_OPERATORS(type) \
  CQ_TORCH_OPERATOR(type, +) CQ_TORCH_OPERATOR(type, -) CQ_TORCH_OPERATOR(type, *) CQ_TORCH_OPERATOR(type, /) \
  CQ_TORCH_COMPARISON(type, <) CQ_TORCH_COMPARISON(type, >) CQ_TORCH_COMPARISON(type, <=) CQ_TORCH_COMPARISON(type, >=) CQ_TORCH_COMPARISON(type, ==) CQ_TORCH_COMPARISON(type, !=) \
  CQ_BOTH inline type operator-(const type &a) { return -static_cast<float>(a); }
CQ_TORCH_OPERATORS(Half)
CQ_TORCH_OPERATORS(BFloat16)
#undef CQ_TORCH_OPERATORS
#undef CQ_TORCH_COMPARISON
#undef CQ_TORCH_OPERATOR
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8, QUInt8, QInt32, BFloat16, Float8_e5m2 = 23, Float8_e4m3fn = 24, Undefined = 127 };
enum class DeviceType : int8_t { CPU, CUDA };
enum class Layout : int8_t { Strided, Sparse };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
template <ScalarType CqE> struct cq_type_of;
#define CQ_TORCH_TYPE(enumerator, cpp) template <> struct cq_type_of<ScalarType::enumerator> { typedef cpp type; };
CQ_TORCH_TYPE(Byte, uint8_t) CQ_TORCH_TYPE(Char, int8_t) CQ_TORCH_TYPE(Short, int16_t) CQ_TORCH_TYPE(Int, int32_t) CQ_TORCH_TYPE(Long, int64_t) CQ_TORCH_TYPE(Half, ::c10::Half) CQ_TORCH_TYPE(Float, float) CQ_TORCH_TYPE(Double, double) CQ_TORCH_TYPE(Bool, bool) CQ_TORCH_TYPE(BFloat16, ::c10::BFloat16)
#undef CQ_TORCH_TYPE
struct DeprecatedTypeProperties { ScalarType scalarType() const; bool is_cuda() const; };
inline bool operator==(caffe2::TypeMeta, ScalarType);
inline bool operator!=(caffe2::TypeMeta, ScalarType);
struct Scalar { template <class CqT> Scalar(CqT); template <typename CqT> CqT to() const; double toDouble() const; float toFloat() const; int64_t toInt() const; int64_t toLong() const; };
struct Device { Device(DeviceType type, int8_t index = -1); Device(const char *name); DeviceType type() const; int8_t index() const; bool is_cuda() const; bool is_cpu() const; bool operator==(const Device &) const; bool operator!=(const Device &) const; bool operator==(DeviceType) const; };
struct TensorOptions { TensorOptions(); TensorOptions(ScalarType); TensorOptions(Device); TensorOptions(DeviceType); TensorOptions dtype(ScalarType) const; TensorOptions dtype(caffe2::TypeMeta) const; TensorOptions device(Device) const; TensorOptions device(DeviceType, int8_t index = -1) const; TensorOptions layout(Layout) const; TensorOptions requires_grad(bool) const; TensorOptions memory_format(MemoryFormat) const; };
template <typename T> class ArrayRef {
  const T *cq_data;
  size_t cq_size;
public:
  constexpr ArrayRef() : cq_data(nullptr), cq_size(0) {}
  constexpr ArrayRef(const T *data, size_t size) : cq_data(data), cq_size(size) {}
  template <class CqT> CQ_BOTH ArrayRef(const CqT *data, size_t size);
  constexpr ArrayRef(const std::initializer_list<T> &list) : cq_data(list.begin()), cq_size(list.size()) {}
  ArrayRef(const std::vector<T> &list);
  ArrayRef(const T &one) : cq_data(&one), cq_size(1) {}
  const T &operator[](size_t i) const { return cq_data[i]; }
  const T *data() const { return cq_data; }
  const T *begin() const { return cq_data; }
  const T *end() const { return cq_data + cq_size; }
  size_t size() const { return cq_size; }
  const T &back() const { return cq_data[cq_size - 1]; }
  std::vector<T> vec() const;
  bool operator==(const ArrayRef &) const;
  bool operator!=(const ArrayRef &) const;
};
typedef ArrayRef<int64_t> IntArrayRef;
#if __cplusplus >= 201703L
template <typename T> using optional = std::optional<T>;
constexpr std::nullopt_t nullopt = std::nullopt;
#endif
static ScalarType promoteTypes(ScalarType, ScalarType);
static size_t elementSize(ScalarType);
struct Stream {};
namespace cuda {
struct CUDAStream { cudaStream_t stream() const { return nullptr; } operator cudaStream_t() const { return nullptr; } void synchronize() const; int8_t device_index() const; };
inline CUDAStream getCurrentCUDAStream(int8_t device = -1) { return CUDAStream(); }
inline CUDAStream getDefaultCUDAStream(int8_t device = -1) { return CUDAStream(); }
static CUDAStream getStreamFromPool(bool high_priority = false, int8_t device = -1);
struct CUDAGuard { template <class CqT> explicit CUDAGuard(CqT) {} };
struct OptionalCUDAGuard { OptionalCUDAGuard() {} template <class CqT> explicit OptionalCUDAGuard(CqT) {} };
struct CUDAStreamGuard { template <class CqT> explicit CUDAStreamGuard(CqT) {} };
static int8_t current_device();
static int8_t device_count();
}
}
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type) for (index_type i = blockIdx.x * (index_type)blockDim.x + threadIdx.x; i < (n); i += (index_type)blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#endif
