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
from clang_queries.quick_pattern import pattern

_INITIALIZERS = frozenset({Kind.CALL_EXPR, Kind.INIT_LIST_EXPR, Kind.UNEXPOSED_EXPR})
"""Other expressions before a parenthesis are template arguments of the type."""

_OPENING = pattern(rb"(?:::\s*)?new\s*\(")
"""What placement begins with, or a type in parentheses."""


@expression(Kind.NEW_EXPR)
def _new(scope: Scope, cursor: Cursor) -> Expr:
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    allocated = type_.pointee if isinstance(type_, PointerType) else type_
    children = scope.clang.children(cursor)
    values = [child for child in children if is_expression(child)]
    placement = _placement(scope, cursor, values)
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
        # What is no address says how to allocate: std::nothrow, an alignment, a pool.
        target = scope.expression(placement[0])
        if isinstance(target.type, PointerType | ArrayType):
            return _construct_at(type_, target, initializer)
    return New(type_, position, allocated, count, initializer)


def _placement(scope: Scope, cursor: Cursor, values: list[Cursor]) -> list[Cursor]:
    """Those of the expressions of a ``new`` that stand in the parentheses in front of the type."""
    begin = scope.clang.start(cursor)
    text = text_between(scope, begin, scope.clang.end(cursor))
    opening = _OPENING.match(text)
    if opening is None:
        return []
    end, depth = opening.end(), 1
    while depth and end < len(text):
        depth += {ord("("): 1, ord(")"): -1}.get(text[end], 0)
        end += 1
    places = [scope.clang.start(value) for value in values]
    return [
        value
        for value, place in zip(values, places, strict=True)
        if place[0] == begin[0]
        and place[3] < begin[3] + end
        and not text_between(scope, begin, place).rstrip().endswith(b"[")
    ]


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
