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


def test_growing_work_is_looked_at_again_and_again(host):
    """Of the 12 further argument sets the 1st, 2nd, 4th and 8th are traced; 8 are counted with the one before them."""
    found = entries(host, "for (int m = 1; m <= 4096; m *= 2) work<<<64, 256>>>(x, m, 1.0f);")
    assert [count for _, count, _ in found] == [1, 1, 2, 4, 5]
    assert [folded for _, _, folded in found] == [0, 0, 1, 3, 4]


def test_the_largest_of_many_configurations_is_kept(host):
    """Grids of 1 to 2^20 blocks: the first six, then one for each factor of four; the others go to the nearest."""
    found = entries(host, "for (int p = 0; p <= 20; p++) work<<<1 << p, 64>>>(x, 2, 1.0f);")
    assert [blocks for blocks, _, _ in found] == [
        1 << p for p in (0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 15, 17, 19)
    ]
    assert sum(count for _, count, _ in found) == 21
    assert sum(folded for _, _, folded in found) == 8


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
