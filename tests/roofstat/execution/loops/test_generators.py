"""Random numbers that host code makes itself: what its generators leave in arrays is spread over their range."""

from __future__ import annotations

import pytest

from clang_queries.ir.types import Scalar
from roofstat.execution.loops.generators import state_range
from roofstat.program.code import Op

N = 1 << 20


def congruence(start, factor, addend, bits):
    values, state = [], start
    for _ in range(3):
        state = (state * factor + addend) % (1 << bits)
        values.append(state)
    return values


@pytest.mark.parametrize("start", [1, 7, 12345, 99])
def test_states_of_congruences_may_be_any_word(start):
    assert state_range(congruence(start, 1664525, 1013904223, 32), Scalar.U32) == (0, 2**32 - 1)


def test_a_state_kept_in_part_of_a_long_word_stays_there():
    # Park and Miller: below 2^31 - 1, going up and down.
    values = [16807, 282475249, 1622650073, 984943658]
    assert state_range(values, Scalar.I64) is None or state_range(values, Scalar.I64) == (
        0,
        2**31 - 1,
    )
    assert state_range(values[1:], Scalar.I32) == (0, 2**31 - 1)


@pytest.mark.parametrize(
    "values",
    [
        [10, 20, 30],  # a counter
        [0, 70_000, 130_000],  # offsets of uneven rows
        [2**31, 2**31 + 5, 2**31 + 9],  # addresses
        [5, 5, 900_000_000],  # settled before
        [0, 2**30, 2**31],  # a stride, even if a wide one
    ],
)
def test_counters_are_no_generators(values):
    assert state_range(values, Scalar.U32) is None


STEP = "s = s * 1664525u + 1013904223u;"
LONG_STEP = "s = s * 6364136223846793005ull + 1;"
SHIFTS = "s ^= s << 13; s ^= s >> 17; s ^= s << 5;"


def taken(host, before, state, number, *, compared="x[i] < 0.25f", type_="float"):
    """Share of the threads whose element passes a test, of elements that a host loop draws with a generator of its own."""
    text = f"""
    #include <vector>
    __global__ void k(const {type_} *x, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n && {compared}) out[i] = 1;
    }}
    {before}
    int main() {{
      int n = {N};
      {type_} *x; float *out; cudaMalloc(&x, n * 4); cudaMalloc(&out, n * 4);
      std::vector<{type_}> h(n);
      {state}
      for (int i = 0; i < n; i++) h[i] = {number};
      cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(x, out, n);
    }}"""
    trace = host(text).only().trace
    sites = [item.site for _, item in trace.code.instructions() if item.op is Op.STORE]
    return sum(trace.sites[site].threads for site in sites if site in trace.sites) / N


@pytest.mark.parametrize(
    ("before", "state", "number"),
    [
        (
            f"static unsigned s = 7; static float next() {{ {STEP} return (s >> 8) / 16777216.0f; }}",
            "",
            "next()",
        ),
        (
            "",
            f"unsigned s = 3; auto next = [&] {{ {STEP} return (s & 0x7fffffff) / 2147483648.0f; }};",
            "next()",
        ),
        (
            "",
            f"unsigned s = 1; auto next = [&] {{ {STEP} return (int)s / 4294967296.0f + 0.5f; }};",
            "next()",
        ),
        (
            f"struct R {{ unsigned long long s; float next() {{ {LONG_STEP} return (s >> 40) / 16777216.0f; }} }};",
            "R r{9};",
            "r.next()",
        ),
        (
            f"static float next(unsigned &s) {{ {SHIFTS} return s / 4294967296.0f; }}",
            "unsigned s = 5;",
            "next(s)",
        ),
    ],
    ids=["static", "lambda", "signed", "long", "shifts"],
)
def test_a_quarter_of_even_numbers_is_below_a_quarter(host, before, state, number):
    # Some hundred threads are looked at: 0.25 within three times sqrt(0.25 * 0.75 / 500).
    assert taken(host, before, state, number) == pytest.approx(0.25, abs=0.06)


def test_the_upper_word_of_a_product_is_below_the_factor(host):
    number = "next()"
    before = f"static unsigned s = 1; static int next() {{ {STEP} return (int)(((unsigned long long)s * 1000) >> 32); }}"
    assert taken(host, before, "", number, compared="x[i] < 1000", type_="int") == 1
    assert taken(host, before, "", number, compared="x[i] < 500", type_="int") == pytest.approx(
        0.5, abs=0.05
    )


def test_numbers_packed_into_one_word_are_not_spread_over_it(host):
    # Where a row begins above, where it ends below: it has not 2^31 elements in the mean.
    text = """
    #include <cstdlib>
    #include <vector>
    __global__ void k(const unsigned long long *rows, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      unsigned begin = rows[i] >> 32, end = rows[i] & 0xffffffff;
      for (unsigned j = begin; j < end; j++) out[j] = 1;
    }
    int main() {
      int n = 4096; unsigned long long at = 0; std::vector<unsigned long long> h(n);
      for (int i = 0; i < n; i++) { unsigned size = rand() % 40 + 1; h[i] = (at << 32) | (at + size); at += size; }
      unsigned long long *rows; float *out; cudaMalloc(&rows, n * 8); cudaMalloc(&out, at * 4);
      cudaMemcpy(rows, h.data(), n * 8, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(rows, out, n);
    }"""
    trace = host(text).only().trace
    sites = [item.site for _, item in trace.code.instructions() if item.op is Op.STORE]
    assert sum(trace.sites[site].threads for site in sites if site in trace.sites) < 4096 * 1000


def test_the_end_of_a_file_is_no_character(host):
    # fgetc gives -1 to 255: a loop to the end of a file goes on behind the characters, and what follows is launched.
    text = """
    #include <cstdio>
    __global__ void k(float *out) { out[threadIdx.x] = 1; }
    int main() {
      FILE *f = fopen("numbers.txt", "r");
      char c; int n = 0;
      while ((c = fgetc(f)), c != EOF) n++;
      float *out; cudaMalloc(&out, 4096);
      k<<<1, 32>>>(out);
    }"""
    assert host(text).shapes == [("k", (1, 1, 1), (32, 1, 1), 1)]
