"""Copies that the assembler makes of loops over shared memory: SASS of sums of growing length by nvcc 13.0 for sm_90."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

NVCC = lowering_parameters("nvcc", "sm_90")
ARGUMENTS = (
    "const float *__restrict__ a, const float4 *__restrict__ b, float *__restrict__ o, int m"
)
HEAD = "int t = blockIdx.x * blockDim.x + threadIdx.x; float s0 = 1, s1 = 2, s2 = 3, s3 = 4;"


def shared_sum(number: int, length: int) -> int | None:
    """Copies of a loop of unknown length that loads from shared memory alone."""
    declared = "".join(f"float x{q} = sm[k * 8 + r * {q + 1}];" for q in range(number))
    body = declared + "".join(f"s{i % 4} += x{i % number} * s{(i + 1) % 4};" for i in range(length))
    start = "__shared__ float sm[1024]; int r = threadIdx.x; sm[r] = a[r]; __syncthreads();"
    code = kernel(
        ARGUMENTS,
        f"{HEAD} {start} for (int k = 0; k < m; k++) {{ {body} }} o[t] = s0 + s1 + s2 + s3;",
    )
    live = analyse(Walker(code, NVCC, fast_math=False).run()).live
    return max(v.context.loop.copies for v in live if v.context.loop is not None)


@pytest.mark.parametrize(
    ("number", "length", "sass"),
    [
        (4, 15, 16),
        (4, 16, 4),
        (4, 20, 8),
        (4, 21, 2),
        (5, 13, 16),
        (5, 14, 4),
        (5, 23, 8),
        (5, 24, 2),
        (6, 11, 16),
        (6, 12, 4),
        (8, 8, 4),
        (8, 13, 8),
    ],
)
def test_room_of_loads_from_shared_memory(number, length, sass):
    assert shared_sum(number, length) == sass
