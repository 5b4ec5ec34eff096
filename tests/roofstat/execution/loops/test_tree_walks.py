"""Walks through trees that nobody knows: by a stack of the thread or along links, with what is left out or taken as a whole."""

import pytest

LANES = 40 * 128
ELEMENTS = 1 << 17
CULLED = 2.3 * 17
SUMMED = 50 * 17

HEAD = """
struct Node { float lo, hi; int left, right, first, count; };
__global__ void k(const Node *nodes, const float *item, const float *query, float *out, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = query[i], best = 1e30f, sum = 0;
  int found = -1;
"""
LEAF = """for (int j = nodes[c].first; j < nodes[c].first + nodes[c].count; j++)
  if (fabsf(item[j] - x) < best) { best = fabsf(item[j] - x); found = j; }"""
STACK = f"""
  int stack[64], sp = 0; stack[sp++] = 0;
  while (sp > 0) {{
    int c = stack[--sp];
    if (x < nodes[c].lo || x > nodes[c].hi) continue;
    if (nodes[c].count > 0) {{ {LEAF} }}
    else {{ stack[sp++] = nodes[c].left; stack[sp++] = nodes[c].right; }}
  }}"""
BREAK = f"""
  int stack[64], sp = 0, c = 0;
  while (true) {{
    if (x >= nodes[c].lo && x <= nodes[c].hi) {{
      if (nodes[c].count > 0) {{ {LEAF} }}
      else {{ stack[sp++] = nodes[c].left; c = nodes[c].right; continue; }}
    }}
    if (sp == 0) break;
    c = stack[--sp];
  }}"""
LAST = f"""
  int stack[64], top = 0; stack[0] = 0;
  do {{
    int c = stack[top--];
    if (x < nodes[c].lo || x > nodes[c].hi) continue;
    if (nodes[c].count > 0) {{ {LEAF} }}
    else {{ stack[++top] = nodes[c].left; stack[++top] = nodes[c].right; }}
  }} while (top >= 0);"""
MARK = f"""
  int stack[64], sp = 0, c = 0; stack[sp++] = -1;
  while (c != -1) {{
    if (x >= nodes[c].lo && x <= nodes[c].hi) {{
      if (nodes[c].count > 0) {{ {LEAF} }}
      else {{ stack[sp++] = nodes[c].left; c = nodes[c].right; continue; }}
    }}
    c = stack[--sp];
  }}"""
TESTED = f"""
  int stack[64], sp = 0; stack[sp++] = 0;
  while (sp) {{
    int c = stack[--sp];
    if (nodes[c].count > 0) {{ {LEAF} }}
    else {{
      int l = nodes[c].left, r = nodes[c].right;
      if (x >= nodes[l].lo && x <= nodes[l].hi) stack[sp++] = l;
      if (x >= nodes[r].lo && x <= nodes[r].hi) stack[sp++] = r;
    }}
  }}"""
LINKS = f"""
  int c = 0;
  while (c < m) {{
    if (x < nodes[c].lo || x > nodes[c].hi) c = nodes[c].right;
    else {{ if (nodes[c].count > 0) {{ {LEAF} }} c = c + 1; }}
  }}"""
GRAVITY = """
  int c = 0;
  while (c < m) {
    float d = nodes[c].lo - x;
    if (nodes[c].hi < d * d) { sum += nodes[c].hi / d; c = nodes[c].right; }
    else if (nodes[c].count > 0) {
      for (int j = nodes[c].first; j < nodes[c].first + nodes[c].count; j++) sum += 1 / (item[j] - x);
      c = nodes[c].right;
    } else c = c + 1;
  }"""
STORE = "out[i] = best + sum + found; }"


def walk(run, loop):
    return run(
        HEAD + loop + STORE,
        grid=40,
        block=128,
        arguments={
            "nodes": 4096,
            "item": ELEMENTS,
            "query": LANES,
            "out": LANES,
            "m": 4096,
        },
    )


def nodes_seen(ran, name="nodes.lo"):
    return max(
        ran.trace.sites[item.site].threads
        for _, item in ran.code.instructions()
        if item.site in ran.trace.sites and getattr(item.detail, "array", "") == name
    )


@pytest.mark.parametrize(
    ("loop", "nodes"),
    [
        (STACK, CULLED),
        (BREAK, CULLED),
        (LAST, CULLED),
        (MARK, CULLED),
        (LINKS, CULLED),
        (GRAVITY, SUMMED),
    ],
    ids=["stack", "break", "last", "mark", "links", "gravity"],
)
def test_a_walk_looks_at_so_many_nodes_for_each_level(run, loop, nodes):
    assert nodes_seen(walk(run, loop)) / LANES == pytest.approx(nodes, rel=0.05)


def test_where_children_are_tested_first_those_that_are_left_out_are_never_on_the_stack(run):
    ran = walk(run, TESTED)
    assert nodes_seen(ran, "nodes.left") / LANES == pytest.approx(0.55 * 0.9 * CULLED, rel=0.1)


def test_nine_of_ten_nodes_that_are_entered_are_inner_ones(run):
    ran = walk(run, STACK)
    leaves = nodes_seen(ran, "item") / LANES
    # 4,096 nodes of which half are leaves that share out 2^17 elements: 64 each
    assert leaves == pytest.approx(CULLED * 0.5 * 0.1 * 64, rel=0.5)


def test_most_cells_that_are_far_away_are_taken_as_a_whole(run):
    ran = walk(run, GRAVITY)
    opened = nodes_seen(ran, "item") / LANES
    assert opened == pytest.approx(SUMMED * 0.2 * 0.25 * 64, rel=0.2)


@pytest.mark.parametrize(
    "loop",
    [
        # the way down to one leaf
        "int c = 0; while (nodes[c].count == 0) c = x < nodes[c].lo ? nodes[c].left : nodes[c].right; found = c;",
        # a stack of numbers that are no places
        """int stack[64], sp = 0; stack[sp++] = i;
        while (sp > 0) { int d = stack[--sp]; sum += d; if (x < d) stack[sp++] = d - 1; }""",
        # a way down for each element of the stack
        """int stack[64], sp = 0, c = 0; do {
          while (nodes[c].count == 0) { stack[sp++] = nodes[c].left; c = nodes[c].right; }
          sum += nodes[c].lo; c = stack[--sp]; } while (sp > 0);""",
    ],
)
def test_other_loops_are_no_walks(run, loop):
    assert not any("through a tree" in item.text for item in walk(run, loop).trace.assumptions)


BUILD = """#include <vector>
struct Node { float lo; int left, right, first, count; };
__global__ void k(const Node *nodes, float *out, int m) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = nodes[i % m].lo; }
int build(std::vector<Node> &nodes, const std::vector<float> &item, int b, int e) {
  int me = (int)nodes.size();
  nodes.push_back(Node());
  Node n{1e30f, 0, 0, b, 0};
  for (int i = b; i < e; i++) n.lo = item[i] < n.lo ? item[i] : n.lo;
  if (e - b <= 4) { n.count = e - b; nodes[me] = n; return me; }
  int m = (b + e) / 2;
  n.left = build(nodes, item, b, m);
  n.right = build(nodes, item, m, e);
  nodes[me] = n;
  return me;
}
int main() {
  int n = ITEMS;
  std::vector<float> item(n);
  for (auto &v : item) v = rand() / (float)RAND_MAX;
  std::vector<Node> nodes;
  build(nodes, item, 0, n);
  Node *d; float *out;
  cudaMalloc(&d, nodes.size() * sizeof(Node)); cudaMalloc(&out, 4096);
  cudaMemcpy(d, nodes.data(), nodes.size() * sizeof(Node), cudaMemcpyHostToDevice);
  k<<<nodes.size(), 128>>>(d, out, (int)nodes.size());
}
"""


@pytest.mark.parametrize("items", [64, 1 << 20])
def test_a_recursion_that_is_cut_off_would_have_added_as_much_in_the_rest_of_its_range(host, items):
    (launch,) = host(BUILD.replace("ITEMS", str(items))).launches
    nodes = 2 * items / 4 - 1  # a leaf for each four, and one inner node fewer
    assert launch.grid[0] == pytest.approx(nodes, rel=0.1)
