"""Sizes of kernels that no host code launches: what guards a thread's index follows the assumed threads."""

from __future__ import annotations

import functools
import math

import pytest

from roofstat.analysis.options import LaunchOverride

THREADS = 1 << 20
CAP = 0.8


@pytest.fixture
def kernel(kernel_of):
    """The report of the one kernel of a text."""
    return functools.partial(kernel_of, gpu="h100-sxm")


def taken(kernel):
    """What each argument was taken as."""
    words = [item.text.split() for item in kernel.assumptions if item.text.startswith("argument")]
    return {word[1]: int(word[-1]) for word in words}


GUARDS = {
    "n": 1,
    "n - 1": 1,
    "1 + n": 1,
    "n / 3": 3,
    "(n + 3) / 4": 4,
    "n >> 1": 2,
    "n * 2": 1 / 2,
    "2 * n": 1 / 2,
    "n << 2": 1 / 4,
    "3 * (n / 2)": 2 / 3,
}


@pytest.mark.parametrize("guard", GUARDS)
def test_a_multiple_or_part_of_a_size_that_guards_threads_is_their_number(kernel, guard):
    text = f"""__global__ void fill(float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < {guard}) out[i] = 1.0f;
    }}"""
    assert taken(kernel(text)) == {"n": round(THREADS * GUARDS[guard])}


def test_factors_of_a_guard_share_the_threads(kernel):
    """n * n is 1,024 squared; a quarter of rows * cols is 2,048 squared / 4."""
    square = """__global__ void fill(float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n * n) out[i] = 1.0f;
    }"""
    vectors = """__global__ void fill(float4 *out, int rows, int cols) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < rows * cols / 4) out[i] = make_float4(1, 1, 1, 1);
    }"""
    assert taken(kernel(square)) == {"n": 1024}
    assert taken(kernel(vectors)) == {"rows": 2048, "cols": 2048}


def test_a_loop_over_the_grid_gives_every_thread_an_element(kernel):
    """A subtraction for each third of n; with n = 1,024 only 341 threads had work, and the launch counted as compute-bound."""
    found = kernel("""__global__ void differences(const float *x, float *y, int n) {
      for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n / 3; i += gridDim.x * blockDim.x)
        y[i * 3 + 1] = x[i * 3] - x[i * 3 + 2];
    }""")
    assert found.counts.sp_flop == THREADS
    assert found.verdict.value == "bandwidth"
    assert found.confidence > CAP


def test_an_invented_size_of_an_invented_launch_bounds_the_confidence(kernel):
    """`steps` follows from nothing, and decides on its own how much arithmetic there is for each byte."""
    text = """__global__ void iterate(float *x, int n, int steps) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float v = x[i];
      for (int s = 0; s < steps; s++) v = v * v * 0.5f + v;
      x[i] = v;
    }"""
    assert kernel(text).confidence <= CAP
    assert kernel(text, values={"steps": 1000}).confidence > CAP
    stated = {"iterate": LaunchOverride(grid=(4096, 1, 1), block=(256, 1, 1))}
    assert kernel(text, launches=stated, values={"n": THREADS, "steps": 1000}).confidence > CAP


def test_an_index_that_is_compared_as_it_is_bounds_its_block(kernel):
    """What the index is compared with is looked at as a bound, too: nothing is computed for it."""
    found = kernel("""__global__ void fill(float *out, int n) {
      if (threadIdx.x < n / 2) out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
    }""")
    assert taken(found) == {"n": 512}


BEGINNINGS = {
    "if (i >= lo && i < hi)": THREADS,
    "if (i < lo || i >= hi) return;": THREADS,
    "if (i >= hi) return; if (i < lo) return;": THREADS,
    "if (i + lo < hi)": THREADS + 1024,
}


@pytest.mark.parametrize("guard", BEGINNINGS)
def test_what_a_range_begins_at_leaves_every_thread_its_element(kernel, guard):
    """Were the beginning as large as the end, no thread had any work."""
    found = kernel(f"""__global__ void scale(float *a, int lo, int hi) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {guard} a[i] *= 2.0f;
    }}""")
    assert taken(found) == {"lo": 1024, "hi": BEGINNINGS[guard]}
    assert found.counts.sp_flop == pytest.approx(THREADS, rel=0.002)


def test_an_end_of_part_of_the_work_is_no_beginning(kernel):
    """`i < part` stands for work as `i < n` does; `i >= tail` is where other work begins."""
    found = kernel("""__global__ void parts(float *a, float *b, int n, int part, int tail) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      if (i < part) a[i] = 1.0f;
      if (i >= tail) b[i] = 1.0f;
    }""")
    assert taken(found) == {"n": THREADS, "part": THREADS, "tail": 1024}


def test_every_block_has_the_elements_that_it_strides_over(kernel):
    """Two elements a thread: with half as many, half of the blocks only add up zeros."""
    found = kernel("""__global__ void pairs(const float *in, float *out, int n) {
      int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
      if (i + blockDim.x < n) out[i] = in[i] + in[i + blockDim.x];
    }""")
    assert taken(found) == {"n": 2 * THREADS}
    assert found.counts.sp_flop == THREADS


def test_threads_with_a_chunk_each_share_the_elements(kernel):
    """32 elements for each thread, not 1,024 for one in 1,024."""
    found = kernel("""__global__ void chunks(float *a, int n, int chunk) {
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      int lo = t * chunk, hi = min(lo + chunk, n);
      for (int i = lo; i < hi; i++) a[i] += 1.0f;
    }""")
    assert taken(found)["chunk"] == 32
    assert found.counts.sp_flop == pytest.approx(32 * THREADS, rel=0.01)


def test_columns_lie_apart(kernel):
    """A column of 1,048,576 rows in a matrix with columns of 1,024 would be read once for all."""
    found = kernel("""__global__ void product(const double *A, const double *x, double *y, int m, int n, int lda) {
      int r = blockIdx.x * blockDim.x + threadIdx.x;
      if (r >= m) return;
      double s = 0;
      for (int j = 0; j < n; j++) s += A[r + (size_t)j * lda] * x[j];
      y[r] = s;
    }""")
    assert taken(found) == {"m": THREADS, "n": 32, "lda": THREADS}
    assert found.verdict.value == "bandwidth"


def test_where_a_row_begins_says_nothing_of_its_length(kernel):
    """Tiles of 16 x 16 in 64 x 64 blocks: a row begins behind as many rows as the pitch says, however long they are."""
    found = kernel("""__global__ void product(float *C, const float *A, const float *B, int wa, int wb) {
      int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
      int begin = wa * 16 * by, end = begin + wa - 1;
      float s = 0;
      for (int a = begin, b = 16 * bx; a <= end; a += 16, b += 16 * wb)
        for (int k = 0; k < 16; k++) s += A[a + wa * ty + k] * B[b + wb * k + tx];
      C[wb * 16 * by + 16 * bx + wb * ty + tx] = s;
    }""")
    assert taken(found) == {"wa": 1024, "wb": 1024}
    # 1,024 x 1,024 sums of 1,024 products.
    assert found.counts.sp_flop == pytest.approx(2 * 1024**3, rel=0.01)


def test_products_of_24_bits_are_products(kernel):
    found = kernel("""__global__ void fill(float *out, int width, int height) {
      int x = __umul24(blockIdx.x, blockDim.x) + threadIdx.x, y = __mul24(blockIdx.y, blockDim.y) + threadIdx.y;
      if (x < width && y < height) out[__umul24(y, width) + x] = 1.0f;
    }""")
    assert taken(found) == {"width": 1024, "height": 1024}


def test_warps_of_a_block_are_counted_in_whole_numbers(kernel):
    """A row for each of 8 warps in 4,096 blocks."""
    found = kernel("""__global__ void sums(const float *x, float *y, int rows) {
      int warps = (blockDim.x + 31) / 32, row = blockIdx.x * warps + threadIdx.x / 32;
      if (row >= rows) return;
      y[row * 32 + threadIdx.x % 32] = x[row * 32 + threadIdx.x % 32] + 1.0f;
    }""")
    assert taken(found) == {"rows": 8 * 4096}


def test_a_window_around_an_element_says_less_than_the_element(kernel):
    found = kernel("""__global__ void blur(const float *in, float *out, int w, int r) {
      int x = blockIdx.x * blockDim.x + threadIdx.x;
      if (x >= w) return;
      float s = 0;
      for (int d = -r; d <= r; d++)
        if (x + d >= 0 && x + d < w) s += in[x + d];
      out[x] = s;
    }""")
    assert taken(found) == {"w": THREADS, "r": 3}
    found = kernel("""__global__ void blur(const float *in, const float *f, float *out, int w, int size) {
      int x = blockIdx.x * blockDim.x + threadIdx.x;
      if (x >= w) return;
      float s = 0;
      for (int d = -size / 2; d <= size / 2; d++)
        if (x + d >= 0 && x + d < w) s += in[x + d] * f[d + size / 2];
      out[x] = s;
    }""")
    assert taken(found) == {"w": THREADS, "size": 3}


CONVOLUTION = """__global__ void convolve(const float *x, const float *f, float *y, int C, int H, int W, int K, int stride,
                                         int pad, int dilation) {
  int p = (W + 2 * pad - K) / stride + 1, i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int c = 0; c < C; c++)
    for (int k = 0; k < K; k++)
      for (int l = 0; l < K; l++) {
        int h = j * stride - pad + k * dilation, w = i * stride - pad + l * dilation;
        if (h >= 0 && h < H && w >= 0 && w < W) s += x[(c * H + h) * W + w] * f[(c * K + k) * K + l];
      }
  y[j * p + i] = s;
}"""
POOLING = """__global__ void pool(const float *x, float *y, int H, int W, int size, int stride, int pad) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  int top = j * stride - pad, left = i * stride - pad;
  int bottom = min(top + size, H), right = min(left + size, W);
  top = max(top, 0); left = max(left, 0);
  float most = -1.0f;
  for (int h = top; h < bottom; h++)
    for (int w = left; w < right; w++) most = fmaxf(most, x[h * W + w]);
  y[j * W + i] = most;
}"""


def test_windows_are_small_and_a_step_apart(kernel):
    """32 channels of 3 by 3 places: 1,024 of a margin would leave nearly all of them outside."""
    found = kernel(CONVOLUTION)
    small = {"K": 3, "stride": 1, "pad": 1, "dilation": 1}
    assert taken(found) == {"C": 32, "H": 1024, "W": 1024, **small}
    assert found.counts.sp_flop == pytest.approx(2 * 32 * 9 * THREADS, rel=0.02)
    assert found.verdict.value == "compute"
    small = {"size": 3, "stride": 1, "pad": 1}
    assert taken(kernel(POOLING)) == {"H": 1027, "W": 1027, **small}


def test_elements_an_increment_apart_lie_side_by_side(kernel):
    """As the vectors of BLAS do; where several elements are read from there on, it is the length of a row."""
    text = """__global__ void scale(int n, float a, float *x, int step) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i * step] = a * {};
    }}"""
    assert taken(kernel(text.format("x[i * step]"))) == {"n": THREADS, "step": 1}
    assert taken(kernel(text.format("x[i * step + 2]"))) == {"n": THREADS, "step": 32}


def test_numbers_are_shifted_by_bits_of_a_word(kernel):
    found = kernel("""__global__ void digits(const unsigned *x, unsigned *y, int n, int shift) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[i] >> shift & 15;
    }""")
    assert taken(found) == {"n": THREADS, "shift": 8}


def test_a_picture_of_another_width_is_no_part_of_an_index(kernel):
    """`x / w` of a float is no quotient that shares the extent with `w`; both pictures are about as wide."""
    found = kernel("""__global__ void shrink(const float *in, float *out, int from, int to) {
      int x = blockIdx.x * blockDim.x + threadIdx.x;
      if (x >= to) return;
      int y = (int)((x + 0.5f) * from / to);
      out[x] = in[min(y, from - 1)];
    }""")
    assert taken(found) == {"from": pytest.approx(THREADS, rel=0.01), "to": THREADS}


def test_an_end_that_is_cut_off_is_no_beginning(kernel):
    found = kernel("""__global__ void chunks(float *a, int n, int chunk) {
      int lo = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, hi = lo + chunk;
      if (hi > n) hi = n;
      for (int i = lo; i < hi; i++) a[i] += 1.0f;
    }""")
    assert found.counts.sp_flop == pytest.approx(32 * THREADS, rel=0.01)


def test_the_divisor_of_an_index_is_no_pitch(kernel):
    """A step of a transform: `p` divides the threads, and is not as far apart as there are of them."""
    found = kernel("""__global__ void step(const float2 *in, float2 *out, int n, int p) {
      int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (p - 1);
      if (i >= n) return;
      out[2 * i - k] = in[i];
      out[2 * i - k + p] = in[i + n];
    }""")
    assert taken(found) == {"n": THREADS, "p": 1024}


BLOCKS = {
    "int i = blockIdx.x * 64 + threadIdx.x; a[i] = 1.0f;": (64, 1, 1),
    "int i = blockIdx.x * 64 + threadIdx.x; a[i] = 1.0f; for (int j = threadIdx.x; j < 900; j += blockDim.x) a[j] = 1.0f;": (
        64,
        1,
        1,
    ),
    "int i = blockIdx.x * 1024 + threadIdx.x; for (int j = 0; j < 4; j++) a[i + j * 256] = 1.0f;": (
        256,
        1,
        1,
    ),
    "int x = (blockIdx.x + 1) * 32 + threadIdx.x, y = (blockIdx.y + 1) * 32 + threadIdx.y; a[y * 2048 + x] = 1.0f;": (
        32,
        32,
        1,
    ),
    "for (int j = threadIdx.x; j < 128; j += blockDim.x) a[blockIdx.x * 128 + j] = 1.0f;": (
        256,
        1,
        1,
    ),
    "int i = blockIdx.x * 512 + threadIdx.x; a[i] = a[i + blockDim.x];": (256, 1, 1),
    "int i = (blockIdx.x << 7) + threadIdx.x; a[i] = 1.0f;": (128, 1, 1),
    "int i = blockIdx.x * 1024 + threadIdx.x; for (int j = 0; j < 1024; j += 128) a[i + j] = 1.0f;": (
        128,
        1,
        1,
    ),
    "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; a[y * 2048 + x] = 1.0f;": (
        32,
        32,
        1,
    ),
    "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;"
    "for (int j = 0; j < 32; j += 8) a[(y + j) * 2048 + x] = 1.0f;": (32, 8, 1),
    "int i = blockIdx.x * blockDim.x + threadIdx.x; a[i + 64 * blockIdx.x] = 1.0f;": (256, 1, 1),
    "int r = blockIdx.x * blockDim.y + threadIdx.y; for (int c = threadIdx.x; c < 900; c += 32) a[r * 900 + c] = 1.0f;": (
        32,
        8,
        1,
    ),
    "a[blockIdx.x * gridDim.y + threadIdx.x] = 1.0f;": (256, 1, 1),
    "a[blockIdx.x + threadIdx.x] = 1.0f;": (256, 1, 1),
    "int c = threadIdx.x; c += 32; a[threadIdx.y * blockDim.x + c] = 1.0f;": (16, 16, 1),
}


@pytest.mark.parametrize("body", BLOCKS)
def test_blocks_are_as_the_code_says_them(kernel, body):
    """About a million threads, in blocks along the axes that are read; one block where nothing tells blocks apart."""
    found = kernel(f"__global__ void fill(float *a) {{ {body} }}")
    assert found.launch.block == BLOCKS[body]
    threads = found.launch.grid[0] * found.launch.grid[1] * math.prod(found.launch.block)
    assert threads == (THREADS if "blockIdx" in body else math.prod(BLOCKS[body]))
    assert (found.launch.grid[1] > 1) == ("blockIdx.y" in body)


def test_a_block_has_the_axes_that_its_threads_are_read_along(kernel):
    """Planes of a batch: blocks along two axes, threads along one; 16 by 16 would do everything sixteen times."""
    found = kernel("""__global__ void normalise(float *x, const float *mean, int C, int HW) {
      float m = mean[blockIdx.x];
      float *p = x + ((size_t)blockIdx.y * C + blockIdx.x) * HW;
      for (int i = threadIdx.x; i < HW; i += blockDim.x) p[i] -= m;
    }""")
    assert found.launch.grid == (64, 64, 1)
    assert found.launch.block == (256, 1, 1)
    assert found.counts.sp_flop == pytest.approx(64 * 64 * 1024)


def test_a_bound_with_something_taken_off_is_larger_by_it(kernel):
    """`hi - lo` elements from the first one on, and an interior within `2 * halo` of the border."""
    span = """__global__ void scale(float *a, int lo, int hi) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < hi - lo) a[lo + i] *= 2.0f;
    }"""
    interior = """__global__ void scale(float *a, int n, int halo) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n - 2 * halo) a[i + halo] *= 2.0f;
    }"""
    assert taken(kernel(span)) == {"lo": 0, "hi": THREADS}
    assert taken(kernel(interior)) == {"n": THREADS + 2048, "halo": 1024}


def test_a_loop_of_one_thread_runs_32_times(kernel):
    """Whatever its step and beginning."""
    found = kernel("""__global__ void sums(float *x, int m, int first, int last) {
      float s = 0;
      for (int k = 0; k < m; k += 8) s += 1.5f;
      for (int k = first; k < last; k++) s *= 1.5f;
      x[blockIdx.x * blockDim.x + threadIdx.x] = s;
    }""")
    assert taken(found) == {"m": 256, "first": 0, "last": 32}


def test_tables_have_a_place_for_each_thread(kernel):
    """A mask is a power of two less one; a table of 1,024 places would lie in L1, with a thousand threads at each."""
    found = kernel("""__global__ void count(const unsigned *keys, int *a, int *b, int n, unsigned mask, unsigned size) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      atomicAdd(a + (keys[i] * 2654435761u & mask), 1);
      atomicAdd(b + keys[i] % size, 1);
    }""")
    assert taken(found) == {"n": THREADS, "mask": 2 * THREADS - 1, "size": 2 * THREADS}


@pytest.fixture
def region(kernel_of):
    """The report of the one target region of a text."""
    return functools.partial(kernel_of, gpu="h100-sxm", name="a.cpp")


def test_target_regions_without_host_code_have_four_iterations_a_thread(region):
    """3,200 teams of 128 threads; what surrounds the loop would make one addition compute-bound."""
    found = region("""void add(int first, int last, float *a) {
      #pragma omp target teams distribute parallel for
      for (int i = first; i < last; i++) a[i] += 2;
    }""")
    elements = 4 * 3200 * 128
    assert taken(found) == {"first": 0, "last": elements}
    assert found.counts.sp_flop == elements
    assert found.verdict.value == "bandwidth"


def test_teams_share_the_iterations_that_are_distributed(region):
    """Four rows for each of 3,200 teams, each of 1,024 elements."""
    found = region("""void sums(int rows, int cols, const float *A, float *y) {
      #pragma omp target teams distribute
      for (int r = 0; r < rows; r++) {
        float s = 0;
        #pragma omp parallel for reduction(+:s)
        for (int c = 0; c < cols; c++) s += A[r * cols + c];
        y[r] = s;
      }
    }""")
    assert taken(found) == {"rows": 4 * 3200, "cols": 1024}


def test_a_loop_over_the_grid_says_more_than_one_over_a_block(kernel):
    """A pair for each two elements: the outer loop has the threads of the launch, though the inner one could be a row."""
    found = kernel("""__global__ void pairs(const float *x, float *y, int n) {
      for (int i = blockIdx.x; i < n; i += gridDim.x)
        for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] += x[i] * x[k];
    }""")
    assert taken(found) == {"n": 4096}


def test_bytes_from_element_to_element_row_to_row_and_plane_to_plane(kernel):
    """Three parts of one index, each times an argument: planes of rows of floats without gaps."""
    found = kernel("""__global__ void copy(const char *x, char *y, int n, int width, int rows, int size, int row, int plane) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      const int z = i / (width * rows);
      const int j = (i - z * width * rows) / width;
      const int k = i - z * rows * width - j * width;
      *(float *)(y + k * size + j * row + z * plane) = *(const float *)(x + k * size + j * row + z * plane);
    }""")
    sizes = taken(found)
    width, rows = sizes["width"], sizes["rows"]
    assert (sizes["size"], sizes["row"], sizes["plane"]) == (4, 4 * width, 4 * width * rows)
    assert [access.footprint_bytes for access in found.accesses] == [4 * THREADS, 4 * THREADS]
    assert {access.sectors_per_request for access in found.accesses} == {4}


@pytest.mark.parametrize(
    "place", ["z * plane + y * row + x", "x + (z * plane + y * row)", "(z * plane + x) + y * row"]
)
def test_rows_lie_in_planes(kernel, place):
    """Whatever the order of the sum, a row is as long as the grid along x, and a plane as long as its rows."""
    found = kernel(f"""__global__ void add(const float *a, float *b, int nx, int ny, int nz, long row, long plane) {{
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
      if (x >= nx || y >= ny || z >= nz) return;
      b[{place}] += a[{place}];
    }}""")
    sizes = taken(found)
    assert (sizes["row"], sizes["plane"]) == (sizes["nx"], sizes["nx"] * sizes["ny"])


def test_channels_of_rows_that_threads_go_along_lie_apart(kernel):
    """Rows of 1,024 elements by default, and 64 of them in a channel: no row is a part of another one."""
    found = kernel("""__global__ void sums(const float *x, float *y, int columns, long row, long channel) {
      const float *mine = x + blockIdx.y * channel + blockIdx.x * row;
      float s = 0;
      for (int c = threadIdx.x; c < columns; c += blockDim.x) s += mine[c];
      y[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = s;
    }""")
    sizes = taken(found)
    assert sizes == {"columns": 1024, "row": 1024, "channel": 64 * 1024}
    assert found.accesses[0].footprint_bytes == 64 * 64 * 1024 * 4


@pytest.mark.parametrize("factor", ["NAN", "INFINITY * 0.0", "1e200 * 1e200 * 0.0"])
def test_numbers_without_an_end_are_no_sizes(kernel, factor):
    found = kernel(f"""#include <cmath>
    __global__ void fill(double *x, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) x[i] = threadIdx.x + blockIdx.x * {factor};
    }}""")
    assert taken(found) == {"n": THREADS}


@pytest.mark.parametrize(
    "body",
    [
        "for (int j = 0; j < n; j++) s += a[i * n + j];",
        "for (int j = 0; j < n; j++) s += a[j * n + i];",
        "for (int j = 0; j < i; j++) s += a[j * n + i];",
    ],
)
def test_both_sides_of_a_square_are_no_longer_than_words_count(kernel, body):
    """2^15 squared is the largest square of a power of two below 2^31; a million squared are 4 TB of floats."""
    text = f"""__global__ void sums(const float *a, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float s = 0.0f;
      if (i >= n) return;
      {body}
      out[i] = s;
    }}"""
    assert taken(kernel(text)) == {"n": 1 << 15}


def test_rows_of_which_there_are_few_are_as_long_as_the_threads_are_many(kernel):
    text = """__global__ void sums(const float *a, float *out, int n, int k) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float s = 0.0f;
      if (i >= n) return;
      for (int j = 0; j < k; j++) s += a[j * n + i];
      out[i] = s;
    }"""
    assert taken(kernel(text)) == {"n": THREADS, "k": 32}
