"""Comparisons that a loop does not change and makes again in each iteration all the same.

LLVM moves a comparison to the block whose branch it decides, as predicates are few, and the assembler takes it out of the loop
again only where the loop has hardly any. What selects between values, without a branch, stays outside as long as there are
predicates for it. A loop around another one makes all of them again. Read off 192 small loops of one to ten conditions, by nvcc 13
(sm_86, sm_90) and clang 18 (sm_86), and 13 around a loop (nvcc sm_90, clang sm_86).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.instructions.graph.values import Context, LoopFrame, Value

_PREDICATES = 6
"""Comparisons that a loop finds in predicate registers: of seven the loop's own test takes one."""
_UNSWITCHED = 2
"""Comparisons that are the same for all threads and have the loop twice, or four times, instead."""


@dataclass(slots=True)
class _Tests:
    """What a loop asks for that was known before it."""

    branching: dict[int, Value]
    """Comparisons that decide branches, by number."""
    selecting: dict[int, Value]
    """Those that only select."""
    places: dict[int, Context]
    """Where the loop asks, by number of the comparison."""


def remade_tests(
    live: list[Value], users: dict[int, list[Value]], most_branching: int
) -> list[tuple[Value, Context]]:
    """Moves comparisons into the loops that make them again; returns further places of those that stay where they are too.

    Args:
        live: Live values in order of creation.
        users: Live users by value number.
        most_branching: Comparisons for branches with which the assembler takes them out of a loop.
    """
    found: dict[LoopFrame, _Tests] = {}
    for value in live:
        loop = value.context.loop
        if loop is None or value.op not in _DECIDING:
            continue
        for comparison in _comparisons(value):
            if comparison.context.depth < loop.depth:
                tests = found.setdefault(loop, _Tests({}, {}, {}))
                kept = tests.selecting if value.op is Op.SELECT else tests.branching
                kept[comparison.number] = comparison
                place = tests.places.get(comparison.number)
                tests.places[comparison.number] = (
                    value.context if place is None else place.meeting(value.context)
                )
    further: list[tuple[Value, Context]] = []
    moved: set[int] = set()
    for loop, tests in found.items():
        for comparison in _remade(tests, most_branching, is_around=loop.has_inner_loop):
            place = _inside(tests.places[comparison.number], loop)
            if place is None:
                continue
            stays = any(
                user.context.depth <= comparison.context.depth
                for user in users.get(comparison.number, [])
            )
            if stays or comparison.number in moved:
                further.append((comparison, place))
            else:
                moved.add(comparison.number)
                comparison.context = place
    return further


def _remade(tests: _Tests, most_branching: int, *, is_around: bool) -> list[Value]:
    uniform = [c for c in tests.branching.values() if c.is_uniform]
    others = [c for c in tests.branching.values() if not c.is_uniform]
    branching = others + uniform[_UNSWITCHED:]
    selecting = [c for n, c in tests.selecting.items() if n not in tests.branching]
    if is_around or len(branching) + len(selecting) > _PREDICATES:
        return branching + selecting
    return branching if len(branching) > most_branching else []


def _inside(place: Context, loop: LoopFrame) -> Context | None:
    return place if place.loop is loop else loop.header


_DECIDING = frozenset({Pseudo.BRANCH, Pseudo.JOIN, Op.SELECT})


def _comparisons(value: Value) -> Iterator[Value]:
    """The comparisons of integers that alone decide a branch or a choice; what joins several keeps its register."""
    match value.op:
        case Op.SELECT:
            conditions = value.args[:1]
        case Pseudo.JOIN:
            conditions = value.args[int(value.detail) :]  # type: ignore[call-overload]
        case _:
            conditions = value.args
    for condition in conditions:
        test = condition.args[0] if condition.op is Op.NOT else condition
        if test.op in COMPARISONS and not test.scalar.is_float:
            yield test
