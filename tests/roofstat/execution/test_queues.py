"""Searches that put what they find into a queue: once that is full, nothing is left to be found."""

import pytest

BLOCKS, VERTICES, DEGREE = 4, 6000, 8
LEVELS = """
__global__ void k(const int *off, const int *adj, int *dist_all, int *order_all, int n) {
  __shared__ int tail, begin, end;
  int *dist = dist_all + (size_t)blockIdx.x * n, *order = order_all + (size_t)blockIdx.x * n;
  if (threadIdx.x == 0) { order[0] = 5; tail = 1; begin = 0; end = 1; }
  __syncthreads();
  while (begin < end) {
    int b = begin, e = end;
    for (int i = b + threadIdx.x; i < e; i += blockDim.x) {
      int v = order[i];
      for (int j = off[v]; j < off[v + 1]; j++) {
        int w = adj[j];
        if (atomicCAS(&dist[w], -1, 1) == -1) order[atomicAdd(&tail, 1)] = w;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) { begin = e; end = tail; }
    __syncthreads();
  }
}
"""


def search(run, order):
    arguments = {"off": VERTICES, "adj": VERTICES * DEGREE, "n": VERTICES}
    arguments |= {"dist_all": VERTICES * BLOCKS, "order_all": order}
    return run(LEVELS, grid=BLOCKS, block=128, arguments=arguments)


def test_a_search_in_levels_visits_each_vertex_once(run):
    ran = search(run, VERTICES * BLOCKS)
    # each vertex of each block is taken from the queue once, with its 8 neighbours
    assert ran.loads("order") / BLOCKS == pytest.approx(VERTICES, rel=0.05)
    assert ran.loads("adj") / BLOCKS == pytest.approx(VERTICES * DEGREE, rel=0.05)


def test_a_smaller_queue_holds_fewer(run):
    ran = search(run, VERTICES // 2 * BLOCKS)
    assert ran.loads("order") / BLOCKS == pytest.approx(VERTICES // 2, rel=0.05)


def test_what_finds_no_room_is_not_stored(run):
    text = (
        "__global__ void k(int *out, int *count) {"
        " int k = atomicAdd(count, 1); if (k < 64) out[k] = threadIdx.x; }"
    )
    assert run(text, grid=8, block=128, arguments={"out": 64, "count": 1}).stores("out") == 64
