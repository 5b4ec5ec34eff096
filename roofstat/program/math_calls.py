"""Calls of the math library, and of intrinsics that compute with numbers alone."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import PointerType, Scalar
from clang_queries.quick_pattern import pattern
from roofstat.program.code import Op
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.half_intrinsics import lower_eight_bit_conversion, lower_half_intrinsic
from roofstat.program.memory_access import store_place
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, FunctionName
    from roofstat.program.context import Context

_MATH = frozenset(
    [
        "sqrt",
        "rsqrt",
        "cbrt",
        "rcbrt",
        "exp",
        "exp2",
        "exp10",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "logb",
        "ilogb",
        "pow",
        "sin",
        "cos",
        "tan",
        "sinpi",
        "cospi",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "hypot",
        "rhypot",
        "norm3d",
        "norm4d",
        "rnorm3d",
        "erf",
        "erfc",
        "erfinv",
        "erfcinv",
        "erfcx",
        "normcdf",
        "normcdfinv",
        "tgamma",
        "lgamma",
        "floor",
        "ceil",
        "round",
        "rint",
        "nearbyint",
        "trunc",
        "lround",
        "lrint",
        "llround",
        "llrint",
        "fmod",
        "remainder",
        "fabs",
        "abs",
        "labs",
        "llabs",
        "copysign",
        "fmin",
        "fmax",
        "fdim",
        "fma",
        "ldexp",
        "scalbn",
        "scalbln",
        "nextafter",
        "min",
        "max",
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "j0",
        "j1",
        "jn",
        "y0",
        "y1",
        "yn",
        "umin",
        "umax",
        "ullmin",
        "ullmax",
        "llmin",
        "llmax",
        "mad24",
        "mul24",
        "umul24",
        "powi",
    ]
)
"""Base names; the float form has an ``f`` suffix."""

_INTEGER_RESULT = frozenset(
    {"isnan", "isinf", "isfinite", "signbit", "ilogb", "lround", "lrint", "llround", "llrint"}
)

_PLAIN_NAMES = {
    "fabs": "abs",
    "labs": "abs",
    "llabs": "abs",
    "fmin": "min",
    "umin": "min",
    "llmin": "min",
    "ullmin": "min",
    "fmax": "max",
    "umax": "max",
    "llmax": "max",
    "ullmax": "max",
}
"""What the cost tables call those that are the same for all types."""

_INTRINSIC_MATH = pattern(
    r"__(?:expf|exp10f|logf|log2f|log10f|sinf|cosf|tanf|powf|fdividef|saturatef|tanhf"
    r"|[fd](?:add|sub|mul|div|ma|maf|rcp|sqrt|rsqrt)_r[nzud]|fmaf_r[nzud]|fma_r[nzud]|frsqrt_rn|frcp_r[nzud]"
    r"|fsqrt_r[nzud]|dsqrt_r[nzud]|drcp_r[nzud]"
    r"|popc|popcll|clz|clzll|ffs|ffsll|brev|brevll|byte_perm|funnelshift_[lr]c?|mul24|umul24|mulhi|umulhi|mul64hi"
    r"|umul64hi|sad|usad|hadd|rhadd|uhadd|urhadd|dp[24]a\w*|v\w+[24]|vi\w+)"
)
_CONVERSION = pattern(
    r"__(float|double|int|uint|ll|ull|half|short|ushort|bfloat16|low2?half\w*|high2?half\w*)2"
    r"(int|uint|ll|ull|float|double|half|short|ushort|char|uchar|bfloat16)(?:_r[nzud])?"
)
_BIT_CASTS = pattern(
    r"__(?:int_as_float|uint_as_float|float_as_int|float_as_uint|longlong_as_double|double_as_longlong"
    r"|(?:half|bfloat16)_as_u?short|u?short_as_(?:half|bfloat16))"
)
_WORDS_OF_DOUBLE = frozenset({"__double2hiint", "__double2loint", "__hiloint2double"})
_INTEGER_NAMES = {
    "__popc": "popc",
    "__popcll": "popc",
    "popcount": "popc",
    "popcountl": "popc",
    "popcountll": "popc",
    "__clz": "clz",
    "__clzll": "clz",
    "clz": "clz",
    "clzl": "clz",
    "clzll": "clz",
    "__ffs": "ffs",
    "__ffsll": "ffs",
    "ffs": "ffs",
    "ffsl": "ffs",
    "ffsll": "ffs",
    "__brev": "brev",
    "__brevll": "brev",
    "__mulhi": "mulhi",
    "__umulhi": "mulhi",
    "__mul64hi": "mulhi",
    "__umul64hi": "mulhi",
    "mulhi": "mulhi",
    "umulhi": "mulhi",
    "__funnelshift_lc": "__funnelshift_l",
    "__funnelshift_rc": "__funnelshift_r",
    "__usad": "__sad",
    "__uhadd": "__hadd",
    "__urhadd": "__rhadd",
}
"""Intrinsics and compiler builtins by the name that the cost tables use; the operand's type tells them apart."""
_TRAILING_ZEROS = frozenset({"ctz", "ctzl", "ctzll"})


def _canonical_intrinsic(name: str) -> str:
    """One name for all rounding modes and signs of an intrinsic."""
    found = _INTEGER_NAMES.get(name)
    if found is not None:
        return found
    name = re.sub(r"_r[zud]$", "_rn", name)
    name = re.sub(
        r"^__dp([24])a\w*$", lambda match: "__dp4a" if match.group(1) == "4" else "__dp2a_lo", name
    )
    return {"__frsqrt_rn": "__frsqrt_rn", "__tanhf": "tanh"}.get(name, name)


def lower_math_function(
    context: Context, name: str, callee: FunctionName, call: Call
) -> int | None:
    """Lower a call of what host code may call, too; None for other functions."""
    constant = _floating_constant(context, callee, call)
    if constant is not None:
        return constant
    function = math_name(name)
    if function is not None and call.arguments:
        return _math(context, function, call)
    if name in ("sincos", "sincosf", "__sincosf", "sincospi", "sincospif"):
        function = name if name.startswith("__") else name.removesuffix("f")
        return _two_results(context, function, call)
    if name in ("frexp", "frexpf", "modf", "modff", "remquo", "remquof"):
        return _outputs_last(context, name.removesuffix("f") if name != "modf" else name, call)
    return None


def lower_math_intrinsic(context: Context, name: str, call: Call) -> int | None:
    """Lower a call of an intrinsic of device code; None for other functions."""
    builder = context.builder
    arguments = call.arguments
    if _BIT_CASTS.fullmatch(name):
        value = lower_value(context, arguments[0])
        scalar = context.program.scalar_of(call.type) or Scalar.U32
        return builder.value(Op.BITCAST, scalar, value, detail=builder.register_types[value])
    if _CONVERSION.fullmatch(name) and len(arguments) == 1:
        target = context.program.scalar_of(call.type)
        if target is not None:
            return convert(context, lower_value(context, arguments[0]), target)
    if name in _WORDS_OF_DOUBLE:
        values = [lower_value(context, argument) for argument in arguments]
        scalar = context.program.scalar_of(call.type) or Scalar.F64
        return builder.value(Op.MATH, scalar, *values, scalar=Scalar.F64, detail="packed.permute")
    if name.startswith("__vib"):
        return _extreme_and_which(context, name, call)
    half = lower_half_intrinsic(context, name, call)
    if half is None:
        half = lower_eight_bit_conversion(context, name, call)
    if half is not None:
        return half
    if name == "__cq_evenly":  # of the bundled headers: any word, each equally likely
        return builder.value(
            Op.MATH, Scalar.U32, lower_value(context, arguments[0]), detail="evenly"
        )
    if name in _TRAILING_ZEROS:
        bit = _generic_math(context, "ffs", call)
        return builder.value(Op.ADD, Scalar.I32, bit, builder.constant(-1, Scalar.I32))
    if name in _INTEGER_NAMES or _INTRINSIC_MATH.fullmatch(name):
        return _generic_math(context, _canonical_intrinsic(name), call)
    return None


_INFINITE = pattern(r"__builtin_(?:inf|huge_val)(?:f|l|f16|f128)?")
_NOT_A_NUMBER = pattern(r"(?:__builtin_|std::)?nans?(?:f|l|f16|f128)?")


def _floating_constant(context: Context, callee: FunctionName, call: Call) -> int | None:
    """What `INFINITY`, `HUGE_VAL` and `NAN` are made of."""
    scalar = context.program.scalar_of(call.type)
    if scalar is None or not scalar.is_float:
        return None
    if _INFINITE.fullmatch(callee.name):
        return context.builder.constant(math.inf, scalar)
    if _NOT_A_NUMBER.fullmatch(callee.name):
        return context.builder.constant(math.nan, scalar)
    return None


def math_name(name: str) -> str | None:
    """What a name of the math library computes, without the letter of its type; None for other names."""
    if name in _MATH:
        return name
    for suffix in ("f", "l"):
        base = name.removesuffix(suffix)
        if base != name and base in _MATH:
            return base
    return None


def _math(context: Context, name: str, call: Call) -> int:
    builder = context.builder
    result = context.program.scalar_of(call.type) or Scalar.F64
    values = [lower_value(context, argument) for argument in call.arguments]
    builder.position = call.position
    if name in _INTEGER_RESULT:
        operand_type = builder.register_types[values[0]]
        return builder.value(Op.MATH, result, *values, scalar=operand_type, detail=name)
    if name in ("ldexp", "scalbn", "scalbln", "jn", "yn", "powi"):
        values[0] = convert(context, values[0], result)
    else:
        values = [convert(context, value, result) for value in values]
    name = _PLAIN_NAMES.get(name, name)
    if result is Scalar.F64 and name in ("min", "max"):
        name = f"f{name}"  # takes care of NaN, other than the choice that `std::max` is
    return builder.value(Op.MATH, result, *values, detail=name)


def _generic_math(context: Context, name: str, call: Call) -> int:
    builder = context.builder
    values = [lower_value(context, argument) for argument in call.arguments]
    builder.position = call.position
    scalar = context.program.scalar_of(call.type) or Scalar.I32
    operand_type = builder.register_types[values[0]] if values else scalar
    return builder.value(Op.MATH, scalar, *values, scalar=operand_type, detail=name)


def _two_results(context: Context, name: str, call: Call) -> int:
    """`sincos(x, &sine, &cosine)`: both results go where pointers say."""
    builder = context.builder
    first, *outputs = call.arguments
    operand = lower_value(context, first)
    scalar = builder.register_types[operand]
    for number, output in enumerate(outputs):
        pointer = lower_value(context, output)
        pointee = output.type.pointee if isinstance(output.type, PointerType) else call.type
        stored = context.program.scalar_of(pointee) or scalar
        builder.position = call.position
        value = builder.value(
            Op.MATH,
            stored,
            operand,
            scalar=scalar,
            detail=name if number == 0 else f"{name}.second",
        )
        store_place(context, Place(pointer), value, stored)
    return -1


def _outputs_last(context: Context, name: str, call: Call) -> int:
    builder = context.builder
    values = [lower_value(context, argument) for argument in call.arguments]
    scalar = context.program.scalar_of(call.type) or Scalar.F64
    builder.position = call.position
    result = builder.value(Op.MATH, scalar, *values[:-1], detail=name)
    last = call.arguments[-1].type
    stored = context.program.scalar_of(last.pointee) if isinstance(last, PointerType) else None
    second = builder.value(
        Op.MATH, stored or scalar, *values[:-1], scalar=scalar, detail=f"{name}.second"
    )
    store_place(context, Place(values[-1]), second, stored or scalar)
    return result


def _extreme_and_which(context: Context, name: str, call: Call) -> int:
    """`__vibmax_s32(a, b, &first)`: an extreme, and for each of its parts whether it is the first operand's."""
    builder = context.builder
    values = [lower_value(context, argument) for argument in call.arguments]
    scalar = context.program.scalar_of(call.type) or Scalar.U32
    builder.position = call.position
    result = builder.value(Op.MATH, scalar, *values[:2], detail=name)
    for pointer in values[2:]:
        which = builder.value(
            Op.MATH, Scalar.BOOL, *values[:2], scalar=scalar, detail=f"{name}.second"
        )
        store_place(context, Place(pointer), which, Scalar.BOOL)
    return result
