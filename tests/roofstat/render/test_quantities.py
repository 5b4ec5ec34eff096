"""Numbers and names as people read them."""

import math

import pytest
from hypothesis import given, strategies as st

from roofstat.render.quantities import (
    count,
    dim3,
    duration,
    percent,
    plain,
    quantity,
    ratio_to_ridge,
    shorten,
    shorten_path,
    significant,
    spread,
    trimmed,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (12, "12 B"),
        (999, "999 B"),
        (999.9, "1.00 kB"),
        (1000, "1.00 kB"),
        (33554432, "33.6 MB"),
        (999_999_999, "1.00 GB"),
        (2.039e12, "2.04 TB"),
        (5e18, "5.00 EB"),
        (0.25, "0.250 B"),
        (None, "? B"),
        (math.inf, "∞ B"),
    ],
)
def test_quantity(value, text):
    assert quantity(value, "B") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (9.87e-5, "98.7 µs"),
        (1e-9, "1.00 ns"),
        (9.999e-4, "1.00 ms"),
        (0.5, "500 ms"),
        (90, "90.0 s"),
        (3e-15, "0.00300 ps"),
    ],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


@pytest.mark.property
@given(st.floats(1e-3, 1e18))
def test_quantity_reads_back_within_half_a_digit(value):
    number, _, unit = quantity(value, "B").partition(" ")
    prefix = unit.removesuffix("B")
    scale = 1000 ** ("", "k", "M", "G", "T", "P", "E").index(prefix)
    assert float(number.replace(",", "")) * scale == pytest.approx(value, rel=0.0051)


@pytest.mark.property
@given(st.floats(1e-11, 1e3))
def test_duration_reads_back_within_half_a_digit(value):
    number, unit = duration(value).split()
    scale = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12}[unit]
    assert float(number.replace(",", "")) * scale == pytest.approx(value, rel=0.0051)


def test_small_words():
    assert [count(value) for value in (None, 20, 4096, 2.5, 16777216)] == [
        "?",
        "20",
        "4,096",
        "2.50",
        "16.8 M",
    ]
    assert [percent(share) for share in (None, 0, 0.0004, 0.034, 0.33, 1)] == [
        "?",
        "0 %",
        "<0.1 %",
        "3.4 %",
        "33 %",
        "100 %",
    ]
    assert [significant(value) for value in (9.996, 1234.5, 1e12)] == ["10.0", "1,230", "1.00e+12"]
    assert [trimmed(value) for value in (4.0, 0.5, 100)] == ["4", "0.5", "100"]
    assert dim3((4, 1, 2)) == "4×1×2"
    assert spread(math.log(1.5)) == "×/÷ 1.50"


def test_ratio_is_never_rounded_up_to_the_ridge():
    assert ratio_to_ridge(0.9999) == "0.99×"
    assert ratio_to_ridge(1.0) == "1×"


def test_control_characters_cannot_reach_the_terminal():
    assert plain("a\x1b[31mb\n") == "a\\x1b[31mb\\x0a"


@pytest.mark.parametrize("width", range(1, 60))
def test_shortened_names_fit(width):
    name = "void ns::reduce<float, cub::Sum<float>, (bool)1>(const float *, float *, int)"
    assert len(shorten(name, width)) <= width
    assert len(shorten_path("some/long/path/kernel.cu:12", width)) <= width


def test_shortening_drops_template_arguments_first():
    name = "reduce<float, cub::Sum<float>, 256>(const float *, int)"
    assert shorten(name, 30) == "reduce<…>(const float *, int)"
    assert shorten("a::operator<(int)", 60) == "a::operator<(int)"


def test_counts_have_no_noise():
    """A sum of weights is off by a few units in the last place; half a thread is no noise."""
    assert count(1234.0000000000002) == "1,234"
    assert count(1234.5) == "1,230"
