"""Grid-stride loops over counters of 64 bits: executed SASS of clang 18.1.6 with ptxas 12.6 (sm_90), instructions of one more iteration."""

from __future__ import annotations

import pytest
from builder import Run, count, ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = "const float* a, const float* b, float* o, double* d, const unsigned char* c, size_t n"
LONG = (
    "for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;"
    " i += (size_t)gridDim.x * blockDim.x)"
)
SIGNED = (
    "for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < (long)n;"
    " i += (long)gridDim.x * blockDim.x)"
)
BY_WORD = "for (size_t i = threadIdx.x; i < n; i += blockDim.x)"
SUM = "s += a[i];"


def per_iteration(loop: str, body: str) -> float:
    """Without copies of registers."""
    text = f"float s = 0; {loop} {{ {body} }} o[threadIdx.x] = s;"
    return ops_per_iteration(ARGUMENTS, text, compiler=Compiler.CLANG, architecture="sm_90")


@pytest.mark.parametrize(
    ("loop", "body", "operations"),
    [
        # The counter and its test are two operations each, and so is the pointer: LEA and IMAD.X.
        (LONG, SUM, 4 + 2),
        (SIGNED, SUM, 4 + 2),
        # One multiply-add moves it by a word.
        (BY_WORD, SUM, 4 + 1),
        (BY_WORD, "s += c[i];", 4 + 2),
        # Arrays of one size add an offset.
        (LONG, "o[i] = a[i] + b[i];", 4 + 2 + 3 * 2),
        (BY_WORD, "o[i] = a[i] + b[i];", 4 + 1 + 3 * 2),
        # Others have pointers of their own.
        (LONG, "d[i] = a[i];", 4 + 2 * 2),
        (LONG, "d[i] = a[i] + b[i];", 4 + (2 + 2 * 2) + 2),
    ],
)
def test_pointers_by_sizes_of_elements(loop, body, operations):
    assert per_iteration(loop, body) == pytest.approx(operations)


@pytest.mark.parametrize(("loop", "instructions"), [(LONG, 8), (BY_WORD, 7)])
def test_a_lone_pointer_is_copied_for_its_access(loop, instructions):
    text = f"float s = 0; {loop} {SUM} o[threadIdx.x] = s;"
    few, many = (
        count(
            ARGUMENTS,
            text,
            Run(default_trips=trips),
            compiler=Compiler.CLANG,
            architecture="sm_90",
        ).int_op
        for trips in (10.0, 20.0)
    )
    assert (many - few) / 10 == pytest.approx(instructions)


def test_words_are_multiplied_anew():
    loop = "for (int i = threadIdx.x; i < (int)n; i += blockDim.x)"
    assert per_iteration(loop, "d[i] = a[i];") == pytest.approx(2 + 2)


def test_what_the_loop_begins_with():
    # Executed: 94 for ten iterations of 8, of which 5 in front of the loop for all threads, 7 where it runs, and 2 behind it.
    text = f"float s = 0; {LONG} {SUM} o[threadIdx.x] = s;"
    found = count(
        ARGUMENTS,
        text,
        Run(default_trips=10.0),
        compiler=Compiler.CLANG,
        architecture="sm_90",
    )
    assert found.int_op == pytest.approx(94, rel=0.06)
