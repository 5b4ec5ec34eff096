"""Loops, their ambiguous parts and their hints."""

import pytest

from clang_queries.ir.statements import Loop


@pytest.mark.parametrize(
    ("head", "printed"),
    [
        ("for (int i = 0; i < n; i++)", "for (i32 i#2 = 0; i#2 < n#1; i#2++)"),
        ("for (;;)", "for (; ; )"),
        ("for (; n < 3;)", "for (; n#1 < 3; )"),
        ("for (;; n++)", "for (; ; n#1++)"),
        ("for (n = 0;;)", "for (n#1 = 0; ; )"),
        ("for (n = 0;; n++)", "for (n#1 = 0; ; n#1++)"),
        ("for (; n < 3; n++)", "for (; n#1 < 3; n#1++)"),
        ("for (n = 0; n < 3;)", "for (n#1 = 0; n#1 < 3; )"),
        ("for (; /* ; */ n < ';';)", "for (; n#1 < 59; )"),
        (
            "for (int i = 0, j = 1; i < j; i++, j--)",
            "for (i32 i#2 = 0; i32 j#3 = 1; i#2 < j#3; i#2++, j#3--)",
        ),
        ("LOOP(n < 5)", "for (; n#1 < 5; )"),
        ("while (n--)", "for (; (bool)n#1--; )"),
        ("while (int q = n)", "for (i32 q#2; (q#2 = n#1), ((bool)q#2); )"),
        ("for (; int q = n; n++)", "for (i32 q#2; (q#2 = n#1), ((bool)q#2); n#1++)"),
    ],
)
def test_heads(body, head, printed):
    text = f"#define LOOP(c) for (; c;)\nvoid f(int n) {{ {head} {{ n--; }} }}"
    assert body(text) == [printed, "n#1--;"]


def test_do_tests_behind(body, function, nodes):
    text = "void f(int n) { do n--; while (n > 0); }"
    assert body(text) == ["do (; n#1 > 0; )", "n#1--;"]
    assert not nodes(function(text), Loop)[0].tests_before


@pytest.mark.parametrize(
    ("pragma", "unroll"),
    [
        ("#pragma unroll", 0),
        ("#pragma unroll 4", 4),
        ("#pragma unroll(8)  // wide", 8),
        ("#pragma unroll N", 3),
        ("#pragma unroll (N * 2 + 1)", 7),
        ("#pragma unroll COUNT", 6),
        ("#pragma nounroll", 1),
        ("#pragma unroll 1", 1),
        ("UNROLL", 5),
        ("", None),
    ],
)
def test_unroll_hints(lower, nodes, pragma, unroll):
    text = f"""
    #define COUNT 6
    #define UNROLL _Pragma("unroll 5")
    template <int N> __global__ void k(int *p) {{
    {pragma}
      for (int i = 0; i < 8; i++) p[i] = i;
      while (p[0]) p[0]--;
    }}
    void f(int *p) {{ k<3><<<1, 1>>>(p); }}
    """
    unit = lower(text)
    assert [loop.unroll for loop in nodes(unit.functions[unit.kernels[0]], Loop)] == [unroll, None]


def test_range_for_over_an_array(body):
    assert body("void f() { int a[3]; for (int &x : a) x = 1; }")[1:] == [
        "for (i32* __begin#2 = (i32*)a#1; i32* __end#3 = __begin#2 + 3_i64; __begin#2 != __end#3; ++__begin#2)",
        "i32& x#4 = __begin#2;",
        "*x#4 = 1;",
    ]


def test_range_for_over_a_class_with_pointers(body):
    text = """
    struct V { int *b, *e; int *begin() { return b; } int *end() { return e; } };
    int f(V &v) { int s = 0; for (auto x : v) s += x; return s; }
    """
    assert body(text)[1:4] == [
        (
            "for (V& __range#3 = v#1; i32* __begin#4 = V::begin(__range#3); i32* __end#5 = V::end(__range#3);"
            " __begin#4 != __end#5; ++__begin#4)"
        ),
        "i32 x#6 = *__begin#4;",
        "s#2 += x#6;",
    ]


def test_range_for_over_a_vector_calls_begin_and_end(body):
    text = "#include <vector>\nint f(std::vector<int> &v) { int s = 0; for (int x : v) s += x; return s; }"
    head = body(text)[1]
    assert "std::vector::begin(" in head
    assert "std::vector::end(" in head


def test_range_for_over_class_iterators(body):
    text = """
    struct I { int n; int operator*() { return n; } I &operator++() { n++; return *this; }
               bool operator!=(const I &o) const { return n != o.n; } };
    struct V { I begin() { return I{0}; } I end() { return I{5}; } };
    int f(V v) { int s = 0; for (int x : v) s += x; return s; }
    """
    assert body(text)[1].endswith("I::operator!=(&__begin#4, &__end#5); I::operator++(&__begin#4))")
