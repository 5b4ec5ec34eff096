"""Constants in the indices of atomics, against SASS of nvcc 13.0 for sm_90."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler

PARAMETERS = "float *z, float v, int n, const int *__restrict__ f"
THREAD = "int t = blockIdx.x * blockDim.x + threadIdx.x;"
NUMBER = 1
"""IMAD: the number of the thread."""


def integers(body: str, compiler: Compiler = Compiler.NVCC) -> float:
    """Integer operations of a thread."""
    counts = count(PARAMETERS, f"{THREAD} {body}", compiler=compiler, architecture="sm_90")
    return integer_ops(counts)


def atomics(*indices: str) -> str:
    """One atomic for each index."""
    return " ".join(f"atomicAdd(&z[{index}], v);" for index in indices)


@pytest.mark.parametrize(
    ("indices", "sass"),
    [
        # One IMAD.WIDE: the second address is the first one plus a constant.
        (("t", "t + 1", "t - 1"), 1),
        (("3 * t", "3 * t + 1"), 2),
        # Where that without the constant does not come first: a sum and an IMAD.WIDE each.
        (("t + 1", "t + 2"), 4),
        (("t - 1", "t", "t + 1"), 3),
        # What came out of a product stays: the product, IMAD.WIDE, a sum and IMAD.WIDE.
        (("8 * t", "8 * (t + 1)"), 4),
        # It sets low bits that are zero in the rest.
        (("8 * t", "8 * (t + 1) - 1"), 2),
    ],
)
def test_a_constant_leaves_an_index_where_the_rest_has_an_address(indices, sass):
    assert integers(atomics(*indices)) == pytest.approx(NUMBER + sass, abs=0.5)


def test_the_corners_of_a_cell_in_a_grid_have_an_address_a_row():
    # IMAD.WIDE for the row's number, IMAD and IMAD.WIDE for two corners, a sum and IMAD.WIDE for those below.
    body = f"int r = f[t]; {atomics('r * n + t', 'r * n + t + 1', '(r + 1) * n + t', '(r + 1) * n + t + 1')}"
    assert integers(body) == pytest.approx(NUMBER + 5, abs=0.5)


def test_loads_and_stores_leave_every_constant_to_the_access():
    # IMAD.WIDE and SHF.
    assert integers("z[2 * (f[0] + 1)] = v; z[2 * f[0]] = v;") == pytest.approx(2, abs=0.5)
    assert integers("z[t + 1] = v; z[t + 2] = v;") == pytest.approx(NUMBER + 1)


def test_an_atomic_shares_the_address_that_a_load_has_made_first():
    # IMAD, a sum and IMAD.WIDE for `3 * t + 1`, IMAD.WIDE for `3 * t`.
    body = "if (z[3 * t + 1] < v) { atomicAdd(&z[3 * t], v); atomicAdd(&z[3 * t + 1], v); }"
    assert integers(body) == pytest.approx(NUMBER + 4, abs=0.5)


def test_clang_takes_constants_out_of_both():
    assert integers(atomics("t + 1", "t + 2"), compiler=Compiler.CLANG) == pytest.approx(NUMBER + 1)


def test_the_corners_of_a_cell_in_copies_of_a_loop():
    # 3 t (IMAD) and IMAD.WIDE, of which the others with `3 t` follow; for each `3 (t + 1) + k` a sum and IMAD.WIDE.
    body = f"for (int k = 0; k < 3; k++) {{ {atomics('t * 3 + k', '(t + 1) * 3 + k')} }}"
    assert integers(body) == pytest.approx(NUMBER + 2 + 6)
