"""Arrays that host functions prepare and kernels take their trip counts from."""

import pytest

KERNEL = """
__global__ void rows(const int *first, const int *length, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  int end = first ? first[i + 1] - first[i] : length[i];
  for (int k = 0; k < end; k++) s += k;
  out[i] = s;
}
"""


def trips(host, text, argv):
    (totals,) = host(text, argv=argv).only().trace.loops.values()
    return totals.mean_trips


def test_functions_that_make_the_input_are_run_to_their_end(host):
    # Rows of 1 to 47 elements, 24 in the mean, gathered in a list of its own that is sorted and appended.
    text = f"""
    {KERNEL}
    struct Matrix {{ std::vector<int> first, column; }};
    Matrix make(int n, int mean) {{
      Matrix m;
      std::vector<int> list;
      m.first.push_back(0);
      for (int i = 0; i < n; i++) {{
        int length = 1 + rand() % (2 * mean - 1);
        list.clear();
        for (int k = 0; k < length; k++) list.push_back(rand() % n);
        std::sort(list.begin(), list.end());
        for (int j : list) m.column.push_back(j);
        m.first.push_back((int)m.column.size());
      }}
      return m;
    }}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      Matrix m = make(n, 24);
      int *d; float *out;
      cudaMalloc(&d, m.first.size() * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, m.first.data(), m.first.size() * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(d, nullptr, out, n);
    }}"""
    assert trips(host, text, ["20000"]) == pytest.approx(24, rel=0.05)


def test_few_random_lengths_are_numbers_in_their_range(host):
    # 64 lengths of 751 to 1,000, 875.5 in the mean: the mean of 64 even draws has a standard deviation of 72 / 8 = 9.
    # So many calls of rand() before them leave nobody knowing the numbers.
    text = f"""
    {KERNEL}
    int main(int argc, char **argv) {{
      int n = 64, longest = atoi(argv[1]);
      int *data = (int *)malloc(longest * 4 * longest);
      for (int i = 0; i < longest * longest; i++) data[i] = rand();
      int *h = (int *)malloc(n * 4);
      for (int i = 0; i < n; i++) h[i] = longest - rand() % (longest / 4);
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      rows<<<1, n>>>(nullptr, d, out, n);
    }}"""
    assert trips(host, text, ["1000"]) == pytest.approx(875.5, rel=0.03)


@pytest.mark.parametrize("n", ["3000", "50021"])
def test_lists_of_neighbours_get_those_that_anybody_names(host, n):
    # Each node draws 6 neighbours and is put into the list of each: 12 in the mean. Every 50th node draws none.
    text = f"""
    {KERNEL}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::vector<std::vector<int>> neighbours(n);
      for (int v = 0; v < n; v++)
        for (int k = 0; k < 6; k++) {{
          int u = rand() % n;
          if (v % 50 == 0) continue;
          neighbours[v].push_back(u);
          neighbours[u].push_back(v);
        }}
      std::vector<int> first(n + 1, 0), all;
      for (int v = 0; v < n; v++) {{
        std::sort(neighbours[v].begin(), neighbours[v].end());
        all.insert(all.end(), neighbours[v].begin(), neighbours[v].end());
        first[v + 1] = (int)all.size();
      }}
      int *d; float *out;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(d, nullptr, out, n);
    }}"""
    assert trips(host, text, [n]) == pytest.approx(12, rel=0.06)


def test_a_list_that_is_continued_from_its_last_element_ends_where_it_is_expected_to(host):
    # Rows of 0 to 48 elements, 24 in the mean, until 1,200,000 are reached: 50,000 rows, one block of 128 threads for
    # each 128 of them.
    text = f"""
    {KERNEL}
    int main() {{
      std::mt19937 random(7);
      std::uniform_int_distribution<> length(0, 48);
      std::vector<int> first;
      int at = 0;
      while (at < 1200000) {{
        first.push_back(at);
        int more = length(random);
        at = first.back() + more;
      }}
      first.push_back(1200000);
      int n = first.size() - 1;
      int *d; float *out;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(d, nullptr, out, n);
    }}"""
    launch = host(text).only()
    assert launch.trace.grid[0] == pytest.approx(50_000 / 128, rel=0.01)
    (totals,) = launch.trace.loops.values()
    assert totals.mean_trips == pytest.approx(24, rel=0.05)


def test_elements_that_the_host_draws_from_an_even_array_are_spread_as_it_is(host):
    # Numbers from 0 to 3,999 in steps of 4: 1,998 in the mean, and a quarter of them below 1,000.
    text = f"""
    {KERNEL}
    int main() {{
      int n = 20000;
      int *keys = (int *)malloc(1000 * 4), *h = (int *)malloc(n * 4);
      for (int i = 0; i < 1000; i++) keys[i] = 4 * i;
      for (int i = 0; i < n; i++) h[i] = keys[rand() % 1000] < 1000;
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(nullptr, d, out, n);
    }}"""
    assert trips(host, text, []) == pytest.approx(0.25, rel=0.15)


def test_what_a_recursion_without_end_in_sight_has_not_stored_is_unknown(host):
    # A tree of 2^20 numbers is filled from left to right; what the analysis leaves out are no zeros.
    text = f"""
    {KERNEL}
    int fill(int *tree, int next, int at, int n) {{
      if (at < n) {{
        next = fill(tree, next, 2 * at + 1, n);
        tree[at] = next++ % 7 + 1;
        next = fill(tree, next, 2 * at + 2, n);
      }}
      return next;
    }}
    int main() {{
      int n = 1 << 20;
      std::vector<int> tree(n);
      fill(tree.data(), 0, 0, n);
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, tree.data(), n * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(nullptr, d, out, n);
    }}"""
    assert trips(host, text, []) > 1


ORDERS = (
    "qsort(tasks, n, sizeof(Task), by_key);",
    "std::sort(tasks, tasks + n, less);",
    "std::reverse(tasks, tasks + n);",
)


@pytest.mark.parametrize("order", ORDERS)
def test_records_in_another_order_keep_the_values_of_each_member(host, order):
    # Lengths of 10 to 29, 19.5 in the mean; the keys of 0 to 1023 beside them are the larger numbers.
    text = f"""
    #include <stdlib.h>
    #include <algorithm>
    struct Task {{ int key, length; }};
    int by_key(const void *a, const void *b) {{ return ((Task *)a)->key - ((Task *)b)->key; }}
    bool less(const Task &a, const Task &b) {{ return a.key < b.key; }}
    __global__ void run(const Task *tasks, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float s = 0;
      for (int k = 0; k < tasks[i].length; k++) s += k;
      out[i] = s;
    }}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      Task *tasks = (Task *)malloc(n * sizeof(Task)), *d; float *out;
      for (int i = 0; i < n; i++) {{ tasks[i].key = rand() % 1024; tasks[i].length = 10 + rand() % 20; }}
      {order}
      cudaMalloc(&d, n * sizeof(Task)); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, tasks, n * sizeof(Task), cudaMemcpyHostToDevice);
      run<<<(n + 127) / 128, 128>>>(d, out, n);
    }}"""
    assert trips(host, text, ["100000"]) == pytest.approx(19.5, rel=0.05)


def test_indices_that_a_counting_sort_puts_in_another_order_are_all_there(host):
    # 0 to 1,999 in some order: 999.5 in the mean, where the array held zeros before.
    text = f"""
    {KERNEL}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::vector<int> key(n), order(n), count(257, 0);
      for (int i = 0; i < n; i++) key[i] = rand() % 256;
      for (int i = 0; i < n; i++) count[key[i] + 1]++;
      for (int k = 0; k < 256; k++) count[k + 1] += count[k];
      for (int i = 0; i < n; i++) order[count[key[i]]++] = i;
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, order.data(), n * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(nullptr, d, out, n);
    }}"""
    assert trips(host, text, ["2000"]) == pytest.approx(999.5, rel=0.05)


@pytest.mark.parametrize(
    "sums",
    [
        "std::vector<int> ptr(1, 0); std::partial_sum(len.begin(), len.end(), std::back_inserter(ptr));",
        "std::vector<int> ptr(n + 1); std::partial_sum(len.begin(), len.end(), ptr.begin() + 1);",
        "std::vector<int> ptr(n + 1); std::exclusive_scan(len.begin(), len.end(), ptr.begin(), 0);",
        "std::vector<int> ptr{0}; for (int l : len) ptr.push_back(ptr.back() + l);",
    ],
)
def test_rows_of_poisson_lengths_are_as_long_as_their_mean(host, sums):
    text = f"""
    #include <iterator>
    #include <numeric>
    #include <random>
    #include <vector>
    template <class T> class Buffer {{
      T *p_; size_t n_;
    public:
      explicit Buffer(size_t n) : n_(n) {{ cudaMalloc(&p_, n * sizeof(T)); }}
      explicit Buffer(const std::vector<T> &h) : Buffer(h.size()) {{
        cudaMemcpy(p_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice); }}
      T *data() {{ return p_; }}
    }};
    __global__ void gather(const int *ptr, const float *v, float *y, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) {{ float s = 0; for (int k = ptr[i]; k < ptr[i + 1]; ++k) s += v[k]; y[i] = s; }}
    }}
    int main() {{
      int n = 1 << 16; std::mt19937 rng(42); std::poisson_distribution<int> pd(12);
      std::vector<int> len(n); for (auto &l : len) l = pd(rng);
      {sums}
      Buffer<int> d(ptr); Buffer<float> v(40 * n), y(n);
      gather<<<n / 128, 128>>>(d.data(), v.data(), y.data(), n);
    }}"""
    assert trips(host, text, []) == pytest.approx(12, rel=0.05)


@pytest.mark.parametrize("put", ["order[next[key[i]]++] = i", "order[next[key[i]]++] = 3 * i + 7"])
def test_numbers_that_a_loop_scatters_are_all_those_between_the_first_and_the_last(host, put):
    # 0 to 19,999 by chance, 10,000 in the mean (three times as many and 7 more): places come from an even line, and each
    # iteration that runs stands for thousands that store numbers of their own.
    text = f"""
    #include <numeric>
    {KERNEL}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::vector<int> key(n), order(n), count(257, 0);
      for (int i = 0; i < n; i++) key[i] = rand() % 256;
      for (int k : key) count[k + 1]++;
      std::partial_sum(count.begin(), count.end(), count.begin());
      std::vector<int> next(count.begin(), count.end() - 1);
      for (int i = 0; i < n; i++) {put};
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, order.data(), n * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(nullptr, d, out, n);
    }}"""
    mean = 9999.5 if put.endswith("= i") else 3 * 9999.5 + 7
    assert trips(host, text, ["20000"]) == pytest.approx(mean, rel=0.05)


@pytest.mark.parametrize(
    "first",
    ["max(0, at - 2 * m)", "std::max(0, at - 2 * m)", "at - 2 * m < 0 ? 0 : at - 2 * m"],
)
def test_limits_of_drawn_numbers_are_numbers(host, first):
    # Windows of 512 elements that begin 64 to 128 before, 96 in the mean, but for the first of 200: 512 + 96 * 199 / 200.
    text = f"""
    __global__ void windows(const int *length, const char *text, int *out, int chunks) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, m = length[i / chunks], at = i % chunks * 512;
      int s = 0, from = {first};
      for (int j = from; j < at + 512; j++) s += text[j];
      out[i] = s;
    }}
    int main() {{
      int patterns = 64, chunks = 200;
      std::vector<int> length(patterns);
      std::vector<unsigned> bits(4 * patterns);
      for (int p = 0; p < patterns; p++) {{
        int m = 32 + rand() % 33;
        length[p] = m;
        for (int i = 0; i < m; i++) bits[4 * p + i % 4] |= 1u << (i & 31);
      }}
      int *d, *out; char *t;
      cudaMalloc(&d, patterns * 4); cudaMalloc(&t, 512 * chunks); cudaMalloc(&out, patterns * chunks * 4);
      cudaMemcpy(d, length.data(), patterns * 4, cudaMemcpyHostToDevice);
      windows<<<patterns * chunks / 128, 128>>>(d, t, out, chunks);
    }}"""
    assert trips(host, text, []) == pytest.approx(512 + 96 * 199 / 200, rel=0.02)


def test_rows_that_are_appended_unevenly_leave_no_gaps(host):
    # A matrix of 7 points on a grid of 50: each row begins with its diagonal, which is never zero. Of 50 planes few are
    # run; the elements of the others are there all the same, in an array that calloc has cleared.
    text = """
    __global__ void relax(const double *a, const int *begin, double *u, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n || a[begin[i]] == 0.0) return;
      double s = 0;
      for (int j = begin[i] + 1; j < begin[i + 1]; j++) s += a[j];
      u[i] = s;
    }
    int main() {
      int m = 50, n = m * m * m, at = 0, row = 0;
      int *begin = (int *)malloc((n + 1) * 4);
      double *a = (double *)calloc(7 * n, 8);
      for (int z = 0; z < m; z++)
        for (int y = 0; y < m; y++)
          for (int x = 0; x < m; x++) {
            begin[row] = at;
            a[at++] = 6.0;
            if (z) a[at++] = -1.0;
            if (y) a[at++] = -1.0;
            if (x) a[at++] = -1.0;
            if (x + 1 < m) a[at++] = -1.0;
            if (y + 1 < m) a[at++] = -1.0;
            if (z + 1 < m) a[at++] = -1.0;
            begin[++row] = at;
          }
      int *d; double *da, *u;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&da, 7 * n * 8); cudaMalloc(&u, n * 8);
      cudaMemcpy(d, begin, (n + 1) * 4, cudaMemcpyHostToDevice);
      cudaMemcpy(da, a, 7 * n * 8, cudaMemcpyHostToDevice);
      relax<<<(n + 255) / 256, 256>>>(da, d, u, n);
    }"""
    (totals,) = host(text).only().trace.loops.values()
    # Of 7 entries of a row each of 6 neighbours is missing at one of 50 places: 6 * 49 / 50 besides the diagonal.
    assert totals.starts == pytest.approx(50**3, rel=0.01)
    assert totals.mean_trips == pytest.approx(6 * 49 / 50, rel=0.03)


@pytest.mark.parametrize(
    "tidy", ["", "edges.erase(std::unique(edges.begin(), edges.end()), edges.end());"]
)
def test_pairs_packed_into_sorted_words_are_told_apart(host, tidy):
    # Edges that lead from the node of lower degree to the other: 16 for each of 32,768 nodes in the mean.
    text = f"""
    {KERNEL}
    int main() {{
      const unsigned n = 32768;
      std::vector<unsigned long long> edges;
      unsigned long long state = 7;
      auto next = [&state]() {{
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (unsigned)(state >> 33);
      }};
      for (unsigned i = 0; i < 16 * n; i++) {{
        unsigned u = next() % n, v = next() % n;
        edges.push_back((unsigned long long)u << 32 | v);
      }}
      std::sort(edges.begin(), edges.end());
      {tidy}
      std::vector<unsigned> degree(n, 0);
      for (unsigned long long e : edges) {{ degree[e >> 32]++; degree[(unsigned)e]++; }}
      std::vector<int> first(n + 1, 0);
      for (unsigned long long e : edges) {{
        unsigned a = e >> 32, b = (unsigned)e;
        if (degree[a] > degree[b] || (degree[a] == degree[b] && a > b)) std::swap(a, b);
        first[a + 1]++;
      }}
      for (unsigned i = 0; i < n; i++) first[i + 1] += first[i];
      int *d; float *out;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      rows<<<n / 256, 256>>>(d, nullptr, out, n);
    }}"""
    assert trips(host, text, []) == pytest.approx(16, rel=0.05)


@pytest.mark.parametrize("last", ["delay.back()", "delay[255]"])
def test_sizes_come_from_the_last_of_a_row_of_uneven_numbers(host, last):
    # delay[c] = 100 c^2 / (c + 1): the last is 65025 * 100 / 256 = 25400.39, which leaves 7,367 of 32,768 elements.
    text = f"""
    __global__ void fold(const float *a, float *out, int n) {{
      float s = 0;
      for (int t = 0; t < n; t++) s += a[t];
      out[threadIdx.x] = s;
    }}
    int main() {{
      std::vector<float> delay(256);
      for (int c = 0; c < 256; c++) delay[c] = 100.0f * c * c / (c + 1);
      int n = 32768 - (int)({last} + 1);
      float *a, *out;
      cudaMalloc(&a, 32768 * 4); cudaMalloc(&out, 128);
      fold<<<1, 32>>>(a, out, n);
    }}"""
    assert trips(host, text, []) == 7367


@pytest.mark.parametrize("count", [64, 5000])
def test_short_arrays_keep_their_bounds_when_they_are_sorted(host, count):
    # Each row has the length that one of the sorted numbers says, 0 to 9: 4.5 in the mean. Of the short array the host code
    # knows each element on its own, of the long one a rule for all.
    text = f"""
    {KERNEL}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]), m = 10;
      std::mt19937 g(8);
      std::vector<int> length(n);
      for (auto &l : length) l = (int)(g() % m);
      std::sort(length.begin(), length.end());
      int *d; float *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, length.data(), n * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(nullptr, d, out, n);
    }}"""
    assert trips(host, text, [str(count)]) == pytest.approx(4.5, rel=0.1)


@pytest.mark.parametrize(
    ("more", "behind"),
    # 1 to 17 elements, the middle of n being number n / 2: (0 + 0 + 1 + 1 + ... + 7 + 7 + 8) / 17 lie behind it; of 7 and 11, 3 and 5.
    [("rand() % 17", 64 / 17), ("i % 2 ? 6 : 10", 4)],
)
@pytest.mark.parametrize(
    "found", ["if (col[k] == i) diag[i] = k;", "if (i == col[k]) diag[i] = k;"]
)
def test_places_of_diagonals_are_in_the_middle_of_rows(host, found, more, behind):
    # Rows with the diagonal among them, none of whose elements is seen to be equal to the row's number.
    text = f"""
    __global__ void upper(const int *first, const int *diag, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float s = 0;
      for (int k = diag[i] + 1; k < first[i + 1]; k++) s += k;
      out[i] = s;
    }}
    int main() {{
      const int n = 65536;
      std::vector<int> first(1, 0), col, row;
      for (int i = 0; i < n; i++) {{
        row.assign(1, i);
        int more = {more};
        for (int e = 0; e < more; e++) row.push_back(rand() % n);
        std::sort(row.begin(), row.end());
        for (int c : row) col.push_back(c);
        first.push_back((int)col.size());
      }}
      std::vector<int> diag(n);
      for (int i = 0; i < n; i++)
        for (int k = first[i]; k < first[i + 1]; k++)
          {found}
      int *d_first, *d_diag; float *out;
      cudaMalloc(&d_first, (n + 1) * 4); cudaMalloc(&d_diag, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d_first, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      cudaMemcpy(d_diag, diag.data(), n * 4, cudaMemcpyHostToDevice);
      upper<<<n / 256, 256>>>(d_first, d_diag, out, n);
    }}"""
    assert trips(host, text, []) == pytest.approx(behind, rel=0.05)


@pytest.mark.parametrize("nodes", [256, 4096])
@pytest.mark.parametrize("branch", ["", "if (rand() % 100 < 10) continue;"])
def test_one_of_an_array_of_lists_is_any_of_them(host, nodes, branch):
    # Lists of 50 to 149 elements, of which each row copies one, chosen at random: 99.5 in the mean, some of them left out.
    text = f"""
    {KERNEL}
    int main() {{
      const int n = {nodes};
      std::vector<std::vector<int>> lists(n / 16 + 1);
      for (auto &list : lists) {{
        list.resize(50 + rand() % 100);
        for (auto &item : list) item = rand() % 20;
      }}
      std::vector<int> first(n + 1, 0);
      for (int i = 0; i < n; i++) {{
        const auto &list = lists[rand() % lists.size()];
        int length = 0;
        for (int item : list) {{ {branch} length++; }}
        first[i + 1] = first[i] + length;
      }}
      int *d; float *out;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 255) / 256, 256>>>(d, nullptr, out, n);
    }}"""
    assert trips(host, text, []) == pytest.approx(99.5, rel=0.12)


@pytest.mark.parametrize(
    ("made", "length"),
    [
        ("doc.assign(m, 'x');", 300),
        ("std::string copied(m, 'x'); doc = copied + copied;", 600),
        ("doc.assign(m, 'x'); doc.erase(0, 100);", 200),
        ("std::string whole(m, 'x'); doc = whole.substr(100);", 200),
        ("std::string whole(m, 'x'); doc = whole.substr(0, 100);", 100),
    ],
)
def test_lengths_of_texts_are_followed_where_they_are_drawn(host, made, length):
    # m is 150 to 450, 300 in the mean.
    text = f"""
    {KERNEL}
    int main() {{
      const int n = 4096;
      std::string text;
      std::vector<int> first(1, 0);
      for (int i = 0; i < n; i++) {{
        std::string doc;
        int m = 150 + rand() % 301;
        {made}
        text += doc;
        first.push_back((int)text.size());
      }}
      int *d; float *out;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      rows<<<n / 256, 256>>>(d, nullptr, out, n);
    }}"""
    assert trips(host, text, []) == pytest.approx(length, rel=0.05)


def test_rows_of_uneven_sums_in_a_loop_are_told_by_their_mean(host):
    # Each of 2,000 rows begins at 0 and rises by 1 to 39, 20 in the mean of many: of one row's 63 steps by 20 +- 1.4.
    text = """
    __global__ void steps(const int *first, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n || i % 64 == 63) return;
      float s = 0;
      for (int k = first[i]; k < first[i + 1]; k++) s += k;
      out[i] = s;
    }
    int main() {
      const int n = 2000;
      std::vector<int> rows(n * 64);
      for (int r = 0; r < n; r++) {
        int at = 0;
        for (int j = 0; j < 64; j++) { rows[r * 64 + j] = at; at += 1 + rand() % 39; }
      }
      int *d; float *out;
      cudaMalloc(&d, n * 64 * 4); cudaMalloc(&out, n * 64 * 4);
      cudaMemcpy(d, rows.data(), n * 64 * 4, cudaMemcpyHostToDevice);
      steps<<<n / 4, 256>>>(d, out, n * 64);
    }"""
    assert trips(host, text, []) == pytest.approx(20, rel=0.15)


@pytest.mark.parametrize(
    ("made", "mean"),
    [
        # Loops of 100 * x iterations, where x is drawn anew for each thread; none below zero.
        ("sqrtf(u)", 100 * 2 / 3),
        ("u * u", 100 / 3),
        ("cosf(6.2831853f * u)", 100 / 3.1416),
        ("sqrtf(-2.f * logf(u + 1e-7f)) * cosf(6.2831853f * v)", 100 / 2.5066),
    ],
)
def test_functions_of_drawn_numbers_differ_from_element_to_element(host, made, mean):
    text = f"""
    __global__ void rows(const float *x, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      float s = 0;
      int end = (int)(100 * x[i]);
      for (int k = 0; k < end; k++) s += k;
      out[i] = s;
    }}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::vector<float> h(n);
      for (int i = 0; i < n; i++) {{
        float u = rand() / (float)RAND_MAX, v = rand() / (float)RAND_MAX;
        h[i] = {made};
      }}
      float *d, *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(d, out, n);
    }}"""
    assert trips(host, text, ["100000"]) == pytest.approx(mean, rel=0.2)
