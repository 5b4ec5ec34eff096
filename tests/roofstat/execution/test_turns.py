"""Decisions that go another way in the middle of a long loop, and exits of inner loops that end the outer one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

THREADS = 128 * 100


def stored(run, body):
    text = (
        "__global__ void k(float *v, int n) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    )
    return run(text, grid=100, block=128, arguments={"v": THREADS, "n": 1000}).stores("v")


@pytest.mark.parametrize(
    ("guard", "iterations"),
    [
        ("a < 137", 137),
        ("a >= 700", 300),
        ("a * a < 5000", 71),
        ("a < 300 || a >= 900", 400),
        ("1 << (a / 100) > 4", 700),
        ("a % 4 == 1 && a < 400", 100),
    ],
)
def test_guards_that_turn_in_a_long_loop(run, guard, iterations):
    found = stored(run, f"for (int a = 0; a < 1000; a++) if ({guard}) v[i] = a;")
    assert found == pytest.approx(iterations * THREADS, rel=0.01)


@settings(max_examples=12, deadline=None)
@given(
    turn=st.integers(0, 400),
    second=st.integers(0, 400),
    length=st.integers(60, 400),
)
def test_two_turns_are_found_by_halving(run, turn, second, length):
    # Turns are seen where the ends or the quarters of what is left differ: two on end make one that is seen.
    body = f"for (int a = 0; a < {length}; a++) {{ if (a >= {turn}) v[i] = a; if (a < {second}) v[i] = 1; }}"
    exact = max(length - turn, 0) + min(second, length)
    assert stored(run, body) == pytest.approx(exact * THREADS, rel=0.02)


@pytest.mark.parametrize(
    ("loops", "each"),
    [
        ("if (a * 50 + b == 777) return;", 777),
        ("if (a * 50 + b >= 2345) return;", 2345),
        ("if (b - a < -61) return;", 62 * 50),
        ("if (b == 7 + a / 10) break;", sum(7 + a // 10 for a in range(100))),
    ],
)
def test_exits_of_inner_loops(run, loops, each):
    # 100 iterations of 50 each; the exit comes before the store
    body = f"for (int a = 0; a < 100; a++) for (int b = 0; b < 50; b++) {{ {loops} v[i] = b; }}"
    assert stored(run, body) == pytest.approx(each * THREADS, rel=0.01)


@settings(max_examples=10, deadline=None)
@given(place=st.integers(0, 4999))
def test_a_return_at_any_place_of_a_nest(run, place):
    body = (
        "for (int a = 0; a < 100; a++) for (int b = 0; b < 50; b++) {"
        f" if (a * 50 + b == {place}) return; v[i] = b; }}"
    )
    assert stored(run, body) == pytest.approx(place * THREADS, rel=0.01)


@pytest.mark.parametrize(
    ("compute", "value"),
    [
        ("int f = 1; for (int k = 2; k <= n / 160; k++) f *= k;", 720),
        ("int f = 1; for (int k = 0; k < n / 100; k++) f *= 2;", 1024),
        ("int f = n; for (int k = 0; k < n / 200; k++) f /= 3;", 4),
        ("int f = 1; for (int k = 0; k < n / 125; k++) f = (f * 5 + k) % 97;", 71),
        (
            # The place of the sixth of the bits that are not set in 0x1b5: 1, 3, 6, 9, 10, 11.
            "int f = 0, d = n / 200; for (;; f++) { if (0x1b5 >> f & 1) continue; if (d-- == 0) break; }",
            11,
        ),
    ],
)
def test_what_short_loops_compute_step_by_step_is_exact(run, compute, value):
    found = stored(run, f"{compute} for (int a = 0; a < f; a++) v[i] = a;")
    assert found == pytest.approx(value * THREADS)


def test_steps_beyond_a_signed_word_wrap_around(run):
    # a thousand odd steps leave the parity of i: every other thread stores
    body = (
        "unsigned long long h = i; for (int a = 0; a < 1000; a++) h += 0x9e3779b97f4a7c15ULL;"
        " if ((h & 1) == 0) v[i] = 1;"
    )
    assert stored(run, body) == THREADS / 2
