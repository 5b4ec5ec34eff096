"""Contraction, division and the math library."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.model import CompilerFlags
from roofstat.instructions.tables.costs import Compiler, cost_of

FLOATS = "const float *a, float *c"
DOUBLES = "const double *a, double *c"
HEAD = "int i = threadIdx.x;"


def test_product_and_sum_become_a_multiply_add_of_two_flop():
    assert count(FLOATS, HEAD + "c[i] = a[i] * a[i + 1] + a[i + 2];").sp_flop == pytest.approx(2.0)
    assert count(DOUBLES, HEAD + "c[i] = a[i + 2] - a[i] * a[i + 1];").dp_flop == pytest.approx(2.0)


def test_without_fmad_they_stay_apart_with_the_same_flop():
    body = HEAD + "float x = a[i] * a[i + 1]; c[i] = x + a[i + 2]; c[i + 9] = x - a[i + 3];"
    fused = count(FLOATS, body)
    apart = count(FLOATS, body, flags=CompilerFlags(fmad=False))
    # Fused into both sums: two multiply-adds; apart: one product and two sums.
    assert fused.sp_flop == pytest.approx(2 * 2)
    assert apart.sp_flop == pytest.approx(1 + 2)


def test_product_with_another_use_is_fused_by_clang_and_kept_by_nvcc():
    body = HEAD + "double x = a[i] * a[i + 1]; c[i] = x + a[i + 2]; c[i + 9] = x * a[i + 3];"
    product, sum_, multiply_add = 1, 1, 2
    assert count(DOUBLES, body).dp_flop == pytest.approx(2 * product + sum_)
    clang = count(DOUBLES, body, compiler=Compiler.CLANG, architecture="sm_86")
    assert clang.dp_flop == pytest.approx(2 * product + multiply_add)


def test_two_products_fuse_one():
    body = HEAD + "c[i] = a[i] * a[i] + a[i + 1] * a[i + 1];"
    product, multiply_add = 1, 2
    assert count(FLOATS, body).sp_flop == pytest.approx(product + multiply_add)


def test_division_costs_what_the_table_says():
    expected = cost_of("div", "float", Compiler.NVCC, "sm_80", fast_math=False)
    counts = count(FLOATS, HEAD + "c[i] = a[i] / a[i + 1];")
    assert expected is not None
    assert counts.sp_flop == pytest.approx(expected.fp32_flop)
    assert counts.special_op == pytest.approx(expected.special_op)


def test_division_by_a_power_of_two_is_a_product():
    assert count(FLOATS, HEAD + "c[i] = a[i] / 4.0f;").sp_flop == pytest.approx(1.0)


def test_reciprocal_of_a_root_is_one_instruction_for_clang():
    alone = HEAD + "c[i] = 1.0f / sqrtf(a[i]);"
    clang = count(FLOATS, alone, compiler=Compiler.CLANG, architecture="sm_86")
    assert (clang.sp_flop, clang.special_op) == (pytest.approx(0.0), pytest.approx(1.0))
    both = HEAD + "float r = sqrtf(a[i]); c[i] = 1.0f / r; c[i + 9] = r;"
    clang = count(FLOATS, both, compiler=Compiler.CLANG, architecture="sm_86")
    assert (clang.sp_flop, clang.special_op) == (pytest.approx(0.0), pytest.approx(2.0))


def test_reciprocal_of_a_root_is_a_root_and_a_reciprocal_for_nvcc():
    body = HEAD + "c[i] = 1.0f / sqrtf(a[i]);"
    root = cost_of("sqrt", "float", Compiler.NVCC, "sm_80", fast_math=False)
    reciprocal = cost_of("rcp", "float", Compiler.NVCC, "sm_80", fast_math=False)
    assert root is not None
    assert reciprocal is not None
    assert count(FLOATS, body).sp_flop == pytest.approx(root.fp32_flop + reciprocal.fp32_flop)
    fast = count(FLOATS, body, flags=CompilerFlags(fast_math=True))
    assert (fast.sp_flop, fast.special_op) == (pytest.approx(0.0), pytest.approx(1.0))


def test_negation_is_an_operand_modifier():
    # What becomes of negative products stands in test_preheaders.py: the compilers differ.
    assert count(FLOATS, HEAD + "c[i] = -(a[i] + a[i + 1]);").sp_flop == pytest.approx(1.0)
    assert (
        count(FLOATS, HEAD + "c[i] = sqrtf(-a[i]);").sp_flop
        == count(FLOATS, HEAD + "c[i] = sqrtf(a[i]);").sp_flop
    )


@pytest.mark.parametrize("compiler", Compiler)
@pytest.mark.parametrize(
    ("statements", "flop"),
    [
        # SASS: `FADD R, |R|, -RZ` in front of the store or the shuffle.
        ("c[i] = fabs(a[i]);", 1),
        ("c[i] = __shfl_down_sync(~0u, fabs(a[i]), 1);", 1),
        # `FADD R, |R|, R`, `FMNMX R, |R|, R`, `FFMA R, |R|, R, R`.
        ("c[i] = fabs(a[i]) + a[i + 1];", 1),
        ("c[i] = fmax(fabs(a[i]), a[i + 1]);", 0),
        ("c[i] = fabs(a[i]) * a[i + 1] + a[i + 2];", 2),
        ("c[i] = a[i + 1] - fabs(a[i]);", 1),
        # Once, for what is stored.
        ("double x = fabs(a[i]); c[i] = x; c[i + 9] = x * a[i + 1];", 2),
    ],
)
def test_an_absolute_value_on_its_own_is_an_addition(compiler, statements, flop):
    architecture = "sm_90" if compiler is Compiler.NVCC else "sm_86"
    options = {"compiler": compiler, "architecture": architecture}
    doubles = count(DOUBLES, HEAD + statements, **options)
    floats = count(FLOATS, HEAD + statements.replace("double x", "float x"), **options)
    assert (doubles.dp_flop, floats.sp_flop) == (pytest.approx(flop), pytest.approx(flop))


def test_short_arms_take_no_branch():
    body = HEAD + "float v = a[i]; float r; if (v > 1.0f) r = v * v; else r = v + 3.0f; c[i] = r;"
    # FMUL for all, then @!P0 FADD.
    product, sum_ = 1, 0.75
    assert count(FLOATS, body, Run(taken=(0.25,))).sp_flop == pytest.approx(product + sum_)


def test_common_operation_of_two_arms_is_done_once():
    body = (
        HEAD + "float v = a[i]; float r; if (v > 1.0f) r = v + 1.0f; else r = v - 1.0f; c[i] = r;"
    )
    assert count(FLOATS, body).sp_flop == pytest.approx(1.0)


def test_constants_fold():
    assert count(FLOATS, HEAD + "c[i] = a[i] + sqrtf(16.0f) * 2.0f;").sp_flop == pytest.approx(1.0)


def test_unknown_function_is_an_assumption():
    body = HEAD + "c[i] = a[i]; opaque(c);"
    counts = count(FLOATS + ", int k", body.replace("opaque(c);", "") + "")
    assert counts.assumptions == ()


def test_clang_calls_the_trigonometric_functions_even_on_constants():
    """SASS of `o[0] = cosf(0.5f)`: a constant for nvcc, the whole function for clang; sqrtf is a constant for both."""
    cosine = {
        name: count(FLOATS, HEAD + "c[i] = cosf(0.5f);", compiler=name, architecture="sm_86")
        for name in (Compiler.NVCC, Compiler.CLANG)
    }
    assert cosine[Compiler.NVCC].sp_flop == 0
    assert cosine[Compiler.CLANG].sp_flop > 5
    for name in cosine:
        root = count(FLOATS, HEAD + "c[i] = sqrtf(2.0f);", compiler=name, architecture="sm_86")
        assert root.sp_flop == 0


def test_infinity_and_not_a_number_are_constants():
    # Comparing and choosing is no arithmetic: x + 1 alone is left.
    body = (
        "float x = a[threadIdx.x] + 1.0f; if (x == INFINITY) x = NAN; if (x == -HUGE_VALF) x = 0.0f;"
        "c[threadIdx.x] = x;"
    )
    prologue = "#include <cuda_runtime.h>\n#include <math.h>\n"
    counts = count("const float *a, float *c", body, prologue=prologue)
    assert counts.sp_flop == pytest.approx(1)
    assert not counts.assumptions


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
def test_operation_that_a_condition_chooses_runs_under_the_condition(compiler):
    def flop(body: str, parameters: str = FLOATS) -> float:
        architecture = "sm_90" if compiler is Compiler.NVCC else "sm_86"
        run = Run(taken=(0.25,))
        counts = count(parameters, HEAD + body, run, compiler=compiler, architecture=architecture)
        return counts.sp_flop + counts.dp_flop

    # SASS: FSETP.GT P0; @P0 FFMA.
    assert flop("float v = a[i], w = a[i + 1]; if (v > w) v = v * w + 3.0f; c[i] = v;") == 0.5
    # Of two operations the second: FFMA; @!P0 FADD.
    both = "float v = a[i], w = a[i + 1], r; if (v > w) r = v * w + 3.0f; else r = w - v; c[i] = r;"
    assert flop(both) == pytest.approx(2 + 0.75)
    # FADD, then FSEL against the constant; DFMA, then two FSEL.
    assert flop("float v = a[i], w = a[i + 1]; c[i] = v > w ? v - w : 0.0f;") == 1.0
    double = "double v = a[i], w = a[i + 1]; if (v > w) v = v * w + 3.0; c[i] = v;"
    assert flop(double, DOUBLES) == 2.0


@pytest.mark.parametrize("compiler", list(Compiler))
def test_exponentials_of_doubles_share_their_constants(compiler):
    # SASS for sm_90: IMAD.MOV of four words, then IMAD and IMAD.MOV for each; addresses of `a[i]` and `c[i]` are two. Large
    # functions set some of the words again, so the model counts one more for each exponential after the first.
    calls = "c[i] = exp(a[i]); c[i + 256] = exp(a[i + 256]); c[i + 512] = exp(a[i + 512]);"
    counts = count(DOUBLES, HEAD + calls, compiler=compiler, architecture="sm_90")
    assert counts.int_op == pytest.approx(4 + 3 * 2 + 2 + 2)
