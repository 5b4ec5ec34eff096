"""Loops in which the lanes of a warp, or of a block, share a row: each begins at an element of its own and leaps over the others'.

A row of 20 elements that 32 lanes share is one element for 20 of them and none for the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.accesses.recording import note_width
from roofstat.execution.comparisons import conjunction_of
from roofstat.execution.loops.facts import copied_from
from roofstat.execution.loops.unknown_trips import DEFAULT, assumed_trips, note_trips
from roofstat.execution.values import Unknown
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Op, SpecialRegister, instructions_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction

_ACCESSES = frozenset({Op.LOAD, Op.STORE, Op.ATOMIC})


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
        step = _step(run, leaf)
        if step is None or not 0 <= own[active.lanes].min() < own[active.lanes].max() < step:
            continue
        _foresee(run)
        length, why = assumed_trips(machine, begin, run.entry.touched, 1.0, spanned_bytes)
        if why == DEFAULT:
            return None
        trips = np.ceil(np.maximum(round(length) - own, 0) / step)
        mean = float(np.average(trips[active.lanes], weights=machine.weight[active.lanes]))
        note_trips(machine, run.loop, begin, active, mean, f"{why}, {step} in a step")
        run.totals.source = "assumed"
        return trips
    return None


def _step(run: LoopRun, leaf: Instruction) -> int | None:
    """By how much the loop moves its counter on; None where that is not one known number."""
    facts = run.machine.facts
    counter = copied_from(leaf.args[0], facts.definitions)
    steps = {
        _before(run, item.args[1])
        for item in instructions_of([*run.loop.body, *run.loop.step])
        if item.op is Op.ADD
        and copied_from(item.args[0], facts.definitions) == counter
        and any(writer.args == (item.dest,) for writer in facts.writers.get(counter, ()))
    }
    return steps.pop() if len(steps) == 1 else None


def _before(run: LoopRun, register: int) -> int | None:
    """What a register will hold in the loop, as far as that is known before it."""
    machine = run.machine
    source = copied_once(machine.facts.writers, register)
    definition = machine.facts.definitions.get(source)
    if definition is not None and isinstance(definition.detail, SpecialRegister):
        is_warp = definition.detail is SpecialRegister.WARP_SIZE
        return WARP_SIZE if is_warp else machine.launch_dimensions.get(definition.detail.value)
    value = machine.frames[-1].registers[source]
    return value if isinstance(value, int) else None


def _foresee(run: LoopRun) -> None:
    """Note the arrays that an iteration will access, as far as their addresses are known before it."""
    machine = run.machine
    for item in instructions_of([*run.loop.body, *run.loop.step]):
        address = machine.facts.definitions.get(item.args[0]) if item.op in _ACCESSES else None
        if address is None or address.op is not Op.PTR_ADD:
            continue
        base = machine.frames[-1].registers[address.args[0]]
        found = machine.memory.find(base) if isinstance(base, int) else None
        if found is not None:
            note_width(machine, item, found.buffer.number)
            run.entry.touched.add(found.buffer.number)
