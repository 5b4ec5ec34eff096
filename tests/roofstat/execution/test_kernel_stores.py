"""What a kernel stores and reads back itself, and what it leaves to later launches."""

from __future__ import annotations

import pytest

from roofstat.execution.stored.kernel_stores import stores_of, stores_so_far

HEAD = """
#include <cuda_runtime.h>
#include <stdlib.h>
#define ID (blockIdx.x * blockDim.x + threadIdx.x)
"""
N = 1 << 16


def stores(launch, array="out"):
    return sum(
        launch.trace.sites[item.site].threads
        for _, item in launch.trace.code.instructions()
        if item.site in launch.trace.sites
        and getattr(item.detail, "array", "") == array
        and item.op.value == "store"
    )


def guesses(launch):
    return {item.kind for item in launch.trace.assumptions} & {"branch", "trip-count"}


def after(host, first, second, *, blocks=N // 256, setup=""):
    """The launch of a kernel that reads what another one left in `a` (ints), and writes `out`."""
    text = f"""{HEAD}
    __global__ void first(int *a, int n) {{ int i = ID; {first} }}
    __global__ void second(const int *a, float *out, int n) {{ int i = ID; {second} }}
    int main() {{
      int n = {N}, *a; float *out; cudaMalloc(&a, n * 4); cudaMalloc(&out, n * 4);
      {setup}
      first<<<{blocks}, 256>>>(a, n);
      second<<<n / 256, 256>>>(a, out, n);
    }}"""
    return host(text).launches[-1]


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("a[i] = 7;", "if (a[i] == 7) out[i] = 1;", 1),
        ("a[i] = -1;", "if (a[i] >= 0) out[i] = 1;", 0),
        ("a[i] = i;", "if (a[i] < n / 4) out[i] = 1;", 0.25),
        ("a[i] = 2 * i + 1;", "if (a[i] < n) out[i] = 1;", 0.5),
        ("a[i] = threadIdx.x % 4;", "if (a[i] == 3) out[i] = 1;", 0.25),
        ("if (i < n) a[i] = i % 10 < 3 ? 5 : 6;", "if (a[i] == 5) out[i] = 1;", 0.3),
        ("a[i] = 3;", "for (int j = 0; j < a[i]; j++) out[i] += 1;", 3),
        ("a[i] = i & 7;", "for (int j = 0; j < a[i]; j++) out[i] += 1;", 3.5),
        (
            "for (int j = i; j < n; j += gridDim.x * blockDim.x) a[j] = 2;",
            "if (a[i] == 2) out[i] = 1;",
            1,
        ),
    ],
)
def test_what_a_kernel_sets_decides_in_the_next(host, first, second, share):
    launch = after(host, first, second)
    assert stores(launch) / N == pytest.approx(share, abs=0.08)
    assert not guesses(launch)


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("for (int j = i; j < n; j += 1024) a[j] = 2;", "if (a[i] == 2) out[i] = 1;", 1),
        ("for (int j = i; j < n; j += 1024) a[j] = j;", "if (a[i] != i) out[i] = 1;", 0),
        (
            "for (int j = n - 1 - i; j >= 0; j -= 1024) a[j] = j;",
            "if (a[i] < n / 4) out[i] = 1;",
            0.25,
        ),
        ("for (int j = i; j < n; j += 1024) a[j] = j % 4;", "if (a[i] == 3) out[i] = 1;", 0.25),
    ],
)
def test_what_a_grid_sets_in_strides_decides_in_the_next(host, first, second, share):
    # 64 iterations, of which a few are run that reach nowhere near the end.
    launch = after(host, first, second, blocks=4)
    assert stores(launch) / N == pytest.approx(share, abs=0.08)
    assert not guesses(launch)


def test_what_a_grid_sets_twice_over_half_of_an_array_leaves_the_rest_unknown(host):
    first = "for (int t = 0; t < 64; t++) a[i] = 7;"
    launch = after(host, first, "if (a[i] == 7) out[i] = 1;", blocks=4)
    assert guesses(launch) == {"branch"}


@pytest.mark.parametrize(
    ("clear", "first", "second", "share"),
    [
        # As many stores as elements, each to any of them: 1 - 1 / e are met.
        ("cudaMemset(a, 0, n * 4);", "a[p[i]] = 1;", "if (a[i]) out[i] = 1;", 0.632),
        # What was never set was not meant to be read.
        ("", "if (i % 4 == 0) a[p[i]] = 1;", "if (a[i]) out[i] = 1;", 1),
        ("", "a[p[i]] = i % 4;", "if (a[i] == 3) out[i] = 1;", 0.25),
        # Counts of 1 in the mean: 0.368 are 0, as many are 1.
        (
            "cudaMemset(a, 0, n * 4);",
            "atomicAdd(&a[p[i]], 1);",
            "if (a[i] == 1) out[i] = 1;",
            0.368,
        ),
        (
            "cudaMemset(a, 0, n * 4);",
            "for (int k = 0; k < 200; k++) atomicAdd(&a[p[i + k]], 1);",
            "for (int k = 0; k < a[i]; k++) out[i] = 1;",
            200,
        ),
    ],
)
def test_what_a_kernel_leaves_at_places_that_nobody_knows(host, clear, first, second, share):
    text = f"""{HEAD}
    __global__ void first(int *a, const int *p, int n) {{ int i = ID; {first} }}
    __global__ void second(const int *a, float *out, int n) {{ int i = ID; {second} }}
    int main() {{
      int n = {N}, *a, *p; float *out;
      cudaMalloc(&a, n * 4); cudaMalloc(&p, 2 * n * 4); cudaMalloc(&out, n * 4);
      {clear}
      first<<<n / 256, 256>>>(a, p, n);
      second<<<n / 256, 256>>>(a, out, n);
    }}"""
    launch = host(text).launches[-1]
    # Some hundred threads are looked at: 0.07 is three times what chance does to a third of them.
    assert stores(launch) / N == pytest.approx(share, rel=0.05, abs=0.07)
    assert not guesses(launch)


def test_where_cells_begin_and_end_is_not_drawn(host):
    """Each of n sorted keys that differs from the one before it ends a cell and begins another: the length is unknown."""
    ran = host(
        f"""{HEAD}
        __global__ void bounds(const int *key, int *begin, int *end, int n) {{
          int i = ID;
          if (i > 0 && key[i] != key[i - 1]) {{ begin[key[i]] = i; end[key[i - 1]] = i; }}
        }}
        __global__ void meet(const int *key, const int *begin, const int *end, float *out, int n) {{
          int i = ID;
          for (int j = begin[key[i]]; j < end[key[i]]; j++) {{
            if (j == i) continue;
            out[i] = j;
          }}
        }}
        int main() {{
          int n = {N}, *key, *begin, *end; float *out;
          cudaMalloc(&key, n * 4); cudaMalloc(&begin, n * 4);
          cudaMalloc(&end, n * 4); cudaMalloc(&out, n * 4);
          bounds<<<n / 256, 256>>>(key, begin, end, n);
          meet<<<n / 256, 256>>>(key, begin, end, out, n);
        }}"""
    )
    launch = ran.launches[-1]
    # By default 8 iterations, in none of which the element meets itself.
    assert stores(launch) / N == pytest.approx(8, rel=0.01)


def test_what_a_guess_chooses_is_drawn_with_what_it_leaves(host):
    """Half of the threads are taken to store a 0, and the others a number of bits, of which half are above 16."""
    ran = host(
        f"""{HEAD}
        __global__ void first(const int *c, int *a) {{ int d = c[ID]; a[ID] = d ? 32 - __clz(d) : 0; }}
        __global__ void second(const int *a, float *out) {{ if (a[ID] > 16) out[ID] = 1; }}
        int main() {{
          int n = {N}, *c, *a; float *out;
          cudaMalloc(&c, n * 4); cudaMalloc(&a, n * 4); cudaMalloc(&out, n * 4);
          first<<<n / 256, 256>>>(c, a);
          second<<<n / 256, 256>>>(a, out);
        }}"""
    )
    assert stores(ran.launches[-1]) / N == pytest.approx(0.25, abs=0.08)


def test_the_few_positions_that_were_kept_in_the_sample_say_nothing_of_others(host):
    """Of the threads that are looked at only the first finds what begins a word: lengths are unknown, and not 0."""
    ran = host(
        f"""{HEAD}
        __global__ void begins(const char *text, const int *place, int *begin, int n) {{
          int i = ID;
          if (i == 0) begin[place[i]] = i;
        }}
        __global__ void words(const int *begin, float *out, int n) {{
          int i = ID;
          for (int j = begin[i]; j < begin[i + 1]; j++) out[j] = 1;
        }}
        int main() {{
          int n = {N}, *place, *begin; char *text; float *out;
          cudaMalloc(&text, n); cudaMalloc(&place, n * 4);
          cudaMalloc(&begin, n * 4); cudaMalloc(&out, n * 4);
          begins<<<n / 256, 256>>>(text, place, begin, n);
          words<<<n / 256, 256>>>(begin, out, n);
        }}"""
    )
    assert stores(ran.launches[-1]) / N == pytest.approx(8, rel=0.01)


@pytest.mark.parametrize(
    "first",
    [
        "if (i < n / 2) a[i] = 7;",
        "a[i] = clock();",
        "atomicAdd(&a[i], 1);",
        "a[i] = 7; a[a[i + 1] & 1023] = 8;",
    ],
)
def test_what_is_not_known_of_every_element_stays_unknown(host, first):
    assert guesses(after(host, first, "if (a[i] == 7) out[i] = 1;")) == {"branch"}


def test_a_few_stores_leave_the_rest_as_it_was(host):
    launch = after(
        host,
        "if (i == 0) a[0] = 9;",
        "if (a[i] == 0) out[i] = 1;",
        setup="cudaMemset(a, 0, n * 4);",
    )
    assert stores(launch) == pytest.approx(N, rel=0.01)
    assert not guesses(launch)


def test_members_of_records_are_told_apart(host):
    text = f"""{HEAD}
    struct P {{ float x; float y; }};
    __global__ void first(P *p) {{ int i = ID; p[i].x = 1.0f; p[i].y = 2.0f; }}
    __global__ void second(const P *p, float *out) {{ int i = ID; if (p[i].x < p[i].y) out[i] = 1; }}
    int main() {{
      P *p; float *out; cudaMalloc(&p, 8 * {N}); cudaMalloc(&out, 4 * {N});
      first<<<{N} / 256, 256>>>(p); second<<<{N} / 256, 256>>>(p, out);
    }}"""
    launch = host(text).launches[-1]
    assert stores(launch) == pytest.approx(N)
    assert not guesses(launch)


def test_of_a_record_with_a_member_that_nobody_knows_the_others_are_known(host):
    text = f"""{HEAD}
    struct P {{ float x; float y; }};
    __global__ void first(P *p, float z) {{ int i = ID; p[i].x = z * i; p[i].y = 2.0f; }}
    __global__ void second(const P *p, float *out) {{ int i = ID; if (p[i].y > 1.0f) out[i] = 1; }}
    int main(int argc, char **argv) {{
      P *p; float *out; cudaMalloc(&p, 8 * {N}); cudaMalloc(&out, 4 * {N});
      first<<<{N} / 256, 256>>>(p, atof(argv[1])); second<<<{N} / 256, 256>>>(p, out);
    }}"""
    launch = host(text).launches[-1]
    assert stores(launch) == pytest.approx(N)
    assert not guesses(launch)


def alone(host, body, *, blocks=64):
    text = f"""{HEAD}
    __global__ void k(float *out, int n) {{ int i = ID, t = threadIdx.x; {body} }}
    int main() {{ float *out; cudaMalloc(&out, 4 << 20); k<<<{blocks}, 256>>>(out, 1000); }}"""
    return host(text).only()


@pytest.mark.parametrize(
    ("body", "each"),
    [
        # its own place
        ("__shared__ int s[256]; s[t] = t; __syncthreads(); if (s[t] < 64) out[i] = 1;", 0.25),
        # a neighbour's
        (
            "__shared__ int s[256]; s[t] = t & 3; __syncthreads(); if (s[t ^ 1] == 2) out[i] = 1;",
            0.25,
        ),
        ("__shared__ int s[256]; s[t] = 5; __syncthreads(); if (s[255 - t] == 5) out[i] = 1;", 1),
        # stored again
        ("__shared__ int s[256]; s[t] = 1; s[t] += 2; if (s[t] == 3) out[i] = 1;", 1),
        # global memory, by the thread itself
        ("out[i] = t; if (out[i] < 64.0f) out[i] = 2;", 1.25),
        # arrays of a thread, with places that only the run knows
        ("int v[8] = {0}; v[t & 7] = 1; if (v[t & 7] == 1) out[i] = v[(t + 1) & 7];", 1),
        ("int v[8]; v[t & 7] = t; v[(t + 1) & 7] = 9; if (v[t & 7] == t) out[i] = 1;", 1),
    ],
)
def test_a_kernel_reads_back_what_it_stored(host, body, each):
    launch = alone(host, body)
    assert stores(launch) / (64 * 256) == pytest.approx(each, abs=0.08)
    assert not guesses(launch)


def test_what_another_thread_may_have_overwritten_is_not_taken_for_known(host):
    body = "out[i] = 0; __syncthreads(); out[(i * 7) % n] = 1; if (out[i] == 0) out[i + n] = 2;"
    assert guesses(alone(host, body)) == {"branch"}


def test_counters_in_memory_are_not_read_before_their_loop_has_ended(host):
    body = (
        "__shared__ int s[256]; s[t] = 0; for (int j = 0; j < 5000; j++) s[t] += 1;"
        "for (int j = 0; j < s[t]; j++) out[i] = j;"
    )
    launch = alone(host, body)
    assert stores(launch) / (64 * 256) == pytest.approx(5000, rel=0.01) or guesses(launch)


def test_values_beyond_any_integer_are_not_drawn(host):
    # Sums of products of bounded values have bounds that no 64-bit number holds.
    body = "long v = x[i]; for (int j = 0; j < 9; j++) v = v * 100000 + x[i + j]; s[t] = v; if (s[t] > 5) out[i] = 1;"
    text = f"""{HEAD}
    __global__ void k(const long *x, float *out) {{ int i = ID, t = threadIdx.x; __shared__ long s[256]; {body} }}
    int main() {{
      int n = {N}; long *h = (long *)malloc(8 * n + 80), *d; float *out;
      for (int i = 0; i < n + 10; i++) h[i] = rand();
      cudaMalloc(&d, 8 * n + 80); cudaMalloc(&out, 4 * n);
      cudaMemcpy(d, h, 8 * n + 80, cudaMemcpyHostToDevice); k<<<n / 256, 256>>>(d, out);
    }}"""
    assert 0 <= stores(host(text).only()) <= N


def test_what_another_run_has_stored_is_not_read():
    class Allocation:
        def __init__(self):
            self.state = {}

    allocation = Allocation()
    first = stores_of(allocation, run=1)
    assert stores_so_far(allocation, run=1) is first
    assert stores_so_far(allocation, run=2) is None


@pytest.mark.parametrize(
    ("record", "others"),
    [
        ("float2", ""),
        # A member of another type, and one that nobody knows.
        ("P", "struct P { float x, y, q; int kind; };"),
    ],
)
def test_tiles_of_records_hold_what_was_loaded_into_their_members(host, record, others):
    """Of two coordinates from 0 to 100 that are drawn, 19 % lie less than 10 apart: 2 * 0.1 - 0.1^2; weights are below 1.

    Other tiles hold other draws: that their means differ a little is no trend.
    """
    ran = host(
        f"""{HEAD} {others}
        __global__ void near(const {record} *p, float *out, int n) {{
          __shared__ {record} tile[128];
          int i = ID;
          {record} me = p[i];
          float sum = 0.0f;
          for (int b = 0; b < n; b += 128) {{
            tile[threadIdx.x] = p[b + threadIdx.x];
            __syncthreads();
            for (int k = 0; k < 128; k++)
              if (fabsf(tile[k].x - me.x) < 10.0f && tile[k].y < 2.0f) out[i] = sum + k;
            __syncthreads();
          }}
        }}
        int main() {{
          int n = 1 << 12;
          {record} *h = ({record} *)malloc(n * sizeof({record})), *d; float *out;
          for (int i = 0; i < n; i++) {{
            h[i].x = 100.0f * rand() / RAND_MAX;
            h[i].y = 1.0f * rand() / RAND_MAX;
          }}
          cudaMalloc(&d, n * sizeof({record})); cudaMalloc(&out, n * 4);
          cudaMemcpy(d, h, n * sizeof({record}), cudaMemcpyHostToDevice);
          near<<<n / 128, 128>>>(d, out, n);
        }}"""
    )
    launch = ran.only()
    assert stores(launch) / (1 << 24) == pytest.approx(0.19, rel=0.15)
    assert not guesses(launch)


@pytest.mark.parametrize(
    ("first", "joined"),
    [
        ("a[i] = i - (i * 7 % 13) % 5;", ""),
        # Trees of neighbours that are joined stay near.
        ("a[i] = i - (i * 7 % 13) % 5;", "join<<<n / 256, 256>>>(a, n);"),
    ],
)
def test_numbers_near_their_own_places_stay_near(host, first, joined):
    text = f"""{HEAD}
    __global__ void first(int *a, int n) {{ int i = ID; {first} }}
    __global__ void join(int *a, int n) {{ int i = ID; if (i > 0) atomicMin(&a[a[i]], a[i - 1]); }}
    __global__ void second(const int *a, const float *b, float *out, int n) {{
      int i = ID;
      if (a[i] <= i && a[a[i]] > i - 10) out[i] = b[a[i]];
    }}
    int main() {{
      int n = {N}, *a; float *b, *out;
      cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&out, n * 4);
      first<<<n / 256, 256>>>(a, n);
      {joined}
      second<<<n / 256, 256>>>(a, b, out, n);
    }}"""
    launch = host(text).launches[-1]
    assert stores(launch) / N == pytest.approx(1, abs=0.02)
    assert not guesses(launch)


def test_elements_beside_those_of_the_turn_before_hold_what_the_host_left(host):
    # A quarter of the numbers is below a quarter, in the second half of each block's elements as in the first.
    text = f"""{HEAD}
    __global__ void k(float *a, float *out) {{
      for (int turn = 0; turn < 2; turn++) {{
        int i = blockIdx.x * 512 + turn * 256 + threadIdx.x;
        if (a[i] < 0.25f) out[i] = 1;
        a[i] += 1.0f;
      }}
    }}
    int main() {{
      int n = {N};
      float *h = (float *)malloc(n * 4), *a, *out;
      for (int i = 0; i < n; i++) h[i] = rand() / (float)RAND_MAX;
      cudaMalloc(&a, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
      k<<<n / 512, 256>>>(a, out);
    }}"""
    launch = host(text).only()
    assert stores(launch) == pytest.approx(N / 4, rel=0.1)
    assert not guesses(launch)
