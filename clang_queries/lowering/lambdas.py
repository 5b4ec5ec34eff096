"""Lambdas: closure objects, and what their bodies see of them."""

from __future__ import annotations

from collections.abc import Callable

from clang_queries._cindex import Cursor
from clang_queries._kinds import FUNCTION_KINDS, Kind
from clang_queries.ir.expressions import Constant, Expr, InitList, Member, Position
from clang_queries.ir.statements import VariableDeclaration
from clang_queries.ir.types import PointerType, RecordType, Type
from clang_queries.lowering.aggregates import initial_value
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import (
    Scope,
    ThisObject,
    address_of,
    dereference,
    use_variable,
)
from clang_queries.lowering.types import FieldInfo, same_layout
from clang_queries.lowering.unit_context import Captured, Closure

AddressMaker = Callable[[Position], Expr]


@expression(Kind.LAMBDA_EXPR)
def _lambda(scope: Scope, cursor: Cursor) -> Expr:
    type_ = scope.types.of(cursor)
    if not isinstance(type_, RecordType):
        return scope.opaque(cursor, "lambda without a closure type")
    position = scope.position(cursor)
    declaration = scope.types.declarations[type_.key]
    for child in scope.clang.children(declaration):
        if child.kind in FUNCTION_KINDS and scope.clang.spelling(child) == "operator()":
            reference = scope.unit.reference(child)
            scope.unit.call_operators[type_.key] = reference.key
    fields = [
        scope.types.field(field)
        for field in scope.clang.fields(scope.clang.cursor_type(declaration))
    ]
    closure = Closure()
    scope.unit.closures[type_.key] = closure
    if not fields:
        return InitList(type_, position, ())
    elements = _capture(scope, cursor, fields, closure, position)
    return InitList(type_, position, tuple(elements))


def _capture(
    scope: Scope, cursor: Cursor, fields: list[FieldInfo], closure: Closure, position: Position
) -> list[tuple[int, Expr]]:
    """Matches the fields of the closure, which have no names, with what the body uses."""
    owner = None if scope.this is None else scope.this.record
    variables = sum(owner is None or not _is_this(field, owner) for field in fields)
    remaining = _without_constants(scope, _candidates(scope, cursor), variables)
    elements: list[tuple[int, Expr]] = []
    for index, field in enumerate(fields):
        stored, by_reference = _stored(field)
        place = next(
            (spot for spot, (_, type_) in enumerate(remaining) if same_layout(type_, stored)), None
        )
        if (
            scope.this is not None
            and _is_this(field, scope.this.record)
            and (place != 0 or len(fields) - index > len(remaining))
        ):
            elements.append(
                (field.offset_bytes, _capture_this(scope.this, field, closure, position))
            )
            continue
        if place is None:
            continue
        declaration, _ = remaining.pop(place)
        closure.captured[declaration.d0 or 0] = Captured(
            scope.clang.spelling(declaration), field.offset_bytes, stored, by_reference
        )
        value = _captured_value(scope, declaration, stored, position)
        elements.append((field.offset_bytes, address_of(value) if by_reference else value))
    return elements


def _stored(field: FieldInfo) -> tuple[Type, bool]:
    if field.is_reference and isinstance(field.type, PointerType):
        return field.type.pointee, True
    return field.type, False


def _is_this(field: FieldInfo, record: RecordType) -> bool:
    type_ = field.type.pointee if isinstance(field.type, PointerType) else field.type
    return isinstance(type_, RecordType) and type_.key == record.key


def _capture_this(this: ThisObject, field: FieldInfo, closure: Closure, position: Position) -> Expr:
    closure.this_offset = field.offset_bytes
    closure.this_type = this.record
    closure.copies_this = isinstance(field.type, RecordType)
    address = this.address(position)
    return dereference(address) if closure.copies_this else address


def _captured_value(scope: Scope, declaration: Cursor, stored: Type, position: Position) -> Expr:
    bound = scope.locals.get(declaration.d0 or 0)
    if bound is not None:
        return (
            use_variable(bound, position)
            if isinstance(bound, VariableDeclaration)
            else bound(position)
        )
    initializer = scope.clang.initializer(declaration)
    if initializer.kind >= Kind.UNEXPOSED_EXPR:
        return initial_value(scope, initializer, stored)
    return Constant(stored, position, 0)


def _candidates(scope: Scope, cursor: Cursor) -> list[tuple[Cursor, Type]]:
    """The variables that the lambda may capture with their types, explicit captures first, then by first use."""
    found: dict[int, tuple[Cursor, Type]] = {}
    children = scope.clang.children(cursor)
    for child in children:
        if child.kind == Kind.VARIABLE_REF:
            variable = scope.clang.referenced(child)
            found.setdefault(variable.d0 or 0, (variable, _object_type(scope, variable)))
    body = children[-1] if children else cursor
    _collect_uses(scope, body, found)
    return list(found.values())


def _without_constants(
    scope: Scope, candidates: list[tuple[Cursor, Type]], fields: int
) -> list[tuple[Cursor, Type]]:
    """Leaves out as many constants as the closure has no fields for: where only their values are used, it holds none."""
    surplus = len(candidates) - fields
    kept: list[tuple[Cursor, Type]] = []
    for variable, type_ in candidates:
        if surplus > 0 and scope.unit.constant_of(variable) is not None:
            surplus -= 1
        else:
            kept.append((variable, type_))
    return kept


def _object_type(scope: Scope, variable: Cursor) -> Type:
    type_ = scope.types.of(variable)
    if isinstance(type_, PointerType) and type_.is_reference:
        return type_.pointee
    return type_


def _collect_uses(scope: Scope, root: Cursor, found: dict[int, tuple[Cursor, Type]]) -> None:
    stack = [root]
    while stack:
        cursor = stack.pop()
        if cursor.kind == Kind.DECL_REF_EXPR:
            variable = scope.clang.referenced(cursor)
            key = variable.d0 or 0
            if key in scope.locals and key not in found:
                found[key] = (variable, _object_type(scope, variable))
            continue
        stack.extend(reversed(scope.clang.children(cursor)))


def bind_captures(scope: Scope, closure: Closure, record: RecordType) -> None:
    """Makes the captures visible in the body of the call operator."""
    if scope.this is None:
        return
    object_address = scope.this.address
    for key, captured in closure.captured.items():
        scope.locals[key] = scope.captured[captured.name] = _captured(object_address, captured)
    if closure.this_offset is not None and closure.this_type is not None:
        scope.this = ThisObject(
            closure.this_type, _captured_this(object_address, closure, closure.this_type)
        )
    else:
        scope.this = ThisObject(record, object_address)


def _captured(address: AddressMaker, captured: Captured) -> Callable[[Position], Expr]:
    name, offset, type_ = captured.name, captured.offset_bytes, captured.type

    def use(position: Position) -> Expr:
        base = dereference(address(position))
        if captured.by_reference:
            pointer = PointerType(type_, is_reference=True)
            return dereference(Member(pointer, position, base, name, offset))
        return Member(type_, position, base, name, offset)

    return use


def _captured_this(address: AddressMaker, closure: Closure, type_: RecordType) -> AddressMaker:
    def use(position: Position) -> Expr:
        base = dereference(address(position))
        if closure.copies_this:
            return address_of(Member(type_, position, base, "this", closure.this_offset or 0))
        return Member(PointerType(type_), position, base, "this", closure.this_offset or 0)

    return use
