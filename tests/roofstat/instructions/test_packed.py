"""Half precision, packed and not, and the intrinsics on packed words, against what nvcc 13 makes of them."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler, cost_of

HALF = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
HEAD = "int i = threadIdx.x;"


def costless(counts):
    """Functions that no table knows."""
    return [item for item in counts.assumptions if item[0] == "library-cost"]


def halves(type_, body, **options):
    return count(f"const {type_} *a, {type_} *c", HEAD + body, prologue=HALF, **options)


@pytest.mark.parametrize("compiler", Compiler)
@pytest.mark.parametrize(
    ("type_", "architecture", "flop"),
    [
        ("__half", "sm_80", 2),  # one HFMA2
        ("__half2", "sm_80", 2),
        ("__nv_bfloat16", "sm_80", 4),  # HFMA2.BF16_V2 onto -0, then one by 1
        ("__nv_bfloat162", "sm_80", 4),
        ("__nv_bfloat162", "sm_86", 4),
        ("__nv_bfloat162", "sm_89", 4),
        ("__nv_bfloat16", "sm_90", 2),
        ("__nv_bfloat162", "sm_90", 2),
    ],
)
def test_product_and_sum_of_halves_contract(type_, architecture, flop, compiler):
    # Instructions in SASS of nvcc 13.0 for each of these, of clang 18 for those of sm_80.
    digit = "2" if type_.endswith("2") else ""
    named = f"c[i] = __hadd{digit}(__hmul{digit}(a[i], a[i + 9]), a[i + 20]);"
    for body in ("c[i] = a[i] * a[i + 9] + a[i + 20];", named):
        counts = halves(type_, body, architecture=architecture, compiler=compiler)
        assert counts.hp_flop == pytest.approx(flop)


@pytest.mark.parametrize(
    ("type_", "architecture", "flop"),
    [
        ("__half", "sm_80", 1),  # HADD2
        ("__half2", "sm_90", 1),
        ("__nv_bfloat162", "sm_80", 2),  # HFMA2.BF16_V2 by one: sm_80 has no HADD2.BF16
        ("__nv_bfloat162", "sm_90", 1),  # HADD2.BF16_V2
    ],
)
def test_sums_of_halves(type_, architecture, flop):
    counts = halves(type_, "c[i] = a[i] + a[i + 9];", architecture=architecture)
    assert counts.hp_flop == pytest.approx(flop)


@pytest.mark.parametrize(
    ("expression", "flop"),
    [
        ("__half22float2(a[i]).y", 1),  # the other half is dead: one HADD2.F32
        ("__low2float(a[i]) + __high2float(a[i])", 2),
    ],
)
def test_widening_of_pairs(expression, flop):
    counts = count("const __half2 *a, float *c", HEAD + f"c[i] = {expression};", prologue=HALF)
    assert counts.hp_flop == pytest.approx(flop)
    assert not costless(counts)


def test_narrowing_of_two_floats_is_one_conversion():
    counts = count(
        "const float2 *a, __half2 *c", HEAD + "c[i] = __float22half2_rn(a[i]);", prologue=HALF
    )
    assert counts.hp_flop == counts.sp_flop == 0
    assert not costless(counts)


@pytest.mark.parametrize(
    ("call", "table", "scalar"),
    [
        ("__vabs2(a)", "__vabs2", "uint32"),
        ("__vabsdiffs4(a, b)", "__vabsdiffs4", "uint32"),
        ("__vcmpgtu2(a, b)", "__vcmpgtu2", "uint32"),
        ("__viaddmax_s32(a, b, 7)", "__viaddmax_s32", "int32"),
        ("__vimax3_s16x2_relu(a, b, 7)", "__vimax3_s16x2_relu", "uint32"),
        ("__vibmin_u32(a, b, &first)", "__vibmin_u32", "uint32"),
    ],
)
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_packed_words_cost_their_table_entry(call, table, scalar, architecture):
    head = HEAD + "unsigned a = p[i], b = p[i + 9]; bool first;"
    with_call = count("unsigned *p", head + f"p[i] = {call};", architecture=architecture)
    without = count("unsigned *p", head + "p[i] = a + b;", architecture=architecture)
    expected = cost_of(table, scalar, Compiler.NVCC, architecture, fast_math=False)
    assert expected is not None
    one_sum = 1
    together = [integer_ops(counts) for counts in (with_call, without)]
    # To a tenth: tables hold means over several arguments.
    assert together[0] - together[1] + one_sum == pytest.approx(expected.int_op, abs=0.1)
    assert not costless(with_call)


def test_three_maxima_are_one_instruction_from_sm_90_on():
    assert cost_of("__vimax3_s32", "int32", Compiler.NVCC, "sm_80", fast_math=False).int_op == 2
    assert cost_of("__vimax3_s32", "int32", Compiler.NVCC, "sm_90", fast_math=False).int_op == 1


def test_words_of_a_double_are_registers():
    body = HEAD + "c[i] = __hiloint2double(__double2hiint(a[i]), __double2loint(a[i + 9]));"
    counts = count("const double *a, double *c", body)
    plain = count("const double *a, double *c", HEAD + "c[i] = a[i];")
    assert counts.int_op == pytest.approx(plain.int_op, abs=0.5)
    assert not costless(counts)
