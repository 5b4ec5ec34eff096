"""One function with its body."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import REFERENCE_KINDS, Kind
from clang_queries.ir.expressions import Assign, Expr, Member, Position, Variable
from clang_queries.ir.statements import (
    Compound,
    Evaluate,
    Function,
    Side,
    Stmt,
    Storage,
    VariableDeclaration,
)
from clang_queries.ir.types import ArrayType, PointerType, RecordType, Type
from clang_queries.lowering import (
    aggregates,
    allocation,
    calls,
    construction,
    expressions,
    lambdas,
    loops,
    operators,
    statements,
)
from clang_queries.lowering.hints import FunctionHints, Printed, function_hints
from clang_queries.lowering.implicit import default_member_value, is_implicit
from clang_queries.lowering.scope import (
    Scope,
    ThisObject,
    address_of,
    dereference,
    is_expression,
    member_at,
)
from clang_queries.lowering.text import source_text
from clang_queries.lowering.unit_context import UnitContext
from clang_queries.signatures import demangle

HANDLER_MODULES = (
    aggregates,
    allocation,
    calls,
    construction,
    expressions,
    lambdas,
    loops,
    operators,
    statements,
)
"""Imported for the handlers that they register."""
_INLINE_PARTS = frozenset({Kind.COMPOUND_STMT, Kind.TRY_STMT})


def body_of(unit: UnitContext, cursor: Cursor) -> Cursor | None:
    """The body of a function, None of a mere declaration."""
    children = unit.clang.children(cursor)
    if children and children[-1].kind in _INLINE_PARTS:
        return children[-1]
    return None


def lower_function(unit: UnitContext, key: str, cursor: Cursor) -> Function | None:
    """Lowers a function; None where no body is visible."""
    clang = unit.clang
    children = clang.children(cursor)
    body_cursor = children[-1] if children and children[-1].kind in _INLINE_PARTS else None
    is_synthesised = (
        body_cursor is None and cursor.kind == Kind.CONSTRUCTOR and _is_implicit(unit, cursor)
    )
    if body_cursor is None and not is_synthesised:
        return None
    reference = unit.reference(cursor)
    scope = Scope(unit, key, reference.result)
    printed = Printed(clang, cursor)
    scope.loop_hint = lambda loop: printed.next_loop(source_text(scope, loop))
    scope.parse_asm = printed.next_asm
    position = unit.position(cursor)
    parameters: list[VariableDeclaration] = []
    if reference.is_method and reference.record is not None:
        parameters.append(_bind_this(scope, reference.record, position))
    parameters += _bind_parameters(scope, children)
    if unit.prepare is not None:
        unit.prepare(scope, cursor)
    leading = _initialisers(scope, children, position) if cursor.kind == Kind.CONSTRUCTOR else []
    body: list[Stmt] = []
    if body_cursor is not None:
        body = list(_block(scope, body_cursor).body)
    hints = FunctionHints()
    if any(child.kind == Kind.UNEXPOSED_ATTR for child in children):
        hints = function_hints(clang.pretty(cursor, terse=True))
    symbol = clang.text(clang.lib.clang_Cursor_getMangling(cursor))
    side = side_of(children)
    unit.instantiated.add(clang.lib.clang_getSpecializedCursorTemplate(cursor).d0 or 0)
    return Function(
        key=key,
        name=reference.name,
        signature=demangle(symbol) if symbol else reference.name,
        symbol=symbol,
        side=side,
        result=reference.result,
        parameters=tuple(parameters),
        body=Compound(position, (*leading, *body)),
        position=position,
        end_line=clang.end(cursor)[1],
        template_arguments=reference.template_arguments,
        max_threads_per_block=hints.max_threads_per_block,
        min_blocks_per_sm=hints.min_blocks_per_sm,
        is_inline_hint=bool(clang.lib.clang_Cursor_isFunctionInlined(cursor))
        or hints.is_always_inline,
        is_noinline=hints.is_noinline,
    )


def side_of(children: list[Cursor]) -> Side:
    """Who may call a function, from its attributes."""
    kinds = {child.kind for child in children}
    if Kind.CUDA_GLOBAL_ATTR in kinds:
        return Side.KERNEL
    if Kind.CUDA_DEVICE_ATTR in kinds:
        return Side.BOTH if Kind.CUDA_HOST_ATTR in kinds else Side.DEVICE
    return Side.HOST


def _is_implicit(unit: UnitContext, cursor: Cursor) -> bool:
    scope = Scope(unit, "", unit.types.of(cursor))
    return is_implicit(scope, cursor)


def _block(scope: Scope, cursor: Cursor) -> Compound:
    if cursor.kind == Kind.COMPOUND_STMT:
        return statements.compound(scope, cursor)
    return Compound(scope.position(cursor), tuple(scope.statements(cursor)))


def _bind_this(scope: Scope, record: RecordType, position: Position) -> VariableDeclaration:
    pointer = PointerType(record)

    def address(place: Position) -> Expr:
        return Variable(pointer, place, "this", "this")

    scope.this = ThisObject(record, address)
    closure = scope.unit.closures.get(record.key)
    if closure is not None:
        lambdas.bind_captures(scope, closure, record)
    return VariableDeclaration(
        key="this",
        name="this",
        type=pointer,
        storage=Storage.PARAMETER,
        position=position,
        is_const=True,
    )


def _bind_parameters(scope: Scope, children: list[Cursor]) -> list[VariableDeclaration]:
    found = []
    for child in children:
        if child.kind != Kind.PARM:
            continue
        ctype = scope.clang.cursor_type(child)
        name = scope.clang.spelling(child)
        declaration = VariableDeclaration(
            key=scope.fresh_key(name or "parameter"),
            name=name,
            type=_decayed(scope.types.resolve(ctype)),
            storage=Storage.PARAMETER,
            position=scope.position(child),
            is_const=scope.types.is_const(ctype),
        )
        scope.bind(child, declaration)
        found.append(declaration)
    return found


def _decayed(type_: Type) -> Type:
    return PointerType(type_.element) if isinstance(type_, ArrayType) else type_


def _initialisers(scope: Scope, children: list[Cursor], position: Position) -> list[Stmt]:
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
                found.append(_assign(target, value))
            else:
                return [_assign(whole, value)]
    return _implicit_initialisers(scope, whole, own, written, initialised_bases) + found


def _assign(target: Expr, value: Expr) -> Stmt:
    return Evaluate(value.position, Assign(target.type, value.position, target, value))


def _initialise_field(scope: Scope, whole: Expr, declaration: Cursor, value_cursor: Cursor) -> Stmt:
    info = scope.types.field(declaration)
    value = aggregates.initial_value(scope, value_cursor, info.type)
    target = expressions.field_of(scope, whole, info.parent, value.position, declaration)
    if info.is_reference:
        # the field itself is set, not what it refers to
        target = address_of(target)
    return _assign(target, value)


def _implicit_initialisers(
    scope: Scope, whole: Expr, own: RecordType, written: set[int], initialised_bases: set[str]
) -> list[Stmt]:
    found: list[Stmt] = []
    record = scope.types.records.get(own.key)
    declaration = scope.types.declarations.get(own.key)
    if record is None or declaration is None:
        return found
    for base in record.fields:
        is_base = isinstance(base.type, RecordType) and base.name == base.type.name
        if is_base and isinstance(base.type, RecordType) and base.type.key not in initialised_bases:
            value = construction.default_object(scope, base.type, whole.position)
            if value is not None:
                found.append(
                    _assign(member_at(whole, base.name, base.type, base.offset_bytes), value)
                )
    for field in scope.clang.fields(scope.clang.cursor_type(declaration)):
        if (field.d0 or 0) in written:
            continue
        info = scope.types.field(field)
        default = default_member_value(scope, field)
        if default is not None:
            found.append(_initialise_field(scope, whole, field, default))
        elif isinstance(info.type, RecordType) and not record.is_union:
            value = construction.default_object(scope, info.type, whole.position)
            if value is not None:
                target = Member(info.type, whole.position, whole, info.name, info.offset_bytes)
                found.append(_assign(target, value))
    return found
