"""Atomics that count at one address: tickets, work queues and compactions return dense values."""

from __future__ import annotations

import numpy as np
import pytest

from clang_queries.ir.types import Scalar
from roofstat.execution.stored.contents import Contents
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


def test_a_later_kernel_reads_what_an_earlier_one_has_counted(host):
    """Every fourth of 65,536 keys is selected; the second kernel goes over the 16,384 places that were listed.

    Host code decides nothing by the count: whether a loop goes on until nothing is selected is as unknown as before.
    """
    ran = host(
        """
        #include <cuda_runtime.h>
        __global__ void select(const int *key, int n, int *list, int *count) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n && i % 4 == 0) list[atomicAdd(count, 1)] = key[i];
        }
        __global__ void use(const int *list, const int *count, float *out) {
          int n = *count;
          for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            out[i] += list[i];
        }
        int main() {
          int n = 1 << 16;
          int *key, *list, *count; float *out;
          cudaMalloc(&key, n * 4); cudaMalloc(&list, n * 4); cudaMalloc(&count, 4); cudaMalloc(&out, n * 4);
          cudaMemset(count, 0, 4);
          select<<<n / 256, 256>>>(key, n, list, count);
          use<<<16, 256>>>(list, count, out);
          int left;
          do {
            cudaMemset(count, 0, 4);
            select<<<n / 128, 128>>>(key, n, list, count);
            cudaMemcpy(&left, count, 4, cudaMemcpyDeviceToHost);
          } while (left > 0);
        }"""
    )
    _, used, repeated = ran.launches
    stored = sum(
        used.trace.sites[item.site].threads
        for _, item in used.trace.code.instructions()
        if item.site in used.trace.sites and getattr(item.detail, "array", "") == "list"
    )
    assert stored == pytest.approx(16_384, rel=0.02)
    assert not {item.kind for item in used.trace.assumptions} & {"trip-count"}
    assert repeated.count == 2


@pytest.mark.parametrize("clear", ["cudaMemset(count, 0, cells * 4);", "zero<<<4, 256>>>(count);"])
def test_cells_that_a_kernel_fills_hold_their_mean_number_of_elements(host, clear):
    """16,384 elements are counted into 1,024 cells, 16 in the mean, and listed in them, where 64 have room.

    Every element meets all those of one cell: 16,384 * 16 of them, and hardly ever itself.
    """
    ran = host(
        f"""
        #include <cuda_runtime.h>
        #include <cstdlib>
        __global__ void zero(int *count) {{ count[blockIdx.x * blockDim.x + threadIdx.x] = 0; }}
        __global__ void bin(const int *cell, int n, int *count, int *list) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          int s = atomicAdd(&count[cell[i]], 1);
          if (s < 64) list[cell[i] * 64 + s] = i;
        }}
        __global__ void meet(const int *cell, int n, const int *count, const int *list, float *out) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          int c = cell[i], m = min(count[c], 64);
          float sum = 0;
          for (int k = 0; k < m; k++) {{
            int j = list[c * 64 + k];
            if (j == i) continue;
            sum += 1.5f;
          }}
          out[i] = sum;
        }}
        int main() {{
          const int n = 1 << 14, cells = 1 << 10;
          int *h = (int *)malloc(n * 4), *cell, *count, *list; float *out;
          for (int i = 0; i < n; i++) h[i] = rand() % cells;
          cudaMalloc(&cell, n * 4); cudaMalloc(&count, cells * 4);
          cudaMalloc(&list, cells * 64 * 4); cudaMalloc(&out, n * 4);
          cudaMemcpy(cell, h, n * 4, cudaMemcpyHostToDevice);
          {clear}
          bin<<<n / 256, 256>>>(cell, n, count, list);
          meet<<<n / 256, 256>>>(cell, n, count, list, out);
        }}"""
    )
    *_, counting, meeting = ran.launches

    def accesses(launch, name):
        return sum(
            launch.trace.sites[item.site].threads
            for _, item in launch.trace.code.instructions()
            if item.site in launch.trace.sites and getattr(item.detail, "array", "") == name
        )

    n = 1 << 14
    assert accesses(counting, "list") == pytest.approx(n, rel=0.02)
    assert accesses(meeting, "list") == pytest.approx(n * 16, rel=0.1)
    added = sum(
        meeting.trace.block_threads.get(block.number, 0.0)
        for block, item in meeting.trace.code.instructions()
        if item.op is Op.ADD and item.scalar.is_float
    )
    assert added == pytest.approx(n * 16, rel=0.1)
    assert "trip-count" not in {item.kind for item in meeting.trace.assumptions}


@pytest.mark.parametrize("is_shared", [False, True])
def test_groups_between_summed_counts_are_as_large_as_the_counts(host, is_shared):
    """65,536 items fall into 16 groups, 4,096 each in the mean, which a thread sums up to where the groups begin.

    Blocks of 128 items for each group and part of it: 32 of 512 have work, and go through every item once.
    """
    count = (
        """__shared__ int c[16];
          if (threadIdx.x < 16) c[threadIdx.x] = 0;
          __syncthreads();
          for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) atomicAdd(&c[group[t]], 1);
          __syncthreads();
          if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], c[threadIdx.x]);"""
        if is_shared
        else "int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) atomicAdd(&counts[group[t]], 1);"
    )
    ran = host(
        f"""
        #include <cuda_runtime.h>
        #include <cstdlib>
        __global__ void count(const int *group, int *counts, int n) {{ {count} }}
        __global__ void begin(const int *counts, int *begins) {{
          int sum = 0;
          for (int g = 0; g < 16; g++) {{ begins[g] = sum; sum += counts[g]; }}
          begins[16] = sum;
        }}
        __global__ void work(const int *begins, const float *x, float *out) {{
          int from = begins[blockIdx.y] + blockIdx.x * 128, end = begins[blockIdx.y + 1];
          if (from >= end) return;
          int i = from + threadIdx.x;
          if (i < end) out[i] = x[i];
        }}
        int main() {{
          const int n = 1 << 16;
          int *h = (int *)malloc(n * 4), *group, *counts, *begins; float *x, *out;
          for (int i = 0; i < n; i++) h[i] = rand() % 16;
          cudaMalloc(&group, n * 4); cudaMalloc(&counts, 64); cudaMalloc(&begins, 68);
          cudaMalloc(&x, n * 4); cudaMalloc(&out, n * 4);
          cudaMemcpy(group, h, n * 4, cudaMemcpyHostToDevice);
          cudaMemset(counts, 0, 64);
          count<<<{32 if is_shared else 256}, 256>>>(group, counts, n);
          begin<<<1, 1>>>(counts, begins);
          work<<<dim3(512, 16), 128>>>(begins, x, out);
        }}"""
    )
    work = ran.launches[-1].trace
    read = sum(
        work.sites[item.site].threads
        for _, item in work.code.instructions()
        if item.site in work.sites and getattr(item.detail, "array", "") == "x"
    )
    assert read == pytest.approx(1 << 16, rel=0.15)


def test_host_code_decides_nothing_by_what_a_kernel_has_probably_counted(host):
    """65,536 numbers are counted in 1,024 places, 64 in the mean: whether one place has over 60 only a run knows."""
    ran = host(
        """
        #include <cuda_runtime.h>
        #include <cstdlib>
        __global__ void count(const int *place, int *counts) {
          atomicAdd(&counts[place[blockIdx.x * blockDim.x + threadIdx.x]], 1);
        }
        __global__ void after(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
        int main() {
          const int n = 1 << 16, m = 1 << 10;
          int *place, *counts, *h = (int *)malloc(m * 4); float *out;
          cudaMalloc(&place, n * 4); cudaMalloc(&counts, m * 4); cudaMalloc(&out, n * 4);
          cudaMemset(counts, 0, m * 4);
          count<<<n / 256, 256>>>(place, counts);
          cudaMemcpy(h, counts, m * 4, cudaMemcpyDeviceToHost);
          for (int i = 0; i < m; i++)
            if (h[i] > 60) exit(1);
          after<<<n / 256, 256>>>(out);
        }"""
    )
    assert [launch.grid[0] for launch in ran.launches] == [256, 256]


def test_counts_in_less_than_one_element_leave_nothing_known(host):
    """An allocation of 2 bytes, as of a size without `sizeof`: both launches are there."""
    ran = host(
        """
        #include <cuda_runtime.h>
        __global__ void count(int *counts, const int *place) { atomicAdd(&counts[place[threadIdx.x]], 1); }
        int main() {
          int *counts, *place;
          cudaMalloc(&counts, 2); cudaMalloc(&place, 512);
          cudaMemset(counts, 0, 2);
          for (int i = 0; i < 2; i++) count<<<1, 128>>>(counts, place);
        }"""
    )
    assert ran.only().count == 2


def test_counting_goes_on_from_values_that_no_element_holds_any_more():
    """Twelve values one after the other in all of 100 elements, the last 1,100; then 0.5 counts in the mean."""
    contents = Contents(initial=0)
    for value in range(12):
        contents.scatter(Scalar.I32, 100 * value, 100, 400)
    assert contents.count(Scalar.I32, 1, 50, 400)
    (fill,) = contents.fills
    held = sum(amount for _, amount in fill.choices)
    mean = sum(value * amount for value, amount in fill.choices) / held
    assert held == pytest.approx(100, rel=0.01)
    assert mean == pytest.approx(1100.5, abs=0.5)
