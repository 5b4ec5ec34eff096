"""Loops whose length lies in data that nobody knows: a stated trip count, never none in silence."""

from __future__ import annotations

import pytest

ROWS = 1000
ENTRIES = 7 * ROWS


def csr(loop: str, parameters: str = "const int *rp") -> str:
    return (
        f"__global__ void k({parameters}, const float *v, float *y, int n) {{"
        " int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < n) { float s = 0;"
        f" {loop} y[r] = s; }} }}"
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for (int j = rp[r]; j < rp[r + 1]; ++j) s += v[j];",
        "int b = rp[r], e = rp[r + 1]; for (int j = b; j < e; ++j) s += v[j];",
        "const int e = rp[r + 1]; int j = rp[r]; while (j < e) { s += v[j]; j++; }",
        "for (int j = __ldg(rp + r); j < __ldg(rp + r + 1); ++j) s += v[j];",
        "int m = rp[r + 1] - rp[r]; for (int j = 0; j < m; ++j) s += v[rp[r] + j];",
    ],
)
def test_rows_between_unknown_offsets_share_out_the_entries(run, loop):
    ran = run(csr(loop), grid=4, block=256, arguments={"rp": ROWS, "v": ENTRIES, "n": ROWS})
    # 7 entries for each element of rp (element, not byte): 7 iterations, one addition each.
    assert ran.flop == pytest.approx(ENTRIES)
    assert ran.loads("v") == pytest.approx(ENTRIES)
    (assumed,) = (item for item in ran.trace.assumptions if item.kind == "trip-count")
    assert "7 elements for each element of rp" in assumed.text


@pytest.mark.parametrize("place", ["r * 64 + j", "(r << 6) + j"])
def test_rows_of_a_table_are_half_full(run, place):
    # Each has room for 64 elements.
    loop = f"for (int j = 0; j < rp[r]; ++j) s += v[{place}];"
    ran = run(csr(loop), grid=4, block=256, arguments={"rp": ROWS, "v": 64 * ROWS, "n": ROWS})
    assert ran.loads("v") == pytest.approx(32 * ROWS)


def test_a_range_over_several_rows_has_the_entries_of_all(run):
    # Ranges of three cells end three elements after they begin; those at both edges lack one cell: 2,998 of 3,000.
    loop = "for (int j = rp[max(r - 1, 0)]; j < rp[min(r + 1, n - 1) + 1]; ++j) s += v[j];"
    ran = run(csr(loop), grid=4, block=256, arguments={"rp": ROWS, "v": ENTRIES, "n": ROWS})
    assert ran.loads("v") == pytest.approx(3 * ENTRIES, rel=0.02)


def test_threads_that_share_a_row_take_every_so_many_th_of_its_entries(run):
    # A warp for each of 128 rows of 64 entries: 2 iterations of 32 lanes.
    text = (
        "__global__ void k(const int *rp, const float *v, float *y) {"
        " int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32; float s = 0;"
        " for (int j = rp[w] + threadIdx.x % 32; j < rp[w + 1]; j += 32) s += v[j]; y[w] = s; }"
    )
    ran = run(text, grid=16, block=256, arguments={"rp": 128, "v": 64 * 128})
    assert ran.loads("v") == pytest.approx(64 * 128)


@pytest.mark.parametrize(
    "loop",
    [
        "for (; i < *end; i += gridDim.x * blockDim.x) v[i] *= 2;",
        "for (i += *end; i < 65536; i += gridDim.x * blockDim.x) v[i] *= 2;",
        "for (i = 65535 - i; i >= *end; i -= gridDim.x * blockDim.x) v[i] *= 2;",
    ],
)
def test_a_grid_shares_what_one_number_bounds(run, loop):
    # 1,024 threads and 65,536 elements: 64 for each
    text = (
        "__global__ void k(const int *end, float *v) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; {loop} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"end": 1, "v": 65536})
    assert ran.stores("v") == pytest.approx(65536)


def test_what_rows_are_looked_up_in_says_nothing_of_their_length(run):
    # The loop goes along `c`, of whose size nothing is known; 132 places of `v` for each row are no row.
    text = csr(
        "for (int j = rp[r]; j < rp[r + 1]; ++j) s += v[c[j]];", "const int *rp, const int *c"
    )
    ran = run(text, grid=4, block=256, arguments={"rp": ROWS, "v": 132 * ROWS, "n": ROWS})
    assert ran.loads("v") == pytest.approx(8 * ROWS, rel=0.01)


@pytest.mark.parametrize(
    "loop",
    [
        "for (i += *end; i < 8192; i += n) for (int c = 0; c < 8; c++) v[i * 8 + c] *= 2;",
        "for (; i < *end; i += n) for (int c = 0; c < 8; c++) v[(i << 3) + c] *= 2;",
        "v += i * 8; for (; i < *end; i += n, v += n * 8) for (int c = 0; c < 8; c++) v[c] *= 2;",
    ],
)
def test_a_grid_shares_the_records_that_one_number_bounds(run, loop):
    # 65,536 elements are 8,192 records of 8, and 8 records for each of 1,024 threads.
    text = (
        "__global__ void k(const int *end, float *v, int n) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; {loop} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"end": 1, "v": 65536, "n": 1024})
    assert ran.stores("v") == pytest.approx(65536)


def test_a_counter_that_is_held_back_still_leaps_over_the_other_threads(run):
    # It waits for what others do, as far as anyone can see, in half of its rounds; 65,536 elements for 1,024 threads are 64 all the same.
    text = (
        "__global__ void k(const int *end, float *v, volatile int *go) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;"
        " while (i < *end) { s += v[i]; if (*go) { v[i] = s; i += 1024; } } v[0] = s; }"
    )
    ran = run(text, grid=4, block=256, arguments={"end": 1, "v": 65536, "go": 1})
    assert ran.loads("v") == pytest.approx(2 * 64 * 1024)


def test_private_tables_of_each_thread_share_out_nothing(run):
    # 5 words for each of 1,024 threads, and no more than 4,096 elements: nothing follows from that.
    loop = "int at[5]; for (int i = 0; i < 5; i++) at[v[r] > i] = rp[r]; for (int j = 0; j < at[n % 5]; ++j) s += v[j];"
    ran = run(csr(loop), grid=4, block=256, arguments={"rp": ROWS, "v": 4096, "n": ROWS})
    assert any("8 iterations (default)" in item.text for item in ran.trace.assumptions)


def test_what_the_loop_itself_stores_shares_out_nothing(run):
    # 1,000 entries for each byte of `same`, but that counts rounds: the default.
    text = (
        "__global__ void k(unsigned char *same, const float *v, float *best) { float s = 0;"
        " do { for (int i = 0; i < 4; i++) s += v[i];"
        " if (*best < s) *best = s; else same[blockIdx.x]++; } while (same[blockIdx.x] < 2); }"
    )
    ran = run(text, grid=4, block=32, arguments={"same": 4, "v": 4000})
    assert [item.text for item in ran.trace.assumptions if item.kind == "trip-count"] == [
        "loop on data of same: 8 iterations (default)"
    ]


@pytest.mark.parametrize(("elements", "trips"), [(64 * 4 * 20, 20), (64 * 4 * 2000, 8)])
def test_a_table_of_a_block_bounds_no_rows_of_thousands(run, elements, trips):
    # 64 words in each of 4 blocks: 20 elements for each are rows, 2,000 are something else.
    text = (
        "__global__ void k(float *v) { __shared__ int at[64]; int t = threadIdx.x;"
        " int b = at[t], e = at[t ^ 1];"
        " for (int j = b; j < e; j++) v[j] = 1; }"
    )
    ran = run(text, grid=4, block=64, arguments={"v": elements})
    assert ran.stores("v") == pytest.approx(trips * 256)


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("int b = at[i], e = b + count[i]; for (int j = b; j < e; j++) out[j] = i;", 16.5),
        ("int e = count[i] + at[i]; for (int j = at[i]; j < e; j++) out[j] = i;", 16.5),
        ("int e = at[i]; for (int j = e - count[i]; j < e; j++) out[j] = i;", 16.5),
        ("int *p = out + at[i], *q = p + count[i]; while (p < q) *p++ = i;", 16.5),
        # min(x, y) of two numbers from 1 to 32 is 11.3 in the mean, x * y is 272.
        ("int e = min(count[i], count[i + 9]); for (int j = 0; j < e; j++) out[j] = i;", 11.3),
        ("int e = count[i] * count[i + 9]; for (int j = 0; j < e; j++) out[j] = i;", 272.0),
        # Of 32 numbers 16 have five bits and one six; 23 have two digits.
        ("for (int d = count[i]; d > 0; d >>= 1) out[d] = i;", 135 / 32),
        ("int d = count[i]; while (d) { out[d] = i; d /= 10; }", 55 / 32),
        # 1 to 1,000,032 have 19 bits in the mean, and Euclid takes 0.843 ln(n) + 0.07 steps for pairs below n (Norton 1990).
        ("for (int d = at[i]; d > 0; d >>= 1) out[d & 7] = i;", 19.0),
        (
            "int x = at[i], y = at[i + 9]; while (y) { int r = x % y; x = y; y = r; } out[i] = x;",
            11.7,
        ),
    ],
)
def test_what_is_computed_from_drawn_numbers_goes_with_them(host, loop, trips):
    """Ranges of 1 to 32 elements that begin anywhere are as long as that, not as two random places are apart."""
    text = f"""#include <stdlib.h>
    __global__ void k(const int *at, const int *count, int *out) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; {loop}
    }}
    int main() {{
      int n = 1 << 16, *a = (int *)malloc(n * 4), *c = (int *)malloc(n * 4), *at, *count, *out;
      for (int i = 0; i < n; i++) {{ a[i] = 32 + rand() % 1000000; c[i] = 1 + rand() % 32; }}
      cudaMalloc(&at, n * 4); cudaMalloc(&count, n * 4); cudaMalloc(&out, 4000256);
      cudaMemcpy(at, a, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(count, c, n * 4, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(at, count, out);
    }}"""
    trace = host(text).only().trace
    (totals,) = trace.loops.values()
    assert totals.iterations / (1 << 16) == pytest.approx(trips, rel=0.1)


def test_ends_that_are_drawn_apart_say_nothing_of_a_range(host):
    """`to` lies up to 15 behind `from`, which gets lost between the arrays: as many ranges would end before they begin as not."""
    text = """#include <stdlib.h>
    __global__ void k(const int *from, const int *to, int *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      for (int j = from[i]; j <= to[i]; j++) out[j] = i;
    }
    int main() {
      int n = 1 << 16, *a = (int *)malloc(n * 4), *b = (int *)malloc(n * 4), *from, *to, *out;
      for (int i = 0; i < n; i++) { a[i] = rand() % 60000; b[i] = a[i] + rand() % 16; }
      cudaMalloc(&from, n * 4); cudaMalloc(&to, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(from, a, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(to, b, n * 4, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(from, to, out);
    }"""
    trace = host(text).only().trace
    (totals,) = trace.loops.values()
    assert totals.iterations / (1 << 16) == pytest.approx(8)
    assert any("8 iterations (default)" in item.text for item in trace.assumptions)


def test_rows_of_records_have_as_many_records_as_there_are(run):
    # 7 records of 72 bytes for each range of 32, whatever the widths of their members.
    text = (
        "struct Pole { double a[8]; short l; }; struct Range { double b[3]; int first, end; };"
        "__global__ void k(const Range *ranges, const Pole *poles, double *y, int n) {"
        " int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < n) { double s = 0; Range w = ranges[r];"
        " for (int j = w.first; j < w.end; j++) { Pole p = poles[j]; s += p.a[1] * p.l; } y[r] = s * w.b[0]; } }"
    )
    sizes = {"ranges": ROWS, "poles": 7 * ROWS, "n": ROWS}
    ran = run(text, grid=4, block=256, arguments=sizes)
    (assumed,) = (item for item in ran.trace.assumptions if item.kind == "trip-count")
    assert "7 elements for each element of ranges" in assumed.text


def test_thresholds_that_are_summed_up_are_those_of_the_table(run):
    """Shares of 0.3 and of 1 to 10 times 0.004 in no order: 0.48 of the threads find none, whatever the last few shares are."""
    text = (
        "__global__ void k(int *out, int n) { double d[11]; d[0] = 0.3; for (int j = 1; j < 11; j++) d[j] = 0.004 * (j * 7 % 11);"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; double roll = i % 1000 / 1000.0; int found = 11;"
        " for (int k = 0; k < 11; k++) { double sum = 0; for (int j = k; j >= 0; j--) sum += d[j];"
        " if (roll < sum) { found = k; break; } }"
        " if (found == 11) out[i] = 1; }"
    )
    ran = run(text, grid=400, block=256, arguments={"out": 400 * 256, "n": 1})
    assert ran.stores("out") / (400 * 256) == pytest.approx(0.48, abs=0.03)


def test_offsets_of_a_record_bound_a_loop_of_unknown_length(run):
    loop = "int2 q = rp[r]; for (int j = q.x; j < q.y; ++j) s += v[j];"
    ran = run(csr(loop, "const int2 *rp"), grid=4, block=256, arguments={"n": ROWS})
    # Nothing is known of the sizes: the default of 8 iterations, and it is said.
    assert ran.flop == pytest.approx(8 * ROWS)
    assert [item.kind for item in ran.trace.assumptions if "8 iterations" in item.text] == [
        "trip-count"
    ]


def test_neighbouring_unknown_elements_are_not_equal(run):
    body = "if (r < n) { if (rp[r] == rp[r + 1]) y[r] = v[r] + 1.0f; }"
    text = f"__global__ void k(const int *rp, const float *v, float *y, int n) {{ int r = threadIdx.x; {body} }}"
    ran = run(text, grid=1, block=256, arguments={"n": 256})
    # Some threads at most, by a stated probability; an element does equal itself.
    assert ran.stores("y") < 256
    assert any(item.kind == "branch" for item in ran.trace.assumptions)
    same = run(text.replace("r + 1]", "r]"), grid=1, block=256, arguments={"n": 256})
    assert same.stores("y") == 256
    assert not any(item.kind == "branch" for item in same.trace.assumptions)


@pytest.mark.parametrize(
    ("place", "loop", "rounds"),
    [
        # all 32 lanes of a warp at one address: one succeeds in each round, (32 + 1) / 2 in the mean
        ("p", "do { old = q; v[i] = 1; } while ((q = atomicCAS(p, old, old + 1)) != old);", 16.5),
        ("p + i", "do { old = q; v[i] = 1; } while ((q = atomicCAS(p, old, old + 1)) != old);", 1),
        # a maximum: after one round most lanes see a larger number
        (
            "p",
            "while (x[i] > q) { old = q; v[i] = 1; if ((q = atomicCAS(p, old, x[i])) == old) break; }",
            2,
        ),
        # the same, but who has no larger number puts back what there is
        (
            "p",
            "do { old = q; v[i] = 1; } while ((q = atomicCAS(p, old, max(old, x[i]))) != old);",
            2,
        ),
    ],
)
def test_compare_and_swap_until_it_succeeds(run, place, loop, rounds):
    text = (
        "__global__ void k(unsigned *p, const unsigned *x, float *v) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; p = {place}; unsigned old, q = *p; {loop} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"p": 1024, "x": 1024, "v": 1024})
    assert ran.stores("v") == pytest.approx(rounds * 1024)
    assert [item.kind for item in ran.trace.assumptions].count("trip-count") == 1


@pytest.mark.parametrize(
    ("best", "rounds"), [("fmaxf(x[i], __int_as_float(old))", 1), ("x[i] + old", 16.5)]
)
def test_late_threads_put_back_the_best_that_they_find(run, best, rounds):
    """Most of 2 ** 20 threads begin when the first, which need a second round, are through."""
    text = f"""__global__ void k(int *p, const float *x, float *v) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, old, q = *p;
      do {{ old = q; v[i] = 1; }} while ((q = atomicCAS(p, old, __float_as_int({best}))) != old);
    }}"""
    ran = run(text, grid=4096, block=256, arguments={"p": 1, "x": 1 << 20, "v": 1 << 20})
    assert ran.stores("v") == pytest.approx(rounds * (1 << 20), rel=0.01)


@pytest.mark.parametrize(("place", "entered"), [("p", 0), ("p + i", 1)])
def test_late_threads_find_no_better(run, place, entered):
    """A minimum of all threads in one place; one for each thread is nobody else's."""
    text = f"""__global__ void k(unsigned *p, const float *x, float *v) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; p = {place}; unsigned old, q = *p;
      while (x[i] < __uint_as_float(q)) {{
        old = q; v[i] = 1; if ((q = atomicCAS(p, old, __float_as_uint(x[i]))) == old) break;
      }}
    }}"""
    ran = run(text, grid=4096, block=256, arguments={"p": 1 << 20, "x": 1 << 20, "v": 1 << 20})
    assert ran.stores("v") == entered * (1 << 20)
    assert [item.kind for item in ran.trace.assumptions].count("trip-count") == 1 - entered


@pytest.mark.parametrize(
    ("step", "most"),
    [
        ("q = atomicCAS(&t[s], 0, k); if (q == 0 || q == k) return;", 4),  # an insertion
        ("q = t[s]; if (q == k) return; if (q == 0) return;", 10),  # a search
    ],
)
def test_probing_a_table_that_only_data_ends(run, step, most):
    text = (
        "__global__ void k(unsigned *t, const unsigned *x, float *v, unsigned n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned k = x[i], s = k % n, q;"
        f" while (true) {{ v[i] = 1; {step} s = (s + 1) % n; }} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"t": 4096, "x": 1024, "v": 1024, "n": 4096})
    assert 1 <= ran.stores("v") / 1024 <= most
    assert "trip-count" in [item.kind for item in ran.trace.assumptions]


def test_windows_around_an_unknown_place_are_as_wide_behind_a_guard(run):
    # Threads that have left hold other places than the first: 5 elements in all that are there.
    text = (
        "__global__ void k(const int *cell, const float *w, float *o, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int c = cell[i]; float s = 0;"
        " for (int y = c - 2; y <= c + 2; y++) s += w[y]; o[i] = s; }"
    )
    ran = run(text, grid=4, block=256, arguments={"cell": 1024, "w": 4096, "o": 1024, "n": 1000})
    assert ran.loads("w") == pytest.approx(5 * 1000)
    assert "trip-count" not in ran.kinds


def test_a_switch_on_random_numbers_takes_its_cases_as_often_as_they_occur(host):
    text = """#include <stdlib.h>
    __global__ void k(const int *x, float *v) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      switch (x[i]) { case 0: v[i] = 1; break; case 1: v[i] = 2; v[i + 1] = 3; break; default: break; }
    }
    int main() {
      int n = 1 << 16, *h = (int *)malloc(n * 4), *d; float *v;
      for (int i = 0; i < n; i++) h[i] = rand() % 10;
      cudaMalloc(&d, n * 4); cudaMalloc(&v, n * 4 + 4); cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(d, v);
    }"""
    trace = host(text).only().trace
    stored = sum(
        trace.sites[item.site].threads
        for _, item in trace.code.instructions()
        if item.op.value == "store" and item.site in trace.sites
    )
    assert stored / (1 << 16) == pytest.approx(0.3, abs=0.05)


PREFIX = "__global__ void prefix(const char *text, const char *word, int *out, int m) { int k = 0; "
DIFFERENCES = [
    "for (; k < m; k++) if (text[threadIdx.x + k] != WORD) break;",
    "for (; k < m; k++) { if (text[threadIdx.x + k] == WORD) out[k] = 1; else break; }",
    "for (; k < m; k++) if (!(text[threadIdx.x + k] == WORD)) { out[0] = k; return; }",
    "do if (text[threadIdx.x + k] != WORD) break; while (++k < m);",
]


@pytest.mark.parametrize("loop", DIFFERENCES)
@pytest.mark.parametrize(("length", "trips"), [(16, 8), (5, 5)])
def test_a_loop_that_ends_where_data_differ_is_one_on_unknown_data(run, loop, length, trips):
    """The 32 lanes read a character of the text in at most 8 iterations: it may well repeat the first of the word."""
    ran = run(
        f"{PREFIX}{loop.replace('WORD', 'word[0]')} out[threadIdx.x] = k; }}",
        arguments={"text": 1024, "word": 64, "out": 32, "m": length},
    )
    assert ran.loads("text") == pytest.approx(32 * trips)
    assert "trip-count" in {item.kind for item in ran.trace.assumptions}


@pytest.mark.parametrize(
    "loop", [*DIFFERENCES, "while (k < m && text[threadIdx.x + k] == WORD) out[k++] = 1;"]
)
def test_two_sequences_of_unknown_data_differ_at_once(run, loop):
    """Each of the 32 lanes compares one pair; the last form then tests a second one."""
    ran = run(
        f"{PREFIX}{loop.replace('WORD', 'word[k]')} out[threadIdx.x] = k; }}",
        arguments={"text": 1024, "word": 64, "out": 32, "m": 16},
    )
    pairs = 2 if loop.startswith("while") else 1
    assert ran.loads("text") == ran.loads("word") == pytest.approx(32 * pairs)
    assert "trip-count" in {item.kind for item in ran.trace.assumptions}


@pytest.mark.parametrize(
    ("entry", "tries"),
    [
        ("atomicExch(t + (e * 7 + k) % n, e)", 1),  # spread over 4,096 places
        (
            "atomicExch(t + k, e)",
            8,
        ),  # 32 lanes at one place: (32 + 1) / 2 rounds, of 8 that there are
    ],
)
def test_a_bounded_search_for_a_free_place_ends_where_nobody_else_tries(run, entry, tries):
    text = (
        "__global__ void k(unsigned *t, const unsigned *x, float *v, unsigned n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned e = x[i];"
        f" for (int k = 0; k < 8; k++) {{ v[i] = 1; e = {entry}; if (e == 0) return; }} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"t": 4096, "x": 1024, "v": 1024, "n": 4096})
    assert ran.stores("v") == pytest.approx(1024 * tries)


def test_a_counter_bounds_a_search_that_some_threads_have_not_begun(run):
    """900 of 1,024 threads look at 4 places at most; the 8 of the default are not there."""
    text = (
        "__global__ void k(const int *t, const int *x, int *v, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int found = -1;"
        " for (int j = 0; j < 4 && found == -1; j++) { int e = t[x[i] * 4 + j]; v[i] = j;"
        " if (e == x[i]) found = e; else if (e == -1 && j == 0) break; } }"
    )
    ran = run(text, grid=4, block=256, arguments={"t": 8192, "x": 1024, "v": 1024, "n": 900})
    assert ran.stores("v") == pytest.approx(900 * 4)


@pytest.mark.parametrize("is_hidden", [False, True])
def test_an_integration_up_to_an_end_takes_many_steps(run, is_hidden):
    """64 steps, of 400 at most, whether the step is data from the first one on or only from the second."""
    step = "0.5f" if is_hidden else "x[threadIdx.x]"
    text = (
        "__global__ void k(const float *x, float *v, float end) {"
        f" float t = 0, h = {step}; for (int n = 0; t < end && n < 400; n++) {{"
        " h = fminf(h, end - t); t += h; h *= x[threadIdx.x]; v[threadIdx.x] = h; } }"
    )
    ran = run(text, arguments={"x": 32, "v": 32, "end": 1000.0})
    assert ran.stores("v") == pytest.approx(32 * 64)
    assert "trip-count" in {item.kind for item in ran.trace.assumptions}


def test_a_search_for_equal_data_runs_to_its_end(run):
    """What is looked for may stand anywhere: 32 lanes, 40 iterations."""
    ran = run(
        "__global__ void find(const int *keys, const int *wanted, int *out, int m) {"
        "int k = 0; for (; k < m; k++) if (keys[k] == wanted[threadIdx.x]) break; out[threadIdx.x] = k; }",
        arguments={"keys": 64, "wanted": 32, "out": 32, "m": 40},
    )
    assert ran.loads("keys") == pytest.approx(32 * 40)


@pytest.mark.parametrize(
    "clamp",
    [
        "c < 0 ? 0 : (c >= dim ? dim - 1 : c)",
        "min(max(c, 0), dim - 1)",
        "c > dim - 1 ? dim - 1 : c",
    ],
)
def test_cells_around_one_that_nobody_knows_are_as_many_as_anywhere(run, clamp):
    ran = run(
        f"""struct Grid {{
          int dim;
          __device__ int held(int c) const {{ return {clamp}; }}
        }};
        __global__ void k(const int* cell, const float* w, float* o, int dim) {{
          int i = blockIdx.x * 32 + threadIdx.x, c = Grid{{dim}}.held(cell[i]);
          float s = 0;
          for (int y = max(c - 2, 0); y <= min(c + 2, dim - 1); y++) s += w[y];
          o[i] = s;
        }}""",
        grid=64,
        arguments={"cell": 64 * 32, "w": 512, "o": 64 * 32, "dim": 512},
    )
    assert ran.loads("w") / (64 * 32) == pytest.approx(5)
    assert "trip-count" not in ran.kinds


def walk(step: str, condition: str) -> str:
    return (
        "__global__ void k(const unsigned *table, const unsigned *wanted, unsigned *found) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned x = wanted[i];"
        f" unsigned long long at = 1; while ({condition}) {{ {step} }} found[i] = at; }}"
    )


def test_a_search_down_a_tree_ends_below_its_leaves(run):
    # 20 levels hold 2^20 - 1 numbers; of a million the last level has 475,713 where there is room for 524,288.
    text = walk("at = 2 * at + (table[at] < x);", "at <= 1000000")
    ran = run(text, grid=64, block=128, arguments={"table": 1_000_001, "wanted": 8192})
    assert ran.loads("table") / 8192 == pytest.approx(19 + 475_713 / 524_288, rel=0.02)
    assert "trip-count" not in ran.kinds


def test_a_search_down_a_tree_of_wide_nodes_counts_what_is_smaller(run):
    # Nodes of 16 numbers have 17 children: 1 + 17 + 289 + 4,913 nodes are four levels.
    text = walk(
        "int c = 0; for (int j = 0; j < 16; j++) c += table[(at - 1) * 16 + j] < x; at = (at - 1) * 17 + c + 2;",
        "at <= 5220",
    )
    ran = run(text, grid=64, block=128, arguments={"table": 5220 * 16, "wanted": 8192})
    assert ran.loads("table") / 8192 == pytest.approx(4 * 16)


@pytest.mark.parametrize(
    "search",
    [
        "int k = 0; float c = p[i]; while (u > c && k < n - 1) { k++; c += p[k * 1024 + i]; v[i] = k; }",
        "for (int k = 0; k < n - 1; k++) { if (p[k] >= q[i]) { v[i + 1024] = k; break; } v[i] = k; }",
        "int k = 0; while (k < n - 1 && p[k] < u) { k++; v[i] = k; }",
        """for (int t = 0; t < 5; t++) {
             float w = u + t, c = p[i]; int k = 0;
             while (w > c && k < n - 1) { k++; c += p[k * 1024 + i]; if (t == 4) v[i] = k; } }""",
    ],
)
def test_a_search_along_a_distribution_ends_anywhere_in_it(run, search):
    # 0 to 39 steps, each as likely
    text = (
        "__global__ void k(const float *p, const float *q, float *v, int n) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; float u = q[i]; {search} }}"
    )
    arguments = {"p": 40 * 1024, "q": 1024, "v": 4096, "n": 40}
    ran = run(text, grid=4, block=256, arguments=arguments)
    steps = ran.stores("v") / 1024 - ("break" in search)
    assert steps == pytest.approx(19.5, rel=0.1)


@pytest.mark.parametrize(
    "search",
    [
        "for (int j = 0; j < m; j++) if (t[i + j] != p[j]) return; found[i] = 1;",
        "bool same = true; for (int j = 0; j < m; j++) if (t[i + j] != p[j]) { same = false; break; } if (same) found[i] = 1;",
        "for (int j = 0; j < m; j++) if (t[i + j] == p[j]) continue; else return; found[i] = 1;",
        "int j = 0; while (j < m && t[i + j] == p[j]) j++; if (j == m) found[i] = 1;",
    ],
)
def test_what_stands_behind_a_comparison_to_the_end_is_hardly_ever_reached(run, search):
    """Elements of two sequences differ at once, as a rule: the loop is left by what a difference does."""
    text = f"""
    __global__ void k(const char *t, const char *p, int *found, int n, int m) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i > n - m) return;
      {search}
    }}"""
    ran = run(
        text, grid=4, block=256, arguments={"t": 1000, "p": 8, "found": 1000, "n": 1000, "m": 8}
    )
    assert ran.stores("found") == 0
    assert ran.loads("t") in (993, 2 * 993)  # a loop that tests first looks at one more
    assert sum("differ at once" in item.text for item in ran.trace.assumptions) == 1


@pytest.mark.parametrize(
    ("start", "trips"),
    [
        ("(i * 37) % 1000", 8.0),  # from a place of its own to one nearby
        ("0", 5000.0),  # from the first on: to any
    ],
)
def test_a_search_for_a_whole_number_that_is_passed_ends_near_its_start_or_anywhere(
    run, start, trips
):
    text = (
        "__global__ void k(const int *key, const int *limit, float *y, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x, b = limit[i];"
        f" for (int p = {start}; p < n; p++) {{ if (key[p] >= b) break; y[i] = p; }} }}"
    )
    arguments = {"key": 40_000, "limit": 4096, "y": 4096, "n": 10_000}
    ran = run(text, grid=4, block=256, arguments=arguments)
    assert ran.loads("key") / 1024 == pytest.approx(trips, rel=0.15)


@pytest.mark.parametrize(
    "search",
    [
        "int at = 200; for (int j = 0; j < 200; j++) if (v[j] > x) { at = j; break; }",
        "int at = 0; for (; at < 200; at++) if (v[at] > x) break;",
        "int at = 200; for (int j = 0; j < 200; j++) if (!(v[j] <= x)) { at = j; break; }",
    ],
)
def test_what_a_search_has_found_is_any_place(run, search):
    # 200 sorted numbers: what stands behind is as much as what stands before, 100 in the mean.
    text = (
        "__global__ void k(const float *v, const float *q, float *out) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; float x = q[i];"
        f" {search} for (int j = 200; j > at; j--) out[i * 200 + j] = x; }}"
    )
    ran = run(text, grid=64, block=256, arguments={"v": 200, "q": 1 << 14, "out": 1 << 22})
    assert ran.stores("out") / (1 << 14) == pytest.approx(100, rel=0.05)


def test_an_interval_that_data_narrow_is_not_empty_before_the_count_ends(run):
    # One addition in each of 64 turns, one more in the last 32: a decision that turns on the way ends nothing.
    text = (
        "__global__ void k(const unsigned *t, float *y, int len, unsigned n) {"
        " unsigned lo = 0, hi = n; float s = 0;"
        " for (int i = len - 1; i >= 0 && lo < hi; --i) {"
        "   lo = t[lo + threadIdx.x]; hi = t[hi + threadIdx.x]; s += 1.0f; if (i < 32) s += 2.0f; }"
        " y[blockIdx.x * blockDim.x + threadIdx.x] = s; }"
    )
    ran = run(text, grid=4, block=256, arguments={"t": 100000, "len": 64, "n": 5000})
    assert ran.flop == pytest.approx(1024 * (64 + 32), rel=0.01)


@pytest.mark.parametrize(
    "search",
    [
        "int at = 255; for (int j = 0; j < 12; j++) if (names[j] == h) { at = j; break; }",
        "int at = 255; for (int j = 0; j < 12; j++) { if (names[j] != h) continue; else { at = j; break; } }",
        "int at = place(names, h);",
    ],
)
def test_an_element_that_is_looked_up_for_its_place_is_at_any(run, search):
    # Any of the places, of which 6 are looked at in the mean; what stands behind the search knows it as one of the table.
    text = f"""
    __device__ int place(const int *names, int h) {{
      for (int j = 0; j < 12; j++) if (names[j] == h) return j;
      return -1;
    }}
    __global__ void k(const int *names, const int *key, float *sums, float *y) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, h = key[i];
      {search}
      if (at >= 0 && at < 12) {{ sums[at] = 1.0f; y[i] = at; }}
    }}"""
    ran = run(
        text, grid=64, block=256, arguments={"names": 12, "key": 1 << 14, "sums": 12, "y": 1 << 14}
    )
    assert ran.loads("names") / (1 << 14) == pytest.approx(6, rel=0.05)
    assert ran.stores("y") == pytest.approx(1 << 14)


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        # Bytes of a word of 32 bits: half of four.
        ("while (x >= f[r]) { n++; x >>= 8; }", 2),
        ("while (x < f[r]) { n++; x = (x << 8) | n; }", 2),
        # Halves of bytes.
        ("while (x > f[r]) { n++; x = x >> 4; }", 4),
    ],
)
def test_a_word_is_shifted_until_half_of_it_is_gone(run, loop, trips):
    code = (
        "__global__ void k(const unsigned *f, const unsigned *w, const float *v, float *y) {"
        " int r = blockIdx.x * blockDim.x + threadIdx.x; unsigned x = w[r], n = 0; float s = 0;"
        f" {loop.replace('n++;', 'n++; s += v[n];')} y[r] = s; }}"
    )
    # v is far longer than f, which says nothing of the loop: no row of it belongs to an element of f.
    ran = run(code, grid=4, block=256, arguments={"f": 1024, "w": 1024, "v": 1 << 20})
    assert ran.flop == pytest.approx(trips * 1024)


@pytest.mark.parametrize(
    "loop",
    [
        "while (a < b) { int m = (a + b) / 2; if (key[m] < r) a = m + 1; else b = m; }",
        "while (b - a > 1) { int m = a + (b - a) / 2; if (key[m] <= r) a = m; else b = m; }",
        "while (a < b) { int m = (a + b) >> 1; key[m] < r ? a = m + 1 : b = m; }",
    ],
)
def test_a_search_by_halves_in_a_row_takes_the_logarithm_of_its_length(run, loop):
    # 1,024 elements for each of 100 offsets: 10 halvings and a last comparison, not 1,024 iterations.
    text = (
        "__global__ void k(const int *rp, const int *key, int *y, int n) {"
        " int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= n) return;"
        f" int a = rp[r], b = rp[r + 1]; {loop} y[r] = a; }}"
    )
    ran = run(text, grid=1, block=128, arguments={"rp": 100, "key": 102400, "n": 100})
    assert ran.loads("key") == pytest.approx(11 * 100)


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("c > 0 ? c - 1 : 0", "x <= c + 1 && x < n"),
        ("c > 0 ? c - 1 : 0", "x <= (c < n - 1 ? c + 1 : c)"),
        ("c < 1 ? 0 : c - 1", "x <= (c >= n - 1 ? c : c + 1)"),
        ("c - 1 < 0 ? 0 : c - 1", "x <= (c + 1 > n - 1 ? n - 1 : c + 1)"),
        ("0 < c ? c - 1 : 0", "x <= (n - 1 > c ? c + 1 : c)"),
    ],
)
def test_the_cells_around_one_that_nobody_knows_are_three(run, begin, end):
    """From the cell before to the one behind, but for the few at the border."""
    ran = run(
        f"""
        __global__ void k(const int *cell, const float *v, float *o, int n) {{
          int i = blockIdx.x * 128 + threadIdx.x, c = cell[i];
          float s = 0.0f;
          for (int x = {begin}; {end}; x++) s += v[x];
          o[i] = s;
        }}""",
        grid=64,
        block=128,
        arguments={"cell": 64 * 128, "v": 4096, "o": 64 * 128, "n": 4096},
    )
    assert ran.loads("v") == pytest.approx(3 * 64 * 128, rel=0.01)
