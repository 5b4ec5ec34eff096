"""Which locals live in registers after lowering, and which stay in memory."""

from __future__ import annotations

import pytest

from clang_queries.ir.types import Scalar
from roofstat.program.code import MemoryAccess, Op, Space


def memory_operations(code, *, of=Space.LOCAL):
    """Loads and stores that go to local slots."""
    slots = {
        item.dest
        for _, item in code.instructions()
        if item.op is Op.SLOT and code.slots[item.detail].space is of
    }
    reached = set(slots)
    for _, item in code.instructions():
        if item.op is Op.PTR_ADD and item.args[0] in reached:
            reached.add(item.dest)
    return [
        item
        for _, item in code.instructions()
        if item.op in (Op.LOAD, Op.STORE) and item.args[0] in reached
    ]


REGISTERS = {
    "a scalar that changes": "int s = n; s += 2; out[s] = s;",
    "a struct by value": "P p = {n, 2}; p.x += 1; out[p.x] = p.y;",
    "a copy of a struct": "P p = {n, 2}; P q = p; q.x++; out[q.x] = p.x;",
    "a struct through a reference": "P p = {n, 2}; grow(p); out[p.x] = p.y;",
    "a struct through a pointer": "P p = {n, 2}; P *r = &p; r->x++; out[p.x] = r->y;",
    "a struct returned": "P p = make(n); out[p.x] = p.y;",
    "a nested struct": "Q q; q.p.x = n; q.z = 3; q.p.y = q.z; out[q.p.x] = q.p.y;",
    "an array with constant indices": "int a[3] = {n, 1, 2}; a[1] += a[0]; out[a[1]] = a[2];",
    "a union read as it was written": "U u; u.f = 1.0f * n; out[n] = (int)u.f;",
    "a union read as another type": "U u; u.f = 1.0f * n; out[n] = u.i;",
    "a closure by value": "int s = n; auto f = [=](int i) { return i + s; }; out[n] = f(3);",
    "a closure by reference": "int s = n; auto f = [&](int i) { s += i; }; f(3); out[n] = s;",
    "a reference to a scalar": "int s = n; int &r = s; r += 2; out[n] = s;",
    "a method": "C c{n}; c.add(2); out[n] = c.get();",
}
PRELUDE = """
struct P { int x, y; };
struct Q { P p; int z; };
union U { float f; int i; };
struct C { int v; __device__ void add(int k) { v += k; } __device__ int get() const { return v; } };
__device__ void grow(P &p) { p.x += 1; p.y *= 2; }
__device__ P make(int n) { P p; p.x = n; p.y = n + 1; return p; }
"""


@pytest.mark.parametrize("body", REGISTERS.values(), ids=REGISTERS.keys())
def test_lives_in_registers(code, body):
    built = code(f"{PRELUDE}__global__ void k(int *out, int n) {{ {body} }}")
    assert memory_operations(built) == []
    assert [item.op for _, item in built.instructions() if item.op is Op.STORE] == [Op.STORE]


def test_a_union_read_as_another_type_is_a_bit_cast(code):
    built = code(f"{PRELUDE}__global__ void k(int *out, float x) {{ U u; u.f = x; out[0] = u.i; }}")
    casts = [item for _, item in built.instructions() if item.op is Op.BITCAST]
    assert [(item.detail, item.scalar) for item in casts] == [(Scalar.F32, Scalar.I32)]


MEMORY = {
    "an array indexed by a variable": "int a[8]; a[n] = 1; out[0] = a[n + 1];",
    "a scalar whose address is stored": "int s = n; *where = &s; out[0] = s;",
    "an array passed on and indexed": "int a[4] = {0, 0, 0, 0}; touch(a, n); out[0] = a[1];",
}


@pytest.mark.parametrize("body", MEMORY.values(), ids=MEMORY.keys())
def test_stays_in_memory(code, body):
    built = code(
        "__device__ void touch(int *a, int n) { a[n] = 7; }\n"
        f"__global__ void k(int *out, int n, int **where) {{ {body} }}"
    )
    assert memory_operations(built)


def test_only_the_array_stays_when_one_array_of_two_is_indexed(code):
    built = code(
        "__global__ void k(int *out, int n) {"
        " int a[4]; int b[2] = {n, 2}; a[n] = b[0]; out[b[1]] = a[n]; }"
    )
    touched = {item.detail.array for item in memory_operations(built)}
    assert touched == {"a"}


def test_a_record_argument_becomes_its_pieces(code):
    built = code(f"{PRELUDE}__global__ void k(int *out, Q q) {{ out[q.p.y] = q.z; }}")
    pieces = {
        (item.detail.index, item.detail.offset_bytes)
        for _, item in built.instructions()
        if item.op is Op.PARAM
    }
    assert pieces == {(0, 0), (1, 4), (1, 8)}
    assert memory_operations(built) == []


def test_shared_memory_is_never_promoted(code):
    built = code(
        "__global__ void k(int *out, int n) { __shared__ int s[2]; s[n] = 3; out[0] = s[0]; }"
    )
    assert [item.op for item in memory_operations(built, of=Space.SHARED)] == [Op.STORE, Op.LOAD]


def test_bit_fields_keep_their_width(code):
    built = code(
        "struct B { unsigned a : 3, b : 5; };"
        "__global__ void k(B *p, int *out) { p->b = 4; out[0] = p->a; }"
    )
    accesses = [
        (item.op, item.detail.bit_offset, item.detail.bit_width)
        for _, item in built.instructions()
        if isinstance(item.detail, MemoryAccess) and item.detail.bit_width is not None
    ]
    assert accesses == [(Op.STORE, 3, 5), (Op.LOAD, 0, 3)]
