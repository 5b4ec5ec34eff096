"""Reading directives: their words, their clauses, and the variables that clauses name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Cast, Constant, Expr, Variable
from clang_queries.ir.statements import Clause, Compound, Directive, Stmt
from clang_queries.ir.walk import walk
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clang_queries.ir.statements import Function
    from roofstat.program.link import Program

DATA_DIRECTIVES = frozenset(
    {"target data", "target enter data", "target exit data", "target update"}
)
WORKSHARING = frozenset({"for", "do", "distribute", "loop", "taskloop"})
_MODIFIER = pattern(
    r"\s*(?:[\w-]+\s*(?:\([^)]*\))?\s*,\s*)*((?:\w+\s*::\s*)*[\w-]+|[-+*&|^]{1,2})\s*:(?!:)"
)
"""The last modifier before a colon that is none of ``a ? b : c`` or ``a::b``."""


def words_of(directive: Directive) -> frozenset[str]:
    """The words of a directive's name; none of a ``loop bind(thread)``, which shares its iterations with nobody."""
    if directive.name == "loop" and any(
        item.text == "thread" for item in clauses(directive, "bind")
    ):
        return frozenset()
    return frozenset(directive.name.split())


def is_target(directive: Directive) -> bool:
    """Whether a directive starts a target region."""
    return directive.name.split()[:1] == ["target"] and directive.name not in DATA_DIRECTIVES


def directives_in(node: Stmt) -> Iterator[Directive]:
    """The statement, where it is a directive, and those inside it, outermost first."""
    return (item for item in walk(node) if isinstance(item, Directive))


def directives_of(program: Program, function: Function) -> tuple[Directive, ...]:
    """The directives in a function, outermost first."""
    found = program.directives.get(function.key)
    if found is None:
        found = program.directives[function.key] = tuple(directives_in(function.body))
    return found


def clauses(directive: Directive, *names: str) -> list[Clause]:
    """Clauses with one of these names."""
    return [clause for clause in directive.clauses if clause.name in names]


def has_clause(directive: Directive, name: str) -> bool:
    """Whether a clause stands there."""
    return bool(clauses(directive, name))


def modifier(clause: Clause) -> str:
    """What stands before the colon: ``parallel`` in ``if(parallel: n > 1)``, ``+`` in ``reduction(+: s)``."""
    found = _MODIFIER.match(clause.text)
    return "".join(found[1].split()) if found is not None else ""


def named_variables(items: Iterable[Clause]) -> Iterator[Variable]:
    """Variables that clauses list, also as the base of an array section."""
    for clause in items:
        for expression in clause.expressions:
            for node in walk(expression):
                if isinstance(node, Variable):
                    yield node
                    break


def constant_of(expression: Expr | None) -> int | None:
    """The integer that an expression is, if it is a constant."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return int(expression.value) if isinstance(expression, Constant) else None


def only_statement(body: Stmt | None) -> Stmt | None:
    """The one statement of a block, through nested blocks; None where there are several."""
    while isinstance(body, Compound):
        inner = [item for item in body.body if not (isinstance(item, Compound) and not item.body)]
        if len(inner) != 1:
            return None
        body = inner[0]
    return body


def launch_chain(directive: Directive) -> list[Directive]:
    """The directive and those nested directly in it: what the host looks at when it starts the region."""
    found = [directive]
    inner = nested_directive(directive)
    while inner is not None and "distribute" not in words_of(found[-1]):
        found.append(inner)
        inner = nested_directive(inner)
    return found


def nested_directive(directive: Directive) -> Directive | None:
    """The directive that is the whole body of another."""
    found = only_statement(directive.body)
    return found if isinstance(found, Directive) else None
