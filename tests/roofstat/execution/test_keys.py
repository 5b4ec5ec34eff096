"""What is drawn at one place does not hang on code elsewhere."""

import pytest

from roofstat.program.place_names import place_names

HEAD = "#include <cuda_runtime.h>\n#include <stdlib.h>\n"
KERNEL = """
__global__ void k(const int *c, const float *w, float *out, int n EXTRA) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  BEFORE
  for (int j = 0; j < 6; j++) {
    int v = c[i * 6 + j];
    WITHIN
    if (v > 3) sum += w[v & 1023];
    else if (v & 1) { out[i] = sum; break; }
  }
  if (sum > 0) out[n + i] = sum;
}
"""
MAIN = """
int main() {
  int n = 1 << 14;
  int *c; float *w, *out; BUFFERS
  cudaMalloc(&c, 6 * n * sizeof(int));
  cudaMalloc(&w, 1024 * sizeof(float));
  cudaMalloc(&out, 2 * n * sizeof(float));
  int *h = (int *)malloc(6 * n * sizeof(int));
  HOST
  for (int i = 0; i < 6 * n; i++) h[i] = rand() % 8;
  cudaMemcpy(c, h, 6 * n * sizeof(int), cudaMemcpyHostToDevice);
  FIRST
  k<<<n / 256, 256>>>(c, w, out, n GIVEN);
  return 0;
}
"""


def program(**parts):
    text = HEAD + parts.pop("OTHER", "") + KERNEL + MAIN
    for word in ("EXTRA", "BEFORE", "WITHIN", "BUFFERS", "HOST", "FIRST", "GIVEN"):
        text = text.replace(word, parts.pop(word, ""))
    assert not parts
    return text


def drawn(launch):
    """How often each place of the kernel is reached, and where in which elements."""
    trace = launch.trace
    bases = {number: found.base for number, found in trace.buffers.items()}
    found = {}
    for _, item in trace.code.instructions():
        if item.site not in trace.sites or item.detail.array not in ("w", "out"):
            continue
        places = [
            (event.address - bases[event.buffer])[event.active].tolist()
            for event in trace.events
            if event.site == item.site
        ]
        found[item.op, item.detail.array, item.position.column] = (
            trace.sites[item.site].threads,
            places,
        )
    assert len(found) == 3
    return found


@pytest.mark.parametrize(
    "more",
    [
        {"BEFORE": "int u = c[i + 1]; if (u == 5) __threadfence();"},
        {"WITHIN": "int u = c[n - i]; if (u == 5) __threadfence();"},
        {
            "EXTRA": ", int m",
            "GIVEN": ', atoi(getenv("M"))',
            "BEFORE": "if (m > 3) __threadfence();",
        },
        {"HOST": 'int u = atoi(getenv("U")); if (u > 4) puts("more");'},
        {"HOST": "int *g = (int *)malloc(64); for (int i = 0; i < 16; i++) g[i] = rand() % 5;"},
        {"BUFFERS": "float *d; cudaMalloc(&d, 400);"},
        {
            "OTHER": "__global__ void first(const int *c, float *d) { if (c[threadIdx.x] > 1) d[threadIdx.x] = 1; }",
            "BUFFERS": "float *d; cudaMalloc(&d, 4096);",
            "FIRST": "first<<<1, 32>>>(c, d);",
        },
    ],
    ids=["load", "load-in-loop", "argument", "host", "random", "buffer", "kernel"],
)
def test_further_unknowns_move_no_draw(host, more):
    plain = host(program()).only()
    with_more = host(program(**more)).launches[-1]
    assert drawn(with_more) == drawn(plain)


def test_launches_draw_each_for_itself(host):
    ran = host(program(FIRST="k<<<n / 512, 256>>>(c, w, out, n);")).launches
    assert len({launch.trace.number for launch in ran}) == 2


def test_a_place_makes_other_unknowns_each_time(code):
    places = place_names(
        code("__global__ void k(int *a) { a[0] = a[1] + a[2] + a[1]; a[2] = a[1]; }")
    )
    assert len(set(places.values())) == len(places)
