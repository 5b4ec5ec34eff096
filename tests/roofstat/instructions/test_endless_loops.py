"""Loops without a condition that a count ends: FLOP by formula, integers as SASS of own kernels executes them (64 iterations)."""

from __future__ import annotations

import pytest
from builder import Run, count, kernel

from roofstat.instructions.loops.endless_loops import with_tests
from roofstat.instructions.tables.costs import Compiler
from roofstat.program.code import loops

ARGUMENTS = "float *v, float *o, int m, int q"
HEAD = "int i = threadIdx.x; float x = v[i]; int k = 0;"
TRIPS = 64.0
STEP = "x = x * 1.5f + 2.f;"
"""Two FLOP."""

EXECUTED = {
    f"while (true) {{ {STEP} k++; if (k >= m) break; }}": (22.0, 17.0),
    f"for (;;) {{ {STEP} if (++k == m) break; }}": (21.0, None),
    f"do {{ {STEP} if (k == m - 1) break; k++; }} while (true);": (21.0, None),
    f"while (true) {{ if (k == m) break; {STEP} k++; }}": (22.0, None),
    f"for (;;) {{ {STEP} if (k < m) k++; else break; }}": (
        18.0,
        None,
    ),  # the arm is not taken in this run
    f"for (;;) {{ {STEP} if (k == m) {{ o[i + 1] = x; break; }} k++; }}": (23.0, 19.0),
    f"for (;;) {{ {STEP} k++; if (k >= q) break; if (k >= m) break; }}": (23.0, None),
    f"for (;;) {{ {STEP} if (k >= m || k >= q) break; k++; }}": (27.0, None),
    f"do {{ {STEP} k++; }} while (k < m && k < q);": (23.0, None),
}
"""Loop -> executed integer instructions of a thread by nvcc 13.0 (sm_90), and by clang 18.1.6 (sm_86) where that agrees."""


def counts(body: str, trips: float = TRIPS, compiler: Compiler = Compiler.NVCC):
    run = Run(default_trips=trips, taken=(0.0,) * 4)
    architecture = "sm_90" if compiler is Compiler.NVCC else "sm_86"
    text = f"{HEAD} {body} o[i] = x;"
    return count(ARGUMENTS, text, run, compiler=compiler, architecture=architecture)


@pytest.mark.parametrize("compiler", Compiler)
@pytest.mark.parametrize("body", EXECUTED)
def test_each_iteration_has_its_arithmetic(body, compiler):
    assert counts(body, compiler=compiler).sp_flop == pytest.approx(2 * TRIPS, rel=0.02)


@pytest.mark.parametrize("body", EXECUTED)
def test_it_is_copied_like_a_loop_with_a_condition(body):
    nvcc, clang = EXECUTED[body]
    assert counts(body).int_op == pytest.approx(nvcc, rel=0.2)
    if clang is not None:
        assert counts(body, compiler=Compiler.CLANG).int_op == pytest.approx(clang, rel=0.5)


@pytest.mark.parametrize("compiler", Compiler)
@pytest.mark.parametrize(
    "body",
    [
        f"do {{ {STEP} if (k == 49) break; k++; }} while (true);",
        f"for (;;) {{ {STEP} if (++k >= 50) break; }}",
    ],
)
def test_one_of_known_length_vanishes(body, compiler):
    found = counts(body, 50.0, compiler)
    assert found.sp_flop == pytest.approx(100.0)
    assert found.int_op == pytest.approx(2.0, abs=0.1)  # SASS: the address of the thread's element


def test_an_integer_recurrence_is_in_each_iteration():
    body = "unsigned s = i; for (;;) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; if (++k >= m) break; } x += s;"
    assert counts(body).int_op == pytest.approx(6 * TRIPS, rel=0.15)


@pytest.mark.parametrize(
    ("body", "executed"),
    [
        (f"for (k = 0; k < m; k++) {{ x = x + 1.f; if (k >= q) break; {STEP} }}", 134.0),
        (f"for (;;) {{ {STEP} if (k >= m) break; x = x + 1; if (k >= q) break; k++; }}", 135.0),
    ],
)
def test_arithmetic_between_tests_keeps_them_apart(body, executed):
    assert counts(body).int_op == pytest.approx(executed, rel=0.1)


@pytest.mark.parametrize(
    ("body", "executed"),
    [
        (f"while (k < m) {{ {STEP} if (k == q - 1) break; ++k; }}", 24.0),
        (f"while (k < m) {{ {STEP} if (i + k >= q + 1000) break; ++k; }}", 26.0),
        ("while (k < m) { x += v[(i + k) & 127]; if (i + k >= q) break; ++k; }", 336.0),
    ],
)
def test_a_counter_may_advance_between_tests(body, executed):
    assert counts(body).int_op == pytest.approx(executed, rel=0.15)


@pytest.mark.parametrize(
    "body",
    [
        "for (;;) { x = x * 0.5f; if (x < 1e-3f) break; }",
        "for (;;) { k = (int)v[k]; if (k < 0) break; }",
        "for (;;) { x += 1.0f; if (++k > m) break; if (x > 9.0f) break; }",
        "for (;;) { x += 1.0f; if (++k > m) return; }",
        "bool b = false; for (;;) { x += 1.0f; b = ++k > m; if (b) break; } x += b;",
    ],
)
def test_other_ways_out_leave_it_endless(body):
    code = kernel(ARGUMENTS, f"{HEAD} {body} o[i] = x;")
    ((loop, _),) = loops(with_tests(code).body)
    assert loop.condition_register is None


def test_loops_inside_of_branches_and_cases_are_found():
    inner = "for (;;) { x += 1.0f; if (++k > m) break; }"
    body = f"if (m > q) {inner} else for (int j = 0; j < q; j++) switch (j) {{ case 1: {inner} }}"
    code = kernel(ARGUMENTS, f"{HEAD} {body} o[i] = x;")
    tested = with_tests(code)
    assert all(loop.condition_register is not None for loop, _ in loops(tested.body))
    assert with_tests(tested) is tested
