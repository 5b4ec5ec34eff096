"""Switches of numbers that are known at compile time: only the cases that they run through are left."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, count, integer_ops

PARAMETERS = "const float *a, float *o, int n"
SUM = "__device__ float sum(int m, float x) { float r = x; switch (m) { case 0: r = x + 1; break; case 1: r = x * x + 2; case 2: r += 3; break; default: r = x * x * x; } return r; }"
PROLOGUE = "#include <cuda_runtime.h>\n" + SUM


@pytest.mark.parametrize(("number", "flop"), [(0, 1), (1, 3), (2, 1), (7, 2)])
def test_cases_run_from_the_one_of_the_number_to_a_break(number, flop):
    body = GLOBAL_INDEX + f"o[i] = sum({number}, a[i]);"
    counts = count(PARAMETERS, body, prologue=PROLOGUE, architecture="sm_90")
    index_and_addresses = 3
    assert counts.sp_flop == pytest.approx(flop)
    assert integer_ops(counts) == pytest.approx(index_and_addresses)


def test_copies_of_a_loop_that_vanishes_have_a_case_each():
    # Executed SASS of four neighbours (39 with the test of the index): no jumps, no choices but those of the borders.
    body = (
        GLOBAL_INDEX
        + "int x = i & 31, y = i >> 5; float s = 0; for (int d = 0; d < 2; d++) { int u = x, v = y; "
        "switch (d) { case 0: u = x + 1; break; default: v = y + 1; } s += a[v * n + u]; } o[i] = s;"
    )
    # Index, mask, shift, address of o; IMAD and IMAD.WIDE of the first, which the second adds n to (IMAD.WIDE).
    counts = count(PARAMETERS, body, architecture="sm_90")
    assert integer_ops(counts) == pytest.approx(8, abs=1.0)
