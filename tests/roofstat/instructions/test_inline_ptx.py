"""Inline PTX: operations of the SASS of nvcc 13.0 for sm_90, where each statement was compiled alone."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

WORDS = [
    ("add.u32 %0, %1, %2;", 1),  # IADD3
    ("lop3.b32 %0, %1, %2, %3, 0x96;", 1),  # LOP3
    ("bfe.u32 %0, %1, 3, 5;", 2),  # SHF, SGXT
    ("bfe.s32 %0, %1, %2, %3;", 2),  # SHF, SGXT (and three PRMT, which are moves)
    ("shf.l.wrap.b32 %0, %1, %2, %3;", 1),  # SHF
    ("mad.lo.u32 %0, %1, %2, %3;", 1),  # IMAD
    ("mul.hi.u32 %0, %1, %2;", 1),  # IMAD.HI
    ("add.cc.u32 %0, %1, %2; addc.u32 %0, %0, %3;", 2),  # IADD3, IADD3.X
    ("mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, %0;", 4),  # and IMAD, IMAD.HI
    ("{ .reg .u32 t; mul.lo.u32 t, %1, %2; add.u32 %0, t, 010; }", 1),  # IMAD
    ("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, %2, %3, p; }", 1),  # ISETP and a load
    (
        "{ .reg .b64 t; .reg .u32 h; mov.b64 t, {%1, %2}; mov.b64 {%0, h}, t; xor.b32 %0, %0, h; }",
        1,
    ),
]
FLOATS = [
    ("fma.rn.f32 %0, %1, 0f40490FDB, 0f3F800000;", 2, 0),
    ("add.f32 %0, %1, 1.5;", 1, 0),
    ("mul.f32 %0, %1, %2; add.f32 %0, %0, %3;", 2, 0),  # FFMA
    ("mul.rn.f32 %0, %1, %2; add.rn.f32 %0, %0, %3;", 2, 0),  # FMUL, FADD
    ("ex2.approx.ftz.f32 %0, %1;", 0, 1),  # MUFU
    ("rcp.approx.ftz.f32 %0, %1;", 0, 1),
    ("lg2.approx.f32 %0, %1;", 0, 1),  # and FSETP; the products are predicated off
    ("div.full.ftz.f32 %0, %1, %2;", 1, 1),  # FMUL, MUFU, and tests of the divisor
]


def addresses(statement):
    """IMAD.WIDE for the result and for each operand that is used, from one index."""
    return 1 + sum(f"%{number}" in statement for number in (1, 2, 3))


def inline(scalar, letter, statement):
    body = f"""int i = threadIdx.x; {scalar} x = a[i], y = b[i], z = c[i], r;
    asm volatile("{statement}" : "={letter}"(r) : "{letter}"(x), "{letter}"(y), "{letter}"(z)); o[i] = r;"""
    parameters = f"const {scalar} *a, const {scalar} *b, const {scalar} *c, {scalar} *o"
    return count(parameters, body, architecture="sm_90")


@pytest.mark.parametrize(("statement", "operations"), WORDS)
def test_integer_operations(statement, operations):
    counts = inline("unsigned", "r", statement)
    assert integer_ops(counts) == addresses(statement) + operations
    assert not counts.assumptions


@pytest.mark.parametrize(("statement", "flop", "special"), FLOATS)
def test_floating_point_operations(statement, flop, special):
    counts = inline("float", "f", statement)
    assert (counts.sp_flop, counts.special_op) == (flop, special)
    assert not counts.assumptions


def test_what_is_not_understood_counts_as_one_and_is_said():
    statement = "vadd4.u32.u32.u32 %0, %1, %2, %3;"
    counts = inline("unsigned", "r", statement)
    assert integer_ops(counts) == addresses(statement) + 1
    text = "vadd4.u32.u32.u32 in inline PTX is not understood: counted as one operation"
    assert text in [assumption.text for assumption in counts.assumptions]
