#ifndef CQ_TORCH_H
#define CQ_TORCH_H
// PyTorch's C++ interface, as far as extensions with kernels of their own use it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <c10/cq_types.h>
namespace at {
using namespace c10;
template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t> class TensorAccessorBase {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  CQ_BOTH TensorAccessorBase(PtrType data, const index_t *sizes, const index_t *strides) : data_(data), sizes_(sizes), strides_(strides) {}
  CQ_BOTH IntArrayRef sizes() const { return IntArrayRef(sizes_, N); }
  CQ_BOTH index_t stride(index_t i) const { return strides_[i]; }
  CQ_BOTH index_t size(index_t i) const { return sizes_[i]; }
  CQ_BOTH PtrType data() const { return data_; }
protected:
  PtrType data_;
  const index_t *sizes_;
  const index_t *strides_;
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t> class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  CQ_BOTH TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides) : TensorAccessorBase<T, N, PtrTraits, index_t>(data, sizes, strides) {}
  CQ_BOTH TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const { return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1); }
};
template <typename T, template <typename U> class PtrTraits, typename index_t> class TensorAccessor<T, 1, PtrTraits, index_t> : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  CQ_BOTH TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides) : TensorAccessorBase<T, 1, PtrTraits, index_t>(data, sizes, strides) {}
  CQ_BOTH T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t> class GenericPackedTensorAccessor {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  CQ_BOTH GenericPackedTensorAccessor(PtrType data, const index_t *sizes, const index_t *strides) : data_(data) { for (size_t i = 0; i < N; i++) { sizes_[i] = sizes[i]; strides_[i] = strides[i]; } }
  CQ_BOTH TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const { return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1); }
  CQ_BOTH index_t stride(index_t i) const { return strides_[i]; }
  CQ_BOTH index_t size(index_t i) const { return sizes_[i]; }
  CQ_BOTH PtrType data() const { return data_; }
protected:
  PtrType data_;
  index_t sizes_[N];
  index_t strides_[N];
};
template <typename T, template <typename U> class PtrTraits, typename index_t> class GenericPackedTensorAccessor<T, 1, PtrTraits, index_t> {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  CQ_BOTH GenericPackedTensorAccessor(PtrType data, const index_t *sizes, const index_t *strides) : data_(data) { sizes_[0] = sizes[0]; strides_[0] = strides[0]; }
  CQ_BOTH T &operator[](index_t i) const { return data_[strides_[0] * i]; }
  CQ_BOTH index_t stride(index_t i) const { return strides_[i]; }
  CQ_BOTH index_t size(index_t i) const { return sizes_[i]; }
  CQ_BOTH PtrType data() const { return data_; }
protected:
  PtrType data_;
  index_t sizes_[1];
  index_t strides_[1];
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits> using PackedTensorAccessor = PackedTensorAccessor64<T, N, PtrTraits>;

class Tensor {
public:
  Tensor();
  Tensor(const Tensor &);
  Tensor &operator=(const Tensor &);
  template <class CqT> Tensor &operator=(const CqT &);
  int64_t size(int64_t dimension) const;
  int64_t stride(int64_t dimension) const;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t numel() const;
  int64_t nbytes() const;
  int64_t element_size() const;
  int64_t itemsize() const;
  int64_t get_device() const;
  int64_t storage_offset() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  ScalarType scalar_type() const;
  caffe2::TypeMeta dtype() const;
  DeprecatedTypeProperties type() const;
  TensorOptions options() const;
  Device device() const;
  Layout layout() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool is_floating_point() const;
  bool is_sparse() const;
  bool is_same(const Tensor &other) const;
  bool defined() const;
  bool requires_grad() const;
  bool has_storage() const;
  bool equal(const Tensor &other) const;
  bool is_non_overlapping_and_dense() const;
  void *data_ptr() const;
  template <typename CqT> CqT *data_ptr() const;
  template <typename CqT> CqT *data() const;
  template <typename CqT> CqT *mutable_data_ptr() const;
  template <typename CqT> const CqT *const_data_ptr() const;
  void *mutable_data_ptr() const;
  const void *const_data_ptr() const;
  template <typename CqT, size_t CqN> TensorAccessor<CqT, CqN> accessor() const;
  template <typename CqT, size_t CqN, template <typename U> class CqTraits = DefaultPtrTraits> PackedTensorAccessor32<CqT, CqN, CqTraits> packed_accessor32() const { return packed_accessor<CqT, CqN, CqTraits, int32_t>(); }
  template <typename CqT, size_t CqN, template <typename U> class CqTraits = DefaultPtrTraits> PackedTensorAccessor64<CqT, CqN, CqTraits> packed_accessor64() const { return packed_accessor<CqT, CqN, CqTraits, int64_t>(); }
  template <typename CqT, size_t CqN, template <typename U> class CqTraits = DefaultPtrTraits, typename CqIndex = int64_t> GenericPackedTensorAccessor<CqT, CqN, CqTraits, CqIndex> packed_accessor() const {
    // As of a contiguous tensor, which most are.
    CqIndex sizes[CqN], strides[CqN], apart = 1;
    for (int i = int(CqN) - 1; i >= 0; i--) { sizes[i] = size(i); strides[i] = apart; apart *= sizes[i]; }
    return GenericPackedTensorAccessor<CqT, CqN, CqTraits, CqIndex>(data_ptr<CqT>(), sizes, strides);
  }
  template <typename CqT> CqT item() const;
  Scalar item() const;
  Tensor operator[](int64_t) const;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor reshape(IntArrayRef) const;
  Tensor view(IntArrayRef) const;
  Tensor view_as(const Tensor &) const;
  template <class CqT> Tensor view(CqT) const;
  Tensor expand(IntArrayRef) const;
  Tensor expand_as(const Tensor &) const;
  Tensor permute(IntArrayRef) const;
  Tensor repeat(IntArrayRef) const;
  Tensor transpose(int64_t, int64_t) const;
  Tensor flatten(int64_t start = 0, int64_t end = -1) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t) const;
  Tensor unsqueeze(int64_t) const;
  Tensor select(int64_t, int64_t) const;
  Tensor slice(int64_t, int64_t start = 0, int64_t end = 0, int64_t step = 1) const;
  Tensor narrow(int64_t, int64_t, int64_t) const;
  Tensor index_select(int64_t, const Tensor &) const;
  std::vector<Tensor> chunk(int64_t, int64_t dimension = 0) const;
  std::vector<Tensor> split(int64_t, int64_t dimension = 0) const;
  Tensor clone() const;
  Tensor detach() const;
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor t() const;
  Tensor sum() const;
  template <class... CqT> Tensor sum(CqT &&...) const;
  Tensor mean() const;
  Tensor max() const;
  Tensor min() const;
  Tensor abs() const;
  Tensor exp() const;
  Tensor sqrt() const;
  Tensor cumsum(int64_t) const;
  Tensor mm(const Tensor &) const;
  Tensor matmul(const Tensor &) const;
  Tensor bmm(const Tensor &) const;
  Tensor mul(const Tensor &) const;
  Tensor add(const Tensor &) const;
  Tensor sub(const Tensor &) const;
  Tensor div(const Tensor &) const;
  Tensor &add_(const Tensor &);
  Tensor &mul_(const Tensor &);
  Tensor &zero_() const;
  Tensor &fill_(const Scalar &) const;
  Tensor &copy_(const Tensor &, bool non_blocking = false) const;
  Tensor &resize_(IntArrayRef) const;
  template <class... CqT> Tensor to(CqT &&...) const;
  template <class... CqT> Tensor new_empty(CqT &&...) const;
  template <class... CqT> Tensor new_zeros(CqT &&...) const;
  Tensor &set_requires_grad(bool) const;
private:
  void *cq_tensor;
};
inline Tensor operator+(const Tensor &a, const Tensor &b);
inline Tensor operator-(const Tensor &a, const Tensor &b);
inline Tensor operator*(const Tensor &a, const Tensor &b);
inline Tensor operator/(const Tensor &a, const Tensor &b);
inline Tensor operator+(const Tensor &a, const Scalar &b);
inline Tensor operator*(const Tensor &a, const Scalar &b);
typedef ArrayRef<Tensor> TensorList;
#define CQ_TORCH_MAKER(name) \
  static Tensor name(IntArrayRef sizes, TensorOptions options = TensorOptions()); \
  static Tensor name##_like(const Tensor &other, TensorOptions options = TensorOptions());
CQ_TORCH_MAKER(empty) CQ_TORCH_MAKER(zeros) CQ_TORCH_MAKER(ones) CQ_TORCH_MAKER(rand) CQ_TORCH_MAKER(randn)
#undef CQ_TORCH_MAKER
static Tensor full(IntArrayRef sizes, const Scalar &value, TensorOptions options = TensorOptions());
static Tensor full_like(const Tensor &other, const Scalar &value);
static Tensor arange(const Scalar &end, TensorOptions options = TensorOptions());
static Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options = TensorOptions());
static Tensor from_blob(void *data, IntArrayRef sizes, TensorOptions options = TensorOptions());
static Tensor cat(TensorList tensors, int64_t dimension = 0);
static Tensor stack(TensorList tensors, int64_t dimension = 0);
static Tensor mm(const Tensor &, const Tensor &);
static Tensor bmm(const Tensor &, const Tensor &);
static Tensor matmul(const Tensor &, const Tensor &);
static Tensor addmm(const Tensor &, const Tensor &, const Tensor &);
static Tensor sigmoid(const Tensor &);
static Tensor tanh(const Tensor &);
static Tensor sum(const Tensor &);
static Tensor add(const Tensor &, const Tensor &, const Scalar &factor = 1);
static Tensor sub(const Tensor &, const Tensor &, const Scalar &factor = 1);
static Tensor mul(const Tensor &, const Tensor &);
static Tensor div(const Tensor &, const Tensor &);
static Tensor transpose(const Tensor &, int64_t, int64_t);
static Tensor softmax(const Tensor &, int64_t);
static Tensor relu(const Tensor &);
static Tensor exp(const Tensor &);
static Tensor sqrt(const Tensor &);
static Tensor where(const Tensor &, const Tensor &, const Tensor &);
static Tensor cumsum(const Tensor &, int64_t);
template <typename T> CQ_BOTH constexpr T ceil_div(T n, T m) { return (n + m - 1) / m; }
template <typename T> CQ_BOTH constexpr T round_up(T n, T m) { return ceil_div(n, m) * m; }
template <typename T, bool CqIsCuda = true> struct AccumulateType { typedef T type; };
template <bool CqIsCuda> struct AccumulateType<Half, CqIsCuda> { typedef float type; };
template <bool CqIsCuda> struct AccumulateType<BFloat16, CqIsCuda> { typedef float type; };
template <> struct AccumulateType<float, false> { typedef double type; };
template <typename T, bool CqIsCuda> using acc_type = typename AccumulateType<T, CqIsCuda>::type;
template <typename T> struct OpMathType { typedef T type; };
template <> struct OpMathType<Half> { typedef float type; };
template <> struct OpMathType<BFloat16> { typedef float type; };
template <typename T> using opmath_type = typename OpMathType<T>::type;
struct NoGradGuard { NoGradGuard(); };
namespace cuda {
using namespace c10::cuda;
static cudaDeviceProp *getCurrentDeviceProperties();
static cudaDeviceProp *getDeviceProperties(int64_t device);
}
namespace native { using at::opmath_type; }
#if __cplusplus >= 201703L
static optional<Device> device_of(const Tensor &);
#endif
}
namespace torch {
using namespace at;
using at::Tensor;
using at::TensorList;
#if __cplusplus >= 201703L
using c10::optional;
#endif
const ScalarType kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char, kInt16 = ScalarType::Short, kInt32 = ScalarType::Int, kInt64 = ScalarType::Long, kFloat16 = ScalarType::Half, kFloat32 = ScalarType::Float, kFloat64 = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kHalf = ScalarType::Half, kFloat = ScalarType::Float, kDouble = ScalarType::Double, kInt = ScalarType::Int, kLong = ScalarType::Long, kByte = ScalarType::Byte, kU8 = ScalarType::Byte, kF32 = ScalarType::Float;
const DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;
static void manual_seed(uint64_t);
namespace cuda { static bool is_available(); static void synchronize(int64_t device = -1); static size_t device_count(); }
namespace autograd {
typedef std::vector<Tensor> variable_list, tensor_list;
struct AutogradContext { void save_for_backward(variable_list); variable_list get_saved_variables() const; };
template <class CqT> struct Function { template <class... CqA> static Tensor apply(CqA &&...); };
}
}
namespace at {
const ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short, kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half, kFloat = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
const DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;
}
// An atomic addition to a half takes the word around it, as the library's does.
CQ_BEGIN_CXX
__device__ inline float gpuAtomicAdd(float *address, float value) { return atomicAdd(address, value); }
__device__ inline double gpuAtomicAdd(double *address, double value) { return atomicAdd(address, value); }
__device__ inline int gpuAtomicAdd(int *address, int value) { return atomicAdd(address, value); }
__device__ inline void gpuAtomicAdd(c10::Half *address, c10::Half value) { atomicAdd(reinterpret_cast<__half *>(address), *reinterpret_cast<__half *>(&value)); }
__device__ inline void gpuAtomicAdd(c10::BFloat16 *address, c10::BFloat16 value) { atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address), *reinterpret_cast<__nv_bfloat16 *>(&value)); }
template <class CqT> __device__ inline void gpuAtomicAddNoReturn(CqT *address, CqT value) { gpuAtomicAdd(address, value); }
CQ_END_CXX

#define TORCH_CHECK(condition, ...) do { if (!(condition)) ::c10::cq_fail(); } while (0)
#define TORCH_CHECK_ARG(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK(condition)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition)
#define AT_ASSERT(condition, ...) TORCH_CHECK(condition)
#define AT_CHECK(condition, ...) TORCH_CHECK(condition)
#define AT_ERROR(...) ::c10::cq_fail()
#define TORCH_WARN(...) ((void)0)
#define C10_CUDA_CHECK(expression) do { if ((expression) != cudaSuccess) ::c10::cq_fail(); } while (0)
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_EXTENSION_NAME cq_extension

// Which type a tensor has nobody knows here: each case is run once.
#define AT_DISPATCH_CASE(enumerator, ...) { using scalar_t = typename ::c10::cq_type_of<enumerator>::type; __VA_ARGS__(); }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) do { (void)(TYPE); __VA_ARGS__ } while (0)
#define CQ_DISPATCH_FLOATING(...) AT_DISPATCH_CASE(::c10::ScalarType::Float, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Double, __VA_ARGS__)
#define CQ_DISPATCH_INTEGRAL(...) AT_DISPATCH_CASE(::c10::ScalarType::Int, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Long, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Byte, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Char, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) CQ_DISPATCH_FLOATING(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__) CQ_DISPATCH_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__) CQ_DISPATCH_INTEGRAL(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, CQ_DISPATCH_FLOATING(__VA_ARGS__) CQ_DISPATCH_INTEGRAL(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__) AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...) do { (void)(TYPE); { using index_t = int32_t; __VA_ARGS__(); } { using index_t = int64_t; __VA_ARGS__(); } } while (0)

namespace pybind11 { struct module_ { template <class... CqA> module_ &def(const char *name, CqA &&...); const char *&doc(); }; typedef module_ module; struct arg { arg(const char *); template <class CqT> arg &operator=(const CqT &); }; }
namespace py = pybind11;
#define PYBIND11_MODULE(name, variable) static void cq_bind_module(::pybind11::module_ &variable)
namespace torch { struct Library { template <class... CqA> Library &def(CqA &&...); template <class... CqA> Library &impl(CqA &&...); }; }
#define TORCH_LIBRARY(name, variable) static void cq_library_##name(::torch::Library &variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) static void cq_library_##name##_##key(::torch::Library &variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) static void cq_fragment_##name(::torch::Library &variable)
#endif
