"""Atomics that count at one address: tickets, work queues and compactions return dense values."""

from __future__ import annotations

import numpy as np
import pytest

from roofstat.program.code import Op

BLOCKS, THREADS = 2000, 256


def launch(run, body, parameters="int *c, float *x, int n", *, grid=BLOCKS, **arguments):
    text = f"__global__ void k({parameters}) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    return run(text, grid=grid, block=THREADS, arguments={"c": [0.0], "x": None, **arguments})


def addresses(ran, array="x"):
    """Offsets in elements of the stores through a name, of active lanes."""
    site = next(
        item.site
        for _, item in ran.code.instructions()
        if item.op is Op.STORE and getattr(item.detail, "array", "") == array
    )
    found = []
    for event in ran.trace.events:
        if event.site == site:
            base = ran.trace.buffers[event.buffer].base
            found.append((event.address[event.active] - base) // 4)
    return np.concatenate(found)


def test_one_block_draws_the_last_ticket(run):
    body = (
        "__shared__ bool last; if (threadIdx.x == 0) last = atomicAdd(c, 1) == gridDim.x - 1;"
        " __syncthreads(); if (last) x[threadIdx.x] = 1.0f;"
    )
    ran = launch(run, body, n=0)
    # One block of all stores.
    assert ran.stores("x") == THREADS
    assert not any(item.kind == "branch" for item in ran.trace.assumptions)


def test_positions_of_all_threads_are_those_of_the_threads(run):
    ran = launch(run, "x[atomicAdd(c, 1)] = 1.0f;", n=0)
    # Everybody counts: the order of the threads.
    lanes = ran.trace.lanes
    assert np.array_equal(addresses(ran), lanes.bid[0] * THREADS + lanes.tid[0])


@pytest.mark.parametrize("name", ["c", "s"])
def test_a_part_of_the_threads_writes_side_by_side(run, name):
    body = (
        "__shared__ int s[1]; if (threadIdx.x == 0) s[0] = 0; __syncthreads();"
        f" if (i % 4 == 0) {{ int p = atomicAdd({name}, 2); x[p] = 1.0f; }}"
    )
    ran = launch(run, body, n=0)
    # A quarter of the threads, two places each: half as many places as threads, in the launch or in each block.
    found = addresses(ran)
    threads = BLOCKS * THREADS if name == "c" else THREADS
    assert found.min() == 0
    assert found.max() == threads // 2 - 2
    assert (found % 2 == 0).all()


@pytest.mark.parametrize(
    "body",
    [
        "int t; while ((t = atomicAdd(c, 1)) < n) x[t] *= 2.0f;",
        "for (;;) { int t = atomicAdd(c, 1); if (t >= n) break; x[t] *= 2.0f; }",
        (
            "__shared__ int b; for (;;) { if (threadIdx.x == 0) b = atomicAdd(c, 256); __syncthreads();"
            " int t = b + threadIdx.x; __syncthreads(); if (b >= n) break; x[t] *= 2.0f; }"
        ),
    ],
)
def test_a_queue_hands_out_every_item_once(run, body):
    n = 64 * 40 * THREADS
    ran = launch(run, body, grid=40, n=n)
    assert ran.flop == pytest.approx(n, rel=0.01)
    for event in ran.trace.events:
        if ran.trace.buffers[event.buffer].name == "x":
            # Each round hands out the next item to every thread.
            first = event.address[event.active].min() - ran.trace.buffers[event.buffer].base
            assert first // 4 == event.loops[0].iteration * 40 * THREADS


def test_a_counter_of_unknown_value_starts_at_zero_and_says_so(run):
    ran = launch(run, "if (atomicAdd(c, 1) < n) x[i] = 1.0f;", c=1, n=5000)
    assert ran.stores("x") == pytest.approx(5000, rel=0.05)
    assert [item.kind for item in ran.trace.assumptions] == ["counter"]


def test_blocks_take_what_they_have_counted(run):
    body = (
        "__shared__ int own, base; for (int round = 0; round < 3; round++) {"
        " if (threadIdx.x == 0) own = 0; __syncthreads();"
        " int p = -1; if (i % 4 == 0) p = atomicAdd(&own, 1); __syncthreads();"
        " if (threadIdx.x == 0) base = atomicAdd(c, own); __syncthreads();"
        " if (p >= 0) x[base + p] = 1.0f; }"
    )
    ran = launch(run, body, n=0)
    found = addresses(ran)
    # A quarter of the threads in each of three rounds; the shared counter begins anew in each.
    assert found.min() == 0
    assert found.max() == 3 * BLOCKS * THREADS // 4 - 1
