"""Loops that count the bits of a word: one instruction for nvcc, a loop for clang."""

from __future__ import annotations

import pytest

from clang_queries.unit import lower_unit
from roofstat.program.code import Loop, Op, children
from roofstat.program.link import link
from roofstat.program.lowering import lower_kernel

FORMS = [
    "while (x) { n++; x &= x - 1; }",
    "for (n = 0; x != 0; n++) x = x & (x - 1);",
    "while (x > 0) { x = (x - 1) & x; n += 1; }",
]


def lowered(loop, *, is_clang):
    text = (
        f"__global__ void k(unsigned *a) {{ unsigned x = a[0]; int n = 0; {loop} a[1] = n + x; }}"
    )
    program = link([lower_unit("k.cu", text=text)])
    program.is_clang = is_clang
    return lower_kernel(program, program.kernels[0])


def loops(regions):
    for region in regions:
        if isinstance(region, Loop):
            yield region
        for part in children(region):
            yield from loops(part)


@pytest.mark.parametrize("loop", FORMS)
def test_nvcc_counts_bits_at_once(loop):
    code = lowered(loop, is_clang=False)
    assert list(loops(code.body)) == []
    assert [item.detail for _, item in code.instructions() if item.op is Op.MATH] == ["popc"]


@pytest.mark.parametrize("loop", FORMS)
def test_clang_loops_over_them(loop):
    code = lowered(loop, is_clang=True)
    assert len(list(loops(code.body))) == 1
    assert [item.detail for _, item in code.instructions() if item.op is Op.MATH] == []


def test_other_loops_stay():
    code = lowered("while (x) { n++; x &= x - 2; }", is_clang=False)
    assert len(list(loops(code.body))) == 1
