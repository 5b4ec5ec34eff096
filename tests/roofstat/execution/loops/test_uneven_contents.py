"""Contents that host loops build unevenly: lists of neighbours, shorter at the faces of a grid, and mixed ranges."""

import pytest

BOXES = """
  Box *h = (Box *)malloc(n * n * n * sizeof(Box));
  int nh = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        h[nh].count = 0;
        for (int l = -1; l < 2; l++)
          for (int m = -1; m < 2; m++)
            for (int o = -1; o < 2; o++)
              if (i + l >= 0 && j + m >= 0 && k + o >= 0 && i + l < n && j + m < n && k + o < n &&
                  !(l == 0 && m == 0 && o == 0)) {
                h[nh].neighbour[h[nh].count] = ((i + l) * n + j + m) * n + k + o;
                h[nh].count = h[nh].count + 1;
              }
        nh = nh + 1;
      }
"""


def trips(host, bound, n):
    text = f"""
    struct Box {{ int number, count; int neighbour[26]; }};
    __global__ void visit(const Box *boxes, float *out, int boxes_all) {{
      int b = blockIdx.x * blockDim.x + threadIdx.x;
      if (b >= boxes_all) return;
      float s = 0;
      for (int k = 0; k < {bound}; k++) s += k;
      out[b] = s;
    }}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      {BOXES}
      Box *d; float *out;
      cudaMalloc(&d, n * n * n * sizeof(Box)); cudaMalloc(&out, n * n * n * 4);
      cudaMemcpy(d, h, n * n * n * sizeof(Box), cudaMemcpyHostToDevice);
      visit<<<(n * n * n + 127) / 128, 128>>>(d, out, n * n * n);
    }}"""
    (totals,) = host(text, argv=[str(n)]).only().trace.loops.values()
    return totals.mean_trips


@pytest.mark.parametrize("n", [8, 16, 30, 60])
def test_numbers_of_neighbours_weigh_faces_as_many_as_there_are(host, n):
    # Along each axis a box has 3 in reach, at both ends 2: (3 n - 2)^3 pairs less the n^3 boxes themselves. The few boxes
    # that are run at the faces must not count like those that stand for the inside.
    assert trips(host, "boxes[b].count", n) == pytest.approx(
        ((3 * n - 2) ** 3 - n**3) / n**3, rel=0.05
    )


@pytest.mark.parametrize("n", [16, 30])
def test_neighbours_are_those_of_the_inside(host, n):
    # The first neighbour of a box inside is n^2 + n + 1 boxes before it; at a face, of which there are 1 in n, nearer.
    assert trips(host, "b - boxes[b].neighbour[0]", n) == pytest.approx(n * n + n + 1, rel=0.02)


def test_numbers_drawn_from_two_ranges_are_as_frequent_as_their_branch(host):
    # Three of four ids are drawn below 1,000, the fourth below 100,000: 0.75 + 0.25 / 100 of them lie below 1,000.
    text = """
    __global__ void count(const int *ids, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float s = 0;
      int low = ids[i] < 1000;
      for (int k = 0; k < 100 * low; k++) s += k;
      out[i] = s;
    }
    int main() {
      int n = 100000;
      int *h = (int *)malloc(n * 4);
      for (int i = 0; i < n; i++) {
        int r = rand();
        h[i] = (r & 3) ? rand() % 1000 : rand() % 100000;
      }
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      count<<<(n + 127) / 128, 128>>>(d, out, n);
    }"""
    (totals,) = host(text).only().trace.loops.values()
    assert totals.mean_trips == pytest.approx(75.25, rel=0.1)


def test_what_a_loop_swaps_around_is_no_addend_of_a_store(host):
    # The registers of a swap copy each other in a circle; ten launches all the same.
    text = """
    __global__ void fill(int *o) { o[threadIdx.x] = 1; }
    int main() {
      int *level = (int *)malloc(8), *d;
      cudaMalloc(&d, 512);
      int in = 0, out = 1;
      for (int t = 0; t < 10; t++) {
        fill<<<1, 128>>>(d);
        level[0] = in;
        int held = in; in = out; out = held;
      }
    }"""
    assert host(text).only().count == 10


@pytest.mark.parametrize("n", [16, 40])
def test_rows_that_nobody_knows_are_not_the_zeros_beneath_them(host, n):
    # Numbers at the border of a square are 4, inside 9; the rows at the top and the bottom are known, the others are not.
    text = """
    __global__ void run(const int *count, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n * n) return;
      float s = 0;
      for (int k = 0; k < count[i]; k++) s += k;
      out[i] = s;
    }
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      int *h = (int *)calloc(n * n, 4);
      for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
          int c = 9;
          if (x == 0 || y == 0 || x == n - 1 || y == n - 1) c = 4;
          h[y * n + x] = c;
        }
      int *d; float *out;
      cudaMalloc(&d, n * n * 4); cudaMalloc(&out, n * n * 4);
      cudaMemcpy(d, h, n * n * 4, cudaMemcpyHostToDevice);
      run<<<(n * n + 127) / 128, 128>>>(d, out, n);
    }"""
    (totals,) = host(text, argv=[str(n)]).only().trace.loops.values()
    inside = (n - 2) ** 2
    expected = (9 * inside + 4 * (n * n - inside)) / (n * n)
    # Numbers of rows that are not run are drawn, those of the border among them.
    assert totals.mean_trips == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize("places", ["c * n + b", "b * 15 + c"])
def test_packed_triangles_hold_what_was_stored_in_all_of_their_rows(host, places):
    text = """
    __global__ void run(const double *m, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      for (int c = 0; c < 15; c++)
        for (int k = 0; k < (m[@] != 0 ? 3 : 0); k++) out[k * n + i] += c;
    }
    int main(int argc, char **argv) {
      int n = 20000;
      double *h = (double *)calloc(15 * n, 8), *d; float *out;
      for (int b = 0; b < n; b++) {
        int c = 0;
        for (int i = 0; i < 5; i++)
          for (int j = 0; j <= i; j++, c++) h[@] = 1 + rand() / (double)RAND_MAX;
      }
      cudaMalloc(&d, 15 * n * 8); cudaMalloc(&out, 15 * n * 4);
      cudaMemcpy(d, h, 15 * n * 8, cudaMemcpyHostToDevice);
      run<<<(n + 127) / 128, 128>>>(d, out, n);
    }""".replace("m[@]", f"m[{places.replace('b', 'i')}]").replace("@", places)
    loops = host(text).only().trace.loops.values()
    assert min(item.mean_trips for item in loops) == pytest.approx(3, rel=0.01)


def share_of_marked(host, fill):
    """The share of the elements that are not zero, of a million that the host has filled."""
    text = f"""
    __global__ void run(const int *mark, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float s = 0;
      int marked = mark[i] != 0;
      for (int k = 0; k < 100 * marked; k++) s += k;
      out[i] = s;
    }}
    int main() {{
      int n = 1000000;
      int *h = (int *)malloc(n * 4), *d; float *out;
      {fill}
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      run<<<(n + 127) / 128, 128>>>(d, out, n);
    }}"""
    (totals,) = host(text).only().trace.loops.values()
    return totals.mean_trips / 100


@pytest.mark.parametrize(
    ("loop", "share"),
    [
        ("for (int i = 0; i < n; i++) if (i % 3 == 0) h[i] = 1;", 1 / 3),
        ("for (int i = 0; i < n; i++) if (i < n / 4) h[i] = 5;", 1 / 4),
        ("for (int i = 0; i < n; i++) if (rand() % 10 < 3) h[i] = 1;", 3 / 10),
        (
            "for (int i = 0; i < 1000; i++) if (i % 4 == 0) for (int j = 0; j < 1000; j++) h[i * 1000 + j] = 1;",
            1 / 4,
        ),
        (
            "for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) if (j < 300) h[i * 1000 + j] = 2;",
            3 / 10,
        ),
    ],
)
def test_what_a_loop_leaves_out_holds_what_it_held(host, loop, share):
    zeros = "memset(h, 0, n * 4);"
    assert share_of_marked(host, f"{zeros} {loop}") == pytest.approx(share, rel=0.15)


@pytest.mark.parametrize(
    ("loop", "share"),
    [
        ("if (i % 3 == 0) h[i] = 1; else h[i] = 0;", 1 / 3),
        ("h[i] = 0; if (i < n / 4) h[i] = 5;", 1 / 4),
        ("if (rand() % 10 < 3) h[i] = rand() % 100 + 1; else h[i] = 0;", 3 / 10),
    ],
)
def test_arms_store_to_elements_of_their_own(host, loop, share):
    assert share_of_marked(host, f"for (int i = 0; i < n; i++) {{ {loop} }}") == pytest.approx(
        share, rel=0.15
    )


def test_places_of_those_that_are_kept_still_rise(host):
    # Of each two elements the first is counted on: what map[i] holds lies beside what map[i + 2] does.
    text = """
    __global__ void run(const int *map, const float *x, float *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      out[i] = x[map[i]];
    }
    int main() {
      int n = 1 << 20, count = 0;
      int *h = (int *)calloc(n, 4), *d; float *x, *out;
      for (int i = 0; i < n; i++) if (i % 2 == 0) h[i] = count++;
      cudaMalloc(&d, n * 4); cudaMalloc(&x, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      run<<<n / 128, 128>>>(d, x, out);
    }"""
    launch = host(text).only()
    names = launch.trace.buffers
    gathers = [e for e in launch.trace.events if names[e.buffer].name == "x"]
    assert gathers
    assert not any(e.is_guess for e in gathers)


def test_best_of_some_hundred_candidates_is_found(host):
    # 16 blocks of 128 threads are 2,048, which no smaller block reaches and no larger one exceeds.
    text = """
    __global__ void run(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
    int main() {
      float *out; cudaMalloc(&out, 1 << 20);
      int best = 0, chosen = 4;
      for (int threads = 1; threads <= 256; threads++) {
        int blocks = 32768 / (4 * threads + 1536);
        if (blocks > 16) blocks = 16;
        int rounded = (threads + 31) / 32 * 32;
        while (blocks * rounded > 2048) blocks--;
        if (threads * blocks > best) { best = threads * blocks; chosen = threads; }
      }
      run<<<16, chosen>>>(out);
    }"""
    assert host(text).only().block[0] == 128


@pytest.mark.parametrize("element", ["int", "float"])
def test_numbers_that_are_shuffled_stay_the_same_numbers(host, element):
    # Of 0 to n - 1 in any order a tenth lies below n / 10, and so many places are marked.
    fill = f"""
    {element} *order = ({element} *)malloc(n * 4);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {{
      int j = rand() % (i + 1);
      if (i != j) {{ {element} held = order[i]; order[i] = order[j]; order[j] = held; }}
    }}
    for (int i = 0; i < n; i++) h[i] = order[i] >= n / 10 ? 0 : 1 + rand() % 100;
    """
    assert share_of_marked(host, fill) == pytest.approx(0.1, rel=0.3)
