"""Rows of a length that only a run knows: ``double a[n][m]`` as a parameter of C, ``double (*a)[m]``, a local array of such rows.

Types do not say how long such a row is; declarations do. A row is taken as what lies so many elements behind the pointer to the first one, as
clang computes it: ``a[i]`` is ``a + (long)i * m`` in elements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries._cindex import is_null
from clang_queries.ir.expressions import (
    Binary,
    BinaryOp,
    Cast,
    Constant,
    Deref,
    Expr,
    Subscript,
    Variable,
)
from clang_queries.ir.types import ArrayType, PointerType, Scalar, ScalarType
from clang_queries.lowering.scope import Scope, is_expression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries._cindex import Cursor
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Type

_I64 = ScalarType(Scalar.I64)


def note_lengths(scope: Scope, cursor: Cursor, key: str, type_: Type) -> None:
    """Remembers how long the rows of a declared variable are, where only a run knows.

    Args:
        scope: Of the function.
        cursor: The declaration; its lengths stand below it, the innermost first.
        key: Of the variable.
        type_: What it is resolved to, a parameter as a pointer.
    """
    shape = _shape(_element(type_))
    if None not in shape:
        return
    written = [child for child in scope.clang.children(cursor) if is_expression(child)]
    if not is_null(scope.clang.initializer(cursor)):
        written.pop()
    lengths = [scope.expression(child) for child in written[: len(shape)]]
    if len(lengths) == len(shape):
        scope.row_lengths[key] = tuple(reversed(lengths))


def row_of(scope: Scope, base: Expr, index: Expr, row: Type, position: Position) -> Expr | None:
    """One row of such an array as an array; None for rows whose length is a constant or stands nowhere."""
    shape = _shape(row)
    if None not in shape:
        return None
    elements = elements_of(scope, base, len(shape))
    if elements is None:
        return None
    leaf = _leaf(row)
    is_pointer = isinstance(base.type, PointerType)
    whole = base.type if is_pointer else PointerType(row)
    assert isinstance(whole, PointerType)
    first = replace(whole, pointee=leaf)
    offset = Binary(_I64, position, BinaryOp.MUL, Cast(_I64, position, index), elements)
    address = Binary(first, position, BinaryOp.ADD, Cast(first, position, base), offset)
    return Deref(row, position, Cast(replace(whole, pointee=row), position, address))


def elements_of(scope: Scope, array: Expr, dimensions: int) -> Expr | None:
    """How many elements the last dimensions of an array have together; None where that stands nowhere."""
    variable = _variable(array)
    lengths = scope.row_lengths.get(variable.key, ()) if variable is not None else ()
    return product_of(lengths[-dimensions:], array.position) if dimensions <= len(lengths) else None


def product_of(lengths: Sequence[Expr], position: Position) -> Expr:
    """The product of at least one length, as a long integer."""
    product: Expr = Cast(_I64, position, lengths[0])
    for length in lengths[1:]:
        product = Binary(_I64, position, BinaryOp.MUL, product, Cast(_I64, position, length))
    return product


def size_of(scope: Scope, operand: Expr) -> Expr | None:
    """``sizeof`` of a row, or of an array of rows: its elements, and the size of one."""
    shape = _shape(operand.type)
    if None not in shape:
        return None
    elements = elements_of(scope, operand, len(shape))
    if elements is None:
        return None
    size = Constant(_I64, operand.position, _leaf(operand.type).size_bytes)
    return Binary(_I64, operand.position, BinaryOp.MUL, elements, size)


def _element(type_: Type) -> Type:
    if isinstance(type_, PointerType):
        return type_.pointee
    return type_.element if isinstance(type_, ArrayType) else type_


def _shape(type_: Type) -> list[int | None]:
    """Lengths of an array and of the arrays in it, None where only a run knows."""
    shape: list[int | None] = []
    while isinstance(type_, ArrayType):
        shape.append(type_.length)
        type_ = type_.element
    return shape


def _leaf(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def _variable(expression: Expr) -> Variable | None:
    """The variable whose rows an expression designates or points to."""
    while True:
        match expression:
            case Variable():
                return expression
            case Subscript(base=inner) | Deref(pointer=inner) | Cast(operand=inner):
                expression = inner
            case Binary(left=inner) if isinstance(inner.type, (PointerType, ArrayType)):
                expression = inner
            case _:
                return None
