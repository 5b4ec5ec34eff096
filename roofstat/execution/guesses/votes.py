"""Branches on whether any lane of a warp, or any thread of a block, votes for something: of so many one nearly always does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.numbers.values import Unknown
from roofstat.program.code import Op
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import If

_OF_ANY = frozenset({"any", "ballot", "reduce_add", "reduce_or", "block_any", "block_count"})
"""Votes whose result is zero where nobody votes for it."""


def chance_of_vote(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks whether anybody votes for something; None for others."""
    holds = _is_any(machine, region.condition)
    if holds is None:
        return None
    return float(holds), "of so many threads one votes for it"


def _is_any(machine: Machine, register: int) -> bool | None:
    """Whether a condition holds where anybody votes for something; None where it does not ask for that."""
    writers = machine.facts.writers
    source = copied_once(writers, register)
    written = writers.get(source, ())
    if len(written) != 1:
        return None
    item = written[0]
    if item.op is Op.VOTE:
        return True if item.detail in _OF_ANY else None
    if item.op is Op.NOT:
        holds = _is_any(machine, item.args[0])
        return None if holds is None else not holds
    if item.op is Op.AND:  # one lane of each warp, of those that are known
        for part, other in (item.args, item.args[::-1]):
            if not isinstance(machine.read(other), Unknown) and _is_any(machine, part):
                return True
        return None
    if item.op not in (Op.EQ, Op.NE, Op.GT):
        return None
    if machine.frames[-1].code.constants.get(copied_once(writers, item.args[1])) != 0:
        return None
    holds = _is_any(machine, item.args[0])
    return None if holds is None else holds ^ (item.op is Op.EQ)
