"""Numbers that atomic counters hand out: the last block, queues, what is no counter."""

from __future__ import annotations

import numpy as np
import pytest

from roofstat.program.code import Op


def last_block(condition: str) -> str:
    return f"""
    __device__ unsigned count = 0;
    __global__ void k(const float *x, float *part, float *out) {{
      __shared__ bool is_last;
      if (threadIdx.x == 0) {{
        part[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        is_last = {condition};
      }}
      __syncthreads();
      if (is_last) out[threadIdx.x] = part[threadIdx.x];
    }}"""


@pytest.mark.parametrize(
    "condition",
    [
        "atomicInc(&count, gridDim.x) == gridDim.x - 1",
        "atomicAdd(&count, 1u) == gridDim.x - 1",
        "atomicAdd(&count, 2u) >= 2 * gridDim.x - 2",
        "atomicInc(&count, gridDim.x - 1) + 1 == gridDim.x",
    ],
)
@pytest.mark.parametrize("grid", [7, 16384])
def test_one_block_is_the_last_one(run, condition, grid):
    ran = run(
        last_block(condition),
        grid=grid,
        block=128,
        arguments={"x": grid, "part": grid, "out": 128},
    )
    # One block of 128 threads writes the result; every block its part.
    assert ran.stores("out") == pytest.approx(128)
    assert ran.stores("part") == pytest.approx(grid)
    assert "branch" not in ran.kinds


@pytest.mark.parametrize(
    ("place", "before"),
    [("(unsigned *)shared", ""), ("(unsigned *)(shared + 128)", "atomicAdd(&shared[3], 1.0f);")],
)
def test_a_ticket_in_shared_memory_that_threads_have_used_is_still_known(run, place, before):
    """All threads have stored there before: what one thread puts there afterwards is what all find."""
    ran = run(
        f"""
        __global__ void k(const float *x, float *part, float *out, unsigned *count) {{
          extern __shared__ float shared[];
          shared[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
          {before}
          __syncthreads();
          part[blockIdx.x * blockDim.x + threadIdx.x] = shared[threadIdx.x ^ 1];
          __syncthreads();
          unsigned *ticket = {place};
          if (threadIdx.x == 0) *ticket = atomicAdd(count, 1u);
          __syncthreads();
          if (*ticket == gridDim.x - 1) out[threadIdx.x] = part[threadIdx.x];
        }}""",
        grid=512,
        block=128,
        arguments={"x": 65536, "part": 65536, "out": 128, "count": [0]},
    )
    assert ran.stores("out") == pytest.approx(128)
    assert "branch" not in ran.kinds


@pytest.mark.parametrize(
    "store",
    [
        "shared[threadIdx.x] = x[threadIdx.x]",
        "atomicAdd(&shared[1], x[threadIdx.x])",
        "__pipeline_memcpy_async(&shared[threadIdx.x], &x[threadIdx.x], 4)",
    ],
)
def test_what_one_thread_has_stored_is_lost_once_others_may_have_stored_there(run, store):
    ran = run(
        f"""
        #include <cuda_pipeline.h>
        __global__ void k(const int *x, float *out) {{
          __shared__ int shared[128];
          if (threadIdx.x == 0) shared[1] = 0;
          __syncthreads();
          {store};
          __syncthreads();
          if (shared[1] == 0) out[threadIdx.x] = 1;
        }}""",
        grid=16,
        block=128,
        arguments={"x": 128, "out": 128},
    )
    assert "branch" in ran.kinds


def test_the_counter_of_a_buffer_starts_at_zero_unless_known(run):
    text = last_block("atomicAdd(counter, 1u) == gridDim.x - 1").replace(
        "float *out)", "float *out, unsigned *counter)"
    )
    arguments = {"x": 512, "part": 512, "out": 128}
    ran = run(text, grid=512, block=128, arguments={**arguments, "counter": 1})
    assert ran.stores("out") == pytest.approx(128)
    assert any("start at 0" in item.text for item in ran.trace.assumptions)
    known = run(text, grid=512, block=128, arguments={**arguments, "counter": [0]})
    assert known.stores("out") == pytest.approx(128)
    assert "branch" not in known.kinds


@pytest.mark.parametrize("space", ["global", "shared"])
def test_a_queue_is_filled_without_gaps(run, space):
    shared = "__shared__ int here; if (threadIdx.x == 0) here = 0; __syncthreads();"
    text = f"""
    __global__ void k(const int *x, int *queue, int *count) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      {shared if space == "shared" else ""}
      if (i % 2 == 0) queue[atomicAdd({"&here" if space == "shared" else "count"}, 1)] = x[i];
    }}"""
    ran = run(text, grid=4, block=64, arguments={"x": 256, "queue": 256, "count": [0]})
    site = next(
        item.site
        for item, _ in ran.instructions()
        if item.op is Op.STORE and item.detail.array == "queue"
    )
    (event,) = [event for event in ran.trace.events if event.site == site]
    written = (event.address[event.active] - event.address[event.active].min()) // 4
    count = 4 * 64 // 2
    assert sorted(written) == list(range(count)) if space == "global" else True
    assert len(np.unique(written)) == (count if space == "global" else count // 4)


def test_items_that_are_fetched_at_the_end_of_a_round_are_all_done(run):
    """264 blocks share 100,000 items of 128 elements: 379 rounds each, of a loop whose condition lies in shared memory."""
    ran = run(
        """
        __device__ int head = 0;
        __global__ void k(const float *x, float *y, int n) {
          __shared__ int item;
          if (threadIdx.x == 0) item = atomicAdd(&head, 1);
          __syncthreads();
          while (item < n) {
            y[item * 128 + threadIdx.x] = 2.0f * x[item * 128 + threadIdx.x];
            __syncthreads();
            if (threadIdx.x == 0) item = atomicAdd(&head, 1);
            __syncthreads();
          }
        }""",
        grid=264,
        block=128,
        arguments={"x": 12_800_000, "y": 12_800_000, "n": 100_000},
    )
    assert ran.stores("y") == pytest.approx(12_800_000, rel=0.02)
