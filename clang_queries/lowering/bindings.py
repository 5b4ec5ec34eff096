"""Structured bindings: names for the members of a record, the elements of an array or of a tuple."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Constant, Expr, Member, Position, Subscript
from clang_queries.ir.statements import Declare, Stmt, Storage, VariableDeclaration
from clang_queries.ir.types import ArrayType, PointerType, RecordType, Scalar, ScalarType, Type
from clang_queries.lowering.aggregates import initial_value
from clang_queries.lowering.scope import (
    Binding,
    Scope,
    dereference,
    is_expression,
    use_variable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries._cindex import Cursor


def structured_binding(scope: Scope, cursor: Cursor) -> list[Stmt]:
    """``auto [a, b] = pair``: a hidden variable, and names for its members or elements."""
    children = scope.clang.children(cursor)
    names = [child for child in children if child.kind == Kind.UNEXPOSED_DECL]
    values = [child for child in children if is_expression(child)]
    if not names or not values:
        return []
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    hidden = VariableDeclaration(
        key=scope.fresh_key("binding"),
        name="",
        type=type_,
        storage=Storage.LOCAL,
        position=position,
        initializer=initial_value(scope, values[-1], type_),
    )
    for index, name in enumerate(names):
        if name.d0 is not None:
            scope.locals[name.d0] = _bound_part(scope, hidden, index, names)
    return [Declare(position, hidden)]


def _bound_part(
    scope: Scope, hidden: VariableDeclaration, index: int, names: Sequence[Cursor]
) -> Binding:
    def use(position: Position) -> Expr:
        whole = use_variable(hidden, position)
        part: Expr | None = None
        if isinstance(whole.type, RecordType):
            if whole.type.name.startswith("std::tuple<"):
                part = _element(scope, whole, index, [scope.types.of(name) for name in names])
            else:
                part = _member(scope, whole, whole.type, index)
        elif isinstance(whole.type, ArrayType):
            part = _subscript(whole, whole.type, index)
        if part is None:
            return scope.opaque(names[index], "structured binding of an unknown type")
        is_reference = isinstance(part.type, PointerType) and part.type.is_reference
        return dereference(part) if is_reference else part

    return use


def _member(scope: Scope, whole: Expr, type_: RecordType, index: int) -> Expr | None:
    record = scope.types.records.get(type_.key)
    fields = () if record is None else record.fields
    is_array = type_.name.startswith("std::array<")
    if index >= len(fields) and not (is_array and fields):
        return None
    field = fields[0 if is_array else index]
    part = Member(field.type, whole.position, whole, field.name, field.offset_bytes)
    if is_array and isinstance(field.type, ArrayType):
        return _subscript(part, field.type, index)
    return part


def _subscript(whole: Expr, type_: ArrayType, index: int) -> Expr:
    number = Constant(ScalarType(Scalar.I32), whole.position, index)
    return Subscript(type_.element, whole.position, whole, number)


def _element(scope: Scope, whole: Expr, index: int, types: Sequence[Type]) -> Expr:
    """An element of a tuple: each lies before a record of those behind it (the bundled header's layout)."""
    align = _alignment(scope, types[-1])
    offset = 0
    for number in reversed(range(len(types) - 1)):
        behind = _rounded_up(types[number].size_bytes, align)
        offset = 0 if number >= index else offset + behind
        align = max(align, _alignment(scope, types[number]))
    return Member(types[index], whole.position, whole, "", offset)


def _alignment(scope: Scope, type_: Type) -> int:
    if isinstance(type_, ArrayType):
        return _alignment(scope, type_.element)
    if isinstance(type_, RecordType):
        record = scope.types.records.get(type_.key)
        return 1 if record is None else record.align_bytes
    return max(type_.size_bytes, 1)


def _rounded_up(size: int, align: int) -> int:
    return -(-size // align) * align
