"""Sizes of values, as the unrolling thresholds of compiler and assembler count them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.folding import ROTATION
from roofstat.instructions.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.values import Value

FREE = frozenset({Op.CAST, Op.BITCAST, Op.SLOT, Op.PARAM, Op.GLOBAL, Op.SPECIAL, Op.NOT})
ADDRESSES = frozenset({Pseudo.ADDRESS, Pseudo.STREAM})
_SINGLE = frozenset(
    {"sqrt", "rsqrt", "fma", "min", "max", "abs", "fabs", "floor", "ceil", ROTATION}
)
_DIVISION_SIZE = 4.0
_LIBRARY_SIZE = 13.0


def ir_size(value: Value) -> float:
    """Instructions of the compiler's own representation, as its unrolling thresholds count them."""
    if value.op in FREE or not isinstance(value.op, Op):
        return 0.0
    if value.op in {Op.DIV, Op.REM}:
        return _DIVISION_SIZE
    if value.op is Op.MATH:
        return 1.0 if str(value.detail) in _SINGLE else _LIBRARY_SIZE
    return 1.0


_MACHINE_DIVISION = 9.0


def machine_size(value: Value) -> float:
    """Machine instructions, as the assembler's thresholds count them; addresses are counted apart."""
    if value.op in {Op.ADD, Op.SUB} and value.scalar.is_float:
        return 0.0 if any(arg.op is Op.MUL for arg in value.args) else 1.0
    if value.op in {Op.DIV, Op.REM} or (value.op is Op.MATH and value.detail == "sqrt"):
        return _MACHINE_DIVISION
    return ir_size(value)
