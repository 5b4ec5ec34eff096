"""The printed IR."""

from ir_text import dump, text, type_name

from clang_queries.ir import expressions as ex, types as ty

_HERE = ex.Position("a.cu", 1, 1)


def test_types():
    assert type_name(ty.PointerType(ty.F32, is_const=True)) == "const f32*"
    assert type_name(ty.ArrayType(ty.ArrayType(ty.I32, 3), 2)) == "i32[2][3]"
    assert type_name(ty.PointerType(ty.FunctionType(ty.I32))) == "i32()*"


def test_nested_operators_are_parenthesised():
    x = ex.Variable(ty.I32, _HERE, "x#1", "x")
    one = ex.Constant(ty.I32, _HERE, 1)
    product = ex.Binary(
        ty.I32, _HERE, ex.BinaryOp.MUL, ex.Binary(ty.I32, _HERE, ex.BinaryOp.ADD, x, one), x
    )
    assert text(product) == "(x#1 + 1) * x#1"


def test_whole_function(function):
    found = function(
        "template <int N> __global__ void k(float *p, int n) { if (n < N) p[n] = 0; else { n++; return; } }"
        "void f(float *p) { k<3><<<1, 1>>>(p, 2); }",
        "k",
    )
    assert dump(found) == (
        "kernel void k(f32* p#1, i32 n#2)\n"
        "{\n"
        "  if (n#2 < 3)\n"
        "    p#1[n#2] = 0.0_f32;\n"
        "  else\n"
        "    n#2++;\n"
        "    return;\n"
        "}\n"
    )
