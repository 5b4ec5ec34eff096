"""Tests of the bytes of shared memory that a block touches."""

from __future__ import annotations

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.report import MemorySpace


@pytest.mark.parametrize(
    ("body", "block", "expected"),
    [
        # rows 0 and 4 of 128 floats: from the first to the last there are 2,560 bytes
        ("s[t % 2 * 4][t / 2] = a[t]; a[t] = 0;", "256", {"write": 1024}),
        # one row in each of eight iterations
        ("float v = 0; for (int k = 0; k < 8; k++) v += s[k][t]; a[t] = v;", "128", {"read": 4096}),
        # the same row in each
        (
            "float v = 0; for (int k = 0; k < n; k++) { v += s[3][t]; __syncthreads(); } a[t] = v;",
            "128",
            {"read": 512},
        ),
        # one place for a whole block
        ("if (t < 0) s[0][0] = a[t]; a[t] = s[2][5];", "256", {"read": 4}),
        # 32 rows of 32 of 33 floats
        ("p[t / 32][t % 32] = a[t]; a[t] = 0;", "1024", {"write": 4096}),
    ],
)
def test_gaps_between_rows_are_not_touched(tmp_path, body, block, expected):
    file = tmp_path / "main.cu"
    file.write_text(
        "__global__ void k(float *a, int n) { __shared__ float s[8][128]; __shared__ float p[32][33];"
        f" int t = threadIdx.x; {body} }}\n"
        f"int main() {{ float *a; cudaMalloc(&a, 4096); k<<<4, {block}>>>(a, 20); }}\n"
    )
    result = analyze_program([file], AnalysisOptions(gpu=load_gpu("h100")))
    (kernel,) = result.kernels
    found = {
        access.direction.value: access.footprint_bytes
        for access in kernel.accesses
        if access.space is MemorySpace.SHARED
    }
    assert found == pytest.approx(expected)
