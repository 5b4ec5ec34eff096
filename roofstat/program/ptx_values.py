"""What PTX instructions compute from the values of their operands."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from roofstat.program.context import Context

PTX_TYPES = {
    "f16": Scalar.F16,
    "bf16": Scalar.BF16,
    "f16x2": Scalar.F16,
    "bf16x2": Scalar.BF16,
    "f32": Scalar.F32,
    "f64": Scalar.F64,
    "s8": Scalar.I8,
    "u8": Scalar.U8,
    "b8": Scalar.U8,
    "s16": Scalar.I16,
    "u16": Scalar.U16,
    "b16": Scalar.U16,
    "s32": Scalar.I32,
    "u32": Scalar.U32,
    "b32": Scalar.U32,
    "s64": Scalar.I64,
    "u64": Scalar.U64,
    "b64": Scalar.U64,
    "pred": Scalar.BOOL,
}
_PLAIN = {
    "add": Op.ADD,
    "sub": Op.SUB,
    "mul": Op.MUL,
    "div": Op.DIV,
    "rem": Op.REM,
    "and": Op.AND,
    "or": Op.OR,
    "xor": Op.XOR,
    "shl": Op.SHL,
    "shr": Op.SHR,
}
_FUNCTIONS = {
    "min": "min",
    "max": "max",
    "abs": "abs",
    "copysign": "copysign",
    "sin": "__sinf",
    "cos": "__cosf",
    "popc": "popc",
    "clz": "clz",
    "brev": "brev",
    "prmt": "__byte_perm",
    "mul24": "__mul24",
    "dp4a": "__dp4a",
    "sad": "__sad",
    "lop3": "ptx_lop3",
    "bfe": "ptx_bfe",
    "bfi": "ptx_bfi",
    "bfind": "ptx_bfind",
}
_ROUNDED = frozenset({"add", "sub", "mul", "rcp", "sqrt"})
"""With a rounding, additions and products are never contracted; roots and reciprocals are exact."""
_APPROXIMATE = frozenset({"ex2", "lg2", "rcp", "sqrt", "rsqrt", "tanh", "div"})
_PACKED = frozenset({"add", "sub", "mul", "fma", "min", "max", "abs"})
_TO_WHOLE = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_COMPARISONS = {
    "eq": Op.EQ,
    "ne": Op.NE,
    "lt": Op.LT,
    "lo": Op.LT,
    "le": Op.LE,
    "ls": Op.LE,
    "gt": Op.GT,
    "hi": Op.GT,
    "ge": Op.GE,
    "hs": Op.GE,
}
_CARRYING = frozenset({"addc", "subc", "madc"})


def ptx_value(context: Context, parts: list[str], values: list[int], scalar: Scalar) -> int | None:
    """Emit what an instruction computes; None if it is not known.

    Args:
        context: Where to.
        parts: Its mnemonic, split at the dots.
        values: Registers of its operands.
        scalar: The type that it works on.
    """
    if parts[0] == "selp" and len(values) == 3:
        return context.builder.value(Op.SELECT, scalar, values[2], values[0], values[1])
    if any(part in ("f16x2", "bf16x2") for part in parts):
        return _packed(context, parts[0], values, scalar)
    values = [as_type(context, value, scalar) for value in values]
    if scalar.is_float:
        found = _of_floats(context, parts, values, scalar)
        if found is not None:
            return found
    elif parts[0] in _CARRYING or "cc" in parts[1:]:
        return _with_carry(context, parts, values, scalar)
    return _plain(context, parts, values, scalar)


def _packed(context: Context, name: str, values: list[int], scalar: Scalar) -> int | None:
    """Two halves in a word: the types of the operation say that they are a pair."""
    if name not in _PACKED:
        return None
    op = _PLAIN.get(name, Op.MATH)
    detail = name if op is Op.MATH else None
    return context.builder.value(op, Scalar.U32, *values, scalar=scalar, detail=detail)


def _of_floats(context: Context, parts: list[str], values: list[int], scalar: Scalar) -> int | None:
    """What floats have of their own: roundings, approximations, fused products."""
    builder = context.builder
    name = parts[0]
    if name == "fma" or (name == "mad" and len(values) == 3):
        return builder.value(Op.MATH, scalar, *values, detail="fma")
    if name in _APPROXIMATE and ("approx" in parts or "full" in parts):
        ending = "approx" if "approx" in parts else "full"
        if "ftz" in parts and name != "tanh":
            ending += "_ftz"
        if scalar is Scalar.F32:
            return builder.value(Op.MATH, scalar, *values, detail=f"ptx_{name}_{ending}")
        plain = {"ex2": "exp2", "lg2": "log2"}.get(name, name)
        return builder.value(Op.MATH, scalar, *values, detail=plain)
    letter = {Scalar.F32: "f", Scalar.F64: "d"}.get(scalar)
    if name in _ROUNDED and letter and any(part in ("rn", "rz", "rm", "rp") for part in parts):
        return builder.value(Op.MATH, scalar, *values, detail=f"__{letter}{name}_rn")
    return None


def _plain(context: Context, parts: list[str], values: list[int], scalar: Scalar) -> int | None:
    builder = context.builder
    name, modes = parts[0], parts[1:]
    if name == "mad" and len(values) == 3:
        if "wide" in modes:
            product = _wide_product(context, values[:2], scalar)
            wide = builder.register_types[product]
            return builder.value(Op.ADD, wide, product, convert(context, values[2], wide))
        product = _product(context, modes, values[:2], scalar)
        return builder.value(Op.ADD, scalar, product, values[2])
    if name == "mul" and len(values) == 2:
        if "wide" in modes:
            return _wide_product(context, values, scalar)
        return _product(context, modes, values, scalar)
    if name in _PLAIN and len(values) == 2:
        return builder.value(_PLAIN[name], scalar, *values)
    if name == "neg":
        return builder.value(Op.NEG, scalar, values[0])
    if name == "not":
        return builder.value(Op.BIT_NOT, scalar, values[0])
    # Those that hold for NaN too have a `u` behind them.
    comparison = _COMPARISONS.get(modes[0].removesuffix("u")) if modes else None
    if name in ("setp", "set") and len(values) == 2 and comparison is not None:
        flag = builder.value(comparison, Scalar.BOOL, *values, scalar=scalar)
        if name == "setp":
            return flag
        ones, none = builder.constant(-1, Scalar.I32), builder.constant(0, Scalar.I32)
        return builder.value(Op.SELECT, Scalar.I32, flag, ones, none)
    if name == "shf" and modes and modes[0] in ("l", "r"):
        return builder.value(Op.MATH, scalar, *values, detail=f"__funnelshift_{modes[0]}")
    if name in _FUNCTIONS:
        return builder.value(Op.MATH, scalar, *values, detail=_FUNCTIONS[name])
    return None


def _product(context: Context, modes: list[str], values: list[int], scalar: Scalar) -> int:
    builder = context.builder
    if "hi" in modes:
        return builder.value(Op.MATH, scalar, *values, detail="mulhi")
    return builder.value(Op.MUL, scalar, *values)


def _wide_product(context: Context, values: list[int], scalar: Scalar) -> int:
    wide = Scalar.I64 if scalar.is_signed else Scalar.U64
    factors = [convert(context, value, wide) for value in values]
    return context.builder.value(Op.MUL, wide, *factors)


def _with_carry(
    context: Context, parts: list[str], values: list[int], scalar: Scalar
) -> int | None:
    """Sums that set or take the carry: an operation each beside a product, whose value is not known."""
    builder = context.builder
    if parts[0] in ("mad", "madc") and len(values) == 3:
        values = [_product(context, parts[1:], values[:2], scalar), values[2]]
    elif len(values) != 2:
        return None
    return builder.value(Op.MATH, scalar, *values, detail="ptx_addc")


def ptx_conversion(context: Context, parts: list[str], value: int, scalar: Scalar) -> int:
    """`mov`, `cvta` and `cvt`; to a whole number within a type of floats."""
    builder = context.builder
    if parts[0] == "cvt" and scalar.is_float and builder.register_types[value] is scalar:
        for part in parts:
            if part in _TO_WHOLE:
                return builder.value(Op.MATH, scalar, value, detail=_TO_WHOLE[part])
    return convert(context, value, scalar)


def as_type(context: Context, value: int, scalar: Scalar) -> int:
    """The bits of a register as another type of the same size, else its number converted."""
    builder = context.builder
    source = builder.register_types[value]
    if source is scalar:
        return value
    if source.size_bytes == scalar.size_bytes:
        return builder.value(Op.BITCAST, scalar, value, detail=source)
    return convert(context, value, scalar)


def ptx_literal(text: str, scalar: Scalar) -> float | None:
    """The number that a literal of PTX stands for; None for other text.

    >>> ptx_literal("0f3F800000", Scalar.F32), ptx_literal("0x10U", Scalar.U32), ptx_literal("010", Scalar.U32)
    (1.0, 16, 8)
    """
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-").lower()
    try:
        if digits.startswith("0f") and len(digits) == 10:
            return sign * float(struct.unpack(">f", bytes.fromhex(digits[2:]))[0])
        if digits.startswith("0d") and len(digits) == 18:
            return sign * float(struct.unpack(">d", bytes.fromhex(digits[2:]))[0])
        if scalar.is_float:
            return sign * float(digits)
        digits = digits.removesuffix("u")
        is_octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        return sign * int(digits, 8 if is_octal else 0)
    except ValueError:
        return None
