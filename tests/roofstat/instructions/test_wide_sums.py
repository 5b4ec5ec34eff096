"""Indices that are sums of 64 bits: clang adds their terms to the pointer one by one."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

POINTERS = "float *o, const float *a, const int *x, int n, int h"
PLACE = "int p = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;"


def per_thread(text: str) -> float:
    return integer_ops(count(POINTERS, text, Run(), compiler=Compiler.CLANG, architecture="sm_86"))


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        # SASS of clang 18.1.6 (sm_86): the row is on the uniform datapath, whether it stands in the index or not,
        (f"{PLACE} o[p] = a[(size_t)t * n + p];", 3),
        (f"{PLACE} o[p] = a[p + (size_t)t * n];", 3),
        (f"{PLACE} const float *r = a + (size_t)t * n; o[p] = r[p] + r[p + 1];", 3),
        (f"{PLACE} o[p] = a[((size_t)blockIdx.z * n + t) * n + p];", 3),
        (f"{PLACE} o[p] = a[(size_t)t * n + p] * a[(size_t)t * h + p];", 4),
        # but where the block's number is in an ordinary register for something else, or threads have rows of their own,
        ("int b = blockIdx.x, t = threadIdx.x; o[b * 256 + t] = a[(size_t)b * n + t];", 6),
        ("int b = blockIdx.x, t = threadIdx.x; if (b < n) o[t] = a[(size_t)b * n + t];", 7),
        (f"{PLACE} o[p] = a[(size_t)x[p] * n + p];", 7),
        # one multiply-add takes a word and a constant factor, and none of them goes to the uniform datapath.
        ("o[threadIdx.x] = a[(size_t)blockIdx.x * 768 + threadIdx.x];", 3),
        (f"{PLACE} size_t i = (size_t)p * 3; o[i] = a[i]; o[i + 1] = a[i + 1];", 3),
        # A sum that two arrays share stays one: five operations for it, with its sign and scale, and two for each array.
        (f"{PLACE} size_t i = (size_t)t * n + p; o[i] = a[i];", 10),
        # A word that is known not to be negative is extended by zeros: no product of words of one kind.
        (f"{PLACE} o[p] = a[(size_t)(threadIdx.x / 4) * n + p];", 9),
    ],
)
def test_terms_are_added_to_the_pointer_one_by_one(text, operations):
    assert per_thread(text) == pytest.approx(operations, abs=1.0)


def test_copies_of_an_unrolled_loop_follow_from_each_other():
    """Eight columns: the place in the first row, and a multiply-add for each further one."""
    rows = "float s = 0; for (int k = 0; k < {}; k++) s += a[(size_t)k * n + p];"
    few, many = (per_thread(f"{PLACE} {rows.format(trips)} o[p] = s;") for trips in (4, 8))
    assert many - few == 4.0
