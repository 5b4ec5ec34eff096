"""Rows at a place that a signed remainder decides: SASS of own loops of known length, executed (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count


def integer_work(index: str, column: str, trips: int = 64) -> float:
    """Integer instructions of a loop that is copied twice."""
    body = " ".join("v = v * 1.5f + s; w = w * s + v;" for _ in range(20))
    counts = count(
        "const float *__restrict__ a, float *o, int r",
        f"""int t = threadIdx.x; size_t part = blockIdx.x; int c = {column}; float v = 0, w = 1;
        for (int k = 0; k < {trips}; k++) {{ float s = a[{index}]; {body} }} o[t] = v + w;""",
        Run(default_trips=float(trips)),
        architecture="sm_90",
        prologue="",
    )
    return counts.int_op


@pytest.mark.parametrize(
    ("index", "column", "executed"),
    [
        # The second copy is never below zero and has a pointer of its own ...
        ("k * 64 + c", "t % 64", 200),
        ("k * 100 + c", "t % 64", 200),
        ("k * 64 + c", "t % 64 + 64", 201),
        ("part * 4096 + (k * 64 + c)", "t % 64", 205),
        # ... but one that may be; masks, quotients and further words leave nothing to know.
        ("k * 64 + c", "t % 100", 134),
        ("k + c", "t % 64", 134),
        ("k * 64 + c", "t & 63", 133),
        ("k * 64 + c", "t / 64", 133),
        ("k * 64 + c", "t - 3", 131),
        ("k * 64 + c + r", "t % 64", 134),
    ],
)
def test_copies_that_a_remainder_leaves_above_zero_have_pointers(index, column, executed):
    assert integer_work(index, column) == pytest.approx(executed, rel=0.05)
