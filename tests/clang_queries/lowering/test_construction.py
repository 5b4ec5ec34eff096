"""Constructors, copies, initialiser lists."""

import pytest


def test_member_and_base_initialisers_in_order_with_defaults(body):
    text = """
    struct A { int a; A(int a) : a(a) {} };
    struct M { int m = 5; };
    struct C : A { int c = 1; float d; M m; C() : A(3), d(2) { c++; } };
    """
    assert body(text, "C::C") == [
        "(*this).c@4 = 1;",
        "(*this).m@12 = M{@0: 5}~;",
        "(*this).A@0 = new-value A::A(3);",
        "(*this).d@8 = 2.0_f32;",
        "(*this).c@4++;",
    ]


def test_delegating_constructor(body):
    text = "struct C { int n; C(int n) : n(n) {} C() : C(4) {} }; int f() { C c; return c.n; }"
    assert body(text) == ["C c#1 = new-value C::C();", "return c#1.n@0;"]


def test_implicit_copies_are_bitwise(body):
    text = "struct P { int a; float b; }; P f(P p) { P q = p; P r(q); q = r; return q; }"
    assert body(text) == [
        "P q#2 = copy P(p#1);",
        "P r#3 = copy P(q#2);",
        "q#2 = r#3;",
        "return copy P(q#2);",
    ]


def test_user_copy_constructor_is_called(body):
    text = "struct P { int a; P() {} P(const P &o) : a(o.a) {} }; void f(P p) { P q = p; }"
    assert body(text) == ["P q#2 = new-value P::P(&p#1);"]


def test_implicit_default_constructor_sets_member_defaults(lower):
    unit = lower("struct P { int a = 3; int b; }; int f() { P p; return p.a; }")
    names = {item.name for item in unit.functions.values()}
    assert "P::P" in names


def test_plain_records_stay_uninitialised_and_value_initialisation_zeroes(body):
    text = "struct P { int a; float b; }; void f() { P p; P q = P(); P r{}; }"
    assert body(text) == ["P p#1 = copy P();", "P q#2 = P{};", "P r#3 = P{};"]


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        ("P p = {}", "P{@0: 7, @4: In{@0: 3.0_f32}, @16: 2}"),
        ("P p{1}", "P{@0: 1, @4: In{@0: 3.0_f32}, @16: 2}"),
        ("P p{1, {4}, 5}", "P{@0: 1, @4: In{@0: 4.0_f32}, @12: 5, @16: 2}"),
        ("P p{.z = 4}", "P{@12: 4, @0: 7, @4: In{@0: 3.0_f32}, @16: 2}"),
        (
            "In p[3] = {{1}}",
            "In[3]{@0: In{@0: 1.0_f32}, @8: In{@0: 3.0_f32}, @16: In{@0: 3.0_f32}}",
        ),
        ("B p{}", "B{@8: In[2]{@0: In{@0: 3.0_f32}, @8: In{@0: 3.0_f32}}, @0: In{@0: 3.0_f32}}"),
    ],
)
def test_members_that_a_list_leaves_out_have_their_defaults(body, declaration, value):
    text = f"""
    struct In {{ float s = 3.f; int t; }};
    struct P {{ int n = 7; In in; int z; int w = 2; }};
    struct B : In {{ In more[2]; }};
    void f() {{ {declaration}; }}
    """
    [line] = body(text, standard="c++20")
    assert line.partition(" = ")[2] == f"{value};"


def test_a_default_that_rests_on_other_members_is_not_known(body):
    [line] = body("struct P { int n = 7; int m = n * 2; }; P f() { return P{}; }")
    assert "@0: 7" in line
    assert "opaque[object that is being made]" in line


def test_reference_members_hold_addresses(body):
    text = "struct R { int &r; R(int &x) : r(x) {} int get() { return r; } };"
    assert body(text, "R::R") == ["(*this).r@0 = x#1;"]
    assert body(text, "R::get") == ["return *(*this).r@0;"]


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        ("int a[4] = {1, 2}", "i32[4]{@0: 1, @4: 2}"),
        ("int a[2][2] = {1, 2, 3}", "i32[2][2]{@0: i32[2]{@0: 1, @4: 2}, @8: i32[2]{@0: 3}}"),
        ("int a[2][2] = {{1}, {3, 4}}", "i32[2][2]{@0: i32[2]{@0: 1}, @8: i32[2]{@0: 3, @4: 4}}"),
        ("int a[] = {1, 2, 3}", "i32[3]{@0: 1, @4: 2, @8: 3}"),
        ("int a[4] = {[2] = 5, 6}", "i32[4]{@8: 5, @12: 6}"),
        ("P a = {1, 2}", "P{@0: 1, @4: 2.0_f32}"),
        ("P a = {.y = 2}", "P{@4: 2.0_f32}"),
        ("P a[] = {1, 2, 3, 4}", "P[2]{@0: P{@0: 1, @4: 2.0_f32}, @8: P{@0: 3, @4: 4.0_f32}}"),
        ("P a[2] = {{1, 2}, p}", "P[2]{@0: P{@0: 1, @4: 2.0_f32}, @8: p#1}"),
        ("Q a[2] = {Q(1), 5}", "Q[2]{@0: new-value Q::Q(1), @4: new-value Q::Q(5)}"),
        ('char a[] = "xy"', '"xy"'),
        ("int a{}", "0"),
        ("float a{3}", "3.0_f32"),
    ],
)
def test_initialiser_lists(body, declaration, value):
    text = f"""
    struct P {{ int x; float y; }};
    struct Q {{ int n; Q(int n) : n(n) {{}} }};
    void f(P p) {{ {declaration}; }}
    """
    assert body(text)[0].partition(" = ")[2] == f"{value};"


def test_constructor_of_a_template_instance(body):
    text = "template <class T> struct C { T a; C(T x) : a(x) {} }; float f() { C<float> c(2); return c.a; }"
    assert body(text) == ["C<float> c#1 = new-value C::C(2.0_f32);", "return c#1.a@0;"]
    assert body(text, "C::C") == ["(*this).a@0 = x#1;"]


def test_structured_bindings(body):
    text = "struct P { int a; float b; }; float f(P p) { auto [x, y] = p; auto &[u, v] = p; u = 1; return x + y; }"
    assert body(text) == [
        "P binding#2 = copy P(p#1);",
        "P& binding#3 = &p#1;",
        "(*binding#3).a@0 = 1;",
        "return ((f32)binding#2.a@0) + binding#2.b@4;",
    ]


def test_structured_bindings_of_tuples(body):
    # Layout of the bundled header: c | {b | {a}}: char at 0, a record of alignment 8 at 8, float at 16.
    text = """
    #include <tuple>
    float f(std::tuple<char, double, float> t) { auto& [c, d, x] = t; return c + d + x; }
    """
    assert body(text)[1] == (
        "return (f32)((((f64)((i32)(*binding#2).@0)) + (*binding#2).@8) + ((f64)(*binding#2).@16));"
    )


def test_structured_bindings_in_a_loop(body):
    text = "struct P { int a; float b; }; float f(P (&p)[3]) { float s = 0; for (auto& [a, b] : p) s += b; return s; }"
    assert any("(*binding#" in line and ".b@4" in line for line in body(text))
