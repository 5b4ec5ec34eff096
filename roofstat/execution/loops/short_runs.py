"""Loops that go on while elements equal a given number: a mark of a text, or one that comes from another array.

Blanks are skipped so, and entries of a table looked at that have the key that is looked for. That an element is equal is as
seldom as for any two numbers, and so is that the next one is. Runs of one array's own elements are another matter: there
threads go through all that have something in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.guesses.equalities import EQUAL, is_mark_of_text
from roofstat.execution.loops.ending_forms import (
    is_moving_element,
    loop_conditions,
    reaches_assigned,
)
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.program.code import MemoryAccess, Op
from roofstat.program.slices import COPIES, backward_slice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction

_CUTTING = COPIES | {Op.SHR, Op.AND}
_REASON = "elements seldom equal a number from elsewhere"


def short_run_trips(run: LoopRun, active: Mask) -> NDArray[np.float64] | None:
    """Trips to come of each lane in a loop that goes on while elements equal a given number; None for others."""
    machine = run.machine
    if machine.is_host or not any(
        _compares_with_given(run, leaf) for leaf in loop_conditions(machine, run.loop)
    ):
        return None
    run.totals.source = "assumed"
    run.entry.is_drawn = True
    machine.assume(
        "trip-count",
        f"loop that goes on while elements are equal to a number: {EQUAL / (1 - EQUAL):.2g} iterations ({_REASON})",
        run.loop.position,
        active,
    )
    draws = machine.draws(new_unknown("how long elements are equal"))
    trips: NDArray[np.float64] = np.floor(np.log1p(-draws) / np.log(EQUAL))
    return trips


def _compares_with_given(run: LoopRun, comparison: Instruction) -> bool:
    if comparison.op is not Op.EQ or not comparison.scalar.is_integer:
        return False
    machine = run.machine
    if is_mark_of_text(machine, comparison):
        return any(is_moving_element(machine, run.facts, item) for item in comparison.args)
    return any(
        is_moving_element(machine, run.facts, _word_of(machine, element))
        and _is_of_other_array(run, element, given)
        for element, given in (comparison.args, comparison.args[::-1])
    )


def _is_of_other_array(run: LoopRun, element: int, given: int) -> bool:
    """Whether a number does not change with the loop and comes from other arrays than an element."""
    machine = run.machine
    if reaches_assigned(machine, run.facts, (given,)):
        return False
    own, others = _arrays(machine, element), _arrays(machine, given)
    return bool(others) and own.isdisjoint(others)


def _word_of(machine: Machine, register: int) -> int:
    """The word that a field is cut out of; other numbers themselves."""
    definitions = machine.facts.definitions
    item = definitions.get(register)
    while item is not None and item.op in _CUTTING:
        register = item.args[0]
        item = definitions.get(register)
    return register


def _arrays(machine: Machine, register: int) -> set[str]:
    """The arrays that a number is computed from."""
    return {
        item.detail.array
        for item in backward_slice(machine.facts.writers, register, _leads_on)
        if item.op is Op.LOAD and isinstance(item.detail, MemoryAccess)
    }


def _leads_on(item: Instruction) -> bool:
    """Addresses are left out: they say from where, not what."""
    return item.op is not Op.LOAD
