"""Names, members, literals, casts."""

import pytest

from clang_queries.ir.expressions import Call

_RECORDS = """
struct B0 { int q; };
struct B { int b; };
struct D : B0, B { float f; };
struct U { int a; union { int i; float x; }; int narrow : 3; int wide : 5; };
"""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("return 0x10;", "return 16;"),
        ("return 'a';", "return 97;"),
        ("return 2.5f;", "return 2;"),
        ("return sizeof(double);", "return 8;"),
        ("return __builtin_offsetof(D, f);", "return 8;"),
        ("return alignof(double);", "return 8;"),
        ("return true;", "return 1;"),
    ],
)
def test_constants_are_folded_to_the_type_of_their_use(body, source, line):
    assert body(f"{_RECORDS} int f() {{ {source} }}") == [line]


def test_float_literal_is_rounded_to_single_precision(body):
    # 0.1 as the nearest binary32
    assert body("float f() { return 0.1; }") == ["return 0.10000000149011612_f32;"]


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("float x = i;", "f32 x#6 = (f32)i#1;"),
        ("long x = i;", "i64 x#6 = (i64)i#1;"),
        ("int x = d;", "i32 x#6 = (i32)d#2;"),
        ("bool x = p;", "bool x#6 = (bool)p#3;"),
        ("bool x = i;", "bool x#6 = (bool)i#1;"),
        ("int x = c + 1;", "i32 x#6 = ((i32)c#4) + 1;"),
        ("void *x = p;", "void* x#6 = (void*)p#3;"),
        ("const int *x = p;", "const i32* x#6 = p#3;"),
        ("long x = (long)p;", "i64 x#6 = (i64)p#3;"),
        ("int *x = nullptr;", "i32* x#6 = null;"),
        ("int *x = a;", "i32* x#6 = (i32*)a#5;"),
    ],
)
def test_implicit_conversions_are_casts_where_they_change_the_value(body, statement, line):
    text = f"void f(int i, double d, int *p, unsigned char c) {{ int a[3]; {statement} }}"
    assert body(text)[-1] == line


def test_derived_to_base_adds_the_offset_of_the_second_base(body):
    text = f"{_RECORDS} int f(D &d, D *p) {{ B &r = d; B *q = p; return p->b + r.b; }}"
    assert body(text) == [
        "B& r#3 = &(*d#1).B@4;",
        "B* q#4 = &(*p#2).B@4;",
        "return (*p#2).B@4.b@0 + (*r#3).b@0;",
    ]


def test_members_of_anonymous_records_and_bit_fields(body):
    text = f"{_RECORDS} void f(U *u) {{ u->x = 1; u->wide = 2; }}"
    assert body(text) == ["(*u#1).x@4 = 1.0_f32;", "(*u#1).wide@8:3+5 = 2;"]


def test_reference_variables_are_followed(body):
    assert body("void f(int &r, int &&t) { r = t; int *p = &r; }") == [
        "*r#1 = (*t#2);",
        "i32* p#3 = r#1;",
    ]


def test_const_scalars_are_folded_and_others_are_not(body):
    text = """
    const int n = 4; constexpr float pi = 3.0f; int m = 5;
    float f() { const int k = 2; return n + k + m + pi; }
    """
    assert body(text)[-1] == "return ((f32)((4 + 2) + m)) + 3.0_f32;"


def test_enumerators_and_static_members(body):
    text = "enum E { A = 3 }; struct S { static const int n = 7; enum { B = 9 }; }; int f() { return A + S::n + S::B; }"
    assert body(text) == ["return (3 + 7) + 9;"]


def test_casts_to_references_view_the_object(body):
    text = "void f(float x, float4 *v) { int i = reinterpret_cast<int &>(x); (int &)x = i; v = (float4 *)&x; }"
    assert body(text) == [
        "i32 i#3 = *((i32*)(&x#1));",
        "*((i32*)(&x#1)) = i#3;",
        "v#2 = ((float4*)(&x#1));",
    ]


def test_downcast_steps_back_to_the_derived_object(body):
    text = f"{_RECORDS} D *f(B *b) {{ return static_cast<D *>(b); }}"
    assert body(text) == ["return (D*)(((i8*)b#1) + -4_i64);"]


def test_strings_and_func_name(body):
    assert body('void f() { const char *s = "a\\n"; const char *n = __func__; }') == [
        'const i8* s#1 = (const i8*)"a\\n";',
        'const i8* n#2 = (const i8*)"f";',
    ]


def test_thread_index_is_a_member_of_a_variable(body):
    assert body("__global__ void f(int *p) { p[threadIdx.x] = blockDim.y; }") == [
        "p#1[threadIdx.x@0] = ((i32)blockDim.y@4);"
    ]


def test_unresolved_call_is_kept_by_name(lower, nodes):
    unit = lower("template <class T> void g(T, T); void f() { g(1, 2.0); }")
    [function] = [item for item in unit.functions.values() if item.name == "f"]
    [call] = nodes(function, Call)
    assert (call.callee.name, call.callee.key, len(call.arguments)) == ("g", "", 2)
    assert [item.function for item in unit.diagnostics] == [function.key]
