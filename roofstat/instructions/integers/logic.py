"""Conditions that are made of several comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import Value

_ALTERNATIVES = 2


def logic_of(join: Value) -> tuple[bool, list[Value]] | None:
    """What `&&` or `||` join, and whether it is the former: `a && b` is `a ? b : false`, `a || b` is `a ? true : b`."""
    if join.op in {Op.AND, Op.OR} and join.scalar is Scalar.BOOL:
        return join.op is Op.AND, list(join.args)
    if join.op is not Pseudo.JOIN or join.scalar is not Scalar.BOOL or join.detail != _ALTERNATIVES:
        return None
    first, second, *conditions = join.args
    if len(conditions) != 1:
        return None
    if second.is_constant and not second.constant:
        return True, [conditions[0], first]
    if first.is_constant and first.constant:
        return False, [conditions[0], second]
    return None


def joined_tests(condition: Value) -> list[Value]:
    """The comparisons that a condition is made of, in order; truth values of other origin are left out."""
    found: list[Value] = []
    pending = [condition]
    while pending:
        value = pending.pop()
        logic = logic_of(value)
        if value.op is Op.NOT:
            pending.append(value.args[0])
        elif logic is not None:
            pending.extend(reversed(logic[1]))
        elif value.op in COMPARISONS:
            found.append(value)
    return found


def tests_made_again(graph: LiveGraph) -> dict[int, float]:
    """Conditions of several comparisons -> those of them that another condition has made before, and that are made again.

    The assembler joins two truth values in the comparison that makes one of them, and takes the other one from a predicate
    register: of the comparisons that a condition shares with others, one comes from there (`a && b && c` beside `a && b && d`).
    """
    found: dict[int, float] = {}
    made: set[int] = set()
    for value in graph.live:
        users = graph.users.get(value.number, ())
        if logic_of(value) is None or any(logic_of(user) is not None for user in users):
            continue
        tests = joined_tests(value)
        loop = value.context.loop
        again = sum(test.number in made and test.context.loop is loop for test in tests) - 1
        made.update(test.number for test in tests)
        if again > 0:
            found[value.number] = float(again)
    return found
