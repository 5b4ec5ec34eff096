"""Guards that turn along the grid: the stretches between the turns get their exact weights."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

BLOCK = 128


@pytest.mark.property
@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 1 << 20))
def test_a_guard_on_an_oversized_grid_is_exact_to_a_block(run, n):
    """`i < n` holds for n threads; only the one block in which it turns is sampled."""
    text = """
    __global__ void scale(float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] *= 2.0f;
    }"""
    ran = run(text, grid=(1 << 20) // BLOCK, block=BLOCK, arguments={"out": 1 << 20, "n": n})
    assert ran.stores("out") == pytest.approx(n, abs=BLOCK)


@pytest.mark.parametrize("block", [0, 1, 37, 126, 127])
def test_the_work_of_a_single_block_is_seen(run, block):
    """One block of 128 adds 10,000 numbers, 78.125 for each of its threads."""
    text = f"""
    __global__ void tail(float *out, int n) {{
      if (blockIdx.x == {block})
        for (int k = threadIdx.x; k < n; k += blockDim.x) out[k] += 1.0f;
    }}"""
    ran = run(text, grid=128, block=BLOCK, arguments={"out": 10_000, "n": 10_000})
    assert ran.stores("out") == pytest.approx(10_000, rel=0.01)


@given(width=st.integers(1, 1024), height=st.integers(1, 1024))
@settings(max_examples=15, deadline=None)
@pytest.mark.property
def test_both_axes_of_a_grid_have_their_edges(run, width, height):
    """`x < width && y < height` on 1,024 by 1,024 threads in blocks of 32 by 4: to a block along each axis."""
    text = """
    __global__ void scale(float *out, int width, int height) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x < width && y < height) out[y * width + x] *= 2.0f;
    }"""
    ran = run(
        text,
        grid=(32, 256),
        block=(32, 4),
        arguments={"out": 1 << 20, "width": width, "height": height},
    )
    assert ran.stores("out") == pytest.approx(width * height, abs=32 * height + 4 * width)


def test_stretches_between_several_edges(run):
    """Blocks 100 to 199 of 1,000 store once, those from 700 on three times: 100 + 3 * 300."""
    text = """
    __global__ void part(float *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (blockIdx.x >= 100 && blockIdx.x < 200) out[i] = 0.0f;
      if (blockIdx.x >= 700) { out[i] = 1.0f; out[2 * i] = 2.0f; out[3 * i] = 4.0f; }
    }"""
    ran = run(text, grid=1000, block=BLOCK, arguments={"out": 3000 * BLOCK})
    assert ran.stores("out") == pytest.approx((100 + 3 * 300) * BLOCK)


@pytest.mark.parametrize(
    ("guard", "blocks", "is_sampled"),
    [
        ("blockIdx.x % 3 == 0", 1366, True),
        ("blockIdx.x % 7 < 2", 1171, True),  # 2 * 585 + 1
        ("blockIdx.x < 1000", 1000, False),
        ("i < 70000", 70000 / 256, False),
    ],
)
def test_blocks_that_differ_everywhere_are_said_to_be_sampled(run, guard, blocks, is_sampled):
    ran = run(
        f"__global__ void k(float *y) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if ({guard}) y[i] = 1; }}",
        grid=4096,
        block=256,
        arguments={"y": 1 << 20},
    )
    assert ran.stores("y") == pytest.approx(256 * blocks, rel=0.11 if is_sampled else 1e-3)
    assert ("sampled" in ran.kinds) is is_sampled


def test_blocks_that_differ_in_a_few_threads_are_said_to_be_sampled(run):
    text = """__global__ void k(float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int trips = i % 101 == 0 ? 2 : 1;
      for (int j = 0; j < trips; j++) y[i] = j;
    }"""
    ran = run(text, grid=4096, block=256, arguments={"y": 1 << 20})
    # 2^20 / 101 = 10,382 threads store twice, two or three in a block.
    assert ran.stores("y") == pytest.approx((1 << 20) + 10_382, rel=0.01)
    (told,) = [item for item in ran.trace.assumptions if item.kind == "sampled"]
    assert "slightly different" in told.text
    assert told.weight < 1
    same = run(
        text.replace("i % 101", "threadIdx.x % 9"), grid=4096, block=256, arguments={"y": 1 << 20}
    )
    assert "sampled" not in same.kinds


def test_groups_of_about_one_size_end_at_one_block(run):
    """16 groups of 301 or 302 items, whose last one lies in the tenth of 512 blocks of 32."""
    text = """
    __global__ void work(const int *begins, float *out) {
      int from = begins[blockIdx.y] + blockIdx.x * 32, end = begins[blockIdx.y + 1];
      if (from >= end) return;
      int i = from + threadIdx.x;
      if (i < end) out[i] = 1.0f;
    }"""
    begins = [round(301.7 * group) for group in range(17)]
    ran = run(text, grid=(512, 16), block=32, arguments={"begins": begins, "out": begins[-1]})
    assert ran.stores("out") == pytest.approx(begins[-1], rel=0.1)
