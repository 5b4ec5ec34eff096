"""Ways to the root of a tree that an array of parents holds: between one link and those of a tree that grew at random."""

import math

import pytest

LANES = 40 * 256
ELEMENTS = 1 << 20
LINKS = math.sqrt(
    math.log(ELEMENTS)
)  # 3.7: of n elements 1 where trees are flat, ln(n) = 14 where they grew at random

PLAIN = "while (c != parent[c]) c = parent[c]; out[i] = c;"
WITH_COPY = "int p = parent[c]; while (p != c) { c = p; p = parent[c]; } out[i] = c;"
ASSIGNED = "int p; while ((p = parent[c]) != c) c = p; out[i] = c;"
DOWNWARDS = "int p; while (c > (p = parent[c])) c = p; out[i] = c;"
HALVED = "int last = i, p; while (c > (p = parent[c])) { parent[last] = p; last = c; c = p; } out[i] = c;"


def find(run, loop):
    text = (
        "__global__ void k(int *parent, const int *first, int *out) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; int c = first[i]; {loop} }}"
    )
    return run(
        text, grid=40, block=256, arguments={"parent": ELEMENTS, "first": LANES, "out": LANES}
    )


@pytest.mark.parametrize(
    ("loop", "looks"),
    [
        (PLAIN, 1 + 2 * LINKS),  # loads what it goes on to a second time
        (WITH_COPY, 1 + LINKS),
        (ASSIGNED, 1 + LINKS),
        (DOWNWARDS, 1 + LINKS),
        (HALVED, 1 + LINKS),
    ],
)
def test_the_way_to_a_root_is_neither_flat_nor_random(run, loop, looks):
    assert find(run, loop).loads("parent") / LANES == pytest.approx(looks, rel=0.1)


@pytest.mark.parametrize(
    "loop",
    [
        "while (parent[c] >= 0) c = parent[c];",  # down a tree, to a leaf
        "while (c != parent[c]) c++;",
        "while (c != parent[i]) c = parent[c];",
    ],
)
def test_other_ways_are_none_to_a_root(run, loop):
    assert not any("a root" in item.text for item in find(run, loop).trace.assumptions)


@pytest.mark.parametrize("order", ["<", "!="])
def test_parents_that_the_host_draws_are_a_tree_all_the_same(host, order):
    """Of numbers drawn one by one each lane would come to a smaller one ln(n) times."""
    text = f"""
    #include <cstdlib>
    #include <vector>
    __global__ void k(const int *parent, int *out) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, c = parent[i];
      while (parent[c] {order} c) c = parent[c];
      out[i] = c;
    }}
    int main() {{
      const int n = {ELEMENTS};
      std::vector<int> parent(n);
      for (int i = 0; i < n; i++) parent[i] = rand() % n;
      int *d, *out;
      cudaMalloc(&d, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(d, parent.data(), n * 4, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(d, out);
    }}"""
    (totals,) = host(text).only().trace.loops.values()
    assert totals.mean_trips == pytest.approx(LINKS, rel=0.1)
