"""Loops without a condition that one break leaves, as the loops of one test that compilers make of them.

`for (;;) { A; if (k >= m) break; B; }` tests a counter like any other loop: LLVM turns it round until it ends with the test, counts its
iterations and copies A and B together, or all of it where the trip count is known. A break that the body begins with is the test
of a `while` loop. PTX and SASS of nvcc 13.0 and clang 18.1.6: 18 own loops.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.loops.loop_facts import is_arithmetic, loop_facts, makes_test_alone
from roofstat.program.code import Block, If, Leave, Loop, Op, Scope, Switch, children
from roofstat.program.comparisons import COMPARISONS, NEGATED
from roofstat.program.slices import COPIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.program.code import Code, Instruction, Region


@dataclass(frozen=True, slots=True)
class _Break:
    """The branch that a loop is left by."""

    before: list[Region]
    """What stands before it in the body."""
    condition: int
    is_left_where_true: bool
    leaving: list[Region]
    """What runs where it is taken, the jump apart."""
    after: list[Region]
    """What runs else, the rest of the body included."""


def with_tests(code: Code) -> Code:
    """The code with a test in each endless loop that a comparison leaves; itself where there is none."""
    if not any(_is_endless(region) for region in _all(code.body)):
        return code
    uses: dict[int, int] = {}
    for _, instruction in code.instructions():
        for register in instruction.args:
            uses[register] = uses.get(register, 0) + 1
    for region in _all(code.body):
        if isinstance(region, If):
            uses[region.condition] = uses.get(region.condition, 0) + 1
    return replace(code, body=_rewritten(code.body, code, uses))


def _all(regions: Sequence[Region]) -> list[Region]:
    found = list(regions)
    for region in regions:
        for part in children(region):
            found += _all(part)
    return found


def _is_endless(region: Region) -> bool:
    return isinstance(region, Loop) and region.condition_register is None


def _rewritten(regions: list[Region], code: Code, uses: dict[int, int]) -> list[Region]:
    found: list[Region] = []
    for region in regions:
        match region:
            case Scope():
                body = _rewritten(region.body, code, uses)
                last = body[-1] if body else None
                behind: list[Region] = []
                if isinstance(last, Loop) and last.condition_register is None:
                    tested, behind = _tested(last, region.label, code, uses)
                    body = [*body[:-1], tested]
                found += [replace(region, body=body), *behind]
            case Loop():
                parts = (region.condition, region.body, region.step)
                condition, body, step = (_rewritten(part, code, uses) for part in parts)
                found.append(replace(region, condition=condition, body=body, step=step))
            case If():
                then, otherwise = (
                    _rewritten(part, code, uses) for part in (region.then, region.otherwise)
                )
                found.append(replace(region, then=then, otherwise=otherwise))
            case Switch():
                cases = [
                    replace(case, body=_rewritten(case.body, code, uses)) for case in region.cases
                ]
                found.append(replace(region, cases=cases))
            case _:
                found.append(region)
    return found


def _tested(loop: Loop, end: int, code: Code, uses: dict[int, int]) -> tuple[Loop, list[Region]]:
    """A loop with its only break as its test, and what runs behind it; as it is where it cannot be."""
    found = _only_break(loop, end)
    if found is None:
        return loop, []
    writers = {
        item.dest: item
        for region in found.before
        if isinstance(region, Block)
        for item in region.instructions
    }
    register, is_left_where_true = found.condition, found.is_left_where_true
    chain = [register]
    compare = writers.get(register)
    while compare is not None and compare.op in COPIES | {Op.NOT}:
        is_left_where_true ^= compare.op is Op.NOT
        register = compare.args[0]
        chain.append(register)
        compare = writers.get(register)
    if compare is None or compare.op not in COMPARISONS or compare.scalar.is_float:
        return loop, []
    if code.variables.intersection(chain) or any(uses.get(item, 0) > 1 for item in chain):
        return loop, []
    before = found.before
    if is_left_where_true:
        negated = replace(compare, op=NEGATED[compare.op])
        before = [_with(region, compare, negated) for region in before]
    if makes_test_alone(before, register, code.variables):
        tested = replace(
            loop,
            condition=before,
            condition_register=register,
            body=found.after,
            tests_before=True,
        )
    else:
        tested = replace(
            loop,
            condition=[],
            condition_register=register,
            body=before,
            step=[*found.after, *loop.step],
            tests_before=False,
        )
    facts = loop_facts(tested, code.variables)
    if facts.has_exit or not is_arithmetic(register, facts):
        return loop, []
    return tested, found.leaving


def _only_break(loop: Loop, end: int) -> _Break | None:
    """The break in a body, outside of everything else; None where more than that leaves the loop."""
    for place, region in enumerate(loop.body):
        if not isinstance(region, If):
            continue
        arms = (region.then, region.otherwise)
        for leaving, other, is_true in ((*arms, True), (*arms[::-1], False)):
            if leaving and isinstance(leaving[-1], Leave) and leaving[-1].label == end:
                after = [*other, *loop.body[place + 1 :]]
                return _Break(loop.body[:place], region.condition, is_true, leaving[:-1], after)
    return None


def _with(region: Region, old: Instruction, new: Instruction) -> Region:
    if not isinstance(region, Block) or old not in region.instructions:
        return region
    return replace(region, instructions=[new if i is old else i for i in region.instructions])
