"""Half and bfloat16 intrinsics, scalar and packed.

A scalar half is a register of its own type, a packed pair one 32-bit register. Sums and products become ordinary
operations, so that they contract as the compiler contracts them; the rest is named as the cost tables name it, with
`packed.` in front for pairs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import RecordType, Scalar
from clang_queries.quick_pattern import pattern
from roofstat.program.code import Op
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.link import HALF_RECORDS, PACKED_RECORDS
from roofstat.program.memory_access import load_place, place_address, store_place
from roofstat.program.records import record_place

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context

_MATH = pattern(
    r"_?_?h2?(?P<all>b?)(?P<operation>add|sub|mul|div|fma|cmadd|neg|abs|sqrt|rsqrt|rcp|exp10|exp2|exp|log10|log2|log"
    r"|sin|cos|tanh_approx|tanh|floor|ceil|trunc|rint|max|min|eq|ne|lt|le|gt|ge|isnan|isinf)(?P<rest>\w*)"
)
_EIGHT_BITS = pattern(r"__\w+_to_e[45]m[23](?:x[24])?|__e[45]m[23](?:x2)?_to_half2?")
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf"})
_ARITHMETIC = {"add": Op.ADD, "sub": Op.SUB, "mul": Op.MUL, "neg": Op.NEG}
_TO_FLOATS = frozenset({"__half22float2", "__bfloat1622float2"})
_TO_FLOAT = {"__low2float": "to_float", "__high2float": "to_float.high"}
_FROM_FLOATS = pattern(
    r"__float(?:s2|22|2)(?:half2|bfloat162)_rn"
)  # two floats, a pair of floats, one float for both
_PERMUTATIONS = pattern(
    r"__(?:lows?|highs?)2(?:half2?|bfloat162?)|__half2half2|__bfloat162bfloat162|__halves2(?:half2|bfloat162)"
    r"|__lowhigh2highlow|make_(?:half2|bfloat162)"
)


def lower_half_intrinsic(context: Context, name: str, call: Call) -> int | None:
    """Lower an intrinsic with a half among its operands and result; None where it is not known here.

    Returns:
        The register of the result; for records the address where it is.
    """
    element = _element(call)
    if element is None:
        return None
    if name in _TO_FLOATS:
        return _both_as_floats(context, call, element)
    if name in _TO_FLOAT:
        value = _operand(context, call.arguments[0])
        context.builder.position = call.position
        return context.builder.value(
            Op.MATH, Scalar.F32, value, scalar=element, detail=_TO_FLOAT[name]
        )
    if _FROM_FLOATS.fullmatch(name):
        kind = "bfloat162" if element is Scalar.BF16 else "half2"
        values = _floats(context, call.arguments)
        context.builder.position = call.position
        return _result(
            context,
            call.type,
            context.builder.value(
                Op.MATH, Scalar.U32, *values, scalar=Scalar.F32, detail=f"to_{kind}"
            ),
        )
    if _PERMUTATIONS.fullmatch(name):
        return _emit(context, call, "packed.permute", element)
    found = _MATH.fullmatch(name)
    return None if found is None else _math(context, call, found, element)


def lower_eight_bit_conversion(context: Context, name: str, call: Call) -> int | None:
    """Lower a conversion from or to eight-bit floats, which the bundled header names as the cost tables do."""
    scalar = context.program.scalar_of(call.type)
    if scalar is None or not _EIGHT_BITS.fullmatch(name):
        return None
    values = [_operand(context, argument) for argument in call.arguments]
    context.builder.position = call.position
    return context.builder.value(Op.MATH, scalar, *values, detail=name)


def _element(call: Call) -> Scalar | None:
    """F16 or BF16, where one is involved."""
    for type_ in (*(argument.type for argument in call.arguments), call.type):
        name = type_.name if isinstance(type_, RecordType) else ""
        if name in HALF_RECORDS or name in PACKED_RECORDS:
            return Scalar.BF16 if "bfloat" in name else Scalar.F16
    return None


def _math(context: Context, call: Call, found: re.Match[str], element: Scalar) -> int:
    operation = found["operation"]
    if operation == "cmadd":  # a complex multiply-add is two packed ones
        _emit(context, call, "fma", element)
        return _emit(context, call, "fma", element)
    packed = any(_is_packed(argument.type) for argument in call.arguments)
    if operation in _COMPARISONS:
        operation = "less"
        if packed and found["all"]:
            operation = "all_less"
        elif packed and found["rest"].endswith("_mask"):
            operation = "less_mask"
    elif operation in _ARITHMETIC or operation in ("fma", "abs", "max", "min"):
        return _emit(context, call, operation, element)
    return _emit(context, call, f"packed.{operation}" if packed else operation, element)


def _emit(context: Context, call: Call, name: str, element: Scalar) -> int:
    builder = context.builder
    values = [_operand(context, argument) for argument in call.arguments]
    builder.position = call.position
    op = _ARITHMETIC.get(name, Op.MATH)
    detail = None if op is not Op.MATH else name
    scalar = context.program.scalar_of(call.type)
    if scalar is not None:
        return builder.value(op, scalar, *values, scalar=element, detail=detail)
    word = builder.value(op, Scalar.U32, *values, scalar=element, detail=detail)
    return _result(context, call.type, word)


def _is_packed(type_: Type) -> bool:
    return isinstance(type_, RecordType) and type_.name in PACKED_RECORDS


def _operand(context: Context, argument: Expr) -> int:
    """A scalar, or a pair in one register."""
    if context.program.scalar_of(argument.type) is not None:
        return lower_value(context, argument)
    return load_place(context, record_place(context, argument), Scalar.U32)


def _floats(context: Context, arguments: tuple[Expr, ...]) -> list[int]:
    if all(context.program.scalar_of(argument.type) is not None for argument in arguments):
        return [lower_value(context, argument) for argument in arguments]
    place = record_place(context, arguments[0])
    return [load_place(context, place.part(offset), Scalar.F32) for offset in (0, 4)]


def _both_as_floats(context: Context, call: Call, element: Scalar) -> int:
    builder = context.builder
    word = _operand(context, call.arguments[0])
    builder.position = call.position
    place = _temporary(context, call.type)
    for offset, half in ((0, "to_float"), (4, "to_float.high")):
        value = builder.value(Op.MATH, Scalar.F32, word, scalar=element, detail=half)
        store_place(context, place.part(offset), value, Scalar.F32)
    return place_address(context, place)


def _temporary(context: Context, type_: Type) -> Place:
    size = max(type_.size_bytes, 4)
    return Place(
        context.builder.slot_address(context.builder.local_slot("", size, host=context.is_host))
    )


def _result(context: Context, type_: Type, word: int) -> int:
    place = _temporary(context, type_)
    store_place(context, place, word, Scalar.U32)
    return place_address(context, place)
