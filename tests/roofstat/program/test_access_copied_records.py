"""Records that are copied, changed in some members and stored.

The expected widths are those of LDG and STG in SASS of sm_90 by nvcc 13.0, and of ld.global and st.global in PTX by clang 18.1.6.
"""

from __future__ import annotations

from collections import Counter

import pytest

from clang_queries.unit import lower_unit
from roofstat.program.code import Code, MemoryAccess, Op
from roofstat.program.link import link
from roofstat.program.lowering import lower_kernel
from roofstat.program.vectors import full_chunks

RECORDS = """
struct __align__(16) Quad { float x, y, z, w; };
struct __align__(8) Pairs { float x, y, z, w; };
struct Two { float4 p; float4 q; };
struct Body { float x, y, z, m; int id; float q, r; };
struct Double { double x, y, z; int id; };
struct Row { float v[4]; float w; };
"""


def widths(body: str, parameters: str, *, is_clang: bool) -> tuple[list[int], list[int]]:
    """Widths of the loads and of the stores that are left of a kernel over `i`, in bytes, ascending."""
    text = f"{RECORDS}__global__ void k({parameters}) {{ int i = threadIdx.x; {body} }}"
    program = link([lower_unit("k.cu", text=text)])
    program.is_clang = is_clang
    code = lower_kernel(program, program.kernels[0])
    return _widths(code, Op.LOAD), _widths(code, Op.STORE)


def _widths(code: Code, op: Op) -> list[int]:
    found: Counter[int] = Counter(
        item.detail.access_bytes
        for _, item in code.instructions()
        if item.op is op and isinstance(item.detail, MemoryAccess) and item.detail.access_bytes
    )
    return sorted(found.elements())


def changed(members: str) -> str:
    """Copy a record, change some of its members and store it."""
    return f"auto a = p[i]; {' '.join(f'a.{name} += u;' for name in members)} p[i] = a;"


COPIES = [
    # (record, members that change, nvcc, clang): loads and stores are alike
    ("float4", "x", [16], [4]),
    ("float4", "xy", [16], [8]),
    ("float4", "xyz", [16], [4, 8]),
    ("float4", "yz", [16], [4, 4]),
    ("float4", "yzw", [16], [4, 8]),
    ("float4", "xyzw", [16], [16]),
    ("uchar4", "xyz", [4], [1, 2]),
    ("Quad", "x", [16], [4]),
    ("Pairs", "x", [8], [4]),
    ("Pairs", "xz", [8, 8], [4, 4]),
    ("double2", "x", [16], [8]),
    ("Body", "xz", [4, 4], [4, 4]),
    ("Double", "x", [8], [8]),
]


@pytest.mark.parametrize(("record", "members", "nvcc", "clang"), COPIES)
def test_members_that_stay_as_they_are_are_not_stored(record, members, nvcc, clang):
    kind = {"uchar4": "unsigned char", "double2": "double", "Double": "double"}.get(record, "float")
    for is_clang, expected in ((False, nvcc), (True, clang)):
        found = widths(changed(members), f"{record} *p, {kind} u", is_clang=is_clang)
        assert found == (expected, expected)


@pytest.mark.parametrize(("is_clang", "width"), [(False, 16), (True, 4)])
def test_vectors_of_a_record_are_on_their_own(is_clang, width):
    found = widths("Two a = p[i]; a.p.x += u; p[i] = a;", "Two *p, float u", is_clang=is_clang)
    assert found == ([width], [width])


@pytest.mark.parametrize("is_clang", [False, True])
def test_elements_of_members_count_like_members(is_clang):
    found = widths("Row a = p[i]; a.v[1] += u; p[i] = a;", "Row *p, float u", is_clang=is_clang)
    assert found == ([4], [4])


@pytest.mark.parametrize("is_clang", [False, True])
@pytest.mark.parametrize("between", ["q[i] = 3;", "__syncthreads();", "atomicAdd(q, 1);"])
def test_what_may_touch_the_record_in_between_has_it_stored_whole(is_clang, between):
    # Four members of 8, 8, 8 and 4 bytes.
    body = f"Double a = p[i]; a.x += u; {between} p[i] = a;"
    _, stores = widths(body, "Double *p, int *q, double u", is_clang=is_clang)
    assert stores == [4, *([4] if between.startswith("q") else []), 8, 8, 8]


@pytest.mark.parametrize(("is_clang", "stores"), [(False, [8, 8]), (True, [4, 8, 8, 8, 8])])
def test_another_record_of_the_type_is_another_member_for_nvcc(is_clang, stores):
    # a.x is stored before the rest of b: for clang p[i].x may be q[i].y, for nvcc it is an x.
    body = "Double a = p[i], b = q[i]; a.x += u * b.x; b.x -= u * a.y; p[i] = a; q[i] = b;"
    _, found = widths(body, "Double *p, Double *q, double u", is_clang=is_clang)
    assert found == stores


@pytest.mark.parametrize(("is_clang", "stores"), [(False, [4]), (True, [4])])
def test_members_named_one_by_one_have_a_type_for_clang_too(is_clang, stores):
    body = "p[i].x += u * q[i].x; float t = p[i].y; q[i].z = t; p[i].y = t;"
    _, found = widths(body, "Body *p, Body *q, float u", is_clang=is_clang)
    assert found == [*stores, 4]


def test_a_chosen_value_is_a_changed_one():
    found = widths(
        "float4 a = p[i]; if (a.x > u) a.x -= u; p[i] = a;", "float4 *p, float u", is_clang=True
    )
    assert found == ([4], [4])


BEHIND = [
    pytest.param("for (int k = 0; k < n; k++) a.x = a.x * u + 1;", id="loop"),
    pytest.param("for (int k = 0; k < n; k++) if (a.x > u) a.x -= u;", id="branch in a loop"),
    pytest.param("for (int k = 0; k < n; k++) { a.x += u; o[k] = a.y; }", id="stores elsewhere"),
    pytest.param(
        "__shared__ int h[64]; for (int k = 0; k < n; k++) { a.x += u; atomicAdd(&h[k & 63], 1); }",
        id="atomics elsewhere",
    ),
]


@pytest.mark.parametrize("is_clang", [False, True])
@pytest.mark.parametrize("between", BEHIND)
@pytest.mark.parametrize("store", ["p[i] = a;", "if (n > 3) p[i] = a;"])
def test_nor_are_they_behind_loops_and_branches(is_clang, between, store):
    parameters = "Double *__restrict__ p, double *__restrict__ o, double u, int n"
    _, stores = widths(f"Double a = p[i]; {between} {store}", parameters, is_clang=is_clang)
    assert stores == [8] * (2 if "o[k]" in between else 1)


@pytest.mark.parametrize("is_clang", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        "for (int k = 0; k < n; k++) { a.x += u; o[k] = u; } p[i] = a;",
        "for (int k = 0; k < n; k++) { a.x += u; p[i + k] = a; }",
        "for (int k = 0; k < n; k++) { a.x += u; __syncthreads(); } p[i] = a;",
        "for (int k = 0; k < n; k++) { a.x += u; i += k; } p[i] = a;",
    ],
)
def test_unless_the_place_may_be_another_or_hold_something_else(is_clang, body):
    _, stores = widths(
        f"Double a = p[i]; {body}", "Double *p, double *o, double u, int n", is_clang=is_clang
    )
    assert stores[:1] == [4]  # the number of the record is stored


USED = {
    "x": [4],
    "xy": [8],
    "xz": [4, 4],
    "yz": [4, 4],
    "zw": [8],
    "xyz": [4, 8],
    "xyw": [4, 8],
    "yzw": [4, 8],
    "xyzw": [16],
}


@pytest.mark.parametrize("members", USED)
def test_clang_loads_whole_pairs_and_fours(members):
    total = " + ".join(f"a.{name}" for name in members)
    loads, _ = widths(
        f"float4 a = p[i]; o[i] = {total};", "const float4 *p, float *o", is_clang=True
    )
    assert loads == USED[members]


def test_clang_loads_all_of_a_vector_that_an_intrinsic_loads():
    body = "float4 a = __ldg(&p[i]); o[i] = a.x + a.y + a.z;"
    loads, _ = widths(body, "const float4 *p, float *o", is_clang=True)
    assert loads == [16]


def test_stretches_are_full():
    # PTX of eight unsigned shorts aligned together, of which 0, 1, 3, 4 and 6 are used: a word and three halves.
    assert full_chunks({0, 1, 3, 4, 6}, 8) == [(0, 2), (3, 1), (4, 1), (6, 1)]
    assert full_chunks(set(range(6)), 8) == [(0, 4), (4, 2)]
