"""Functions that the machine and the cost tables know by name: math, atomics, shuffles, barriers, intrinsics."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import PointerType, Scalar
from roofstat.program.atomics import lower_atomic_object, lower_built_in_atomic
from roofstat.program.code import LibraryCall, Op, SpecialRegister
from roofstat.program.containers import lower_container_method
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.fragments import lower_fragment_function
from roofstat.program.half_intrinsics import lower_eight_bit_conversion, lower_half_intrinsic
from roofstat.program.memory_access import copy_record, load_place, store_place
from roofstat.program.memory_functions import lower_async_copy, lower_memory_function
from roofstat.program.places import place_address
from roofstat.program.records import record_place
from roofstat.program.register_arithmetic import convert
from roofstat.program.textures import lower_texture

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr, FunctionName
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

_INTRINSIC_MATH = re.compile(
    r"__(?:expf|exp10f|logf|log2f|log10f|sinf|cosf|tanf|powf|fdividef|saturatef|tanhf"
    r"|[fd](?:add|sub|mul|div|ma|maf|rcp|sqrt|rsqrt)_r[nzud]|fmaf_r[nzud]|fma_r[nzud]|frsqrt_rn|frcp_r[nzud]"
    r"|fsqrt_r[nzud]|dsqrt_r[nzud]|drcp_r[nzud]"
    r"|popc|popcll|clz|clzll|ffs|ffsll|brev|brevll|byte_perm|funnelshift_[lr]c?|mul24|umul24|mulhi|umulhi|mul64hi"
    r"|umul64hi|sad|usad|hadd|rhadd|uhadd|urhadd|dp[24]a\w*|v\w+[24]|vi\w+)"
)
_CONVERSION = re.compile(
    r"__(float|double|int|uint|ll|ull|half|short|ushort|bfloat16|low2?half\w*|high2?half\w*)2"
    r"(int|uint|ll|ull|float|double|half|short|ushort|char|uchar|bfloat16)(?:_r[nzud])?"
)
_BIT_CASTS = re.compile(
    r"__(?:int_as_float|uint_as_float|float_as_int|float_as_uint|longlong_as_double|double_as_longlong"
    r"|(?:half|bfloat16)_as_u?short|u?short_as_(?:half|bfloat16))"
)
_SHUFFLE = re.compile(r"__shfl(?:_(up|down|xor))?(?:_sync)?$")
_VOTE = re.compile(
    r"__(any|all|ballot|activemask|uni|match_any|match_all)(?:_sync)?$|__reduce_(\w+)_sync$"
)
_WORDS_OF_DOUBLE = frozenset({"__double2hiint", "__double2loint", "__hiloint2double"})
_BARRIERS = {
    "__syncthreads": "block",
    "__syncthreads_and": "block",
    "__syncthreads_or": "block",
    "__syncthreads_count": "block",
    "__syncwarp": "warp",
    "__threadfence": "fence",
    "__threadfence_block": "fence",
    "__threadfence_system": "fence",
    "__barrier_sync": "block",
}
_BLOCK_VOTES = {
    "__syncthreads_and": "block_all",
    "__syncthreads_or": "block_any",
    "__syncthreads_count": "block_count",
}
_CACHED_LOADS = frozenset({"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"})
_CACHED_STORES = frozenset({"__stwb", "__stcg", "__stcs", "__stwt"})
_CLOCKS = frozenset(
    {"clock", "clock64", "__clock", "__clock64", "wall_clock64", "__nanosleep", "__globaltimer"}
)
_IGNORED = frozenset(
    {
        "__builtin_assume",
        "__builtin_unreachable",
        "__assume",
        "__builtin_prefetch",
        "__builtin_assume_aligned",
    }
)


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


def _bare(name: str) -> str:
    return name.rsplit("::", 1)[-1].removeprefix("__builtin_").removeprefix("__nv_")


def lower_builtin(
    context: Context, callee: FunctionName, call: Call, target: Place | None, *, discard: bool
) -> int | None:
    """Lower a call of a function known by name; None where it is not one. Result as for `lower_call`."""
    name = _bare(callee.name)
    register = _lower_named(context, name, callee, call, discard=discard)
    if register is None or target is None:
        return register
    scalar = context.program.scalar_of(call.type)
    if scalar is not None and register >= 0:
        store_place(context, target, convert(context, register, scalar), scalar)
    elif register >= 0:
        copy_record(context, target, Place(register), call.type)
    return -1


def _lower_named(
    context: Context, name: str, callee: FunctionName, call: Call, *, discard: bool
) -> int | None:
    builder = context.builder
    arguments = call.arguments
    if callee.name in _IGNORED:
        return lower_value(context, arguments[0]) if name == "assume_aligned" else -1
    if name == "expect" and arguments:
        return lower_value(context, arguments[0])
    constant = _floating_constant(context, callee, call)
    if constant is not None:
        return constant
    function = math_name(name)
    if function is not None and arguments:
        return _math(context, function, call)
    if name in ("sincos", "sincosf", "__sincosf", "sincospi", "sincospif"):
        function = name if name.startswith("__") else name.removesuffix("f")
        return _two_results(context, function, call, arguments[:1], arguments[1:])
    if name in ("frexp", "frexpf", "modf", "modff", "remquo", "remquof"):
        return _outputs_last(context, name.removesuffix("f") if name != "modf" else name, call)
    atomic = lower_atomic_object(context, callee, call, discard=discard)
    if atomic is not None:
        return atomic
    if context.is_host:
        return None
    container = lower_container_method(context, callee, call)
    if container is not None:
        return container
    if _BIT_CASTS.fullmatch(name):
        value = lower_value(context, arguments[0])
        scalar = context.program.scalar_of(call.type) or Scalar.U32
        return builder.value(Op.BITCAST, scalar, value, detail=builder.register_types[value])
    conversion = _CONVERSION.fullmatch(name)
    if conversion and len(arguments) == 1:
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
    atomic = lower_built_in_atomic(context, name, call, discard=discard)
    if atomic is not None:
        return atomic
    shuffle = _SHUFFLE.match(name)
    if shuffle:
        return _shuffle(context, shuffle.group(1) or "idx", call, has_mask=name.endswith("_sync"))
    vote = _VOTE.match(name)
    if vote:
        kind = vote.group(1) or f"reduce_{vote.group(2)}"
        operands = [lower_value(context, item) for item in arguments]
        scalar = context.program.scalar_of(call.type) or Scalar.U32
        return builder.value(Op.VOTE, scalar, *operands[-1:], detail=kind)
    if name in _BARRIERS:
        operands = [lower_value(context, argument) for argument in arguments]
        builder.emit(Op.BARRIER, Scalar.VOID, detail=_BARRIERS[name])
        if context.program.scalar_of(call.type) is Scalar.VOID:
            return -1
        return builder.value(Op.VOTE, Scalar.I32, *operands[-1:], detail=_BLOCK_VOTES[name])
    if name == "sync" and "cooperative_groups" in callee.name:
        kind = "grid" if "grid" in callee.name else "block"
        builder.emit(Op.BARRIER, Scalar.VOID, detail=kind)
        return -1
    if name.startswith("omp_"):
        from roofstat.program.openmp import lower_query

        return lower_query(context, name)
    if name in _CLOCKS:
        scalar = context.program.scalar_of(call.type) or Scalar.I64
        return (
            -1
            if scalar is Scalar.VOID
            else builder.value(Op.SPECIAL, scalar, detail=SpecialRegister.CLOCK)
        )
    if name in _CACHED_LOADS:
        return _cached_load(context, call)
    if name in _CACHED_STORES:
        return _cached_store(context, call)
    if "wmma" in callee.name:
        return lower_fragment_function(context, name, call)
    if name in ("memcpy", "memmove", "memset") and len(arguments) == 3:
        return lower_memory_function(context, name, call)
    if name == "__pipeline_memcpy_async" and len(arguments) >= 3:
        return lower_async_copy(context, call)
    texture = lower_texture(context, name, call)
    if texture is not None:
        return texture
    if name in ("printf", "__assert_fail", "__assertfail", "__trap", "trap", "abort"):
        operands = [
            lower_value(context, item) for item in arguments if context.program.scalar_of(item.type)
        ]
        builder.value(Op.LIBRARY, Scalar.I32, *operands, detail=LibraryCall(name=name))
        return builder.constant(0, Scalar.I32)
    return None


_INFINITE = re.compile(r"__builtin_(?:inf|huge_val)(?:f|l|f16|f128)?")
_NOT_A_NUMBER = re.compile(r"(?:__builtin_|std::)?nans?(?:f|l|f16|f128)?")


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
    plain = {
        "fabs": "abs",
        "labs": "abs",
        "llabs": "abs",
        "umin": "min",
        "ullmin": "min",
        "llmin": "min",
    }
    plain |= {"umax": "max", "ullmax": "max", "llmax": "max", "fmin": "min", "fmax": "max"}
    name = plain.get(name, name)
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


def _two_results(
    context: Context, name: str, call: Call, inputs: tuple[Expr, ...], outputs: tuple[Expr, ...]
) -> int:
    builder = context.builder
    values = [lower_value(context, argument) for argument in inputs]
    scalar = builder.register_types[values[0]]
    for number, output in enumerate(outputs):
        pointer = lower_value(context, output)
        pointee = output.type.pointee if isinstance(output.type, PointerType) else call.type
        stored = context.program.scalar_of(pointee) or scalar
        builder.position = call.position
        value = builder.value(
            Op.MATH,
            stored,
            *values,
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


def _shuffle(context: Context, kind: str, call: Call, *, has_mask: bool) -> int:
    builder = context.builder
    arguments = call.arguments[1:] if has_mask else call.arguments
    if context.program.scalar_of(call.type) is None:
        return _shuffle_record(context, kind, call, arguments)
    values = [lower_value(context, argument) for argument in arguments]
    scalar = context.program.scalar_of(call.type) or builder.register_types[values[0]]
    builder.position = call.position
    return builder.value(Op.SHUFFLE, scalar, *values, detail=kind)


def _shuffle_record(context: Context, kind: str, call: Call, arguments: tuple[Expr, ...]) -> int:
    """A shuffle for each scalar part of a record."""
    builder = context.builder
    source = record_place(context, arguments[0])
    others = [lower_value(context, argument) for argument in arguments[1:]]
    index = builder.local_slot("", max(call.type.size_bytes, 1), host=context.is_host)
    target = Place(builder.slot_address(index))
    for leaf in context.program.leaves(call.type):
        value = load_place(context, source.part(leaf.offset_bytes), leaf.scalar)
        builder.position = call.position
        moved = builder.value(Op.SHUFFLE, leaf.scalar, value, *others, detail=kind)
        store_place(context, target.part(leaf.offset_bytes), moved, leaf.scalar)
    return place_address(context, target)


def _cached_load(context: Context, call: Call) -> int:
    builder = context.builder
    pointer = lower_value(context, call.arguments[0])
    from roofstat.program.forms import array_name

    place = Place(pointer, array=array_name(call.arguments[0]), is_read_only=True)
    scalar = context.program.scalar_of(call.type)
    if scalar is not None:
        return load_place(context, place, scalar)
    index = builder.local_slot("", max(call.type.size_bytes, 1), host=context.is_host)
    target = Place(builder.slot_address(index))
    copy_record(context, target, place, call.type)
    return place_address(context, target)


def _cached_store(context: Context, call: Call) -> int:
    pointer = lower_value(context, call.arguments[0])
    value = call.arguments[1]
    scalar = context.program.scalar_of(value.type)
    if scalar is not None:
        store_place(context, Place(pointer), lower_value(context, value), scalar)
    else:
        copy_record(context, Place(pointer), record_place(context, value), value.type)
    return -1
