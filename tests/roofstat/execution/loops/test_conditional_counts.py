"""Host loops that count or append under conditions: as many elements as a run of the whole loop has."""

import pytest

KERNEL = "__global__ void k(int *d) { d[blockIdx.x * blockDim.x + threadIdx.x] = 1; }"
INTS = "std::vector<int> v;"
LAUNCH = "int *d; cudaMalloc(&d, 4096); k<<<{count}, 32>>>(d);"
SPHERE = """
  for (int x = -r; x <= r; x++) for (int y = -r; y <= r; y++) for (int z = -r; z <= r; z++) {
    int q = x * x + y * y + z * z;
    if (q == 0 || q > r * r) continue;
    v.push_back(q);
  }
"""


def grid(host, body, count="v.size()", *, argv=("100",)):
    text = f"""#include <vector>
    {KERNEL}
    int main(int argc, char **argv) {{ int n = atoi(argv[1]); {body} {LAUNCH.format(count=count)} }}"""
    return host(text, argv=list(argv)).only().grid[0]


def points(radius):
    span = range(-radius, radius + 1)
    inside = sum(x * x + y * y + z * z <= radius**2 for x in span for y in span for z in span)
    return inside - 1


@pytest.mark.parametrize(("radius", "error"), [(4, 0.01), (6, 0.01), (12, 0.45)])
def test_points_of_a_sphere(host, radius, error):
    # Small nests are run whole; of larger ones some iterations stand for the others.
    found = grid(host, f"int r = n; {INTS} {SPHERE}", argv=[str(radius)])
    assert found == pytest.approx(points(radius), rel=error)


@pytest.mark.parametrize("argument", [1000, 50_000])
@pytest.mark.parametrize(
    ("condition", "share"),
    [
        ("i % 7 == 3", 1 / 7),
        ("i % 100 < 30", 0.3),
        ("i > n / 2", 0.5),
        ("(i * 7919) % 64 < 16", 0.25),
    ],
)
def test_remainders_and_stretches(host, condition, share, argument):
    loop = f"for (int i = 0; i < n; i++) if ({condition}) v.push_back(i);"
    assert grid(host, INTS + loop, argv=[str(argument)]) == pytest.approx(share * argument, rel=0.1)


def test_what_stands_behind_a_continue(host):
    loop = "int c = 0; for (int i = 0; i < n; i++) { if (i < 1000) continue; c++; }"
    assert grid(host, loop, "c", argv=["10000"]) == pytest.approx(9000, rel=0.02)


def test_neighbours_along_chains(host):
    # Of each chain of 64 beads 63 have one before them, 62 two and 61 three.
    loop = """std::vector<int> a, b, c;
    for (int chain = 0; chain < n; chain++)
      for (int k = 0; k < 64; k++) {
        if (k > 0) a.push_back(k);
        if (k > 1) b.push_back(k);
        if (k > 2) c.push_back(k);
      }"""
    for name, each in (("a", 63), ("b", 62), ("c", 61)):
        assert grid(host, loop, f"{name}.size()", argv=["500"]) == pytest.approx(
            each * 500, rel=0.001
        )


def test_decisions_by_a_generator_of_the_program(host):
    loop = """unsigned s = 1; int c = 0;
    for (int i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; if ((s >> 24) < 64) c++; }"""
    assert grid(host, loop, "c", argv=["20000"]) == pytest.approx(5000, rel=0.3)


def test_values_that_follow_no_line(host):
    loop = """std::vector<int> row(n);
    for (int i = 0; i < n; i++) row[i] = (i * 7919) % 13;
    for (int i = 0; i < n; i++) if (row[i] < 4) v.push_back(i);"""
    assert grid(host, INTS + loop, argv=["20000"]) == pytest.approx(20000 * 4 / 13, rel=0.15)


def test_lengths_of_rows_are_added_in_another_width(host):
    loop = """std::vector<std::vector<int>> rows(n);
    for (int i = 0; i < n; i++)
      for (int j = i - 2; j <= i + 2; j++) if (j >= 0 && j < n) rows[i].push_back(j);
    int entries = 0;
    for (int i = 0; i < n; i++) entries += rows[i].size();"""
    assert grid(host, loop, "entries", argv=["128"]) == pytest.approx(634, rel=0.02)


def test_records_keep_their_members_apart(host):
    text = f"""#include <vector>
    {KERNEL}
    struct Angle {{ int i, j, k, type; }};
    __global__ void angles(const Angle *a, const float *x, float *y) {{
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      y[t] = x[a[t].i] + x[a[t].k];
    }}
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      std::vector<Angle> v;
      for (int c = 0; c < n; c++)
        for (int k = 0; k < 66; k++) if (k > 1) v.push_back({{c * 66 + k - 2, c * 66 + k - 1, c * 66 + k, k & 3}});
      Angle *d; float *x, *y;
      cudaMalloc(&d, v.size() * sizeof(Angle)); cudaMalloc(&x, n * 66 * 4); cudaMalloc(&y, v.size() * 4);
      cudaMemcpy(d, v.data(), v.size() * sizeof(Angle), cudaMemcpyHostToDevice);
      angles<<<v.size() / 64, 64>>>(d, x, y);
    }}"""
    launch = host(text, argv=["1000"]).only()
    assert launch.grid[0] == 1000
    # Neighbouring threads read neighbouring places, as 64 threads on do those of the next chain.
    names = launch.trace.buffers
    gathers = [e for e in launch.trace.events if names[e.buffer].name == "x" and not e.is_guess]
    steps = [int(step) for e in gathers for step in (e.address[1:31] - e.address[:30])]
    assert steps
    assert set(steps) == {4}


def test_offsets_of_rows_whose_lengths_repeat_rise(host):
    # Rows of 3 to 10 elements, 6.5 in the mean: each of 64 threads adds up its own row.
    text = """#include <vector>
    __global__ void rows(const int *first, const float *x, float *y) {
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      float s = 0; for (int k = first[t]; k < first[t + 1]; k++) s += x[k];
      y[t] = s;
    }
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      std::vector<int> first(n + 1, 0), all;
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3 + i * 13 % 8; k++) all.push_back((i * (k + 1) + 97 * k) % n);
        first[i + 1] = all.size();
      }
      int *d; float *x, *y; cudaMalloc(&d, 4 * n + 4); cudaMalloc(&x, 4 * all.size()); cudaMalloc(&y, 4 * n);
      cudaMemcpy(d, first.data(), 4 * n + 4, cudaMemcpyHostToDevice);
      rows<<<n / 64, 64>>>(d, x, y);
    }"""
    launch = host(text, argv=["200000"]).only()
    (loop,) = launch.trace.loops.values()
    assert loop.iterations / loop.entries == pytest.approx(6.5, rel=0.1)


@pytest.mark.parametrize("count", [500, 12_000, 120_000])
@pytest.mark.parametrize(
    "loop",
    [
        "for (int &x : a) if (x == 0) x = m++;",
        "for (int i = 0; i < n; i++) { if (a[i] == 0) m++; a[i] = m; }",
        "for (int i = 0; i < n; i++) if (a[i] == 0) { a[i] = 5; m++; }",
    ],
)
def test_what_a_loop_writes_behind_it_is_not_what_it_reads(host, loop, count):
    # Run in hundreds of stretches, it leaves one line of numbers, so that the zeros ahead are still known.
    body = f"std::vector<int> a(n, 0); int m = 0; {loop}"
    assert grid(host, body, "m", argv=[str(count)]) == count


@pytest.mark.parametrize(
    ("loop", "count"),
    [
        ("int m = 0; for (int x : a) if (x == 0) m++;", "m"),
        ("struct { int m = 0; } s; for (int &x : a) if (x == 0) x = s.m++;", "s.m"),
        ("std::vector<int> b; for (int x : a) if (x == 3) b.push_back(x);", "b.size()"),
    ],
)
def test_of_elements_that_nobody_knows_some_are_counted(host, loop, count):
    # None of them would make an empty grid, which no program means; all of them are taken, as with other comparisons.
    read = 'std::vector<int> a(n); FILE *in = fopen("a.bin", "rb"); fread(a.data(), 4, n, in);'
    assert grid(host, f"{read} {loop}", count, argv=["5000"]) == 5000
