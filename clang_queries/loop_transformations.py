"""The loops that ``tile`` and ``unroll partial`` make of those behind them.

Both put a loop over whole tiles, which an outer directive shares, around one that runs a tile.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Cast,
    CompoundAssign,
    Conditional,
    Constant,
    Expr,
    IncDec,
    Variable,
)
from clang_queries.ir.statements import (
    Compound,
    Declare,
    Evaluate,
    Loop,
    Storage,
    VariableDeclaration,
)
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.ir.statements import Directive, Stmt
    from clang_queries.lowering.scope import Scope

_DEFAULT_FACTOR = 2
"""Of ``unroll partial`` without a number whose loop an outer directive takes, in clang."""


def tile_sizes(directive: Directive) -> tuple[int, ...] | None:
    """Iterations of a tile for each loop that a directive tiles; None for other directives."""
    for clause in directive.clauses:
        if (directive.name, clause.name) in (("tile", "sizes"), ("unroll", "partial")):
            found = [_constant(item) for item in clause.expressions] or [_DEFAULT_FACTOR]
            sizes = tuple(item for item in found if item is not None and item > 0)
            return sizes if len(sizes) == len(found) else None
    return None


def tiled(scope: Scope, body: Stmt, sizes: tuple[int, ...]) -> Stmt | None:
    """A nest with loops over tiles around it; None where a loop is not of the form that counts upwards."""
    loops: list[_Upwards] = []
    inner: Stmt | None = body
    for size in sizes:
        loop = _upwards(scope, _only(inner), size)
        if loop is None:
            return None
        loops.append(loop)
        inner = loop.loop.body
    found: Stmt | None = inner
    for loop in reversed(loops):
        found = loop.over_a_tile(found)
    for loop in reversed(loops):
        found = loop.over_tiles(found)
    return found


@dataclass(frozen=True, slots=True)
class _Upwards:
    """``for (variable = start; variable < end; variable += step)``, and how it is tiled."""

    loop: Loop
    condition: Binary
    variable: Variable
    start: Expr
    width: int
    """What a tile adds to the variable."""
    tile: Variable
    """The variable of the loop over tiles."""

    def over_tiles(self, body: Stmt | None) -> Loop:
        """The loop whose body is a tile."""
        position = self.loop.position
        declaration = VariableDeclaration(
            key=self.tile.key,
            name=self.tile.name,
            type=self.tile.type,
            storage=Storage.LOCAL,
            position=position,
            initializer=self.start,
        )
        width = Constant(self.tile.type, position, self.width)
        step = CompoundAssign(
            self.tile.type, position, BinaryOp.ADD, self.tile, width, self.tile.type
        )
        condition = replace(self.condition, left=self._of_tile())
        return Loop(
            position,
            (Declare(position, declaration),),
            condition,
            step,
            body or Compound(position, ()),
        )

    def over_a_tile(self, body: Stmt | None) -> Loop:
        """The loop that runs one tile, as far as the whole one goes."""
        (initial,) = self.loop.initial
        if isinstance(initial, Declare):
            initial = replace(initial, variable=replace(initial.variable, initializer=self.tile))
        else:
            value = Assign(self.variable.type, initial.position, self.variable, self.tile)
            initial = Evaluate(initial.position, value)
        position, right = self.condition.position, self.condition.right
        closed = self.condition.op is BinaryOp.LE
        left = self._of_tile()
        behind = Constant(left.type, position, self.width - closed)
        last = Binary(left.type, position, BinaryOp.ADD, left, behind)
        is_whole = Binary(self.condition.type, position, BinaryOp.LT, last, right)
        end = Conditional(right.type, position, is_whole, last, right)
        return replace(
            self.loop,
            initial=(initial,),
            condition=replace(self.condition, right=end),
            body=body or Compound(position, ()),
        )

    def _of_tile(self) -> Expr:
        """The left side of the condition with the variable of the tiles."""
        left = self.condition.left
        return replace(left, operand=self.tile) if isinstance(left, Cast) else self.tile


def _upwards(scope: Scope, loop: Stmt | None, size: int) -> _Upwards | None:
    if not isinstance(loop, Loop) or len(loop.initial) != 1 or not loop.tests_before:
        return None
    (initial,) = loop.initial
    condition = loop.condition
    if not isinstance(condition, Binary) or condition.op not in (BinaryOp.LT, BinaryOp.LE):
        return None
    left = condition.left.operand if isinstance(condition.left, Cast) else condition.left
    step = _step(loop.step)
    if not isinstance(left, Variable) or step is None or step <= 0:
        return None
    start: Expr | None = None
    if isinstance(initial, Declare) and initial.variable.key == left.key:
        start = initial.variable.initializer
    elif isinstance(initial, Evaluate) and isinstance(initial.expression, Assign):
        target = initial.expression.target
        if isinstance(target, Variable) and target.key == left.key:
            start = initial.expression.value
    if start is None:
        return None
    name = f"tile of {left.name}"
    tile = Variable(left.type, loop.position, scope.fresh_key(name), name)
    return _Upwards(loop, condition, left, start, size * step, tile)


def _step(step: Expr | None) -> int | None:
    if isinstance(step, IncDec):
        return step.delta
    if isinstance(step, CompoundAssign) and step.op is BinaryOp.ADD:
        return _constant(step.value)
    return None


def _constant(expression: Expr) -> int | None:
    while isinstance(expression, Cast):
        expression = expression.operand
    return int(expression.value) if isinstance(expression, Constant) else None


def _only(body: Stmt | None) -> Stmt | None:
    while isinstance(body, Compound):
        if len(body.body) != 1:
            return None
        body = body.body[0]
    return body
