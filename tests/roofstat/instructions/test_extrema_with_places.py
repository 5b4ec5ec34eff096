"""Extrema of 64 bits whose place is kept, too: executed SASS of nvcc 13.0 and clang 18.1.6 (sm_90)."""

from __future__ import annotations

import pytest
from builder import count

from roofstat.instructions.tables.costs import Compiler

STRAIGHT = " ".join(
    f"if (a[i + {d}] < best) {{ best = a[i + {d}]; at = {d}; }}" for d in (5, 9, 13)
)


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
@pytest.mark.parametrize(
    ("kind", "executed"), [("unsigned long long", 16.0), ("long long", 16.0), ("int", 10.0)]
)
def test_the_extremum_has_a_test_of_its_own(kind, executed, compiler):
    """Of each three a pair of comparisons for the choice and one for the extremum; of words a comparison and a VIMNMX."""
    counts = count(
        f"const {kind} *a, int *y",
        f"int i = blockIdx.x * blockDim.x + threadIdx.x; {kind} best = a[i]; int at = 0; {STRAIGHT} y[i] = at + (int)best;",
        compiler=compiler,
        architecture="sm_90",
    )
    assert counts.int_op == pytest.approx(executed, abs=1.0)


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
def test_an_extremum_alone_takes_one(compiler):
    body = STRAIGHT.replace("; at = 5", "").replace("; at = 9", "").replace("; at = 13", "")
    counts = count(
        "const long long *a, long long *y",
        f"int i = blockIdx.x * blockDim.x + threadIdx.x; long long best = a[i]; {body} y[i] = best;",
        compiler=compiler,
        architecture="sm_90",
    )
    assert counts.int_op == pytest.approx(9.0, abs=1.0)
