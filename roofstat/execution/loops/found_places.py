"""Where in a row something is: host loops that keep the number of the one element that equals what they look for.

Places of diagonals in the rows of a sparse matrix are found so. What a program draws or reads is known in the mean only, so
that none is equal; the one that is looked for is taken to be in the middle of the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.facts import copied_from
from roofstat.program.code import Block, If, Op, instructions_of

if TYPE_CHECKING:
    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Loop

_PLAIN = frozenset(
    {Op.MOV, Op.STORE, Op.SLOT, Op.GLOBAL, Op.PTR_ADD, Op.ADD, Op.SUB, Op.MUL, Op.CAST, Op.LOAD}
)


@dataclass(frozen=True, slots=True)
class PlaceSearch:
    """A branch for the element that is looked for, and the variable that says where it is."""

    region: If
    counter: int


def counters_at_start(machine: Machine, loop: Loop, facts: LoopFacts) -> dict[int, Value | None]:
    """Return what the counters of the searches in a host loop start at; empty where it holds none."""
    if not machine.is_host or machine.dry:
        return {}
    known = machine.facts.place_searches
    if loop.number not in known:
        known[loop.number] = _searches(machine, loop, facts)
    registers = machine.frames[-1].registers
    return {search.counter: registers[search.counter] for search in known[loop.number]}


def keep_middle(
    machine: Machine, loop: Loop, taken: set[int], starts: dict[int, Value | None], mask: Mask
) -> None:
    """After a host loop: each search that has not found its element has it in the middle of what was gone through."""
    registers = machine.frames[-1].registers
    for search in machine.facts.place_searches.get(loop.number, ()) if starts else ():
        start, end = starts[search.counter], registers[search.counter]
        if search.region.number in taken:
            continue
        if not isinstance(start, int) or not isinstance(end, int) or start == end:
            continue
        machine.assume(
            "branch",
            "the element that is looked for: taken to be in the middle of what is searched",
            search.region.position,
            mask,
        )
        registers[search.counter] = (start + end) // 2
        machine.run(search.region.then, mask)
        registers[search.counter] = end


def _searches(machine: Machine, loop: Loop, facts: LoopFacts) -> tuple[PlaceSearch, ...]:
    found = []
    for region in loop.body:
        if isinstance(region, If) and not region.otherwise:
            counter = _kept_counter(machine, region, loop, facts)
            if counter is not None and _asks_for_one(machine, region, facts):
                found.append(PlaceSearch(region, counter))
    return tuple(found)


def _asks_for_one(machine: Machine, region: If, facts: LoopFacts) -> bool:
    """Whether an element is compared with something that the loop leaves alone."""
    test, is_inverted = machine.facts.behind_negations(region.condition)
    if test is None or test.op is not Op.EQ or is_inverted:
        return False
    sides = [_behind_casts(machine, argument) for argument in test.args]
    loads = [_is_load(machine, side) for side in sides]
    return any(
        loads[side] and not loads[1 - side] and sides[1 - side] in _steady(machine, facts)
        for side in (0, 1)
    )


def _kept_counter(machine: Machine, region: If, loop: Loop, facts: LoopFacts) -> int | None:
    """The variable that the loop steps and the branch keeps, if that is all that it does."""
    items = [item for part in region.then if isinstance(part, Block) for item in part.instructions]
    if not all(isinstance(part, Block) for part in region.then):
        return None
    places = {item.args[0] for item in items if item.op is Op.STORE}
    if any(item.op not in _PLAIN and item.dest not in places for item in items):
        return None
    stepped = {item.dest for item in instructions_of(loop.step)} & facts.assigned
    own = {item.dest for item in items}
    elsewhere = {item.dest for item in instructions_of([*loop.condition, *loop.body])} - own
    used = {argument for item in items for argument in item.args}
    counters = used & stepped
    if len(counters) != 1 or used & (elsewhere | (facts.assigned - own)) - counters:
        return None
    (counter,) = counters
    kept = [_behind_casts(machine, item.args[1]) for item in items if item.op is Op.STORE]
    return counter if kept == [counter] else None


def _steady(machine: Machine, facts: LoopFacts) -> frozenset[int]:
    """Variables that the loop does not write."""
    return frozenset(machine.frames[-1].code.variables) - facts.assigned


def _is_load(machine: Machine, register: int) -> bool:
    definition = machine.facts.definitions.get(register)
    return definition is not None and definition.op is Op.LOAD


def _behind_casts(machine: Machine, register: int) -> int:
    definitions = machine.facts.definitions
    register = copied_from(register, definitions)
    while (found := definitions.get(register)) is not None and found.op is Op.CAST:
        register = copied_from(found.args[0], definitions)
    return register
