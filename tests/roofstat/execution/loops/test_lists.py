"""Walks along linked lists: arrays of heads and links say how long a list is in the mean, and lists differ."""

import math

import pytest

QUERIES = 40 * 256
HEADS = 1 << 16
ITEMS = 100_000
MEAN = ITEMS / HEADS

WALK = "for (int k = head[key & (heads - 1)]; k >= 0; k = next[k]) if (keys[k] == key) out[i] = k;"
SEARCH = "int k = head[key & (heads - 1)]; while (k != -1 && keys[k] != key) k = next[k]; if (k >= 0) out[i] = k;"
LEAVES = "for (int k = head[key & (heads - 1)]; k >= 0; k = next[k]) if (keys[k] == key) { out[i] = k; break; }"


def walk(run, loop, **sizes):
    text = (
        "__global__ void k(const int *head, const int *next, const int *keys, const int *wanted, int *out, int heads) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; int key = wanted[i]; {loop} }}"
    )
    buffers = {"head": HEADS, "next": ITEMS, "keys": ITEMS, "wanted": QUERIES, "out": QUERIES}
    return run(text, grid=40, block=256, arguments=buffers | {"heads": HEADS} | sizes)


def test_a_list_has_its_share_of_the_elements(run):
    assert walk(run, WALK).loads("keys") / QUERIES == pytest.approx(MEAN, rel=0.1)


def test_half_of_the_searches_end_half_way(run):
    # Half pass all of a list (1.5 elements), half those before theirs (0.8) and look at it.
    expected = MEAN / 2 + (1 + MEAN / 2) / 2
    assert walk(run, LEAVES).loads("keys") / QUERIES == pytest.approx(expected, rel=0.1)
    passed = MEAN / 2 + MEAN / 2 / 2
    assert walk(run, SEARCH).loads("next") / QUERIES == pytest.approx(passed, rel=0.1)


def test_a_warp_waits_for_its_longest_list(run):
    # The longest of 32 of Poisson's distribution: 4.6 elements, where 1.5 are the mean.
    below = [
        sum(math.exp(-MEAN) * MEAN**k / math.factorial(k) for k in range(n)) for n in range(40)
    ]
    longest = sum(1 - part**32 for part in below[1:])
    assert walk(run, WALK).warps("next") * 32 / QUERIES == pytest.approx(longest, rel=0.1)


@pytest.mark.parametrize(
    "loop", [WALK.replace("= next[k]", "= next[k] - 1"), WALK.replace("next[k]", "head[k]")]
)
def test_other_chains_are_no_lists(run, loop):
    assert not any(" list" in item.text for item in walk(run, loop).trace.assumptions)


def test_bounds_that_are_swapped_are_no_list(run):
    # The rows of two vertices, the longer one last: copies between variables go in a circle.
    text = """
    __global__ void k(const unsigned *off, const unsigned *data, unsigned *out) {
      unsigned i = threadIdx.x, a = off[i], b = off[i + 1], c = off[2 * i], d = off[2 * i + 1];
      if (b - a > d - c) { unsigned t = a; a = c; c = t; t = b; b = d; d = t; }
      for (unsigned e = a; e < b; e++) out[data[e]] = 1;
    }"""
    ran = run(text, arguments={"off": 4096, "data": 4096, "out": 4096})
    assert ran.stores("out") > 0
