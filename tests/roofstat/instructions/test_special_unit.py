"""Tests of what the special-function unit takes, against SASS of nvcc 13.0 and throughputs measured on an H200."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.tables.quantities import Quantity

PARAMETERS = "float *o, int *p, const float *f, const int *n, const double *d, const long long *l"


@pytest.mark.parametrize(
    ("statement", "architecture", "expected"),
    [
        ("p[t] = __popc(n[t])", "sm_90", 1),  # POPC
        ("p[t] = __popcll(l[t])", "sm_90", 2),
        ("p[t] = __clz(n[t])", "sm_80", 1),  # FLO
        ("p[t] = __ffs(n[t])", "sm_80", 2),  # BREV, FLO
        ("o[t] = expf(f[t])", "sm_90", 1),  # MUFU.EX2
        ("o[t] = (float)d[t]", "sm_90", 1),  # F2F.F32.F64
        ("p[t] = (int)f[t]", "sm_90", 1),  # F2I
        ("o[t] = n[t]", "sm_80", 1),  # I2F
        ("o[t] = n[t]", "sm_90", 0),  # I2FP, which an arithmetic pipe does
        ("p[t] = n[t] * 3", "sm_90", 0),
    ],
)
def test_what_the_unit_takes(statement, architecture, expected):
    found = count(
        PARAMETERS, f"int t = threadIdx.x; {statement};", Run(), architecture=architecture
    )
    assert found.special_op == pytest.approx(expected)
    assert found.total(Quantity.SPECIAL_UNIT_OP) <= found.instructions


def test_counts_of_bits_stay_integer_work():
    found = count(PARAMETERS, "p[0] = __popc(n[0]);", Run(), architecture="sm_90")
    assert found.int_op >= 1
    assert found.special_op == pytest.approx(1)
