"""The bundled headers: each parses alone, and what programs use of them means what it should."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

import pytest

from clang_queries import translation_unit
from clang_queries.command_line import Language, ParseOptions
from clang_queries.header_paths import bundled_headers_directory, include_arguments
from clang_queries.unit import lower_unit

_ROOT = bundled_headers_directory()
_NAMES = {Language.CUDA: "t.cu", Language.HIP: "t.hip", Language.OPENMP: "t.cpp"}
_CXX_STANDARDS = ("c++11", "c++14", "c++17", "c++20")


def _errors(text: str, language: Language, standard: str, name: str = "") -> list[str]:
    options = ParseOptions(language=language, standard=standard)
    with translation_unit.parse(name or _NAMES[language], options, text.encode()) as unit:
        return [f"{Path(item.file).name}:{item.line}: {item.text}" for item in unit.errors()]


def _headers(folder: str) -> list[str]:
    root = _ROOT / folder
    return sorted(
        str(path.relative_to(root))
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".md"
    )


def _with_content(folder: str) -> list[str]:
    # A header of one #include is as good as the header that it includes; all of them together are parsed below.
    root = _ROOT / folder
    return [name for name in _headers(folder) if len((root / name).read_text().splitlines()) > 5]


def _together(*folders: str) -> str:
    # The old cuBLAS interface reuses names of the new one, and HIP brings the vector operators that the samples'
    # helper_math.h defines: no program includes both.
    alone = {"cublas.h", "helper_math.h", "cutil_math.h"}
    names = [name for folder in folders for name in _headers(folder) if name not in alone]
    return "".join(f"#include <{name}>\n" for name in names)


@pytest.fixture
def accepts() -> Callable[..., None]:
    """Asserts that a text parses without errors in a language, by default at every C++ standard."""

    def run(
        text: str,
        language: Language = Language.CUDA,
        standards: tuple[str, ...] = ("c++14", "c++20"),
    ) -> None:
        for standard in standards:
            assert _errors(text, language, standard) == [], standard

    return run


@pytest.mark.parametrize("name", _with_content("c"))
def test_c_header_alone(name):
    text = f"#include <{name}>\nint after;\n"
    assert _errors(text, Language.OPENMP, "c99", "t.c") == []
    assert _errors(text, Language.OPENMP, "gnu17", "t.c") == []
    assert _errors(text, Language.OPENMP, "c++17") == []


@pytest.mark.parametrize("name", _with_content("std"))
def test_standard_header_alone(name):
    text = f"#include <{name}>\nint after;\n"
    assert _errors(text, Language.OPENMP, "c++11") == []
    assert _errors(text, Language.OPENMP, "c++20") == []


@pytest.mark.parametrize("name", _with_content("cuda"))
def test_cuda_header_alone(name):
    assert _errors(f"#include <{name}>\nint after;\n", Language.CUDA, "c++17") == []


@pytest.mark.parametrize("name", _with_content("hip"))
def test_hip_header_alone(name):
    text = f"#include <{name}>\nint after;\n"
    assert _errors(text, Language.HIP, "c++17") == []
    assert _errors(text, Language.CUDA, "c++17") == []


@pytest.mark.parametrize("standard", _CXX_STANDARDS)
def test_all_headers_in_one_unit(standard):
    assert _errors(_together("c", "std", "cuda", "hip"), Language.CUDA, standard) == []
    assert _errors(_together("c", "std"), Language.OPENMP, standard) == []


def test_headers_survive_macros_with_short_names():
    macros = "".join(f"#define {letter} 1024\n" for letter in string.ascii_uppercase)
    macros += "#define Real double\n#define min(a, b) a\n#define max(a, b) a\n"
    text = macros + _together("std", "cuda")
    assert _errors(text, Language.CUDA, "c++17") == []


@pytest.mark.parametrize(
    "header", ["math.h", "stdlib.h", "string.h", "complex.h", "omp.h", "stdio.h"]
)
def test_c_header_inside_a_linkage_block(header):
    text = f'extern "C" {{\n#include <{header}>\n}}\n#include <vector>\nstd::vector<int> v;\n'
    assert _errors(text, Language.OPENMP, "c++17") == []


def test_arguments_name_existing_folders_and_the_prelude():
    for language in ("cuda", "hip", "openmp"):
        arguments = include_arguments(language)
        folders = [arguments[i + 1] for i, flag in enumerate(arguments) if flag == "-isystem"]
        assert {Path(folder).name for folder in folders} == {"cuda", "hip", "std", "c", "torch"}
        assert all(Path(folder).is_dir() for folder in folders)
        assert ("-include" in arguments) == (language != "openmp")
        assert "-nostdinc" in arguments
    assert Path(include_arguments("hip")[-1]).parent.name == "hip"
    assert Path(include_arguments("cuda")[-1]).parent.name == "cuda"


def test_system_headers_come_before_the_bundled_library():
    arguments = include_arguments("cuda", system_headers=True)
    assert "-nostdinc" not in arguments
    after = [arguments[i + 1] for i, flag in enumerate(arguments) if flag == "-idirafter"]
    assert [Path(folder).name for folder in after] == ["std", "c", "torch"]


@pytest.mark.parametrize(
    ("type_name", "size", "alignment"),
    [
        ("char2", 2, 2), ("uchar4", 4, 4), ("short4", 8, 8), ("int3", 12, 4), ("float2", 8, 8), ("float3", 12, 4),
        ("float4", 16, 16), ("double2", 16, 16), ("double3", 24, 8), ("double4", 32, 16), ("longlong2", 16, 16),
        ("ulonglong4", 32, 16), ("dim3", 12, 4), ("__half", 2, 2), ("__half2", 4, 4), ("__nv_bfloat16", 2, 2),
        ("__nv_bfloat162", 4, 4), ("__nv_fp8_e4m3", 1, 1), ("__nv_fp8x4_e5m2", 4, 4), ("cuComplex", 8, 8),
        ("cuDoubleComplex", 16, 16), ("thrust::complex<float>", 8, 8), ("thrust::complex<double>", 16, 16),
        ("curandState", 48, 8), ("curandStatePhilox4_32_10_t", 64, 16), ("curandStateMRG32k3a", 48, 8),
        ("std::complex<float>", 8, 4), ("std::array<double, 3>", 24, 8), ("std::vector<int>", 24, 8),
        ("std::string", 32, 8), ("std::unique_ptr<int>", 8, 8), ("std::shared_ptr<int>", 16, 8),
        ("std::tuple<char, int>", 8, 4), ("std::pair<double, int>", 16, 8), ("cudaTextureObject_t", 8, 8),
    ],
)  # fmt: skip
def test_layout(type_name, size, alignment, accepts):
    # Sizes of vector types are elements times bytes; aligned ones are capped at 16 bytes (CUDA C++ Guide, vector types).
    includes = "#include <cuComplex.h>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
    includes += "#include <curand_kernel.h>\n#include <thrust/complex.h>\n#include <array>\n#include <memory>\n"
    includes += "#include <string>\n#include <tuple>\n#include <vector>\n"
    accepts(
        f'{includes}static_assert(sizeof({type_name}) == {size}, "size");\n'
        f'static_assert(alignof({type_name}) == {alignment}, "alignment");\n',
        standards=("c++17",),
    )


def test_math_overloads_have_the_types_of_the_standard(accepts):
    cases = {
        "sin(1.0f)": "float", "sin(1.0)": "double", "sin(1)": "double", "std::sqrt(2)": "double", "exp2(1.0f)": "float",
        "pow(1.0f, 2.0f)": "float", "pow(1.0f, 2)": "double", "pow(2, 3)": "double", "pow(1.0, 2.0f)": "double",
        "std::abs(-1)": "int", "std::abs(-1.0f)": "float", "abs(-1L)": "long", "fma(1.0f, 2.0f, 3.0f)": "float",
        "isnan(1.0f)": "bool", "std::isinf(1.0)": "bool", "lround(1.0f)": "long", "hypot(1.0f, 1.0f)": "float",
        "std::max(1, 2)": "const int &", "floor(1.5f)": "float", "std::fmod(5, 2.0f)": "double",
    }  # fmt: skip
    checks = "".join(
        f'static_assert(__is_same(decltype({call}), {result}), "{call}");\n'
        for call, result in cases.items()
    )
    text = "#include <algorithm>\n#include <cmath>\n" + checks
    accepts(text, Language.OPENMP, _CXX_STANDARDS)
    accepts(text, Language.CUDA, _CXX_STANDARDS)


def test_cuda_adds_its_math(accepts):
    cases = {
        "rsqrt(1.0f)": "float", "rsqrtf(1.0f)": "float", "rsqrt(1.0)": "double", "min(1, 2)": "int", "max(1.0f, 2.0)": "double",
        "min(1u, 2)": "unsigned int", "max(1LL, 2LL)": "long long", "norm3df(1, 2, 3)": "float", "exp10(1.0f)": "float",
        "__fdividef(1, 2)": "float", "__powf(1, 2)": "float", "__float2int_rn(1)": "int", "__double2ll_rz(1)": "long long",
        "__popc(1)": "int", "__umulhi(1, 2)": "unsigned int", "__dadd_rn(1, 2)": "double", "__dp4a(1, 2, 3)": "int",
        "__vadd2(1, 2)": "unsigned int", "__float_as_int(1)": "int", "fmaxf(1, 2)": "float", "umin(1, 2)": "unsigned int",
    }  # fmt: skip
    accepts(
        "".join(
            f'static_assert(__is_same(decltype({call}), {result}), "{call}");\n'
            for call, result in cases.items()
        )
    )


def test_numeric_limits_are_constants(accepts):
    accepts(
        """
        #include <limits>
        #include <climits>
        static_assert(std::numeric_limits<int>::max() == INT_MAX, "");
        static_assert(std::numeric_limits<int>::min() == INT_MIN, "");
        static_assert(std::numeric_limits<unsigned>::max() == UINT_MAX, "");
        static_assert(std::numeric_limits<long long>::lowest() == LLONG_MIN, "");
        static_assert(std::numeric_limits<unsigned char>::max() == 255, "");
        static_assert(std::numeric_limits<short>::digits == 15, "");
        static_assert(std::numeric_limits<unsigned long long>::digits10 == 19, "");
        static_assert(std::numeric_limits<float>::max() > 3.4e38f, "");
        static_assert(std::numeric_limits<double>::epsilon() < 2.3e-16, "");
        """,
        Language.OPENMP,
        _CXX_STANDARDS,
    )


def test_kernel_vocabulary(accepts):
    accepts(
        r"""
        #include <assert.h>
        __constant__ float table[16];
        __device__ int counter;
        __managed__ int managed;
        template <class T, int N> __global__ void __launch_bounds__(256, 2) k(T *__restrict__ a, const __grid_constant__ int n) {
          extern __shared__ float dynamic[];
          __shared__ T fixed[N];
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          fixed[threadIdx.x % N] = __ldg(&a[i]) + table[i % 16] + dynamic[0];
          __syncthreads();
          T sum = __shfl_down_sync(0xffffffffu, a[i], 16) + __shfl_xor_sync(0xffffffffu, a[i], 1, warpSize);
          atomicAdd(a, sum);
          atomicAdd(&counter, 1);
          atomicMax(&counter, 3);
          atomicAdd_system(&counter, 1);
          atomicCAS((unsigned long long *)a, 1ull, 2ull);
          unsigned vote = __ballot_sync(__activemask(), i > 3) & __match_any_sync(0xffffffffu, i);
          float4 v = make_float4(1, 2, 3, 4);
          const uint3 t = threadIdx;
          const dim3 b = gridDim;
          if (__syncthreads_or(v.x > 0)) printf("%d %u\n", i, vote + t.x + b.y);
          assert(i < n);
          long long begin = clock64();
          asm volatile("mov.u32 %0, %%smid;" : "=r"(vote));
          __stcg(a + i, T(begin));
          memset(fixed, 0, sizeof(fixed));
          __threadfence();
          __nanosleep(100);
        }
        int main() {
          float *d;
          cudaStream_t stream;
          cudaMalloc(&d, 64);
          cudaMalloc((void **)&d, 64);
          cudaStreamCreate(&stream);
          k<float, 32><<<10, 256>>>(d, 3);
          k<float, 32><<<dim3(1, 2), dim3(3), 16, stream>>>(d, 3);
          int n = 3;
          void *arguments[] = {&d, &n};
          cudaLaunchKernel((void *)k<float, 32>, 1, 1, arguments, 0, stream);
          cudaLaunchKernel(k<float, 32>, dim3(1), dim3(1), arguments);
          cudaLaunchCooperativeKernel((void *)k<float, 32>, dim3(1), dim3(1), arguments);
          cudaMemcpyToSymbol(table, d, sizeof(table));
          cudaMemcpyAsync(d, d, 4, cudaMemcpyDeviceToDevice, stream);
          cudaMallocManaged(&d, 16);
          cudaMemPrefetchAsync(d, 16, 0);
          cudaFuncSetAttribute(k<float, 32>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
          int blocks, size;
          cudaOccupancyMaxPotentialBlockSize(&blocks, &size, k<float, 32>, 0, 0);
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k<float, 32>, 128, 0);
          cudaDeviceProp properties;
          cudaGetDeviceProperties(&properties, 0);
          cudaEvent_t event;
          cudaEventCreate(&event);
          cudaEventRecord(event, stream);
          cudaGraph_t graph;
          cudaGraphExec_t executable;
          cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
          cudaStreamEndCapture(stream, &graph);
          cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
          return cudaGetLastError() == cudaSuccess ? properties.multiProcessorCount : managed;
        }
        """
    )


def test_textures_and_surfaces(accepts):
    accepts(
        """
        texture<float, 2, cudaReadModeElementType> old;
        texture<uchar4, 1, cudaReadModeNormalizedFloat> scaled;
        surface<void, cudaSurfaceType2D> target;
        __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
          float4 v = tex2D<float4>(t, 0.5f, 0.5f);
          out[0] = tex1Dfetch<float>(t, 3) + tex2D(old, 1.0f, 2.0f) + tex1Dfetch(scaled, 1).x + v.x;
          out[1] = tex3D<float>(t, 1.0f, 2.0f, 3.0f) + tex2DLayered<float>(t, 0, 0, 1);
          surf2Dwrite(v, s, 16, 0);
          surf2Dwrite(out[0], target, 4, 0);
          surf2Dread(&out[2], s, 0, 0);
        }
        void host(cudaArray_t array, float *d) {
          cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
          cudaMallocArray(&array, &format, 16, 16);
          cudaBindTextureToArray(old, array, format);
          cudaBindTexture(0, scaled, d, 64);
          cudaResourceDesc resource = {};
          resource.resType = cudaResourceTypeLinear;
          resource.res.linear.devPtr = d;
          cudaTextureDesc description = {};
          description.addressMode[0] = cudaAddressModeClamp;
          cudaTextureObject_t object = 0;
          cudaCreateTextureObject(&object, &resource, &description, NULL);
        }
        """
    )


def test_half_types(accepts):
    accepts(
        """
        #include <cuda_bf16.h>
        #include <cuda_fp16.h>
        #include <cuda_fp8.h>
        __global__ void k(__half *h, half2 *p, __nv_bfloat16 *b, __nv_bfloat162 *q, float *f) {
          half x = h[0] * h[1] + h[2];
          x += __hfma(h[0], h[1], x);
          if (x > h[3] && !__hisnan(x)) h[0] = hexp(-x);
          h[1] = __float2half(f[0]);
          f[1] = __half2float(x) + float(b[0] / b[1]);
          p[0] = __hfma2(p[0], p[1], __float2half2_rn(1.0f)) * __halves2half2(x, x);
          f[2] = __low2float(p[0]) + __half22float2(p[1]).y;
          b[0] = __hmax(b[0], __float2bfloat16(f[0]));
          q[0] = __hmul2(q[0], q[1]) + __floats2bfloat162_rn(f[0], f[1]);
          atomicAdd(h, x);
          atomicAdd(p, p[1]);
          h[2] = __shfl_down_sync(0xffffffffu, x, 1);
          h[3] = __ldg(h + 4);
          __nv_fp8_e4m3 small(f[0]);
          f[3] = float(small);
        }
        """
    )


def test_cooperative_groups(accepts):
    accepts(
        """
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        __global__ void k(float *a) {
          cg::thread_block block = cg::this_thread_block();
          cg::grid_group grid = cg::this_grid();
          cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
          auto four = cg::tiled_partition<4>(tile);
          float sum = cg::reduce(tile, a[grid.thread_rank()], cg::plus<float>());
          for (int i = tile.size() / 2; i > 0; i /= 2) sum += tile.shfl_down(sum, i);
          if (four.thread_rank() == 0) atomicAdd(a, sum);
          cg::coalesced_group active = cg::coalesced_threads();
          if (active.thread_rank() == 0 && tile.any(sum > 0)) a[block.group_index().x] = active.shfl(sum, 0);
          cg::sync(block);
          block.sync();
          grid.sync();
        }
        """
    )


def test_tensor_fragments_and_pipelines(accepts):
    accepts(
        """
        #include <cuda/barrier>
        #include <cuda/pipeline>
        #include <cuda_pipeline.h>
        #include <mma.h>
        using namespace nvcuda;
        __global__ void k(const half *a, const half *b, float *c) {
          wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
          wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
          wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
          static_assert(decltype(z)::num_elements == 16 * 16 / 32, "one warp holds the tile");
          wmma::fill_fragment(z, 0.0f);
          wmma::load_matrix_sync(x, a, 16);
          wmma::load_matrix_sync(y, b, 16);
          wmma::mma_sync(z, x, y, z);
          for (int i = 0; i < z.num_elements; ++i) z.x[i] *= 2.0f;
          wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
          __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
          if (threadIdx.x == 0) init(&barrier, blockDim.x);
          barrier.arrive_and_wait();
          __shared__ float staged[64];
          __pipeline_memcpy_async(&staged[threadIdx.x], &c[threadIdx.x], sizeof(float));
          __pipeline_commit();
          __pipeline_wait_prior(0);
          auto pipe = cuda::make_pipeline();
          cuda::memcpy_async(staged, c, cuda::aligned_size_t<16>(64), pipe);
        }
        """
    )


def test_cub_collectives_and_device_algorithms(accepts):
    accepts(
        """
        #include <cub/cub.cuh>
        template <int Threads> __global__ void k(const int *in, int *out) {
          using Reduce = cub::BlockReduce<int, Threads>;
          using Scan = cub::BlockScan<int, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
          using Load = cub::BlockLoad<int, Threads, 4, cub::BLOCK_LOAD_VECTORIZE>;
          using Sort = cub::BlockRadixSort<int, Threads, 4>;
          __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; typename Load::TempStorage load; typename Sort::TempStorage sort; } shared;
          int items[4];
          Load(shared.load).Load(in, items);
          Sort(shared.sort).Sort(items);
          int sum = Reduce(shared.reduce).Sum(items[0]) + Reduce(shared.reduce).Reduce(items[1], cub::Max());
          int prefix;
          Scan(shared.scan).ExclusiveSum(sum, prefix);
          typedef cub::WarpReduce<int> Warp;
          __shared__ typename Warp::TempStorage warps[Threads / 32];
          out[threadIdx.x] = prefix + Warp(warps[threadIdx.x / 32]).Sum(sum);
        }
        void host(int *in, int *out, int n, cudaStream_t stream) {
          void *storage = nullptr;
          size_t bytes = 0;
          cub::DeviceReduce::Sum(storage, bytes, in, out, n);
          cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n, stream);
          cub::DeviceRadixSort::SortPairs(storage, bytes, in, out, in, out, n);
          cub::DeviceSelect::Flagged(storage, bytes, in, in, out, out, n);
          k<128><<<1, 128>>>(in, out);
        }
        """
    )


def test_thrust(accepts):
    accepts(
        """
        #include <thrust/complex.h>
        #include <thrust/copy.h>
        #include <thrust/device_vector.h>
        #include <thrust/execution_policy.h>
        #include <thrust/functional.h>
        #include <thrust/host_vector.h>
        #include <thrust/iterator/counting_iterator.h>
        #include <thrust/iterator/zip_iterator.h>
        #include <thrust/reduce.h>
        #include <thrust/scan.h>
        #include <thrust/sequence.h>
        #include <thrust/sort.h>
        #include <thrust/transform.h>
        #include <thrust/transform_reduce.h>
        #include <thrust/tuple.h>
        struct Square { __host__ __device__ float operator()(float x) const { return x * x; } };
        __global__ void k(thrust::complex<float> *z) { z[0] = z[0] * z[1] + thrust::conj(z[2]) / 2.0f; z[1] = thrust::exp(z[0]) * thrust::abs(z[1]); }
        int main() {
          thrust::host_vector<float> h(10, 1.0f);
          thrust::device_vector<float> d = h;
          thrust::device_vector<int> keys(10);
          d[0] = 3.0f;
          float first = d[0] + h[1];
          thrust::sequence(keys.begin(), keys.end());
          thrust::sort_by_key(thrust::device, keys.begin(), keys.end(), d.begin());
          thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
          first += thrust::reduce(d.begin(), d.end(), 0.0f, thrust::plus<float>());
          first += thrust::transform_reduce(d.begin(), d.end(), Square(), 0.0f, thrust::maximum<float>());
          thrust::transform(d.begin(), d.end(), d.begin(), Square());
          thrust::exclusive_scan(thrust::cuda::par.on(0), keys.begin(), keys.end(), keys.begin());
          auto zipped = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), d.begin()));
          thrust::copy(h.begin(), h.end(), d.begin());
          float *raw = thrust::raw_pointer_cast(d.data());
          float *other = thrust::raw_pointer_cast(&d[0]);
          thrust::device_ptr<float> p = thrust::device_pointer_cast(raw);
          return raw == other && first > p[0] && zipped == zipped;
        }
        """
    )


def test_device_and_host_random_numbers(accepts):
    accepts(
        """
        #include <curand.h>
        #include <curand_kernel.h>
        __global__ void k(curandState *states, curandStatePhilox4_32_10_t *philox, float *out) {
          curand_init(1234ull, threadIdx.x, 0, &states[threadIdx.x]);
          curandState local = states[threadIdx.x];
          out[0] = curand_uniform(&local) + curand_normal(&local) + curand(&local) + curand_normal2(&local).x;
          out[1] = curand_uniform4(philox).w;
        }
        void host(float *d) { curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT); curandGenerateUniform(g, d, 10); }
        """
    )


def test_declared_templates_for_lambdas(accepts):
    accepts(
        """
        #include <list>
        #include <forward_list>
        void f(std::list<int> &a, std::forward_list<int> &b, int *rank) {
          a.sort([=](int x, int y) { return rank[x] < rank[y]; });
          b.remove_if([](int x) { return x > 3; });
        }
        """
    )


def test_torch(accepts):
    accepts(
        """
        #include <torch/extension.h>
        #include <ATen/cuda/CUDAContext.h>
        #include <c10/cuda/CUDAGuard.h>
        #define CHECK_INPUT(x) TORCH_CHECK(x.device().is_cuda(), #x " is on the host"); TORCH_CHECK(x.is_contiguous())
        template <typename T> __global__ void add(at::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> a, T *b, int n) {
          using acc_t = at::acc_type<T, true>;
          CUDA_KERNEL_LOOP(i, n) { acc_t sum = static_cast<acc_t>(a[i][0]) + b[i] * T(2); b[i] = sum > acc_t(0) ? T(sum) : -b[i]; b[i] += a[i][1]; }
          gpuAtomicAdd(b, a[0][0]);
        }
        template <typename scalar_t> void launch(const scalar_t *a, int64_t n) {}
        std::vector<at::Tensor> run(const torch::Tensor &a, at::Tensor b, double alpha) {
          CHECK_INPUT(a); CHECK_INPUT(b);
          const at::cuda::OptionalCUDAGuard guard(a.device()), same(device_of(a));
          auto options = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCUDA, 0).requires_grad(false);
          torch::Tensor c = torch::empty({a.size(0), 4}, options), d = torch::zeros_like(a), e = at::empty(a.sizes(), a.options());
          const int threads = 256, blocks = at::ceil_div<int64_t>(a.numel(), threads);
          auto stream = at::cuda::getCurrentCUDAStream();
          if (a.scalar_type() == at::ScalarType::Float || a.dtype() == torch::kHalf) c.fill_(0);
          AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "add", ([&] {
            add<scalar_t><<<blocks, threads, 0, stream>>>(a.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), b.data_ptr<scalar_t>(), b.size(-1));
          }));
          AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, a.type(), "launch", [&] { launch<scalar_t>(a.const_data_ptr<scalar_t>(), a.numel()); });
          C10_CUDA_KERNEL_LAUNCH_CHECK();
          AT_CUDA_CHECK(cudaGetLastError());
          c = (a + b).view({-1, 3}).contiguous().to(torch::kFloat64);
          return {c, d, e};
        }
        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "adds", py::arg("a"), py::arg("b")); }
        TORCH_LIBRARY(mine, m) { m.def("run(Tensor a) -> Tensor[]", &run); }
        """,
        standards=("c++17", "c++20"),
    )


def test_the_context_of_torch_brings_the_libraries_that_it_has_handles_of(accepts):
    accepts(
        """
        #include <ATen/cuda/CUDAContext.h>
        void multiply(cublasHandle_t handle, cusparseHandle_t, const float *a, const float *b, float *c, int n) {
          float one = 1.0f, zero = 0.0f;
          cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
        }
        """
    )


def test_math_libraries(accepts):
    accepts(
        """
        #include <cublasLt.h>
        #include <cublas_v2.h>
        #include <cudnn.h>
        #include <cufft.h>
        #include <cusolverDn.h>
        #include <cusparse.h>
        #include <nccl.h>
        void host(float *a, double *b, int *i, __half *h) {
          cublasHandle_t blas;
          float one = 1;
          double two = 2;
          cublasCreate(&blas);
          cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, 1, 2, 3, &one, a, 1, a, 2, &one, a, 3);
          cublasDgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 2, 3, &two, b, 1, 0, b, 2, 0, &two, b, 3, 0, 4);
          cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 2, 3, &one, h, CUDA_R_16F, 1, h, CUDA_R_16F, 2, &one, a, CUDA_R_32F, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
          cublasSaxpy(blas, 10, &one, a, 1, a, 1);
          cufftHandle plan;
          cufftPlan1d(&plan, 128, CUFFT_C2C, 1);
          cufftExecC2C(plan, (cufftComplex *)a, (cufftComplex *)a, CUFFT_FORWARD);
          cusparseHandle_t sparse;
          cusparseSpMatDescr_t matrix;
          cusparseDnVecDescr_t x;
          size_t bytes;
          cusparseCreate(&sparse);
          cusparseCreateCsr(&matrix, 1, 2, 3, i, i, a, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
          cusparseCreateDnVec(&x, 2, a, CUDA_R_32F);
          cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &one, x, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
          cusolverDnHandle_t solver;
          cusolverDnCreate(&solver);
          cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, 3, b, 3, b, 9, i);
        }
        """
    )


def test_driver_interface(accepts):
    accepts(
        """
        #include <cuda.h>
        void host() {
          CUdevice device; CUcontext context; CUmodule module; CUfunction function; CUdeviceptr data;
          cuInit(0);
          cuDeviceGet(&device, 0);
          cuCtxCreate(&context, 0, device);
          cuModuleLoad(&module, "k.ptx");
          cuModuleGetFunction(&function, module, "k");
          cuMemAlloc(&data, 64);
          void *arguments[] = {&data};
          cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
        }
        """
    )


def test_hip(accepts):
    accepts(
        """
        #include <hip/hip_fp16.h>
        #include <hip/hip_runtime.h>
        __global__ void k(float *a, float4 *b, int n) {
          const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
          if (i < n) b[i] = b[i] * 2.0f + b[0];
          a[i] += __shfl_down(a[i], 1);
        }
        int main() {
          float *d;
          hipMalloc(&d, 64);
          hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, 0, d, nullptr, 10);
          k<<<1, 64>>>(d, nullptr, 10);
          hipMemcpy(d, d, 4, hipMemcpyDeviceToDevice);
          hipDeviceProp_t properties;
          return hipGetDeviceProperties(&properties, 0) != hipSuccess;
        }
        """,
        Language.HIP,
    )


def test_sample_helpers(accepts):
    accepts(
        """
        #include <helper_cuda.h>
        #include <helper_functions.h>
        #include <helper_math.h>
        __global__ void k(float3 *p, float4 *q) {
          p[0] = normalize(p[0] + make_float3(1.0f) * 2.0f) - cross(p[0], p[1]);
          q[0] += make_float4(p[0], dot(p[0], p[1]));
        }
        int main(int argc, char **argv) {
          StopWatchInterface *timer = NULL;
          sdkCreateTimer(&timer);
          checkCudaErrors(cudaSetDevice(findCudaDevice(argc, (const char **)argv)));
        }
        """
    )


_GUARDS = {
    "": ("__CUDA_RUNTIME_H__", "__DRIVER_TYPES_H__"),
    "cuda.h": ("__cuda_cuda_h__",),
    "cublas_v2.h": ("CUBLAS_API_H_", "CUBLAS_V2_H_"),
    "cufft.h": ("_CUFFT_H_",),
    "curand.h": ("CURAND_H_",),
    "cusolverDn.h": ("CUSOLVER_COMMON_H_",),
    "cusparse.h": ("CUSPARSEAPI",),
}


@pytest.mark.parametrize("header", _GUARDS)
def test_programs_that_ask_which_headers_were_read_are_told(accepts, header):
    """Helpers of programs declare what belongs to a library where its header was read: they ask for the guard."""
    asked = "".join(f"#ifndef {name}\n#error {name}\n#endif\n" for name in _GUARDS[header])
    accepts((f"#include <{header}>\n" if header else "") + asked)
    if header and header != "cuda.h":
        accepts("".join(f"#ifdef {name}\n#error {name}\n#endif\n" for name in _GUARDS[header]))


_HOST_PROGRAM = """
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>
struct Error : std::exception { const char *what() const noexcept override { return "x"; } };
int main(int argc, char **argv) {
  std::vector<float> v(10), w = {1, 2, 3};
  std::vector<std::vector<int>> rows(3, std::vector<int>(4, 0));
  std::sort(v.begin(), v.end(), [](float a, float b) { return a > b; });
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::normal_distribution<> normal(0, 1);
  std::generate(v.begin(), v.end(), [&] { return uniform(generator) + normal(generator); });
  std::iota(v.begin(), v.end(), 0);
  double sum = std::accumulate(v.begin(), v.end(), 0.0) + *std::max_element(v.begin(), v.end());
  auto start = std::chrono::steady_clock::now();
  auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::map<std::string, std::vector<int>> m;
  m["a"].push_back(1);
  m.insert({"b", {1, 2}});
  for (auto &entry : m) std::cout << entry.first << entry.second.size() << std::endl;
  auto found = m.find("z");
  if (found != m.end()) m.erase(found);
  std::unordered_map<int, float> u;
  u[1] += 2;
  std::set<int> s{1, 2, 3};
  std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<std::pair<int, int>>> q;
  q.push({1, 2});
  std::tuple<int, float> t = std::make_tuple(1, 2.0f);
  std::get<0>(t) = std::max({1, 2, 3});
  int a; float b;
  std::tie(a, b) = t;
  std::array<int, 3> fixed = {{1, 2, 3}};
  std::complex<double> z(1, 2);
  z = z * z + 1.0 / z;
  std::unique_ptr<float[]> owned(new float[4]);
  auto shared = std::make_shared<Error>();
  std::function<int(int)> f = [&](int x) { return x + fixed[0]; };
  std::string text = "n=" + std::to_string(f(a)) + argv[1];
  text.insert(0, "x");
  text.replace(0, 1, "y");
  std::ifstream in(argv[1]);
  std::string line;
  while (std::getline(in, line)) { std::istringstream words(line); words >> a >> b; }
  std::cout << std::setw(8) << std::setprecision(3) << std::fixed << sum + std::abs(z) << seconds.count() << '\\n';
  std::thread worker([&] { ++a; });
  worker.join();
  std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  std::atomic<int> flag(0);
  flag.fetch_add(1);
  std::copy(v.begin(), v.end(), std::ostream_iterator<float>(std::cout, " "));
  if (!in || argc < 2) throw std::runtime_error("usage: " + text);
  return std::stoi(argv[1]) + static_cast<int>(ns) + rows[0][1] + shared->what()[0] + flag;
}
"""


def test_host_program(accepts):
    accepts(_HOST_PROGRAM, Language.OPENMP, _CXX_STANDARDS)
    accepts(_HOST_PROGRAM, Language.CUDA, _CXX_STANDARDS)


def test_newer_language_features(accepts):
    accepts(
        """
        #include <bit>
        #include <concepts>
        #include <filesystem>
        #include <numbers>
        #include <optional>
        #include <span>
        #include <string_view>
        #include <variant>
        template <std::floating_point T> T area(T r) { return std::numbers::pi_v<T> * r * r; }
        static_assert(std::has_single_bit(64u) && std::bit_width(255u) == 8);
        static_assert(std::string_view("abc").size() == 3);
        int main() {
          int values[4] = {};
          std::span<int> view(values);
          std::optional<int> maybe = view.size();
          std::variant<int, float> either = 2.0f;
          return maybe.value_or(1) + std::visit([](auto x) { return int(x); }, either) + std::filesystem::exists("x") + int(area(1.0));
        }
        """,
        Language.OPENMP,
        ("c++20",),
    )


def test_openmp_program_in_c():
    text = """
    #include <complex.h>
    #include <math.h>
    #include <omp.h>
    #include <stdbool.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/time.h>
    int main(int argc, char *argv[]) {
      int n = atoi(argv[1]);
      double *a = malloc(n * sizeof(*a));
      float complex z = 1.0f + 2.0f * I;
      bool bad = isnan(a[0]) || fabs(a[0]) > INFINITY;
      struct timeval now;
      gettimeofday(&now, NULL);
      #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
      for (int i = 0; i < n; i++) a[i] = sqrt(a[i]) + crealf(z);
      fprintf(stderr, "%d %f %d\\n", omp_get_num_devices(), omp_get_wtime(), bad);
      return EXIT_SUCCESS;
    }
    """
    assert _errors(text, Language.OPENMP, "c11", "t.c") == []


def test_message_passing_program(accepts):
    accepts(
        """
        #include <mpi.h>
        int main(int argc, char **argv) {
          int rank;
          double x = 1;
          MPI_Request request;
          MPI_Init(&argc, &argv);
          MPI_Comm_rank(MPI_COMM_WORLD, &rank);
          MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
          MPI_Irecv(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
          return MPI_Finalize();
        }
        """,
        Language.OPENMP,
    )


def test_the_headers_of_the_machine_do_not_collide_with_the_bundled_ones(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(
        "#include <vector>\n#include <algorithm>\n#include <string>\n#include <memory>\n"
        "__global__ void k(float4 *p) { p[threadIdx.x] = make_float4(1, 2, 3, 4); }\n"
        "int main() { std::vector<int> v(3); k<<<v.size(), 32>>>(nullptr); }\n"
    )
    unit = lower_unit(str(path), ParseOptions(system_headers=True))
    bundled = str(bundled_headers_directory())
    assert [item for item in unit.diagnostics if item.position.file.startswith(bundled)] == []
