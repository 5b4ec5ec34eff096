"""Branches for a new extreme of all threads: those that run together see none of each other, of others the i-th is one by 1 / i."""

from __future__ import annotations

import math

import pytest

from roofstat.program.code import Op

TOGETHER = 1 << 17
BLOCKS, THREADS = 4096, 256
N = BLOCKS * THREADS


def updates(run, body, blocks=BLOCKS):
    """Atomics of a launch on values of which nothing is known."""
    text = f"""__global__ void k(const int *x, int *most, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"""
    ran = run(
        text,
        grid=blocks,
        block=THREADS,
        arguments={"x": 4 << 26, "most": 1 << 20, "n": 64},
    )
    return sum(
        ran.trace.block_threads.get(block.number, 0.0)
        for block, item in ran.trace.code.instructions()
        if item.op is Op.ATOMIC
    )


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] > *most) atomicMax(most, x[i]);",
        "int v = x[i]; if (v <= *most) return; atomicMax(most, v);",
        "int v = x[i]; if (v < most[3]) atomicMin(&most[3], v);",
        "int v = x[i]; if (v > 0 && v > *most) atomicMax(most, v);",
    ],
)
def test_threads_that_run_together_update_and_hardly_any_behind_them(run, body):
    assert updates(run, body) == pytest.approx(TOGETHER + math.log(N / TOGETHER), rel=0.1)


def test_in_loops_the_first_value_of_a_thread_does(run):
    """16,384 threads look at 64 values each: the first ones, and of the others as many as are new extremes in a million."""
    body = "for (int k = 0; k < n; k++) { int v = x[k * 16384 + i]; if (v > *most) atomicMax(most, v); }"
    assert updates(run, body, blocks=64) == pytest.approx(TOGETHER, rel=0.05)


def test_places_of_their_own_are_no_extreme_of_all(run):
    body = "if (x[i] > most[i & 1023]) atomicMax(&most[i & 1023], x[i]);"
    assert updates(run, body) == pytest.approx(N / 2, rel=0.05)
