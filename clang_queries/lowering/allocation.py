"""``new`` and ``delete``."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Assign, Cast, Constant, Construct, Delete, Expr, New
from clang_queries.ir.types import ArrayType, PointerType, Scalar, ScalarType, Type
from clang_queries.lowering.expressions import value_children
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import Scope, address_of, dereference, is_expression
from clang_queries.lowering.text import text_between

_INITIALIZERS = frozenset({Kind.CALL_EXPR, Kind.INIT_LIST_EXPR, Kind.UNEXPOSED_EXPR})
"""Other expressions before a parenthesis are template arguments of the type."""


@expression(Kind.NEW_EXPR)
def _new(scope: Scope, cursor: Cursor) -> Expr:
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    allocated = type_.pointee if isinstance(type_, PointerType) else type_
    children = scope.clang.children(cursor)
    values = [child for child in children if is_expression(child)]
    placement: list[Cursor] = []
    type_start = next(
        (scope.clang.start(child)[3] for child in children if not is_expression(child)), None
    )
    text = text_between(scope, scope.clang.start(cursor), scope.clang.end(cursor))
    if text[3:].lstrip().startswith(b"(") and type_start is not None:
        placement = [value for value in values if scope.clang.start(value)[3] < type_start]
        values = values[len(placement) :]
    count: Expr | None = None
    initializer: Expr | None = None
    for value in values:
        before = text_between(scope, scope.clang.start(cursor), scope.clang.start(value)).rstrip()
        if count is None and before.endswith(b"["):
            count = scope.expression(value)
        elif not before or before.endswith((b"(", b"{")) or value.kind in _INITIALIZERS:
            initializer = scope.expression(value)
    if (
        initializer is not None
        and isinstance(initializer, Construct)
        and isinstance(initializer.type, ArrayType)
    ):
        initializer = Construct(
            allocated, initializer.position, initializer.constructor, initializer.arguments
        )
    if placement:
        target = scope.expression(placement[0])
        return _construct_at(type_, target, initializer)
    return New(type_, position, allocated, count, initializer)


def _construct_at(type_: Type, target: Expr, initializer: Expr | None) -> Expr:
    """Placement new: the object is assigned where it shall be, and its address is the value."""
    address = Cast(type_, target.position, target)
    if initializer is None:
        return address
    return address_of(Assign(initializer.type, target.position, dereference(address), initializer))


@expression(Kind.DELETE_EXPR)
def _delete(scope: Scope, cursor: Cursor) -> Expr:
    children = value_children(scope, cursor)
    operand = (
        scope.expression(children[-1])
        if children
        else Constant(PointerType(ScalarType(Scalar.VOID)), scope.position(cursor), 0)
    )
    return Delete(ScalarType(Scalar.VOID), scope.position(cursor), operand)
