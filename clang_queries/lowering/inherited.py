"""Inherited constructors (``using Base::Base;``): libclang shows a constructor without parameters and without a body."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Construct, Expr, Position, Variable
from clang_queries.ir.statements import Stmt, Storage, VariableDeclaration
from clang_queries.ir.types import RecordType
from clang_queries.lowering.initialisers import assign, implicit_initialisers
from clang_queries.lowering.scope import Scope, dereference, member_at
from clang_queries.lowering.unit_context import FunctionReference


def is_inherited(scope: Scope, cursor: Cursor) -> bool:
    """Whether a constructor stands for one of a base class: its parameters are counted but not shown."""
    if cursor.kind != Kind.CONSTRUCTOR:
        return False
    count = scope.clang.lib.clang_Cursor_getNumArguments(cursor)
    return count > 0 and not scope.clang.parameters(cursor)


def bind_inherited_parameters(
    scope: Scope, reference: FunctionReference, position: Position
) -> list[VariableDeclaration]:
    """Parameters in place of those that libclang does not show."""
    return [
        VariableDeclaration(
            key=scope.fresh_key("inherited"),
            name=f"inherited{number}",
            type=type_,
            storage=Storage.PARAMETER,
            position=position,
        )
        for number, type_ in enumerate(reference.parameters)
    ]


def construct_base(
    scope: Scope,
    reference: FunctionReference,
    parameters: list[VariableDeclaration],
    position: Position,
) -> list[Stmt]:
    """The base's constructor with the same arguments, and the members of the class itself."""
    address = scope.this_address(position)
    if scope.this is None or address is None:
        return []
    arguments = tuple(Variable(item.type, position, item.key, item.name) for item in parameters)
    return _construct(scope, scope.this.record, reference, dereference(address), arguments) or []


def _construct(
    scope: Scope,
    record: RecordType,
    wanted: FunctionReference,
    whole: Expr,
    arguments: tuple[Expr, ...],
) -> list[Stmt] | None:
    """Construction of a record by the nearest base with such parameters; None where no base shows a constructor of them."""
    known = scope.types.records.get(record.key)
    for base in () if known is None else known.fields:
        if not isinstance(base.type, RecordType) or base.name != base.type.name:
            continue
        part = member_at(whole, base.name, base.type, base.offset_bytes)
        found = _by_constructor(scope, base.type, wanted, part, arguments)
        if found is None:
            found = _construct(scope, base.type, wanted, part, arguments)
        if found is not None:
            return found + implicit_initialisers(scope, whole, record, set(), {base.type.key})
    return None


def _by_constructor(
    scope: Scope,
    record: RecordType,
    wanted: FunctionReference,
    whole: Expr,
    arguments: tuple[Expr, ...],
) -> list[Stmt] | None:
    declaration = scope.types.declarations.get(record.key)
    for child in () if declaration is None else scope.clang.children(declaration):
        if child.kind != Kind.CONSTRUCTOR:
            continue
        reference = scope.unit.reference(child)
        if reference.parameters == wanted.parameters:
            position = whole.position
            constructor = reference.name_expression(position)
            return [assign(whole, Construct(record, position, constructor, arguments))]
    return None
