"""Constant arrays of namespace scope: what a compiler knows of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Binary,
    Cast,
    Constant,
    InitList,
    Unary,
    UnaryOp,
)
from clang_queries.ir.types import ArrayType, ScalarType
from clang_queries.quick_dataclass import dataclass
from roofstat.program.constant_arithmetic import folded
from roofstat.program.register_arithmetic import constant_value

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import VariableDeclaration
    from clang_queries.ir.types import Scalar
    from roofstat.program.constant_arithmetic import Number

_MOST_ELEMENTS = 4096
"""Longer tables are not read: loops over them are not unrolled."""


@dataclass(frozen=True, slots=True)
class Table:
    """The elements of a constant array by their offsets in bytes; what is missing is zero."""

    size_bytes: int
    elements: dict[int, tuple[Scalar, Number]]

    def at(self, offset_bytes: int, scalar: Scalar) -> Number | None:
        """The element at an offset; None where another type lies there, or nothing."""
        found = self.elements.get(offset_bytes)
        if found is not None:
            return found[1] if found[0] is scalar else None
        inside = 0 <= offset_bytes <= self.size_bytes - scalar.size_bytes
        is_aligned = offset_bytes % scalar.size_bytes == 0
        return constant_value(0, scalar) if inside and is_aligned else None


def table_of(declaration: VariableDeclaration) -> Table | None:
    """The elements of a global array that nobody can change; None for other variables."""
    initial = declaration.initializer
    if not declaration.is_const or declaration.is_volatile or not isinstance(initial, InitList):
        return None
    if not isinstance(declaration.type, ArrayType) or not initial.zero_fill:
        return None
    elements: dict[int, tuple[Scalar, Number]] = {}
    if not _collect(initial, 0, elements):
        return None
    return Table(declaration.type.size_bytes, elements)


def _collect(value: Expr, offset: int, elements: dict[int, tuple[Scalar, Number]]) -> bool:
    if isinstance(value, InitList):
        return len(elements) + len(value.elements) <= _MOST_ELEMENTS and all(
            _collect(element, offset + inner, elements) for inner, element in value.elements
        )
    number = _number(value)
    if number is None or not isinstance(value.type, ScalarType):
        return False
    elements[offset] = (value.type.scalar, number)
    return True


def _number(value: Expr) -> Number | None:
    """The value of an arithmetic expression of constants."""
    if not isinstance(value.type, ScalarType):
        return None
    found: Number | None = None
    match value:
        case Constant():
            found = value.value
        case Cast():
            found = _number(value.operand)
        case Unary(op=UnaryOp.NEG):
            operand = _number(value.operand)
            found = None if operand is None else -operand
        case Binary():
            left, right = _number(value.left), _number(value.right)
            if left is not None and right is not None:
                found = folded(value.op, left, right)
    return None if found is None else constant_value(found, value.type.scalar)
