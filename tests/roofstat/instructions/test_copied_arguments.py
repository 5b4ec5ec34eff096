"""Arguments that nvcc copies to local memory, against SASS of nvcc 13.0 and clang 18.1.6 (sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.quantities import Quantity

PROLOGUE = "#include <cuda_runtime.h>\n"


def copied(record: str, body: str, compiler: Compiler = Compiler.NVCC, trips: float = 1.0):
    counts = count(
        "Record s, const int *x, float *y, int n",
        "int t = threadIdx.x; " + body,
        Run(default_trips=trips),
        compiler=compiler,
        prologue=f"{PROLOGUE}struct Record {{ {record} }};\n",
    )
    return counts, counts.copied_arguments.size_bytes


@pytest.mark.parametrize(("pointers", "size_bytes"), [(4, 32), (16, 128), (17, 0)])
def test_up_to_128_bytes_are_copied(pointers, size_bytes):
    # SASS: an STL.64 for each pointer and one LDL.64; with 17 pointers LDC.64 at the index.
    counts, copy_bytes = copied(f"float *a[{pointers}];", "y[t] = s.a[x[t]][t];")
    assert copy_bytes == size_bytes
    assert counts.total(Quantity.LOCAL_LOADS) == (size_bytes > 0)


def test_the_index_of_a_block_is_as_unknown_as_data():
    _, copy_bytes = copied("double a[3]; int b;", "y[t] = s.a[blockIdx.y];")
    assert copy_bytes == 32


def test_unrolled_indices_need_no_copy():
    body = "float r = 0; for (int k = 0; k < 6; k++) r += s.a[k][t]; y[t] = r;"
    assert copied("float *a[6];", body)[1] == 0


def test_words_may_stay_in_registers():
    # SASS compares the index with eight places; with four accesses to 24 words it has LDL.
    assert copied("int a[8];", "y[t] = s.a[x[t]];")[1] == 0
    several = "y[t] = s.a[x[t]] + s.a[x[t + 1]] + s.a[x[t + 2]] + s.a[x[t + 3]];"
    assert copied("int a[40];", several)[1] == 0
    assert copied("int a[24];", several)[1] == 96


@pytest.mark.parametrize(("words", "is_copied"), [(2, False), (8, True), (16, True)])
def test_copies_of_a_loop_load_pairs_of_words(words, is_copied):
    # SASS of `r += s.a[k]`: LDL.64 for two of the copies each.
    body = "float r = 0; for (int k = 0; k < n; k++) r += s.a[k]; y[t] = r;"
    assert bool(copied(f"int a[{words}];", body, trips=9.0)[1]) == is_copied


def test_clang_copies_what_is_chosen_from():
    # SASS of clang: LDC.64 at the index, and for the choice between two elements 16 STL and an LDL.
    record = "float *a[4]; int n[8]; int last;"
    assert copied(record, "y[t] = s.a[x[t]][t];", Compiler.CLANG)[1] == 0
    loop = """float r = 0;
    for (int k = 0; k < n; k++) {
      r = s.a[k][(int)r];
      int most = k + 1 < n ? s.n[k + 1] : s.last;
      r = r < most ? r : most;
    }
    y[t] = r;"""
    assert copied(record, loop, Compiler.CLANG, trips=9.0)[1] == 72
