"""Sizes of values, as the unrolling thresholds of compiler and assembler count them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.addressing.constant_memory import is_constant_load
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.folding import ROTATION
from roofstat.instructions.graph.values import Pseudo, split_pointer
from roofstat.instructions.integers.widths import WIDE
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

FREE = frozenset({Op.CAST, Op.BITCAST, Op.SLOT, Op.PARAM, Op.GLOBAL, Op.SPECIAL, Op.NOT})
ADDRESSES = frozenset({Pseudo.ADDRESS, Pseudo.STREAM})
_SINGLE = frozenset(
    {
        "sqrt",
        "rsqrt",
        "fma",
        "min",
        "max",
        "fmin",
        "fmax",
        "abs",
        "fabs",
        "floor",
        "ceil",
        "less",
        "__dp4a",
        ROTATION,
    }
)
_CONVERSION = "to_"
"""How the names of conversions of half precision begin."""
_DIVISION_SIZE = 4.0
_BEYOND_ALL = 100.0
"""More than two copies of it fit."""
# How much arithmetic the unrolling thresholds take for one call, in own loops that add `v = v * m + s` until a copy
# less is made. What has no entry is no larger than what was measured in the median.
_LIBRARY_SIZES: dict[Scalar, dict[str, float]] = {
    Scalar.F32: {
        **dict.fromkeys(("rint", "round", "trunc", "nearbyint", "exp2", "copysign"), 1.0),
        **dict.fromkeys(("__expf", "__logf", "__sinf", "__cosf", "__log2f", "__fdividef"), 1.0),
        "exp": 12.0,
        "cbrt": 15.0,
        **dict.fromkeys(("tanh", "atan"), 18.0),
        **dict.fromkeys(("erf", "hypot"), 24.0),
        **dict.fromkeys(("log", "log2", "log10", "acos", "asin", "expm1", "log1p"), 30.0),
        "atan2": 36.0,
        "normcdf": 72.0,
        **dict.fromkeys(("pow", "lgamma", "tgamma"), _BEYOND_ALL),
    },
    Scalar.F64: {
        **dict.fromkeys(("rint", "round", "trunc", "nearbyint", "copysign"), 1.0),
        "exp": 42.0,
        **dict.fromkeys(("atan2", "sin", "cos", "tanh", "erf", "cbrt"), 54.0),
        **dict.fromkeys(("log", "pow"), 70.0),
        **dict.fromkeys(("acos", "asin"), 78.0),
    },
}
_OTHER_SIZES = {Scalar.F32: 24.0, Scalar.F64: 54.0}
_FAST = frozenset(
    {"exp", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "pow", "sincos", "tanh"}
)
"""Functions of single precision that fast math makes one or two instructions."""
_LOOPING = {
    Scalar.F32: frozenset({"sin", "cos", "tan", "sincos", "fmod", "remainder"}),
    Scalar.F64: frozenset({"fmod", "remainder"}),
}
"""Functions with a loop of their own (reduction of large arguments, long division)."""
_FAST_SIZE = 2.0
_INTEGER_LIBRARY_SIZE = 13.0
_WORD_SIZES = {
    **dict.fromkeys(("popc", "brev", "mulhi", "__byte_perm", "__sad", "__vabsdiffu4"), 1.0),
    **dict.fromkeys(("clz", "ffs"), 2.0),
    "__mul24": 3.0,
}
"""Functions of words, in own loops that sum them over one and two rows (nvcc 13.0, sm_90)."""
_WIDE_COUNT_SIZE = 3.0
"""The bits of two words, and their sum."""


def has_loop(value: Value, *, fast_math: bool) -> bool:
    """Whether a library function brings a loop along, which keeps the loop around it from being copied."""
    if value.op is not Op.MATH or (fast_math and value.scalar is Scalar.F32):
        return False
    return _library_name(value) in _LOOPING.get(value.scalar, ())


_CALLED = {
    Scalar.F32: frozenset({"atan2", "erfc"}),
    Scalar.F64: frozenset({"sqrt", "rsqrt", "exp"}),
}
"""Functions of moderate size that the assembler does not copy, mostly for a call for unusual operands; of 43 that were tried."""


def has_call(value: Value, *, fast_math: bool) -> bool:
    """Whether the assembler leaves the loop around a value alone, as it may call a subroutine: mostly divisions."""
    if fast_math and value.scalar is Scalar.F32:
        return False
    if value.op is Op.MATH:
        return _library_name(value) in _CALLED.get(value.scalar, ())
    if value.op not in {Op.DIV, Op.REM}:
        return False
    return value.scalar.is_float or (value.scalar in WIDE and not value.args[1].is_constant)


def _library_name(value: Value) -> str:
    name = str(value.detail).removesuffix(".second")
    known = _LIBRARY_SIZES.get(value.scalar, {})
    short = name.removesuffix("f")
    return short if name not in known and value.scalar is Scalar.F32 else name


def _library_size(value: Value, *, fast_math: bool) -> float:
    name = _library_name(value)
    if fast_math and value.scalar is Scalar.F32 and name in _FAST:
        return _FAST_SIZE
    if not value.scalar.is_float:
        if value.args[0].scalar not in WIDE:
            return _WORD_SIZES.get(name, _INTEGER_LIBRARY_SIZE)
        return _WIDE_COUNT_SIZE if name == "popc" else _INTEGER_LIBRARY_SIZE
    other = _OTHER_SIZES.get(value.scalar, _INTEGER_LIBRARY_SIZE)
    return _LIBRARY_SIZES.get(value.scalar, {}).get(name, other)


def ir_size(value: Value, *, fast_math: bool = False) -> float:
    """Instructions of the compiler's own representation, as its unrolling thresholds count them."""
    if value.op in FREE or not isinstance(value.op, Op):
        return 0.0
    if value.op in {Op.DIV, Op.REM}:
        return _DIVISION_SIZE
    if value.op is Op.MATH:
        name = str(value.detail)
        single = name in _SINGLE or name.startswith(_CONVERSION)
        return 1.0 if single else _library_size(value, fast_math=fast_math)
    return 1.0


def pair_size(value: Value) -> float:
    """What arithmetic of 64 bits weighs more for LLVM than one instruction: it estimates that SASS has two words to add, multiply or mask.

    `NVPTXTTIImpl::getArithmeticInstrCost` of LLVM 18; products with powers of two are shifts, and those and differences weigh one. Its remarks on 140 own loops.
    """
    if value.op not in _PAIRED or value.scalar not in WIDE:
        return 0.0
    factor = value.args[1].constant if value.op is Op.MUL else None
    is_shift = isinstance(factor, int) and factor > 0 and not factor & (factor - 1)
    return 0.0 if is_shift else 1.0


_PAIRED = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR})


def expanded_size(value: Value) -> float | None:
    """What nvcc's headers make of one operation; None where it is one.

    Floats are shuffled as words and back, 64 bits are taken apart, shuffled twice and put together; a magnitude is a comparison, a difference and a choice.
    PTX of 340 own loops of growing length.
    """
    if value.op is Op.SHUFFLE:
        if value.scalar.size_bytes > _WORD_BYTES:
            return 4.0
        return 3.0 if value.scalar.is_float else None
    if value.op is Op.MATH and not value.scalar.is_float:
        return _EXPANDED.get(str(value.detail))
    return None


_WORD_BYTES = 4
_EXPANDED = {"abs": 3.0}


def is_fused(value: Value) -> bool:
    """Whether a sum takes in a product of its own statement, as `llvm.fmuladd`; a difference negates besides."""
    if value.op is not Op.ADD or not value.scalar.is_float or value.position is None:
        return False
    line = value.position.line
    return any(
        arg.op is Op.MUL and arg.position is not None and arg.position.line == line
        for arg in value.args
    )


_MACHINE_DIVISION = 9.0


def machine_size(value: Value, *, fast_math: bool = False) -> float:
    """Machine instructions, as the assembler's thresholds count them; addresses are counted apart."""
    if value.op in {Op.ADD, Op.SUB} and value.scalar.is_float:
        return 0.0 if any(arg.op is Op.MUL for arg in value.args) else 1.0
    if value.op in {Op.DIV, Op.REM} or (value.op is Op.MATH and value.detail == "sqrt"):
        return _MACHINE_DIVISION
    return ir_size(value, fast_math=fast_math)


ACCESS_WEIGHT = 2.0
_EXPONENTIAL_WEIGHT = 8.0
"""Instructions that `expf` becomes: four multiply-adds, a sum, a shift, MUFU.EX2 and a product; the compiler counts more."""


def loop_weight(value: Value, weight: float) -> float:
    """The same for nvcc's assembler and a loop of unknown length, from that of a loop of known length.

    Addresses, pointers and what paths leave in one variable weigh nothing, and what is read from constant memory is an operand. SASS of bodies of growing
    length with one to four accesses, and with each function (nvcc 13.0, sm_90).
    """
    if value.op in {Op.LOAD, Op.STORE}:
        if is_member(value) or is_constant_load(value):
            return 0.0
        return ACCESS_WEIGHT if _has_own_pointer(value) else IN_LOOP_WEIGHT
    if value.op is Op.MATH and value.scalar is Scalar.F32:
        return _WEIGHTS_IN_LOOP.get(str(value.detail), weight)
    return 0.0 if value.op in ADDRESSES or value.op is Pseudo.JOIN else weight


def is_member(value: Value) -> bool:
    """Whether a value is an access to a further member of a vector, which the first one brings along."""
    return isinstance(value.detail, LoadDetail) and not value.detail.access.access_bytes


def unfused_weight(value: Value) -> float:
    """What a difference with a product weighs more for nvcc's assembler, which fuses the two itself: they are two in PTX (nvcc 13.0)."""
    is_difference = value.op is Op.SUB and value.scalar.is_float
    return float(is_difference and any(arg.op is Op.MUL for arg in value.args))


def _has_own_pointer(access: Value) -> bool:
    """Whether a pair of words advances to an access, which an index of one word that arrays share is not."""
    shape = split_pointer(access.args[0])[0].detail
    if not isinstance(shape, StreamShape) or not shape.constant_step:
        return False
    return shape.is_in_row or not (shape.is_of_word and shape.has_invariants)


IN_LOOP_WEIGHT = 2.4
"""Of an access whose address takes a multiply-add."""
_WEIGHTS_IN_LOOP = {"__expf": 7.0, "__logf": 6.0, "rsqrtf": 6.0, "rsqrt": 6.0}


def _is_product(value: Value) -> bool:
    return value.op is Op.MUL or (value.op is Op.SHL and value.args[1].is_constant)


def assembler_weight(value: Value, *, fast_math: bool) -> float:
    """What a value weighs when the assembler decides whether to copy a loop.

    Found with bodies of growing length: an access weighs two instructions, an index one (the wide multiply-add), a
    pointer that advances by a constant and a product or shift that is added to something nothing.
    """
    if value.op in {Op.LOAD, Op.STORE}:
        return ACCESS_WEIGHT
    if value.op is Pseudo.ADDRESS or (value.op is Pseudo.JOIN and value.scalar is not Scalar.BOOL):
        return 1.0
    if isinstance(value.detail, StreamShape):
        return 0.0 if value.detail.constant_step else 1.0
    if value.op in {Op.ADD, Op.SUB} and any(_is_product(arg) for arg in value.args):
        return 0.0
    if value.op is Op.MATH and value.scalar is Scalar.F32 and _library_name(value) == "exp":
        return _EXPONENTIAL_WEIGHT
    if value.op is Op.CAST:
        return float(value.scalar.is_float or value.args[0].scalar.is_float)
    return machine_size(value, fast_math=fast_math)
