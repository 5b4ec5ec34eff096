"""Loops of unknown length over rows at a product of 64 bits: what SASS of nvcc 13.0 executes in whole kernels (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

PARAMETERS = "const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ o, float *y, int n, int rows"
WARP = "int m = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;"
BLOCK = "int m = blockIdx.x, lane = threadIdx.x;"


def executed(head: str, step: int, body: str, trips: int) -> float:
    """Integer operations of one thread."""
    code = (
        f"{head} if (m >= rows) return; float s = 0, f = y[threadIdx.x]; "
        f"for (int j = lane; j < n; j += {step}) {{ {body} }} y[blockIdx.x * 256 + threadIdx.x] = s;"
    )
    # No thread returns early.
    run = Run(default_trips=trips, taken=(0.0,))
    return integer_ops(count(PARAMETERS, code, run, architecture="sm_90"))


@pytest.mark.parametrize(
    ("head", "step", "body", "few", "many"),
    [
        # Two iterations that are left over, eight in rounds: the product, its sum and address (7 and 11 operations) stand before either.
        (WARP, 32, "s += x[(size_t)m * n + j];", 34, 32),
        (WARP, 32, "s += x[(size_t)m * n + j] * w[j];", 42, 37),
        (WARP, 32, "o[(size_t)m * n + j] = x[(size_t)m * n + j] * 2.0f;", 42, 36),
        (BLOCK, 256, "s += x[(size_t)m * n + j];", 30, 28),
        (BLOCK, 256, "s += x[(size_t)m * n + j] * w[j];", 38, 33),
        (WARP, 32, "s += x[m * n + j];", 24, 22),  # a word is one multiply-add
    ],
)
def test_each_part_of_a_copied_loop_makes_the_product_of_its_row(head, step, body, few, many):
    assert executed(head, step, body, 2) == pytest.approx(few, rel=0.16)
    assert executed(head, step, body, 8) == pytest.approx(many, rel=0.16)
