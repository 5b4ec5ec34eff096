"""Sizes and pointers in records that kernels take by value, where no host code gives them."""

from __future__ import annotations

import pytest

from roofstat.analysis.options import LaunchOverride

LAPLACE = """
#include <cuda_runtime.h>
struct Grid { int nx, ny; double h; };
__global__ void laplace(const double *u, double *v, Grid g) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < g.nx - 1 && y < g.ny - 1) {
    int i = y * g.nx + x;
    v[i] = (u[i - 1] + u[i + 1] + u[i - g.nx] + u[i + g.nx] - 4 * u[i]) * g.h;
  }
}
"""
LAUNCHER = """
void apply(const double *u, double *v, Grid g) {
  laplace<<<dim3((g.nx + 31) / 32, (g.ny + 7) / 8), dim3(32, 8)>>>(u, v, g);
}
"""
VIEW = """
struct View { float *data; int size; };
__global__ void fill(View v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.size) v.data[i] = 1.0f;
}
"""
STATED = LaunchOverride(grid=(32, 128, 1), block=(32, 8, 1))


@pytest.fixture
def analyse(result_of):
    """A text, and what is stated with it, to the result."""

    def run(text, launches=None, **values):
        names = {name.replace("_", "."): value for name, value in values.items()}
        return result_of(text, values=names, launches=launches or {})

    return run


def invented(kernel):
    return {item.text.partition(" is ")[0] for item in kernel.assumptions if item.weight >= 0.5}


def test_sizes_in_a_record_follow_from_the_launch(analyse):
    """32 * 32 by 128 * 8 points: the 1,022 squared inner ones take 6 FLOP (three additions, an FMA, a multiplication), all of u is 8 MiB."""
    (kernel,) = analyse(LAPLACE, {"laplace": STATED}).kernels
    assert kernel.counts.dp_flop == pytest.approx(6 * 1022**2, rel=1e-3)
    assert kernel.traffic.steady.read_bytes == pytest.approx(8 << 20, rel=0.02)
    assert invented(kernel) == {"argument g.nx", "argument g.ny"}
    assert any("--set g.nx=NUMBER" in item.text for item in kernel.assumptions)


@pytest.mark.parametrize("names", [("g_nx", "g_ny"), ("nx", "ny")])
def test_sizes_in_a_record_can_be_stated(analyse, names):
    """512 by 256 points: 510 by 254 inner ones."""
    result = analyse(LAPLACE, {"laplace": STATED}, **dict(zip(names, (512, 256), strict=True)))
    (kernel,) = result.kernels
    assert kernel.counts.dp_flop == pytest.approx(6 * 510 * 254, rel=1e-3)
    assert invented(kernel) == set()
    assert len(result.used_values) == 2


def test_a_launcher_takes_stated_members(analyse):
    (kernel,) = analyse(LAPLACE + LAUNCHER, g_nx=512, g_ny=256).kernels
    assert kernel.launch.grid == (16, 32, 1)
    assert kernel.counts.dp_flop == pytest.approx(6 * 510 * 254, rel=1e-3)


def test_a_launcher_of_unknown_members_keeps_the_shape(analyse):
    """About a million threads; a point for each but the border."""
    (kernel,) = analyse(LAPLACE + LAUNCHER).kernels
    x, y = kernel.launch.grid[0] * 32, kernel.launch.grid[1] * 8
    assert x * y == 1 << 20
    assert kernel.counts.dp_flop == pytest.approx(6 * (x - 2) * (y - 2), rel=1e-3)


def test_pointers_in_a_record_lead_to_arrays(analyse):
    """4,096 times 256 elements of 4 bytes are stored."""
    (kernel,) = analyse(VIEW).kernels
    assert kernel.traffic.steady.write_bytes == pytest.approx(4 << 20, rel=0.01)
    assert {item.array for item in kernel.accesses} == {"v.data"}
