"""Loops of known length whose body ends with a break, which compilers leave rolled.

`for (int k = 0; k < 8; k++) { ...; if (s >= best) break; }`: LLVM's pass that tidies jumps makes one test of the break and the loop's
own, as nothing but the counter's step stands between them. Of that test no trip count follows any more. Read off 39 own loops with breaks by
nvcc 13.0 (PTX) and clang 18.1.6 (LLVM IR of kernels and of target regions): nvcc does it with any loop, clang with those that
stand inside another, as all do that target regions share out. Outside of others it has unrolled them before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.loops.joined_tests import break_condition
from roofstat.instructions.loops.loop_facts import behind
from roofstat.program.code import Block, Op, instructions_of
from roofstat.program.slices import COPIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.loops.loop_facts import LoopFacts
    from roofstat.program.code import Code, Instruction, Loop, Region

_SOURCES = frozenset({Op.LOAD, Op.ATOMIC, Op.CALL, Op.LIBRARY, Op.SHUFFLE, Op.VOTE})


def ends_with_data_break(loop: Loop, end: int | None, facts: LoopFacts, code: Code) -> bool:
    """Whether the break that a body ends with becomes a part of the loop's test.

    It has to leave by what data say, not by the counter alone, and by nothing that tells behind the loop which way it
    was left: neither a number that it equals nor the counter.

    Args:
        loop: The loop.
        end: The label that a break out of it jumps to.
        facts: Of the loop.
        code: That it stands in.
    """
    condition = None if end is None else _last_break(loop, end)
    if condition is None:
        return False
    compare = facts.defined.get(behind(condition, facts, COPIES | {Op.NOT}))
    if compare is not None and compare.op in (Op.EQ, Op.NE):
        sides = [behind(side, facts, COPIES) for side in compare.args]
        if any(side in facts.assigned for side in sides) and any(
            side in code.constants for side in sides
        ):
            return False
    return _rests_on_data(condition, facts) and not _counter_is_read(loop, facts, code)


def _last_break(loop: Loop, end: int) -> int | None:
    """The condition of the break that nothing but the step of one counter follows; None where there is none."""
    for place in range(len(loop.body) - 1, -1, -1):
        condition = break_condition(loop.body[place], end)
        if condition is not None:
            rest = [*loop.body[place + 1 :], *loop.step]
            return condition if len(_steps(rest) or ()) == 1 else None
        if not isinstance(loop.body[place], Block):
            break
    return None


def _steps(regions: Sequence[Region]) -> list[Instruction] | None:
    """Additions of whole numbers that are all that stands somewhere; None where there is more."""
    found = [item for item in instructions_of([*regions]) if item.op not in COPIES]
    is_plain = all(isinstance(region, Block) for region in regions) and all(
        item.op in (Op.ADD, Op.SUB) and item.scalar.is_integer for item in found
    )
    return found if is_plain else None


def _rests_on_data(condition: int, facts: LoopFacts) -> bool:
    """Whether a condition rests on what the loop loads or carries on, apart from counting."""
    writers: dict[int, list[Instruction]] = {}
    for item in facts.instructions:
        writers.setdefault(item.dest, []).append(item)
    pending, seen = [condition], {condition}
    while pending:
        for item in writers.get(pending.pop(), ()):
            if item.op in _SOURCES or item.scalar.is_float:
                return True
            pending += [part for part in item.args if part not in seen]
            seen.update(item.args)
    return False


def _counter_is_read(loop: Loop, facts: LoopFacts, code: Code) -> bool:
    """Whether what the step counts is looked at behind the loop."""
    inside = {id(item) for item in facts.instructions}
    counted = {item.dest for item in instructions_of(loop.step)} & facts.assigned
    return any(
        not counted.isdisjoint(item.args)
        for _, item in code.instructions()
        if id(item) not in inside
    )
