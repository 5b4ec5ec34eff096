"""Closures: what they hold and what their bodies see."""

from ir_text import dump

from clang_queries.ir.expressions import Call


def _operators(lower, text):
    unit = lower(text)
    assert unit.diagnostics == ()
    return [
        dump(item).splitlines()[2].strip()
        for item in unit.functions.values()
        if item.name.endswith("operator()")
    ]


def test_captures_by_value_and_reference(lower, body):
    text = "int f(int a, int b) { auto l = [=, &b](int x) { b += a; return a * x; }; return l(3); }"
    assert body(text)[0].partition("){")[2] == "@0: &b#2, @8: a#1};"
    assert _operators(lower, text) == ["*(*this).b@0 += (*this).a@8;"]


def test_implicit_reference_capture_and_this(lower, body):
    text = "struct S { int z; int g(int q) { auto l = [&]() { return z + q; }; return l(); } };"
    assert body(text, "S::g")[0].partition("){")[2] == "@0: this, @8: &q#1};"
    assert _operators(lower, text) == ["return (*(*this).this@0).z@0 + (*(*this).q@8);"]


def test_init_capture_and_copied_this(lower, body):
    text = "struct S { int z; int g(int q) { auto l = [*this, k = q + 1]() { return z + k; }; return l(); } };"
    assert body(text, "S::g")[0].partition("){")[2] == "@0: *this, @4: q#1 + 1};"
    assert _operators(lower, text) == ["return (*this).this@0.z@0 + (*this).k@4;"]


def test_constants_whose_values_alone_are_used_are_not_captured(lower, body):
    text = "int f(int a) { const int size = 8; int b = a; auto l = [&]() { return size * b; }; return l(); }"
    assert body(text)[2].partition("){")[2] == "@0: &b#3};"
    assert _operators(lower, text) == ["return 8 * (*(*this).b@0);"]


def test_generic_lambda_has_an_operator_for_each_type(lower):
    text = "float f(int n) { auto l = [n](auto v) { return v + n; }; return l(1) + l(2.0f); }"
    assert sorted(_operators(lower, text)) == [
        "return v#1 + ((f32)(*this).n@0);",
        "return v#1 + (*this).n@0;",
    ]


def test_call_operator_is_listed_under_the_closure(lower, function, nodes):
    text = "template <class F> int run(F g) { return g(2); } int f(int n) { return run([=](int x) { return x * n; }); }"
    unit = lower(text)
    [key] = unit.call_operators.values()
    run = next(item for item in unit.functions.values() if item.name == "run")
    [call] = nodes(run, Call)
    assert call.callee.key == key
    assert unit.functions[key].name.endswith("operator()")


def test_two_lambdas_of_one_method_are_two_records(lower):
    unit = lower(
        "struct S { void g() { auto a = [](int x) { return x; }; auto b = [](int x) { return -x; }; } };"
    )
    assert len(unit.call_operators) == 2
    assert len(set(unit.call_operators.values())) == 2


def test_constant_is_used_without_capture(lower):
    text = "int f() { const int n = 3; auto l = [](int x) { return x * n; }; return l(2); }"
    assert _operators(lower, text) == ["return x#1 * 3;"]
