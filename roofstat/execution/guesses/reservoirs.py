"""Reservoirs of bits: what readers and writers of packed numbers hold is filled up as often as what they take or put says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.unknowns import interval_of
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import Block, If, Op, children
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import variable_behind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction, Region

_PART = 0.25
"""Of a word, what is put or taken at once where nobody knows: the mean of numbers up to 32 whose orders are equally likely."""


@dataclass(frozen=True, slots=True)
class Reservoir:
    """A branch that refills or empties what every iteration takes from or puts to."""

    word: int
    """What the branch adds or takes away."""
    step: int
    """Register of what is put or taken each time."""
    is_then: bool
    """Whether its first arm does so."""


def chance_of_refill(machine: Machine, region: If, mask: Mask) -> tuple[float, str] | None:
    """(probability, why) of ``if (held < n) held += 32; held -= n;`` and ``held += n; if (held >= 32) held -= 32;``."""
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.frame is not machine.frames[-1]:
        return None
    known = machine.facts.reservoirs
    if region.number not in known:
        known[region.number] = _reservoir(machine, region, entry.loop.body)
    found = known[region.number]
    if found is None:
        return None
    mean = _mean(machine, found.step, mask, found.word)
    chance = min(max(mean / found.word, 0.0), 1.0)
    why = f"as often as what is put or taken comes to {found.word}"
    return (chance if found.is_then else 1.0 - chance), why


def _mean(machine: Machine, register: int, mask: Mask, word: int) -> float:
    value = machine.read(register)
    if isinstance(value, np.ndarray):
        return float(np.abs(value[mask.lanes].astype(float)).mean())
    bounds = None if isinstance(value, Mixed) else interval_of(value)
    if bounds is None or (isinstance(value, Unknown) and bounds[1] > word):
        return _PART * word
    return (bounds[0] + bounds[1]) / 2


def _reservoir(machine: Machine, region: If, body: list[Region]) -> Reservoir | None:
    definitions = machine.facts.definitions
    comparison = definitions.get(region.condition)
    if comparison is None or comparison.op not in ORDERS or not comparison.scalar.is_integer:
        return None
    for own, other in (comparison.args, comparison.args[::-1]):
        held = _origin(machine, own)
        for arm, is_then in ((region.then, True), (region.otherwise, False)):
            changes = [
                change
                for part in arm
                if isinstance(part, Block)
                for item in part.instructions
                for change in _changes(machine, item, held)
            ]
            if len(changes) != 1:
                continue
            (op, amount), *_ = changes
            word = machine.frames[-1].code.constants.get(amount)
            step = _step(machine, region, body, (held, op), other)
            if isinstance(word, int) and word > 0 and step is not None:
                return Reservoir(word, step, is_then)
    return None


def _step(
    machine: Machine, region: If, body: list[Region], held: tuple[int, Op], limit: int
) -> int | None:
    """What is put or taken each time: the limit that is compared with, else what was put last before the branch."""
    variable, change = held
    before: list[int] = []
    behind: list[int] = []
    amounts = before
    for item in _in_order(body, region):
        if isinstance(item, If):
            amounts = behind
        else:
            amounts += [
                amount for op, amount in _changes(machine, item, variable) if op is not change
            ]
    own = [amount for amount in behind if _origin(machine, amount) == _origin(machine, limit)]
    return next(iter((*own, *before[::-1], *behind)), None)


def _in_order(regions: list[Region], branch: If) -> Iterator[Instruction | If]:
    """Instructions in the order of the code, and the branch without its arms."""
    for region in regions:
        if region is branch:
            yield branch
        elif isinstance(region, Block):
            yield from region.instructions
        else:
            for part in children(region):
                yield from _in_order(part, branch)


def _changes(machine: Machine, item: Instruction, variable: int) -> Iterator[tuple[Op, int]]:
    """(addition or subtraction, what), where an instruction changes a variable so."""
    if item.op is not Op.MOV or item.dest != variable:
        return
    source = _origin(machine, item.args[0])
    definition = machine.facts.definitions.get(source)
    # Copies from variable to variable may go in circles: they are not followed.
    is_variable = source in machine.frames[-1].code.variables
    if definition is None or is_variable or definition.op not in (Op.ADD, Op.SUB):
        return
    one, other = definition.args
    if _origin(machine, one) == variable:
        yield definition.op, other
    elif definition.op is Op.ADD and _origin(machine, other) == variable:
        yield definition.op, one


def _origin(machine: Machine, register: int) -> int:
    """The variable or the temporary that a register is a copy or a conversion of."""
    return variable_behind(machine.facts.definitions, machine.frames[-1].code.variables, register)
