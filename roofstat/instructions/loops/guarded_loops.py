"""Loops that nvcc parts at the iteration where a branch in their body goes the other way.

`for (j = 0; j < n; j++) if (j != i) s += x[j];` becomes one loop up to `i` and one behind it, neither of which compares `j` with
`i`; of `if (j < i)` the loop behind it does nothing. Read off PTX of nvcc 13.0: 220 own loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.loops.loop_facts import behind
from roofstat.program.code import Block, If, Leave, Loop, Op, Scope, Switch, children
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.instructions.loops.loop_facts import Induction, LoopFacts
    from roofstat.program.code import Code, Instruction, Region

_SAME = frozenset({Op.MOV, Op.CAST})
_EQUALITY = frozenset({Op.EQ, Op.NE})
_NEXT = frozenset({Op.LT, Op.GE})
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """The branch that decides where a loop is parted."""

    branch: If
    is_alone: bool
    """Whether nothing runs in the iterations that it leaves out."""


def guard_of(loop: Loop, facts: LoopFacts, counter: Induction, code: Code) -> Guard | None:
    """The branch at which nvcc parts a loop that counts from zero; None where it leaves it whole.

    It does so where the loop counts words one by one to a bound that only the run knows, with the branch first in its body, which
    compares the counter with what is there before the loop.
    """
    if facts.has_inner_loop or facts.has_exit or facts.has_barrier:
        return None
    if counter.step != 1 or counter.is_wide or counter.is_widened:
        return None
    if not is_open(loop, facts, counter, code) or not _counts_below(loop, facts, counter):
        return None
    found = _first_branch(loop.body)
    if found is None:
        return None
    branch, is_alone = found
    if not _parts(branch.condition, facts, counter, code):
        return None
    is_alone &= not (branch.then and branch.otherwise) or _leaves(branch.then)
    return Guard(branch=branch, is_alone=is_alone and not _changes(loop.body, branch, facts))


def lone_loops(code: Code) -> Iterator[tuple[Loop, list[Loop]]]:
    """Loops of which nvcc may part one: those behind a condition, or an early return, with no branch beside them there.

    Each with the other loops of the same stretch of code.
    """
    for level, is_conditional in _levels(code.body, is_conditional=False):
        found = [region for region in level if isinstance(region, Loop)]
        others = [region for region in level if not isinstance(region, Block | Loop)]
        if is_conditional and all(isinstance(o, If) and _is_choice(o) for o in others):
            for loop in found:
                yield loop, [other for other in found if other is not loop]


def _levels(regions: list[Region], *, is_conditional: bool) -> Iterator[tuple[list[Region], bool]]:
    """Stretches of code, loops left whole, that run as a whole or not at all, and whether they may not run."""
    level: list[Region] = []
    pending = list(reversed(regions))
    while pending:
        region = pending.pop()
        if isinstance(region, Scope):
            pending.extend(reversed(region.body))
            continue
        level.append(region)
        if isinstance(region, If | Switch):
            for arm in children(region):
                yield from _levels(arm, is_conditional=True)
        if isinstance(region, If) and (_leaves(region.then) or _leaves(region.otherwise)):
            yield level, is_conditional
            level, is_conditional = [], True
    yield level, is_conditional


def _is_choice(branch: If) -> bool:
    """Whether a branch becomes a choice between values."""
    arms = [*branch.then, *branch.otherwise]
    made = _instructions(arms)
    return (
        _is_plain(arms)
        and all(i.op in PURE or i.op is Op.MOV for i in made)
        and sum(i.op is not Op.MOV for i in made) <= _MOST_CHOSEN
    )


_MOST_CHOSEN = 4


def is_open(loop: Loop, facts: LoopFacts, counter: Induction | None, code: Code) -> bool:
    """Whether a loop counts to a bound that only the run knows."""
    test = _test(loop, facts)
    return counter is not None and test is not None and not set(test.args) & code.constants.keys()


def _test(loop: Loop, facts: LoopFacts) -> Instruction | None:
    register = loop.condition_register
    return None if register is None else facts.defined.get(behind(register, facts, _SAME))


def _counts_below(loop: Loop, facts: LoopFacts, counter: Induction) -> bool:
    test = _test(loop, facts)
    if test is None or not loop.tests_before or test.op not in {Op.LT, Op.GT}:
        return False
    return behind(test.args[test.op is Op.GT], facts, _SAME) == counter.variable


def _first_branch(regions: list[Region]) -> tuple[If, bool] | None:
    """The first branch of a body and whether it is all of the body; None where others follow that it does not skip."""
    for place, region in enumerate(regions):
        rest = regions[place + 1 :]
        match region:
            case Block():
                continue
            case Scope():
                inner = _first_branch(region.body)
                return inner if inner is not None and _is_plain(rest) else None
            case If():
                if _leaves(region.then) or _leaves(region.otherwise):
                    return region, True
                if region.kind == "logical":
                    # Of `j != i && x[j] > 0` the second test stays where it is.
                    rest = [part for part in rest if not isinstance(part, If)]
                return (region, not _instructions(rest)) if _is_plain(rest) else None
            case _:
                return None
    return None


def _leaves(arm: list[Region]) -> bool:
    return bool(arm) and isinstance(arm[-1], Leave) and not _instructions(arm)


def _is_plain(regions: list[Region]) -> bool:
    return all(isinstance(region, Block) for region in regions)


def _instructions(regions: list[Region]) -> list[Instruction]:
    return [i for region in regions if isinstance(region, Block) for i in region.instructions]


def _changes(body: list[Region], branch: If, facts: LoopFacts) -> bool:
    """Whether a body does something in front of its branch that outlasts an iteration."""
    for region in body:
        if region is branch:
            return False
        if isinstance(region, Scope):
            return _changes(region.body, branch, facts)
        for instruction in _instructions([region]):
            if instruction.dest in facts.assigned or instruction.op in {Op.STORE, Op.ATOMIC}:
                return True
    return False


def _parts(condition: int, facts: LoopFacts, counter: Induction, code: Code) -> bool:
    """Whether a condition goes the other way once, at a value of the counter that is there before the loop."""
    test = facts.defined.get(behind(condition, facts, _SAME | {Op.NOT}))
    if test is None:
        return False
    if test.op is Op.AND:
        tests = [facts.defined.get(behind(arg, facts, _SAME)) for arg in test.args]
        return all(t is not None and t.op not in _EQUALITY for t in tests) and all(
            _parts(arg, facts, counter, code) for arg in test.args
        )
    if test.op not in COMPARISONS or test.scalar.is_float or test.scalar.size_bytes > _WORD_BYTES:
        return False
    for mine, other in ((0, 1), (1, 0)):
        if behind(test.args[mine], facts, _SAME) == counter.variable:
            is_next = mine == 0 and test.op in _NEXT
            return _is_there(test.args[other], facts, code, test.op, is_next=is_next)
    return _is_difference(test, facts, counter, code)


def _is_difference(test: Instruction, facts: LoopFacts, counter: Induction, code: Code) -> bool:
    """Whether a comparison is one with zero, of the counter less a number that nothing else takes."""
    difference = facts.defined.get(behind(test.args[0], facts, _SAME))
    if difference is None or difference.op is not Op.SUB or code.constants.get(test.args[1]) != 0:
        return False
    if not difference.scalar.is_signed and test.op not in _EQUALITY:
        return False
    if sum(difference.dest in i.args for i in facts.instructions) > 1:
        return False
    first, second = (behind(arg, facts, _SAME) for arg in difference.args)
    other = second if first == counter.variable else first
    return counter.variable in {first, second} and _is_there(other, facts, code, test.op)


def _is_there(
    register: int, facts: LoopFacts, code: Code, op: Op, *, is_next: bool = False
) -> bool:
    """Whether a number is known before a loop; that plus one is too, where it only decides between `<` and `<=`."""
    if register in code.constants:
        return op not in _EQUALITY or code.constants[register] == 0
    register = behind(register, facts, _SAME)
    if register in facts.assigned:
        return False
    made = facts.defined.get(register)
    if made is None or made.op is Op.SPECIAL:
        return True
    if not is_next or made.op is not Op.ADD:
        return False
    ones = [arg for arg in made.args if code.constants.get(arg) == 1]
    others = [arg for arg in made.args if arg not in ones]
    return len(ones) == len(others) == 1 and _is_there(others[0], facts, code, op)
