"""Which threads of a launch are run, and how many each stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from roofstat.execution.sampling.sampling import EXACT_WARPS, host_lane, sample_lanes

AXIS = st.one_of(st.integers(1, 40), st.integers(41, 100_000))
GRIDS = st.tuples(AXIS, st.integers(1, 300), st.integers(1, 65))
BLOCKS = st.tuples(st.integers(1, 1024), st.integers(1, 32), st.integers(1, 8)).filter(
    lambda block: np.prod(block) <= 1024
)


@given(grid=GRIDS, block=BLOCKS, dense=st.booleans())
def test_weights_sum_to_the_threads_of_the_launch(grid, block, dense):
    lanes = sample_lanes(grid, block, dense=dense)
    threads = int(np.prod(grid, dtype=object)) * int(np.prod(block))
    assert lanes.weight[lanes.exists].sum() == pytest.approx(threads, rel=1e-9)
    assert lanes.weight.min() > 0


@given(grid=GRIDS, block=BLOCKS, dense=st.booleans())
def test_lanes_are_whole_warps_of_the_launch(grid, block, dense):
    lanes = sample_lanes(grid, block, dense=dense)
    assert lanes.count % 32 == 0
    for axis in range(3):
        assert lanes.tid[axis].min() >= 0
        assert lanes.tid[axis].max() < block[axis]
        assert lanes.bid[axis].min() >= 0
        assert lanes.bid[axis].max() < grid[axis]
    linear = (lanes.tid[2] * block[1] + lanes.tid[1]) * block[0] + lanes.tid[0]
    real = lanes.exists
    assert (linear[real] // 32 == lanes.warp_of_block[real]).all()
    place = np.stack([*lanes.bid, linear])[:, real]
    assert len(np.unique(place, axis=1).T) == real.sum()  # nobody runs twice


@given(grid=GRIDS, block=BLOCKS)
def test_the_number_of_lanes_is_bounded(grid, block):
    assert sample_lanes(grid, block).count <= 32 * 4 * EXACT_WARPS


@pytest.mark.parametrize(("grid", "block"), [((3, 1, 1), (512, 1, 1)), ((4, 3, 1), (8, 8, 2))])
def test_small_launches_are_run_whole(grid, block):
    lanes = sample_lanes(grid, block)
    assert lanes.exists.sum() == np.prod(grid) * np.prod(block)
    assert set(lanes.weight) == {1.0}


@pytest.mark.parametrize("blocks", [49, 1000, 123_457])
def test_adjacent_blocks_and_both_ends_are_among_the_sample(blocks):
    positions = np.unique(sample_lanes((blocks, 1, 1), (64, 1, 1)).bid[0])
    assert {0, blocks - 1} <= set(positions)
    assert 1 in np.diff(positions[1:-1])


@pytest.mark.parametrize("blocks", [60, 1000, 54_321])
@pytest.mark.parametrize("threads", [32, 96, 256, 1024])
def test_work_that_grows_with_the_thread_comes_out_right(blocks, threads):
    # sum of i over all threads i; blocks and warps are sampled at the middles of what they stand for
    lanes = sample_lanes((blocks, 1, 1), (threads, 1, 1))
    index = lanes.bid[0] * threads + lanes.tid[0]
    total = blocks * threads
    assert (lanes.weight * index)[lanes.exists].sum() == pytest.approx(
        total * (total - 1) / 2, rel=0.02
    )
    in_block = (lanes.weight * lanes.tid[0])[lanes.exists].sum()
    assert in_block == pytest.approx(blocks * threads * (threads - 1) / 2, rel=0.06)


@pytest.mark.parametrize("threads", [64, 128, 256, 512, 1024])
def test_halves_of_a_block_have_half_of_the_weight(threads):
    # tree reductions: threads below every power of two
    lanes = sample_lanes((5000, 1, 1), (threads, 1, 1))
    width = 32
    while width < threads:
        active = lanes.exists & (lanes.tid[0] < width)
        assert lanes.weight[active].sum() == pytest.approx(5000 * width)
        width *= 2


def test_the_host_is_one_lane():
    assert (host_lane().count, host_lane().weight.sum()) == (1, 1.0)


@pytest.mark.parametrize("blocks", [3 << 13, 3 << 16, 3 << 20])
@pytest.mark.parametrize("period", [64, 256, 1024])
def test_samples_lie_at_different_places_of_a_period(blocks, period):
    """Rows of a tensor, a third of which comes from one array and the rest from another: thirds of 3 * 2^n blocks all lie alike."""
    lanes = sample_lanes((blocks, 1, 1), (256, 1, 1))
    share = lanes.weight[lanes.bid[0] % period < period / 3].sum() / lanes.weight.sum()
    assert 0.1 < share < 0.9


@pytest.mark.parametrize("grid", [(3, 500, 1), (500, 3, 1), (3, 25, 50), (3, 3, 3), (3, 2, 40)])
def test_each_block_along_an_axis_of_three_stands_for_a_third(grid):
    lanes = sample_lanes(grid, (128, 1, 1))
    axis = grid.index(3)
    for place in range(3):
        threads = lanes.weight[lanes.bid[axis] == place].sum()
        assert threads == pytest.approx(np.prod(grid) * 128 / 3)
