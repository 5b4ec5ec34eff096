"""Record values made by constructors."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import REFERENCE_KINDS
from clang_queries.ir.expressions import Construct, Expr, InitList, Position
from clang_queries.ir.types import RecordType, Type
from clang_queries.lowering.aggregates import copy_of
from clang_queries.lowering.arguments import lower_arguments
from clang_queries.lowering.implicit import from_value, is_implicit, needs_construction
from clang_queries.lowering.scope import Scope, is_expression


def construct(scope: Scope, cursor: Cursor, constructor: Cursor) -> Expr:
    """A constructor call; copies and moves by an implicit constructor are bitwise."""
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    children = scope.clang.children(cursor)
    arguments = [child for child in children if is_expression(child)]
    # template arguments of the spelled type come first
    count = scope.clang.lib.clang_Cursor_getNumArguments(cursor)
    if 0 <= count < len(arguments):
        arguments = arguments[len(arguments) - count :]
    implicit = is_implicit(scope, constructor)
    if implicit and len(arguments) == 1:
        operand = scope.expression(arguments[0])
        return copy_of(operand, type_, position)
    if implicit and not arguments:
        spelled = any(child.kind in REFERENCE_KINDS for child in children)
        return _default_construct(scope, type_, constructor, position, is_zeroed=spelled)
    reference = scope.unit.reference(constructor)
    if _is_copy_of_closure(type_, arguments):
        return copy_of(scope.expression(arguments[0]), type_, position)
    lowered = tuple(lower_arguments(scope, arguments, reference))
    return Construct(type_, position, reference.name_expression(position), lowered)


def construct_unnamed(scope: Scope, cursor: Cursor, first: Expr, rest: list[Cursor]) -> Expr:
    """A constructor call whose constructor libclang does not name, as some implicit ones."""
    type_ = scope.types.of(cursor)
    others = tuple(scope.expression(child) for child in rest if is_expression(child))
    if isinstance(type_, RecordType) and not others:
        if isinstance(first.type, RecordType) and first.type.key == type_.key:
            return copy_of(first, type_, scope.position(cursor))
        return from_value(scope, first, type_)
    return scope.opaque(cursor, "constructor that libclang does not name", (first, *others))


def _is_copy_of_closure(type_: Type, arguments: list[Cursor]) -> bool:
    return (
        isinstance(type_, RecordType) and type_.name.startswith("(lambda") and len(arguments) == 1
    )


def _default_construct(
    scope: Scope, type_: Type, constructor: Cursor, position: Position, *, is_zeroed: bool
) -> Expr:
    """An object made by a constructor that the compiler provides."""
    if is_zeroed and not needs_construction(scope, type_, set()):
        return InitList(type_, position, ())
    if not needs_construction(scope, type_, set()):
        return Construct(type_, position, None, ())
    reference = scope.unit.reference(constructor)
    return Construct(type_, position, reference.name_expression(position), ())
