"""Points of the cells around one: as many are within a cell's side as its ball fills of three cells along each axis."""

import math

import pytest

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
