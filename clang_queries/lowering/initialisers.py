"""What a constructor does before its body: bases and members are initialised."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import REFERENCE_KINDS, Kind
from clang_queries.ir.expressions import Assign, Expr, Member, Position
from clang_queries.ir.statements import Evaluate, Stmt
from clang_queries.ir.types import RecordType
from clang_queries.lowering import aggregates, expressions
from clang_queries.lowering.implicit import default_member_value
from clang_queries.lowering.scope import Scope, address_of, dereference, is_expression, member_at


def member_initialisers(scope: Scope, children: list[Cursor], position: Position) -> list[Stmt]:
    """Initialisation of bases and members: written ones, defaults of fields, default constructors."""
    found: list[Stmt] = []
    written: set[int] = set()
    initialised_bases: set[str] = set()
    member: Cursor | None = None
    own = scope.this.record if scope.this is not None else None
    address = scope.this_address(position)
    if own is None or address is None:
        return found
    whole = dereference(address)
    for child in children:
        # template arguments of a base class stand before the expression that makes it
        if child.kind == Kind.MEMBER_REF:
            member = child
        elif child.kind in REFERENCE_KINDS or not is_expression(child):
            continue
        elif member is not None:
            declaration = scope.clang.referenced(member)
            written.add(declaration.d0 or 0)
            found.append(_initialise_field(scope, whole, declaration, child))
            member = None
        else:
            value = scope.expression(child)
            if not isinstance(value.type, RecordType):
                continue
            if value.type.key != own.key:
                offset = scope.types.base_offset(own.key, value.type.key) or 0
                initialised_bases.add(value.type.key)
                target = member_at(whole, value.type.name, value.type, offset)
                found.append(assign(target, value))
            else:
                return [assign(whole, value)]
    return implicit_initialisers(scope, whole, own, written, initialised_bases) + found


def assign(target: Expr, value: Expr) -> Stmt:
    """A statement that sets a subobject."""
    return Evaluate(value.position, Assign(target.type, value.position, target, value))


def _initialise_field(scope: Scope, whole: Expr, declaration: Cursor, value_cursor: Cursor) -> Stmt:
    info = scope.types.field(declaration)
    value = aggregates.initial_value(scope, value_cursor, info.type)
    target = expressions.field_of(scope, whole, info.parent, value.position, declaration)
    if info.is_reference:
        # the field itself is set, not what it refers to
        target = address_of(target)
    return assign(target, value)


def implicit_initialisers(
    scope: Scope, whole: Expr, own: RecordType, written: set[int], initialised_bases: set[str]
) -> list[Stmt]:
    """Default construction of the bases and members that no initialiser names."""
    found: list[Stmt] = []
    record = scope.types.records.get(own.key)
    declaration = scope.types.declarations.get(own.key)
    if record is None or declaration is None:
        return found
    for base in record.fields:
        is_base = isinstance(base.type, RecordType) and base.name == base.type.name
        if is_base and isinstance(base.type, RecordType) and base.type.key not in initialised_bases:
            value = aggregates.default_object(scope, base.type, whole.position)
            if value is not None:
                found.append(
                    assign(member_at(whole, base.name, base.type, base.offset_bytes), value)
                )
    for field in scope.clang.fields(scope.clang.cursor_type(declaration)):
        if (field.d0 or 0) in written:
            continue
        info = scope.types.field(field)
        default = default_member_value(scope, field)
        if default is not None:
            found.append(_initialise_field(scope, whole, field, default))
        elif isinstance(info.type, RecordType) and not record.is_union:
            value = aggregates.default_object(scope, info.type, whole.position)
            if value is not None:
                target = Member(info.type, whole.position, whole, info.name, info.offset_bytes)
                found.append(assign(target, value))
    return found
