"""Which launches of a kernel are entries of their own, and which are counted with another."""

from __future__ import annotations

HEAD = "#include <cuda_runtime.h>\n#include <stdlib.h>\n"
WORK = """
__global__ void work(float *x, int m, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int j = 0; j < m; j++) v = v * v + scale;
  x[i] = v;
}
"""


def entries(host, body):
    """(blocks, launches, launches that are counted without having been looked at) of each entry."""
    text = f"{HEAD}{WORK}int main() {{ float *x; cudaMalloc(&x, 1 << 26); {body} }}"
    return [(item.grid[0], item.count, item.folded) for item in host(text).launches]


def test_launches_that_do_other_work_are_entries_of_their_own(host):
    found = entries(host, "work<<<64, 256>>>(x, 2, 1.0f); work<<<64, 256>>>(x, 2000, 1.0f);")
    assert found == [(64, 1, 0), (64, 1, 0)]


def test_arguments_that_decide_nothing_make_no_entries(host):
    found = entries(host, "for (int k = 0; k < 50; k++) work<<<64, 256>>>(x, 20, 0.1f * k);")
    assert found == [(64, 50, 0)]


def test_the_same_work_is_one_entry(host):
    """100 and 101 iterations differ by 1 %."""
    found = entries(
        host,
        "work<<<64, 256>>>(x, 100, 1.0f); work<<<64, 256>>>(x, 101, 1.0f); work<<<64, 256>>>(x, 100, 1.0f);",
    )
    assert found == [(64, 3, 0)]


def test_growing_work_is_looked_at_each_time(host):
    """13 amounts of work, each twice the one before."""
    found = entries(host, "for (int m = 1; m <= 4096; m *= 2) work<<<64, 256>>>(x, m, 1.0f);")
    assert [count for _, count, _ in found] == [1] * 13
    assert not any(folded for _, _, folded in found)


def test_of_many_arguments_some_are_counted_with_the_nearest(host):
    """40 amounts of work from 100 to 4,000: 17 and the 33rd are traced, for the 22 others the nearest stands."""
    found = entries(
        host, "for (int m = 1; m <= 40; m++) work<<<64, 256>>>(x, 100 * m, (float)(m % 2));"
    )
    assert sum(count for _, count, _ in found) == 40
    assert sum(folded for _, _, folded in found) == 22


def test_arguments_that_make_no_difference_are_looked_at_less_and_less(host):
    """20 amounts of work within 2 %: five are traced, then the 9th and the 17th; the other 13 count with them."""
    found = entries(host, "for (int k = 0; k < 20; k++) work<<<64, 256>>>(x, 1000 + k, 1.0f);")
    assert found == [(64, 20, 13)]


GUARDED = """
__global__ void guarded(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2.0f;
}
__global__ void strided(const float *x, float *y, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i * stride];
}
__global__ void shifted(const float *x, float *y, int n, int row) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[row * n + i];
}
struct Step { int width, first; };
__global__ void stepped(const float *x, float *y, Step s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i * s.width + s.first];
}
"""


def sectors_asked(host, body):
    """(launches, sectors that warps ask for) of each entry; the last bits of sums depend on the processor."""
    text = f"{HEAD}{GUARDED}int main() {{ float *x, *y; cudaMalloc(&x, 1 << 28); cudaMalloc(&y, 1 << 20); {body} }}"
    return [(item.count, round(item.moved[0], 6)) for item in host(text).launches]


def test_a_guard_makes_entries_of_one_grid(host):
    """A sector holds 8 elements; it is loaded and stored: 2 * 256 / 8 and 2 * 16,384 / 8."""
    found = sectors_asked(host, "guarded<<<64, 256>>>(x, 256); guarded<<<64, 256>>>(x, 16384);")
    assert found == [(1, 64), (1, 4096)]


def test_a_stride_makes_entries_of_one_grid(host):
    """512 warps store 4 sectors each and load 4, 8, 16, 32, 32 and 32."""
    found = sectors_asked(host, "for (int s = 1; s <= 32; s *= 2) strided<<<64, 256>>>(x, y, s);")
    assert found == [(1, 4096), (1, 6144), (1, 10240), (3, 18432)]


def test_a_stride_within_a_record_makes_entries(host):
    """As above; the first element only moves all addresses."""
    found = sectors_asked(
        host,
        "for (int s = 1; s <= 2; s++) for (int f = 0; f < 64; f += 8) { Step p = {s, f}; stepped<<<64, 256>>>(x, y, p); }",
    )
    assert found == [(8, 4096), (8, 6144)]


def test_a_number_that_moves_all_addresses_alike_makes_no_entries(host):
    found = host(
        f"""{HEAD}{GUARDED}
        int main() {{
          float *x, *y; cudaMalloc(&x, 1 << 28); cudaMalloc(&y, 1 << 20);
          for (int row = 0; row < 1000; row++) shifted<<<64, 256>>>(x, y, 16384, row);
        }}"""
    ).only()
    assert (found.count, found.folded) == (1000, 0)


def test_the_launches_of_a_shrinking_loop_add_up(host):
    """Row k of a triangle: 16,384 - k threads of 16,384 store, so that 16,384 * 16,385 / 2 elements are stored; counts are whole."""
    found = sectors_asked(
        host, "for (int k = 0; k < 16384; k++) guarded<<<64, 256>>>(x, 16384 - k);"
    )
    assert sum(count for count, _ in found) == 16384
    assert all(isinstance(count, int) for count, _ in found)
    total = sum(count * sectors for count, sectors in found)
    assert abs(total / (2 / 8 * 16384 * 16385 / 2) - 1) < 0.02
    assert max(sectors for _, sectors in found) == 4096


def test_every_size_of_a_sweep_is_kept(host):
    """Grids of 1 to 2^20 blocks."""
    found = entries(host, "for (int p = 0; p <= 20; p++) work<<<1 << p, 64>>>(x, 2, 1.0f);")
    assert found == [(1 << p, 1, 0) for p in range(21)]


def test_sizes_close_to_each_other_are_counted_together(host):
    """Of 100 to 199 blocks the first six, then 158 (158 / 105 > 1.5); 93 go to the nearest."""
    found = entries(host, "for (int b = 0; b < 100; b++) work<<<100 + b, 64>>>(x, 2, 1.0f);")
    assert sum(count for _, count, _ in found) == 100
    assert [blocks for blocks, _, _ in found] == [*range(100, 106), 158]
    assert sum(folded for _, _, folded in found) == 100 - len(found)


def test_a_count_from_a_loop_of_unknown_length_is_a_guess(host):
    text = f"""{HEAD}{WORK}
    int main() {{
      float *x, h = 1.0f; int rounds = 0;
      cudaMalloc(&x, 1 << 26);
      work<<<64, 256>>>(x, 2, 1.0f);
      while (h > 1e-6f && rounds < 1000) {{
        work<<<32, 256>>>(x, 2, 1.0f);
        cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
        rounds++;
      }}
      for (int k = 0; k < 10; k++) work<<<16, 256>>>(x, 2, 1.0f);
    }}"""
    before, inside, after = host(text).launches
    assert before.guessed_loop is after.guessed_loop is None
    assert inside.guessed_loop.line == 15


def test_what_a_kernel_changes_in_place_is_not_known_after_more_launches(host):
    """Halving what the host wrote: the first launch leaves 0.5, further ones something else, so that `h` is unknown."""
    text = f"""{HEAD}
    __global__ void halve(float *a, float *r) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      a[i] *= 0.5f;
      if (i == 0) *r = a[0];
    }}
    int main() {{
      float *a, *r, *ha = (float *)malloc(1 << 16), h = 1.0f;
      for (int i = 0; i < 1 << 14; i++) ha[i] = 1.0f;
      cudaMalloc(&a, 1 << 16); cudaMalloc(&r, 4);
      cudaMemcpy(a, ha, 1 << 16, cudaMemcpyHostToDevice);
      while (h > 1e-6f) {{
        halve<<<64, 256>>>(a, r);
        cudaMemcpy(&h, r, 4, cudaMemcpyDeviceToHost);
      }}
    }}"""
    launch = host(text).only()
    assert launch.guessed_loop is not None


def test_what_a_launch_changes_in_place_stays_known_after_launches_on_other_arrays(host):
    """All of `a` is zero before and after its edge is copied, whatever edge is copied then."""
    text = f"""{HEAD}
    __global__ void edge(float *f, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < 64) f[i] = f[n + i];
    }}
    __global__ void power(const float *a, float *r) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float v = 1.0f;
      for (int k = 0; k < 3 - a[i]; k++) v = v * v + 0.5f;
      r[i] = v;
    }}
    int main() {{
      float *a, *b, *r, *h = (float *)calloc(1 << 15, 4);
      cudaMalloc(&a, 1 << 17); cudaMalloc(&b, 1 << 17); cudaMalloc(&r, 1 << 17);
      cudaMemcpy(a, h, 1 << 17, cudaMemcpyHostToDevice);
      edge<<<64, 256>>>(a, 1 << 14);
      edge<<<64, 256>>>(b, 1 << 14);
      power<<<128, 256>>>(a, r);
    }}"""
    (power,) = [item for item in host(text).launches if item.grid[0] == 128]
    (loop,) = power.trace.loops.values()
    assert loop.mean_trips == 3


def test_what_each_fourth_iteration_launches_is_first_launched_by_the_fourth(host):
    """Of 2,000 iterations few are run; those at the begin hold a whole period."""
    text = f"""{HEAD}{WORK}int main() {{ float *x; cudaMalloc(&x, 1 << 26);
      for (int k = 0; k < 2000; k++) if (k % 4 == 3) work<<<64, 256>>>(x, 10 * (k + 1), 1.0f); }}"""
    first = host(text).launches[0]
    (totals,) = first.trace.loops.values()
    assert totals.mean_trips == 40
