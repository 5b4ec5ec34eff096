"""Host loops that build offsets, sums and packed arrays unevenly, as generators of sparse matrices do."""

import pytest

from roofstat.analysis.settings import device_model
from roofstat.execution.host.run import HostRun
from roofstat.hardware import load_gpu

ROWS = """
__global__ void rows(const int *start, const double *v, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s = 0;
  for (int j = start[i]; j < start[i + 1]; j++) s += v[j];
  y[i] = s;
}
"""
LAPLACE = """
  int n = m * m * m, filled = 1;
  int *start = (int *)malloc((n + 1) * sizeof(int));
  start[0] = 0;
  for (int z = 0; z < m; z++)
    for (int y = 0; y < m; y++)
      for (int x = 0; x < m; x++) {
        start[filled] = start[filled - 1];
        start[filled]++;
        if (z) start[filled]++;
        if (y) start[filled]++;
        if (x) start[filled]++;
        if (x + 1 < m) start[filled]++;
        if (y + 1 < m) start[filled]++;
        if (z + 1 < m) start[filled]++;
        filled++;
      }
"""
LAUNCH = """
  int *d; double *v, *r;
  cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&v, start[n] * 8); cudaMalloc(&r, n * 8);
  cudaMemcpy(d, start, (n + 1) * 4, cudaMemcpyHostToDevice);
  rows<<<(n + 255) / 256, 256>>>(d, v, r, n);
"""


def mean_trips(launch):
    (totals,) = launch.trace.loops.values()
    return totals.mean_trips


@pytest.mark.parametrize("m", [4, 10, 20, 50, 100])
def test_rows_of_a_matrix_that_memory_counts(host, m):
    # A seven-point Laplacian on m^3 points: 7 m^3 entries but for the 6 m^2 beyond its faces.
    text = f"{ROWS} int main(int argc, char **argv) {{ int m = atoi(argv[1]); {LAPLACE} {LAUNCH} }}"
    launch = host(text, argv=[str(m)]).only()
    assert mean_trips(launch) == pytest.approx(7 - 6 / m, rel=0.04)


def test_rows_of_a_matrix_that_a_variable_counts(host):
    # A band of five diagonals on n rows, cut at the ends: 5 n - 6 entries.
    text = f"""{ROWS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]), entries = 0;
      int *start = (int *)malloc((n + 1) * sizeof(int));
      for (int i = 0; i < n; i++) {{
        start[i] = entries;
        for (int j = i - 2; j <= i + 2; j++)
          if (j >= 0 && j < n) entries++;
      }}
      start[n] = entries;
      {LAUNCH} }}"""
    launch = host(text, argv=["100000"]).only()
    assert mean_trips(launch) == pytest.approx(5, rel=0.02)


def test_the_sum_of_many_random_lengths_is_their_expectation(host):
    # n lengths of 0 to 9,999: 4,999.5 n bytes
    text = """
    __global__ void touch(const char *data, int n) { }
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      unsigned total = 0;
      unsigned *length = (unsigned *)malloc(n * sizeof(unsigned));
      for (int i = 0; i < n; i++) length[i] = rand() % 10000;
      for (int i = 0; i < n; i++) total += length[i];
      touch<<<total / 1000, 32>>>(0, n);
    }"""
    launch = host(text, argv=["100000"]).only()
    assert launch.grid[0] == pytest.approx(499_950, rel=0.001)


def test_appended_elements_follow_their_places(host):
    # Two thirds of the numbers below n, packed: out[k] is about 1.5 k, so that neighbours stay neighbours.
    text = """
    __global__ void gather(const int *index, const float *x, float *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[index[i]];
    }
    int main(int argc, char **argv) {
      int n = atoi(argv[1]), packed = 0;
      int *index = (int *)malloc(n * sizeof(int));
      for (int i = 0; i < n; i++)
        if (i % 3) index[packed++] = i;
      int *d; float *x, *y;
      cudaMalloc(&d, n * 4); cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
      cudaMemcpy(d, index, n * 4, cudaMemcpyHostToDevice);
      gather<<<packed / 256, 256>>>(d, x, y, packed);
    }"""
    launch = host(text, argv=["300000"]).only()
    assert launch.grid[0] == pytest.approx(200_000 // 256, rel=0.02)
    reads = [event for event in launch.trace.events if not event.is_guess]
    assert len(reads) == len(launch.trace.events)


def test_a_counter_that_only_the_first_iterations_raise_stays(host):
    text = """
    __global__ void touch(int n) { }
    int main() {
      int found = 0;
      for (int i = 0; i < 100000; i++) if (i < 3) found++;
      touch<<<found, 32>>>(1);
    }"""
    assert host(text).only().grid[0] == 3


def test_random_rows_of_an_offset_array(host):
    # Rows of 1 to 200 entries, each after the one before: 100.5 on average.
    text = f"""{ROWS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      int *start = (int *)malloc((n + 1) * sizeof(int));
      start[0] = 0;
      for (int i = 1; i <= n; i++) start[i] = start[i - 1] + rand() % 200 + 1;
      {LAUNCH} }}"""
    launch = host(text, argv=["100000"]).only()
    assert mean_trips(launch) == pytest.approx(100.5, rel=0.03)


def test_a_kernel_that_is_not_asked_for_leaves_constants_alone(program):
    text = f"""{ROWS}
    __global__ void other(const int *start, int *fresh) {{ fresh[threadIdx.x] = start[threadIdx.x]; }}
    int main() {{
      int n = 4096;
      int *start = (int *)malloc((n + 1) * sizeof(int));
      for (int i = 0; i <= n; i++) start[i] = 7 * i;
      int *d, *e; double *v, *r;
      cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&e, n * 4);
      cudaMalloc(&v, 7 * n * 8); cudaMalloc(&r, n * 8);
      cudaMemcpy(d, start, (n + 1) * 4, cudaMemcpyHostToDevice);
      other<<<1, 32>>>(d, e);
      rows<<<n / 256, 256>>>(d, v, r, n); }}"""
    linked = program(text)
    run = HostRun(linked, device_model(load_gpu("a100")), wanted=lambda key: "rows" in key)
    run.run_main()
    (launch,) = run.launcher.table.entries()
    assert mean_trips(launch) == pytest.approx(7)


NEIGHBOURS = """
  int n = m * m * m;
  int *start = (int *)malloc((n + 1) * sizeof(int));
  start[0] = 0;
  for (int r = 0; r < n; r++) {
    int z = r / (m * m), y = r / m % m, x = r % m, found = 0;
    for (int k = 0; k < 27; k++) {
      int a = x + k % 3 - 1, b = y + k / 3 % 3 - 1, c = z + k / 9 - 1;
      if (a >= 0 && a < m && b >= 0 && b < m && c >= 0 && c < m) found++;
    }
    start[r + 1] = found;
  }
  for (int r = 0; r < n; r++) start[r + 1] += start[r];
"""


def test_running_sums_rise_by_the_mean_of_what_was_counted(host):
    # Rows of 8 to 27 elements, (3 - 2 / m)^3 in the mean: nearly all have 27, none of those in the middle of the range.
    text = (
        f"{ROWS} int main(int argc, char **argv) {{ int m = atoi(argv[1]); {NEIGHBOURS} {LAUNCH} }}"
    )
    launch = host(text, argv=["100"]).only()
    assert mean_trips(launch) == pytest.approx((3 - 2 / 100) ** 3, rel=0.04)


REGIONS = """
#include <vector>
__global__ void work(const int *times, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = out[i];
  for (int j = 0; j < times[i]; j++) x = x * 1.5f + 2.0f;
  out[i] = x;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), regions = 11;
  std::vector<int> number(n), size(regions), times(n);
  for (int i = 0; i < n; i++) number[i] = rand() % regions + 1;
  for (int r = 0; r < regions; r++) size[r] = 0;
  for (int i = 0; i < n; i++) { int r = number[i] - 1; size[r]++; }
  std::vector<int *> list(regions);
  for (int r = 0; r < regions; r++) { list[r] = new int[size[r]]; size[r] = 0; }
  for (int i = 0; i < n; i++) { int r = number[i] - 1; int at = size[r]++; list[r][at] = i; }
  for (int r = 0; r < regions; r++)
    for (int e = 0; e < size[r]; e++) times[list[r][e]] = r < 5 ? 1 : r < 10 ? 2 : 20;
  int *d; float *out;
  cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
  cudaMemcpy(d, times.data(), n * 4, cudaMemcpyHostToDevice);
  work<<<(n + 255) / 256, 256>>>(d, out, n);
}
"""


def test_elements_of_few_classes_that_were_counted_twice(host):
    # Eleven regions of a eleventh of the elements each: 5 of one turn, 5 of two, 1 of twenty.
    launch = host(REGIONS, argv=["200000"]).only()
    assert mean_trips(launch) == pytest.approx((5 * 1 + 5 * 2 + 20) / 11, rel=0.15)
