"""Branches on whether an element goes on with a run of equal ones, whose length is counted.

Runs are counted where they are long: quantised coefficients of which most are zero, labels of one region.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op, instructions_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Region

GOES_ON = 0.8
"""Part of the elements that are like those before: runs of five."""
_COUNTING = frozenset({Op.MOV, Op.ADD})


def chance_of_run(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks whether a run goes on; None for others."""
    known = machine.facts.runs
    if region.number not in known:
        known[region.number] = _goes_on(machine, region)
    goes_on = known[region.number]
    if goes_on is None:
        return None
    return GOES_ON if goes_on else 1.0 - GOES_ON, "runs that are counted are long"


def _goes_on(machine: Machine, region: If) -> bool | None:
    """Whether the branch is taken where a run goes on."""
    comparison = machine.facts.definitions.get(region.condition)
    if not machine.loop_stack or comparison is None or comparison.op not in (Op.EQ, Op.NE):
        return None
    is_taken = comparison.op is Op.EQ
    counter = _counted(machine, region.then if is_taken else region.otherwise)
    constants = machine.frames[-1].code.constants
    is_reset = counter is not None and any(
        item.op is Op.MOV and item.dest == counter and item.args[0] in constants
        for item in instructions_of(machine.loop_stack[-1].loop.body)
    )
    return is_taken if is_reset else None


def _counted(machine: Machine, arm: list[Region]) -> int | None:
    """The variable that an arm counts up by one, where it does nothing else."""
    writers, constants = machine.facts.writers, machine.frames[-1].code.constants
    items = list(instructions_of(arm))
    sums = [item for item in items if item.op is Op.ADD]
    counted = [item.dest for item in items if item.dest in machine.frames[-1].code.variables]
    if len(sums) != 1 or len(counted) != 1 or any(item.op not in _COUNTING for item in items):
        return None
    parts = [copied_once(writers, part) for part in sums[0].args]
    is_step = any(constants.get(part) == 1 for part in parts) and counted[0] in parts
    return counted[0] if is_step else None
