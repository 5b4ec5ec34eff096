"""Work of some warps of a block, or of blocks with some remainder, that no usual sample need hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

BLOCKS = 4096


def kernel(condition: str) -> str:
    """One addition for each thread that the condition chooses."""
    return f"""__global__ void k(float *a) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
      if ({condition}) a[i] = a[i] + 1.0f;
    }}"""


@settings(max_examples=40, deadline=None)
@given(warps=st.integers(1, 32), data=st.data())
def test_one_warp_of_each_block_counts_as_one(run, warps, data):
    chosen = data.draw(st.integers(0, warps - 1))
    ran = run(kernel(f"w == {chosen}"), grid=BLOCKS, block=warps * 32, arguments={"a": None})
    assert ran.flop == pytest.approx(BLOCKS * 32)


@pytest.mark.parametrize("threads", [160, 256, 512, 1024])
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("w % 2 == 1", lambda w: w % 2 == 1),
        ("(threadIdx.x >> 5) & 1", lambda w: w & 1),
        ("w % 4 == 1", lambda w: w % 4 == 1),
        ("w % 3 != 0", lambda w: w % 3),
        ("w == 2 || w == 3", lambda w: w in (2, 3)),
    ],
)
def test_warps_with_a_remainder_count_exactly(run, threads, condition, holds):
    ran = run(kernel(condition), grid=BLOCKS, block=threads, arguments={"a": None})
    assert ran.flop == pytest.approx(
        BLOCKS * 32 * sum(bool(holds(w)) for w in range(threads // 32))
    )


def test_warps_that_a_switch_tells_apart_count_exactly(run):
    text = """__global__ void k(float *a) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      switch (threadIdx.x / 32) {
        case 3: a[i] = a[i] + 1.0f; break;
        case 6: a[i] = a[i] * 2.0f + 1.0f; break;
        default: break;
      }
    }"""
    ran = run(text, grid=BLOCKS, block=256, arguments={"a": None})
    assert ran.flop == pytest.approx(BLOCKS * 32 * 3)


@pytest.mark.parametrize("divisor", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("remainder", [0, 1])
def test_blocks_with_a_remainder_are_among_the_sample(run, divisor, remainder):
    """Evenly spread blocks hold more than a third of their share, where four or five may hold none."""
    text = kernel(f"blockIdx.x % {divisor} == {remainder}")
    ran = run(text, grid=65536, block=128, arguments={"a": None})
    assert ran.flop == pytest.approx(65536 * 128 / divisor, rel=0.6)


@pytest.mark.parametrize("warps", [3, 4, 6])
def test_warps_and_blocks_that_are_both_told_apart_count_exactly(run, warps):
    # A first sample may hold all warps of few blocks; the one of more blocks has to hold them as well.
    for chosen in range(warps):
        ran = run(
            kernel(f"w == {chosen} && blockIdx.x % 2 == 0"),
            grid=BLOCKS,
            block=warps * 32,
            arguments={"a": None},
        )
        assert ran.flop == pytest.approx(BLOCKS / 2 * 32, rel=0.05)


@pytest.mark.parametrize("threads", [160, 416, 1024])
@pytest.mark.parametrize(
    "condition",
    ["threadIdx.x == {0}", "(int)threadIdx.x - {0} == 0", "2 * (int)threadIdx.x == 2 * {0}"],
)
def test_one_thread_in_the_middle_of_each_block_counts_as_one(run, threads, condition):
    for chosen in (40, 70, threads // 2, threads - 40):
        text = kernel(condition.format(chosen))
        ran = run(text, grid=BLOCKS, block=threads, arguments={"a": None})
        assert ran.flop == pytest.approx(BLOCKS)


def test_a_window_around_an_asked_thread_has_its_width(run):
    # Blocks differ in how far threads from the middle one are at work: 2 * (8 + block % 32) + 1 of them, 48 in the mean;
    # the warps beside the sampled ones stand for those in between.
    text = """__global__ void k(float *a) {
      int j = (int)threadIdx.x - 128, reach = 8 + blockIdx.x % 32;
      if (abs(j) <= reach) a[blockIdx.x * 256 + threadIdx.x] += 1.0f;
      __syncthreads();
      if (j == 0) a[blockIdx.x] = a[blockIdx.x] * 2.0f + 1.0f;
    }"""
    ran = run(text, grid=BLOCKS, block=256, arguments={"a": None})
    assert ran.flop == pytest.approx(BLOCKS * (48 + 2), rel=0.3)
