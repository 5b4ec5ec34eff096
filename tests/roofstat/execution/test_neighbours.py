"""Points of the cells around one: as many are within a cell's side as its ball fills of three cells along each axis."""

import math

import pytest

from roofstat.program.code import Op

THREADS = 1024
CELLS_3D = (
    "for (int z = -1; z <= 1; z++) for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)"
)
CELLS_FLAT = "for (int c = 0; c < 27; c++)"
CELLS_2D = "for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)"
CELLS = {CELLS_3D: 27, CELLS_FLAT: 27, CELLS_2D: 9, "for (int c = 0; c < 26; c++)": 26}


@pytest.mark.parametrize(
    ("loops", "test", "share"),
    [
        (CELLS_3D, "if (a * a + b * b + d * d < r * r)", 4 / 81 * math.pi),
        (CELLS_3D, "float l = length2(a, b, d); if (l >= r) continue;", 4 / 81 * math.pi),
        (CELLS_3D, "if (r > sqrtf(a * a + b * b + d * d))", 4 / 81 * math.pi),
        (
            CELLS_3D,
            "if (a * a + b * b + d * d >= r || j == i) continue;",
            4 / 81 * math.pi,
        ),
        (
            CELLS_FLAT,
            "float l = length2(a, b, d); if (l > r) continue; l = fmaxf(l, 0.01f); s += l;",
            4 / 81 * math.pi,
        ),
        (CELLS_2D, "if (a * a + b * b < r)", math.pi / 9),
        (CELLS_FLAT, "if (a * a + b * b + d * d < r * r)", 4 / 81 * math.pi),
        # no cells around, no distance
        ("", "if (a * a + b * b + d * d < r * r)", 0.5),
        (CELLS_3D, "if (a * a + b * d < r * r)", 0.5),
        (CELLS_3D, "float l = 0; for (int n = 0; n < 3; n++) l += q[n]; if (l < r)", 0.5),
        ("for (int c = 0; c < 26; c++)", "if (a * a + b * b + d * d < r * r)", 0.5),
    ],
)
def test_neighbours_within_the_side_of_a_cell(run, loops, test, share):
    text = (
        "__device__ float length2(float a, float b, float c) { return a * a + b * b + c * c; }"
        "__global__ void k(const float *p, float *out, float r) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; float s = p[i]; int x = 0, y = 0, z = 0;"
        f" {loops} for (int j = 0; j < 20; j++) {{"
        " const float *q = p + (x + y * 9 + z * 81 + 91) * 64 + 3 * j; float a = s - q[0], b = s - q[1], d = s - q[2];"
        f" {test} out[i] = a; }} }}"
    )
    ran = run(text, grid=8, block=128, arguments={"p": 1 << 20, "out": 1 << 20, "r": 2})
    places = 20 * CELLS.get(loops, 1)
    assert ran.stores("out") / THREADS / places == pytest.approx(share, rel=0.15)


ROWS = "for (int y = -1; y <= 1; y++) { int c = cell + y * m; for (int p = first[c - 1]; p < first[c + 2]; p++) { int j = order[p]; %s } }"
WHOLE = (
    "long long a = x[i] - x[j], b = y_[i] - y_[j]; if (a * a + b * b <= 1000000) n++, out[p] = i;"
)
FLOAT = "float a = x[i] - x[j], b = y_[i] - y_[j]; if (a * a + b * b <= 1e6f) n++, out[p] = i;"
CALLED = "if (near(x[i], y_[i], x[j], y_[j])) n++, out[p] = i;"


@pytest.mark.parametrize("test", [WHOLE, FLOAT, CALLED])
def test_points_that_the_host_draws_are_near_where_their_cells_are(host, test):
    """Drawn one by one, hardly one of 40,000 would be near another: a disc of radius 1,000 is a 10,000th of the square."""
    text = f"""
    #include <random>
    #include <vector>
    __device__ bool near(int ax, int ay, int bx, int by) {{
      long long a = ax - bx, b = ay - by;
      return a * a + b * b <= 1000000; }}
    __global__ void k(const int *x, const int *y_, const int *first, const int *order, int *out, int n_, int m) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, cell = (y_[i] / 1000) * m + x[i] / 1000, n = 0;
      {ROWS % test}
      out[i] = n;
    }}
    int main() {{
      const int n = 40960, m = 100;
      std::mt19937 random(7);
      std::uniform_int_distribution<int> place(1000, 98999);
      std::vector<int> x(n), y(n);
      for (int i = 0; i < n; i++) x[i] = place(random), y[i] = place(random);
      int *dx, *dy, *first, *order, *out;
      cudaMalloc(&dx, n * 4); cudaMalloc(&dy, n * 4); cudaMalloc(&first, (m * m + 1) * 4); cudaMalloc(&order, n * 4); cudaMalloc(&out, n * 4);
      cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice); cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice);
      k<<<n / 128, 128>>>(dx, dy, first, order, out, n, m);
    }}"""
    trace = host(text).only().trace
    looked_at = sum(loop.iterations for loop in trace.loops.values()) / 40960 - 3  # less the rows
    near = stores_of(trace, "out") / 40960 - 1  # less what each thread stores at its end
    assert near / looked_at == pytest.approx(math.pi / 9, rel=0.1)


def stores_of(trace, name):
    """Thread-level executions of the stores to an array."""
    return sum(
        trace.block_threads.get(block.number, 0.0)
        for block, item in trace.code.instructions()
        if item.op is Op.STORE and item.detail.array == name
    )
