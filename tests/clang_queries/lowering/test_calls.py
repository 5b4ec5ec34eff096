"""Calls of every form."""

import pytest

from clang_queries.ir.expressions import Call, Launch, OpaqueExpr

_CLASS = """
struct V {
  float x;
  V operator+(const V &o) const { V r; r.x = x + o.x; return r; }
  float &operator[](int i) { return x; }
  float operator()(int a, float b = 2.5f) const { return a * b; }
  operator int() const { return 1; }
  int get(int n = 7) const { return n; }
  static int make(int n) { return n; }
  virtual int v() { return 0; }
  V &operator=(int n) { return *this; }
  V &operator*() { return *this; }
};
"""


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("float r = (a + b).x;", "f32 r#4 = V::operator+(&(*a#1), &b#2).x@8;"),
        ("b[2] = 3;", "*V::operator[](&b#2, 2) = 3.0_f32;"),
        ("float r = a(3);", "f32 r#4 = V::operator()(a#1, 3, 2.5_f32);"),
        ("float r = a(3, 1);", "f32 r#4 = V::operator()(a#1, 3, 1.0_f32);"),
        ("int r = a;", "i32 r#4 = V::operator int(a#1);"),
        ("int r = p->get();", "i32 r#4 = V::get(p#3, 7);"),
        ("int r = V::make(3);", "i32 r#4 = V::make(3);"),
        ("int r = p->v();", "i32 r#4 = virtual V::v(p#3);"),
        ("int r = p->V::v();", "i32 r#4 = V::v(p#3);"),
        ("b = 3;", "*V::operator=(&b#2, 3);"),
        ("b = a;", "b#2 = (*a#1);"),
        ("(*b).x = 1;", "(*V::operator*(&b#2)).x@8 = 1.0_f32;"),
    ],
)
def test_methods_and_operators_take_the_object_first(body, statement, line):
    lines = body(f"{_CLASS} void f(const V &a, V b, V *p) {{ {statement} }}")
    assert lines == [line.replace("&(*a#1)", "a#1")]


def test_implicit_object_in_methods_and_base_classes(body):
    text = """
    struct A { int a; int ga() { return a; } };
    struct B : A { int b; int gb() { return b + a + ga() + A::ga(); } };
    """
    assert body(text, "B::gb") == [
        "return (((*this).b@4 + (*this).a@0) + A::ga(&(*this).A@0)) + A::ga(&(*this).A@0);"
    ]


def test_template_arguments_are_no_object(body):
    text = """
    struct A {
      int a;
      template <int N> int g(int b) { return b; }
      template <int N> int h(int b, int c) { return g<N + 1>(b); }
      int f(A *p) { return h<0>(1, 2) + p->g<1>(3); }
    };
    """
    assert body(text, "A::h") == ["return A::g(this, b#1);"]
    assert body(text, "A::f") == ["return A::h(this, 1, 2) + A::g(p#1, 3);"]


def test_method_of_second_base_gets_the_subobject(body):
    text = """
    struct A { int a; }; struct B { int b; int gb() { return b; } };
    struct C : A, B { int gc() { return gb(); } };
    """
    assert body(text, "C::gc") == ["return B::gb(&(*this).B@4);"]


def test_function_pointers(body):
    text = "int g(int n) { return n; } int f(int (*p)(int)) { int (*q)(int) = &g; return p(1) + (*q)(2); }"
    assert body(text) == ["i32()* q#2 = g;", "return p#1(1) + q#2(2);"]


def test_reference_results_are_followed_and_returned_as_addresses(body):
    text = "int &g(int &a) { return a; } int &f(int *p) { g(*p) = 3; return p[1]; }"
    assert body(text) == ["*g(p#1) = 3;", "return &p#1[1];"]


def test_const_reference_binds_a_temporary(body):
    assert body("int g(const double &d); int f(int n) { return g(n); }") == [
        "return g(&((f64)n#1));"
    ]


def test_default_arguments_of_templates_and_records(body):
    text = """
    struct P { int n; P(int n) : n(n) {} };
    template <class T> T g(T a, T b = T(4), P p = 5) { return a; }
    float f() { return g(1.0f); }
    """
    assert body(text) == ["return g<float>(1.0_f32, 4.0_f32, new-value P::P(5));"]


@pytest.mark.parametrize(
    ("launch", "line"),
    [
        ("k<<<4, 128>>>(p, 2);", "k<<<dim(4), dim(128)>>>(p#1, 2);"),
        ("k<<<4, 128, 64>>>(p, 2);", "k<<<dim(4), dim(128), 64_u64>>>(p#1, 2);"),
        ("k<<<4, 128, 0, s>>>(p, 2);", "k<<<dim(4), dim(128), 0_u64>>>(p#1, 2);"),
        ("CHECK((k<<<4, 128>>>(p, 2)));", "k<<<dim(4), dim(128)>>>(p#1, 2);"),
        ("RUN(k, p);", "k<<<dim(4), dim(128)>>>(p#1, 2);"),
        ("q<<<4, 128>>>(p, 2);", "q#3<<<dim(4), dim(128)>>>(p#1, 2);"),
    ],
)
def test_launches(body, launch, line):
    text = f"""
    #define CHECK(x) x
    #define RUN(kernel, a) kernel<<<4, 128>>>(a, 2)
    __global__ void k(int *p, float n) {{ p[0] = n; }}
    void f(int *p, cudaStream_t s, void (*q)(int *, float)) {{ {launch} }}
    """
    found = body(text)[-1].replace("new-value dim3::dim3(4_u32, 1_u32, 1_u32)", "dim(4)")
    found = found.replace("new-value dim3::dim3(128_u32, 1_u32, 1_u32)", "dim(128)")
    assert found == line.replace(", 2)", ", 2.0_f32)")


def test_launch_with_dim3_variables(function, nodes):
    text = """
    __global__ void k(int *p) { p[0] = 1; }
    void f(int *p) { dim3 grid(2, 3); dim3 block = 32; k<<<grid, block>>>(p); }
    """
    [launch] = nodes(function(text), Launch)
    assert (launch.grid.type.name, launch.block.type.name) == ("dim3", "dim3")


def test_virtual_call_and_override_pairs(lower):
    unit = lower(
        "struct A { virtual int g() { return 1; } }; struct B : A { int g() override { return 2; } };"
        "int f(A *a) { return a->g(); } int main() { B b; return f(&b); }"
    )
    record = next(item for item in unit.records.values() if item.name == "B")
    [(base, derived)] = record.virtual_methods
    assert (unit.functions[base].name, unit.functions[derived].name) == ("A::g", "B::g")


def test_what_is_no_address_in_front_of_a_type_says_how_to_allocate(body):
    text = "#include <new>\nvoid f(int m) { float *a = new (std::nothrow) float[m]; int *b = new (std::nothrow) int(3); }"
    first, second = body(text)
    assert "new f32" in first
    assert "new i32" in second


def test_placement_new_assigns_in_place(body):
    """Of a built-in type, which has no reference to a type in the tree, and qualified by ``::``."""
    for new in ("new ((void *)&n)", "::new ((void *)&n)", "new (&n)"):
        [line] = body(f"#include <new>\nvoid f(int n) {{ {new} int(5); }}")
        assert "new i32" not in line
        assert "= 5" in line


def test_new_delete_and_throw(body, nodes, function):
    text = """
    struct P { int n; P(int n) : n(n) {} };
    void f(int n) { int *a = new int[n]; P *p = new P(3); int *s = new int(5); delete p; delete[] a; throw n; }
    """
    assert body(text) == [
        "i32* a#2 = new i32[(u64)n#1];",
        "P* p#3 = new P(new-value P::P(3));",
        "i32* s#4 = new i32(5);",
        "delete p#3;",
        "delete a#2;",
        "opaque[throw](n#1);",
    ]
    assert [node.reason for node in nodes(function(text), OpaqueExpr)] == ["throw"]


def test_builtins_are_calls_by_name(function, nodes):
    text = "__device__ int f(unsigned x) { return __popc(x) + __builtin_clz(x); }"
    names = [call.callee.name for call in nodes(function(text), Call)]
    assert names == ["__popc", "__builtin_clz"]


def test_static_methods_keep_their_template_arguments(body):
    text = """
    struct Sums { template <class I, int N> static int of(I first, int count); };
    void f(float *p) { int n = Sums::of<float *, 3>(p, 4); }
    """
    assert body(text) == ["i32 n#2 = Sums::of<float *, 3>(p#1, 4);"]
