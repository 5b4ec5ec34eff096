"""Built-in operators and their types."""

import pytest

from clang_queries.command_line import Language
from clang_queries.ir.expressions import CompoundAssign
from clang_queries.ir.types import F64, I32, Scalar, ScalarType
from clang_queries.lowering.operators import common_type


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("i = i + 2 * i;", "i#1 = (i#1 + (2 * i#1));"),
        ("b = i < 2 && d > 0;", "b#4 = ((i#1 < 2) && (d#2 > 0.0));"),
        ("b = !i;", "b#4 = (!((bool)i#1));"),
        ("i = -i + ~i;", "i#1 = ((-i#1) + (~i#1));"),
        ("i = -3;", "i#1 = -3;"),
        ("i++, --i;", "i#1++, --i#1;"),
        ("p += i;", "p#3 += i#1;"),
        ("i = p - (p - 1);", "i#1 = ((i32)(p#3 - (p#3 - 1)));"),
        ("(b ? i : u) = 1;", "b#4 ? i#1 : u#5 = 1;"),
        ("1[p] = 2;", "p#3[1] = 2;"),
        ("i = ({ int t = i; t; });", "i#1 = ({ { i32 t#6 = i#1; t#6; } });"),
    ],
)
def test_operators(body, statement, line):
    assert body(f"void f(int i, double d, int *p, bool b, int u) {{ {statement} }}") == [line]


@pytest.mark.parametrize(
    ("statement", "type_"),
    [
        ("c += 3.7;", F64),
        ("c += 1;", I32),
        ("c <<= 2ul;", I32),
        ("i += 2.0f;", ScalarType(Scalar.F32)),
        ("f *= i;", ScalarType(Scalar.F32)),
        ("u += 1l;", ScalarType(Scalar.I64)),
    ],
)
def test_compound_assignment_computes_in_the_common_type(function, nodes, statement, type_):
    found = function(f"void f(unsigned char c, int i, float f, unsigned u) {{ {statement} }}")
    [assign] = nodes(found, CompoundAssign)
    assert assign.computation_type == type_


def test_common_type_of_equal_sizes_is_unsigned():
    signed, unsigned = ScalarType(Scalar.I64), ScalarType(Scalar.U64)
    assert common_type(signed, unsigned) == unsigned
    assert common_type(ScalarType(Scalar.U32), signed) == signed
    assert common_type(ScalarType(Scalar.U8), ScalarType(Scalar.I16)) == I32
    assert common_type(ScalarType(Scalar.F16), ScalarType(Scalar.I64)) == ScalarType(Scalar.F16)


def test_two_dimensional_array_keeps_the_array_as_base(body):
    assert body("void f() { int a[2][3]; a[1][2] = 4; }")[-1] == "a#1[1][2] = 4;"


def test_truth_values_of_c_are_integers_outside_of_conditions(body):
    text = "int f(int a, int *p) { int r = (a < 2) + !p; if (a && p) r = a ? 1 : 2; while (a == 3) a--; return r; }"
    assert body(text, path="t.c", language=None) == [
        "i32 r#3 = ((i32)(a#1 < 2)) + ((i32)(!((bool)p#2)));",
        "if (((bool)a#1) && ((bool)p#2))",
        "r#3 = (((bool)a#1) ? 1 : 2);",
        "for (; a#1 == 3; )",
        "a#1--;",
        "return r#3;",
    ]


def test_array_parameters_are_pointers(body):
    assert body("int *f(int a[8]) { a++; a += 2; return a + 1; }") == [
        "a#1++;",
        "a#1 += 2;",
        "return a#1 + 1;",
    ]


def test_a_row_of_variable_length_lies_so_many_elements_further_on(body):
    text = "float f(int n, int m, float a[n][2][m]) { return a[n][1][3]; }"
    row = "*((f32[][]*)(((f32*)a#3) + (((i64)n#1) * (((i64)2) * ((i64)m#2)))))"
    element = f"(*((f32[]*)(((f32*)({row})) + (((i64)1) * ((i64)m#2)))))[3]"
    assert body(text, path="a.c", language=Language.OPENMP) == [f"return {element};"]
