"""Loads of one address in several copies of a body, from source to requests: once, unless a store may change what is there.

The counts of loads were compared with what nvcc 13 makes of these kernels for sm_80.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.report.records import KernelReport

_NEST = "for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++)"
_FEW = "for (int a = 0; a < n / 8192; a++)"
_WARPS = 64 * 256 // 32


def _only_kernel(tmp_path: Path, parameters: str, body: str) -> KernelReport:
    path = tmp_path / "tile.cu"
    path.write_text(f"""
    __global__ void k({parameters}, int n) {{
      int t = threadIdx.x, i = blockIdx.x * 256 + t;
      {body}
    }}
    int main() {{
      float *x, *y, *o;
      cudaMalloc(&x, 1 << 24); cudaMalloc(&y, 1 << 24); cudaMalloc(&o, 1 << 24);
      k<<<64, 256>>>(x, y, o, 64 * 256);
    }}
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("a100"))).kernels
    return kernel


_OPEN = "const float *x, const float *y, float *o"
_RESTRICT = "const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ o"
_KEPT = f"float s[4][4] = {{}}; {_NEST} s[a][b] += x[a * n + i] * y[b * n + i];"
_STORED = f"{_NEST} o[(a * 4 + b) * n + i] = x[a * n + i] * y[b * n + i];"
_KEPT_IN_LOOP = f"""
float s[4][4] = {{}};
for (int j = 0; j < 50; j++) {_NEST} s[a][b] += x[(4 * j + a) * n + i] * y[(4 * j + b) * n + i];
{_NEST} o[(a * 4 + b) * n + i] = s[a][b];"""


@pytest.mark.parametrize(
    ("parameters", "body", "loads"),
    [
        (_OPEN, f"{_KEPT} {_NEST} o[(a * 4 + b) * n + i] = s[a][b];", 8),
        (_OPEN, _KEPT_IN_LOOP, 50 * 8),
        # What is stored in one copy may be what the next one loads.
        (_OPEN, _STORED, 32),
        (_RESTRICT, _STORED, 8),
        # A loop around the copies stays: what they load of y is in front of it (PTX), x once for each iteration.
        (_OPEN, _KEPT_IN_LOOP.replace("for (int a", "\n#pragma unroll 1\nfor (int a", 1), 50 * 8),
        # Nor where the count is known at run time only, though it is less than the four copies that are made.
        (_RESTRICT, f"{_FEW} o[a * n + i] = 1.0f; {_FEW} o[a * n + i] += x[a * n + i];", 2 * 2),
    ],
)
def test_a_tile_loads_each_address_once(
    tmp_path: Path, parameters: str, body: str, loads: int
) -> None:
    kernel = _only_kernel(tmp_path, parameters, body)
    assert kernel.traffic.global_ld_requests == pytest.approx(loads * _WARPS, rel=1e-6)


@pytest.mark.parametrize(
    ("index", "passes"),
    [
        # Four rows and four columns; a warp's 32 floats are one pass.
        ("u[a * 256 + t] * u[b * 256 + (t ^ 1)]", 8),
        # Four neighbours are one wide load: of one run for the whole warp half a pass for each of four, and lanes that
        # are 16 bytes apart take four passes for four.
        ("u[t / 32 * 4 + a] * u[t % 32 * 4 + b]", 4 * 0.5 + 4),
    ],
)
def test_a_tile_reads_shared_memory_once(tmp_path: Path, index: str, passes: float) -> None:
    body = f"""
    __shared__ float u[1024];
    for (int j = t; j < 1024; j += 256) u[j] = x[j];
    __syncthreads();
    float s[4][4] = {{}};
    {_NEST} s[a][b] += {index};
    {_NEST} o[(a * 4 + b) * n + i] = s[a][b];"""
    kernel = _only_kernel(tmp_path, _OPEN, body)
    stores = 4
    assert kernel.traffic.shared_bytes == pytest.approx((stores + passes) * _WARPS * 128)


def test_one_array_behind_two_parameters_is_loaded_twice(tmp_path):
    """`dot(r, r)`: the compiler cannot know. One request of each warp for each of both."""
    path = tmp_path / "dot.cu"
    path.write_text("""
    __global__ void dot(const double *a, const double *b, double *o) {
      int i = blockIdx.x * 256 + threadIdx.x;
      o[i] = a[i] * b[i] + a[i];
    }
    int main() {
      double *r, *o;
      cudaMalloc(&r, 1 << 24); cudaMalloc(&o, 1 << 24);
      dot<<<64, 256>>>(r, r, o);
    }
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("a100"))).kernels
    assert kernel.traffic.global_ld_requests == 2 * _WARPS


@pytest.mark.parametrize(
    ("place", "loads"),
    [
        # 0 for all four, which no compiler knows or, of constants, finds out.
        ("(int)rintf(a * step * 0.01f)", 4),
        ("__float2int_rn((t / 512 + a) * step * 0.01f)", 4),
        ("(int)rintf(a * 0.01f)", 4),
        ("(int)rintf(step * 0.01f)", 1),
    ],
)
def test_places_that_are_rounded_to_the_same_by_chance_are_loaded_each(tmp_path, place, loads):
    path = tmp_path / "rounded.cu"
    path.write_text(f"""
    __global__ void k(const float *__restrict__ x, float *__restrict__ o, float step, int n) {{
      int t = threadIdx.x, i = blockIdx.x * 256 + t;
      float s[4] = {{}};
      for (int j = 0; j < 50; j++) {{
        const float *row = x + j * n + i;
    #pragma unroll
        for (int a = 0; a < 4; a++) s[a] += row[{place}];
      }}
      for (int a = 0; a < 4; a++) o[a * n + i] = s[a];
    }}
    int main() {{
      float *x, *o;
      cudaMalloc(&x, 1 << 24); cudaMalloc(&o, 1 << 24);
      k<<<64, 256>>>(x, o, 1.0f, 64 * 256);
    }}
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("a100"))).kernels
    assert kernel.traffic.global_ld_requests == pytest.approx(50 * loads * _WARPS, rel=1e-6)


@pytest.mark.parametrize(
    ("loop", "loads"),
    [
        # PTX of nvcc 13.0: one load in the loop, which is rolled.
        ("\n#pragma unroll 1\nfor (int k = 0; k < 64; k++) s += x[i * 4 + (k >> 4)] * k;", 64),
        ("\n#pragma unroll 1\nfor (int k = 0; k < 64; k++) s += x[i * 4 + k / 16] * k;", 64),
        # What the loop before has loaded last is not known to be the same word either.
        (
            """int k = 0;
            \n#pragma unroll 1\nfor (; k < 24; k++) s += x[i * 4 + (k >> 4)] * k;
            \n#pragma unroll 1\nfor (; k < 64; k++) s -= x[i * 4 + (k >> 4)];""",
            64,
        ),
    ],
)
def test_quotients_of_a_counter_are_loaded_in_each_round(tmp_path, loop, loads):
    """64 parts of 4 words: a word stays the same for 16 iterations, which a rolled loop does not know."""
    kernel = _only_kernel(tmp_path, _RESTRICT, f"float s = 0.0f; {loop} o[i] = s;")
    assert kernel.traffic.global_ld_requests == loads * _WARPS
