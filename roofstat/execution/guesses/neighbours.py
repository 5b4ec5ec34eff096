"""Comparisons of the distance of a neighbour with a cut-off, where neighbours are looked for in the cells around.

The side of a cell is the cut-off, so that all neighbours lie in three cells along each axis: of points that are spread evenly over
these, as many are within the cut-off as its ball fills of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.facts import copied_from, facts_of
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import Op
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import backward_slice, copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Instruction, Loop

_SHARES = {2: math.pi / 9.0, 3: 4.0 / 3.0 * math.pi / 27.0}
"""Dimensions -> the part of the cells around that the ball of the cut-off fills."""
_CELLS = {9: 2, 14: 3, 27: 3}
"""Trips of one loop over all cells around (or the half of them, and the own one) -> their dimensions."""
_LIMITS = frozenset({"max", "min", "fmax", "fmin"})


def chance_of_neighbour(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks whether a point of the cells around is near; None for others."""
    test = _test_of(machine, region)
    if test is None:
        return None
    share = _SHARES[test.dimensions]
    why = "points of the cells around that are within a cell's side"
    return share if test.asks_near else 1.0 - share, why


def is_drawn_neighbour(machine: Machine, region: If) -> bool:
    """Whether a branch asks for it of points that were drawn one by one, in a list whose end the data say.

    That they are in one of the cells around, and so hardly ever far, got lost where nobody knows who is in which list.
    """
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.frame is not machine.frames[-1] or entry.loop.is_grid_stride:
        return False
    registers, facts = machine.frames[-1].registers, facts_of(machine, entry.loop)
    test = _test_of(machine, region)
    if test is None or not any(
        item.op is Op.LOAD and isinstance(registers[item.dest], Unknown | Mixed)
        for item in backward_slice(machine.facts.writers, test.distance, _leads_on)
    ):
        return False
    register = entry.loop.condition_register
    leaves = None if register is None else conjunction_of(machine, register, is_lazy=True)
    return any(
        isinstance(registers[side], Unknown | Mixed)
        and copied_from(side, machine.facts.definitions) not in facts.assigned
        for leaf in leaves or ()
        for side in leaf.args
    )


def _leads_on(item: Instruction) -> bool:
    """Addresses say from where coordinates are, not what they are."""
    return item.op is not Op.LOAD


@dataclass(frozen=True, slots=True)
class _Test:
    """A comparison of a distance with a cut-off."""

    distance: int
    """The register of its square."""
    dimensions: int
    asks_near: bool


def _test_of(machine: Machine, region: If) -> _Test | None:
    definitions = machine.facts.definitions
    register = copied_once(machine.facts.writers, region.condition, {Op.MOV})
    condition = definitions.get(register)
    if condition is None:
        return None
    # Of ``far || own`` and its like, the other part hardly ever decides.
    parts = condition.args if condition.op in (Op.AND, Op.OR) else (register,)
    for part in parts:
        comparison = definitions.get(part)
        if comparison is None or comparison.op not in ORDERS:
            continue
        for distance in comparison.args:
            dimensions = _dimensions(machine, distance, {})
            if dimensions in _SHARES and _loops_around(machine) >= dimensions:
                is_below = comparison.op in (Op.LT, Op.LE)
                return _Test(distance, dimensions, is_below == (distance == comparison.args[0]))
    return None


def _loops_around(machine: Machine) -> int:
    """Loops of the thread around the running code: over cells along each axis, and over what is in them.

    One loop over all cells, whose number says where they lie, counts as one along each axis.
    """
    return sum(
        _CELLS.get(_bound(machine, entry.loop), 1)
        for entry in machine.loop_stack
        if entry.frame is machine.frames[-1] and not entry.loop.is_grid_stride
    )


def _bound(machine: Machine, loop: Loop) -> int:
    """The constant number below which a loop counts; 0 for others."""
    comparison = machine.facts.definitions.get(loop.condition_register or 0)
    if comparison is None or comparison.op not in (Op.LT, Op.NE):
        return 0
    limit = machine.frames[-1].code.constants.get(comparison.args[1])
    return limit if isinstance(limit, int) else 0


def _dimensions(machine: Machine, register: int, known: dict[int, int]) -> int:
    """Of how many squares a number, or its square, is the sum; 0 of others.

    Args:
        machine: The running machine.
        register: The number.
        known: What has been found so far; a number that is computed from itself is no such sum.
    """
    if register not in known:
        known[register] = 0
        written = machine.facts.writers.get(register, ())
        known[register] = max((_dimensions_of(machine, item, known) for item in written), default=0)
    return known[register]


def _dimensions_of(machine: Machine, item: Instruction, known: dict[int, int]) -> int:
    if item.op is Op.MOV or (item.op is Op.MATH and item.detail == "sqrt"):
        return _dimensions(machine, item.args[0], known)
    if item.op is Op.MATH and item.detail in _LIMITS:
        return max(_dimensions(machine, part, known) for part in item.args)
    if item.op is Op.MUL:
        one, other = (copied_once(machine.facts.writers, part, {Op.MOV}) for part in item.args)
        return int(one == other)
    if item.op is not Op.ADD:
        return 0
    parts = [_dimensions(machine, part, known) for part in item.args]
    return sum(parts) if all(parts) else 0
