"""Branches that collect elements until so many are there: as many as are wanted are taken to be found in all of the range.

The first neighbours within a radius are gathered so, as many as a table has room for. Where none of the elements that are
looked at says how many there are, who sets the room expects it to be about enough: less of it would leave neighbours out, and
more of it would stay empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.jumps import direct_leaves
from roofstat.execution.loops.ending_forms import loop_conditions
from roofstat.execution.loops.facts import copied_from, facts_of
from roofstat.program.code import If, Op, every_region, instructions_of

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine

_BELOW = frozenset({Op.LT, Op.NE})
_REACHED = frozenset({Op.EQ, Op.GE})
_WHY = "as many are found in all of the range as are wanted"
_MOST = 0.5


def chance_of_wanted(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it takes an element of a range until so many are there; None for others."""
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.frame is not machine.frames[-1] or region.otherwise:
        return None
    quota, length = None, None
    for leaf in loop_conditions(machine, entry.loop):
        if leaf.op not in _BELOW or not leaf.scalar.is_integer:
            continue
        limit = machine.frames[-1].registers[leaf.args[1]]
        if not isinstance(limit, int):
            continue
        if _counts(machine, region, leaf.args[0]):
            quota = limit
        elif (
            copied_from(leaf.args[0], machine.facts.definitions)
            in facts_of(machine, entry.loop).sums
        ):
            length = limit
    if quota is None:
        quota = _quota_by_break(machine, region)
    if quota is None or length is None or quota <= 0 or quota > _MOST * length:
        return None
    return quota / length, _WHY


def _counts(machine: Machine, region: If, register: int) -> bool:
    """Whether a branch counts up a variable by one and stores at least something beside."""
    definitions = machine.facts.definitions
    constants = machine.frames[-1].code.constants
    variable = copied_from(register, definitions)
    items = list(instructions_of(region.then))
    if not any(item.op is Op.STORE for item in items):
        return False
    written = machine.facts.writers.get(variable, ())
    for item in items:
        if item.op is Op.MOV and item.dest == variable and item in written:
            step = definitions.get(item.args[0])
            if (
                step is not None
                and step.op is Op.ADD
                and variable in {copied_from(part, definitions) for part in step.args}
                and any(constants.get(part) == 1 for part in step.args)
            ):
                return True
    return False


def _quota_by_break(machine: Machine, region: If) -> int | None:
    """How many are wanted, where the branch itself leaves the loop once they are there."""
    for inner in every_region(region.then):
        if not isinstance(inner, If) or not direct_leaves(inner.then):
            continue
        test = machine.facts.definitions.get(inner.condition)
        if test is None or test.op not in _REACHED or not test.scalar.is_integer:
            continue
        register = test.args[1]
        fixed = machine.frames[-1].code.constants.get(register)
        limit = machine.frames[-1].registers[register] if fixed is None else fixed
        if isinstance(limit, int) and _counts(machine, region, test.args[0]):
            return limit
    return None
