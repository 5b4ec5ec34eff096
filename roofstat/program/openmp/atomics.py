"""``#pragma omp atomic`` in its forms: update, capture, read, write and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Cast,
    CompoundAssign,
    Conditional,
    Expr,
    IncDec,
    Variable,
)
from clang_queries.ir.statements import Compound, Directive, Evaluate, If as IfStatement, Stmt
from clang_queries.ir.types import Scalar
from roofstat.program.code import AtomicAccess, Op
from roofstat.program.expressions import lower_effect, lower_value
from roofstat.program.forms import array_name
from roofstat.program.memory_access import place_address, store_place
from roofstat.program.openmp.clauses import has_clause
from roofstat.program.places import lower_place
from roofstat.program.register_arithmetic import binary_operation, convert

if TYPE_CHECKING:
    from roofstat.program.context import Context

_NAMES = {
    BinaryOp.ADD: "add",
    BinaryOp.SUB: "sub",
    BinaryOp.AND: "and",
    BinaryOp.OR: "or",
    BinaryOp.XOR: "xor",
}
_FLOAT_ATOMICS = frozenset({"add", "sub", "exch"})
"""Floating-point operations that the hardware has; others are loops around a compare-and-swap."""


def lower_atomic(context: Context, directive: Directive) -> None:
    """Lower the statement under `omp atomic`."""
    assert directive.body is not None
    statements = _flat(directive.body)
    if has_clause(directive, "read") or has_clause(directive, "write"):
        for statement in statements:
            _plain(context, statement)
        return
    if len(statements) == 2:
        _capture_pair(context, statements)
        return
    for statement in statements:
        _single(context, statement)


def _flat(body: Stmt) -> list[Stmt]:
    if isinstance(body, Compound):
        return [inner for item in body.body for inner in _flat(item)]
    return [body]


def _plain(context: Context, statement: Stmt) -> None:
    from roofstat.program.statements import lower_statement

    lower_statement(context, statement)


def _single(context: Context, statement: Stmt) -> None:
    """``x op= e``, ``v = x op= e``, or a conditional exchange."""
    if isinstance(statement, IfStatement):
        _conditional_exchange(context, statement)
        return
    expression = statement.expression if isinstance(statement, Evaluate) else None
    if isinstance(expression, Assign) and _update(expression) is None:
        inner = _bare(expression.value)
        if isinstance(inner, CompoundAssign | IncDec | Assign) and _update(inner) is not None:
            old = _emit(context, inner, used=True)
            is_new = not (isinstance(inner, IncDec) and not inner.is_prefix)
            _store(context, expression.target, _after(context, inner, old) if is_new else old)
            return
    if expression is not None and _update(expression) is not None:
        _emit(context, expression, used=False)
        return
    _plain(context, statement)


def _capture_pair(context: Context, statements: list[Stmt]) -> None:
    """``{ v = x; x op= e; }`` and ``{ x op= e; v = x; }``."""
    expressions = [item.expression if isinstance(item, Evaluate) else None for item in statements]
    for position, expression in enumerate(expressions):
        other = expressions[1 - position]
        if expression is None or not isinstance(other, Assign):
            continue
        if _update(expression) is None or _update(other) is not None:
            continue
        old = _emit(context, expression, used=True)
        value = old if position == 1 else _after(context, expression, old)
        _store(context, other.target, value)
        return
    exchange = expressions[1]
    if isinstance(expressions[0], Assign) and isinstance(exchange, Assign):
        # { v = x; x = e; }
        scalar = context.program.scalar_of(exchange.target.type) or Scalar.I32
        value = convert(context, lower_value(context, exchange.value), scalar)
        old = _operate(context, exchange.target, "exch", value, scalar, used=True)
        _store(context, expressions[0].target, old)
        return
    for item in statements:
        _plain(context, item)


def _conditional_exchange(context: Context, statement: IfStatement) -> None:
    """``if (x > e) x = e;`` is a minimum, ``if (x == e) x = d;`` a compare-and-swap."""
    inner = _flat(statement.then)
    assign = inner[0].expression if inner and isinstance(inner[0], Evaluate) else None
    condition = _bare(statement.condition)
    if not isinstance(assign, Assign) or not isinstance(condition, Binary):
        _plain(context, statement)
        return
    scalar = context.program.scalar_of(assign.target.type) or Scalar.I32
    value = convert(context, lower_value(context, assign.value), scalar)
    name = "cas"
    if condition.op in (BinaryOp.GT, BinaryOp.LT, BinaryOp.GE, BinaryOp.LE):
        left_is_target = _same(condition.left, assign.target)
        greater = condition.op in (BinaryOp.GT, BinaryOp.GE)
        name = "min" if greater == left_is_target else "max"
    _operate(context, assign.target, name, value, scalar, used=False)


def _bare(expression: Expr) -> Expr:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _same(a: Expr, b: Expr) -> bool:
    """Whether two lvalues are written alike."""
    return _shape(_bare(a)) == _shape(_bare(b))


def _shape(expression: Expr) -> object:
    if isinstance(expression, Variable):
        return expression.key
    parts = [type(expression).__name__]
    for name in (
        "base",
        "index",
        "pointer",
        "name",
        "offset_bytes",
        "value",
        "operand",
        "op",
        "left",
        "right",
    ):
        part = getattr(expression, name, None)
        if part is not None:
            parts.append(repr(_shape(_bare(part)) if isinstance(part, Expr) else part))
    return tuple(parts)


def _update(expression: Expr) -> tuple[Expr, str, Expr | int] | None:
    """(x, operation, operand) of an update of x."""
    match expression:
        case IncDec(target=target, delta=delta):
            return target, "add", delta
        case CompoundAssign(op=op, target=target, value=value):
            return target, _NAMES.get(op, "cas"), value
        case Assign(target=target, value=value):
            inner = _bare(value)
            if isinstance(inner, Binary) and _same(inner.left, target):
                return target, _NAMES.get(inner.op, "cas"), inner.right
            if isinstance(inner, Binary) and _same(inner.right, target):
                return (
                    target,
                    _NAMES.get(inner.op, "cas") if inner.op is not BinaryOp.SUB else "cas",
                    inner.left,
                )
            if isinstance(inner, Conditional):
                return _minimum(target, inner)
    return None


def _minimum(target: Expr, chosen: Conditional) -> tuple[Expr, str, Expr | int] | None:
    condition = _bare(chosen.condition)
    if not isinstance(condition, Binary):
        return None
    if _same(chosen.then, target):
        other, takes_smaller = chosen.otherwise, condition.op in (BinaryOp.LT, BinaryOp.LE)
    elif _same(chosen.otherwise, target):
        other, takes_smaller = chosen.then, condition.op in (BinaryOp.GT, BinaryOp.GE)
    else:
        return None
    if not _same(condition.left, target):
        takes_smaller = not takes_smaller
    return target, "min" if takes_smaller else "max", other


def _emit(context: Context, expression: Expr, *, used: bool) -> int:
    """The atomic operation of an update; returns the register with the old value."""
    found = _update(expression)
    assert found is not None
    target, name, operand = found
    scalar = context.program.scalar_of(target.type) or Scalar.I32
    if isinstance(operand, int):
        value = context.builder.constant(float(operand) if scalar.is_float else operand, scalar)
    else:
        value = convert(context, lower_value(context, operand), scalar)
    return _operate(context, target, name, value, scalar, used=used)


def _operate(
    context: Context, target: Expr, name: str, value: int, scalar: Scalar, *, used: bool
) -> int:
    if scalar.is_float and name not in _FLOAT_ATOMICS:
        name = "cas"
    address = place_address(context, lower_place(context, target))
    detail = AtomicAccess(
        name=name, access_bytes=scalar.size_bytes, array=array_name(target), result_used=used
    )
    return context.builder.value(Op.ATOMIC, scalar, address, value, detail=detail)


def _after(context: Context, expression: Expr, old: int) -> int:
    """The new value of x, from the old one."""
    found = _update(expression)
    assert found is not None
    target, name, operand = found
    scalar = context.program.scalar_of(target.type) or Scalar.I32
    ops = {word: op for op, word in _NAMES.items()}
    op = ops.get(name)
    if op is None:
        return old
    if isinstance(operand, int):
        right = context.builder.constant(float(operand) if scalar.is_float else operand, scalar)
    else:
        right = convert(context, lower_value(context, operand), scalar)
    return binary_operation(context, op, old, right, scalar)


def _store(context: Context, target: Expr, value: int) -> None:
    scalar = context.program.scalar_of(target.type)
    if scalar is None:
        lower_effect(context, target)
        return
    store_place(context, lower_place(context, target), convert(context, value, scalar), scalar)
