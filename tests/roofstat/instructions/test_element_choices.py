"""Private arrays whose elements are chosen by comparisons, against SASS of nvcc 13.0 (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

ARRAYS = "const float *x, float *y, const int *at, int n"
FRAME = 3 + 1
"""Addresses of what is read, of the index and of the result; the thread's row."""
SCALE = 1
"""The index is scaled once, for all comparisons."""


def filled(words: int, rest: str, element: str = "float") -> str:
    """An array that is filled at known places, and what is done with it."""
    return f"""int t = threadIdx.x; {element} a[{words}];
    for (int i = 0; i < {words}; i++) a[i] = x[t * {words} + i];
    {rest}"""


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
def test_an_element_is_chosen_by_a_comparison_for_each_and_one_move(compiler):
    # ISETP.EQ for each of 16 elements; of the moves under their predicates a thread makes one, half of which are IMAD.MOV.
    counts = count(ARRAYS, filled(16, "y[t] = a[at[t]];"), compiler=compiler)
    assert integer_ops(counts) == pytest.approx(FRAME + SCALE + 16 + 0.5, abs=1.0)
    assert not counts.local_slots


def test_comparisons_with_all_places_serve_accesses_beside_one_another():
    # SASS: 17 comparisons of the index that both have, with each place less 1 and less 2.
    counts = count(ARRAYS, filled(16, "y[t] = a[at[t] * 4 + 1] * a[at[t] * 4 + 2];"))
    assert integer_ops(counts) == pytest.approx(FRAME + SCALE + 17 + 1, abs=2.0)


def test_comparisons_serve_a_load_and_a_store_at_one_place():
    # Of 6 elements: 6 ISETP and two moves that are made, half of them IMAD.MOV; the sum is in FP32.
    counts = count(
        ARRAYS, filled(6, "a[at[t]] += 1.0f; y[t] = a[0] + a[1] + a[2] + a[3] + a[4] + a[5];")
    )
    assert integer_ops(counts) == pytest.approx(3 + 1 + SCALE + 6 + 1, abs=1.0)


def test_many_accesses_to_a_long_array_are_cheaper_in_memory():
    # SASS has LDL for six of 16 words, and comparisons for four.
    several = "y[t] = " + " + ".join(f"a[at[t + {k}]]" for k in range(6)) + ";"
    assert count(ARRAYS, filled(16, several)).local_slots
    assert not count(
        ARRAYS, filled(16, several.replace(" + a[at[t + 4]] + a[at[t + 5]]", ""))
    ).local_slots


@pytest.mark.parametrize(("words", "is_local"), [(6, False), (8, True)])
def test_counting_in_a_loop_hands_all_elements_on(words, is_local):
    # a[x]++ in a rolled loop: SASS compares for up to 6 words, and has LDL and STL for 8.
    counted = f"""
    #pragma unroll 1
    for (int k = t; k < n; k += 256) a[at[k]]++;
    for (int i = 0; i < {words}; i++) y[t + i] = a[i];"""
    body = filled(words, counted, "int")
    assert bool(count(ARRAYS, body, Run(default_trips=9)).local_slots) == is_local


@pytest.mark.parametrize("element", ["double", "char", "short"])
def test_other_elements_than_words_are_in_memory(element):
    assert count(ARRAYS, filled(4, "y[t] = a[at[t]];", element)).local_slots


def test_an_array_without_known_places_is_in_memory():
    body = """int t = threadIdx.x; float a[4], s = 1;
    #pragma unroll 1
    for (int i = 0; i < n; i++) a[i] = x[t * 4 + i];
    #pragma unroll 1
    for (int i = 0; i < n; i++) s = s * s + a[i];
    y[t] = s;"""
    assert count(ARRAYS, body, Run(default_trips=4)).local_slots


def test_an_array_in_an_argument_is_loaded_under_predicates():
    # 8 ISETP.EQ and LDC; addresses of the index and of the result.
    prologue = "#include <cuda_runtime.h>\nstruct Shape { int d[8]; };\n"
    body = "int t = threadIdx.x; y[t] = shape.d[at[t]];"
    counts = count("Shape shape, float *y, const int *at", body, prologue=prologue)
    assert integer_ops(counts) == pytest.approx(2 + SCALE + 8)


@pytest.mark.parametrize(("accesses", "is_local"), [(4, False), (6, True)])
def test_indices_from_constant_memory_leave_less_room(accesses, is_local):
    # SASS of 8 words: comparisons for four such accesses, LDL for six, and comparisons for eight at indices from global memory.
    prologue = "#include <cuda_runtime.h>\n__constant__ int order[8];\n"
    rest = "float s = 0; " + " ".join(f"s = s * 0.5f + a[order[{k}]];" for k in range(accesses))
    body = filled(8, f"{rest} y[t] = s;")
    assert bool(count(ARRAYS, body, prologue=prologue).local_slots) == is_local
    assert not count(ARRAYS, body.replace("order[", "at["), prologue=prologue).local_slots


@pytest.mark.parametrize(
    ("words", "products", "is_local"),
    [(64, 110, False), (64, 135, True), (48, 170, False), (48, 200, True), (47, 200, False)],
)
def test_long_arrays_stay_beside_little_code(words, products, is_local):
    # SASS of sm_90: filled with a product each, LDL from 123 further ones on beside 64 words, 185 beside 48, none beside 47.
    body = f"""int t = threadIdx.x; float a[{words}], v = x[t];
    for (int i = 0; i < {words}; i++) a[i] = v * (i + 3);
    float s = a[at[t]];
    #pragma unroll
    for (int i = 0; i < {products}; i++) s = s * s + (i + 3);
    y[t] = s;"""
    assert bool(count(ARRAYS, body, architecture="sm_90").local_slots) == is_local
