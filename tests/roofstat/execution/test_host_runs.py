"""main() with given arguments: launches, their sizes and counts, buffers, and what is known of their contents."""

from __future__ import annotations

from pathlib import Path

import pytest

HEAD = """
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""
SCALE = "__global__ void scale(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2.0f; }\n"
FIND = """
__global__ void find(const int *key, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && key[i] CONDITION) out[i] = 1.0f;
}
"""


def stores(launch):
    """Thread-level stores through `out`."""
    return sum(
        launch.trace.sites[item.site].threads
        for _, item in launch.trace.code.instructions()
        if item.site in launch.trace.sites
        and getattr(item.detail, "array", "") == "out"
        and item.op.value == "store"
    )


def filled(host, fill, condition, *, n=1 << 14, copied="n * sizeof(int)", more=""):
    """Stores of a kernel that looks at an array which the host has filled and copied."""
    text = f"""{HEAD}{FIND.replace("CONDITION", condition)}
    int main() {{
      int n = {n};
      int *h = (int *)malloc(n * sizeof(int));
      {fill}
      int *d; float *out;
      cudaMalloc(&d, n * sizeof(int));
      cudaMalloc(&out, n * sizeof(float));
      cudaMemcpy(d, h, {copied}, cudaMemcpyHostToDevice);
      {more}
      find<<<(n + 255) / 256, 256>>>(d, out, n);
      return 0;
    }}"""
    launch = host(text).only()
    return stores(launch), {item.kind for item in launch.trace.assumptions}


# Sizes


@pytest.mark.parametrize(("argv", "n"), [(["1000"], 1000), (["65536"], 65536), ([], 512)])
def test_arguments_decide_grid_and_buffers(host, argv, n):
    ran = host(
        HEAD + SCALE + "int main(int argc, char **argv) {"
        " int n = argc > 1 ? atoi(argv[1]) : 512; float *d; cudaMalloc((void **)&d, n * sizeof(float));"
        " scale<<<(n + 255) / 256, 256>>>(d, n); }",
        argv=argv,
    )
    assert ran.shapes == [("scale", (-(-n // 256), 1, 1), (256, 1, 1), 1)]
    assert ran.buffer_bytes("d") == 4 * n
    assert ran.only().source == "host-code"


@pytest.mark.parametrize(("argv", "n"), [(["--n=1000"], 1000), (["--m=7"], 512)])
def test_elements_of_a_vector_of_strings_begin_empty(host, argv, n):
    """A look-up by name that passes over elements nobody has written finds what was appended, or nothing."""
    ran = host(
        HEAD
        + "#include <string>\n#include <vector>\n"
        + SCALE
        + """
        int main(int argc, char **argv) {
          std::vector<std::string> keys(3), values(3);
          for (int i = 1; i < argc; i++) {
            std::string arg = argv[i];
            std::string::size_type pos = arg.find('=');
            keys.push_back(std::string(arg, 2, pos - 2));
            values.push_back(std::string(arg, pos + 1, arg.length()));
          }
          int n = 512;
          for (int i = 0; i < int(keys.size()); i++)
            if (keys[i] == std::string("n")) n = atoi(values[i].c_str());
          float *d; cudaMalloc((void **)&d, n * sizeof(float));
          scale<<<(n + 255) / 256, 256>>>(d, n);
        }""",
        argv=argv,
    )
    launch = ran.only()
    assert launch.trace.grid == (-(-n // 256), 1, 1)
    assert not launch.trace.assumptions


@pytest.mark.parametrize(
    ("parse", "argument", "n"),
    [
        ("atoi(argv[1])", "300", 300),
        ("strtol(argv[1], NULL, 10)", "300", 300),
        ("strtoul(argv[1], 0, 0)", "0x40", 64),
        ("atol(argv[1])", " 77", 77),
        ("(int)atof(argv[1])", "2.5e2", 250),
        ("std::stoi(argv[1])", "123", 123),
        ("1 << atoi(argv[1])", "9", 512),
        ("strlen(argv[1])", "abcd", 4),
        ("(argv[1][0] - '0') * 32", "7", 224),
        ('(strcmp(argv[1], "big") == 0 ? 1000 : 10)', "big", 1000),
        ('(strcmp(argv[1], "big") == 0 ? 1000 : 10)', "small", 10),
    ],
)
def test_numbers_from_words(host, parse, argument, n):
    text = f"""#include <string>
    {HEAD}{SCALE}
    int main(int argc, char **argv) {{ int n = {parse}; scale<<<n, 64>>>(nullptr, n); }}"""
    assert host(text, argv=[argument]).only().grid == (n, 1, 1)


def test_sscanf_reads_numbers(host):
    text = f"""{HEAD}{SCALE}
    int main(int argc, char **argv) {{
      int a = 0; float b = 0; int got = sscanf(argv[1], "%d,%f", &a, &b);
      scale<<<a + (int)b, got * 32>>>(nullptr, a);
    }}"""
    assert host(text, argv=["12,3.5"]).shapes == [("scale", (15, 1, 1), (64, 1, 1), 1)]


def test_getopt_gives_options_and_the_rest(host):
    text = f"""#include <unistd.h>
    {HEAD}{SCALE}
    int main(int argc, char **argv) {{
      int n = 1, threads = 32, verbose = 0, c;
      while ((c = getopt(argc, argv, "n:t:v")) != -1) {{
        switch (c) {{
          case 'n': n = atoi(optarg); break;
          case 't': threads = atoi(optarg); break;
          case 'v': verbose = 1; break;
          default: exit(1);
        }}
      }}
      int extra = atoi(argv[optind]);
      if (verbose) scale<<<n + extra, threads>>>(nullptr, n);
    }}"""
    ran = host(text, argv=["-n", "20", "-v", "-t64", "3"])
    assert ran.shapes == [("scale", (23, 1, 1), (64, 1, 1), 1)]


def test_exit_after_a_launch_ends_the_run(host):
    text = f"""{HEAD}{SCALE}
    int main(int argc, char **argv) {{
      scale<<<1, 32>>>(nullptr, 1);
      if (argc != 2) {{ printf("usage: %s n\\n", argv[0]); exit(1); }}
      scale<<<2, 32>>>(nullptr, 1);
    }}"""
    assert len(host(text).launches) == 1
    assert len(host(text, argv=["5"]).launches) == 2


def test_exit_before_any_launch_is_passed_over_and_said(host):
    # Without its arguments a program would only print its usage: that helps nobody.
    text = f"""{HEAD}{SCALE}
    int main(int argc, char **argv) {{ if (argc != 2) exit(1); scale<<<1, 32>>>(nullptr, 1); }}"""
    assert len(host(text).launches) == 1
    assert "exit" in host(text).kinds
    assert "exit" not in host(text, argv=["5"]).kinds


def test_a_return_before_any_launch_is_passed_over_and_said(host):
    text = f"""{HEAD}{SCALE}
    int main(int argc, char **argv) {{
      if (argc != 2) {{ printf("usage"); return 1; }}
      if (atoi(argv[1]) > 9) return 0; else printf("small");
      scale<<<7, 32>>>(nullptr, 1);
      if (argc != 3) return 0;
      scale<<<8, 32>>>(nullptr, 1);
    }}"""
    without = host(text)
    assert without.shapes == [("scale", (7, 1, 1), (32, 1, 1), 1)]
    assert "exit" in without.kinds
    given = host(text, argv=["5"])
    assert given.shapes == without.shapes
    assert "exit" not in given.kinds


@pytest.mark.parametrize(
    ("argv", "is_refused"), [(["-n", "4"], False), (["-z"], True), (["-n"], True)]
)
def test_getopt_tells_what_it_does_not_know(host, argv, is_refused):
    text = f"""#include <unistd.h>
    {HEAD}{SCALE}
    int main(int argc, char **argv) {{
      int c;
      while ((c = getopt(argc, argv, "n:")) != -1) {{ if (c != 'n') return 2; }}
      scale<<<1, 32>>>(nullptr, 5);
    }}"""
    assert ("exit" in host(text, argv=argv).kinds) is is_refused


def test_dim3_arithmetic(host):
    text = f"""{HEAD}{SCALE}
    int main() {{
      int w = 1000, h = 500;
      dim3 block(32, 8), grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
      dim3 other; other.x = grid.x * 2; other.z = 3;
      scale<<<grid, block>>>(nullptr, w);
      scale<<<other, dim3(64)>>>(nullptr, w);
      scale<<<dim3(4, 5, 6), 7>>>(nullptr, w);
    }}"""
    assert host(text).shapes == [
        ("scale", (32, 63, 1), (32, 8, 1), 1),
        ("scale", (64, 1, 3), (64, 1, 1), 1),
        ("scale", (4, 5, 6), (7, 1, 1), 1),
    ]


def test_dynamic_shared_bytes(host):
    text = f"{HEAD}{SCALE} int main() {{ int t = 128; scale<<<2, t, t * sizeof(float)>>>(nullptr, 1); }}"
    assert host(text).only().shared_bytes == 512


@pytest.mark.parametrize("m", [12, 24, 47, 60])
def test_rows_of_records_that_calls_append_are_all_counted(host, m):
    """Loops within loops, cheap enough to run whole one by one, in calls that together are not."""
    fields = ", ".join(f"x{number}" for number in range(24))
    sums = " ".join(
        f"p.x{number} = a * {number} + b / (i + {number + 1}.0f);" for number in range(24)
    )
    text = f"""
    #include <vector>
    struct P {{ float {fields}; }};
    __global__ void touch(int n) {{ }}
    static void wall(std::vector<P> &found, float a, float b, int m) {{
      for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {{ P p; {sums} found.push_back(p); }}
    }}
    static std::vector<P> box(int m) {{
      std::vector<P> p;
      wall(p, 0, 1, m); wall(p, 1, 0, m); wall(p, 0, 2, m); wall(p, 1, 3, m); wall(p, 4, 1, m); wall(p, 0, 5, m);
      return p;
    }}
    int main() {{ std::vector<P> p = box({m}); touch<<<(int)p.size(), 32>>>(1); }}"""
    assert host(text).only().grid[0] == 6 * m * m


def test_vectors_have_sizes(host):
    text = f"""#include <vector>
    {HEAD}{SCALE}
    int main() {{
      std::vector<float> a(1000), b; std::vector<double> c(10, 1.0);
      for (int i = 0; i < 70; i++) b.push_back(i);
      float *d; cudaMalloc(&d, a.size() * sizeof(float));
      scale<<<b.size(), c.size() * 8>>>(d, a.size());
    }}"""
    ran = host(text)
    assert ran.shapes == [("scale", (70, 1, 1), (80, 1, 1), 1)]
    assert ran.buffer_bytes("d") == 4000


def test_device_properties_are_those_of_the_card(host):
    text = f"""{HEAD}{SCALE}
    int main() {{
      cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
      scale<<<p.multiProcessorCount, p.maxThreadsPerBlock>>>(nullptr, p.warpSize);
    }}"""
    assert host(text).shapes == [("scale", (108, 1, 1), (1024, 1, 1), 1)]  # A100


# Launches


@pytest.mark.parametrize("count", [1, 2, 5, 100, 10_000])
def test_launches_in_a_loop_are_counted(host, count):
    text = f"{HEAD}{SCALE} int main() {{ for (int i = 0; i < {count}; i++) scale<<<4, 32>>>(nullptr, 1); }}"
    assert host(text).shapes == [("scale", (4, 1, 1), (32, 1, 1), pytest.approx(count))]


def test_launches_in_nested_and_shrinking_loops(host):
    text = f"""{HEAD}{SCALE}
    int main() {{
      for (int t = 0; t < 20; t++) for (int s = 0; s < 30; s++) scale<<<4, 32>>>(nullptr, 1);
      for (int n = 256; n > 0; n /= 4) scale<<<n, 64>>>(nullptr, n);
    }}"""
    shapes = host(text).shapes
    assert shapes[0][3] == pytest.approx(600)
    assert [shape[1][0] for shape in shapes[1:]] == [256, 64, 16, 4, 1]


def test_launches_from_functions_templates_and_other_units(host):
    first = f"""{HEAD}{SCALE}
    template <typename T> __global__ void fill(T *a, T v) {{ a[threadIdx.x] = v; }}
    template <typename T> void start(int blocks) {{ fill<T><<<blocks, 32>>>((T *)0, T(1)); }}
    void remote(int blocks);
    static void twice(int blocks) {{ scale<<<blocks, 32>>>(nullptr, 1); scale<<<2 * blocks, 32>>>(nullptr, 1); }}
    int main() {{ twice(3); start<double>(5); start<int>(6); remote(9); }}
    """
    second = f"{HEAD}__global__ void far(float *a) {{ a[0] = 1; }} void remote(int blocks) {{ far<<<blocks, 32>>>(nullptr); }}"
    names = [(name, grid[0]) for name, grid, _, _ in host(first, second).shapes]
    assert names == [("scale", 3), ("scale", 6), ("fill", 5), ("fill", 6), ("far", 9)]


def test_function_pointers_and_cuda_launch_kernel(host):
    text = f"""{HEAD}{SCALE}
    __global__ void other(float *a, int n) {{ a[0] = n; }}
    int main() {{
      void (*kernels[2])(float *, int) = {{scale, other}};
      float *d; cudaMalloc(&d, 400); int n = 100;
      kernels[1]<<<3, 32>>>(d, n);
      void *arguments[] = {{&d, &n}};
      cudaLaunchKernel((void *)scale, dim3(7), dim3(64), arguments, 0, 0);
    }}"""
    ran = host(text)
    assert ran.shapes == [("other", (3, 1, 1), (32, 1, 1), 1), ("scale", (7, 1, 1), (64, 1, 1), 1)]
    launch = ran.launches[1]
    assert [item.size_bytes for item in launch.trace.buffers.values()] == [400]
    assert launch.trace.sites[next(iter(launch.trace.sites))].threads == 100  # n reached the guard


def test_kernel_arguments_by_value_and_in_records(host):
    text = f"""{HEAD}
    struct P {{ float *out; int n; }};
    __global__ void k(P p, short m) {{ int i = threadIdx.x; if (i < p.n + m) p.out[i] = 1.0f; }}
    int main() {{ P p; cudaMalloc(&p.out, 4096); p.n = 20; k<<<1, 64>>>(p, (short)5); }}"""
    trace = host(text).only().trace
    assert [totals.threads for totals in trace.sites.values()] == [25]


def test_recursion_and_static_counters_in_host_code(host):
    text = f"""{HEAD}{SCALE}
    static int calls = 0;
    int power(int b, int e) {{ calls++; return e == 0 ? 1 : b * power(b, e - 1); }}
    int main() {{ int n = power(2, 6); scale<<<n, 32 * calls>>>(nullptr, n); }}"""
    assert host(text).only().grid == (64, 1, 1)
    assert host(text).only().block == (224, 1, 1)


def test_what_a_long_recursion_stores_over_a_constant_is_unknown(host):
    """A million nodes are not visited one by one: the tree is not all zeros, as its vector was made."""
    text = f"""{HEAD}
    #include <vector>
    __global__ void search(const unsigned *tree, unsigned *out, unsigned n) {{
      unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 1;
      while (k <= n) k = 2 * k + (tree[k] < 5 * i);
      out[i] = k;
    }}
    void build(const std::vector<unsigned> &a, std::vector<unsigned> &tree, size_t &at, size_t k) {{
      if (k > a.size()) return;
      build(a, tree, at, 2 * k);
      tree[k] = a[at++];
      build(a, tree, at, 2 * k + 1);
    }}
    int main() {{
      unsigned n = 1000000, *d, *out;
      std::vector<unsigned> a(n), tree(n + 1, 0);
      for (unsigned i = 0; i < n; i++) a[i] = 3 * i;
      size_t at = 0;
      build(a, tree, at, 1);
      cudaMalloc(&d, 4 * (n + 1)); cudaMalloc(&out, 1 << 18);
      cudaMemcpy(d, tree.data(), 4 * (n + 1), cudaMemcpyHostToDevice);
      search<<<256, 256>>>(d, out, n);
    }}"""
    trace = host(text).only().trace
    assert any("unknown data" in item.text for item in trace.assumptions)


def test_a_recursion_without_an_end_is_cut_off_where_it_calls_itself(host):
    """What its deepest call calls is still run: the grid is known everywhere, and one remark names the recursion."""
    ran = host(f"""{HEAD}{SCALE}
    int twice(int n) {{ return 2 * n; }}
    int again(int n) {{ scale<<<dim3(twice(n)), 64>>>(nullptr, 1); return n < 0 ? 0 : again(n + 1); }}
    int main() {{ again(1); }}""")
    assert all(launch.is_exact for launch in ran.launches)
    assert (
        sum(launch.count for launch in ran.launches) == 47
    )  # in 48 calls, of which one is that of main()
    assert [note.text for note in ran.run.notes] == ["again: recursion deeper than 48 is cut off"]


def test_a_lambda_changes_the_static_variables_around_it(host):
    launch = host(f"""{HEAD}{SCALE}
    int main() {{
      static int n = 10, calls;
      auto grow = [&] {{ n *= 2; calls++; }};
      grow(); grow();
      scale<<<n, 32 * calls>>>(nullptr, n);
    }}""").only()
    assert (launch.grid[0], launch.block[0]) == (40, 64)


def test_static_variables_of_a_function_keep_what_its_first_call_gives_them(host):
    text = f"""{HEAD}{SCALE}
    struct Size {{ int blocks, threads; }};
    void run(float *a, int n) {{
      static const int half = n / 2;
      static int calls = half / 10;
      static Size size = {{n, half}};
      scale<<<size.blocks, size.threads>>>(a, half);
      scale<<<++calls, 32>>>(a, half);
    }}
    int main() {{ run(nullptr, 128); run(nullptr, 96); }}"""
    # half = 64 and calls = 6 from the first call on; the second call counts on.
    launches = [(grid[0], block[0], count) for _, grid, block, count in host(text).shapes]
    assert launches == [(128, 64, 2), (7, 32, 1), (8, 32, 1)]


# Contents


@pytest.mark.parametrize(
    ("fill", "condition", "share"),
    [
        ("for (int i = 0; i < n; i++) h[i] = 3;", "== 3", 1),
        ("for (int i = 0; i < n; i++) h[i] = 3;", "> 3", 0),
        ("for (int i = 0; i < n; i++) h[i] = 2 * i;", "< n", 0.5),
        ("for (int i = n - 1; i >= 0; i--) h[i] = n - i;", "<= n / 2", 0.5),
        ("for (int i = 0; i < n; i++) h[i] = rand() % 100;", ">= 0", 1),
        ("for (int i = 0; i < n; i++) h[i] = rand() % 100;", "< 100", 1),
        ("for (int i = 0; i < n; i++) h[i] = rand() % 100 + 5;", "< 5", 0),
        ("int *p = h; while (p < h + n) *p++ = 7;", "== 7", 1),
        ("memset(h, 0, n * sizeof(int));", "== 0", 1),
        (
            "for (int r = 0; r < 128; r++) for (int c = 0; c < 128; c++) h[r * 128 + c] = r;",
            "< 32",
            0.25,
        ),
        (
            "for (int r = 0; r < 512; r++) for (int c = 0; c < 32; c++) h[r * 32 + c] = c;",
            "< 8",
            0.25,
        ),
    ],
)
def test_what_the_host_wrote_decides_branches(host, fill, condition, share):
    found, kinds = filled(host, fill, condition)
    assert found == pytest.approx(share * (1 << 14), rel=0.07)  # 64 blocks are sampled by a tenth
    assert "branch" not in kinds


def test_random_contents_take_a_branch_as_often_as_their_range_says(host):
    found, _ = filled(host, "for (int i = 0; i < n; i++) h[i] = rand() % 100;", "< 25")
    assert found / (1 << 14) == pytest.approx(0.25, abs=0.3)


def test_cudamemset_is_known(host):
    found, _ = filled(host, "", "== 0", more="cudaMemset(d, 0, n * sizeof(int));")
    assert found == pytest.approx(1 << 14)


def test_bytes_of_cudamemset_are_put_together(host):
    found, kinds = filled(host, "", "== 0x03030303", more="cudaMemset(d, 3, n * sizeof(int));")
    assert found == pytest.approx(1 << 14)
    assert "branch" not in kinds


def test_what_nobody_wrote_is_an_assumption(host):
    found, kinds = filled(host, 'FILE *f = fopen("data.bin", "rb"); fread(h, 4, n, f);', "== 1")
    assert "branch" in kinds
    assert 0 < found < 1 << 14


def test_what_a_kernel_wrote_is_no_longer_what_the_host_left(host):
    text = f"""{HEAD}{FIND.replace("CONDITION", "== 0")}
    __global__ void change(int *key) {{ key[threadIdx.x] = clock(); }}
    int main() {{
      int *d; float *out; cudaMalloc(&d, 1024); cudaMalloc(&out, 1024); cudaMemset(d, 0, 1024);
      find<<<1, 256>>>(d, out, 256);
      change<<<1, 256>>>(d);
      find<<<2, 128>>>(d, out, 256);
    }}"""
    before, _, after = host(text).launches
    assert stores(before) == 256
    assert "branch" in {item.kind for item in after.trace.assumptions}


def test_constant_memory_from_the_host(host):
    text = f"""{HEAD}
    __constant__ int limit[2];
    __global__ void k(float *out) {{ if (threadIdx.x < limit[1]) out[threadIdx.x] = 1.0f; }}
    int main() {{
      int h[2] = {{4, 9}}; float *out; cudaMalloc(&out, 128);
      cudaMemcpyToSymbol(limit, h, sizeof h);
      k<<<1, 32>>>(out);
    }}"""
    assert stores(host(text).only()) == 9


def test_an_unknown_size_is_said_and_the_launch_still_traced(host):
    text = f"""{HEAD}{SCALE}
    int main() {{
      int n; FILE *f = fopen("n.txt", "r"); fscanf(f, "%d", &n);
      float *d; cudaMalloc(&d, n * sizeof(float));
      scale<<<(n + 127) / 128, 128>>>(d, n);
    }}"""
    ran = host(text)
    assert {"input-file", "buffer-size"} <= ran.kinds
    launch = ran.only()
    assert launch.source == "assumed"
    assert {kind for kind, _ in launch.notes} >= {"launch"}
    assert sum(launch.trace.block_threads.values()) > 0


def test_a_file_of_thousands_of_lines_is_read_to_its_end(host, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = 5000
    Path("pairs.csv").write_text("".join(f"{number},1\n" for number in range(lines)))
    ran = host(f"""{HEAD}{SCALE}
    int main() {{
      int count = 0, a, b; FILE *f = fopen("pairs.csv", "r");
      while (fscanf(f, "%d,%d", &a, &b) == 2) count++;
      float *d; cudaMalloc(&d, count * sizeof(float));
      scale<<<count, 128>>>(d, count);
    }}""")
    assert ran.only().grid == (lines, 1, 1)


def test_what_an_unfinished_loop_has_counted_decides_nothing(host, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = 20_000  # a function that launches nothing is not given the instructions to read so many
    Path("pairs.csv").write_text("".join(f"{number},1\n" for number in range(lines)))
    ran = host(f"""{HEAD}{SCALE}
    void check(int lines) {{
      int count = 0, side = 0, a, b; int buffers[2] = {{0, 0}}; FILE *f = fopen("pairs.csv", "r");
      while (fscanf(f, "%d,%d", &a, &b) == 2) {{ buffers[side]++; side = 1 - side; count++; }}
      if (count < lines || side > 1) exit(1);
    }}
    int main() {{
      check({lines});
      float *d; cudaMalloc(&d, 1024 * sizeof(float));
      scale<<<8, 128>>>(d, 1024);
    }}""")
    assert "exit" not in ran.kinds
    assert ran.only().grid == (8, 1, 1)


def test_a_main_that_never_ends_is_left(host):
    text = f"{HEAD}{SCALE} int main() {{ for (;;) scale<<<1, 32>>>(nullptr, 1); }}"
    ran = host(text)
    assert len(ran.launches) == 1


def test_kernels_in_tables_of_records(host):
    text = f"""{HEAD}{SCALE}
    __global__ void other(float *a, int n) {{ a[0] = n; }}
    struct Entry {{ const char *name; void (*kernel)(float *, int); }};
    static Entry shared[] = {{{{"a", scale}}, {{"b", other}}}};
    int main(int argc, char **argv) {{
      Entry own[] = {{{{"a", scale}}, {{"b", &other}}}};
      void (*one[])(float *, int) = {{argc > 1 ? other : scale}};
      for (int i = 0; i < 2; i++) shared[i].kernel<<<2 + i, 32>>>(nullptr, 1);
      own[1].kernel<<<4, 32>>>(nullptr, 1);
      one[0]<<<5, 32>>>(nullptr, 1);
    }}"""
    names = [(name, grid[0]) for name, grid, _, _ in host(text).shapes]
    assert names == [("scale", 2), ("other", 3), ("other", 4), ("scale", 5)]


@pytest.mark.parametrize(("argv", "kernel"), [(["0"], "scale"), (["1"], "other")])
@pytest.mark.parametrize(
    "pick",
    [
        # the parameters of the function type that is returned are not those of `pick`
        "void (*pick(int w))(float *, int) { return w ? other : scale; }",
        "auto pick(int w) -> void (*)(float *, int) { return w ? other : scale; }",
    ],
)
def test_a_function_that_returns_a_kernel(host, pick, argv, kernel):
    text = f"""{HEAD}{SCALE}
    __global__ void other(float *a, int n) {{ a[0] = n; }}
    {pick}
    int main(int argc, char **argv) {{ auto k = pick(atoi(argv[1])); k<<<3, 32>>>(nullptr, 96); }}"""
    assert [(name, grid[0]) for name, grid, _, _ in host(text, argv=argv).shapes] == [(kernel, 3)]


def test_overrides_of_classes_with_inherited_constructors(host):
    text = f"""{HEAD}{SCALE}
    __global__ void twice(float *a, int n) {{ a[0] = n; }}
    struct Solver {{
      int n, b = 32;
      Solver(int n_, int pad = 0) : n(n_ + pad) {{}}
      virtual void step() {{ scale<<<n / b, b>>>(nullptr, n); }}
    }};
    struct Wide : Solver {{
      int factor = 2;
      using Solver::Solver;
      void step() override {{ twice<<<factor * n / b, b>>>(nullptr, n); }}
    }};
    struct Wider : Wide {{ using Wide::Wide; }};
    int main() {{
      Solver *p = new Wide(320);
      p->step();
      Wide own(640, 320);
      own.step();
      Wider deep(1280);
      Solver &r = deep;
      r.step();
    }}"""
    # 2 * 320 / 32, 2 * (640 + 320) / 32, 2 * 1280 / 32 blocks; the base's own kernel never.
    assert [(name, grid[0]) for name, grid, _, _ in host(text).shapes] == [
        ("twice", 20),
        ("twice", 60),
        ("twice", 80),
    ]


def test_values_stored_at_unknown_places_are_spread_over_the_array(host):
    """A permutation that nobody reads puts 3 into a quarter of the elements and 1 into another; the rest stays 0."""
    text = f"""{HEAD}
    __global__ void repeat(const int *rep, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float v = 0.0f;
      for (int k = 0; k < rep[i]; k++) v = v * 2.0f + 1.0f;
      out[i] = v;
    }}
    void read_permutation(int *where, int n);
    int main() {{
      int n = 1 << 16;
      int *where = (int *)malloc(n * sizeof(int)), *rep = (int *)calloc(n, sizeof(int));
      read_permutation(where, n);
      for (int i = 0; i < n / 2; i++) rep[where[i]] = i < n / 4 ? 3 : 1;
      int *d; float *out;
      cudaMalloc(&d, n * sizeof(int)); cudaMalloc(&out, n * sizeof(float));
      cudaMemcpy(d, rep, n * sizeof(int), cudaMemcpyHostToDevice);
      repeat<<<n / 256, 256>>>(d, out, n);
    }}"""
    launch = host(text).only()
    (loop,) = launch.trace.loops.values()
    assert loop.mean_trips == pytest.approx(0.25 * 3 + 0.25 * 1, rel=0.25)


@pytest.mark.parametrize(
    ("fill", "condition", "share"),
    [
        ("rand() % 100", "< 25", 0.25),
        ("rand() % 100", "% 4 == 1", 0.25),
        ("rand() % 20 - 10", "< -5", 0.25),
        ("(rand() & 7) + 1", "== 3", 0.125),
        ("(int)(100 * (rand() / (float)RAND_MAX))", ">= 90", 0.1),
    ],
)
def test_random_integers_take_a_branch_as_often_as_they_meet_its_condition(
    host, fill, condition, share
):
    found, kinds = filled(host, f"for (int i = 0; i < n; i++) h[i] = {fill};", condition)
    assert found / (1 << 14) == pytest.approx(share, abs=0.06)
    assert "branch" not in kinds


@pytest.mark.parametrize(
    "choice",
    [
        "h[i] = rand() % 10 < 2 ? 5 : 0;",
        "h[i] = rand() % 10 >= 2 ? 0 : rand() % 3 + 5;",
        "if (rand() % 10 < 2) h[i] = 5; else h[i] = 0;",
        "h[i] = 0; if (drand48() < 0.2) h[i] = 5;",
    ],
)
def test_random_choices_of_the_host_are_as_frequent_as_their_condition(host, choice):
    found, kinds = filled(host, f"for (int i = 0; i < n; i++) {{ {choice} }}", ">= 5")
    assert found / (1 << 14) == pytest.approx(0.2, abs=0.1)
    assert "branch" not in kinds


def test_what_random_choices_count_grows_as_often_as_they_are_made(host):
    # A quarter of 100,000, and of each of 300 rows of 4,000: 25,000, 300,000.
    text = f"""{HEAD}{SCALE}
    int main() {{
      int a = 0, b = 0;
      for (int i = 0; i < 100000; i++) if (rand() % 4 == 0) a++;
      for (int i = 0; i < 300; i++) for (int j = 0; j < 4000; j++) {{ if (rand() % 4 != 1) continue; else b++; }}
      scale<<<a, 32>>>(nullptr, 1);
      scale<<<b, 64>>>(nullptr, 1);
    }}"""
    first, second = (grid[0] for _, grid, _, _ in host(text).shapes)
    assert first == pytest.approx(25_000, rel=0.05)
    assert second == pytest.approx(300_000, rel=0.2)


def floats(host, value, kernel, *, more=""):
    """The launch of `kernel` (its body) on `x`, filled with n values by the host."""
    text = f"""#include <random>
    {HEAD}
    __global__ void k(const float *x, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; {kernel}
    }}
    int main() {{
      int n = 1 << 16; float *h = (float *)malloc(n * sizeof(float)), *d, *out;
      {more}
      for (int i = 0; i < n; i++) h[i] = {value};
      cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));
      cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(d, out, n);
    }}"""
    return host(text).only()


@pytest.mark.parametrize(
    ("value", "kernel", "share"),
    [
        ("rand() / (float)RAND_MAX", "if (v < 0.3f) out[i] = v;", 0.3),
        ("2.0 * drand48() - 1.0", "if (v > 0.5f) out[i] = v;", 0.25),
        ("rand() / (float)RAND_MAX", "if (v * v < 0.25f) out[i] = v;", 0.5),
        ("rand() / (float)RAND_MAX + 1.5f", "if (v < 1.5f || v > 2.5f) out[i] = v;", 0),
        ("sqrtf(rand() % 100)", "if (v <= 10.0f) out[i] = v;", 1),
        ("u(rng)", "if (fabsf(v) < 1.0f) out[i] = v;", 0.5),
        ("g(rng)", "if (v > 5.0f) out[i] = v;", 0.5),
        ("rand() / (float)RAND_MAX", "if ((int)(v * 10) == 3) out[i] = v;", 0.1),
        ("rand() / (float)RAND_MAX", "int s = 0; while (v < 4.0f) { v += 1.0f; out[i] = v; }", 4),
    ],
)
def test_random_floats_decide_by_their_range(host, value, kernel, share):
    more = (
        "std::mt19937 rng(1); std::uniform_real_distribution<float> u(-2.0f, 2.0f);"
        "std::normal_distribution<float> g(5.0f, 2.0f);"
    )
    launch = floats(host, value, kernel, more=more)
    assert stores(launch) / (1 << 16) == pytest.approx(share, abs=0.06)
    assert not {item.kind for item in launch.trace.assumptions} & {"branch", "trip-count"}


def test_random_trip_counts_are_those_of_their_range(host):
    launch = floats(host, "rand() % 100", "for (int j = 0; j < (int)v; j++) out[i] += 1.0f;")
    assert stores(launch) / (1 << 16) == pytest.approx(49.5, rel=0.1)


def test_random_values_are_the_same_wherever_they_are_read(host):
    launch = floats(host, "rand() / (float)RAND_MAX", "if (v < 0.5f && x[i] >= 0.5f) out[i] = v;")
    assert stores(launch) == 0


@pytest.mark.parametrize(
    ("kernel", "share"),
    [
        ("float s = 0; for (int j = 0; j < 400; j++) s += x[(i + j) % n]; if (s > 150 && s < 250) out[i] = s;", 1),
        ("float s = 0; for (int j = 0; j < 400; j++) s += i < n / 4 ? v : 0; if (s > 100) out[i] = s;", 0.1875),
        ("int c = 0; for (int j = 0; j < 1000; j++) if (x[(i + j) % n] < 0.25f) c++; if (c > 150 && c < 350) out[i] = c;", 1),
        ("float s = 0; int j = 0; while (s < 100.0f) s += x[(i + j++) % n]; if (j > 150 && j < 250) out[i] = s;", 1),
    ],
)  # fmt: skip
def test_sums_go_on_while_iterations_are_skipped(host, kernel, share):
    launch = floats(host, "rand() / (float)RAND_MAX", kernel)
    assert stores(launch) / (1 << 16) == pytest.approx(share, abs=0.15)


@pytest.mark.parametrize(
    ("condition", "share"), [("v >= low && v <= high", 1), ("v < low", 0), ("v > high", 0)]
)
def test_the_extremes_of_random_contents_are_those_of_their_range(host, condition, share):
    text = f"""#include <algorithm>
    #include <random>
    {HEAD}
    __global__ void k(const float *x, float *out, float low, float high) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; if ({condition}) out[i] = v;
    }}
    int main() {{
      int n = 1 << 16; float *h = (float *)malloc(n * sizeof(float)), *d, *out;
      std::default_random_engine rng(123); std::normal_distribution<float> g(5.0f, 2.0f);
      for (int i = 0; i < n; i++) h[i] = g(rng);
      auto low = std::min_element(h, h + n); auto high = std::max_element(h, h + n);
      cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float));
      cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(d, out, *low, *high);
    }}"""
    assert stores(host(text).only()) / (1 << 16) == pytest.approx(share, abs=0.01)


def test_the_extremes_of_known_contents_are_found(host):
    text = f"""#include <algorithm>
    #include <vector>
    {HEAD}{SCALE}
    int main() {{
      std::vector<int> v = {{40, 7, 90, 13}};
      scale<<<*std::min_element(v.begin(), v.end()), *std::max_element(v.begin(), v.end())>>>(nullptr, 1);
    }}"""
    assert host(text).only().grid == (7, 1, 1)
    assert host(text).only().block == (90, 1, 1)


LISTED = """
#include <map>
#include <set>
#include <string>
#include <unordered_map>
__global__ void k(float* x, int n) {}
int main(int argc, char** argv) {
  std::unordered_map<std::string, int> u{{"m", 1 << 10}, {"n", 1 << 20}};
  k<<<u.at("n") / 256, 256>>>(nullptr, u.at("m"));
  std::map<int, long> m = {{3, 1 << 19}, {4, 5}};
  m[7] = 2;
  k<<<m.at(3) / 256, 256>>>(nullptr, m[9]);
  std::set<int> s{5, 6, 6};
  k<<<s.size() + m.size(), 32>>>(nullptr, 0);
  k<<<4, u.at("block")>>>(nullptr, u.at("block"));
}
"""


def test_containers_built_from_lists_hold_their_elements(host):
    # m holds 3, 4, 7 and 9 in the end, s two elements; what is not in a list that is asked for it is unknown, not 0.
    ran = host(LISTED)
    assert [grid[0] for _, grid, _, _ in ran.shapes] == [4096, 2048, 6, 4]
    unknown = [
        [text for kind, text in launch.notes if kind == "argument"] for launch in ran.launches
    ]
    assert unknown[:3] == [[], [], []]
    assert "argument n is unknown" in unknown[3][0]


def test_a_size_of_zero_makes_the_numbers_that_are_zero_with_it_unknown(host):
    text = """
    __global__ void k(float* x, int n, int shift) { int i = threadIdx.x; if (i < n) x[i + shift] = 0; }
    int main() { int n = 0; float* x; cudaMalloc(&x, 1 << 20); k<<<(n + 255) / 256, 256>>>(x, n, 3); }"""
    (launch,) = host(text).launches
    (note,) = [text for kind, text in launch.notes if kind == "argument"]
    assert "argument n is unknown (computed as 0" in note


COUNTED = """
#include <stdio.h>
__global__ void k(float* x, int n, int first) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i + first] = 0;
}
int main(int argc, char** argv) {
  int key = 0, n = 0;
  TEST
  float* x; cudaMalloc(&x, n * 4); k<<<64, 256>>>(x, n, 0);
}
"""


@pytest.mark.parametrize(
    ("test", "stores"),
    [
        # what a file has is not nothing: one element for each thread
        (
            'FILE* f = fopen(argv[1], "r"); fscanf(f, "%d", &key); if (key == 7) n = 1 << 14;',
            64 * 256,
        ),
        # a program that launches for nothing by itself
        ("if (argc > 7) n++;", 0),
    ],
)
def test_what_a_guess_of_the_host_code_has_not_counted_is_not_nothing(host, test, stores):
    ran = host(COUNTED.replace("TEST", test), argv=("unread.txt",))
    (launch,) = ran.launches
    assert sum(site.threads for site in launch.trace.sites.values()) == pytest.approx(stores)
    is_known = not any("argument n is unknown" in text for _, text in launch.notes)
    assert is_known == (not stores)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        # characters that nobody knows, but where they end
        ("char *s = (char *)malloc(6000001); FILL(s, 6000000) s[6000000] = 0; t = s;", 6000000),
        ("char *s = (char *)calloc(9000000, 1); FILL(s, 2560) t = std::string(s);", 2560),
        ("char *s = (char *)malloc(99); FILL(s, 98) s[70] = 0; N(strlen(s))", 70),
        ("char s[9000]; FILL(s, 9000) t = std::string(s, s + 8192);", 8192),
        ("t = std::string(5120000, 'A');", 5120000),
        ("t.resize(4000000); FILL(t, 4000000)", 4000000),
        ("for (int i = 0; i < 700000; i++) t += letters[rand() % 4];", 700000),
        ("t.reserve(900); for (int i = 0; i < 600; i++) t.push_back(letters[rand() % 4]);", 600),
        ("std::string u(3000000, 'A'), v(10, 'B'); t = u + v;", 3000010),
    ],
)
def test_texts_of_unknown_characters_have_a_length(host, text, n):
    ran = host(
        """#include <cstdlib>
        #include <cstring>
        #include <string>
        #define FILL(s, n) for (int i = 0; i < n; i++) s[i] = letters[rand() % 4];
        #define N(n) { k<<<n, 32>>>(n); return 0; }
        __global__ void k(int n) {}
        int main() {
          const char *letters = "ACGT"; std::string t;
          """
        + text
        + """
          N(t.size())
        }"""
    )
    assert ran.only().trace.grid == (n, 1, 1)
    assert not ran.only().notes


def test_structured_bindings_name_the_elements_of_arrays(host):
    ran = host("""
    #include <array>
    __global__ void k(int n) {}
    struct Shape { std::array<int, 3> sizes; };
    std::array<int, 2> made() { return {640, 96}; }
    int main() {
      Shape shape{{{100, 200, 300}}};
      const auto [x, y, z] = shape.sizes;
      auto& [a, b, c] = shape.sizes;
      auto [grid, block] = made();
      c += 4;
      k<<<x, 32>>>(z); k<<<b, 32>>>(c); k<<<grid, block>>>(y);
    }""")
    assert [(grid[0], block[0]) for _, grid, block, _ in ran.shapes] == [
        (100, 32),
        (200, 32),
        (640, 96),
    ]
    assert not any(launch.notes for launch in ran.launches)


def test_elements_of_tuples_lie_apart(host):
    ran = host("""
    #include <tuple>
    __global__ void k(int n) {}
    std::tuple<char, int, double> made(int n) { return std::make_tuple('a', n, 2.5); }
    int main() {
      auto t = std::make_tuple(11, 12, 13);
      std::get<1>(t) += 100;
      k<<<std::get<0>(t), std::get<1>(t)>>>(std::get<2>(t));
      int grid; char letter; double factor;
      std::tie(letter, grid, factor) = made(40);
      k<<<grid, letter>>>(factor * 2);
    }""")
    assert [(grid[0], block[0]) for _, grid, block, _ in ran.shapes] == [(11, 112), (40, 97)]
    assert not any(launch.notes for launch in ran.launches)


@pytest.mark.parametrize(
    ("code", "n"),
    [
        # a(1000) and b(3000); all elements are taken to be kept
        ("auto r = thrust::unique_by_key(a, a + 1000, b); n = r.first - a;", 1000),
        ("auto r = thrust::reduce_by_key(a, a + 1000, b, c, d); n = r.second - d;", 1000),
        ("n = thrust::copy_if(thrust::device, a, a + 1000, c, Odd()) - c;", 1000),
        ("n = thrust::copy_if(a, a + 1000, b, c, Odd()) - c;", 1000),
        ("n = thrust::merge(a, a + 1000, b, b + 3000, d) - d;", 4000),
        ("n = thrust::set_union(a, a + 1000, b, b + 3000, d) - d;", 4000),
        # 0 to 3000 of them: 1500
        ("n = thrust::count_if(b, b + 3000, Odd());", 1500),
    ],
)
def test_lengths_that_the_data_decide(host, code, n):
    ran = host(
        """
        #include <thrust/device_ptr.h>
        #include <thrust/copy.h>
        #include <thrust/count.h>
        #include <thrust/execution_policy.h>
        #include <thrust/merge.h>
        #include <thrust/reduce.h>
        #include <thrust/set_operations.h>
        #include <thrust/unique.h>
        struct Odd { __host__ __device__ bool operator()(int x) const { return x & 1; } };
        __global__ void k() {}
        thrust::device_ptr<int> made(int n) { int *p; cudaMalloc(&p, n * sizeof(int)); return thrust::device_pointer_cast(p); }
        int main() {
          auto a = made(1000), b = made(3000), c = made(8000);
          double *p; cudaMalloc(&p, 8000 * sizeof(double));
          auto d = thrust::device_pointer_cast(p);
          int n;
        """
        + code
        + "k<<<n, 32>>>(); }"
    )
    assert ran.only().trace.grid == (n, 1, 1)


def test_elements_of_tuples_and_maps_have_names(host):
    ran = host("""
    #include <map>
    #include <string>
    #include <tuple>
    __global__ void k(int n) {}
    std::tuple<char, dim3, long> made(int n) { return std::make_tuple('x', dim3(n, 2), 64L); }
    int main() {
      auto [letter, grid, block] = made(100);
      k<<<grid, block>>>(letter);
      std::map<std::string, int> sizes;
      sizes["small"] = 10; sizes["big"] = 20;
      for (const auto& [name, size] : sizes) k<<<size, 32>>>(size);
    }""")
    assert [(grid[0], grid[1], block[0]) for _, grid, block, _ in ran.shapes] == [
        (100, 2, 64),
        (10, 1, 32),
        (20, 1, 32),
    ]
    assert not any(launch.notes for launch in ran.launches)


def test_branches_of_the_host_that_nobody_can_decide_are_stated(host):
    ran = host("""
    #include <stdio.h>
    #include <string.h>
    __global__ void k(int n) {}
    int main(int argc, char **argv) {
      char mode[64]; FILE *f = fopen("mode.txt", "r");
      if (fscanf(f, "%s", mode) != 1) return 1;
      int n = 10;
      k<<<n, 32>>>(n);
      if (strcmp(mode, "big") == 0) n = 20;
      if (strcmp(mode, "loud") == 0) printf("hello");
      k<<<n, 64>>>(n);
    }""")
    first, second = ran.launches
    assert "host-branch" not in {kind for kind, _ in first.notes}
    assert [text for kind, text in second.notes if kind == "host-branch"] == [
        "line 10 of the host code: branch on comparison with an unknown string, not taken here"
    ]


def test_shared_memory_of_a_cluster_is_shared_memory(host):
    ran = host("""
    #include <cooperative_groups.h>
    __global__ void k(float *x) {
      __shared__ float s[64];
      s[threadIdx.x] = 1;
      x[threadIdx.x] = *cooperative_groups::this_cluster().map_shared_rank(&s[threadIdx.x ^ 1], 1);
    }
    int main() { float *x; cudaMalloc(&x, 256); k<<<2, 64>>>(x); }""")
    assert "library-call" not in {item.kind for item in ran.only().trace.assumptions}


# Rows of random lengths

ROWS = """
__global__ void rows(const int *first, const float *value, float *out, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float sum = 0.0f;
  for (int k = first[r]; k < first[r + 1]; ++k) sum += value[k];
  out[r] = sum;
}
"""


def _reads(launch, array):
    """Thread-level accesses of a launch through a name."""
    return sum(
        launch.trace.sites[item.site].threads
        for _, item in launch.trace.code.instructions()
        if item.site in launch.trace.sites and getattr(item.detail, "array", "") == array
    )


@pytest.mark.parametrize(
    ("state", "draw"),
    [
        ("unsigned s = 99;", "s = s * 1664525u + 1013904223u; return s >> 8;"),
        ("unsigned s = 99;", "s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s;"),
        (
            "unsigned long long s = 99;",
            "s ^= s >> 12; s ^= s << 25; s ^= s >> 27; return (unsigned)((s * 2685821657736338717ull) >> 33);",
        ),
    ],
)
@pytest.mark.parametrize(
    ("offsets", "length", "note", "mean"),
    [
        ("first(n + 1, 0)", "5 + draw() % 21", "first[r + 1] = (int)column.size()", 15.0),
        ("first(1, 0)", "5 + draw() % 21", "first.push_back((int)column.size())", 15.0),
        # Rows may be empty: the draws 0 to 20 have the mean 10.
        ("first(n + 1, 0)", "draw() % 21", "first[r + 1] = (int)column.size()", 10.0),
    ],
)
def test_rows_of_random_lengths_have_the_mean_length(
    host, state, draw, offsets, length, note, mean
):
    """Each thread reads the elements of a row; draws of an own generator decide how many are appended to it.

    128 lengths are looked at: the mean of even draws from 0 to 20 is then within 6.06 / sqrt(128) = 0.54 in two of
    three cases.
    """
    text = f"""{HEAD}#include <vector>
    {ROWS}
    int main() {{
      const int n = 40000;
      {state}
      auto draw = [&]() {{ {draw} }};
      std::vector<int> {offsets}, column;
      for (int r = 0; r < n; r++) {{
        int length = {length};
        for (int k = 0; k < length; k++) column.push_back(draw() % n);
        {note};
      }}
      int *first_d; float *value, *out;
      cudaMalloc(&first_d, (n + 1) * 4); cudaMalloc(&value, column.size() * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(first_d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
      rows<<<(n + 127) / 128, 128>>>(first_d, value, out, n);
    }}"""
    ran = host(text)
    launch = ran.only()
    assert _reads(launch, "value") == pytest.approx(40_000 * mean, rel=0.1)
    assert ran.buffer_bytes("value") == pytest.approx(4 * 40_000 * mean, rel=0.1)
    assert "trip-count" not in {item.kind for item in launch.trace.assumptions}


@pytest.mark.parametrize(
    "count",
    [
        "for (int i = 0; i < m; i++) first[rand() % n + 1]++;",
        "for (int i = 0; i < m; i++) { int c = rand() % n; first[c + 1] = first[c + 1] + 1; }",
        # A place that the state of an own generator chooses is known.
        "unsigned s = 9; for (int i = 0; i < m; i++) { s = s * 1664525u + 1013904223u; first[(s >> 8) % n + 1] += 1; }",
        "for (int i = 0; i < m; i++) first[(int)((long long)i * i % 7919) % n + 1]++;",
        "for (int i = 0; i < m / 4; i++) for (int k = 0; k < 4; k++) first[rand() % n + 1]++;",
        "for (int i = 0; i < m / 1000; i++) for (int k = 0; k < 1000; k++) first[rand() % n + 1]++;",
        # Each of 6 steps begins anew.
        """for (int t = 0; t < 6; t++) {
             std::fill(first.begin(), first.end(), 0);
             for (int i = 0; i < m; i++) first[rand() % n + 1]++;
           }""",
    ],
)
@pytest.mark.parametrize(
    "scan",
    [
        "std::partial_sum(first.begin(), first.end(), first.begin());",
        "for (int r = 0; r < n; r++) first[r + 1] += first[r];",
        "int sum = 0; for (int r = 0; r <= n; r++) { sum += first[r]; first[r] = sum; }",
    ],
)
def test_what_a_host_loop_counts_at_many_places_is_there_in_the_mean(host, count, scan):
    """m elements are counted into n rows: 7 in the mean, and all of them in the rows together."""
    n, m = 4_000, 28_000
    ran = host(
        f"""{HEAD}#include <vector>
        #include <numeric>
        {ROWS}
        int main() {{
          const int n = {n}, m = {m};
          std::vector<int> first(n + 1, 0);
          {count}
          {scan}
          int *first_d; float *value, *out;
          cudaMalloc(&first_d, (n + 1) * 4); cudaMalloc(&value, m * 4); cudaMalloc(&out, n * 4);
          cudaMemcpy(first_d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
          rows<<<(n + 127) / 128, 128>>>(first_d, value, out, n);
        }}"""
    )
    # The mean of eight rows or more, each with 7 +- sqrt(7): 13 percent of chance.
    assert _reads(ran.only(), "value") == pytest.approx(m, rel=0.25)


@pytest.mark.parametrize("n", [20, 200, 40_000])
def test_row_pointers_are_read_where_the_host_has_stored_them_and_zero_before(host, n):
    """The host runs the first iterations, each of which stores a cell, and row 0 begins at the zero of the vector."""
    ran = host(
        f"""{HEAD}#include <vector>
        {ROWS}
        int main() {{
          const int n = {n};
          std::vector<int> first(n + 1, 0);
          for (int r = 0; r < n; r++) first[r + 1] = 2 * r + 2;
          int *first_d; float *value, *out;
          cudaMalloc(&first_d, (n + 1) * 4); cudaMalloc(&value, 2 * n * 4); cudaMalloc(&out, n * 4);
          cudaMemcpy(first_d, first.data(), (n + 1) * 4, cudaMemcpyHostToDevice);
          rows<<<(n + 127) / 128, 128>>>(first_d, value, out, n);
        }}"""
    )
    assert _reads(ran.only(), "value") == 2 * n


def test_lists_that_a_lambda_appends_to_are_not_empty_in_iterations_that_are_not_run(host):
    """Each of 40,000 lists gets 2 elements, both by the one append in the lambda; the first leaves a size of 1 behind."""
    ran = host(
        f"""{HEAD}{ROWS}
        int main() {{
          const int n = 40000;
          std::vector<std::vector<float>> row(n);
          for (int r = 0; r < n; r++) {{
            auto add = [&](float value) {{ row[r].push_back(value); }};
            add(r);
            add(r + 7);
          }}
          std::vector<int> first(n + 1, 0);
          std::vector<float> all;
          for (int r = 0; r < n; r++) {{
            all.insert(all.end(), row[r].begin(), row[r].end());
            first[r + 1] = (int)all.size();
          }}
          int *first_d; float *value, *out;
          cudaMalloc(&first_d, first.size() * 4); cudaMalloc(&value, all.size() * 4); cudaMalloc(&out, n * 4);
          cudaMemcpy(first_d, first.data(), first.size() * 4, cudaMemcpyHostToDevice);
          rows<<<(n + 127) / 128, 128>>>(first_d, value, out, n);
        }}"""
    )
    assert ran.buffer_bytes("value") == 4 * 40_000 * 2
    assert "trip-count" not in {item.kind for item in ran.only().trace.assumptions}


def test_what_is_appended_backwards_counts(host):
    text = f"""{HEAD}{SCALE}
    int main() {{
      std::vector<int> part(100), all;
      for (int k = 0; k < 3; k++) all.insert(all.end(), part.rbegin(), part.rend());
      scale<<<all.size() / 4, 32>>>(nullptr, 1);
    }}"""
    assert host(text).only().grid == (75, 1, 1)


def test_a_text_made_of_words_of_random_lengths_is_as_long_as_their_mean_says(host):
    """Words of 5 to 25 letters, 15 in the mean; the storage of the offsets moves once, when the first is appended."""
    ran = host(
        f"""{HEAD}#include <string>
        #include <vector>
        {ROWS.replace("const float *value", "const char *value")}
        int main() {{
          const int n = 40000;
          unsigned s = 99;
          std::string text;
          std::vector<int> first(1, 0);
          for (int r = 0; r < n; r++) {{
            s = s * 1664525u + 1013904223u;
            int length = 5 + (s >> 8) % 21;
            for (int k = 0; k < length; k++) text += (char)('a' + k);
            first.push_back((int)text.size());
          }}
          int *first_d; char *value; float *out;
          cudaMalloc(&first_d, first.size() * 4); cudaMalloc(&value, text.size()); cudaMalloc(&out, n * 4);
          cudaMemcpy(first_d, first.data(), first.size() * 4, cudaMemcpyHostToDevice);
          rows<<<(n + 127) / 128, 128>>>(first_d, value, out, n);
        }}"""
    )
    assert ran.buffer_bytes("first_d") == 4 * 40_001
    assert ran.buffer_bytes("value") == pytest.approx(40_000 * 15, rel=0.1)
    assert "trip-count" not in {item.kind for item in ran.only().trace.assumptions}


def test_the_first_long_preparation_may_take_longer(host):
    """A matrix of 27 points a row, built by six nested loops: 214,000 instructions."""
    text = """
    #include <vector>
    struct Csr { int n; std::vector<int> ptr, col; };
    __global__ void touch(int n) { }
    static Csr build(int nx, int ny, int nz) {
      Csr m;
      m.n = nx * ny * nz;
      m.ptr.push_back(0);
      for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
          for (int i = 0; i < nx; i++) {
            for (int dz = -1; dz <= 1; dz++)
              for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                  const int x = i + dx, y = j + dy, z = k + dz;
                  if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) continue;
                  const double a = ((x / 8 + y / 8 + z / 8) & 1) ? 10.0 : 1.0;
                  m.col.push_back((z * ny + y) * nx + x + (a > 20));
                }
            m.ptr.push_back((int)m.col.size());
          }
      return m;
    }
    int main() { Csr m = build(24, 20, 18); touch<<<m.n / 32, 32>>>(1); }"""
    assert host(text).only().grid[0] == 24 * 20 * 18 // 32


def test_a_recursion_on_unknown_data_goes_one_step_down(host):
    """Ranks of 90,000 triples, of the 60,000 that are left if some are equal, and of none below: each level has its grid."""
    text = f"""{HEAD}
    __global__ void again(float *x, int n) {{ x[threadIdx.x] = n; }}
    __global__ void done(float *x, int n) {{ x[threadIdx.x] = n; }}
    void ranks(float *x, int n) {{
      int found;
      cudaMemcpy(&found, x, 4, cudaMemcpyDeviceToHost);
      int rest = n / 3 * 2;
      if (found < n) {{
        ranks(x, rest);
        again<<<n / 100, 32>>>(x, n);
      }} else {{
        done<<<n / 100, 32>>>(x, n);
      }}
    }}
    int main() {{
      float *x; cudaMalloc(&x, 1 << 20);
      ranks(x, 90000);
    }}"""
    assert [launch.grid[0] for launch in host(text).launches] == [600, 900]


@pytest.mark.parametrize("pixels", [100, 2 << 20])
@pytest.mark.parametrize(
    "read",
    [
        """FILE *f = fopen("a.ppm", "rb"); char line[80]; fgets(line, 80, f);
      fgets(line, 80, f); sscanf(line, "%d %d", &w, &h);""",
        """std::ifstream f("a.ppm", std::ios::binary); std::string kind; f >> kind >> w >> h;""",
    ],
)
def test_the_header_of_an_image_says_its_size(host, tmp_path, monkeypatch, pixels, read):
    """Whatever follows it, and however much: numbers that stand in the pixels are unknown."""
    monkeypatch.chdir(tmp_path)
    Path("a.ppm").write_bytes(b"P6\n640 480\n255\n" + b"\0\x07\xff" * pixels)
    launch = host(f"""{HEAD}{SCALE}
    #include <fstream>
    #include <string>
    int main() {{
      int w, h; {read}
      float *d; cudaMalloc(&d, w * h * sizeof(float));
      scale<<<w * h / 128, 128>>>(d, w * h);
    }}""").only()
    assert launch.grid[0] == 640 * 480 // 128


def test_what_lies_behind_the_beginning_of_a_large_file_is_unknown(host, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("n.txt").write_text("7 " * (1 << 20))
    ran = host(f"""{HEAD}{SCALE}
    int main() {{
      FILE *f = fopen("n.txt", "r"); int first, later;
      fscanf(f, "%d", &first);
      fseek(f, 1 << 20, SEEK_SET);
      fscanf(f, "%d", &later);
      float *d; cudaMalloc(&d, 1 << 20);
      scale<<<first, 128>>>(d, 900);
      scale<<<later, 64>>>(d, 900);
    }}""")
    assert [launch.source for launch in ran.launches] == ["host-code", "assumed"]


def test_what_is_stored_last_does_not_depend_on_what_ran_before(host):
    # Two functions store to the same elements; where their code lies in memory must not decide who comes last.
    functions = "".join(
        f"void put_{name}(int *h, int i, int v) {{ if (rand() % 3) h[i] = v; }}\n"
        for name in "abcd"
    )
    fill = " ".join(f"put_{name}(h, i, {number});" for number, name in enumerate("abcd"))
    text = f"""{HEAD}{functions}{FIND.replace("CONDITION", "== 3")}
    int main() {{
      int n = 1 << 14; int *h = (int *)malloc(n * sizeof(int));
      for (int i = 0; i < n; i++) {{ {fill} }}
      int *d; float *out; cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      find<<<(n + 255) / 256, 256>>>(d, out, n);
    }}"""
    kept = []
    found = set()
    for run in range(6):
        found.add(stores(host(text).only()))
        kept.append([object() for _ in range(1000 * run)])
        kept[0:1] = []  # frees some, so that the next run lies elsewhere
    assert len(found) == 1
