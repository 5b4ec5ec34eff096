"""The code that a launch fetches: all copies, routines for exceptional operands once."""

from __future__ import annotations

from builder import Run, count

POINTERS = "const float *a, float *c, int n"
HEAD = "int t = threadIdx.x;"


def code(body: str, run: Run | None = None) -> float:
    return count(POINTERS, HEAD + body, run or Run()).code_instructions


def test_division_calls_one_routine_from_all_places():
    """Ten to twenty instructions at each place instead of a multiplication; 115 once for the routine."""
    none = code("c[t] = a[t] * a[t + 1] * a[t + 2];")
    one = code("c[t] = a[t] / a[t + 1] * a[t + 2];")
    two = code("c[t] = a[t] / a[t + 1] / a[t + 2];")
    assert 115 + 8 < one - none < 115 + 20
    assert 8 < two - one < 20


def test_powers_of_doubles_are_called():
    """184 instructions stand once, and ten at each place."""
    one, two = (
        code("double x = a[t]; c[t] = pow(x, 1.3)" + more + ";") for more in ("", " + pow(x, 1.7)")
    )
    assert one > 184
    assert two - one < 20


def test_all_copies_of_a_loop_are_fetched():
    """15 further multiply-adds and loads: 30 instructions at least, 27 of them counted; threads run them all or one."""
    rolled = "\n#pragma unroll 1\n"
    loop = "float s = 0.f; {}for (int k = 0; k < 16; k++) s += a[t + 32 * k] * 3.f; c[t] = s;"
    one, all_of_them = (code(loop.format(how), Run(trips={0: 16})) for how in (rolled, ""))
    assert all_of_them - one >= 0.9 * 15


def test_code_that_no_thread_comes_to_is_left():
    """Nobody takes the branch with the division."""
    body = "float s = a[t]; if (n < 0) s = s / a[t + 1]; c[t] = s;"
    assert code(body, Run(taken=(0.0,))) < code(body) - 115
