"""Loops of every form."""

from __future__ import annotations

from dataclasses import replace

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import (
    AddressOf,
    Assign,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Comma,
    Constant,
    Construct,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    Member,
    Position,
    Variable,
)
from clang_queries.ir.statements import (
    Compound,
    Declare,
    Loop,
    OpaqueStmt,
    Stmt,
    Storage,
    VariableDeclaration,
)
from clang_queries.ir.types import (
    ArrayType,
    FunctionType,
    PointerType,
    RecordType,
    Scalar,
    ScalarType,
)
from clang_queries.lowering.aggregates import initial_value
from clang_queries.lowering.bindings import structured_binding
from clang_queries.lowering.conversions import as_condition
from clang_queries.lowering.registry import statement
from clang_queries.lowering.scope import (
    Scope,
    address_of,
    is_expression,
    is_statement,
    use_variable,
)
from clang_queries.lowering.statements import declare
from clang_queries.lowering.text import text_between

_LIST_SIZE_OFFSET = 8
"""Of the length in an `initializer_list`, behind the pointer to its array."""
_BOOL = ScalarType(Scalar.BOOL)


@statement(Kind.FOR_STMT)
def _for(scope: Scope, cursor: Cursor) -> list[Stmt]:
    children = scope.clang.children(cursor)
    position = scope.position(cursor)
    if not children:
        return [OpaqueStmt(position, "for without body")]
    hint = scope.take_hint()
    initial_cursor, declared, condition_cursor, step_cursor = _parts(
        scope, cursor, children[:-1], children[-1]
    )
    initial: list[Stmt] = [] if initial_cursor is None else scope.plain_statements(initial_cursor)
    if declared is not None:
        condition = _declared_condition(scope, declared, condition_cursor, initial)
    else:
        condition = None if condition_cursor is None else _condition(scope, condition_cursor)
    step = None if step_cursor is None else scope.expression(step_cursor)
    body = scope.statement(children[-1])
    return [Loop(position, tuple(initial), condition, step, body, unroll=hint)]


def _parts(
    scope: Scope, cursor: Cursor, parts: list[Cursor], body: Cursor
) -> tuple[Cursor | None, Cursor | None, Cursor | None, Cursor | None]:
    """Initial statement, condition variable, condition and step; libclang leaves out the absent ones without a trace."""
    declared = next((part for part in parts if part.kind == Kind.VAR), None)
    rest = [part for part in parts if part.kind != Kind.VAR]
    if declared is not None:
        initial = rest[0] if len(rest) == 3 or (rest and rest[0].kind == Kind.DECL_STMT) else None
        others = rest[1:] if initial is not None else rest
        step = others[1] if len(others) > 1 else None
        return initial, declared, others[0] if others else None, step
    if len(rest) == 3:
        return rest[0], None, rest[1], rest[2]
    separators = _separators(scope, cursor, body)
    slots: list[Cursor | None] = [None, None, None]
    if separators is not None:
        for part in rest:
            offset = scope.clang.start(part)[3]
            slots[sum(offset > separator for separator in separators)] = part
        if sum(slot is not None for slot in slots) == len(rest):
            return slots[0], None, slots[1], slots[2]
    return _guess_parts(scope, rest)


def _guess_parts(
    scope: Scope, parts: list[Cursor]
) -> tuple[Cursor | None, None, Cursor | None, Cursor | None]:
    """In a macro the separators cannot be seen: declarations start, truth values test, the rest steps."""
    initial = condition = step = None
    for part in parts:
        is_test = scope.types.of(part) == _BOOL
        if part.kind == Kind.DECL_STMT and initial is None:
            initial = part
        elif is_test and condition is None:
            condition = part
        elif condition is None and initial is None and len(parts) > 1:
            initial = part
        else:
            step = part
    return initial, None, condition, step


def _separators(scope: Scope, cursor: Cursor, body: Cursor) -> list[int] | None:
    """Offsets of the two semicolons in the head of a for statement."""
    start, end = scope.clang.start(cursor), scope.clang.start(body)
    text = text_between(scope, start, end)
    opening = text.find(b"(")
    if not text.startswith(b"for") or opening < 0:
        return None
    found: list[int] = []
    depth = 0
    position = opening
    while position < len(text):
        character = text[position : position + 1]
        if character in (b"(", b"[", b"{"):
            depth += 1
        elif character in (b")", b"]", b"}"):
            depth -= 1
            if depth == 0:
                break
        elif character in (b'"', b"'"):
            position = _skip_quoted(text, position)
            continue
        elif text.startswith(b"//", position):
            newline = text.find(b"\n", position)
            position = len(text) if newline < 0 else newline
            continue
        elif text.startswith(b"/*", position):
            close = text.find(b"*/", position)
            position = len(text) if close < 0 else close + 2
            continue
        elif character == b";" and depth == 1:
            found.append(start[3] + position)
        position += 1
    return found if len(found) == 2 else None


def _skip_quoted(text: bytes, position: int) -> int:
    quote = text[position]
    position += 1
    while position < len(text) and text[position] != quote:
        position += 2 if text[position] == ord("\\") else 1
    return position + 1


def _condition(scope: Scope, cursor: Cursor) -> Expr:
    return as_condition(scope, scope.expression(cursor))


def _declared_condition(
    scope: Scope, declared: Cursor, condition: Cursor | None, initial: list[Stmt]
) -> Expr | None:
    """``while (T x = f())``: the variable is declared before the loop and assigned at each test."""
    declaration = declare(scope, declared).variable
    initial.append(Declare(declaration.position, replace(declaration, initializer=None)))
    tested = None if condition is None else _condition(scope, condition)
    if declaration.initializer is None:
        return tested
    target = use_variable(declaration, declaration.position)
    assigned = Assign(target.type, declaration.position, target, declaration.initializer)
    return assigned if tested is None else Comma(tested.type, tested.position, assigned, tested)


@statement(Kind.WHILE_STMT)
def _while(scope: Scope, cursor: Cursor) -> list[Stmt]:
    children = scope.clang.children(cursor)
    position = scope.position(cursor)
    hint = scope.take_hint()
    if len(children) < 2:
        scope.unit.opaque("while without condition")
        return [OpaqueStmt(position, "while without condition")]
    initial: list[Stmt] = []
    if children[0].kind == Kind.VAR:
        tested = children[1] if len(children) > 2 else None
        condition = _declared_condition(scope, children[0], tested, initial)
    else:
        condition = _condition(scope, children[0])
    body = scope.statement(children[-1])
    return [Loop(position, tuple(initial), condition, None, body, unroll=hint)]


@statement(Kind.DO_STMT)
def _do(scope: Scope, cursor: Cursor) -> list[Stmt]:
    children = scope.clang.children(cursor)
    position = scope.position(cursor)
    hint = scope.take_hint()
    if len(children) < 2:
        scope.unit.opaque("do without condition")
        return [OpaqueStmt(position, "do without condition")]
    body = scope.statement(children[0])
    condition = _condition(scope, children[1])
    return [Loop(position, (), condition, None, body, tests_before=False, unroll=hint)]


@statement(Kind.FOR_RANGE_STMT)
def _range_for(scope: Scope, cursor: Cursor) -> list[Stmt]:
    """``for (auto& x : range)`` as a loop over two iterators, the way the standard defines it."""
    children = scope.clang.children(cursor)
    position = scope.position(cursor)
    hint = scope.take_hint()
    parts = [
        child for child in children if child.kind in (Kind.VAR, Kind.DECL_STMT, Kind.UNEXPOSED_DECL)
    ]
    initial: list[Stmt] = []
    if len(parts) > 1 and parts[0].kind == Kind.DECL_STMT:
        initial += scope.plain_statements(parts.pop(0))
    variable = parts[-1] if parts else None
    if variable is None or len(children) < 3:
        scope.unit.opaque("range-based for without variable")
        return [OpaqueStmt(position, "range-based for without variable")]
    body_cursor = children[-1]
    begin = _find_hidden(scope, variable, b"__begin")
    range_cursor = next(
        (
            child
            for child in reversed(children[:-1])
            if is_expression(child) and not is_statement(child)
        ),
        None,
    )
    if range_cursor is None:
        scope.unit.opaque("range-based for without range")
        return [OpaqueStmt(position, "range-based for without range")]
    whole = scope.expression(range_cursor)
    if begin is None:
        scope.unit.opaque("range-based for without iterator")
        body = scope.statement(body_cursor)
        return [OpaqueStmt(position, "range-based for without iterator", (whole,)), body]
    iterators = _iterators(scope, begin, whole, position, initial)
    if iterators is None:
        scope.unit.opaque("range-based for over an unknown range")
        return [
            OpaqueStmt(position, "range-based for over an unknown range", (whole,)),
            scope.statement(body_cursor),
        ]
    condition, step = iterators
    if variable.kind == Kind.VAR:
        element: list[Stmt] = [declare(scope, variable)]
    elif variable.kind == Kind.UNEXPOSED_DECL:
        element = structured_binding(scope, variable)
    else:
        element = scope.plain_statements(variable)
    inner = scope.statement(body_cursor)
    body = Compound(inner.position, (*element, inner))
    return [Loop(position, tuple(initial), condition, step, body, unroll=hint)]


def _find_hidden(scope: Scope, root: Cursor, prefix: bytes) -> Cursor | None:
    """The declaration of a variable that the compiler adds, found through a use of it."""
    stack = [root]
    while stack:
        current = stack.pop()
        if current.kind == Kind.DECL_REF_EXPR:
            referenced = scope.clang.referenced(current)
            if scope.clang.spelling(referenced).encode().startswith(prefix):
                found: Cursor = referenced
                return found
        stack.extend(scope.clang.children(current))
    return None


def _hidden(
    scope: Scope, cursor: Cursor | None, name: str, value: Expr, initial: list[Stmt]
) -> VariableDeclaration:
    type_ = value.type if cursor is None else scope.types.of(cursor)
    declaration = VariableDeclaration(
        key=scope.fresh_key(name),
        name=name,
        type=type_,
        storage=Storage.LOCAL,
        position=value.position,
        initializer=value,
    )
    if cursor is not None:
        scope.bind(cursor, declaration)
    initial.append(Declare(value.position, declaration))
    return declaration


def _iterators(
    scope: Scope, begin: Cursor, whole: Expr, position: Position, initial: list[Stmt]
) -> tuple[Expr, Expr] | None:
    """Declares range, begin and end; gives the condition and the step."""
    begin_value = scope.clang.initializer(begin)
    if is_null(begin_value):
        return None
    if isinstance(whole.type, ArrayType):
        return _array_iterators(scope, begin, whole, whole.type, initial)
    hidden_range = _find_hidden(scope, begin_value, b"__range")
    address = address_of(whole)
    range_variable = _hidden(scope, None, "__range", address, initial)
    if hidden_range is not None:
        as_reference = replace(range_variable, type=PointerType(whole.type, is_reference=True))
        initial[-1] = Declare(position, as_reference)
        scope.bind(hidden_range, as_reference)
    start = initial_value(scope, begin_value, scope.types.of(begin))
    first = _hidden(scope, begin, "__begin", start, initial)
    stop = _counted_end(first, range_variable, whole) or _matching_end(scope, start, whole)
    if stop is None:
        return None
    last = _hidden(scope, None, "__end", stop, initial)
    left, right = use_variable(first, position), use_variable(last, position)
    if isinstance(first.type, (PointerType, ScalarType)):
        return (
            Binary(_BOOL, position, BinaryOp.NE, left, right),
            IncDec(first.type, position, left, 1, is_prefix=True),
        )
    if isinstance(first.type, RecordType):
        return _class_iterator(scope, first.type, left, right, position)
    return None


def _array_iterators(
    scope: Scope, begin: Cursor, whole: Expr, array: ArrayType, initial: list[Stmt]
) -> tuple[Expr, Expr]:
    position = whole.position
    pointer = PointerType(array.element)
    first = _hidden(scope, begin, "__begin", Cast(pointer, position, whole), initial)
    length = Constant(ScalarType(Scalar.I64), position, array.length or 0)
    start = use_variable(first, position)
    last = _hidden(
        scope, None, "__end", Binary(pointer, position, BinaryOp.ADD, start, length), initial
    )
    condition = Binary(_BOOL, position, BinaryOp.NE, start, use_variable(last, position))
    return condition, IncDec(first.type, position, start, 1, is_prefix=True)


def _counted_end(
    first: VariableDeclaration, range_variable: VariableDeclaration, whole: Expr
) -> Expr | None:
    """Begin plus length, for the ranges of the library whose layout the bundled headers fix.

    The tree shows the call of ``begin`` but not that of ``end``, and no members of a class template's instance.
    """
    if not isinstance(whole.type, RecordType) or not isinstance(first.type, PointerType):
        return None
    position = whole.position
    size = ScalarType(Scalar.U64)
    if whole.type.name.startswith("std::array<"):
        element_bytes = max(first.type.pointee.size_bytes, 1)
        length: Expr = Constant(size, position, whole.type.size_bytes // element_bytes)
    elif whole.type.name.startswith(("std::initializer_list<", "std::span<")):
        pointer = Variable(
            PointerType(whole.type), position, range_variable.key, range_variable.name
        )
        list_ = Deref(whole.type, position, pointer)
        length = Member(size, position, list_, "cq_size", _LIST_SIZE_OFFSET)
    else:
        return None
    return Binary(first.type, position, BinaryOp.ADD, use_variable(first, position), length)


def _matching_end(scope: Scope, start: Expr, whole: Expr) -> Expr | None:
    """The call of ``end`` that goes with a call of ``begin``."""
    call = start
    while True:
        if isinstance(call, Deref):
            call = call.pointer
        elif isinstance(call, (Cast, AddressOf)):
            call = call.operand
        elif isinstance(call, Construct) and len(call.arguments) == 1:
            call = call.arguments[0]
        else:
            break
    if not isinstance(call, Call) or not isinstance(call.callee, FunctionName):
        return None
    name = call.callee
    other = FunctionName(
        name.type,
        name.position,
        name.key.replace("@F@begin", "@F@end"),
        name.name.rpartition("begin")[0] + "end",
        name.template_arguments,
    )
    _queue_method(scope, whole, "end")
    return Call(call.type, call.position, other, call.arguments)


def _queue_method(scope: Scope, whole: Expr, method: str) -> None:
    if not isinstance(whole.type, RecordType):
        return
    declaration = scope.types.declarations.get(whole.type.key)
    if declaration is None:
        return
    for child in scope.clang.children(declaration):
        if child.kind == Kind.METHOD and scope.clang.spelling(child) == method:
            scope.unit.reference(child)


def _class_iterator(
    scope: Scope, record: RecordType, left: Expr, right: Expr, position: Position
) -> tuple[Expr, Expr]:
    """Iterators of class type: their operators, found by name among the members."""
    operands = (address_of(left), address_of(right))
    test = _operator(scope, record, "operator!=", operands, position)
    step = _operator(scope, record, "operator++", operands[:1], position)
    return (
        Call(_BOOL, position, test, operands),
        Call(PointerType(record), position, step, operands[:1]),
    )


def _operator(
    scope: Scope, record: RecordType, name: str, arguments: tuple[Expr, ...], position: Position
) -> FunctionName:
    declaration = scope.types.declarations.get(record.key)
    for child in [] if declaration is None else scope.clang.children(declaration):
        if child.kind == Kind.METHOD and scope.clang.spelling(child) == name:
            reference = scope.unit.reference(child)
            if len(reference.parameters) == len(arguments) - 1:
                return reference.name_expression(position)
    return FunctionName(
        FunctionType(_BOOL), position, "", f"{record.name.partition('<')[0]}::{name}"
    )
