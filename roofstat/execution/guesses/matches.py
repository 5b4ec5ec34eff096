"""Comparisons of elements of sorted lists that a loop merges, or intersects: few are in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.loops.ending_forms import compares_sequences, merged_lists
from roofstat.program.code import Op
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Instruction

_MATCHES = 0.1
"""Part of the compared elements that agree. Measured in three searches of texts: 0.04, 0.05 and 0.14."""
_WHY = "few elements are in both of the lists that are merged"


def chance_of_match(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where what it asks follows from whether two elements agree; None for others."""
    comparison = machine.facts.definitions.get(region.condition)
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if comparison is None or entry is None or entry.frame is not machine.frames[-1]:
        return None
    if comparison.op not in ORDERS and comparison.op not in (Op.EQ, Op.NE):
        return None
    facts = machine.facts.loops[entry.loop.number]
    if not compares_sequences(machine, facts, comparison):
        return None
    if merged_lists(machine, entry.loop) < 2:
        return None
    if comparison.op in (Op.EQ, Op.NE):
        return _MATCHES if comparison.op is Op.EQ else 1.0 - _MATCHES, _WHY
    if any(
        _excludes(machine, machine.facts.definitions[register], comparison)
        for register in facts.computed
    ):
        return 1.0 - _MATCHES, _WHY
    return None


def _excludes(machine: Machine, before: Instruction, comparison: Instruction) -> bool:
    """Whether a comparison that has failed before leaves to the other one nothing but a match to fail by."""
    if before.op not in (Op.LT, Op.GT) or comparison.op not in (Op.LT, Op.GT):
        return False
    if before.dest >= comparison.dest:
        return False
    first, second = (
        [copied_once(machine.facts.writers, item) for item in found.args]
        for found in (before, comparison)
    )
    return first == (second if before.op is not comparison.op else second[::-1])
