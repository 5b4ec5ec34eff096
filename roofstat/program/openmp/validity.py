"""Clauses that no compiler takes: numbers out of range, more loops asked for than there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Cast, Unary, UnaryOp
from clang_queries.ir.statements import Compound, Declare, Directive, Loop
from clang_queries.quick_dataclass import dataclass
from roofstat.program.openmp.clauses import clauses, constant_of, directives_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import Clause, Function, Stmt
    from roofstat.program.link import Program

_POSITIVE = (
    "num_teams", "thread_limit", "num_threads", "collapse", "ordered", "safelen", "simdlen", "grainsize", "num_tasks",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InvalidClause:
    """A clause that a compiler refuses."""

    position: Position
    text: str
    remedy: str


def invalid_clauses(program: Program, function: Function) -> Iterator[InvalidClause]:
    """The invalid clauses of the directives in a function."""
    for directive in directives_of(program, function):
        for clause in clauses(directive, *_POSITIVE):
            value = _value(clause)
            if value is None:
                continue
            written = f"{clause.name}({clause.text})"
            if value <= 0:
                text = f"{written} is not positive: read without it"
                yield InvalidClause(directive.position, text, "give a positive number")
            elif clause.name == "collapse" and (loops := nested_loops(directive, value)) < value:
                follow = {0: "none follows", 1: "1 follows"}.get(loops, f"{loops} follow")
                text = (
                    f"{written} asks for {value} loops, each the whole body of the last: {follow}"
                )
                remedy = "lower the number, or nest the loops without statements between them"
                yield InvalidClause(directive.position, text, remedy)


def _value(clause: Clause) -> int | None:
    if not clause.expressions:
        return None
    expression = clause.expressions[-1]
    while isinstance(expression, Cast):
        expression = expression.operand
    if isinstance(expression, Unary) and expression.op is UnaryOp.NEG:
        value = constant_of(expression.operand)
        return None if value is None else -value
    return constant_of(expression)


def nested_loops(directive: Directive, most: int) -> int:
    """Loops under a directive, each the whole body of the one around it, counted up to `most`."""
    count = 0
    body = directive.body
    while count < most:
        while isinstance(body, Compound | Directive):
            body = body.body if isinstance(body, Directive) else _last(body)
        if not isinstance(body, Loop):
            break
        count += 1
        body = body.body
    return count


def _last(block: Compound) -> Stmt | None:
    """The one statement of a block besides declarations before it."""
    items = [item for item in block.body if not (isinstance(item, Compound) and not item.body)]
    if not items or any(not isinstance(item, Declare) for item in items[:-1]):
        return None
    return items[-1]
