"""Vector accesses. The expected widths are those that nvcc 13 emits for the same kernels on sm_90 (LDG, STG, LDS, STS)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from roofstat.program.code import Code, MemoryAccess, Op
from roofstat.program.vectors import load_chunks, store_chunks

RECORDS = """
struct Plain { float a, b, c, d; };
struct __align__(16) Quad { float a, b, c; int d; };
struct __align__(16) Two { float4 p; float4 q; };
struct __align__(16) Rows { float v[4]; float w[4]; };
struct __align__(8) Pair { float u, v; };
struct __align__(8) Small { short a, b; int c; };
struct Mixed { double m; float a, b; int c; };
struct Gap { float a; float2 b; float c, d; };
"""

Width = tuple[str, int]
LOAD, STORE = "load", "store"


def widths(code: Code) -> Counter[Width]:
    """How many accesses of which width the code has."""
    return Counter(
        (item.op.value, item.detail.access_bytes)
        for _, item in code.instructions()
        if item.op in (Op.LOAD, Op.STORE)
        and isinstance(item.detail, MemoryAccess)
        and item.detail.access_bytes
    )


def kernel(parameters: str, body: str) -> str:
    """A kernel over `i`."""
    return f"{RECORDS}__global__ void k({parameters}) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"


LOADS = [
    pytest.param("const float2* a", "o[i] = a[i].x + a[i].y;", {8: 1}, id="pair"),
    pytest.param("const float4* a", "o[i] = a[i].x + a[i].w;", {4: 2}, id="ends"),
    pytest.param("const float4* a", "o[i] = a[i].y + a[i].z;", {4: 2}, id="middle"),
    pytest.param("const float4* a", "o[i] = a[i].z + a[i].w;", {8: 1}, id="upper-half"),
    pytest.param(
        "const float4* a", "o[i] = a[i].x + a[i].y + a[i].z;", {16: 1}, id="three-of-four"
    ),
    pytest.param("const float4* a", "o[i] = a[i].y + a[i].z + a[i].w;", {16: 1}, id="last-three"),
    pytest.param("const double2* a", "o[i] = a[i].x * a[i].y;", {16: 1}, id="doubles"),
    pytest.param(
        "const float3* a", "o[i] = a[i].x + a[i].y + a[i].z;", {4: 3}, id="unaligned-three"
    ),
    pytest.param(
        "const Plain* a", "o[i] = a[i].a + a[i].b + a[i].c + a[i].d;", {4: 4}, id="unaligned"
    ),
    pytest.param(
        "const Quad* a", "o[i] = a[i].a + a[i].b + a[i].c + a[i].d;", {16: 1}, id="aligned-record"
    ),
    pytest.param(
        "const Two* a",
        "o[i] = a[i].p.x + a[i].p.y + a[i].p.z + a[i].q.z + a[i].q.w;",
        {16: 1, 8: 1},
        id="nested",
    ),
    pytest.param(
        "const Rows* a",
        "o[i] = a[i].v[0] + a[i].v[1] + a[i].v[2] + a[i].v[3];",
        {16: 1},
        id="array-member",
    ),
    pytest.param(
        "const Mixed* a",
        "o[i] = a[i].m + a[i].a + a[i].b + a[i].c;",
        {8: 2, 4: 1},
        id="mixed-widths",
    ),
    pytest.param(
        "const Gap* a",
        "o[i] = a[i].a + a[i].b.x + a[i].b.y + a[i].c + a[i].d;",
        {4: 1, 8: 2},
        id="gap",
    ),
    pytest.param("const Small* a", "o[i] = a[i].a + a[i].b + a[i].c;", {4: 2}, id="shorts"),
    pytest.param("const short4* a", "o[i] = a[i].x + a[i].y + a[i].z;", {8: 1}, id="three-shorts"),
    pytest.param("const uchar4* a", "o[i] = a[i].x + a[i].y + a[i].z;", {4: 1}, id="three-bytes"),
    pytest.param("const float4* a", "float4 v = a[i]; o[i] = v.x;", {4: 1}, id="copied-one-used"),
    pytest.param(
        "const float4* a", "float4 v = a[i]; o[i] = v.x + v.y;", {8: 1}, id="copied-two-used"
    ),
    pytest.param(
        "const float4* a", "float4 v = a[i]; o[i] = v.x + v.z;", {4: 2}, id="copied-two-apart"
    ),
    pytest.param(
        "const float2* a, unsigned n",
        "unsigned j = i; o[i] = a[j + n].x + a[j + n].y;",
        {8: 1},
        id="unsigned",
    ),
    pytest.param(
        "const float2* a, int n",
        "float s = a[i].x; if (n > 3) s += a[i].y; o[i] = s;",
        {4: 2},
        id="guarded-apart",
    ),
    pytest.param(
        "const float4* a, int n",
        "if (i < n) { float s = a[i].x * a[i].y; if (s > 0) s += a[i].z * a[i].w; o[i] = s; }",
        {8: 2},
        id="two-guards",
    ),
    pytest.param(
        "const float2* a",
        "float x = a[i].x; if (x > 0) x = -x * 3; o[i] = x + a[i].y;",
        {8: 1},
        id="selection",
    ),
    pytest.param(
        "const float2* a",
        "float x = a[i].x; __syncthreads(); o[i] = x + a[i].y;",
        {4: 2},
        id="barrier",
    ),
    pytest.param(
        "const float2* a",
        "float x = a[i].x; atomicAdd(o, x); o[i] = x + a[i].y;",
        {4: 2},
        id="atomic",
    ),
    pytest.param(
        "const float2* a",
        "int j = i; float x = a[j].x; j += 1; o[i] = x + a[j].y;",
        {4: 2},
        id="moved-index",
    ),
    pytest.param(
        "const float* a",
        "o[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];",
        {4: 4},
        id="plain-array",
    ),
]


@pytest.mark.parametrize(("parameters", "body", "expected"), LOADS)
def test_adjacent_members_are_loaded_together(
    code: Callable[..., Code], parameters: str, body: str, expected: dict[int, int]
) -> None:
    found = widths(code(kernel(f"float* o, {parameters}", body)))
    assert {width: count for (op, width), count in found.items() if op == LOAD} == expected


STORES = [
    pytest.param(
        "float4* o, float z", "o[i].x = z; o[i].y = z; o[i].z = z; o[i].w = z;", {16: 1}, id="whole"
    ),
    pytest.param(
        "float4* o, float z",
        "o[i].x = z; o[i].y = z; o[i].z = z;",
        {8: 1, 4: 1},
        id="no-gap-is-written",
    ),
    pytest.param(
        "float4* o, float z", "o[i].y = z; o[i].z = z; o[i].w = z;", {4: 3}, id="unaligned-run"
    ),
    pytest.param("float2* o, float z", "o[i].y = z; o[i].x = z;", {8: 1}, id="backwards"),
    pytest.param("float2* o, float z", "o[i + 7].x = z; o[i].y = z;", {4: 2}, id="two-elements"),
    pytest.param(
        "float3* o, float z", "o[i].x = z; o[i].y = z; o[i].z = z;", {4: 3}, id="unaligned"
    ),
    pytest.param(
        "uchar4* o, int z", "o[i].x = z; o[i].y = z; o[i].z = z; o[i].w = z;", {4: 1}, id="bytes"
    ),
    pytest.param("float2* o, const float2* a", "o[i] = a[i];", {8: 1}, id="record-copy"),
]


@pytest.mark.parametrize(("parameters", "body", "expected"), STORES)
def test_adjacent_members_are_stored_together(
    code: Callable[..., Code], parameters: str, body: str, expected: dict[int, int]
) -> None:
    found = widths(code(kernel(parameters, body)))
    assert {width: count for (op, width), count in found.items() if op == STORE} == expected


ALIASES = [
    pytest.param(
        "float2* b, const float2* a", {(LOAD, 8): 1, (STORE, 8): 1}, id="members-of-one-type-differ"
    ),
    pytest.param(
        "Pair* b, const float2* a", {(LOAD, 4): 2, (STORE, 4): 2}, id="other-type-may-overlap"
    ),
    pytest.param(
        "Pair* __restrict__ b, const float2* __restrict__ a",
        {(LOAD, 8): 1, (STORE, 8): 1},
        id="restrict",
    ),
]


@pytest.mark.parametrize(("parameters", "expected"), ALIASES)
def test_loads_do_not_cross_stores_that_may_touch_them(
    code: Callable[..., Code], parameters: str, expected: dict[Width, int]
) -> None:
    first, second = ("u", "v") if "Pair" in parameters else ("x", "y")
    body = f"b[i].{first} = a[i].x * 2; b[i].{second} = a[i].y * 3;"
    assert widths(code(kernel(parameters, body))) == Counter(expected)


def test_swapped_members_stay_apart(code: Callable[..., Code]) -> None:
    found = widths(
        code(kernel("float2* b, const float2* a", "b[i].y = a[i].x * 2; b[i].x = a[i].y * 3;"))
    )
    assert found == Counter({(LOAD, 4): 2, (STORE, 4): 2})


SHARED = [
    pytest.param(
        "__shared__ float s[1024];", "s[4*i] + s[4*i+1] + s[4*i+2] + s[4*i+3]", {16: 1}, id="flat"
    ),
    pytest.param(
        "__shared__ float s[32][32];", "s[i][0] + s[i][1] + s[i][2] + s[i][3]", {16: 1}, id="rows"
    ),
    pytest.param(
        "__shared__ float s[32][33];",
        "s[i][0] + s[i][1] + s[i][2] + s[i][3]",
        {4: 4},
        id="padded-rows",
    ),
    pytest.param(
        "extern __shared__ float s[];",
        "s[4*i] + s[4*i+1] + s[4*i+2] + s[4*i+3]",
        {16: 1},
        id="dynamic",
    ),
    pytest.param(
        "__shared__ float s[64];", "s[0] + s[1] + s[2] + s[3]", {16: 1}, id="constant-index"
    ),
]


@pytest.mark.parametrize(("declaration", "expression", "expected"), SHARED)
def test_shared_arrays_are_aligned(
    code: Callable[..., Code], declaration: str, expression: str, expected: dict[int, int]
) -> None:
    text = kernel(
        "float* o, float z", f"{declaration} s[i] = z; __syncthreads(); o[i] = {expression};"
    )
    if "][" in declaration:
        text = text.replace("s[i] = z", "s[0][i] = z")
    found = widths(code(text))
    assert {width: count for (op, width), count in found.items() if op == LOAD} == expected


def test_the_leader_says_where_the_access_begins(code: Callable[..., Code]) -> None:
    built = code(kernel("float* o, const float4* a", "o[i] = a[i].w + a[i].z + a[i].y;"))
    loads = [item.detail for _, item in built.instructions() if item.op is Op.LOAD]
    leader, *followers = loads
    assert isinstance(leader, MemoryAccess)
    # The first in the program is w, at 12; the access of 16 bytes begins at x.
    assert (leader.offset_bytes, leader.access_offset_bytes, leader.access_bytes) == (12, -12, 16)
    assert leader.array == "a"
    assert {item.group for item in followers} == {leader.group}
    assert [item.access_bytes for item in followers] == [0, 0]


def slots(count: int) -> st.SearchStrategy[set[int]]:
    """Sets of used slots."""
    return st.sets(st.integers(0, count - 1), min_size=1)


@given(slots(16))
def test_stores_write_the_used_slots_and_no_others(used: set[int]) -> None:
    chunks = store_chunks(used)
    written = [slot for first, length in chunks for slot in range(first, first + length)]
    assert sorted(written) == sorted(used)
    assert all(first % length == 0 and length & (length - 1) == 0 for first, length in chunks)


@given(st.sampled_from([2, 4, 8, 16]).flatmap(lambda n: st.tuples(st.just(n), slots(n))))
def test_loads_fetch_every_used_slot_once(case: tuple[int, set[int]]) -> None:
    count, used = case
    chunks = load_chunks(used, count, 4)
    fetched = [slot for first, length in chunks for slot in range(first, first + length)]
    assert used <= set(fetched)
    assert len(fetched) == len(set(fetched))
    # At most one of four words is fetched in vain.
    assert len(fetched) <= len(used) * 4 / 3
    assert all(first % length == 0 for first, length in chunks)


def test_what_is_no_number_can_be_stored(code):
    # One stored as it is, the other as a variable that is copied: neither is part of an address.
    built = code(
        """
        #include <cmath>
        __global__ void k(float2 *x) {
          float bad = NAN;
          float large = INFINITY;
          float2 v = make_float2(bad, large);
          x[threadIdx.x] = v;
          x[threadIdx.x + 32] = v;
        }"""
    )
    assert widths(built)[STORE, 8] == 2
