"""Eight-bit floats of the emulated machine against their definition."""

import itertools
import math
import struct

import pytest
from sass_values import NARROW


def finite(narrow):
    """All numbers up to the largest one, by their bits."""
    values = {bits: narrow.value(bits) for bits in range(0x80)}
    return {bits: value for bits, value in values.items() if value <= narrow.largest}


@pytest.mark.parametrize(("name", "count"), [("E4M3", 127), ("E5M2", 124)])
def test_every_number_is_its_own_nearest(name, count):
    narrow = NARROW[name]
    numbers = finite(narrow)
    assert len(numbers) == count
    for bits, value in numbers.items():
        assert narrow.bits(value) == bits
        assert narrow.bits(-value) == bits | 0x80


def test_e5m2_is_the_upper_byte_of_a_half():
    for bits, value in finite(NARROW["E5M2"]).items():
        assert struct.unpack("<e", bytes((0, bits)))[0] == value


@pytest.mark.parametrize("name", ["E4M3", "E5M2"])
def test_what_lies_between_goes_to_the_nearest_and_ties_to_even(name):
    narrow = NARROW[name]
    numbers = sorted(finite(narrow).items(), key=lambda item: item[1])
    for (low, below), (high, above) in itertools.pairwise(numbers):
        middle = (below + above) / 2
        assert narrow.bits(middle) == (low if low % 2 == 0 else high)
        assert narrow.bits(math.nextafter(middle, 0.0)) == low
        assert narrow.bits(math.nextafter(middle, math.inf)) == high


@pytest.mark.parametrize("name", ["E4M3", "E5M2"])
def test_too_large_numbers_saturate(name):
    narrow = NARROW[name]
    assert narrow.value(narrow.bits(1e9)) == narrow.largest
    assert narrow.value(narrow.bits(-math.inf)) == -narrow.largest
    assert math.isnan(narrow.value(narrow.bits(math.nan)))
