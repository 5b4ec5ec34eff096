"""How often nvcc copies a loop of unknown length: PTX of own loops of growing length (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

NVCC = lowering_parameters("nvcc", "sm_90")


def copies(body: str, kind: str, start: str = "") -> int:
    """Copies that the compiler makes of a loop over `i`, which is the whole block's."""
    text = f"""int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, carry = 0; {start}
      for (int b = 0; b < n; b += 256) {{ int i = b + threadIdx.x; {body} }}
      o[threadIdx.x + 4096] = carry;"""
    code = kernel(f"{kind} *a, {kind} *o, int n", text)
    live = analyse(Walker(code, NVCC, fast_math=False).run()).live
    (frame,) = {v.context.loop for v in live if v.context.loop is not None}
    return frame.batch


STEP = "s = (s ^ {d}7) * 3;"
LOAD = "s += a[i + {d}7];"
STORE = "o[i + {d}7] = s;"
ADD = "atomicAdd(&o[i + {d}7], s);"
VOTE = "s = __ballot_sync(0xffffffffu, s > {d});"
BARRIER = "__syncthreads();"
BRANCH = "if (s > {d} * 5) o[i + {d} * 32] = s + {d};"
SHUFFLED = "s += __shfl_xor_sync(0xffffffffu, s, {d} % 31 + 1);"


@pytest.mark.parametrize(
    ("statement", "kind", "four", "two"),
    [
        # The most of a kind with which there are four copies, and two.
        (STEP, "int", 20, 42),
        (LOAD, "int", 8, 16),
        (STORE, "int", 10, 22),
        (ADD, "int", 10, 22),
        (VOTE, "int", 20, None),
        (BARRIER, "int", 40, None),
        (BRANCH, "int", 6, 11),
        # A float goes through a word and back, 64 bits are taken apart and put together.
        (SHUFFLED, "unsigned", 21, None),
        (SHUFFLED, "float", 10, 21),
        (SHUFFLED, "double", 8, 17),
        (SHUFFLED, "unsigned long long", 8, 17),
    ],
)
def test_loops_are_copied_up_to_a_size(statement, kind, four, two):
    def copied(number: int) -> int:
        body = " ".join(statement.format(d=d) for d in range(number))
        last = "" if statement in {STORE, ADD, BRANCH} else "o[i] = s;"
        return copies(f"{kind} s = a[i]; {body} {last}", kind)

    assert copied(four) == 4
    if two is not None:
        assert copied(four + 2) == 2
        assert copied(two) == 2
        assert copied(two + 2) == 1


SCAN = """for (int d = 1; d < 32; d <<= 1) {
  int t = __shfl_up_sync(0xffffffffu, s, d); if (lane >= d) s += t; }"""
SHARE = "if (lane == 31) ws[warp] = s; __syncthreads(); int before = 0, all = 0;"
BEFORE = "for (int w = 0; w < {k}; w++) {{ if (w < warp) before += ws[w]; all += ws[w]; }}"
ALL = "for (int w = 0; w < {k}; w++) all += ws[w];"


@pytest.mark.parametrize(
    ("sums", "scans", "expected"),
    [
        (BEFORE, False, {4: 4, 6: 2, 8: 2, 12: 1}),
        (ALL, False, {12: 4, 16: 2, 36: 2, 38: 1}),
        (BEFORE, True, {1: 4, 2: 2, 6: 2, 8: 1}),
        (ALL, True, {4: 4, 8: 2, 12: 2}),
    ],
)
def test_scans_of_a_block_are_copied_by_what_vanished_in_them(sums, scans, expected):
    """A choice that holds a load is a branch until then."""
    for number, sass in expected.items():
        body = f"""int v = i < n ? a[i] : 0, s = v; {SCAN if scans else ""} {SHARE} {sums.format(k=number)}
          __syncthreads(); if (i < n) a[i] = carry + before + s - v; carry += all;"""
        assert copies(body, "int", "__shared__ int ws[64];") == sass, number
