"""Granules that an index reaches whose remainder counts, against enumeration."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from roofstat.memory.wrapping import reached_granules


@pytest.mark.property
@given(
    element=st.sampled_from([1, 4, 8, 12]),
    period=st.integers(1, 200),
    start=st.integers(0, 199),
    steps=st.lists(st.tuples(st.integers(0, 199), st.integers(1, 12)), max_size=3),
    phase=st.integers(0, 127),
    granule=st.sampled_from([32, 128]),
)
def test_reached_granules_are_those_of_every_access(
    element: int,
    period: int,
    start: int,
    steps: list[tuple[int, int]],
    phase: int,
    granule: int,
) -> None:
    parts = tuple((step % period * element, float(extent)) for step, extent in steps)
    turns = itertools.product(*(range(extent) for _, extent in steps))
    places = {
        (start + sum(step * turn for (step, _), turn in zip(steps, turn_, strict=True))) % period
        for turn_ in turns
    }
    touched = {
        byte // granule
        for place in places
        for byte in (phase + place * element, phase + place * element + element - 1)
    }
    assert reached_granules(
        element, period * element, start % period * element, parts, phase, granule
    ) == (len(touched), len(places))
