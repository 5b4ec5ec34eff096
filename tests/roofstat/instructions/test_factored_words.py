"""Indices with strides of the run that nvcc puts in order, after which they advance as words.

Numbers are integer instructions of SASS by nvcc 13.0 for sm_90, those of one round over its copies.
"""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, ops_per_iteration

PARAMETERS = (
    "const float *__restrict__ x, const float *__restrict__ h, float *o, int n, int m, int p, int q"
)
HEAD = (
    f"{GLOBAL_INDEX.replace('int i', 'int t')} int y = blockIdx.y * blockDim.y + threadIdx.y, "
    "z = blockIdx.z * blockDim.z + threadIdx.z; if (t >= q || y >= p || z >= n) return; float s = 0.0f;"
)


def per_iteration(statement: str, *, start: str = "0", step: str = "k++") -> float:
    return ops_per_iteration(
        PARAMETERS,
        f"{HEAD} for (int k = {start}; k < p; {step}) {{ {statement} }} o[t] = s;",
        lambda trips: Run(default_trips=trips),
        trips=640.0,
    )


@pytest.mark.parametrize(
    ("index", "sass"),
    [
        # Eight or seven instructions for four copies: multiply-adds, the word, one or two counters and the test.
        ("k * n * m + y * m + t", 2.0),
        ("k * m + y * m + t", 2.0),
        ("z * n * m + k * m + t", 2.0),
        ("(k * n + y) * m + t", 2.0),
        ("(k + y) * m + t", 2.0),
        ("k * n * m + y * n + t", 1.75),
        ("k * n * 32 + y * 32 + t", 1.75),
        ("((z * q + k) * n + y) * m + t", 1.75),
        # A pointer that advances in sixteen copies, and a word beside it for each four of them.
        ("k * m + t", 1.12),
        ("z * n * m + y * m + k * q + t", 1.12),
        ("(y * 16 + k) * m + t", 1.12),
        ("(k - q) * m + t", 1.12),
        ("(z * n + k) * m + t", 1.38),
        ("(k + q) * m + t", 1.38),
    ],
)
def test_reordered_sums_advance_as_words(index, sass):
    assert per_iteration(f"s += x[{index}];") == pytest.approx(sass, rel=0.08)


@pytest.mark.parametrize(
    ("start", "step", "sass"),
    [("1", "k++", 1.75), ("q", "k++", 1.38), ("z * 4", "k++", 1.38), ("0", "k += 2", 1.44)],
)
def test_assembler_copies_what_is_not_counted_from_a_known_number(start, step, sass):
    found = per_iteration("s += x[k * n * m + y * m + t];", start=start, step=step)
    assert found == pytest.approx(sass, rel=0.08)


def test_arrays_share_the_word():
    statement = "s += x[k * n * m + y * m + t] * h[k * n * m + y * m + t];"
    assert per_iteration(statement) == pytest.approx(2.75, rel=0.08)
    statement = (
        "o[k * n * m + y * m + t] = x[k * n * m + y * m + t] + x[k * n * m + (y + 1) * m + t];"
    )
    assert per_iteration(statement) == pytest.approx(4.0, rel=0.08)


def test_rolled_loops_add_the_word():
    loop = "#pragma unroll 1\nfor (int k = 0; k < p; k++) s += x[{}];"
    for index, sass in (("k * n * m + y * m + t", 3.0), ("(y * n + k) * m + t", 2.0)):
        body = f"{HEAD}\n{loop.format(index)} o[t] = s;"
        assert ops_per_iteration(PARAMETERS, body) == pytest.approx(sass)
