"""How far an iteration of a kernel's loop moves on: its counter, and the places that it accesses in each array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.loops.facts import copied_from
from roofstat.execution.loops.linear import mean_distance
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import MEMORY_ACCESSES, Op, SpecialRegister, instructions_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask

_BITS = 64
_SHIFTS = frozenset({Op.ADD, Op.SUB, Op.CAST, Op.MOV})
"""What leaves the step of a counter as it is."""


def counter_stride(run: LoopRun, active: Mask) -> float:
    """By how much the counter that the condition tests moved in the last iteration; 1 where that is not known."""
    register = run.loop.condition_register
    leaves = None if register is None else conjunction_of(run.machine, register)
    stack = [item for leaf in leaves or () if leaf.scalar.is_integer for item in leaf.args]
    definitions = run.machine.facts.definitions
    stride = 1.0
    while stack:
        register = stack.pop()
        if register in run.facts.assigned:
            moved = _variable_moved(run, register, active) or written_step(run, register) or 0.0
            stride = max(stride, moved)
        elif register in run.facts.computed and definitions[register].op in _SHIFTS:
            stack.extend(definitions[register].args)
    return stride


def written_step(run: LoopRun, counter: int) -> int | None:
    """By how much the loop's code moves a variable on; None where that is not one known number."""
    facts = run.machine.facts
    steps = {
        _before(run, item.args[1])
        for item in instructions_of([*run.loop.body, *run.loop.step])
        if item.op in (Op.ADD, Op.SUB)
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


def moved_bytes(run: LoopRun, active: Mask) -> dict[int, float]:
    """Bytes that an iteration moves on in each array that the loop goes along, by number of the buffer: the least of its accesses."""
    machine = run.machine
    definitions, registers = machine.facts.definitions, machine.frames[-1].registers
    moved: dict[int, float] = {}
    for item in instructions_of([*run.loop.body, *run.loop.step]):
        if item.op not in MEMORY_ACCESSES:
            continue
        distance = _moved(run, item.args[0], active)
        base = item.args[0]
        while (address := definitions.get(base)) is not None and address.op is Op.PTR_ADD:
            base = address.args[0]
        pointer = registers[base]
        if isinstance(pointer, np.ndarray):
            pointer = int(pointer[active.lanes.argmax()])
        found = machine.memory.find(pointer) if isinstance(pointer, int) else None
        if distance and found is not None:
            number = found.buffer.number
            moved[number] = min(moved.get(number, distance), distance)
    return moved


def _variable_moved(run: LoopRun, register: int, active: Mask) -> float | None:
    """How far a variable that the loop writes moved in the last iterations, at most; None where nobody knows."""
    value = run.machine.frames[-1].registers[register]
    distances = [
        mean_distance(before[register], value, active.lanes) for before in run.snapshots[-2:]
    ]
    known = [distance for distance in distances if distance is not None]
    return max(known, default=None)


def _moved(run: LoopRun, register: int, active: Mask) -> float | None:
    """How far what a register holds moves in an iteration; None where it does not move evenly."""
    if register in run.facts.assigned:
        return _variable_moved(run, register, active)
    if register not in run.facts.computed:
        return 0.0
    item = run.machine.facts.definitions.get(register)
    if item is None:
        return None
    parts = [part for part in (_moved(run, arg, active) for arg in item.args) if part is not None]
    if len(parts) < len(item.args) or item.op in MEMORY_ACCESSES:
        return None
    if not any(parts):
        return 0.0
    left, right = (*parts, 0.0)[:2]
    match item.op:
        case Op.MOV | Op.CAST:
            return left
        case Op.ADD:
            return left + right
        case Op.SUB if not (left and right):
            return left + right
        case Op.PTR_ADD if isinstance(item.detail, int):
            return left + right * item.detail
        case Op.MUL | Op.SHL if not (left and right):
            other = run.machine.frames[-1].registers[item.args[1 if left else 0]]
            if not isinstance(other, int) or (item.op is Op.SHL and other >= _BITS):
                return None
            if item.op is Op.MUL:
                return (left or right) * abs(other)
            return left * 2.0**other if left else None
        case _:
            return None
