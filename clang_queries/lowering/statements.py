"""Statements and local declarations."""

from __future__ import annotations

import re

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import LOOP_KINDS, Kind, TypeKind
from clang_queries.ir.expressions import Expr, Position
from clang_queries.ir.statements import (
    Asm,
    Break,
    Case,
    Compound,
    Continue,
    Declare,
    Evaluate,
    Goto,
    If,
    Label,
    OpaqueStmt,
    Return,
    Stmt,
    Storage,
    Switch,
    VariableDeclaration,
)
from clang_queries.ir.types import ArrayType, Scalar, ScalarType
from clang_queries.lowering.aggregates import initial_value
from clang_queries.lowering.bindings import structured_binding
from clang_queries.lowering.conversions import as_condition, pass_as
from clang_queries.lowering.expressions import value_children
from clang_queries.lowering.registry import statement
from clang_queries.lowering.scope import (
    Scope,
    is_expression,
    is_statement,
)
from clang_queries.lowering.text import source_text, text_between
from clang_queries.lowering.variable_rows import note_lengths, product_of
from clang_queries.lowering.variables import storage_of


@statement(Kind.UNEXPOSED_EXPR)
def _expression_statement(scope: Scope, cursor: Cursor) -> list[Stmt]:
    if not is_expression(cursor):
        return []
    expression = scope.expression(cursor)
    return [Evaluate(expression.position, expression)]


@statement(Kind.UNEXPOSED_STMT)
def _other_statement(scope: Scope, cursor: Cursor) -> list[Stmt]:
    """Attributed statements hold one statement; anything else is unknown."""
    children = [
        child
        for child in scope.clang.children(cursor)
        if is_statement(child) or is_expression(child)
    ]
    if cursor.kind == Kind.UNEXPOSED_STMT and len(children) == 1:
        if children[0].kind in LOOP_KINDS:
            scope.pending_hint = scope.loop_hint(cursor)
        return scope.plain_statements(children[0])
    scope.unit.opaque(f"statement kind {cursor.kind}")
    operands = tuple(scope.expression(child) for child in children if is_expression(child))
    return [OpaqueStmt(scope.position(cursor), f"statement kind {cursor.kind}", operands)]


@statement(Kind.COMPOUND_STMT)
def _compound(scope: Scope, cursor: Cursor) -> list[Stmt]:
    return [compound(scope, cursor)]


def compound(scope: Scope, cursor: Cursor) -> Compound:
    """A block; names declared in it end with it."""
    names = dict(scope.names) if scope.end_hook is not None else None
    body: list[Stmt] = []
    for child in scope.clang.children(cursor):
        body.extend(scope.statements(child))
    if scope.end_hook is not None:
        body.extend(scope.end_hook(scope, cursor))
    if names is not None:
        scope.names = names
    return Compound(scope.position(cursor), tuple(body))


@statement(Kind.NULL_STMT, Kind.STATIC_ASSERT)
def _nothing(_scope: Scope, _cursor: Cursor) -> list[Stmt]:
    return []


@statement(Kind.DECL_STMT)
def _declarations(scope: Scope, cursor: Cursor) -> list[Stmt]:
    found: list[Stmt] = []
    for child in scope.clang.children(cursor):
        if child.kind == Kind.VAR:
            found.append(declare(scope, child))
        elif child.kind == Kind.ENUM:
            scope.unit.add_enumerators(child)
        elif child.kind == Kind.UNEXPOSED_DECL:
            found.extend(structured_binding(scope, child))
    return found


def declare(scope: Scope, cursor: Cursor) -> Declare:
    """A local variable with its initialiser."""
    clang = scope.clang
    ctype = clang.cursor_type(cursor)
    type_ = scope.types.resolve(ctype)
    name = clang.spelling(cursor)
    children = clang.children(cursor)
    storage = storage_of(scope, cursor, children, Storage.LOCAL)
    key = (
        scope.fresh_key(name)
        if storage is Storage.LOCAL
        else f"{scope.key}@{scope.fresh_key(name)}"
    )
    length: Expr | None = None
    if isinstance(type_, ArrayType) and type_.length is None:
        canonical = clang.canonical_type(ctype)
        if canonical.kind == TypeKind.VARIABLE_ARRAY:
            lengths = [child for child in children if is_expression(child)]
            numbers = [scope.expression(item) for item in lengths]
            if numbers:
                is_plain = len(numbers) == 1
                length = numbers[0] if is_plain else product_of(numbers, scope.position(cursor))
    position = scope.position(cursor)
    # the name is visible in its own initialiser, as in a recursive lambda
    plain = VariableDeclaration(
        key=key,
        name=name,
        type=type_,
        storage=storage,
        position=position,
        length=length,
        is_const=scope.types.is_const(ctype),
        is_volatile=scope.types.is_volatile(ctype),
    )
    scope.bind(cursor, plain)
    note_lengths(scope, cursor, key, type_)
    initializer = clang.initializer(cursor)
    if is_null(initializer):
        return Declare(position, plain)
    value = initial_value(scope, initializer, type_)
    full = VariableDeclaration(
        key=key,
        name=name,
        type=type_,
        storage=storage,
        position=position,
        initializer=value,
        length=length,
        is_const=plain.is_const,
        is_volatile=plain.is_volatile,
    )
    scope.bind(cursor, full)
    return Declare(position, full)


@statement(Kind.IF_STMT)
def _if(scope: Scope, cursor: Cursor) -> list[Stmt]:
    children = scope.clang.children(cursor)
    leading: list[Stmt] = []
    while children and (children[0].kind in (Kind.DECL_STMT, Kind.VAR) or _is_initial(children)):
        first = children.pop(0)
        leading += (
            [declare(scope, first)] if first.kind == Kind.VAR else scope.plain_statements(first)
        )
    if len(children) < 2:
        scope.unit.opaque("if without condition")
        return [*leading, OpaqueStmt(scope.position(cursor), "if without condition")]
    position = scope.position(cursor)
    decided = None
    if re.match(rb"if\s+constexpr\b", source_text(scope, cursor)):
        decided = scope.clang.evaluate(children[0])
    if decided is not None:
        taken = children[1] if decided else (children[2] if len(children) > 2 else None)
        if not decided and scope.skip_hook is not None:
            scope.skip_hook(children[1])
        chosen = [] if taken is None else [scope.statement(taken)]
        return _in_block(position, leading, chosen)
    condition = as_condition(scope, scope.expression(children[0]))
    then = scope.statement(children[1])
    otherwise = scope.statement(children[2]) if len(children) > 2 else None
    return _in_block(position, leading, [If(position, condition, then, otherwise)])


def _is_initial(children: list[Cursor]) -> bool:
    """Whether the first child is the initial statement of ``if (f(); x)``: an expression before the condition."""
    return (
        len(children) > 2
        and is_expression(children[0])
        and is_expression(children[1])
        and len(children) > 3
    )


def _in_block(position: Position, leading: list[Stmt], rest: list[Stmt]) -> list[Stmt]:
    return [Compound(position, (*leading, *rest))] if leading else rest


@statement(Kind.SWITCH_STMT)
def _switch(scope: Scope, cursor: Cursor) -> list[Stmt]:
    children = scope.clang.children(cursor)
    leading: list[Stmt] = _switch_initial(scope, cursor, children[0]) if children else []
    while children and children[0].kind in (Kind.DECL_STMT, Kind.VAR):
        first = children.pop(0)
        leading += (
            [declare(scope, first)] if first.kind == Kind.VAR else scope.plain_statements(first)
        )
    position = scope.position(cursor)
    if len(children) < 2:
        scope.unit.opaque("switch without body")
        return [*leading, OpaqueStmt(position, "switch without body")]
    selector = scope.expression(children[0])
    body = children[-1]
    items = scope.clang.children(body) if body.kind == Kind.COMPOUND_STMT else [body]
    cases: list[Case] = []
    before: list[Stmt] = []
    values: list[tuple[int, int]] = []
    is_default = False
    statements: list[Stmt] = []
    is_open = False
    for item in items:
        if item.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
            if is_open:
                cases.append(Case(tuple(values), is_default, tuple(statements)))
            values, is_default, statements, is_open = [], False, [], True
            inner: Cursor | None = item
            while inner is not None and inner.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
                is_default = is_default or inner.kind == Kind.DEFAULT_STMT
                inner = _case_label(scope, inner, values)
            if inner is not None:
                statements.extend(scope.statements(inner))
        elif is_open:
            statements.extend(scope.statements(item))
        else:
            before.extend(scope.statements(item))
    if is_open:
        cases.append(Case(tuple(values), is_default, tuple(statements)))
    declared: list[Stmt] = [statement_ for statement_ in before if isinstance(statement_, Declare)]
    return _in_block(position, [*leading, *declared], [Switch(position, selector, tuple(cases))])


def _switch_initial(scope: Scope, cursor: Cursor, first: Cursor) -> list[Stmt]:
    """The initial statement of ``switch (T m = x; m)``, which libclang does not show: its variables, found by their uses."""
    clang = scope.clang
    begin, end = clang.start(cursor), clang.start(first)
    if b";" not in text_between(scope, begin, end):
        return []
    found: dict[int, Cursor] = {}
    stack = [cursor]
    while stack:
        current = stack.pop()
        stack.extend(clang.children(current))
        if current.kind == Kind.DECL_REF_EXPR:
            variable = clang.referenced(current)
            handle, _, _, offset = clang.place(variable)
            if variable.kind == Kind.VAR and handle == begin[0] and begin[3] < offset < end[3]:
                found[offset] = variable
    if not found:
        reason = "initial statement of a switch"
        scope.unit.opaque(reason)
        return [OpaqueStmt(scope.position(cursor), reason)]
    return [declare(scope, variable) for _, variable in sorted(found.items())]


def _case_label(scope: Scope, cursor: Cursor, values: list[tuple[int, int]]) -> Cursor | None:
    """Reads one label; returns the statement behind it."""
    children = scope.clang.children(cursor)
    if cursor.kind == Kind.DEFAULT_STMT:
        return children[-1] if children else None
    labels = [child for child in children[:-1] if is_expression(child)]
    numbers = [scope.clang.evaluate(label) for label in labels]
    low = numbers[0] if numbers else None
    high = numbers[1] if len(numbers) > 1 else low
    if isinstance(low, int) and isinstance(high, int):
        values.append((low, high))
    else:
        scope.unit.opaque("case label without value")
    return children[-1] if len(children) > 1 else None


@statement(Kind.CASE_STMT, Kind.DEFAULT_STMT)
def _stray_case(scope: Scope, cursor: Cursor) -> list[Stmt]:
    """A label inside another statement of the switch (Duff's device): its statement runs in sequence."""
    scope.unit.opaque("case label inside another statement")
    values: list[tuple[int, int]] = []
    inner = _case_label(scope, cursor, values)
    rest = [] if inner is None else scope.statements(inner)
    return [OpaqueStmt(scope.position(cursor), "case label inside another statement"), *rest]


@statement(Kind.BREAK_STMT)
def _break(scope: Scope, cursor: Cursor) -> list[Stmt]:
    return [Break(scope.position(cursor))]


@statement(Kind.CONTINUE_STMT)
def _continue(scope: Scope, cursor: Cursor) -> list[Stmt]:
    return [Continue(scope.position(cursor))]


@statement(Kind.RETURN_STMT)
def _return(scope: Scope, cursor: Cursor) -> list[Stmt]:
    children = value_children(scope, cursor)
    position = scope.position(cursor)
    if not children:
        return [Return(position, None)]
    if children[-1].kind == Kind.INIT_LIST_EXPR:
        return [Return(position, initial_value(scope, children[-1], scope.result))]
    value = scope.expression(children[-1])
    if isinstance(scope.result, ScalarType) and scope.result.scalar is Scalar.VOID:
        return [Evaluate(position, value), Return(position, None)]
    return [Return(position, pass_as(scope, value, scope.result))]


@statement(Kind.GOTO_STMT)
def _goto(scope: Scope, cursor: Cursor) -> list[Stmt]:
    labels = [child for child in scope.clang.children(cursor) if child.kind == Kind.LABEL_REF]
    return [Goto(scope.position(cursor), scope.clang.spelling(labels[0]) if labels else "")]


@statement(Kind.LABEL_STMT)
def _label(scope: Scope, cursor: Cursor) -> list[Stmt]:
    position = scope.position(cursor)
    children = scope.clang.children(cursor)
    body = scope.statement(children[-1]) if children else Compound(position, ())
    return [Label(position, scope.clang.spelling(cursor), body)]


@statement(Kind.TRY_STMT)
def _try(scope: Scope, cursor: Cursor) -> list[Stmt]:
    """The body of a try; handlers are taken never to run."""
    children = scope.clang.children(cursor)
    return scope.statements(children[0]) if children else []


@statement(Kind.ASM_STMT)
def _asm(scope: Scope, cursor: Cursor) -> list[Stmt]:
    position = scope.position(cursor)
    operands = [
        scope.expression(child) for child in scope.clang.children(cursor) if is_expression(child)
    ]
    text = source_text(scope, cursor).decode("utf-8", "replace")
    parsed = scope.parse_asm(text)
    if parsed is None:
        scope.unit.opaque("asm without readable text")
        return [OpaqueStmt(position, "asm without readable text", tuple(operands))]
    outputs = min(parsed.output_count, len(operands))
    return [Asm(position, parsed.template, tuple(operands[:outputs]), tuple(operands[outputs:]))]
