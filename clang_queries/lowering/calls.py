"""Calls, launches, constructions, new and delete."""

from __future__ import annotations

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import FUNCTION_KINDS, Kind
from clang_queries.ir.expressions import (
    Assign,
    Call,
    Cast,
    Constant,
    Construct,
    Delete,
    Expr,
    FunctionName,
    InitList,
    Launch,
    New,
    OpaqueExpr,
)
from clang_queries.ir.types import (
    ArrayType,
    FunctionType,
    OpaqueType,
    PointerType,
    RecordType,
    Scalar,
    ScalarType,
    Type,
)
from clang_queries.lowering import construction
from clang_queries.lowering.conversions import convert
from clang_queries.lowering.expressions import base_subobject, constant, value_children
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import Scope, address_of, dereference, is_expression
from clang_queries.lowering.text import text_between
from clang_queries.lowering.unit_context import FunctionReference


@expression(Kind.CALL_EXPR)
def _call(scope: Scope, cursor: Cursor) -> Expr:
    referenced = scope.clang.referenced(cursor)
    if referenced.kind == Kind.CONSTRUCTOR:
        return construction.construct(scope, cursor, referenced)
    children = scope.clang.children(cursor)
    if not children:
        return _without_children(scope, cursor)
    if len(children) > 1 and children[1].kind == Kind.CALL_EXPR:
        configuration = scope.clang.referenced(children[1])
        if configuration.kind == Kind.FUNCTION and scope.unit.reference(configuration).is_configuration:
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


def _call_of(scope: Scope, cursor: Cursor, function: FunctionReference, children: list[Cursor]) -> Expr:
    position = scope.position(cursor)
    arguments = children[1:]
    prefix: tuple[Expr, ...] = ()
    callee = children[0]
    is_virtual = False
    if function.name.rpartition("::")[2].startswith("operator") and _is_operator_call(scope, children, function):
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
    return len(children) > 1 and _names(scope, children[1], function) and not _names(scope, children[0], function)


def _names(scope: Scope, cursor: Cursor, function: FunctionReference) -> bool:
    while cursor.kind == Kind.UNEXPOSED_EXPR:
        children = scope.clang.children(cursor)
        if len(children) != 1:
            return False
        cursor = children[0]
    if cursor.kind not in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR):
        return False
    referenced = scope.clang.referenced(cursor)
    return referenced.kind in FUNCTION_KINDS and scope.unit.reference(referenced).key == function.key


def _object_of(function: FunctionReference, scope: Scope, operand: Expr) -> Expr:
    """The address of the object of a method call."""
    if isinstance(operand.type, (PointerType, ArrayType)):
        operand = dereference(operand)
    if function.record is not None:
        operand = base_subobject(scope, operand, function.record)
    return address_of(operand)


def _object(scope: Scope, callee: Cursor, function: FunctionReference) -> tuple[tuple[Expr, ...], bool]:
    """The object of ``x.f()``, ``p->f()`` or ``f()`` within a method, and whether the call dispatches."""
    while callee.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
        inner = scope.clang.children(callee)
        if not inner:
            break
        callee = inner[-1]
    children = scope.clang.children(callee)
    bases = [child for child in children if is_expression(child)]
    is_qualified = any(child.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF) for child in children)
    if bases:
        operand = scope.expression(bases[0])
        return (_object_of(function, scope, operand),), function.is_virtual and not is_qualified
    position = scope.position(callee)
    address = scope.this_address(position)
    if address is None:
        return (scope.opaque(callee, "method call without an object", (), PointerType(OpaqueType("?"))),), False
    return (_object_of(function, scope, address),), function.is_virtual and not is_qualified


def lower_arguments(scope: Scope, arguments: list[Cursor], function: FunctionReference) -> list[Expr]:
    """Arguments as the parameters take them: addresses for references, defaults filled in."""
    return [
        argument(scope, cursor, function.parameters[index] if index < len(function.parameters) else None, function, index)
        for index, cursor in enumerate(cursor for cursor in arguments if is_expression(cursor))
    ]


def argument(
    scope: Scope, cursor: Cursor, parameter: Type | None, function: FunctionReference | None, index: int
) -> Expr:
    """One argument, converted to what the parameter takes."""
    if cursor.kind == Kind.UNEXPOSED_EXPR and function is not None and scope.clang.start(cursor)[0] == 0:
        operand = _default_argument(scope, cursor, function, index)
    else:
        operand = scope.expression(cursor)
    return pass_as(scope, operand, parameter)


def pass_as(scope: Scope, operand: Expr, parameter: Type | None) -> Expr:
    """A value as a parameter or return type takes it."""
    if parameter is None:
        return operand
    if isinstance(parameter, PointerType) and parameter.is_reference:
        if isinstance(operand.type, FunctionType) or isinstance(parameter.pointee, (FunctionType, OpaqueType)):
            return operand if isinstance(operand, FunctionName) else address_of(operand)
        if isinstance(parameter.pointee, RecordType) and isinstance(operand.type, RecordType):
            operand = base_subobject(scope, operand, parameter.pointee)
        return address_of(operand)
    if isinstance(parameter, (ScalarType, PointerType)) and isinstance(operand.type, (ScalarType, PointerType)):
        return convert(scope, operand, parameter)
    return operand


def _default_argument(scope: Scope, cursor: Cursor, function: FunctionReference, index: int) -> Expr:
    """libclang shows a place without source for it: take the expression of the declaration."""
    found = constant(scope, cursor)
    if found is not None:
        return found
    for declaration in (function.declaration, function.cursor, _template_of(scope, function)):
        if is_null(declaration):
            continue
        parameters = [child for child in scope.clang.children(declaration) if child.kind == Kind.PARM]
        if index < len(parameters):
            values = [child for child in value_children(scope, parameters[index]) if is_expression(child)]
            if values:
                return _lower_default(scope, values[-1], scope.types.of(cursor))
    return scope.opaque(cursor, "default argument without expression")


def _template_of(scope: Scope, function: FunctionReference) -> Cursor:
    found: Cursor = scope.clang.lib.clang_getSpecializedCursorTemplate(function.declaration)
    return found


def _lower_default(scope: Scope, cursor: Cursor, type_: Type) -> Expr:
    operand = scope.expression(cursor)
    if isinstance(operand.type, OpaqueType) or isinstance(operand, OpaqueExpr):
        return operand
    if isinstance(type_, RecordType) and not isinstance(operand.type, RecordType):
        return construction.from_value(scope, operand, type_)
    return convert(scope, operand, type_)


def _indirect_call(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """A call through a pointer, or of something unresolved."""
    position = scope.position(cursor)
    callee = scope.expression(children[0])
    function = callee.type
    if isinstance(function, PointerType):
        function = function.pointee
    arguments = tuple(scope.expression(child) for child in children[1:] if is_expression(child))
    if isinstance(callee, OpaqueExpr):
        return OpaqueExpr(scope.types.of(cursor), position, callee.reason, (*callee.operands, *arguments))
    result = function.result if isinstance(function, FunctionType) else scope.types.of(cursor)
    if isinstance(result, OpaqueType):
        result = scope.types.of(cursor)
    parameters = _parameter_types(scope, children[0])
    arguments = tuple(
        pass_as(scope, operand, parameters[index] if index < len(parameters) else None)
        for index, operand in enumerate(arguments)
    )
    found = Call(result, position, callee, arguments)
    return dereference(found) if _is_reference(result) else found


def _parameter_types(scope: Scope, callee: Cursor) -> list[Type]:
    lib = scope.clang.lib
    ctype = scope.clang.canonical_type(scope.clang.cursor_type(callee))
    pointee = lib.clang_getPointeeType(ctype)
    function = pointee if pointee.kind else ctype
    count = lib.clang_getNumArgTypes(function)
    return [scope.types.resolve(lib.clang_getArgType(function, index)) for index in range(max(count, 0))]


def _launch(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """``kernel<<<grid, block, shared, stream>>>(arguments)``; the configuration is the second child."""
    position = scope.position(cursor)
    callee = children[0]
    kernel = scope.expression(callee)
    configuration = scope.clang.children(children[1])[1:]
    reference = scope.unit.reference(scope.clang.referenced(children[1]))
    values = [value for value in configuration if is_expression(value)]
    grid, block = (argument(scope, value, None, reference, index) for index, value in enumerate(values[:2]))
    shared: Expr | None = None
    if len(values) > 2 and scope.clang.start(values[2])[0]:
        shared = scope.expression(values[2])
    function: FunctionReference | None = None
    referenced = scope.clang.referenced(cursor)
    if referenced.kind in FUNCTION_KINDS:
        function = scope.unit.reference(referenced)
        arguments = lower_arguments(scope, children[2:], function)
    else:
        parameters = _parameter_types(scope, callee)
        arguments = [
            pass_as(scope, scope.expression(child), parameters[index] if index < len(parameters) else None)
            for index, child in enumerate(child for child in children[2:] if is_expression(child))
        ]
    scope.unit.launches.append(position)
    scope.unit.launch_extents.append((scope.clang.start(cursor), scope.clang.end(cursor)))
    return Launch(ScalarType(Scalar.VOID), position, kernel, grid, block, shared, tuple(arguments))


@expression(Kind.NEW_EXPR)
def _new(scope: Scope, cursor: Cursor) -> Expr:
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    allocated = type_.pointee if isinstance(type_, PointerType) else type_
    children = scope.clang.children(cursor)
    values = [child for child in children if is_expression(child)]
    placement: list[Cursor] = []
    type_start = next((scope.clang.start(child)[3] for child in children if not is_expression(child)), None)
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
        else:
            initializer = scope.expression(value)
    if initializer is not None and isinstance(initializer, Construct) and isinstance(initializer.type, ArrayType):
        initializer = Construct(allocated, initializer.position, initializer.constructor, initializer.arguments)
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


@expression(Kind.THROW_EXPR)
def _throw(scope: Scope, cursor: Cursor) -> Expr:
    operands = tuple(scope.expression(child) for child in value_children(scope, cursor))
    return OpaqueExpr(ScalarType(Scalar.VOID), scope.position(cursor), "throw", operands)
