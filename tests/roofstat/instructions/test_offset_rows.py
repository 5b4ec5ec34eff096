"""Accesses beside a pointer that advances by a stride of the run: SASS of own kernels (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import ops_per_iteration

COPIES = 4
"""That nvcc makes of a loop of unknown length."""


def per_iteration(term: str) -> float:
    """Integer operations that one more iteration takes."""
    return ops_per_iteration(
        "const float *__restrict__ a, float *__restrict__ o, int n, int m",
        "int t = blockIdx.x * blockDim.x + threadIdx.x;"
        f"for (int k = 1; k < n; k++) {{ int i = k * m + t; o[i] = {term}; }}",
    )


@pytest.mark.parametrize(
    ("term", "sums"),
    [
        # Executed, 62 iterations with their surroundings: 159 and 159.
        ("a[i] + a[i + 1]", 0),
        ("a[i] + a[i - 1] + a[i + 1]", 0),
        # 219 each.
        ("a[i + 1]", 2),
        ("a[i + 1] + a[i + 2]", 2),
        ("a[i - 1] + a[i]", 2),
        ("a[i - 1] + a[i] + a[i + 1]", 2),
        # 160: the index has the constant.
        ("a[i - 1]", 0),
    ],
)
def test_late_copies_add_the_stride_and_the_constant_apart(term, sums):
    """A multiply-add for each copy and pointer; where the first access is beside it, two copies of four have a sum of two words."""
    more = per_iteration(term) - per_iteration("a[i]")
    assert more == pytest.approx(sums * 2.0 / COPIES)
