"""Canonical loops: the nest under a work-sharing directive, its trip counts, and its variables from a collapsed index."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Cast,
    CompoundAssign,
    Expr,
    IncDec,
    Variable,
)
from clang_queries.ir.statements import (
    Compound,
    Declare,
    Directive,
    Evaluate,
    Loop as LoopStatement,
    Stmt,
    VariableDeclaration,
)
from clang_queries.ir.types import PointerType, Scalar
from clang_queries.ir.walk import walk
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Op
from roofstat.program.context import InRegister, InSlot, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import store_place
from roofstat.program.nests import NestBound, NestLoop, NestShape
from roofstat.program.openmp.clauses import clauses, constant_of
from roofstat.program.register_arithmetic import binary_operation, convert, distance

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.program.context import Context

_MIRRORED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GE: BinaryOp.LE,
    BinaryOp.NE: BinaryOp.NE,
}


@dataclass(frozen=True, slots=True)
class CanonicalLoop:
    """One loop of an associated nest."""

    key: str
    name: str
    declaration: VariableDeclaration | None
    lower: Expr
    upper: Expr
    comparison: BinaryOp
    step: Expr | int
    is_decreasing: bool
    body: Stmt
    before: tuple[Stmt, ...] = ()
    """Statements that open the scope of the loop: what a range-based ``for`` declares."""

    @property
    def pointee_bytes(self) -> int | None:
        """Element size where the loop variable is a pointer."""
        type_ = self.lower.type
        return type_.pointee.size_bytes if isinstance(type_, PointerType) else None


def loop_nest(directive: Directive) -> list[CanonicalLoop]:
    """The loops that a directive collapses, outermost first; empty where the first has no canonical form."""
    depth = 1
    for clause in clauses(directive, "collapse"):
        value = constant_of(clause.expressions[0] if clause.expressions else None)
        if value is None and clause.text.strip().isdigit():
            value = int(clause.text)
        depth = value or 1
    found: list[CanonicalLoop] = []
    body: Stmt | None = directive.body
    for _ in range(depth):
        before, loop = _only_loop(body)
        canonical = _canonical(loop, before) if loop is not None else None
        if canonical is None:
            break
        found.append(canonical)
        body = canonical.body
    return found


def _only_loop(body: Stmt | None) -> tuple[tuple[Stmt, ...], LoopStatement | None]:
    """The loop that a statement is, and declarations of its own before it."""
    while isinstance(body, Compound | Directive):
        if isinstance(body, Directive):
            body = body.body
            continue
        statements = [
            item for item in body.body if not (isinstance(item, Compound) and not item.body)
        ]
        if not statements or any(not isinstance(item, Declare) for item in statements[:-1]):
            return (), None
        if len(statements) > 1:
            last = statements[-1]
            return tuple(statements[:-1]), last if isinstance(last, LoopStatement) else None
        body = statements[0]
    return (), body if isinstance(body, LoopStatement) else None


def _canonical(loop: LoopStatement, before: tuple[Stmt, ...]) -> CanonicalLoop | None:
    if loop.condition is None or loop.step is None or not loop.tests_before or not loop.initial:
        return None
    *earlier, last = loop.initial
    choices = [last, *earlier] if len(loop.initial) > 1 else [last]
    for first in choices:
        found = _from_initial(first)
        if found is None:
            continue
        key, name, declaration, lower = found
        bound = _bound(loop.condition, key)
        step = _step(loop.step, key)
        if bound is None or step is None:
            continue
        others = tuple(item for item in loop.initial if item is not first)
        if any(_names(item, key) for item in others):
            # What a range-based loop declares for its end starts from its begin.
            others = loop.initial
        return CanonicalLoop(
            key,
            name,
            declaration,
            lower,
            bound[1],
            bound[0],
            step[0],
            step[1],
            loop.body,
            (*before, *others),
        )
    return None


def _names(node: Stmt | Expr, key: str) -> bool:
    return any(isinstance(item, Variable) and item.key == key for item in walk(node))


def _from_initial(first: Stmt) -> tuple[str, str, VariableDeclaration | None, Expr] | None:
    """Key, name, declaration and first value of the variable that a loop's initial statement sets."""
    if isinstance(first, Declare) and first.variable.initializer is not None:
        variable = first.variable
        return variable.key, variable.name, variable, first.variable.initializer
    if isinstance(first, Evaluate) and isinstance(first.expression, Assign):
        target = first.expression.target
        if isinstance(target, Variable):
            return target.key, target.name, None, first.expression.value
    return None


def _bare(expression: Expr) -> Expr:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _is_variable(expression: Expr, key: str) -> bool:
    bare = _bare(expression)
    return isinstance(bare, Variable) and bare.key == key


def _bound(condition: Expr, key: str) -> tuple[BinaryOp, Expr] | None:
    bare = _bare(condition)
    if not isinstance(bare, Binary) or bare.op not in _MIRRORED:
        return None
    if _is_variable(bare.left, key):
        return bare.op, bare.right
    if _is_variable(bare.right, key):
        return _MIRRORED[bare.op], bare.left
    return None


def _step(step: Expr, key: str) -> tuple[Expr | int, bool] | None:
    """(amount, whether it decreases)."""
    match _bare(step):
        case IncDec(target=target, delta=delta) if _is_variable(target, key):
            return 1, delta < 0
        case CompoundAssign(op=BinaryOp.ADD | BinaryOp.SUB as op, target=target, value=value) if (
            _is_variable(target, key)
        ):
            amount = constant_of(value)
            return (amount if amount is not None else value), op is BinaryOp.SUB
        case Assign(target=target, value=value) if _is_variable(target, key):
            inner = _bare(value)
            if isinstance(inner, Binary) and inner.op in (BinaryOp.ADD, BinaryOp.SUB):
                for side, other in ((inner.left, inner.right), (inner.right, inner.left)):
                    if _is_variable(side, key):
                        amount = constant_of(other)
                        return (amount if amount is not None else other), inner.op is BinaryOp.SUB
    return None


def known_trips(
    nest: list[CanonicalLoop], number: Callable[[Expr | None], int | None]
) -> int | None:
    """Iterations of a nest whose bounds and steps are numbers; None for others."""
    total = 1
    for loop in nest:
        low, high = number(loop.lower), number(loop.upper)
        step = loop.step if isinstance(loop.step, int) else number(loop.step)
        if low is None or high is None or not step:
            return None
        distance = low - high if loop.is_decreasing else high - low
        distance += loop.comparison in (BinaryOp.LE, BinaryOp.GE)
        total *= max(-(-distance // step), 0)
    return total


@dataclass(frozen=True, slots=True)
class NestCounts:
    """Iterations of a nest: registers computed before it."""

    trips: list[int]
    """The most that a loop may have, for those whose bounds depend on an outer variable."""
    lowers: list[int]
    dependent: tuple[int, ...]
    """Positions of the loops that have a bound which depends on the variable of an outer loop."""
    shape: NestShape | None
    """How the bounds depend on outer variables; None where they are no linear functions of one each, as OpenMP demands."""


def nest_counts(context: Context, nest: list[CanonicalLoop]) -> NestCounts:
    """Trip counts and first values of the box that clang draws around a nest; what lies outside does not run the body.

    A bound that depends on outer variables takes its extremes at the ends of their ranges where it is linear. Where it is
    not, the longest of the first, the middle and the last row stands for all.
    """
    from roofstat.program.statements import lower_statement

    bindings = context.frame.bindings
    before = {loop.key: bindings.get(loop.key) for loop in nest}
    trips: list[int] = []
    lowers: list[int] = []
    loops: list[NestLoop] = []
    dependent: list[int] = []
    is_linear = True
    for position, loop in enumerate(nest):
        for statement in loop.before:
            lower_statement(context, statement)
        bounds = None
        if any(depends_on(loop, item.key) for item in nest[:position]):
            dependent.append(position)
            outer = _linear_outer(loop, nest[:position])
            count, low, bounds = _dependent_count(
                context, nest[: position + 1], trips, lowers, outer
            )
            is_linear = is_linear and bounds is not None
        else:
            low, high = lower_value(context, loop.lower), lower_value(context, loop.upper)
            count = _trip_count(context, loop, low, high)
        trips.append(count)
        lowers.append(low)
        step = loop.step if isinstance(loop.step, int) else 1
        is_closed = loop.comparison in (BinaryOp.LE, BinaryOp.GE)
        loops.append(NestLoop(count, bounds, -step if loop.is_decreasing else step, is_closed))
    for key, binding in before.items():
        if binding is None:
            bindings.pop(key, None)
        else:
            bindings[key] = binding
    shape = NestShape(tuple(loops)) if is_linear else None
    return NestCounts(trips, lowers, tuple(dependent), shape)


def depends_on(loop: CanonicalLoop, key: str) -> bool:
    """Whether a bound of a loop names a variable."""
    return _names(loop.lower, key) or _names(loop.upper, key)


def _is_linear(expression: Expr, key: str) -> bool:
    """Whether an expression is a linear function of a variable, by its form."""
    bare = _bare(expression)
    if isinstance(bare, Variable) or not _names(bare, key):
        return True
    if not isinstance(bare, Binary):
        return False
    if bare.op in (BinaryOp.ADD, BinaryOp.SUB):
        return _is_linear(bare.left, key) and _is_linear(bare.right, key)
    if bare.op is BinaryOp.MUL:
        sides = (bare.left, bare.right), (bare.right, bare.left)
        return any(_is_linear(one, key) and not _names(other, key) for one, other in sides)
    return False


class _Row(Enum):
    """Where the outer loops stand."""

    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


def _linear_outer(loop: CanonicalLoop, outer: list[CanonicalLoop]) -> tuple[int, int] | None:
    """Positions of the outer loops on which the start and the end depend; None where they are not linear in one each."""
    found = []
    if not isinstance(loop.step, int) or loop.pointee_bytes is not None:
        return None
    for bound in (loop.lower, loop.upper):
        places = [place for place, item in enumerate(outer) if _names(bound, item.key)]
        if len(places) > 1 or not all(_is_linear(bound, outer[place].key) for place in places):
            return None
        found.append(places[0] if places else 0)
    return found[0], found[1]


def _dependent_count(
    context: Context,
    nest: list[CanonicalLoop],
    trips: list[int],
    lowers: list[int],
    linear: tuple[int, int] | None,
) -> tuple[int, int, tuple[NestBound, NestBound] | None]:
    """Most iterations of the last loop of a nest, its outermost first value, and its bounds where they are linear."""
    builder = context.builder
    *outer, loop = nest
    rows = (_Row.FIRST, _Row.LAST) if linear is not None else tuple(_Row)
    found = []
    for row in rows:
        for item, count, lower in zip(outer, trips, lowers, strict=True):
            _bind_row(context, item, count, lower, row)
        found.append((lower_value(context, loop.lower), lower_value(context, loop.upper)))
    towards_low, towards_high = ("max", "min") if loop.is_decreasing else ("min", "max")
    low = _extreme(context, [item[0] for item in found], towards_low)
    bounds = None
    if linear is not None:
        high = _extreme(context, [item[1] for item in found], towards_high)
        count = _trip_count(context, loop, low, high)
        (low_first, high_first), (low_last, high_last) = found
        bounds = (
            NestBound(low_first, low_last, linear[0]),
            NestBound(high_first, high_last, linear[1]),
        )
    else:
        counts = [_trip_count(context, loop, *pair) for pair in found]
        count = _extreme(context, counts, "max")
    kind = builder.register_types[count]
    least = builder.constant(0, kind)
    return builder.value(Op.MATH, kind, count, least, detail="max"), low, bounds


def _bind_row(context: Context, loop: CanonicalLoop, trips: int, lower: int, row: _Row) -> None:
    """Set the variable of an outer loop to its value in a row."""
    builder = context.builder
    kind = builder.register_types[trips]
    counter = builder.constant(0, kind)
    if row is _Row.MIDDLE:
        two = builder.constant(2, kind)
        counter = binary_operation(context, BinaryOp.DIV, trips, two, kind)
    elif row is _Row.LAST:
        one = builder.constant(1, kind)
        counter = binary_operation(context, BinaryOp.SUB, trips, one, kind)
    _bind_index(context, loop, counter, lower)


def _extreme(context: Context, registers: list[int], which: str) -> int:
    """The smallest or largest of registers."""
    builder = context.builder
    kind = max((builder.register_types[item] for item in registers), key=lambda k: k.size_bytes)
    found, *others = (convert(context, item, kind) for item in registers)
    for other in others:
        if other != found:
            found = builder.value(Op.MATH, kind, found, other, detail=which)
    return found


def _trip_count(context: Context, loop: CanonicalLoop, low: int, high: int) -> int:
    """Register with the iterations of one loop: (upper - lower + step - 1) / step, rounded as its comparison asks."""
    builder = context.builder
    start, end = (high, low) if loop.is_decreasing else (low, high)
    if loop.pointee_bytes is not None:
        kind = Scalar.I64
        count = builder.value(
            Op.PTR_DIFF, kind, end, start, scalar=Scalar.U64, detail=max(loop.pointee_bytes, 1)
        )
    else:
        kinds = [builder.register_types[low], builder.register_types[high]]
        kind = max(kinds, key=lambda item: item.size_bytes)
        if kind.size_bytes < 4 or kind.is_float:
            kind = Scalar.I32
        start, end = convert(context, start, kind), convert(context, end, kind)
        count = distance(context, start, end, kind)
    if loop.comparison in (BinaryOp.LE, BinaryOp.GE):
        one = builder.constant(1, kind)
        count = binary_operation(context, BinaryOp.ADD, count, one, kind)
    if loop.step in (1, -1):
        return count
    step = _step_register(context, loop, kind)
    rounding = binary_operation(context, BinaryOp.SUB, step, builder.constant(1, kind), kind)
    padded = binary_operation(context, BinaryOp.ADD, count, rounding, kind)
    return binary_operation(context, BinaryOp.DIV, padded, step, kind)


def _step_register(context: Context, loop: CanonicalLoop, kind: Scalar) -> int:
    if isinstance(loop.step, int):
        return context.builder.constant(loop.step, kind)
    return convert(context, lower_value(context, loop.step), kind)


def bind_indices(
    context: Context,
    nest: list[CanonicalLoop],
    counts: NestCounts,
    trips: list[int],
    index: int,
    scalar: Scalar,
) -> list[int]:
    """Set the variables of the nest from the collapsed index: one division for each inner loop.

    Args:
        context: Where code goes.
        nest: The loops.
        counts: Their first values, and which depend on others.
        trips: Trip counts in the type of the index.
        index: Register with the collapsed index.
        scalar: Its type.

    Returns:
        Flags that must all hold for the body to run: whether dependent loops have an iteration at their place.
    """
    builder = context.builder
    rest = builder.value(Op.MOV, scalar, index)
    counters: list[int] = [0] * len(nest)
    for position in range(len(nest) - 1, 0, -1):
        counters[position] = binary_operation(context, BinaryOp.REM, rest, trips[position], scalar)
        rest = binary_operation(context, BinaryOp.DIV, rest, trips[position], scalar)
    counters[0] = rest
    flags = []
    for position, (loop, counter) in enumerate(zip(nest, counters, strict=True)):
        if position in counts.dependent:
            value = _bind_index(context, loop, counter, lower_value(context, loop.lower))
            flags.append(_is_inside(context, loop, value))
        else:
            _bind_index(context, loop, counter, counts.lowers[position])
    return flags


def _is_inside(context: Context, loop: CanonicalLoop, value: int) -> int:
    """Flag whether a value of the loop variable keeps to the upper bound."""
    builder = context.builder
    upper = lower_value(context, loop.upper)
    kinds = [builder.register_types[value], builder.register_types[upper]]
    kind = max(kinds, key=lambda item: item.size_bytes)
    comparison = loop.comparison
    if comparison is BinaryOp.NE:
        comparison = BinaryOp.GT if loop.is_decreasing else BinaryOp.LT
    return binary_operation(
        context, comparison, convert(context, value, kind), convert(context, upper, kind), kind
    )


def loop_scalar(context: Context, loop: CanonicalLoop) -> Scalar:
    """Type of the variable of a loop."""
    kind = context.program.scalar_of(loop.lower.type) or Scalar.I32
    if loop.declaration is not None:
        kind = context.program.scalar_of(loop.declaration.type) or kind
    return kind


def _bind_index(context: Context, loop: CanonicalLoop, counter: int, lower: int) -> int:
    """Set the variable to its value in iteration `counter`; returns that value."""
    builder = context.builder
    kind = loop_scalar(context, loop)
    if loop.pointee_bytes is not None:
        step = _step_register(context, loop, Scalar.I64)
        moved = convert(context, counter, Scalar.I64)
        if builder.constants.get(step) != 1:
            moved = binary_operation(context, BinaryOp.MUL, moved, step, Scalar.I64)
        if loop.is_decreasing:
            moved = builder.value(Op.NEG, Scalar.I64, moved)
        value = builder.value(
            Op.PTR_ADD, Scalar.U64, lower, moved, scalar=Scalar.I64, detail=loop.pointee_bytes
        )
        _bind_variable(context, loop, value, Scalar.U64)
        return value
    moved = convert(context, counter, kind)
    step = _step_register(context, loop, kind)
    if builder.constants.get(step) != 1:
        moved = binary_operation(context, BinaryOp.MUL, moved, step, kind)
    op = BinaryOp.SUB if loop.is_decreasing else BinaryOp.ADD
    start = convert(context, lower, kind)
    value = (
        moved
        if builder.constants.get(start) == 0 and op is BinaryOp.ADD
        else binary_operation(context, op, start, moved, kind)
    )
    _bind_variable(context, loop, value, kind)
    return value


def _bind_variable(context: Context, loop: CanonicalLoop, value: int, kind: Scalar) -> None:
    """The loop variable is private to the iteration; the loop's own step no longer changes it."""
    builder = context.builder
    written = any(
        isinstance(node, Assign | CompoundAssign | IncDec)
        and isinstance(node.target, Variable)
        and node.target.key == loop.key
        for node in walk(loop.body)
    )
    if not written:
        context.frame.bindings[loop.key] = InRegister(value)
        return
    slot = builder.local_slot(loop.name, kind.size_bytes, host=False, element=kind)
    context.frame.bindings[loop.key] = InSlot(slot, loop.name)
    store_place(context, Place(builder.slot_address(slot), array=loop.name), value, kind)
