"""Loops in which the lanes of a warp, or of a block, share a row: each begins at an element of its own and leaps over the others'.

A row of 20 elements that 32 lanes share is one element for 20 of them and none for the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.accesses.recording import note_width
from roofstat.execution.loops.facts import copied_from
from roofstat.execution.loops.strides import written_step
from roofstat.execution.loops.unknown_trips import DEFAULT, assumed_trips, note_trips
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.execution.numbers.values import Unknown
from roofstat.program.code import MEMORY_ACCESSES, Op, instructions_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask


def shared_row_trips(
    run: LoopRun, active: Mask, spanned_bytes: float
) -> NDArray[np.float64] | None:
    """Trips of each lane in a row that several share; None for other loops, and where nobody knows how long rows are.

    Args:
        run: The loop, before its first iteration.
        active: Who comes to it.
        spanned_bytes: Distance of the two offsets in their array; 0 where that is not known.
    """
    machine, register = run.machine, run.loop.condition_register
    if machine.is_host or run.iteration or register is None:
        return None
    registers = machine.frames[-1].registers
    for leaf in conjunction_of(machine, register) or ():
        begin, end = (registers[item] for item in leaf.args)
        if leaf.op is not Op.LT or not isinstance(begin, Unknown) or not isinstance(end, Unknown):
            continue
        if begin.origin is None or begin.origin != end.origin or begin.scale != end.scale != 1:
            continue
        own = np.broadcast_to(np.asarray(begin.offset) - end.offset, active.lanes.shape)
        step = written_step(run, copied_from(leaf.args[0], machine.facts.definitions))
        if step is None or not 0 <= own[active.lanes].min() < own[active.lanes].max() < step:
            continue
        _foresee(run)
        length, why = assumed_trips(
            machine, run.loop, begin, run.entry.touched, 1.0, {}, spanned_bytes
        )
        if why == DEFAULT:
            return None
        trips = np.ceil(np.maximum(round(length) - own, 0) / step)
        mean = float(np.average(trips[active.lanes], weights=machine.weight[active.lanes]))
        note_trips(machine, run.loop, begin, active, mean, f"{why}, {step} in a step")
        run.totals.source = "assumed"
        return trips
    return None


def _foresee(run: LoopRun) -> None:
    """Note the arrays that an iteration will access, as far as their addresses are known before it."""
    machine = run.machine
    for item in instructions_of([*run.loop.body, *run.loop.step]):
        address = (
            machine.facts.definitions.get(item.args[0]) if item.op in MEMORY_ACCESSES else None
        )
        if address is None or address.op is not Op.PTR_ADD:
            continue
        base = machine.frames[-1].registers[address.args[0]]
        found = machine.memory.find(base) if isinstance(base, int) else None
        if found is not None:
            note_width(machine, item, found.buffer.number)
            run.entry.touched.add(found.buffer.number)
