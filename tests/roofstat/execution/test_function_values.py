"""Values of functions on known operands: against definitions, and in kernels whose loops they bound."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, strategies as st

from roofstat.execution.numbers.math_functions import FLOAT_FUNCTIONS, evaluate, result_bounds

_WORD = st.integers(0, 2**32 - 1)
_SIGNED = st.integers(-(2**31), 2**31 - 1)


def word(name, *operands, dtype=np.uint32):
    result = evaluate(name, [np.array([value], dtype) for value in operands], is_float=False)
    assert result is not None
    return int(result[0])


def number(name, *operands):
    result = evaluate(name, [np.array([value], np.float64) for value in operands], is_float=True)
    assert result is not None
    return float(result[0])


@given(_WORD, _WORD, _WORD)
def test_funnel_shifts_move_both_words(low, high, places):
    both, by = high << 32 | low, places % 32
    assert word("__funnelshift_l", low, high, places) == (both << by >> 32) % 2**32
    assert word("__funnelshift_r", low, high, places) == (both >> by) % 2**32


@given(_WORD, _WORD, _WORD, st.integers(0, 255))
def test_three_words_are_combined_by_a_table(a, b, c, table):
    bits = (a >> 7 & 1) << 2 | (b >> 7 & 1) << 1 | c >> 7 & 1
    assert word("ptx_lop3", a, b, c, table) >> 7 & 1 == table >> bits & 1
    assert word("ptx_lop3", a, b, c, 0x96) == a ^ b ^ c


@given(_WORD, st.integers(0, 40), st.integers(0, 40))
def test_fields_of_words(a, start, length):
    digits = f"{a:032b}"[::-1]
    field = digits[start : start + length]
    assert word("ptx_bfe", a, start, length) == int(field[::-1] or "0", 2)
    replaced = list(digits)
    for place in range(start, min(start + length, 32)):
        replaced[place] = "1"
    assert word("ptx_bfi", 2**32 - 1, a, start, length) == int("".join(replaced)[::-1], 2)


@given(_SIGNED, st.integers(0, 31), st.integers(1, 32))
def test_fields_of_signed_words_extend_their_highest_bit(a, start, length):
    length = min(length, 32 - start)
    assert word("ptx_bfe", a, start, length, dtype=np.int32) == (
        (a >> start) + 2 ** (length - 1)
    ) % 2**length - 2 ** (length - 1)


@given(_WORD, _WORD, _WORD)
def test_a_permutation_picks_bytes(low, high, selector):
    pool = low.to_bytes(4, "little") + high.to_bytes(4, "little")
    picked = bytes(pool[(selector >> 4 * place) & 7] for place in range(4))
    assert word("__byte_perm", low, high, selector) == int.from_bytes(picked, "little")


@given(_WORD, _WORD, st.integers(0, 2**20))
def test_dot_products_of_bytes(a, b, total):
    def products(is_signed):
        first, second = (
            np.frombuffer(value.to_bytes(4, "little"), np.int8 if is_signed else np.uint8)
            for value in (a, b)
        )
        return sum(int(x) * int(y) for x, y in zip(first, second, strict=True))

    assert word("__dp4a", a, b, total) == total + products(is_signed=False)
    signed = [value - (value >> 31 << 32) for value in (a, b)]
    assert word("__dp4a", *signed, total, dtype=np.int32) == total + products(is_signed=True)


@given(_SIGNED, _SIGNED)
def test_averages_do_not_overflow(a, b):
    assert word("__hadd", a, b, dtype=np.int32) == (a + b) >> 1
    assert word("__rhadd", a, b, dtype=np.int32) == (a + b + 1) >> 1


def test_quantiles_invert_the_distribution():
    for probability in (1e-6, 0.01, 0.3, 0.5, 0.977, 1 - 1e-9):
        x = number("normcdfinv", probability)
        assert x == pytest.approx(NormalDist().inv_cdf(probability))
        assert number("normcdf", x) == pytest.approx(probability)
    for y in (-0.9, 0.0, 0.3, 0.999):
        assert math.erf(number("erfinv", y)) == pytest.approx(y)
        assert math.erfc(number("erfcinv", 1 - y)) == pytest.approx(1 - y)
    assert number("normcdfinv", 0.0) == -math.inf
    assert math.isnan(number("normcdfinv", 2.0))


def test_the_scaled_complement_is_smooth_where_its_factors_overflow():
    below, above = number("erfcx", 20.0), number("erfcx", 20.000001)
    assert above == pytest.approx(below, rel=1e-5)
    assert number("erfcx", 1e3) == pytest.approx(1 / (1e3 * math.sqrt(math.pi)), rel=1e-6)


def test_poles_do_not_take_the_other_lanes_with_them():
    result = evaluate("lgamma", [np.array([-1.0, 5.0])], is_float=True)
    assert result is not None
    assert result[1] == pytest.approx(math.log(24))


@pytest.mark.parametrize("name", ["erf", "normcdf", "asinh", "sincospi", "sinpi", "erfc"])
def test_bounds_hold_what_lies_between(name):
    low, high = result_bounds(name, [(-0.7, 1.3)]) or (math.nan, math.nan)
    for x in np.linspace(-0.7, 1.3, 21):
        assert low <= float(FLOAT_FUNCTIONS[name](np.array([x]))[0]) <= high


def loops(run, expression, type_="int"):
    """Mean of what an expression of the thread's number makes, as a trip count."""
    ran = run(
        f"__global__ void k(int *out) {{ {type_} i = threadIdx.x;"
        f" int n = {expression}; for (int j = 0; j < n; j++) out[j] = 1; }}",
        grid=1,
        block=32,
        arguments={"out": 4096},
    )
    return ran.stores("out") / 32


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(int)__fsub_rn(40.0f, (float)i)", lambda i: 40 - i),
        ("__builtin_ctz(i + 1)", lambda i: ((i + 1) & -(i + 1)).bit_length() - 1),
        ("__ffs(i)", lambda i: (i & -i).bit_length()),
        ("(int)(10.0f * erff(0.1f * i))", lambda i: int(10 * math.erf(0.1 * i))),
        (
            "(int)(8.5f + 8.0f * sinpif(i / 16.0f))",
            lambda i: int(8.5 + 8 * math.sin(math.pi * i / 16)),
        ),
        ("(int)__funnelshift_r(i << 4, 0u, 5u)", lambda i: i // 2),
        ("(int)__byte_perm(0x09050301u, 0u, i & 3) & 15", lambda i: (1, 3, 5, 9)[i & 3]),
    ],
)
def test_trip_counts_follow_functions(run, expression, expected):
    assert loops(run, expression) == pytest.approx(sum(map(expected, range(32))) / 32)


def test_rejection_by_a_normal_deviate_ends_as_the_numbers_say(run):
    # u = (i + 1/2) / 32: the deviate is below zero for half of the threads, one turn; the others take two.
    body = """float u = (i + 0.5f) / 32.0f; int n = 1;
      while (true) { if (normcdfinvf(u) < 0.0f) break; u -= 0.5f; n++; }"""
    ran = run(
        f"__global__ void k(int *out) {{ int i = threadIdx.x; {body} for (int j = 0; j < n; j++) out[j] = 1; }}",
        grid=1,
        block=32,
        arguments={"out": 4096},
    )
    assert ran.stores("out") / 32 == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("pow", ([-3.0, 1.5, 0.0], [2.0, 2.0, 2.0]), [9.0, 2.25, 0.0]),
        ("pow", ([-3.0, 4.0, 0.0], [2.0, 0.5, 2.0]), [9.0, 2.0, 0.0]),
        ("erf", ([0.0, math.inf],), [0.0, 1.0]),
        ("tgamma", ([3.0, 500.0],), [2.0, math.inf]),
    ],
)
def test_functions_are_applied_lane_by_lane(name, operands, expected):
    found = evaluate(name, [np.array(operand) for operand in operands], is_float=True)
    assert found.tolist() == expected
