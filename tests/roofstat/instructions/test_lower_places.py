"""Accesses below sums and differences of words, against SASS of nvcc 13.0 for sm_90."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler

PARAMETERS = (
    "const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int w, int u"
)
PLACE = (
    "int x = blockIdx.x * blockDim.x + threadIdx.x; int y = blockIdx.y * blockDim.y + threadIdx.y;"
    "int c = y * w + x;"
)
OTHERS = 4
"""IMAD for each number of the thread and for the index, IMAD.WIDE for what is stored."""


def integers(*loads: str, compiler: Compiler = Compiler.NVCC) -> float:
    """Integer operations for the addresses of some loads."""
    body = f"{PLACE} o[c] = {' + '.join(loads)};"
    counts = count(PARAMETERS, body, compiler=compiler, architecture="sm_90")
    return integer_ops(counts) - OTHERS


@pytest.mark.parametrize(
    ("indices", "sass"),
    [
        # One IMAD.WIDE, and a sum where nothing but what lies below is asked for first.
        (("c", "c - 1", "c + 1"), 1),
        (("c - w", "c - w + 1", "c - w - 1"), 2),
        # c - w and c - w - 2 have a sum and an IMAD.WIDE each; what lies above follows from the latter.
        (("c", "c - w - 2", "c - w", "c - w + 2"), 5),
        (("c", "c - w - 2", "c - w - 1", "c - w", "c - w + 1", "c - w + 2"), 5),
        # The address of c + w is that of c and a stride; what lies below has a sum and an IMAD.WIDE of its own.
        (("c", "c + w - 2", "c + w - 1", "c + w", "c + w + 1", "c + w + 2"), 4),
        (("c", "c - 1", "c + w - 1", "c + w"), 4),
        # Once there is an address of c + w, it follows from that.
        (("c", "c + w", "c + w - 1", "c + w + 1"), 2),
    ],
)
def test_rows(indices, sass):
    assert integers(*(f"a[{index}]" for index in indices)) == sass


def test_nine_points():
    """Five IMAD.WIDE, three sums and LOP3 for `~w` in SASS, of which the model has all but the last one."""
    indices = ["-w - 1", "-w", "-w + 1", "-1", "", "+1", "+w - 1", "+w", "+w + 1"]
    assert integers(*(f"a[c {index}]" for index in indices)) == 8


def test_two_arrays_share_the_sum():
    assert integers("a[c - w - 1]", "b[c - w - 1]", "a[c - w]", "b[c - w]") == 2 + 4


def test_clang_takes_constants_out():
    """One address for each row."""
    indices = ["-w - 1", "-w", "-w + 1", "-1", "", "+1"]
    loads = [f"a[c {index}]" for index in indices]
    rows = integers(*loads[1:2], *loads[4:5], compiler=Compiler.CLANG)
    assert integers(*loads, compiler=Compiler.CLANG) == rows
