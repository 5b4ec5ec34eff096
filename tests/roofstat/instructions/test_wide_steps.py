"""Loops in steps of the run over 64-bit counters: what SASS of nvcc 13.0 executes in whole loops (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

PARAMETERS = "const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, float *o, long long n"


@pytest.mark.parametrize(
    ("body", "few", "many"),
    [
        # Three iterations in what is left over, twelve in three rounds: a division of pairs of words, two addresses for each array and
        # part, a count, the counter and 64-bit steps in each iteration.
        ("s += a[i];", 68, 82),
        ("s += a[i] * b[i];", 84, 112),
        ("c[i] = a[i] * 2.0f;", 84, 114),
        ("c[i] = a[i] + b[i];", 96, 146),
    ],
)
def test_grid_stride_loops_of_long_counters(body, few, many):
    code = (
        "float s = 0; for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; "
        f"i += (long long)gridDim.x * blockDim.x) {body} o[threadIdx.x] = s;"
    )
    for trips, sass in ((3, few), (12, many)):
        made = count(PARAMETERS, code, Run(default_trips=trips), architecture="sm_90")
        assert integer_ops(made) == pytest.approx(sass, rel=0.1)
