"""Where the best was found: variables that keep the number of the iteration of the last new best.

A loop that is extrapolated runs a few iterations for all, and a search for the nearest, the smallest or the largest
would end at one of these few. Of n candidates in no order each is the best with the same probability: of those that a
representative stands for one is the best so far with a probability of 1 - before / after, and it may be any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.facts import copied_from
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.program.code import Block, If, Op, every_region, instructions_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.linear import Steps
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.sampling.representatives import Count, Position
    from roofstat.program.code import Instruction, Loop, Region


@dataclass(frozen=True, slots=True)
class Stretch:
    """The iterations that one representative stands for."""

    first: Count
    """Iterations from the place where the loop was left off."""
    count: Count
    place: Position
    """The representative."""
    period: int
    """Distance between the iterations."""


@dataclass(frozen=True, slots=True)
class Search:
    """A branch for a new best, and the variables that it sets to copies of whole numbers."""

    region: int
    places: dict[int, int]
    """Variable -> what it is set to."""


@dataclass(frozen=True, slots=True)
class Before:
    """What a representative begins with."""

    registers: dict[int, Value | None]
    candidates: dict[int, float]
    """Candidates that each search has seen."""


def before_representative(run: LoopRun) -> Before | None:
    """What is to be kept before a representative is run; None where the loop does not look for places."""
    machine = run.machine
    if machine.is_host or machine.dry:
        return None
    searches = _searches_of(machine, run.loop)
    if not searches:
        return None
    seen = {search.region: _candidates(machine, search.region) for search in searches}
    return Before(run.state(), seen)


def spread(run: LoopRun, before: Before, steps: Steps, stretch: Stretch, active: Mask) -> None:
    """After a representative: the best is found as often, and where, as the iterations that it stands for would find it."""
    machine = run.machine
    for search in _searches_of(machine, run.loop):
        seen, after = before.candidates.get(search.region, 0.0), _candidates(machine, search.region)
        if not 0.0 < seen < after:
            continue
        values = _arrays(machine, before, search)
        changed = np.zeros(machine.lane_count, np.bool_)
        for variable, value in values.items():
            changed |= value != before.registers[variable]
        changed &= active.lanes
        share = float(changed[active.lanes].mean())
        missed = min(seen / after / (1.0 - share), 1.0) if share < 1.0 else 1.0
        late = machine.draws(new_unknown("a new best")) >= missed
        found = changed | (late & active.lanes)
        moved = _moved(machine, stretch)
        for variable, value in values.items():
            new = _place(run, before, steps, (search.places[variable], variable), moved)
            if new is not None:
                registers = machine.frames[-1].registers
                registers[variable] = np.where(found, new, value).astype(value.dtype)


def _moved(machine: Machine, stretch: Stretch) -> NDArray[np.int64]:
    """How many iterations from the representative each lane finds the best."""
    drawn = np.floor(machine.draws(new_unknown("the best")) * stretch.count) * stretch.period
    return np.asarray(np.rint(stretch.first + drawn - stretch.place), np.int64)


def _place(
    run: LoopRun,
    before: Before,
    steps: Steps,
    copy: tuple[int, int],
    moved: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """What lanes that find the best in an iteration so far away keep; None where that is no number."""
    machine = run.machine
    source, variable = copy
    registers = machine.frames[-1].registers
    if source in steps and np.any(steps[source]):
        start = before.registers[source]
        if not isinstance(start, int | np.ndarray):
            return None
        return (
            np.asarray(start).astype(np.int64) + np.asarray(steps[source]).astype(np.int64) * moved
        )
    if source not in run.facts.assigned:
        value = registers[source]
        if not isinstance(value, int | np.ndarray):
            return None
        return np.broadcast_to(np.asarray(value, np.int64), moved.shape)
    # The place in a loop inside: as it is in other lanes.
    others = np.floor(machine.draws(new_unknown("the best")) * machine.lane_count).astype(np.int64)
    value = registers[variable]
    assert isinstance(value, np.ndarray)
    return value.astype(np.int64)[others]


def _arrays(machine: Machine, before: Before, search: Search) -> dict[int, NDArray[np.int64]]:
    """The variables of a search that are known numbers, before and now."""
    registers = machine.frames[-1].registers
    return {
        variable: value
        for variable in search.places
        if isinstance(value := registers[variable], np.ndarray)
        and isinstance(before.registers.get(variable), int | np.ndarray)
    }


def _candidates(machine: Machine, region: int) -> float:
    """How many candidates a branch has compared with the best so far."""
    for entry in reversed(machine.loop_stack):
        if entry.frame is not machine.frames[-1]:
            break
        if region in entry.candidates:
            return entry.candidates[region]
    return 0.0


def _searches_of(machine: Machine, loop: Loop) -> list[Search]:
    """The searches in a loop that keep places; those are found once what each branch asks for is."""
    known = machine.facts.searches.get(loop.number)
    bests = {number for number, best in machine.facts.bests.items() if best is not None}
    if known is None or known[0] != bests:
        known = (bests, _searches(machine, loop, bests))
        machine.facts.searches[loop.number] = known
    return known[1]


def _searches(machine: Machine, loop: Loop, bests: set[int]) -> list[Search]:
    found: list[Search] = []
    for region in every_region([*loop.body, *loop.step]):
        if not isinstance(region, If):
            continue
        best = machine.facts.bests[region.number] if region.number in bests else None
        if best is None or best.is_memory or best.kept != 1:
            continue
        copies = {}
        for item in _own(region.then if best.is_taken else region.otherwise):
            source = _copied_variable(machine, item)
            if source is not None:
                copies[item.dest] = source
        found.append(Search(region.number, copies))
    written = [item.dest for item in instructions_of([*loop.condition, *loop.body, *loop.step])]
    once = [
        Search(
            search.region,
            {copy: source for copy, source in search.places.items() if written.count(copy) == 1},
        )
        for search in found
    ]
    return [search for search in once if search.places]


def _own(regions: list[Region]) -> list[Instruction]:
    """Instructions of an arm that are under no further condition."""
    return [item for region in regions if isinstance(region, Block) for item in region.instructions]


def _copied_variable(machine: Machine, item: Instruction) -> int | None:
    """The variable of whole numbers that an instruction copies to another."""
    variables = machine.frames[-1].code.variables
    definitions = machine.facts.definitions
    if item.op is not Op.MOV or item.dest not in variables or not item.scalar.is_integer:
        return None
    source = item.args[0]
    definition = definitions.get(source)
    if definition is not None and definition.op is Op.CAST and definition.scalar.is_integer:
        source = definition.args[0]
    source = copied_from(source, definitions)
    return source if source in variables and source != item.dest else None
