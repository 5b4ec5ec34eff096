"""One function with its body."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Expr, Position, Variable
from clang_queries.ir.statements import (
    Compound,
    Function,
    Side,
    Stmt,
    Storage,
    VariableDeclaration,
)
from clang_queries.ir.types import PointerType, RecordType
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
from clang_queries.lowering.conversions import decayed
from clang_queries.lowering.hints import FunctionHints, Printed, function_hints
from clang_queries.lowering.implicit import is_implicit
from clang_queries.lowering.inherited import (
    bind_inherited_parameters,
    construct_base,
    is_inherited,
)
from clang_queries.lowering.initialisers import member_initialisers
from clang_queries.lowering.lost_parts import lost_parts
from clang_queries.lowering.scope import (
    Scope,
    ThisObject,
)
from clang_queries.lowering.text import source_text
from clang_queries.lowering.unit_context import UnitContext
from clang_queries.lowering.variable_rows import note_lengths
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
    leading: list[Stmt] = []
    if is_inherited(scope, cursor):
        given = bind_inherited_parameters(scope, reference, position)
        parameters += given
        leading = construct_base(scope, reference, given, position)
    else:
        parameters += _bind_parameters(scope, clang.parameters(cursor))
        if unit.prepare is not None:
            unit.prepare(scope, cursor)
        if cursor.kind == Kind.CONSTRUCTOR:
            leading = member_initialisers(scope, children, position)
    body: list[Stmt] = []
    if body_cursor is not None:
        scope.lost_parts = lost_parts(unit, body_cursor)
        body = list(_block(scope, body_cursor).body)
        body += [part.statement for part in scope.lost_parts]
    hints = FunctionHints()
    if any(child.kind == Kind.UNEXPOSED_ATTR for child in children):
        hints = function_hints(clang.pretty(cursor, terse=True))
    symbol = clang.text(clang.lib.clang_Cursor_getMangling(cursor))
    side = _side_of(children)
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
        body_bytes=_extent(unit, body_cursor),
        template_arguments=reference.template_arguments,
        max_threads_per_block=hints.max_threads_per_block,
        min_blocks_per_sm=hints.min_blocks_per_sm,
        is_inline_hint=bool(clang.lib.clang_Cursor_isFunctionInlined(cursor))
        or hints.is_always_inline,
        is_noinline=hints.is_noinline,
        has_cluster_sizes=any(
            child.kind == Kind.ANNOTATE_ATTR and clang.spelling(child) == "cluster_dims"
            for child in children
        ),
    )


def _extent(unit: UnitContext, body: Cursor | None) -> tuple[int, int] | None:
    if body is None:
        return None
    return unit.clang.start(body)[3], unit.clang.end(body)[3]


def _side_of(children: list[Cursor]) -> Side:
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


def _bind_parameters(scope: Scope, cursors: list[Cursor]) -> list[VariableDeclaration]:
    found = []
    for child in cursors:
        ctype = scope.clang.cursor_type(child)
        name = scope.clang.spelling(child)
        declaration = VariableDeclaration(
            key=scope.fresh_key(name or "parameter"),
            name=name,
            type=decayed(scope.types.resolve(ctype)),
            storage=Storage.PARAMETER,
            position=scope.position(child),
            is_const=scope.types.is_const(ctype),
        )
        scope.bind(child, declaration)
        note_lengths(scope, child, declaration.key, declaration.type)
        found.append(declaration)
    return found
