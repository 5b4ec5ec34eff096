"""The math library, the intrinsics, half precision, warp operations and random numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cost_cases import FLOATS, SIGNED, SIGNED_PAIRS, TRIPLES, Case, Sample

_UNIT: tuple[Sample, ...] = ((0.37,), (0.81,), (0.12,), (0.64,))
_SIGNED_UNIT: tuple[Sample, ...] = ((0.37,), (-0.81,), (0.12,), (-0.34,))
_POSITIVE: tuple[Sample, ...] = ((0.37,), (1.7,), (2.9,), (23.5,))
_ABOVE_ONE: tuple[Sample, ...] = ((1.2,), (1.7,), (2.9,), (23.5,))
_ANGLES: tuple[Sample, ...] = ((0.37,), (-1.7,), (2.9,), (17.3,))
_PAIRS: tuple[Sample, ...] = ((1.7, 2.3), (0.4, 3.1), (12.5, 0.7), (2.9, 1.9))
_HUGE: tuple[Sample, ...] = ((3.0e6,), (-7.5e7,))
_HUGE_DOUBLE: tuple[Sample, ...] = ((3.0e12,), (-7.5e15,))

# name -> (ordinary arguments, expected value in terms of Python's math and scipy-free formulas)
_UNARY: dict[str, tuple[Sequence[Sample], str | None]] = {
    "sqrt": (_POSITIVE, "math.sqrt(a)"),
    "rsqrt": (_POSITIVE, "1 / math.sqrt(a)"),
    "cbrt": (SIGNED, "math.copysign(abs(a) ** (1 / 3), a)"),
    "rcbrt": (_POSITIVE, "a ** (-1 / 3)"),
    "exp": (SIGNED, "math.exp(a)"),
    "exp2": (SIGNED, "2.0**a"),
    "exp10": (SIGNED, "10.0**a"),
    "expm1": (SIGNED, "math.expm1(a)"),
    "log": (_POSITIVE, "math.log(a)"),
    "log2": (_POSITIVE, "math.log2(a)"),
    "log10": (_POSITIVE, "math.log10(a)"),
    "log1p": (_POSITIVE, "math.log1p(a)"),
    "logb": (_POSITIVE, None),
    "ilogb": (_POSITIVE, None),
    "sin": (_ANGLES, "math.sin(a)"),
    "cos": (_ANGLES, "math.cos(a)"),
    "tan": (_ANGLES, "math.tan(a)"),
    "sinpi": (_ANGLES, "math.sin(math.pi * a)"),
    "cospi": (_ANGLES, "math.cos(math.pi * a)"),
    "asin": (_SIGNED_UNIT, "math.asin(a)"),
    "acos": (_SIGNED_UNIT, "math.acos(a)"),
    "atan": (SIGNED, "math.atan(a)"),
    "sinh": (SIGNED, "math.sinh(a)"),
    "cosh": (SIGNED, "math.cosh(a)"),
    "tanh": (SIGNED, "math.tanh(a)"),
    "asinh": (SIGNED, "math.asinh(a)"),
    "acosh": (_ABOVE_ONE, "math.acosh(a)"),
    "atanh": (_SIGNED_UNIT, "math.atanh(a)"),
    "erf": (SIGNED, "math.erf(a)"),
    "erfc": (SIGNED, "math.erfc(a)"),
    "erfcx": (SIGNED, "math.exp(a * a) * math.erfc(a)"),
    "erfinv": (_SIGNED_UNIT, None),
    "erfcinv": (_UNIT, None),
    "normcdf": (SIGNED, "0.5 * math.erfc(-a / math.sqrt(2))"),
    "normcdfinv": (_UNIT, None),
    "tgamma": (_POSITIVE, "math.gamma(a)"),
    "lgamma": (_POSITIVE, "math.lgamma(a)"),
    "j0": (_POSITIVE, None),
    "j1": (_POSITIVE, None),
    "y0": (_POSITIVE, None),
    "y1": (_POSITIVE, None),
    "floor": (SIGNED, "math.floor(a)"),
    "ceil": (SIGNED, "math.ceil(a)"),
    "round": (SIGNED, "math.floor(abs(a) + 0.5) * math.copysign(1, a)"),
    "rint": (SIGNED, "round(a)"),
    "nearbyint": (SIGNED, "round(a)"),
    "trunc": (SIGNED, "math.trunc(a)"),
    "fabs": (SIGNED, "abs(a)"),
    "lrint": (SIGNED, "round(a)"),
    "lround": (SIGNED, "math.floor(abs(a) + 0.5) * math.copysign(1, a)"),
    "llrint": (SIGNED, "round(a)"),
    "llround": (SIGNED, "math.floor(abs(a) + 0.5) * math.copysign(1, a)"),
}
_INTEGER_RESULT = {
    "ilogb": "int32",
    "lrint": "int64",
    "lround": "int64",
    "llrint": "int64",
    "llround": "int64",
}
_BINARY: dict[str, tuple[Sequence[Sample], str | None]] = {
    "pow": (_PAIRS, "a**b"),
    "atan2": (SIGNED_PAIRS, "math.atan2(a, b)"),
    "hypot": (SIGNED_PAIRS, "math.hypot(a, b)"),
    "rhypot": (SIGNED_PAIRS, "1 / math.hypot(a, b)"),
    "fmod": (((1.7, 2.3), (9.5, 3.1), (12.5, 0.7), (2.9, 1.9)), "math.fmod(a, b)"),
    "remainder": (((1.7, 2.3), (9.5, 3.1), (12.5, 0.7), (2.9, 1.9)), "math.remainder(a, b)"),
    "copysign": (SIGNED_PAIRS, "math.copysign(a, b)"),
    "fmin": (SIGNED_PAIRS, "min(a, b)"),
    "fmax": (SIGNED_PAIRS, "max(a, b)"),
    "fdim": (SIGNED_PAIRS, "max(a - b, 0.0)"),
    "nextafter": (_PAIRS, None),
}
_SLOW: dict[str, tuple[Sequence[Sample], Sequence[Sample]]] = {
    "sqrt": (((1e-40,),), ((1e-310,),)),
    "rsqrt": (((1e-40,),), ((1e-310,),)),
    "exp": (((-95.0,), (100.0,)), ((-740.0,), (720.0,))),
    "log": (((1e-40,),), ((1e-310,),)),
    "log2": (((1e-40,),), ((1e-310,),)),
    "log10": (((1e-40,),), ((1e-310,),)),
    "sin": (_HUGE, _HUGE_DOUBLE),
    "cos": (_HUGE, _HUGE_DOUBLE),
    "tan": (_HUGE, _HUGE_DOUBLE),
    "sincos": (_HUGE, _HUGE_DOUBLE),
    "tgamma": (((-2.7,), (-0.4,)), ((-2.7,), (-0.4,))),
    "lgamma": (((-2.7,), (-0.4,)), ((-2.7,), (-0.4,))),
    "pow": (((0.0, 2.0), (-3.0, 2.0)), ((0.0, 2.0), (-3.0, 2.0))),
    "fmod": (((1e20, 3.1),), ((1e40, 3.1),)),
    "erfc": (((7.5,),), ((9.5,),)),
}


def _suffixed(name: str, kind: str) -> str:
    return f"{name}f" if kind == "float" else name


def library() -> Iterator[Case]:
    """math.h in single and double precision."""
    for kind in FLOATS:
        column = 0 if kind == "float" else 1
        one = "1.0f" if kind == "float" else "1.0"
        for name, (samples, value) in _UNARY.items():
            yield Case(
                function=name,
                scalar=kind,
                operands=(kind,),
                result=_INTEGER_RESULT.get(name, kind),
                body=f"r = {_suffixed(name, kind)}(a);",
                samples=tuple(samples),
                slow=tuple(_SLOW[name][column]) if name in _SLOW else (),
                value=value,
            )
        for name, (samples, value) in _BINARY.items():
            yield Case(
                function=name,
                scalar=kind,
                operands=(kind, kind),
                result=kind,
                body=f"r = {_suffixed(name, kind)}(a, b);",
                samples=tuple(samples),
                slow=tuple(_SLOW[name][column]) if name in _SLOW else (),
                value=value,
            )
        for name in ("sincos", "sincospi"):
            yield Case(
                function=name,
                scalar=kind,
                operands=(kind,),
                result=kind,
                result2=kind,
                body=f"{_suffixed(name, kind)}(a, &r, &r2);",
                samples=_ANGLES,
                slow=tuple(_SLOW[name][column]) if name in _SLOW else (),
                value="math.sin(a)" if name == "sincos" else None,
            )
        yield Case(
            function="modf",
            scalar=kind,
            operands=(kind,),
            result=kind,
            result2=kind,
            body=f"r = {_suffixed('modf', kind)}(a, &r2);",
            samples=SIGNED,
            value="math.modf(a)[0]",
        )
        yield Case(
            function="frexp",
            scalar=kind,
            operands=(kind,),
            result=kind,
            result2="int32",
            body=f"r = {_suffixed('frexp', kind)}(a, &r2);",
            samples=SIGNED,
            value="math.frexp(a)[0]",
        )
        with_integer = ((1.7, 3), (0.4, 5), (12.5, -2))
        for name in ("ldexp", "scalbn", "powi"):
            spelled = "powif" if (name, kind) == ("powi", "float") else _suffixed(name, kind)
            yield Case(
                function=name,
                scalar=kind,
                operands=(kind, "int32"),
                result=kind,
                body=f"r = {spelled}(a, b);",
                samples=with_integer,
                value="a**b" if name == "powi" else "math.ldexp(a, b)",
            )
        yield Case(
            function="pow_integer",
            scalar=kind,
            operands=(kind, "int32"),
            result="double" if kind == "float" else kind,
            body="r = std::pow(a, b);",
            samples=with_integer,
            value="a**b",
        )
        constants = {"2": "2", "3": "3", "4": "4", "minus_1": "-1", "0_5": "0.5", "1_5": "1.5"}
        for label, exponent in constants.items():
            yield Case(
                function=f"pow_by_{label}",
                scalar=kind,
                operands=(kind,),
                result=kind,
                body=f"r = {_suffixed('pow', kind)}(a, {exponent} * {one});",
                samples=_POSITIVE,
                value=f"a**{exponent}",
            )
        for exponent in ("2", "3"):
            yield Case(
                function=f"pow_by_integer_{exponent}",
                scalar=kind,
                operands=(kind,),
                result=kind,
                body=f"r = std::pow(a, {exponent});",
                samples=_POSITIVE,
                value=f"a**{exponent}",
            )
        for name in ("isnan", "isinf", "isfinite", "signbit"):
            yield Case(
                function=name,
                scalar=kind,
                operands=(kind,),
                result="int32",
                body=f"r = {name}(a);",
                samples=SIGNED,
            )
        yield Case(
            function="fma",
            scalar=kind,
            operands=(kind,) * 3,
            result=kind,
            body=f"r = {_suffixed('fma', kind)}(a, b, c);",
            samples=TRIPLES,
            value="a * b + c",
        )
        for name, count in (("norm3d", 3), ("norm4d", 4), ("rnorm3d", 3)):
            yield Case(
                function=name,
                scalar=kind,
                operands=(kind,) * count,
                result=kind,
                body=f"r = {_suffixed(name, kind)}({', '.join('abcd'[:count])});",
                samples=((1.7, 2.3, 0.5, 0.25)[:count], (0.4, 3.1, -2.0, 1.5)[:count]),
            )


def intrinsics() -> Iterator[Case]:
    """Single- and double-precision intrinsics."""
    one_float = {
        "__expf": SIGNED,
        "__exp10f": SIGNED,
        "__logf": _POSITIVE,
        "__log2f": _POSITIVE,
        "__log10f": _POSITIVE,
        "__sinf": _ANGLES,
        "__cosf": _ANGLES,
        "__tanf": _ANGLES,
        "__saturatef": SIGNED,
        "__frcp_rn": SIGNED,
        "__fsqrt_rn": _POSITIVE,
        "__frsqrt_rn": _POSITIVE,
    }
    for name, samples in one_float.items():
        yield _float_intrinsic(name, "float", 1, samples)
    for name in ("__fadd_rn", "__fmul_rn", "__fdiv_rn", "__powf", "__fdividef"):
        yield _float_intrinsic(name, "float", 2, _PAIRS)
    yield _float_intrinsic("__fmaf_rn", "float", 3, TRIPLES)
    for name in ("__dadd_rn", "__dmul_rn", "__ddiv_rn"):
        yield _float_intrinsic(name, "double", 2, _PAIRS)
    for name in ("__dsqrt_rn", "__drcp_rn"):
        yield _float_intrinsic(name, "double", 1, _POSITIVE)
    yield _float_intrinsic("__fma_rn", "double", 3, TRIPLES)
    yield Case(
        function="__sincosf",
        scalar="float",
        operands=("float",),
        result="float",
        result2="float",
        body="__sincosf(a, &r, &r2);",
        samples=_ANGLES,
        value="math.sin(a)",
    )
    casts = (
        ("__float2int_rn", "float", "int32"),
        ("__float2int_rz", "float", "int32"),
        ("__float2int_rd", "float", "int32"),
        ("__float2uint_rn", "float", "uint32"),
        ("__float2ll_rn", "float", "int64"),
        ("__int2float_rn", "int32", "float"),
        ("__uint2float_rn", "uint32", "float"),
        ("__ll2float_rn", "int64", "float"),
        ("__double2int_rn", "double", "int32"),
        ("__double2float_rn", "double", "float"),
        ("__int2double_rn", "int32", "double"),
        ("__ll2double_rn", "int64", "double"),
        ("__float_as_int", "float", "int32"),
        ("__int_as_float", "int32", "float"),
        ("__double_as_longlong", "double", "int64"),
        ("__longlong_as_double", "int64", "double"),
        ("__double2hiint", "double", "int32"),
        ("__double2loint", "double", "int32"),
    )
    for name, source, target in casts:
        values: tuple[Sample, ...] = ((3.75,), (41.5,)) if source in FLOATS else ((3,), (41,))
        yield Case(
            function=name,
            scalar=source,
            operands=(source,),
            result=target,
            body=f"r = {name}(a);",
            samples=values,
        )
    yield Case(
        function="__hiloint2double",
        scalar="double",
        operands=("int32", "int32"),
        result="double",
        body="r = __hiloint2double(a, b);",
        samples=((0x40000000, 5),),
    )


def _float_intrinsic(name: str, kind: str, count: int, samples: Sequence[Sample]) -> Case:
    return Case(
        function=name,
        scalar=kind,
        operands=(kind,) * count,
        result=kind,
        body=f"r = {name}({', '.join('abc'[:count])});",
        samples=tuple(samples),
    )


def half_precision() -> Iterator[Case]:
    """Half, packed half and bfloat16."""
    for kind in ("half", "half2", "bfloat16"):
        two = kind == "half2"
        pre = "__h2" if two else "__h"
        compilers = ("nvcc",) if kind == "bfloat16" else ("nvcc", "clang")
        arithmetic = {
            "add": f"__hadd{'2' if two else ''}(a, b)",
            "sub": f"__hsub{'2' if two else ''}(a, b)",
            "mul": f"__hmul{'2' if two else ''}(a, b)",
            "div": f"{pre}div(a, b)" if two else "__hdiv(a, b)",
        }
        for name, body in arithmetic.items():
            yield _half(name, kind, 2, body, compilers)
        yield _half("fma", kind, 3, f"__hfma{'2' if two else ''}(a, b, c)", compilers)
        functions = ("exp", "exp2", "exp10", "log", "log2", "log10", "sqrt", "rsqrt", "rcp")
        for name in (*functions, "sin", "cos", "floor", "ceil", "rint", "trunc"):
            yield _half(name, kind, 1, f"h{'2' if two else ''}{name}(a)", compilers)
    for kind in ("half", "bfloat16"):
        compilers = ("nvcc",) if kind == "bfloat16" else ("nvcc", "clang")
        yield _half("abs", kind, 1, "__habs(a)", compilers)
        yield _half("neg", kind, 1, "__hneg(a)", compilers)
        yield _half("min", kind, 2, "__hmin(a, b)", compilers)
        yield _half("max", kind, 2, "__hmax(a, b)", compilers)
        yield _half("less", kind, 2, "__hlt(a, b)", compilers, result="int32")
    yield Case(
        function="__halves2half2",
        scalar="half",
        operands=("half", "half"),
        result="half2",
        body="r = __halves2half2(a, b);",
        samples=((1.5, 2.5),),
    )
    yield _half("__low2half", "half2", 1, "__low2half(a)", ("nvcc", "clang"), result="half")
    yield _half("__high2half", "half2", 1, "__high2half(a)", ("nvcc", "clang"), result="half")
    yield Case(
        function="__float2half2_rn",
        scalar="float",
        operands=("float",),
        result="half2",
        body="r = __float2half2_rn(a);",
        samples=((1.5,),),
    )


def _half(
    name: str,
    kind: str,
    count: int,
    body: str,
    compilers: tuple[str, ...],
    result: str | None = None,
) -> Case:
    rows: tuple[Sample, ...] = ((1.5, 0.75, 0.5), (0.625, 2.5, 1.25))
    return Case(
        function=name,
        scalar=kind,
        operands=(kind,) * count,
        result=result or kind,
        body=f"r = {body};",
        samples=tuple(row[:count] for row in rows),
        compilers=compilers,
    )
