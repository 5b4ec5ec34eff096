"""Loops on unknown data whose form tells how long they run: searches for a difference, integrations up to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.comparisons import conjunction_of
from roofstat.execution.known_arithmetic import ORDERS
from roofstat.execution.loops.facts import copied_from
from roofstat.program.code import Op, blocks

if TYPE_CHECKING:
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.program.code import Instruction

_DIFFERENCE_TRIPS = 1.0
"""Trips of a loop that goes on while elements of two sequences agree.

Measured in three searches of texts: 0.04, 0.05 and 0.14 elements agreed in the mean.
"""
_INTEGRATION_TRIPS = 64.0
"""Trips of a loop that goes on to an end by steps that it chooses. Measured in three integrators: 50, 57 and 377."""
_COPIES = frozenset({Op.MOV, Op.CAST})


def trips_by_form(run: LoopRun) -> tuple[float, str] | None:
    """Trip count and its reason; None for loops of no known form."""
    converges = run.entry.converges
    if converges is not None and converges.trips is not None:
        return float(converges.trips), converges.reason
    if _compares_sequences(run):
        return _DIFFERENCE_TRIPS, "elements of two sequences differ at once, as a rule"
    if _integrates(run):
        return _INTEGRATION_TRIPS, "steps of a chosen size up to an end"
    return None


def _conditions(run: LoopRun) -> list[Instruction]:
    """The comparisons that all have to hold for the loop to go on."""
    register = run.loop.condition_register
    if register is None:
        return []
    return conjunction_of(run.machine, register, is_lazy=True) or []


def _compares_sequences(run: LoopRun) -> bool:
    """Whether the loop ends where two loaded whole numbers differ that both move on with it."""
    equal = [leaf for leaf in _conditions(run) if leaf.op is Op.EQ and leaf.scalar.is_integer]
    return any(
        all(_is_moving_element(run, item) for item in leaf.args)
        for leaf in [*equal, *run.entry.open_differences]
    )


def _is_moving_element(run: LoopRun, register: int) -> bool:
    definitions = run.machine.facts.definitions
    while register in run.facts.computed:
        item = definitions[register]
        if item.op is Op.LOAD:
            return _reaches_assigned(run, item.args)
        if item.op not in _COPIES:
            return False
        register = item.args[0]
    return False


def _reaches_assigned(run: LoopRun, registers: tuple[int, ...]) -> bool:
    """Whether an address follows from what the loop changes."""
    stack, seen = list(registers), set()
    while stack:
        register = stack.pop()
        if register in run.facts.assigned:
            return True
        if register in seen or register not in run.facts.computed:
            continue
        seen.add(register)
        stack.extend(run.machine.facts.definitions[register].args)
    return False


def _integrates(run: LoopRun) -> bool:
    """Whether the loop goes on until a sum has come to an end, and computes how far that is (``h = end - t``)."""
    definitions = run.machine.facts.definitions
    compared = [
        tuple(copied_from(register, definitions) for register in leaf.args)
        for leaf in _conditions(run)
        if leaf.op in ORDERS and leaf.scalar.is_float
    ]
    ends = {
        (end, reached)
        for pair in compared
        for end, reached in (pair, pair[::-1])
        if reached in run.facts.sums
    }
    return any(
        item.op is Op.SUB and tuple(copied_from(part, definitions) for part in item.args) in ends
        for block in blocks(run.loop.body)
        for item in block.instructions
    )
