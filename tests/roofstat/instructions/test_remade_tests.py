"""Comparisons that a loop does not change: SASS of own loops of one to ten conditions (nvcc 13.0, sm_86 and sm_90; clang 18.1.6, sm_86)."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker
from roofstat.program.comparisons import COMPARISONS

ARGUMENTS = "const int *a, int *out, int n, int f0, int f1, int f2, int f3"
LOOP = """__shared__ int s[1024]; int lane = threadIdx.x & 31, v = 0; {before}
    #pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 1024) {{ {body} }}
    out[threadIdx.x] = v;"""
STORE = "if (lane > {j} + 2) s[threadIdx.x + {j} * 32] = i + {j};"
CHOICE = "v += lane > {j} + 2 ? i * 3 + {j} : i - {j};"
OF_ALL = "if (f{j} > {j}) s[threadIdx.x + {j} * 32] = i;"


def compared(body: str, compiler: str = "nvcc", before: str = "") -> int:
    """Comparisons in each iteration beside the loop's own, in all loops that it has become."""
    parameters = lowering_parameters(compiler, "sm_86")
    code = kernel(ARGUMENTS, LOOP.format(before=before, body=body))
    live = analyse(
        Walker(code, parameters, fast_math=False).run(), hoisted_tests=parameters.hoisted_tests
    )
    inside = [v for v in live.live if v.op in COMPARISONS and v.context.loop is not None]
    return len(inside) + len(live.remade) - len({v.context.loop for v in inside})


@pytest.mark.parametrize(
    ("branch", "tests", "compiler", "expected"),
    [
        (STORE, 1, "nvcc", 0),
        (STORE, 2, "nvcc", 2),
        (STORE, 9, "nvcc", 9),
        (STORE, 4, "clang", 0),
        (STORE, 5, "clang", 5),
        (CHOICE, 6, "nvcc", 0),
        (CHOICE, 8, "nvcc", 8),
        # The first one, and where it does not hold the others too, have loops of their own.
        (OF_ALL, 2, "nvcc", 0),
        (OF_ALL, 3, "nvcc", 0),
    ],
)
def test_loops_compare_again_what_predicates_do_not_hold(branch, tests, compiler, expected):
    body = " ".join(branch.format(j=j) for j in range(tests))
    assert compared(body, compiler) == expected


def test_a_condition_of_several_comparisons_keeps_its_register():
    body = " ".join(f"if (inside{j}) s[threadIdx.x + {j} * 32] = i;" for j in range(3))
    before = " ".join(f"bool inside{j} = lane > {j} && lane < 31 - {j};" for j in range(3))
    assert compared(body, before=before) == 0


def test_a_comparison_that_stands_in_front_of_the_loop_too_is_made_again():
    body = " ".join(STORE.format(j=j) for j in range(2))
    assert compared(body, before="if (lane > 2) s[lane] = n;") == 2


@pytest.mark.parametrize("compiler", ["nvcc", "clang"])
@pytest.mark.parametrize("branch", [STORE, CHOICE])
def test_a_loop_around_another_one_makes_all_of_them_again(branch, compiler):
    """SASS of 13 own nests: one branch or two choices, which a loop alone has in predicates."""
    body = " ".join(branch.format(j=j) for j in range(2))
    inner = "\n#pragma unroll 1\n for (int j = 0; j < f0; j++) v = v * 3 ^ s[j + lane];"
    parameters = lowering_parameters(compiler, "sm_90")
    code = kernel(ARGUMENTS, LOOP.format(before="", body=body + inner))
    live = analyse(
        Walker(code, parameters, fast_math=False).run(), hoisted_tests=parameters.hoisted_tests
    )
    again = [
        value
        for value in live.live
        if value.op in COMPARISONS
        and value.context.depth == 1
        and any(arg.is_constant for arg in value.args)
    ]
    assert len(again) == 2
