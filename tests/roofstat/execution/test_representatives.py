"""Iterations that stand for a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from roofstat.execution.sampling.representatives import representatives

COUNTS = st.one_of(st.integers(1, 50), st.integers(51, 10**9))
PAIRS = st.integers(1, 3)


@given(count=COUNTS, pairs=PAIRS)
def test_weights_sum_to_the_count_and_places_lie_inside(count, pairs):
    places = representatives(float(count), pairs)
    assert len(places) == 2 * pairs
    assert sum(weight for _, weight in places) == pytest.approx(count)
    assert all(weight >= 0 for _, weight in places)
    positions = [position for position, _ in places]
    assert positions == sorted(positions)
    assert positions[0] >= 0
    assert positions[-1] <= count - 1


@given(count=COUNTS, pairs=PAIRS)
def test_linear_work_is_exact(count, pairs):
    # sum of i for i < n: n (n - 1) / 2
    found = sum(weight * position for position, weight in representatives(float(count), pairs))
    assert found == pytest.approx(count * (count - 1) / 2, rel=1e-9)


@given(count=COUNTS, pairs=st.integers(2, 3))
def test_quadratic_and_cubic_work_is_exact(count, pairs):
    # sums of squares n (n - 1) (2 n - 1) / 6 and of cubes (n (n - 1) / 2)^2
    places = representatives(float(count), pairs)
    squares = sum(weight * position**2 for position, weight in places)
    cubes = sum(weight * position**3 for position, weight in places)
    assert squares == pytest.approx(count * (count - 1) * (2 * count - 1) / 6, rel=1e-9)
    assert cubes == pytest.approx((count * (count - 1) / 2) ** 2, rel=1e-9)


@given(counts=st.lists(st.integers(0, 1000), min_size=1, max_size=8), pairs=PAIRS)
def test_lanes_get_what_they_would_get_alone(counts, pairs):
    together = representatives(np.array(counts, float), pairs)
    for lane, count in enumerate(counts):
        alone = representatives(float(count), pairs)
        for (position, weight), (own_position, own_weight) in zip(together, alone, strict=True):
            assert position[lane] == own_position
            assert weight[lane] == pytest.approx(own_weight)


def test_no_iterations_weigh_nothing():
    assert sum(weight for _, weight in representatives(0.0, 2)) == 0
