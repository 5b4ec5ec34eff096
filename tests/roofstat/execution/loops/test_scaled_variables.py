"""Loops by variables that are multiplied or brought back into a range: they end after a logarithm, or before they begin."""

from __future__ import annotations

import pytest

THREADS = 64 * 128


def kernel(body: str) -> str:
    return f"""
    __global__ void k(const int *key, const int *first, const int *wanted, const float *v, float *o, int n, float length) {{
      int i = blockIdx.x * 128 + threadIdx.x;
      {body}
    }}"""


ARGUMENTS = {
    "key": 1 << 20,
    "first": THREADS + 1,
    "wanted": THREADS,
    "v": THREADS,
    "o": THREADS,
    "n": 1 << 20,
    "length": 8.0,
}


@pytest.mark.parametrize(
    ("step", "trips"),
    [
        # From 1 on, the 20th or the 21st number is above 2^20.
        ("k = 2 * k + (key[k] < x)", 21),
        ("k = (k << 1) + (key[k] < x)", 21),
        ("k = k + k + (key[k] < x)", 21),
        ("k = 4 * k + (key[k] & 3)", 11),
    ],
)
def test_a_way_down_an_implicit_tree_has_as_many_steps_as_levels(run, step, trips):
    ran = run(
        kernel(f"int x = wanted[i], k = 1; while (k <= n) {step}; o[i] = k;"),
        grid=64,
        block=128,
        arguments=ARGUMENTS,
    )
    assert ran.loads("key") / THREADS == pytest.approx(trips - 0.5, abs=0.51)


def test_a_step_that_doubles_gallops_to_the_end(run):
    ran = run(
        kernel("""
          int lo = first[i], end = first[i + 1], x = wanted[i], step = 1;
          while (lo + step < end && key[lo + step] <= x) { lo += step; step *= 2; }
          o[i] = lo;"""),
        grid=64,
        block=128,
        arguments=ARGUMENTS,
    )
    # 8 elements, if nothing else is known, are passed by steps of 1, 2 and 4.
    assert "by steps that each doubles" in " ".join(item.text for item in ran.trace.assumptions)
    assert ran.loads("key") / THREADS == pytest.approx(4.5, abs=0.51)


@pytest.mark.parametrize(
    "loops",
    [
        "while (x < 0.0f) x += length; while (x >= length) x -= length;",
        "for (; x > length; x -= length) ;",
        "while (0.0f > x) x = x + length;",
    ],
)
def test_a_number_that_is_brought_back_is_in_its_range_as_a_rule(run, loops):
    ran = run(
        kernel(f"float x = v[i] + key[i]; {loops} o[i] = x;"),
        grid=64,
        block=128,
        arguments=ARGUMENTS,
    )
    assert ran.flop == pytest.approx(THREADS, rel=0.01)


def test_a_remainder_that_is_counted_is_another_matter(run):
    ran = run(
        kernel("float x = v[i]; int q = 0; while (x >= length) { x -= length; q++; } o[i] = q;"),
        grid=64,
        block=128,
        arguments=ARGUMENTS,
    )
    assert ran.flop > 4 * THREADS
