"""What a ``loop`` construct binds to, and how many threads of a team a parallel region has."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op, SpecialRegister
from roofstat.program.expressions import lower_condition, lower_value
from roofstat.program.openmp.clauses import clauses, directives_in, modifier, words_of
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Directive
    from roofstat.program.context import Context


class Binding(Enum):
    """Whose threads share the iterations of a ``loop`` construct."""

    TEAMS = "teams"
    PARALLEL = "parallel"
    THREAD = "thread"
    """Nobody: the thread that meets it runs all of them."""


def loop_binding(directive: Directive, enclosing: str | None) -> Binding:
    """What a ``loop`` construct binds to.

    Args:
        directive: The construct, perhaps a combined one.
        enclosing: Name of the directive that closely encloses it; None for one that stands in a function of its own.
    """
    words = words_of(directive)
    for binding in (Binding.PARALLEL, Binding.TEAMS):
        if binding.value in words:
            return binding
    stated = {clause.text for clause in clauses(directive, "bind")}
    for binding in Binding:
        if binding.value in stated:
            return binding
    last = enclosing.split()[-1] if enclosing else ""
    return Binding(last) if last in ("teams", "parallel") else Binding.THREAD


def has_parallel_loop(directive: Directive) -> bool:
    """Whether a ``loop`` construct holds loops that bind to the threads of the team: then it has only teams to share."""
    return any(
        inner is not directive
        and "loop" in words_of(inner)
        and loop_binding(inner, None) is Binding.PARALLEL
        for inner in directives_in(directive)
    )


def parallel_condition(directive: Directive) -> Expr | None:
    """The condition of an ``if`` clause under which a parallel region has more than one thread."""
    found = None
    for clause in clauses(directive, "if"):
        if modifier(clause) in ("", "parallel") and clause.expressions:
            found = clause.expressions[0]
    return found


def threads_of(context: Context, directive: Directive) -> int | None:
    """Register with the threads of a parallel region inside of a team; None where all take part."""
    builder = context.builder
    width = None
    for clause in clauses(directive, "num_threads"):
        if clause.expressions:
            stated = convert(context, lower_value(context, clause.expressions[-1]), Scalar.U32)
            team = builder.value(Op.SPECIAL, Scalar.U32, detail=SpecialRegister.NTID_X)
            width = builder.value(Op.MATH, Scalar.U32, stated, team, detail="min")
    condition = parallel_condition(directive)
    if condition is None:
        return width
    if width is None:
        width = builder.value(Op.SPECIAL, Scalar.U32, detail=SpecialRegister.NTID_X)
    flag = lower_condition(context, condition)
    return builder.value(Op.SELECT, Scalar.U32, flag, width, builder.constant(1, Scalar.U32))
