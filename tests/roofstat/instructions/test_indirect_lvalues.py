"""Arithmetic on private data costs the same through every kind of lvalue: it never vanishes, nor do its loads stay.

Four accumulators take `r = r * b + 1`, an FMA, in each of `TRIPS` iterations: 4 * 2 * TRIPS FLOP, then three sums.
"""

from __future__ import annotations

import pytest
from builder import PROLOGUE, Run, count

from roofstat.instructions.tables.quantities import Quantity

TRIPS = 500
FLOP = 4 * 2 * TRIPS + 3

TYPES = (
    PROLOGUE
    + """
    struct Array { float s[4]; __device__ float& operator[](int q) { return s[q]; }
                   __device__ float* data() { return s; } };
    struct Rows { float s[2][2]; __device__ float* operator[](int r) { return s[r]; } };
    struct Walk { float* p; __device__ float& operator*() { return *p; }
                  __device__ Walk& operator++() { ++p; return *this; }
                  __device__ bool operator!=(const Walk& o) const { return p != o.p; } };
    struct Range { float s[4]; __device__ Walk begin() { return Walk{s}; }
                   __device__ Walk end() { return Walk{s + 4}; } };
    struct Quad { float4 v; __device__ float& at(int q) {
                  if (q == 0) return v.x; if (q == 1) return v.y; return q == 2 ? v.z : v.w; } };
    __device__ float& at(float* s, int q) { return s[q]; }
    __device__ float& either(float& a, float& b, bool first) { return first ? a : b; }
    """
)
EACH = "for (int q = 0; q < 4; q++) "
SUM = "a[0] + a[1] + a[2] + a[3]"
FORMS = {
    "index": ("float a[4] = {};", EACH + "a[q] = a[q] * b + 1.f;", SUM),
    "array class": ("Array a = {};", EACH + "a[q] = a[q] * b + 1.f;", SUM),
    "constant index": (
        "Array a = {};",
        "".join(f"a[{q}] = a[{q}] * b + 1.f;" for q in range(4)),
        SUM,
    ),
    "pointer member": ("Array a = {};", EACH + "a.data()[q] = a.data()[q] * b + 1.f;", SUM),
    "pointer row": (
        "Rows a = {};",
        "for (int p = 0; p < 2; p++) for (int q = 0; q < 2; q++) a[p][q] = a[p][q] * b + 1.f;",
        "a[0][0] + a[0][1] + a[1][0] + a[1][1]",
    ),
    "returned reference": ("float a[4] = {};", EACH + "at(a, q) = at(a, q) * b + 1.f;", SUM),
    "several returns": (
        "Quad a = {};",
        EACH + "a.at(q) = a.at(q) * b + 1.f;",
        "a.v.x + a.v.y + a.v.z + a.v.w",
    ),
    "lambda": (
        "float a[4] = {}; auto f = [&](int q) -> float& { return a[q]; };",
        EACH + "f(q) = f(q) * b + 1.f;",
        SUM,
    ),
    "range-for": ("float a[4] = {};", "for (auto& r : a) r = r * b + 1.f;", SUM),
    "iterators": (
        "Range a = {};",
        "for (float& r : a) r = r * b + 1.f;",
        "a.s[0] + a.s[1] + a.s[2] + a.s[3]",
    ),
    "pointer walk": (
        "float a[4] = {};",
        "for (float* p = a; p != a + 4; ++p) *p = *p * b + 1.f;",
        SUM,
    ),
    "pointer table": (
        "float c = 0, d = 0, e = 0, f = 0; float* a[4] = {&c, &d, &e, &f};",
        EACH + "*a[q] = *a[q] * b + 1.f;",
        "c + d + e + f",
    ),
}


def _count(before: str, step: str, result: str):
    body = f"{before} float b = x[0]; for (int k = 0; k < m; k++) {{ {step} }} y[0] = {result};"
    inside = 2 if "p < 2" in step else 4
    run = Run(trips={0: TRIPS}, default_trips=inside)
    return count("const float *x, float *y, int m", body, run, prologue=TYPES)


@pytest.mark.parametrize("form", FORMS)
def test_arithmetic_of_all_lvalues_is_that_of_an_index(form):
    counts = _count(*FORMS[form])
    assert counts.sp_flop == pytest.approx(FLOP)
    assert counts.local_slots == frozenset()
    assert counts.total(Quantity.LOCAL_LOADS) == counts.total(Quantity.LOCAL_STORES) == 0.0


@pytest.mark.parametrize("form", FORMS)
def test_integer_work_of_all_lvalues_is_that_of_an_index(form):
    expected = _count(*FORMS["index"]).int_op
    assert _count(*FORMS[form]).int_op == pytest.approx(expected, rel=0.05)


def test_choice_of_locals_that_only_the_run_knows_is_two_selections():
    step = "float& r = either(u, v, k & n); r = r * b + 1.f;"
    body = f"float u = 0, v = 0, b = x[0]; for (int k = 0; k < m; k++) {{ {step} }} y[0] = u + v;"
    run = Run(trips={0: TRIPS})
    counts = count("const float *x, float *y, int m, int n", body, run, prologue=TYPES)
    assert counts.sp_flop == pytest.approx(2 * TRIPS + 1)
    assert counts.local_slots == frozenset()


def test_store_through_an_unknown_pointer_to_locals_counts():
    # The table is indexed by data: the pointers stay in memory, and so does what they point to.
    body = (
        "float c = 0, d = 0; float* a[2] = {&c, &d}; float b = x[0];"
        "for (int k = 0; k < m; k++) { float* r = a[(int)x[k] & 1]; *r = *r * b + 1.f; } y[0] = c + d;"
    )
    counts = count("const float *x, float *y, int m", body, Run(trips={0: TRIPS}), prologue=TYPES)
    assert counts.sp_flop == pytest.approx(2 * TRIPS + 1)


def test_pointers_to_locals_that_are_swapped_reach_both():
    body = (
        "float c = 0, d = 1; float *p = &c, *q = &d; float b = x[0];"
        "for (int k = 0; k < m; k++) { *p = *q * b + 1.f; float* t = p; p = q; q = t; }"
        "y[0] = c + d;"
    )
    counts = count("const float *x, float *y, int m", body, Run(trips={0: TRIPS}), prologue=TYPES)
    assert counts.sp_flop == pytest.approx(2 * TRIPS + 1)
