"""Where LLVM lays what follows a loop: behind the loop's body, or in front of it.

Clang puts the end of a `for` that declares its variable in front of the loop's body, and merges into it whatever comes
next in a straight line. Only where paths meet right after such a loop does a block behind it follow. Other loops are
followed by what stands behind them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Variable
from clang_queries.ir.statements import (
    Compound,
    Continue,
    Declare,
    Directive,
    If,
    Label,
    Loop,
    Return,
    Switch,
)
from clang_queries.ir.walk import walk

if TYPE_CHECKING:
    from clang_queries.ir.statements import Function, Stmt


class _After(Enum):
    """What comes after a statement."""

    CODE = "more of the same straight line"
    MEETING = "a block behind it where other paths arrive"
    APART = "such a block behind other blocks"


def loops_left_backwards(function: Function, *, is_inlined: bool) -> frozenset[int]:
    """The loops (by `id`) of a function whose end does not stand right behind their body."""
    returns = sum(isinstance(node, Return) for node in walk(function.body))
    last = function.body.body[-1:]
    early = returns > sum(isinstance(statement, Return) for statement in last)
    found: set[int] = set()
    end = _After.MEETING if is_inlined or early else _After.CODE
    _visit(function.body, end, end, found)
    return frozenset(found)


def _visit(statement: Stmt, after: _After, end: _After, found: set[int]) -> None:
    """Walks a statement; `after` is what comes after it, `end` what comes after the function."""
    match statement:
        case Compound():
            _visit_all(statement.body, after, end, found)
        case If():
            then = after if statement.otherwise is None else _After.APART
            _visit(statement.then, _meeting(then), end, found)
            if statement.otherwise is not None:
                _visit(statement.otherwise, _After.MEETING, end, found)
        case Loop():
            declares = any(isinstance(item, Declare) for item in statement.initial)
            if after is _After.APART or (declares and after is _After.CODE):
                found.add(id(statement))
            again = any(isinstance(node, Continue) for node in walk(statement.body))
            inside = _After.MEETING if again else _After.CODE
            _visit(statement.body, inside, end, found)
        case Switch():
            for case in statement.cases:
                _visit_all(case.body, _After.APART, end, found)
        case Directive() if statement.body is not None:
            _visit(statement.body, after, end, found)
        case Label():
            _visit(statement.body, after, end, found)
        case _:
            pass


def _visit_all(statements: tuple[Stmt, ...], after: _After, end: _After, found: set[int]) -> None:
    for statement in reversed(statements):
        _visit(statement, after, end, found)
        if isinstance(statement, Return) and _is_plain(statement):
            after = end
        elif not isinstance(statement, Compound) or statement.body:
            after = _After.CODE


def _meeting(after: _After) -> _After:
    return _After.APART if after is _After.APART else _After.MEETING


def _is_plain(statement: Return) -> bool:
    """Whether a return computes nothing."""
    return statement.value is None or isinstance(statement.value, Variable)
