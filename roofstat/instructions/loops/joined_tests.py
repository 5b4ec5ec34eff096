"""Loops that several tests end, which nvcc makes one: `k < n && x + k < m`, or a break that a body begins or ends with.

The trip count is then the smaller of two, and the loop is copied like any other, with one test a round. Read off PTX of
nvcc 13.0: 90 own loops. Tests have the counter itself on one side, or a sum with it; what multiplies it stays a test of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.loops.loop_facts import (
    behind,
    is_invariant,
    loop_facts,
    makes_test_alone,
)
from roofstat.program.code import Block, If, Leave, Loop, Op, Scope, children, instructions_of
from roofstat.program.comparisons import COMPARISONS, MIRRORED, NEGATED
from roofstat.program.slices import COPIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roofstat.instructions.loops.loop_facts import Induction, LoopFacts
    from roofstat.program.code import Code, Instruction, Region

_NEGATIONS = COPIES | {Op.NOT}
_STRICT = frozenset({Op.LT, Op.GT})
_ORDERED = _STRICT | {Op.LE, Op.GE}
_TWO = 2


@dataclass(frozen=True, slots=True)
class JoinedLoop:
    """A loop of several tests as the compiler copies it."""

    loop: Loop
    """With one of its tests alone."""
    whole: Loop
    """With all of them that are no breaks."""
    facts: LoopFacts
    tests: int
    """How many more there were."""
    bounds: tuple[tuple[int, int], ...]
    """Variables that count, each with a register that it is compared with."""


@dataclass(frozen=True, slots=True)
class _Test:
    """A comparison that ends a loop."""

    compare: Instruction
    ends_by: bool
    """What it comes to where the loop ends."""


def end_labels(regions: Sequence[Region]) -> dict[int, int]:
    """By loop, the label that a break out of it jumps to: of a scope that ends with the loop."""
    found: dict[int, int] = {}
    for region in regions:
        if isinstance(region, Scope) and region.body and isinstance(region.body[-1], Loop):
            found[region.body[-1].number] = region.label
        for part in children(region):
            found |= end_labels(part)
    return found


def without_breaks(loop: Loop, end: int | None, variables: set[int]) -> tuple[Loop, list[int]]:
    """A loop without the breaks that its body begins or ends with, and the conditions of those.

    What stands between two tests has to make the second one, counters included that advance after a break: a single addition
    more keeps them apart. In front of the first test of an endless loop anything may stand: it ends with its tests then.
    """
    if end is None:
        return loop, []
    is_endless = loop.condition_register is None
    body, conditions = list(loop.body), list[int]()
    place = first = since = 0
    while place < len(body):
        region = body[place]
        condition = break_condition(region, end)
        is_free = is_endless and not conditions
        if condition is None and (isinstance(region, Block) or is_free):
            place += 1
            continue
        if condition is None:
            break
        if not (is_free or makes_test_alone(body[since:place], condition, variables)):
            break
        first = first if conditions else place
        conditions.append(condition)
        del body[place]
        since = place
    tests_last = is_endless and not (
        conditions and makes_test_alone(body[:first], conditions[0], variables)
    )
    while place < len(body) and not tests_last:
        condition = break_condition(body[place], end)
        if condition is not None and _only_counts(body[place + 1 :]):
            conditions.append(condition)
            del body[place]
            break
        place += 1
    if not conditions:
        return loop, []
    if not is_endless:
        return replace(loop, body=body), conditions
    before, body = body[:first], body[first:]
    if tests_last:
        loop = replace(loop, body=before, step=[*body, *loop.step], tests_before=False)
    else:
        # An endless loop that begins with a break tests before each iteration.
        test = [*loop.condition, *before]
        loop = replace(loop, condition=test, body=body, tests_before=True)
    return replace(loop, condition_register=conditions[0]), conditions


def joined(
    loop: Loop,
    facts: LoopFacts,
    breaks: Sequence[int],
    counters: dict[int, Induction],
    code: Code,
) -> JoinedLoop | None:
    """A loop with one of its tests, where the compiler counts down the iterations that all of them leave.

    Args:
        loop: A loop without its breaks.
        facts: Of it with its breaks.
        breaks: Conditions of those.
        counters: What it counts with.
        code: That both are in.
    """
    was_endless = loop.condition_register in breaks
    is_parted = bool(breaks) and not (was_endless or loop.tests_before)
    if loop.condition_register is None or is_parted:
        return None
    if breaks:
        facts = loop_facts(loop, code.variables)
    if facts.has_exit:
        return None
    tests = [] if was_endless else [*_conjuncts(loop.condition_register, facts, ends_by=False)]
    for register in breaks:
        tests += _conjuncts(register, facts, ends_by=True)
    if (len(tests) < _TWO and not was_endless) or None in tests:
        return None
    moving = [test for test in tests if test is not None and not _is_fixed(test, facts)]
    if not moving or not all(_is_countable(test, facts, counters) for test in moving):
        return None
    first = moving[0].compare.dest
    bounds = tuple(pair for test in moving for pair in _bounds(test, facts, counters))
    with_one = replace(loop, condition_register=first)
    return JoinedLoop(with_one, loop, facts, len(moving) - 1, bounds)


def tests_break(breaks: Sequence[int], facts: LoopFacts) -> bool:
    """Whether a break becomes a part of the loop's own test: it takes one operation at most besides its comparison.

    Then a known trip count does not unroll the loop.
    """
    for register in breaks:
        compare = facts.defined.get(behind(register, facts, _NEGATIONS))
        if compare is None or compare.op not in COMPARISONS:
            return False
        if sum(_operations(arg, facts) for arg in compare.args) > 1:
            return False
    return bool(breaks)


def _operations(register: int, facts: LoopFacts) -> int:
    instruction = facts.defined.get(behind(register, facts, COPIES))
    if instruction is None:
        return 0
    if instruction.op not in PURE:
        return _TWO
    return 1 + sum(_operations(arg, facts) for arg in instruction.args)


def break_condition(region: Region, end: int) -> int | None:
    """The condition of a break out of a loop; None for anything else."""
    if not isinstance(region, If) or region.otherwise or len(region.then) != 1:
        return None
    (only,) = region.then
    return region.condition if isinstance(only, Leave) and only.label == end else None


def _only_counts(regions: Sequence[Region]) -> bool:
    """Whether what stands behind a break is no more than the step of a counter."""
    if not all(isinstance(region, Block) for region in regions):
        return False
    operations = [item for item in instructions_of([*regions]) if item.op not in COPIES]
    return len(operations) <= 1 and all(
        item.op in {Op.ADD, Op.SUB} and not item.scalar.is_float for item in operations
    )


def _conjuncts(register: int, facts: LoopFacts, *, ends_by: bool) -> Iterator[_Test | None]:
    """Comparisons one of which ends the loop; None for anything else."""
    instruction = facts.defined.get(behind(register, facts, COPIES))
    while instruction is not None and instruction.op is Op.NOT:
        ends_by = not ends_by
        instruction = facts.defined.get(behind(instruction.args[0], facts, COPIES))
    if instruction is None:
        yield None
    elif instruction.op is (Op.OR if ends_by else Op.AND):
        for arg in instruction.args:
            yield from _conjuncts(arg, facts, ends_by=ends_by)
    elif instruction.op in COMPARISONS and not instruction.scalar.is_float:
        yield _Test(instruction, ends_by)
    else:
        yield None


def _is_fixed(test: _Test, facts: LoopFacts) -> bool:
    """Whether a test comes out the same in all iterations, so that it moves out of the loop."""
    return all(is_invariant(arg, facts) for arg in test.compare.args)


def _is_countable(test: _Test, facts: LoopFacts, counters: dict[int, Induction]) -> bool:
    """Whether the compiler finds how many iterations a test leaves: of a counter in steps of one, or of a sum with it."""
    compare = test.compare
    for mine, other in ((0, 1), (1, 0)):
        if not is_invariant(compare.args[other], facts):
            continue
        register = behind(compare.args[mine], facts, COPIES)
        counter = counters.get(register)
        is_itself = counter is not None
        if counter is None:
            counter = _counter_in_sum(register, facts, counters)
        if counter is None or abs(counter.step or 0) != 1:
            return False
        op = MIRRORED[compare.op] if mine else compare.op
        if test.ends_by:
            op = NEGATED[op]
        if op is Op.NE:
            return True
        return op in _STRICT or (op in _ORDERED and is_itself)
    return False


def _bounds(
    test: _Test, facts: LoopFacts, counters: dict[int, Induction]
) -> Iterator[tuple[int, int]]:
    for mine, other in ((0, 1), (1, 0)):
        variable = behind(test.compare.args[mine], facts, COPIES)
        if variable in counters and (counters[variable].step or 0) > 0:
            yield variable, test.compare.args[other]


def _counter_in_sum(
    register: int, facts: LoopFacts, counters: dict[int, Induction]
) -> Induction | None:
    """The counter in a sum or difference with what the loop leaves alone."""
    instruction = facts.defined.get(register)
    if instruction is None or instruction.op not in {Op.ADD, Op.SUB}:
        return None
    moving = [arg for arg in instruction.args if not is_invariant(arg, facts)]
    if len(moving) != 1:
        return None
    inner = behind(moving[0], facts, COPIES)
    return counters.get(inner) or _counter_in_sum(inner, facts, counters)
