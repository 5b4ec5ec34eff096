"""Numbers that have nothing to do with each other are seldom equal; flags, kinds and neighbours may well be."""

import pytest

from roofstat.execution.guesses.equalities import EQUAL

THREADS = 4096


@pytest.mark.parametrize(
    ("test", "share"),
    [
        ("v == w", EQUAL),
        ("v != 0", 1 - EQUAL),
        ("!(v * w != 0)", EQUAL),
        ("v == -2011", 0.5),  # a mark
        ("t[i] == ','", EQUAL),
        ("t[i] != 34", 1 - EQUAL),
        ("t[i] == 'A'", 0.5),  # one of few letters
        ("t[i] == 1", 0.5),  # a kind
        ("t[m[i]] == ','", 0.5),  # places of marks
        ("n == m[i]", EQUAL),
        ("n != m[i] * 3", 1 - EQUAL),
        ("n == limit", EQUAL),
        # the ends of a range
        ("(limit - n) != 0", 1 - EQUAL),
        ("c[i] - m[i]", 1 - EQUAL),
        ("c[i] - 5", 0.5),
        # flags and kinds
        ("n == 7", 0.5),
        ("(n & 3) == m[i]", 0.5),
        ("n % 5 == m[i]", 0.5),
        # elements of one array, and the next number of another
        ("n == c[i + 1]", 0.5),
        ("n == m[i] + 1", 0.5),
        # what a block keeps may be of the same array
        ("n == kept[threadIdx.x ^ 1]", 0.5),
    ],
)
def test_numbers_are_seldom_equal(run, test, share):
    text = (
        "__global__ void k(const float *x, const int *c, const int *m, const char *t, float *out, int limit) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i], w = x[i + 7]; int n = c[i];"
        " __shared__ int kept[256]; kept[threadIdx.x] = n; __syncthreads();"
        f" if ({test}) out[i] = v; }}"
    )
    arrays = {"x": 1 << 20, "c": 1 << 20, "m": 1 << 20, "t": 1 << 20, "out": 1 << 20, "limit": 300}
    ran = run(text, grid=16, block=256, arguments=arrays)
    assert ran.stores("out") / THREADS == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize(
    "body",
    [
        # runs of equal elements, and a count that reaches its limit
        "if (n == last) continue; last = n; out[i] = 1;",
        "at += n; if (at == limit) continue; out[i] = 1;",
        # what is looked for is found
        "bool found = false; if (n == m[i + j]) found = true; if (!found) out[i] = 1;",
    ],
)
def test_runs_and_counts_are_no_numbers_by_chance(run, body):
    text = (
        "__global__ void k(const int *c, const int *m, float *out, int limit) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x, last = -1, at = 0;"
        f" for (int j = 0; j < 64; j++) {{ int n = c[i * 64 + j]; {body} }} }}"
    )
    ran = run(
        text,
        grid=16,
        block=256,
        arguments={"c": 1 << 22, "m": 1 << 22, "out": 1 << 20, "limit": 300},
    )
    assert ran.stores("out") / THREADS / 64 == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("test", "rounds"),
    [
        ("if (~used) { out[i] = base; break; }", 1),
        ("if (used != 0xffffffffu) { out[i] = base; break; }", 1),
        ("if (used == 0xffffffffu) continue; out[i] = base; break;", 1),
        # of bits that nobody sets one by one nothing is known
        ("if (~(x[i] ^ used)) { out[i] = base; break; }", 9),
    ],
)
def test_a_word_of_bits_that_are_set_has_a_free_one(run, test, rounds):
    text = (
        "__global__ void k(const unsigned *x, const int *col, int *out) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x;"
        " for (int base = 0;; base += 32) { unsigned used = 0;"
        f" for (int j = 0; j < 4; j++) used |= 1u << (col[i * 4 + j] & 31); {test} }} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"x": 1 << 20, "col": 1 << 20, "out": 1 << 20})
    assert ran.loads("col") / 4096 == pytest.approx(rounds)
