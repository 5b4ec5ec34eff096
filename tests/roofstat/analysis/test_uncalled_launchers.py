"""Kernels of libraries: what launches them, though nothing calls that, and why a program has no launch."""

from __future__ import annotations

import pytest

from roofstat.analysis.options import LaunchOverride
from roofstat.render.words import launches_text
from roofstat.report import LaunchSource, launch_time_s

KERNEL = """
#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f;
}
"""
FUNCTION = """
void run(const float *x, float *y, int n) { twice<<<(n + 127) / 128, 128>>>(x, y, n); }
"""
METHOD = """
struct Twice {
  int n;
  void go(const float *x, float *y) { dim3 block(64), grid((n + 63) / 64); twice<<<grid, block>>>(x, y, n); }
};
"""


@pytest.fixture(scope="module")
def kernels(result_of):
    """A text, and what is stated with it, to the reports of its kernels."""

    def analyse(text, args=(), **values):
        return result_of(text, values=values, program_args=args).kernels

    return analyse


def texts(kernel):
    return " ".join(item.text for item in kernel.assumptions)


@pytest.mark.parametrize(
    ("launcher", "name", "threads"), [(FUNCTION, "run", 128), (METHOD, "Twice::go", 64)]
)
def test_a_launcher_that_nothing_calls_is_called_with_stated_values(
    kernels, launcher, name, threads
):
    """10,000,000 threads load and store 4 bytes each."""
    (kernel,) = kernels(KERNEL + launcher, n=10_000_000)
    assert kernel.launch.source is LaunchSource.HOST_CODE
    assert kernel.launch.block == (threads, 1, 1)
    assert kernel.launch.grid == (10_000_000 // threads, 1, 1)
    assert kernel.counts.sp_flop == pytest.approx(10_000_000)
    assert f"nothing calls {name}()" in texts(kernel)


def test_without_values_a_launcher_tells_the_block(kernels):
    """About a million threads, each with an element."""
    (kernel,) = kernels(KERNEL + FUNCTION)
    assert kernel.launch.source is LaunchSource.ASSUMED
    assert (kernel.launch.grid, kernel.launch.block) == ((8192, 1, 1), (128, 1, 1))
    assert kernel.counts.sp_flop == 1 << 20


def test_callers_of_a_launcher_know_its_arguments(kernels):
    (kernel,) = kernels(KERNEL + FUNCTION + "void all(float *x) { run(x, x, 4096); }")
    assert kernel.launch.grid == (32, 1, 1)
    assert kernel.launch.source is LaunchSource.HOST_CODE


def test_launches_of_main_stay_as_they_are(kernels):
    """The launcher of another kernel launches this one, too."""
    other = "__global__ void other(float *x) { x[threadIdx.x] = 1; }"
    main = "void both(float *x, int n) { twice<<<n, 32>>>(x, x, n); other<<<n, 32>>>(x); }"
    main += "int main() { float *x; cudaMalloc(&x, 4096); twice<<<2, 64>>>(x, x, 99); }"
    twice, second = kernels(KERNEL + other + main)
    assert (twice.launch.grid, twice.launch.count) == ((2, 1, 1), 1)
    assert second.launch.block == (32, 1, 1)


@pytest.mark.parametrize("n", [0, -5])
def test_stated_sizes_below_one_are_said(kernels, n):
    (kernel,) = kernels(KERNEL + FUNCTION, n=n)
    assert f"argument n is stated as {n}: no thread is below it" in texts(kernel)


@pytest.mark.parametrize(
    ("body", "args", "why"),
    [
        ("return 1; twice<<<1, 32>>>(0, 0, 5);", ("5",), "main() returns 1 before"),
        ("return 0; twice<<<1, 32>>>(0, 0, 5);", (), "with --args"),
        ("", (), "main() ends without a launch of this kernel"),
    ],
)
def test_a_missing_launch_has_its_reason(kernels, body, args, why):
    (kernel,) = kernels(f"{KERNEL} int main(int argc, char **argv) {{ {body} }}", args)
    assert why in texts(kernel)


def test_a_launch_that_is_not_understood_is_the_reason(kernels):
    main = 'int main() { void (*f)(const float *, float *, int) = (void (*)(const float *, float *, int))atoll(getenv("F")); f<<<1, 32>>>(0, 0, 5); }'
    (kernel,) = kernels(KERNEL + main)
    assert "is not understood" in texts(kernel)


def test_a_size_from_a_header_that_is_missing_says_so(kernels):
    main = "int main(int argc, char **argv) { Picture one(argv[1]); int n = one.width(); twice<<<n, 32>>>(nullptr, nullptr, 1); }"
    (kernel,) = kernels(f'#include "picture.hpp"\n{KERNEL}{main}')
    assert "grid size along x is unknown (member of an unknown type)" in texts(kernel)


def test_library_functions_check_their_arguments(kernels):
    text = FUNCTION.replace("{ twice", "{ if (sizeof(n) != 4) return; if (n < 0) exit(1); twice")
    (kernel,) = kernels(KERNEL + text, n=1000)
    assert kernel.launch.grid == (8, 1, 1)


def test_functions_that_are_only_registered_are_called(kernels):
    # bind() names run() without calling it.
    bind = "void bind(void (**table)(const float *, float *, int)) { table[0] = &run; }"
    (kernel,) = kernels(KERNEL + FUNCTION + bind, n=1000)
    assert kernel.launch.grid == (8, 1, 1)
    assert kernel.launch.block == (128, 1, 1)


def test_kernels_of_a_torch_extension(kernels):
    # 500 of 256 threads; rows of 3: adjacent threads are 12 bytes apart.
    found = kernels(
        """
    #include <torch/extension.h>
    template <typename T> __global__ void first(at::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> a, T *b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) b[i] = a[i][0] * T(2) + T(1);
    }
    torch::Tensor run(torch::Tensor a, int rows) {
      auto b = torch::empty({rows}, a.options());
      AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "first", ([&] {
        first<scalar_t><<<(rows + 255) / 256, 256>>>(a.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), b.data_ptr<scalar_t>(), rows);
      }));
      return b;
    }
    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
    """,
        rows=128_000,
    )
    assert [kernel.launch.grid for kernel in found] == [(500, 1, 1)] * 3
    counts = {(round(k.counts.sp_flop), round(k.counts.dp_flop)) for k in found}
    # A multiplication and an addition: fused for double and float, apart for halves that are computed in float.
    assert counts == {(0, 256_000), (256_000, 0)}


def test_kernels_in_loops_without_iterations_are_launched_as_they_stand(kernels):
    # Nothing is in v; the second loop leads to no launch.
    (kernel,) = kernels(
        KERNEL
        + """
    #include <vector>
    int main() {
      std::vector<int> v; int blocks = 77, n = 0;
      for (size_t i = 0; i < v.size(); i++) twice<<<blocks, 192>>>(nullptr, nullptr, 14784);
      while (n > 0) n--;
    }"""
    )
    assert (kernel.launch.grid, kernel.launch.block) == ((77, 1, 1), (192, 1, 1))
    assert "main() does not take the branch to this launch" in texts(kernel)


def test_what_main_never_launches_has_no_launch_and_no_part_in_the_time(kernels):
    found = kernels(
        KERNEL
        + """
    __global__ void failed(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }
    int main() {
      int n = 1 << 20; float *x; cudaMalloc(&x, 4 * n);
      if (n < 0) failed<<<1, 32>>>(x, n);
      twice<<<n / 256, 256>>>(x, x, n);
    }"""
    )
    by_name = {kernel.name: kernel for kernel in found}
    assert by_name["twice"].launch.count == 1
    never = by_name["failed"]
    assert (never.launch.count, launch_time_s(never)) == (0, 0.0)
    assert never.confidence <= 0.95
    assert "never launched by main()" in launches_text(never)


def test_each_mode_that_ends_the_program_is_run_for_its_kernel(kernels):
    modes = "".join(
        f"""if (!strcmp(mode, "{name}")) {{ {name}<<<{blocks}, 128>>>(x, {128 * blocks}); {end} }}\n"""
        for name, blocks, end in (
            ("a", 31, "return 0;"),
            ("b", 32, "exit(0);"),
            ("c", 33, "return 0;"),
        )
    )
    found = kernels(
        "#include <cstdlib>\n#include <cstring>\n"
        + "".join(
            f"__global__ void {name}(float *x, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }}\n"
            for name in "abcd"
        )
        + f"""int main(int argc, char **argv) {{
          float *x; cudaMalloc(&x, 1 << 20);
          const char *mode = argc > 1 ? argv[1] : "d";
          {modes}
          d<<<34, 128>>>(x, 128 * 34);
        }}"""
    )
    assert {kernel.name: kernel.launch.grid[0] for kernel in found} == {
        "a": 31,
        "b": 32,
        "c": 33,
        "d": 34,
    }


def test_launches_of_templates_that_nothing_instantiates_are_told_from_wrong_ones(result_of):
    found = result_of(
        KERNEL
        + "template <class T> struct Run { void go(T *p); };\n"
        + "template <class T> void Run<T>::go(T *p) { twice<<<1, 32>>>(p, p, 5); }\n"
        + "\n" * 30
        + "void f(float *p) { twice<<<undeclared, 32>>>(p, p, 5); }\n"
    ).diagnostics
    assert [item.message for item in found if item.code == "lost-launch"] == [
        "nothing instantiates the template of this launch",
        "a launch here could not be read",
    ]


def test_functions_with_target_regions_are_called_too(kernel_of):
    """The region runs with what its function knows, here the number of the round: the first adds once to each element."""
    text = """
    void rounds(int n, float *x) {
      for (int d = 0; d < n; d++) {
        #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
        for (int i = 0; i < n; i++)
          for (int k = 0; k <= d; k++) x[i] += 2.0f;
      }
    }
    """
    stated = {"rounds": LaunchOverride(grid=(32, 1, 1), block=(128, 1, 1))}
    kernel = kernel_of(text, name="a.cpp", launches=stated)
    assert kernel.counts.sp_flop == pytest.approx(32 * 128, rel=0.01)
    assert "nothing calls rounds()" in texts(kernel)


BY_SIZE = """
template <int M, class T> __global__ void scaled(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (T)M;
}
template <class T> void by_size(const T *x, T *y, int n, int m) {
  switch (m) {
    case 2: scaled<2><<<n / 64, 64>>>(x, y, n); break;
    case 4: scaled<4><<<n / 128, 128>>>(x, y, n); break;
    default: scaled<0><<<n / 512, 512>>>(x, y, n);
  }
}
void by_type(const void *x, void *y, int n, int m, int type) {
  if (type == 1) by_size((const float *)x, (float *)y, n, m);
  else by_size((const double *)x, (double *)y, n, m);
}
"""

BY_POINTER = """
template <int M> __global__ void scaled(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * M;
}
typedef void (*Scaling)(const float *, float *, int);
Scaling chosen(int m) {
  if (m == 1) return scaled<1>;
  if (m == 2) return scaled<2>;
  if (m == 3) return scaled<3>;
  return nullptr;
}
void run(const float *x, float *y, int rows, int m) {
  Scaling kernel = chosen((m + 1023) / 1024);
  if (!kernel) return;
  kernel<<<rows, 192>>>(x, y, rows * 192);
}
"""


@pytest.mark.parametrize(
    ("text", "blocks"),
    [(BY_SIZE, [64, 64, 128, 128, 512, 512]), (BY_POINTER, [192, 192, 192])],
)
def test_all_kernels_that_a_launcher_chooses_from_are_launched_by_it(kernels, text, blocks):
    found = kernels(text, n=512_000, rows=1000)
    assert sorted(kernel.launch.block[0] for kernel in found) == blocks
    assert {kernel.launch.threads for kernel in found} <= {512_000, 192_000}
    for kernel in found:
        assert "one call of" in texts(kernel)


BY_WIDTH = """
template <int W> __global__ void doubled(float *x) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * W;
  for (int k = 0; k < W; k++) x[i + k] += x[i + k];
}
void run(float *x, int n, int width) {
  int blocks = n / (256 * width);
  switch (width) {
    case 1: doubled<1><<<blocks, 256>>>(x); break;
    case 2: doubled<2><<<blocks, 256>>>(x); break;
    case 4: doubled<4><<<blocks, 256>>>(x);
  }
}
"""


def test_what_is_computed_of_the_number_that_a_launcher_chooses_by_agrees_with_it(kernels):
    found = kernels(BY_WIDTH, n=1 << 20)
    assert sorted(kernel.launch.grid[0] for kernel in found) == [1024, 2048, 4096]
    assert [kernel.counts.sp_flop for kernel in found] == pytest.approx([1 << 20] * 3)
