"""Calls, launches, constructions, new and delete."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import FUNCTION_KINDS, Kind
from clang_queries.ir.expressions import (
    Assign,
    Call,
    Constant,
    Expr,
    InitList,
    Launch,
    OpaqueExpr,
)
from clang_queries.ir.types import (
    U32,
    ArrayType,
    FunctionType,
    OpaqueType,
    PointerType,
    RecordType,
    Scalar,
    ScalarType,
    Type,
)
from clang_queries.lowering.arguments import argument, lower_arguments, parameter_types
from clang_queries.lowering.construction import construct, construct_unnamed
from clang_queries.lowering.conversions import base_subobject, convert, pass_as
from clang_queries.lowering.expressions import constant, value_children
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import Scope, address_of, dereference, is_expression
from clang_queries.lowering.unit_context import FunctionReference


@expression(Kind.CALL_EXPR)
def _call(scope: Scope, cursor: Cursor) -> Expr:
    referenced = scope.clang.referenced(cursor)
    if referenced.kind == Kind.CONSTRUCTOR:
        return construct(scope, cursor, referenced)
    children = scope.clang.children(cursor)
    if not children:
        return _without_children(scope, cursor)
    if len(children) > 1 and children[1].kind == Kind.CALL_EXPR:
        configuration = scope.clang.referenced(children[1])
        if (
            configuration.kind == Kind.FUNCTION
            and scope.unit.reference(configuration).is_configuration
        ):
            return _launch(scope, cursor, children)
    if referenced.kind in FUNCTION_KINDS:
        function = scope.unit.reference(referenced)
        return _call_of(scope, cursor, function, children)
    return _indirect_call(scope, cursor, children)


def _without_children(scope: Scope, cursor: Cursor) -> Expr:
    """``T()`` of a record without user constructors, in some contexts, has neither constructor nor children."""
    if isinstance(scope.types.of(cursor), RecordType):
        return InitList(scope.types.of(cursor), scope.position(cursor), ())
    return constant(scope, cursor) or scope.opaque(cursor, "call without callee")


def _call_of(
    scope: Scope, cursor: Cursor, function: FunctionReference, children: list[Cursor]
) -> Expr:
    position = scope.position(cursor)
    arguments = children[1:]
    prefix: tuple[Expr, ...] = ()
    callee = children[0]
    is_virtual = False
    if function.name.rpartition("::")[2].startswith("operator") and _is_operator_call(
        scope, children, function
    ):
        arguments = [children[0], *children[2:]]
        if function.is_method:
            prefix = (_object_of(function, scope, scope.expression(children[0])),)
            arguments = children[2:]
            is_virtual = function.is_virtual
            if scope.unit.is_implicit_assignment(function) and len(arguments) == 1:
                target = dereference(prefix[0])
                return Assign(target.type, position, target, scope.expression(arguments[0]))
    elif function.is_method:
        prefix, is_virtual = _object(scope, callee, function)
    lowered = tuple(lower_arguments(scope, arguments, function))
    name = function.name_expression(position)
    if function.kind == Kind.DESTRUCTOR and not function.record:
        return scope.opaque(cursor, "destructor of no record")
    found = Call(function.result, position, name, prefix + lowered, is_virtual)
    return dereference(found) if _is_reference(function.result) else found


def _is_reference(type_: Type) -> bool:
    return isinstance(type_, PointerType) and type_.is_reference


def _is_operator_call(scope: Scope, children: list[Cursor], function: FunctionReference) -> bool:
    """Whether the callee stands behind the first operand, as in the operator notation."""
    return (
        len(children) > 1
        and _names(scope, children[1], function)
        and not _names(scope, children[0], function)
    )


def _names(scope: Scope, cursor: Cursor, function: FunctionReference) -> bool:
    while cursor.kind == Kind.UNEXPOSED_EXPR:
        children = scope.clang.children(cursor)
        if len(children) != 1:
            return False
        cursor = children[0]
    if cursor.kind not in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR):
        return False
    referenced = scope.clang.referenced(cursor)
    return (
        referenced.kind in FUNCTION_KINDS and scope.unit.reference(referenced).key == function.key
    )


def _object_of(function: FunctionReference, scope: Scope, operand: Expr) -> Expr:
    """The address of the object of a method call."""
    if isinstance(operand.type, (PointerType, ArrayType)):
        operand = dereference(operand)
    if function.record is not None:
        operand = base_subobject(scope, operand, function.record)
    return address_of(operand)


def _object(
    scope: Scope, callee: Cursor, function: FunctionReference
) -> tuple[tuple[Expr, ...], bool]:
    """The object of ``x.f()``, ``p->f()`` or ``f()`` within a method, and whether the call dispatches."""
    while callee.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
        inner = scope.clang.children(callee)
        if not inner:
            break
        callee = inner[-1]
    children = scope.clang.children(callee)
    # Template arguments are children too: `f<N + 1>()` within a method has no object.
    bases = [
        child
        for child in children
        if is_expression(child) and not isinstance(scope.types.of(child), ScalarType)
    ]
    is_qualified = any(child.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF) for child in children)
    if bases:
        operand = scope.expression(bases[0])
        return (_object_of(function, scope, operand),), function.is_virtual and not is_qualified
    position = scope.position(callee)
    address = scope.this_address(position)
    if address is None:
        return (
            scope.opaque(callee, "method call without an object", (), PointerType(OpaqueType("?"))),
        ), False
    return (_object_of(function, scope, address),), function.is_virtual and not is_qualified


def _indirect_call(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """A call through a pointer, or of something unresolved."""
    position = scope.position(cursor)
    callee = scope.expression(children[0])
    if isinstance(callee.type, (RecordType, ScalarType)):
        return construct_unnamed(scope, cursor, callee, children[1:])
    function: Type = callee.type
    if isinstance(function, PointerType):
        function = function.pointee
    arguments = tuple(scope.expression(child) for child in children[1:] if is_expression(child))
    if isinstance(callee, OpaqueExpr):
        return OpaqueExpr(
            scope.types.of(cursor), position, callee.reason, (*callee.operands, *arguments)
        )
    result = function.result if isinstance(function, FunctionType) else scope.types.of(cursor)
    if isinstance(result, OpaqueType):
        result = scope.types.of(cursor)
    parameters = parameter_types(scope, children[0])
    arguments = tuple(
        pass_as(scope, operand, parameters[index] if index < len(parameters) else None)
        for index, operand in enumerate(arguments)
    )
    found = Call(result, position, callee, arguments)
    return dereference(found) if _is_reference(result) else found


def _launch(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """``kernel<<<grid, block, shared, stream>>>(arguments)``; the configuration is the second child."""
    position = scope.position(cursor)
    callee = children[0]
    kernel = scope.expression(callee)
    configuration = scope.clang.children(children[1])[1:]
    reference = scope.unit.reference(scope.clang.referenced(children[1]))
    values = [value for value in configuration if is_expression(value)]
    grid, block = (
        argument(scope, value, None, reference, index) for index, value in enumerate(values[:2])
    )
    shared: Expr | None = None
    if len(values) > 2 and scope.clang.start(values[2])[0]:
        shared = scope.expression(values[2])
    function: FunctionReference | None = None
    referenced = scope.clang.referenced(cursor)
    if referenced.kind in FUNCTION_KINDS:
        function = scope.unit.reference(referenced)
        arguments = lower_arguments(scope, children[2:], function)
    else:
        parameters = parameter_types(scope, callee)
        arguments = [
            pass_as(
                scope,
                scope.expression(child),
                parameters[index] if index < len(parameters) else None,
            )
            for index, child in enumerate(child for child in children[2:] if is_expression(child))
        ]
    grid, block = (
        size if isinstance(size.type, RecordType) else _dimensions(scope, size)
        for size in (grid, block)
    )
    scope.unit.launches.append(position)
    scope.unit.launch_extents.append((scope.clang.start(cursor), scope.clang.end(cursor)))
    return Launch(ScalarType(Scalar.VOID), position, kernel, grid, block, shared, tuple(arguments))


def _dimensions(scope: Scope, size: Expr) -> Expr:
    """A size along x: of a configuration that the parser had to mend, no dim3 is made."""
    values = (convert(scope, size, U32), *(Constant(U32, size.position, 1) for _ in "yz"))
    type_ = RecordType("dim3", "dim3", len(values) * U32.size_bytes)
    elements = tuple((place * U32.size_bytes, value) for place, value in enumerate(values))
    return InitList(type_, size.position, elements)


@expression(Kind.THROW_EXPR)
def _throw(scope: Scope, cursor: Cursor) -> Expr:
    operands = tuple(scope.expression(child) for child in value_children(scope, cursor))
    return OpaqueExpr(ScalarType(Scalar.VOID), scope.position(cursor), "throw", operands)
