"""Loops by a variable that each iteration multiplies, or that is brought back into its range.

A place in a tree without pointers is a multiple of the one above it, ``k = 2 * k + (key[k] < x)``, and a search for the end of a
range that gallops doubles its step: both pass a limit after its logarithm. A coordinate that one step of a particle has
carried out of a periodic box, ``while (x < 0) x += length``, or an angle beyond a full turn, is the exception.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.loops.ending_forms import loop_conditions, reaches_assigned
from roofstat.execution.loops.facts import copied_from
from roofstat.execution.numbers.values import NUMBERS
from roofstat.program.code import MemoryAccess, Op, blocks
from roofstat.program.comparisons import ORDERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction, Loop

_DOWNWARDS = frozenset({Op.GT, Op.GE})
_MOST_SOURCES = 16


def wrapping_trips(run: LoopRun, active: Mask) -> NDArray[np.float64] | None:
    """Trips to come of each lane in a loop that does nothing but bring a number back into its range; None for others."""
    machine = run.machine
    if machine.is_host or not _brings_back(run):
        return None
    run.totals.source = "assumed"
    run.entry.is_drawn = True
    machine.assume(
        "trip-count",
        "loop that brings a number back into its range: 0 iterations (it is in there, as a rule)",
        run.loop.position,
        active,
    )
    return np.zeros(machine.lane_count)


def _brings_back(run: LoopRun) -> bool:
    machine, facts = run.machine, run.facts
    definitions = machine.facts.definitions
    leaves = loop_conditions(machine, run.loop)
    if len(leaves) != 1 or leaves[0].op not in ORDERS or len(facts.assigned) != 1:
        return False
    (variable,) = facts.assigned
    if variable not in facts.sums or any(
        isinstance(item.detail, MemoryAccess) or item.op in (Op.CALL, Op.LIBRARY)
        for block in blocks([*run.loop.condition, *run.loop.body, *run.loop.step])
        for item in block.instructions
    ):
        return False
    sides = [copied_from(item, definitions) for item in leaves[0].args]
    if (sides[0] == variable) == (sides[1] == variable):
        return False
    is_too_large = (leaves[0].op in _DOWNWARDS) == (sides[0] == variable)
    steps = [definitions.get(item.args[0]) for item in machine.facts.writers[variable]]
    inside = [item for item in steps if item is not None and item.dest in facts.computed]
    return bool(inside) and all(
        item.op is (Op.SUB if is_too_large else Op.ADD)
        and not all(reaches_assigned(machine, facts, (part,)) for part in item.args)
        for item in inside
    )


def scaled_trips(run: LoopRun, active: Mask) -> tuple[float, str] | None:
    """Trip count and its reason, of a loop that ends where a variable passes a known limit that it multiplies."""
    machine, facts = run.machine, run.facts
    definitions, registers = machine.facts.definitions, machine.frames[-1].registers
    for leaf in loop_conditions(machine, run.loop):
        if leaf.op not in ORDERS or not leaf.scalar.is_integer:
            continue
        for side, limit in (leaf.args, leaf.args[::-1]):
            if reaches_assigned(machine, facts, (limit,)):
                continue
            factor = _factor(machine, run.loop, copied_from(side, definitions))
            end = registers[limit]
            if factor is None or isinstance(end, bool):
                continue
            if isinstance(end, np.ndarray) and end.dtype.kind in "iu":
                end = float(end[active.lanes].mean())
            if isinstance(end, NUMBERS) and end > factor:
                trips = math.log(end) / math.log(factor) + 1.0
                return trips, f"a number that grows by {factor} times in each passes {end:,.0f}"
    return None


def gallops(machine: Machine, loop: Loop) -> bool:
    """Whether a step that each iteration doubles says what the condition looks at."""
    facts = machine.facts.loops[loop.number]
    for leaf in loop_conditions(machine, loop):
        for variable in _sources(machine, leaf) & facts.assigned:
            if variable not in facts.sums and _factor(machine, loop, variable) is not None:
                return True
    return False


def _sources(machine: Machine, leaf: Instruction) -> set[int]:
    """The variables that the sides of a comparison are sums of."""
    definitions = machine.facts.definitions
    stack, found = list(leaf.args), set[int]()
    while stack and len(found) < _MOST_SOURCES:
        register = copied_from(stack.pop(), definitions)
        found.add(register)
        item = definitions.get(register)
        if item is not None and item.op in (Op.ADD, Op.CAST):
            stack.extend(item.args)
    return found


def _factor(machine: Machine, loop: Loop, variable: int) -> int | None:
    """What every write of a loop multiplies a variable by, whatever it adds then; None for other variables."""
    facts, definitions = machine.facts.loops[loop.number], machine.facts.definitions
    if variable not in facts.assigned:
        return None
    found: set[int | None] = set()
    for write in machine.facts.writers.get(variable, ()):
        item = definitions.get(write.args[0]) if write.op is Op.MOV else write
        if item is not None and item.dest in facts.computed:
            found.add(_times(machine, item, variable))
    return found.pop() if len(found) == 1 else None


def _times(machine: Machine, item: Instruction, variable: int, depth: int = 4) -> int | None:
    """By what an expression multiplies a variable, before it adds something."""
    definitions, constants = machine.facts.definitions, machine.frames[-1].code.constants
    sources = [copied_from(part, definitions) for part in item.args]
    if (item.op in (Op.MUL, Op.SHL) and sources[0] == variable) or (
        item.op is Op.MUL and sources[-1] == variable
    ):
        number = constants.get(item.args[1] if sources[0] == variable else item.args[0])
        if not isinstance(number, int) or not 0 < number < 64:
            return None
        factor = 1 << number if item.op is Op.SHL else number
        return factor if factor > 1 else None
    if item.op is Op.ADD and sources == [variable, variable]:
        return 2
    if item.op in (Op.ADD, Op.CAST) and depth:
        for part in item.args:
            inner = definitions.get(copied_from(part, definitions))
            if inner is not None:
                behind = _times(machine, inner, variable, depth - 1)
                if behind is not None:
                    return behind
    return None
