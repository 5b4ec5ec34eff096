"""Accesses whose pointers reach more buffers than are worth a site each."""

import numpy as np

from roofstat.memory.sites import MOST_BUFFERS, _without_lightest


def test_lanes_in_the_buffers_that_few_reach_lose_their_number():
    # Buffer k is reached by one lane, the first three by two each.
    of_lane = np.array([[*range(1_000)], [0, 1, 2, *[-1] * 997]])
    weight = np.where(of_lane >= 0, 1.0, 0.0)
    left = _without_lightest(of_lane, weight)
    assert len(np.unique(left)) == MOST_BUFFERS
    assert {0, 1, 2} < set(left.ravel().tolist())
    assert np.all((left == of_lane) | (left == -1))
