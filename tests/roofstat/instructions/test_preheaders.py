"""What runs once before a loop, and only where the loop runs."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.tables.costs import Compiler, cost_of

FLOATS = "const float *a, const float *b, float *c, int n, float x, float y"
HEAD = "int t = threadIdx.x; int w = blockDim.x;"
IDLE = Run(default_trips=0.25)
"""One thread of four passes the first test, and runs one iteration."""
QUOTIENT = 10


def test_quotient_that_a_loop_alone_uses_is_for_threads_that_enter_it():
    body = HEAD + "float s = x / y; for (int i = t; i < n; i += w) c[i] = a[i] * s;"
    assert count(FLOATS, body, IDLE).sp_flop == pytest.approx(0.25 * (QUOTIENT + 1))


def test_quotient_that_leaves_a_loop_is_for_threads_that_enter_it():
    body = HEAD + "for (int i = t; i < n; i += w) c[i] = a[i] * (x / y);"
    assert count(FLOATS, body, IDLE).sp_flop == pytest.approx(0.25 * (QUOTIENT + 1))
    # Of four iterations of every thread it is in front of all.
    assert count(FLOATS, body, Run(default_trips=4)).sp_flop == pytest.approx(QUOTIENT + 4)


def test_quotient_with_another_use_stays_in_front_of_the_test():
    body = HEAD + "float s = x / y; for (int i = t; i < n; i += w) c[i] = a[i] * s; c[n + t] = s;"
    assert count(FLOATS, body, IDLE).sp_flop == pytest.approx(QUOTIENT + 0.25)


def test_quotient_that_two_blocks_of_a_loop_use_stays_in_front_of_the_test():
    body = (
        HEAD
        + "float s = x / y; for (int i = t; i < n; i += w)"
        + " if (b[i] > 0.0f) c[i] = a[i] * s; else { c[i] = a[i] + s; c[i + n] = 2.0f; }"
    )
    # Its code branches and cannot wait; a multiply-add (2 FLOP) can.
    run = Run(default_trips=0.25, taken=(1.0,))
    assert count(FLOATS, body, run).sp_flop == pytest.approx(QUOTIENT + 0.25)
    waits = body.replace("x / y", "x * y + 3.0f")
    assert count(FLOATS, waits, run).sp_flop == pytest.approx(0.25 * (2 + 1))


def test_logarithm_of_a_fixed_base_is_computed_once():
    whole = cost_of("pow", "float", Compiler.NVCC, "sm_80", fast_math=False)
    assert whole is not None
    body = HEAD + "for (int i = t; i < n; i += w) c[i] = powf(x, a[i]);"
    # SASS: 38 of 61 FLOP make the logarithm and stand in front of the loop.
    for trips in (1, 9):
        expected = 0.61 * whole.fp32_flop + trips * 0.39 * whole.fp32_flop
        assert count(FLOATS, body, Run(default_trips=trips)).sp_flop == pytest.approx(expected)


def test_sines_of_one_angle_are_computed_each_time():
    once = count(FLOATS, HEAD + "c[t] = sinf(a[t]);").sp_flop
    twice = count(
        FLOATS, HEAD + "float v = a[t]; c[t] = sinf(v); c[t + n] = sinf(v) + 1.0f;"
    ).sp_flop
    assert twice == pytest.approx(2 * once + 1)
    loop = HEAD + "for (int i = t; i < n; i += w) c[i] = sinf(x) * a[i];"
    assert count(FLOATS, loop, Run(default_trips=8)).sp_flop == pytest.approx(8 * (once + 1))
    exponential = count(FLOATS, HEAD + "c[t] = expf(a[t]);").sp_flop
    shared = count(
        FLOATS, HEAD + "float v = a[t]; c[t] = expf(v); c[t + n] = expf(v) + 1.0f;"
    ).sp_flop
    assert shared == pytest.approx(exponential + 1)


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
def test_sine_and_cosine_of_one_angle_reduce_it_once(compiler):
    def counted(body):
        return count(FLOATS, HEAD + body, compiler=compiler, architecture="sm_90").sp_flop

    sine, cosine = counted("c[t] = sinf(a[t]);"), counted("c[t] = cosf(a[t]);")
    # SASS: the product with 2 / pi and three multiply-adds are shared (18 + 16 FLOP alone, 27 together, with nvcc).
    for first, second in (("sinf", "cosf"), ("cosf", "sinf")):
        both = counted(f"float v = a[t]; c[t] = {first}(v); c[t + n] = {second}(v);")
        assert both == pytest.approx(sine + cosine - 7)
    apart = counted("c[t] = sinf(a[t]); c[t + n] = cosf(a[t + n]);")
    assert apart == pytest.approx(sine + cosine)


def test_fast_sine_and_cosine_are_two_instructions_and_a_product():
    body = HEAD + "float s, k; __sincosf(a[t], &s, &k); c[t] = s; c[t + n] = k;"
    counts = count(FLOATS, body)
    assert (counts.sp_flop, counts.special_op) == (pytest.approx(1), pytest.approx(2))


@pytest.mark.parametrize("expression", ["-x * a[t]", "x * -a[t]", "-(x * a[t])"])
def test_negative_product_is_a_multiply_add_of_nvcc(expression):
    body = HEAD + f"c[t] = {expression};"
    assert count(FLOATS, body).sp_flop == pytest.approx(2)
    clang = count(FLOATS, body, compiler=Compiler.CLANG, architecture="sm_86")
    assert clang.sp_flop == pytest.approx(1)
    # A sum takes the sign in.
    assert count(FLOATS, HEAD + f"c[t] = a[t + 1] + {expression};").sp_flop == pytest.approx(2)
