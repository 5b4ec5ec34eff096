"""Kernels in branches that a program's arguments do not lead to are launched with what is known at that place."""

from __future__ import annotations

import pytest

from roofstat.report import LaunchSource

KERNELS = """
#include <cuda_runtime.h>
#include <stdlib.h>
template <int M> __global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.5f;
}
"""
ELEMENTS = 1_000_000


@pytest.fixture(scope="module")
def launches(result_of):
    """What main() does with x, y, n and kind = 0, to the reports of the kernels by the threads of their blocks."""

    def analyse(body, before="", suffix="cu"):
        kernels = result_of(
            (KERNELS if suffix == "cu" else "#include <stdlib.h>\n")
            + before
            + "int main(int argc, char **argv) { int n = atoi(argv[1]), kind = atoi(argv[2]);"
            + "float *x = (float *)malloc(4 * n), *y = (float *)malloc(4 * n);"
            + body
            + "}",
            name=f"a.{suffix}",
            program_args=(str(ELEMENTS), "0"),
        ).kernels
        return {kernel.launch.block[0]: kernel for kernel in kernels}

    return analyse


def launch(mode, block, n="n"):
    return f"scale<{mode}><<<({n} + {block - 1}) / {block}, {block}>>>(x, y, {n});"


@pytest.mark.parametrize(
    ("body", "before"),
    [
        (f"if (kind) {{ {launch(1, 64)} }} else {{ {launch(0, 128)} }}", ""),
        (f"{launch(0, 128)} for (int i = 0; i < 9; i++) if (i > 3 && kind) {launch(1, 64)}", ""),
        (
            f"{launch(0, 128)} if (kind) other(x, y, n);",
            f"void other(float *x, float *y, int n) {{ {launch(1, 64)} }}",
        ),
        (
            "switch (kind) { case 0: with(one, x, y, n); break; case 1: with(other, x, y, n); }",
            f"""void one(float *x, float *y, int n) {{ {launch(0, 128)} }}
            void other(float *x, float *y, int n) {{ {launch(1, 64)} }}
            template <class F> void with(F &&f, float *x, float *y, int n) {{ f(x, y, n); }}""",
        ),
    ],
)
def test_a_launch_in_a_branch_that_is_not_taken_has_the_sizes_of_that_place(launches, body, before):
    found = launches(body, before)
    # Both kernels multiply 1,000,000 numbers; the grids cover them.
    assert {block: kernel.launch.grid[0] for block, kernel in found.items()} == {
        64: 15625,
        128: 7813,
    }
    assert all(kernel.counts.sp_flop == pytest.approx(ELEMENTS) for kernel in found.values())
    assert all(kernel.launch.source is LaunchSource.HOST_CODE for kernel in found.values())
    said = [any("does not take" in item.text for item in found[n].assumptions) for n in (64, 128)]
    assert said == [True, False]


def test_each_case_of_a_switch_is_reached(launches):
    cases = "".join(
        f"case {mode}: {launch(mode, 64 << mode, f'(n >> {mode})')} break;" for mode in range(4)
    )
    found = launches(f"switch (kind) {{ {cases} }}")
    assert {block: kernel.counts.sp_flop for block, kernel in found.items()} == {
        64: pytest.approx(1_000_000),
        128: pytest.approx(500_000),
        256: pytest.approx(250_000, rel=1e-3),
        512: pytest.approx(125_000, rel=1e-3),
    }


def test_a_target_region_in_a_branch_that_is_not_taken_has_the_sizes_of_that_place(launches):
    region = (
        "#pragma omp target teams distribute parallel for thread_limit({0}) num_teams(n / {0})\n"
        "for (int i = 0; i < n; i++) y[i] = 2.5f * x[i];\n"
    )
    found = launches(
        f"if (kind) other(x, y, n); else {{\n{region.format(128)} }}",
        f"void other(float *x, float *y, int n) {{\n{region.format(64)}}}",
        suffix="cpp",
    )
    assert {block: kernel.counts.sp_flop for block, kernel in found.items()} == {
        64: pytest.approx(ELEMENTS),
        128: pytest.approx(ELEMENTS),
    }
    assert found[64].launch.grid == (15625, 1, 1)


SIZED = """
#include <cuda_runtime.h>
template <int T> __global__ void sums(const float *x, float *y, int n) {
  float s = 0;
  for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T) s += x[i];
  y[blockIdx.x * T + threadIdx.x] = s;
}
void reduce(const float *x, float *y, int n, int threads) {
  dim3 block(threads), grid(64);
  BRANCHES
}
int main() {
  float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20);
  reduce(x, y, 1 << 20, 256);
}
"""


@pytest.mark.parametrize(
    "branches",
    [
        """switch (threads) {
        case 64: sums<64><<<grid, block>>>(x, y, n); break;
        case 128: sums<128><<<grid, block>>>(x, y, n); break;
        case 256: sums<256><<<grid, block>>>(x, y, n); }""",
        """if (threads == 64) sums<64><<<grid, block>>>(x, y, n);
        else if (threads == 128) sums<128><<<grid, block>>>(x, y, n);
        else sums<256><<<grid, block>>>(x, y, n);""",
    ],
)
def test_what_is_computed_of_the_size_that_an_arm_is_for_agrees_with_it(result_of, branches):
    found = result_of(SIZED.replace("BRANCHES", branches)).kernels
    assert sorted(kernel.launch.block[0] for kernel in found) == [64, 128, 256]
    # Each element is added once, by blocks of as many threads as the kernel is made for.
    assert [kernel.counts.sp_flop for kernel in found] == pytest.approx([1 << 20] * 3)


def test_a_kernel_that_a_function_returns_is_launched_whatever_decides_there(result_of):
    found = result_of("""
    #include <cuda_runtime.h>
    #include <cstdio>
    template <int M> __global__ void scaled(const float *x, float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[i] * M;
    }
    typedef void (*Scaling)(const float *, float *, int);
    Scaling chosen(int m) {
      if (m == 1) return scaled<1>;
      return scaled<2>;
    }
    int main() {
      int m;
      FILE *f = fopen("m.bin", "rb"); fread(&m, 4, 1, f);
      float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20);
      Scaling kernel = chosen(m);
      kernel<<<4000, 256>>>(x, y, 1 << 20);
    }""").kernels
    assert len(found) == 2
    assert {kernel.launch.grid for kernel in found} == {(4000, 1, 1)}
