"""Rows of uneven lengths that host code appends to each other: a warp asks as often as the longest row of its lanes is."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from roofstat.execution.loops.uneven_rows import Uneven, drawn_steps, uneven_steps

KERNELS = """
__global__ void rows(const int *first, const float *v, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = first[i]; k < first[i + 1]; k++) s += v[k];
  out[i] = s;
}
__global__ void padded(float *out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < width; k++) s += k;
  out[i] = s;
}
"""
LAUNCH = """
  int *d; float *v, *out;
  cudaMalloc(&d, (n + 1) * 4); cudaMalloc(&v, first[n] * 4); cudaMalloc(&out, n * 4);
  cudaMemcpy(d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
"""
# Lengths of 1 to 39, each as often as any other.
GENERATORS = {
    "own": """
      unsigned s = 7;
      std::vector<int> first(1, 0), column;
      for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        int length = 1 + (s >> 8) % 39;
        for (int k = 0; k < length; k++) column.push_back((i + k * 7) % n);
        first.push_back((int)column.size());
      }""",
    "library": """
      std::vector<int> first(1, 0), column;
      for (int i = 0; i < n; i++) {
        int length = 1 + rand() % 39;
        for (int k = 0; k < length; k++) column.push_back(rand() % n);
        first.push_back((int)column.size());
      }""",
    "sums": """
      std::vector<int> first(n + 1, 0);
      for (int i = 0; i < n; i++) first[i + 1] = first[i] + 1 + rand() % 39;""",
}


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_warp_asks_as_often_as_its_longest_row_is(host, generator):
    text = f"""{KERNELS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      {GENERATORS[generator]}
      {LAUNCH}
      rows<<<(n + 127) / 128, 128>>>(d, v, out, n);
    }}"""
    trace = host(text, argv=["50000"]).only().trace
    (totals,) = trace.loops.values()
    assert totals.mean_trips == pytest.approx(20, rel=0.03)
    site = max(trace.sites.values(), key=lambda found: found.threads)
    # The largest of 32 numbers from 1 to 39 is 38.3 in the mean.
    assert site.warps == pytest.approx(50_000 / 32 * 38.3, rel=0.07)


SKEWED = """
struct Lcg {
  unsigned long long s = 7;
  double uniform() {
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(s >> 33) * (1.0 / 2147483648.0);
  }
};
"""


@pytest.mark.parametrize(
    ("keep", "mean"),
    [
        # 2 and the whole part of 104 z^2, which is 104 / 3 - 1 / 2 in the mean.
        ("column.push_back(c);", 36.2),
        # Of w draws of 1,000 columns w^2 / 2000 are met before: 1.2 in the mean.
        ("if (mark[c] == i) continue; mark[c] = i; column.push_back(c);", 35.0),
    ],
)
def test_rows_are_as_skewed_as_the_numbers_that_make_them(host, keep, mean):
    text = f"""{SKEWED} {KERNELS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      Lcg random;
      std::vector<int> first(1, 0), column, mark(1000, -1);
      for (int i = 0; i < n; i++) {{
        double z = random.uniform();
        int length = 2 + (int)(40 * 2.6 * z * z);
        for (int k = 0; k < length; k++) {{
          int c = (int)(random.uniform() * 1000);
          {keep}
        }}
        first.push_back((int)column.size());
      }}
      {LAUNCH}
      rows<<<(n + 127) / 128, 128>>>(d, v, out, n);
    }}"""
    trace = host(text, argv=["50000"]).only().trace
    (totals,) = trace.loops.values()
    assert totals.mean_trips == pytest.approx(mean, rel=0.1)
    site = max(trace.sites.values(), key=lambda found: found.threads)
    # The largest of 32 squares is 32 / 34 in the mean, that of 104 of them 97.9.
    assert site.warps == pytest.approx(50_000 / 32 * (mean + 62), rel=0.12)


@pytest.mark.parametrize(
    ("length", "mean"),
    [
        ("1 + (int)(-30 * log(1.0 - random.uniform()))", 30.5),
        # 3 / (1 - 0.6) without the cap and with fractions; 6.9 by 200,000 draws.
        ("std::min(1000, (int)(3 * pow(random.uniform(), -0.6)))", 6.9),
        (
            "(int)(40 + 10 * sqrt(-2 * log(random.uniform() + 1e-12)) * cos(6.2831853 * random.uniform()))",
            39.5,
        ),
    ],
)
def test_functions_of_random_numbers_have_the_mean_of_their_distribution(host, length, mean):
    text = f"""#include <algorithm>
    #include <cmath>
    {SKEWED} {KERNELS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      Lcg random;
      std::vector<int> first(1, 0), column;
      for (int i = 0; i < n; i++) {{
        int length = {length};
        for (int k = 0; k < length; k++) column.push_back((i + k * 7) % n);
        first.push_back((int)column.size());
      }}
      {LAUNCH}
      rows<<<(n + 127) / 128, 128>>>(d, v, out, n);
    }}"""
    (totals,) = host(text, argv=["50000"]).only().trace.loops.values()
    assert totals.mean_trips == pytest.approx(mean, rel=0.1)


@pytest.mark.parametrize("generator", ["library", "sums"])
@pytest.mark.parametrize(
    "longest",
    [
        "width = std::max(width, first[i + 1] - first[i]);",
        "if (first[i + 1] - first[i] > width) width = first[i + 1] - first[i];",
    ],
)
def test_rows_are_padded_to_the_longest(host, generator, longest):
    text = f"""{KERNELS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      {GENERATORS[generator]}
      {LAUNCH}
      int width = 0;
      for (int i = 0; i < n; i++) {longest}
      padded<<<(n + 127) / 128, 128>>>(out, n, width);
    }}"""
    (totals,) = host(text, argv=["50000"]).only().trace.loops.values()
    assert totals.mean_trips == pytest.approx(39, abs=1.5)


def test_the_shortest_is_kept_as_well(host):
    text = f"""{KERNELS}
    int main() {{
      int n = 30000, least = n;
      std::vector<int> first(n + 1, 0);
      for (int i = 0; i < n; i++) first[i + 1] = first[i] + 3 + (i * 7919 + 5) % 101;
      for (int i = 0; i < n; i++) least = std::min(least, first[i + 1] - first[i]);
      float *out; cudaMalloc(&out, n * 4);
      padded<<<(n + 127) / 128, 128>>>(out, n, least);
    }}"""
    (totals,) = host(text).only().trace.loops.values()
    assert totals.mean_trips == 3


@pytest.mark.parametrize(
    ("row", "mean"),
    [
        # 4 / sqrt(r) is 8 in the mean, its whole part half less; 1 in 1,000 is cut off at 126, by 1 % of all.
        ("first[i + 1] = first[i] + (int)(4 / std::sqrt(DRAW + 1e-3));", 7.3),
        ("first[i + 1] = first[i] + (int)(-8 * log(1.0 - DRAW));", 7.5),
        # Seven of eight go on: 7 in the mean.
        (
            "int length = 0; while (DRAW < 0.875) length++; first[i + 1] = first[i] + length;",
            7.0,
        ),
        (
            "int length = 0; do length++; while (DRAW < 0.875); first[i + 1] = first[i] + length;",
            8.0,
        ),
    ],
)
def test_sums_of_skewed_lengths_have_their_mean(host, row, mean):
    text = f"""#include <cmath>
    #include <random>
    #define DRAW uniform(random)
    {KERNELS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::mt19937 random(7);
      std::uniform_real_distribution<double> uniform(0.0, 1.0);
      std::vector<int> first(n + 1, 0);
      for (int i = 0; i < n; i++) {{ {row} }}
      {LAUNCH}
      rows<<<(n + 127) / 128, 128>>>(d, v, out, n);
    }}"""
    trace = host(text, argv=["50000"]).only().trace
    (totals,) = trace.loops.values()
    assert totals.mean_trips == pytest.approx(mean, rel=0.07)
    (values,) = [item for item in trace.buffers.values() if item.name == "v"]
    assert values.size_bytes == pytest.approx(4 * 50_000 * mean, rel=0.07)
    assert not values.size_is_assumed


@pytest.mark.parametrize(
    ("distribution", "mean"),
    [
        # The whole part of an exponential number of mean 8 is 1 / (e^(1/8) - 1) in the mean.
        ("std::exponential_distribution<double> length(1.0 / 8)", 7.51),
        ("std::exponential_distribution<float> length(1.0f / 8)", 7.51),
        ("std::geometric_distribution<int> length(0.125)", 7.0),
        # exp(2 + 0.5^2 / 2), less half of one.
        ("std::lognormal_distribution<double> length(2.0, 0.5)", 7.87),
        ("std::gamma_distribution<double> length(4.0, 2.0)", 7.5),
        # 8 times gamma(3/2), less half of one.
        ("std::weibull_distribution<double> length(2.0, 8.0)", 6.59),
        ("std::binomial_distribution<int> length(32, 0.25)", 8.0),
    ],
)
def test_lengths_are_distributed_as_the_library_draws_them(host, distribution, mean):
    text = f"""#include <random>
    {KERNELS}
    struct Csr {{ std::vector<int> ptr; std::vector<float> val; }};
    Csr made(int n) {{
      std::mt19937 random(7);
      {distribution};
      Csr a;
      a.ptr.push_back(0);
      for (int i = 0; i < n; i++) {{
        int l = 1 + (int)length(random);
        for (int k = 0; k < l; k++) a.val.push_back(1.0f);
        a.ptr.push_back((int)a.val.size());
      }}
      return a;
    }}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      Csr a = made(n);
      std::vector<int> first = a.ptr;
      {LAUNCH}
      rows<<<(n + 127) / 128, 128>>>(d, v, out, n);
    }}"""
    trace = host(text, argv=["50000"]).only().trace
    (totals,) = trace.loops.values()
    assert totals.mean_trips == pytest.approx(1 + mean, rel=0.1)
    assert "trip-count" not in {item.kind for item in trace.assumptions}


def test_a_vector_that_is_assigned_holds_what_the_other_one_does(host):
    """The first row begins at a number of its own, the others at numbers that one rule describes."""
    text = f"""{KERNELS}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::vector<int> ends(1, 0), first(n + 1);
      for (int i = 0; i < n; i++) ends.push_back((i + 1) * 9 - (i % 50 == 0));
      first = ends;
      {LAUNCH}
      rows<<<(n + 127) / 128, 128>>>(d, v, out, n);
    }}"""
    trace = host(text, argv=["50000"]).only().trace
    (totals,) = trace.loops.values()
    assert totals.mean_trips == pytest.approx(9, rel=0.01)
    assert "trip-count" not in {item.kind for item in trace.assumptions}


def test_rows_that_are_nearly_even_lie_on_a_line():
    sums = np.cumsum([5, 5, 6, 5, 4] * 8)
    assert uneven_steps(list(enumerate(sums.tolist())), 5.0) is None
    assert drawn_steps([(at, (8.0 * at, 9.0 * at)) for at in range(4)]) is None


def test_rows_unlike_later_ones_tell_nothing():
    sums = np.cumsum([1, 9] * 8)
    assert uneven_steps(list(enumerate(sums.tolist())), 5.0) is not None
    assert uneven_steps(list(enumerate(sums.tolist())), 8.0) is None


def test_the_first_rows_are_what_they_are():
    sums = np.cumsum([0, 12, 1, 9, 2, 7, 3, 3, 11, 6, 1, 2, 5, 8]).tolist()
    found = uneven_steps(list(enumerate(sums)), 5.4)
    assert found is not None
    table = found.sums(0, 5.4, 1_000)
    assert table is not None
    assert table[: len(sums)].tolist() == sums


def test_addends_of_a_range_are_drawn_from_it():
    found = drawn_steps([(at, (1.0 * at, 39.0 * at)) for at in range(4)])
    assert found is not None
    assert (found.steps.min(), found.steps.max()) == (1, 39)
    assert found.steps.mean() == pytest.approx(20, abs=0.1)


@given(
    st.lists(st.integers(0, 50), min_size=12, max_size=40).filter(any),
    st.integers(100, 3_000),
    st.integers(-5, 5),
)
def test_sums_rise_to_where_the_mean_leads(steps, count, first):
    mean = sum(steps) / len(steps)
    found = Uneven(np.sort(np.array(steps)), np.array(steps[:5])).sums(first, mean, count)
    assert found is not None
    assert found[0] == first
    assert found[-1] == pytest.approx(first + mean * (count - 1), abs=0.51)
    assert np.all(np.diff(found) >= 0)
