"""Loads behind branches of what was loaded before them: no compiler makes them again, whichever lanes take the branch."""

from __future__ import annotations

import pytest

from roofstat.hardware import load_gpu
from roofstat.memory.model import model_memory

WARPS = 64 * 256 // 32


def requests(ran):
    """Requests of loads from global memory."""
    traffic = model_memory(
        ran.trace,
        load_gpu("a100"),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )
    return traffic.global_load_requests


def test_what_a_condition_has_loaded_is_there_in_its_arm(run):
    text = """
    __global__ void k(const float *a, float *out, int n) {
      float best = 3.0e38f;
      for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        if (a[i] < best) best = a[i];
      out[blockIdx.x * 256 + threadIdx.x] = best;
    }"""
    n = 64 * 256 * 8
    ran = run(text, grid=64, block=256, arguments={"a": n, "n": n})
    # nvcc -arch=sm_90: one LDG in the loop.
    assert requests(ran) == pytest.approx(8 * WARPS)


def test_another_index_that_is_the_same_in_the_lanes_of_an_arm_loads_again(run):
    text = """
    __global__ void k(const float *a, float *out) {
      int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32;
      float first = a[i];
      if (lane == 0) first += a[i / 32 * 32];
      out[i] = first;
    }"""
    ran = run(text, grid=64, block=256, arguments={"a": 64 * 256})
    # nvcc -arch=sm_90: the second LDG is there, under a predicate.
    assert requests(ran) == pytest.approx(2 * WARPS)


def test_a_store_in_between_ends_what_was_loaded(run):
    text = """
    __global__ void k(const float *a, float *out) {
      int i = blockIdx.x * 256 + threadIdx.x;
      float first = a[i];
      out[i] = 0.0f;
      if (first > 1.0f) out[i] = a[i];
    }"""
    ran = run(text, grid=64, block=256, arguments={"a": 64 * 256})
    assert requests(ran) > 1.5 * WARPS
