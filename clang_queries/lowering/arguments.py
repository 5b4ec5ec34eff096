"""Arguments of calls as the parameters take them."""

from __future__ import annotations

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Expr, OpaqueExpr
from clang_queries.ir.types import OpaqueType, RecordType, Type
from clang_queries.lowering.conversions import convert, pass_as
from clang_queries.lowering.expressions import constant
from clang_queries.lowering.implicit import default_value, from_value
from clang_queries.lowering.scope import Scope, is_expression
from clang_queries.lowering.unit_context import FunctionReference


def lower_arguments(
    scope: Scope, arguments: list[Cursor], function: FunctionReference
) -> list[Expr]:
    """Arguments as the parameters take them: addresses for references, defaults filled in."""
    return [
        argument(
            scope,
            cursor,
            function.parameters[index] if index < len(function.parameters) else None,
            function,
            index,
        )
        for index, cursor in enumerate(cursor for cursor in arguments if is_expression(cursor))
    ]


def argument(
    scope: Scope,
    cursor: Cursor,
    parameter: Type | None,
    function: FunctionReference | None,
    index: int,
) -> Expr:
    """One argument, converted to what the parameter takes."""
    if (
        cursor.kind == Kind.UNEXPOSED_EXPR
        and function is not None
        and scope.clang.start(cursor)[0] == 0
    ):
        operand = _default_argument(scope, cursor, function, index)
    else:
        operand = scope.expression(cursor)
    return pass_as(scope, operand, parameter)


def _default_argument(
    scope: Scope, cursor: Cursor, function: FunctionReference, index: int
) -> Expr:
    """Libclang shows a place without source for it: take the expression of the declaration."""
    found = constant(scope, cursor)
    if found is not None:
        return found
    for declaration in (function.declaration, function.cursor, _template_of(scope, function)):
        if is_null(declaration):
            continue
        parameters = scope.clang.parameters(declaration)
        if index < len(parameters):
            default = default_value(scope, parameters[index])
            if default is not None:
                return _lower_default(scope, default, scope.types.of(cursor))
    return scope.opaque(cursor, "default argument without expression")


def _template_of(scope: Scope, function: FunctionReference) -> Cursor:
    found: Cursor = scope.clang.lib.clang_getSpecializedCursorTemplate(function.declaration)
    return found


def _lower_default(scope: Scope, cursor: Cursor, type_: Type) -> Expr:
    operand = scope.expression(cursor)
    if isinstance(operand.type, OpaqueType) or isinstance(operand, OpaqueExpr):
        return operand
    if isinstance(type_, RecordType) and not isinstance(operand.type, RecordType):
        return from_value(scope, operand, type_)
    return convert(scope, operand, type_)


def parameter_types(scope: Scope, callee: Cursor) -> list[Type]:
    """The parameter types of a callee that is no named function."""
    lib = scope.clang.lib
    ctype = scope.clang.canonical_type(scope.clang.cursor_type(callee))
    pointee = lib.clang_getPointeeType(ctype)
    function = pointee if pointee.kind else ctype
    count = lib.clang_getNumArgTypes(function)
    return [
        scope.types.resolve(lib.clang_getArgType(function, index)) for index in range(max(count, 0))
    ]
