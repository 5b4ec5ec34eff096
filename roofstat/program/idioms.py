"""Loops that nvcc replaces by one instruction; clang leaves them, in target regions too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Cast,
    CompoundAssign,
    Constant,
    Expr,
    IncDec,
    Variable,
)
from clang_queries.ir.statements import Compound, Evaluate, Loop, Stmt
from clang_queries.ir.types import Scalar
from roofstat.program.code import Op
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.places import lower_place
from roofstat.program.register_arithmetic import binary_operation, convert

if TYPE_CHECKING:
    from roofstat.program.context import Context


def lower_population_count(context: Context, loop: Loop) -> bool:
    """``while (x) { count++; x &= x - 1; }`` becomes ``count += popc(x); x = 0`` (in either order, also as `for`).

    Returns:
        Whether the loop had that form and was lowered.
    """
    if context.is_host or context.openmp is not None or context.program.is_clang:
        return False
    if not loop.tests_before or loop.condition is None:
        return False
    word = _tested_variable(loop.condition)
    effects = _effects(loop.body) + ([loop.step] if loop.step is not None else [])
    if word is None or len(effects) != 2:
        return False
    clears = [item for item in effects if _clears_lowest_bit(item, word)]
    counts = [item for item in effects if _counted(item, word) is not None]
    if len(clears) != 1 or len(counts) != 1:
        return False
    counter = _counted(counts[0], word)
    assert counter is not None
    from roofstat.program.statements import lower_statement

    for statement in loop.initial:
        lower_statement(context, statement)
    _emit(context, word, counter, loop)
    return True


def _emit(context: Context, word: Variable, counter: Variable, loop: Loop) -> None:
    builder = context.builder
    builder.position = loop.position
    scalar = context.program.scalar_of(word.type) or Scalar.U32
    total = context.program.scalar_of(counter.type) or Scalar.I32
    bits = builder.value(
        Op.MATH,
        Scalar.I32,
        lower_value(context, word),
        scalar=scalar,
        detail="popc",
    )
    place = lower_place(context, counter)
    before = load_place(context, place, total)
    after = binary_operation(context, BinaryOp.ADD, before, convert(context, bits, total), total)
    store_place(context, place, after, total)
    store_place(context, lower_place(context, word), builder.constant(0, scalar), scalar)


def _bare(expression: Expr) -> Expr:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _is_constant(expression: Expr, value: int) -> bool:
    bare = _bare(expression)
    return isinstance(bare, Constant) and bare.value == value


def _same(expression: Expr, variable: Variable) -> bool:
    bare = _bare(expression)
    return isinstance(bare, Variable) and bare.key == variable.key


def _tested_variable(condition: Expr) -> Variable | None:
    bare = _bare(condition)
    if (
        isinstance(bare, Binary)
        and bare.op in (BinaryOp.NE, BinaryOp.GT)
        and _is_constant(bare.right, 0)
    ):
        bare = _bare(bare.left)
    return bare if isinstance(bare, Variable) else None


def _effects(body: Stmt) -> list[Expr]:
    statements = body.body if isinstance(body, Compound) else (body,)
    found: list[Expr] = []
    for statement in statements:
        if isinstance(statement, Compound) and not statement.body:
            continue
        if not isinstance(statement, Evaluate):
            return []
        found.append(statement.expression)
    return found


def _clears_lowest_bit(expression: Expr, word: Variable) -> bool:
    match expression:
        case CompoundAssign(op=BinaryOp.AND, target=target, value=value) if _same(target, word):
            return _is_predecessor(value, word)
        case Assign(target=target, value=value) if _same(target, word):
            bare = _bare(value)
            if isinstance(bare, Binary) and bare.op is BinaryOp.AND:
                pairs = ((bare.left, bare.right), (bare.right, bare.left))
                return any(_same(a, word) and _is_predecessor(b, word) for a, b in pairs)
    return False


def _is_predecessor(expression: Expr, word: Variable) -> bool:
    bare = _bare(expression)
    if not isinstance(bare, Binary) or not _same(bare.left, word):
        return False
    if bare.op is BinaryOp.SUB:
        return _is_constant(bare.right, 1)
    return bare.op is BinaryOp.ADD and _is_constant(bare.right, -1)


def _counted(expression: Expr, word: Variable) -> Variable | None:
    """The variable that the expression increments by one."""
    match expression:
        case IncDec(target=Variable() as counter, delta=1) if counter.key != word.key:
            return counter
        case CompoundAssign(op=BinaryOp.ADD, target=Variable() as counter, value=value) if (
            _is_constant(value, 1)
        ):
            return counter if counter.key != word.key else None
    return None
