"""Private arrays in loops that clang does not unroll, against SASS of clang 18.1.6 (sm_90): LDL and STL where it is true."""

from __future__ import annotations

import pytest
from builder import count

from roofstat.instructions.tables.costs import Compiler


def rows(operations: int) -> str:
    """Four rows of four words, each of which goes through so many multiply-adds."""
    steps = "".join(
        f"a{k % 4} = a{(k + 1) % 4} * {k + 1}.0f + a{(k + 2) % 4};" for k in range(operations)
    )
    return f"""int t = threadIdx.x; float b[16];
    for (int i = 0; i < 16; i++) b[i] = x[t * 16 + i];
    for (int k = 0; k < 4; k++) {{
      float *r = b + 4 * k;
      float a0 = r[0], a1 = r[1], a2 = r[2], a3 = r[3];
      {steps}
      r[0] = a0; r[1] = a1; r[2] = a2; r[3] = a3;
    }}
    for (int i = 0; i < 16; i++) y[t * 16 + i] = b[i * 5 % 16];"""


@pytest.mark.parametrize(
    ("operations", "is_rolled"), [(18, False), (30, False), (36, True), (60, True)]
)
def test_a_loop_over_rows_keeps_them_in_memory_once_it_is_too_long(operations, is_rolled):
    # A product and a sum each, and 12 operations around them, four times: up to 299 are unrolled, and 36 of them come to 336.
    counts = count("const float *x, float *y", rows(operations), compiler=Compiler.CLANG)
    assert bool(counts.local_slots and counts.indexed_by_data) == is_rolled


@pytest.mark.parametrize(("size", "is_rolled"), [(4, False), (6, True), (8, True)])
def test_products_of_small_matrices(size, is_rolled):
    body = f"""int t = threadIdx.x; float a[{size}][{size}], c[{size}][{size}];
    for (int i = 0; i < {size}; i++)
      for (int j = 0; j < {size}; j++) a[i][j] = x[(t * {size} + i) * {size} + j];
    for (int i = 0; i < {size}; i++)
      for (int j = 0; j < {size}; j++) {{
        float s = 0;
        for (int k = 0; k < {size}; k++) s += a[i][k] * a[k][j];
        c[i][j] = s;
      }}
    for (int i = 0; i < {size}; i++)
      for (int j = 0; j < {size}; j++) y[(t * {size} + i) * {size} + j] = c[i][j];"""
    counts = count("const float *x, float *y", body, compiler=Compiler.CLANG)
    assert bool(counts.local_slots and counts.indexed_by_data) == is_rolled


def test_a_sort_of_twelve_words_vanishes():
    body = """int t = threadIdx.x; float b[12];
    for (int i = 0; i < 12; i++) b[i] = x[t * 12 + i];
    for (int i = 0; i < 11; i++)
      for (int j = 0; j < 11 - i; j++)
        if (b[j] > b[j + 1]) { float u = b[j]; b[j] = b[j + 1]; b[j + 1] = u; }
    for (int i = 0; i < 12; i++) y[t * 12 + i] = b[i];"""
    counts = count("const float *x, float *y", body, compiler=Compiler.CLANG)
    assert not (counts.local_slots and counts.indexed_by_data)
