"""Sizes that only an unread file knows, and choices between two known addresses."""

from __future__ import annotations

import numpy as np
import pytest

from roofstat.analysis.settings import device_model
from roofstat.execution.host.launches import LaunchOverride
from roofstat.execution.host.run import HostRun
from roofstat.execution.stored.address_space import AddressSpace
from roofstat.hardware import load_gpu
from roofstat.program.code import Op, Space

READ = """
#include <cuda_runtime.h>
#include <stdio.h>
void read_sizes(const char *name, int *w, int *h);
"""
SHIFT = """
__global__ void shift(const float4 *in, float4 *out, const int *cut, int w, int h, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < h && column < width - 1)
    out[row * w + column] = column >= cut[row] ? in[row * w + column + 1] : in[row * w + column];
}
"""
MAIN = """
int main(int argc, char **argv) {
  int w, h, *cut; float4 *in, *out;
  read_sizes(argv[1], &w, &h);
  int width = w;
  cudaMalloc(&in, w * h * sizeof(float4)); cudaMalloc(&out, w * h * sizeof(float4));
  cudaMalloc(&cut, h * sizeof(int));
  dim3 grid((width - 1) / 32 + 1, (h - 1) / 8 + 1), block(32, 8);
  shift<<<grid, block>>>(in, out, cut, w, h, width);
}
"""


def stated(hosted_program, grid, block):
    """The launch of the program's kernel with a stated configuration."""
    run = HostRun(
        hosted_program,
        device_model(load_gpu("a100")),
        arguments=["image"],
        overrides=lambda _: LaunchOverride(grid=grid, block=block),
    )
    run.run_main()
    (launch,) = run.launcher.table.entries()
    return launch


def arguments(launch):
    """What the notes say that each unknown argument was taken as."""
    return {
        text.split()[1]: int(text.rsplit(" ", 1)[1])
        for kind, text in launch.notes
        if kind == "argument"
    }


def test_arguments_made_of_one_unknown_agree(program):
    """`w` bounds no thread index, but it is the number that `width` is a copy of: 13 blocks of 32 columns."""
    launch = stated(program(READ + SHIFT + MAIN), (13, 35, 1), (32, 8, 1))
    assert arguments(launch) == {"w": 13 * 32, "h": 35 * 8, "width": 13 * 32}


def test_a_bound_that_is_a_product_is_shared_out(program):
    text = """
    __global__ void clear(float *out, int w, int h) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < w * h) out[i] = 0.0f;
    }
    int main(int argc, char **argv) {
      int w, h; float *out;
      read_sizes(argv[1], &w, &h);
      cudaMalloc(&out, w * h * sizeof(float));
      clear<<<(w * h + 255) / 256, 256>>>(out, w, h);
    }"""
    launch = stated(program(READ + text), (256, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"w": 256, "h": 256}


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def every(hosted_program, grids):
    """The launches of a program, each of its kernels with a grid of so many blocks of 256 threads."""
    run = HostRun(
        hosted_program,
        device_model(load_gpu("a100")),
        arguments=["image"],
        overrides=lambda key: next(
            LaunchOverride(grid=grid, block=(256, 1, 1))
            for name, grid in grids.items()
            if name in key
        ),
    )
    run.run_main()
    return {launch.trace.code.name: arguments(launch) for launch in run.launcher.table.entries()}


def test_a_number_that_ends_a_loop_of_one_thread_is_a_count(program):
    """`m` ends a loop of each thread: 32; `n` is the 4,096 threads, and `pitch` no less: rows do not overlap."""
    text = f"""
    __global__ void rows(const float *in, float *out, int n, int m, int pitch) {{
      {INDEX}
      if (i >= n) return;
      float sum = 0.0f;
      for (int k = 0; k < m; k++) sum += in[k * pitch + i];
      out[i] = sum;
    }}
    int main(int argc, char **argv) {{
      int w, h; float *in, *out;
      read_sizes(argv[1], &w, &h);
      int pitch; read_sizes(argv[1], &pitch, &pitch);
      rows<<<(w + 255) / 256, 256>>>(in, out, w, h, pitch);
    }}"""
    launch = stated(program(READ + text), (16, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"n": 4096, "m": 32, "pitch": 4096}


def test_a_stated_grid_tells_the_quotient_that_it_is_and_what_was_divided(program):
    """20 tiles of 2,048 are 40,960 elements at most: one block goes over all the tiles, a few go over all the elements."""
    text = """
    __global__ void tiles(const int *in, int *totals, int n) {
      int sum = 0;
      for (int k = 0; k < 8; k++) {
        int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
        if (i < n) sum += in[i];
      }
      atomicAdd(&totals[blockIdx.x], sum);
    }
    __global__ void totals(int *totals, int m) {
      for (int base = 0; base < m; base += 256)
        if (base + threadIdx.x < m) totals[base + threadIdx.x]++;
    }
    __global__ void all(const int *in, int *out, int count) {
      for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) out[i] = in[i];
    }
    int main(int argc, char **argv) {
      int n, h; int *in, *out;
      read_sizes(argv[1], &n, &h);
      int parts = (n + 2047) / 2048;
      tiles<<<parts, 256>>>(in, out, n);
      totals<<<1, 256>>>(out, parts);
      all<<<std::min((n + 255) / 256, 64), 256>>>(in, out, n);
    }"""
    grids = {"tiles": (20, 1, 1), "totals": (1, 1, 1), "all": (64, 1, 1)}
    found = every(program(READ + "#include <algorithm>\n" + text), grids)
    assert found == {"tiles": {"n": 40_960}, "totals": {"m": 20}, "all": {"count": 40_960}}


def test_bounds_of_quotient_and_remainder_share_the_index(program):
    """256 * 256 threads are h rows of w columns, so the square root for each; the interior excludes w - 1 as well."""
    text = f"""
    __global__ void clear(float *out, int w, int h) {{
      {INDEX}
      int y = i / w, x = i % w;
      if (y < h && x != w - 1) out[i] = 0.0f;
    }}
    int main(int argc, char **argv) {{
      int w, h; float *out;
      read_sizes(argv[1], &w, &h);
      clear<<<(w * h + 255) / 256, 256>>>(out, w, h);
    }}"""
    launch = stated(program(READ + text), (256, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"w": 256, "h": 256}


def test_parts_of_an_index_by_numbers_have_their_own_extents(program):
    """65,536 threads as 128 rows of 512."""
    text = f"""
    __global__ void clear(float *out, int w, int h) {{
      {INDEX}
      for (int x = i % 512; x < w; x += 512)
        for (int y = i / 512; y < h; y += 128) out[y * w + x] = 0.0f;
    }}
    int main(int argc, char **argv) {{
      int w, h; float *out;
      read_sizes(argv[1], &w, &h);
      clear<<<256, 256>>>(out, w, h);
    }}"""
    launch = stated(program(READ + text), (256, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"w": 512, "h": 128}


def test_a_loop_of_the_threads_of_a_block_goes_over_a_row(program):
    """A row for each of 1,000 blocks: its length says nothing of their number, and is more than one element a thread."""
    text = """
    __global__ void rows(const float *in, float *out, int n) {
      float sum = 0.0f;
      for (int k = threadIdx.x; k < n; k += blockDim.x) sum += in[blockIdx.x * n + k];
      atomicAdd(out + blockIdx.x, sum);
    }
    int main(int argc, char **argv) {
      int w, h; float *in, *out;
      read_sizes(argv[1], &w, &h);
      rows<<<h, 256>>>(in, out, w);
    }"""
    launch = stated(program(READ + text), (1000, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"n": 1024}


GRIDS = {
    "dim3((w + 15) / 16, (h + 15) / 16)": (32, 32, 1),
    "dim3(8, (h + 15) / 16)": (8, 128, 1),
    "dim3((w * h + 255) / 256)": (1024, 1, 1),
}


@pytest.mark.parametrize("grid", GRIDS)
def test_axes_of_an_unknown_grid_share_its_blocks(program, grid):
    """What the kernel does not read along is no part of the work."""
    text = f"""
    __global__ void clear(float *out, int w, int h) {{
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x < w && y < h) out[y * w + x] = 0.0f;
    }}
    int main(int argc, char **argv) {{
      int w, h; float *out;
      read_sizes(argv[1], &w, &h);
      cudaMalloc(&out, w * h * sizeof(float));
      clear<<<{grid}, dim3(16, 16)>>>(out, w, h);
    }}"""
    run = HostRun(program(READ + text), device_model(load_gpu("a100")), arguments=["image"])
    run.run_main()
    (launch,) = run.launcher.table.entries()
    assert launch.grid == GRIDS[grid]


PAIRS = f"""
__global__ void pairs(float *out, int n, int m) {{
  {INDEX}
  if (i < n * m) out[i] = 0.0f;
}}
__global__ void sums(const float *in, float *out, int n, int m) {{
  {INDEX}
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < m; k++) sum += in[i * m + k];
  out[i] = sum;
}}
"""


def test_numbers_that_a_later_launch_tells_leave_the_rest_of_a_product(program):
    """n * m = 4,096 * 256 elements; once the sums tell n = 16,384, m is 64 there and in the second pairs."""
    text = (
        PAIRS
        + """
    int main(int argc, char **argv) {
      int n, m; float *in, *out;
      read_sizes(argv[1], &n, &m);
      pairs<<<(n * m + 255) / 256, 256>>>(in, n, m);
      sums<<<(n + 255) / 256, 256>>>(in, out, n, m);
    }"""
    )
    found = every(program(READ + text), {"pairs": (4096, 1, 1), "sums": (64, 1, 1)})
    assert found == {"pairs": {"n": 1024, "m": 1024}, "sums": {"n": 16384, "m": 64}}


def test_a_known_factor_leaves_the_rest_of_a_product(program):
    """n * 16 = 1,048,576."""
    text = (
        PAIRS
        + """
    int main(int argc, char **argv) {
      int n, m; float *in;
      read_sizes(argv[1], &n, &m);
      pairs<<<(n * 16 + 255) / 256, 256>>>(in, n, 16);
    }"""
    )
    launch = stated(program(READ + text), (4096, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"n": 65536}


def test_a_stated_grid_tells_the_number_it_is_made_of(program):
    """`m` is the grid along y of the first kernel and ends a loop of the second."""
    text = (
        PAIRS
        + """
    __global__ void touch(float *out) { out[blockIdx.y * gridDim.x + blockIdx.x] = 0.0f; }
    int main(int argc, char **argv) {
      int n, m; float *in, *out;
      read_sizes(argv[1], &n, &m);
      touch<<<dim3(8, m), 256>>>(out);
      sums<<<(n + 255) / 256, 256>>>(in, out, n, m);
    }"""
    )
    found = every(program(READ + text), {"touch": (8, 100, 1), "sums": (64, 1, 1)})
    assert found == {"touch": {}, "sums": {"n": 16384, "m": 100}}


def test_a_choice_between_neighbours_stays_near_them(run):
    """Each load is of element i or i + 1, whatever the data say: not of a random one."""
    n = 1 << 18
    text = """
    __global__ void pick(const float4 *in, float4 *out, const int *cut, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n - 1) out[i] = cut[i] > 0 ? in[i + 1] : in[i];
    }"""
    ran = run(
        text,
        grid=n // 256,
        block=256,
        arguments={"in": n, "out": n, "cut": n, "n": n},
    )
    sites = [
        item.site
        for _, item in ran.code.instructions()
        if item.op is Op.LOAD and item.detail.array != "cut"
    ]
    event = next(item for item in ran.trace.events if item.site in sites)
    steps = np.diff(event.address[:32])
    assert np.isin(steps, [0, 16, 32]).all()


def test_an_index_counted_from_one_stays_in_its_array(run):
    """`x[column[i] - 1]`: the address of element -1 lies before the array, but no access does."""
    n = 1 << 16
    text = """
    __global__ void gather(const int *column, const float *x, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = x[column[i] - 1];
    }"""
    ran = run(text, grid=n // 256, block=256, arguments={"column": n, "x": n, "out": n, "n": n})
    names = {item.number: item.name for item in ran.trace.buffers.values()}
    touched = [names.get(event.buffer) for event in ran.trace.events]
    assert touched == ["column", "x", "out"]


def test_a_program_argument_that_is_not_given_is_named(program):
    """`argv[1]` is the null at the end, the others lie behind it; std::stoi makes a string of its own."""
    text = """
    #include <cuda_runtime.h>
    #include <stdlib.h>
    #include <string>
    __global__ void fill(float *x, int n, int m, int k) { x[threadIdx.x] = n + m + k; }
    int main(int argc, char **argv) {
      int n = atoi(argv[1]), m = std::stoi(argv[2]), k = atoi(argv[3]); float *x;
      cudaMalloc(&x, 1024);
      fill<<<1, 256>>>(x, n, m, k);
    }"""
    run = HostRun(program(text), device_model(load_gpu("a100")), arguments=[])
    run.run_main()
    (launch,) = run.launcher.table.entries()
    for number in (1, 2, 3):
        assert any(f"argv[{number}] is not given: use --args" in text for _, text in launch.notes)


def test_a_guess_names_the_array_as_the_kernel_does(program):
    """The host calls it `table`, the kernel `x`: as its accesses and the other assumptions do."""
    text = """
    #include <cuda_runtime.h>
    __global__ void gather(const int *place, const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      y[i] = x[place[i]];
    }
    int main() {
      int *index; float *table, *out;
      cudaMalloc(&index, 4 << 20); cudaMalloc(&table, 4 << 20); cudaMalloc(&out, 4 << 20);
      gather<<<4096, 256>>>(index, table, out);
    }"""
    run = HostRun(program(text), device_model(load_gpu("a100")), arguments=[])
    run.run_main()
    (launch,) = run.launcher.table.entries()
    texts = [item.text for item in launch.trace.assumptions if item.kind == "gather"]
    assert texts == ["addresses into x rest on unknown data: taken at random"]


def test_an_argument_of_known_range_is_the_middle_of_it(program):
    """A box of 64 to 191 columns begins in columns 0 to 575 of an image of 640: the middle is 287, not beyond the image."""
    text = """
    #include <cuda_runtime.h>
    #include <stdlib.h>
    struct Box { int first, width; };
    __global__ void mark(float *out, int columns, int first, int width) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < width && first + i < columns) out[first + i] = 1;
    }
    int main() {
      int columns = 640, count = 100000;
      float *out; cudaMalloc(&out, columns * sizeof(float));
      Box *boxes = (Box *)malloc(count * sizeof(Box));
      for (int i = 0; i < count; i++) {
        boxes[i].width = 64 + rand() % 128;
        boxes[i].first = rand() % (columns - 64);
      }
      for (int i = 0; i < count; i++)
        mark<<<(boxes[i].width + 31) / 32, 32>>>(out, columns, boxes[i].first, boxes[i].width);
    }
    """
    run = HostRun(program(text), device_model(load_gpu("a100")))
    run.run_main()
    (launch,) = run.launcher.table.entries()
    assert arguments(launch)["first"] == 575 // 2
    assert launch.trace.arguments[3] == 4 * 32


def test_arrays_that_share_an_allocation_of_unknown_size_lie_apart(program):
    """A launch goes to one place of each, where rows begin: 4 sectors a request, and no two of them meet."""
    text = """
    #include <cuda_runtime.h>
    #include <stdio.h>
    __global__ void sum(const float *a, const float *b, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = a[i] + b[i];
    }
    int main() {
      int sizes[2]; float *all;
      FILE *f = fopen("sizes.bin", "rb"); fread(sizes, 4, 2, f);
      int layers = sizes[0], n = sizes[1];
      cudaMalloc(&all, 3 * layers * n * sizeof(float));
      float *a = all, *b = a + layers * n, *out = b + layers * n;
      for (int l = 0; l < 1; l++) sum<<<4096, 256>>>(a + n, b, out, 1048576);
    }"""
    run = HostRun(program(text), device_model(load_gpu("a100")), arguments=[])
    run.run_main()
    (launch,) = run.launcher.table.entries()
    assert [text.split()[1] for kind, text in launch.notes if kind == "place"] == ["a", "b", "out"]
    assert not any(item.kind == "gather" for item in launch.trace.assumptions)
    spans = sorted(
        (e.address[e.active].min(), e.address[e.active].max()) for e in launch.trace.events
    )
    assert len(spans) == 3
    for (first, last), (following, _) in zip(spans, [*spans[1:], (1 << 62, 0)], strict=True):
        assert first % 32 == 0
        assert last - first == 4 * 1048575
        assert last < following


def test_a_shift_by_more_bits_than_a_number_has_leaves_no_row(program):
    text = """
    #include <cuda_runtime.h>
    #include <stdlib.h>
    __global__ void mark(int *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int row = 0x80000000u >> (out[i] & 0xffff);
      if (i < n) out[row * n + i] = i;
    }
    int main(int argc, char **argv) {
      int *out, n = atoi(argv[1]);
      cudaMalloc(&out, 4096 * sizeof(int));
      mark<<<16, 256>>>(out, n);
    }"""
    run = HostRun(program(text), device_model(load_gpu("a100")), arguments=[])
    run.run_main()
    assert run.defects == []
    (launch,) = run.launcher.table.entries()
    assert launch.trace.events


def test_an_index_times_more_than_memory_holds_stays_in_it(program):
    text = """
    #include <cuda_runtime.h>
    int size_of(const char *name);
    __global__ void far(const char *p, const int *at, char *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = p[(long)at[i] * (1L << 30) * (1L << 27)];
    }
    int main(int argc, char **argv) {
      char *p, *out; int *at, n = 1 << 18;
      cudaMalloc(&p, size_of(argv[1])); cudaMalloc(&out, n); cudaMalloc(&at, n * 4);
      far<<<n / 256, 256>>>(p, at, out);
    }"""
    run = HostRun(program(text), device_model(load_gpu("a100")), arguments=[])
    run.run_main()
    assert run.defects == []
    (launch,) = run.launcher.table.entries()
    assert launch.trace.events


@pytest.mark.parametrize(("size", "known"), [(448 << 64, None), (-448, None), (4480, 4480)])
def test_no_allocation_grows_beyond_all_memory(size, known):
    """As a vector of 2^64 - 1 elements of 448 bytes would, after one more is taken out than there are."""
    found = AddressSpace().allocate(None, Space.HOST, "elements")
    found.resize(size)
    assert found.buffer.size_bytes == known


def test_a_known_factor_of_the_grid_is_no_size_that_went_with_it(program):
    """4 terms and 3 x 3 points for each element that an unread file has: the stated grid tells how many elements there are, not how many points."""
    text = """
    __global__ void first(float *x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] = 1;
    }
    __global__ void terms(const float *x, float *out, int n, int points, int terms) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n * points * points * terms) return;
      for (int t = 0; t < terms; t++) out[i] += x[i % n] * t;
    }
    int main(int argc, char **argv) {
      int n, h; float *x, *out;
      read_sizes(argv[1], &n, &h);
      cudaMalloc(&x, n * 4); cudaMalloc(&out, n * 144);
      first<<<(n + 255) / 256, 256>>>(x, n);
      terms<<<(n * 36 + 255) / 256, 256>>>(x, out, n, 3, 4);
    }"""
    found = every(program(READ + text), {"first": (469, 1, 1), "terms": (16875, 1, 1)})
    assert found["terms"] == {"n": 16875 * 256 // 36}


def test_buffers_that_did_not_go_with_the_grid_keep_their_sizes(program):
    """A launch over 5,000 found elements is stated with 100: their list is of another size then, the table of 60,000 is not."""
    text = """
    __global__ void look(const int *list, const float *table, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = table[list[i]];
    }
    int main() {
      int n = 5000, *list; float *table, *out;
      cudaMalloc(&list, n * sizeof(int)); cudaMalloc(&out, (n + 1) * sizeof(float));
      cudaMalloc(&table, 60001 * sizeof(float));
      look<<<n / 50, 50>>>(list, table, out, n);
    }
    """
    launch = stated(program(text), (2, 1, 1), (50, 1, 1))
    sizes = {buffer.name: buffer.size_bytes for buffer in launch.trace.buffers.values()}
    assert sizes["table"] == 60_001 * 4
    assert sizes["list"] != 5000 * 4
    assert sizes["out"] != 5001 * 4
