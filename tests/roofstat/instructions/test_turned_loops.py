"""Loops of clang around loops that vanish: only one that begins with the inner loop ends with its test.

PTX and SASS of clang 18.1.6 with ptxas 12.6 (sm_90): the assembler copies what ends with a conditional jump back, four times.
"""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.details import SetupDetail
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

ARGUMENTS = "float *out, const float *in, const float *a, int n, int w"
HEAD = "int x = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;"
INNER = "for (int r = 0; r < 3; r++)"


def repeats_of(body: str) -> int:
    """How often the assembler copies what the compiler made of the outer loop."""
    text = f"{HEAD} float q[3] = {{}}; for (int c = 0; c < n; c++) {{ {body} }} out[x] = s + q[0] + q[1] + q[2];"
    graph = Walker(
        kernel(ARGUMENTS, text), lowering_parameters("clang", "sm_90"), fast_math=False
    ).run()
    frames = [value.detail.frame for value in graph.values if isinstance(value.detail, SetupDetail)]
    return frames[0].copies // frames[0].batch


@pytest.mark.parametrize(
    ("body", "repeats"),
    [
        (f"{INNER} s += in[(c * 8 + r) * 64 + x];", 4),
        (f"{INNER} s += in[(c * 8 + r) * 64 + x]; s *= 0.5f;", 4),
        (f"float d = 0; {INNER} d += in[(c * 8 + r) * 64 + x]; s += d * d;", 4),
        # A load, arithmetic, the address of a row and a private array that is declared in front of the inner loop.
        (f"float z = a[c]; {INNER} s += z * in[(c * 8 + r) * 64 + x];", 1),
        (f"s *= 0.5f; {INNER} s += in[(c * 8 + r) * 64 + x];", 1),
        (f"const float *p = in + c * 512; {INNER} s += p[r * 64 + x];", 1),
        (f"float b[3]; {INNER} b[r] = in[(c * 8 + r) * 64 + x]; {INNER} s += b[r] * s;", 1),
        (f"{INNER} q[r] = in[(c * 8 + r) * 64 + x]; {INNER} s += q[r] * q[(r + 1) % 3];", 4),
    ],
)
def test_anything_in_front_of_the_inner_loop_keeps_the_jump_back(body, repeats):
    assert repeats_of(body) == repeats
