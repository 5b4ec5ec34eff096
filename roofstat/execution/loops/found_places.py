"""Where in a row something is: host loops that keep the number of the one element that equals what they look for.

Places of diagonals in the rows of a sparse matrix are found so. What a program draws or reads is known in the mean only, so
that none is equal; the one that is looked for is taken to be in the middle of the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.stored.fill import Fill, Pattern
from roofstat.program.code import Block, If, Op, instructions_of
from roofstat.program.slices import variable_behind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.types import Scalar
    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Loop

MOST_ROWS = 4_000_000
"""Of more rows the places follow a line through those that were looked at."""
_PLAIN = frozenset(
    {Op.MOV, Op.STORE, Op.SLOT, Op.GLOBAL, Op.PTR_ADD, Op.ADD, Op.SUB, Op.MUL, Op.CAST, Op.LOAD}
)


@dataclass(frozen=True, slots=True)
class PlaceSearch:
    """A branch for the element that is looked for, and the variable that says where it is."""

    region: If
    counter: int
    ends: tuple[int, ...]
    """What holds the addresses of the numbers that the counter starts and ends at; none where they are not read."""


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
        _note_row(machine, search)


@dataclass(frozen=True, slots=True)
class FoundRow:
    """One row of a loop around a search: where its two ends are read, and where the place in it is kept."""

    iteration: int
    addresses: tuple[int, int, int]
    scalar: Scalar


def _note_row(machine: Machine, search: PlaceSearch) -> None:
    """Remember a row for the loop around, whose others are not gone through."""
    if not machine.loop_stack or not search.ends:
        return
    entry = machine.loop_stack[-1]
    kept = next(item for item in instructions_of(search.region.then) if item.op is Op.STORE)
    found = [machine.read(register) for register in (*search.ends, kept.args[0])]
    iteration = entry.coordinate.iteration
    numbers = [value for value in found if isinstance(value, int)]
    if len(numbers) == 3 and isinstance(iteration, int):
        first, end, place = numbers
        entry.found_rows.setdefault(search.region.number, []).append(
            FoundRow(iteration, (first, end, place), kept.scalar)
        )


def keep_middles(machine: Machine, entry: LoopEntry, trips: float) -> None:
    """After a host loop over rows: the places kept for all of them are the middles between what their ends are read from."""
    count = round(trips)
    for rows in entry.found_rows.values():
        first, last = rows[0], rows[-1]
        distance = last.iteration - first.iteration
        if distance < 1 or first.scalar != last.scalar or not 0 < count <= MOST_ROWS:
            continue
        strides = [
            (end - start) / distance
            for start, end in zip(first.addresses, last.addresses, strict=True)
        ]
        size = first.scalar.size_bytes
        if any(stride != size for stride in strides):
            continue
        ends = [
            _elements(machine, address - first.iteration * size, count, first.scalar)
            for address in first.addresses[:2]
        ]
        target = machine.memory.find(first.addresses[2])
        if target is None or ends[0] is None or ends[1] is None:
            continue
        target.contents.add_fill(
            Fill(
                start=first.addresses[2] - target.base - first.iteration * size,
                dims=((size, count),),
                scalar=first.scalar,
                pattern=Pattern.TABLE,
                table=(ends[0] + ends[1]) // 2,
                key=new_key(),
            )
        )


def _elements(
    machine: Machine, address: int, count: int, scalar: Scalar
) -> NDArray[np.int64] | None:
    """The numbers from an address on, side by side; None where one is not known."""
    found = machine.memory.find(address)
    if found is None:
        return None
    offsets = address - found.base + scalar.size_bytes * np.arange(count, dtype=np.int64)
    values = found.contents.load(offsets, scalar, found.buffer.number, "")
    return values.astype(np.int64) if isinstance(values, np.ndarray) else None


def _searches(machine: Machine, loop: Loop, facts: LoopFacts) -> tuple[PlaceSearch, ...]:
    found = []
    for region in loop.body:
        if isinstance(region, If) and not region.otherwise:
            counter = _kept_counter(machine, region, loop, facts)
            if counter is not None and _asks_for_one(machine, region, facts):
                found.append(PlaceSearch(region, counter, _ends(machine, loop, counter)))
    return tuple(found)


def _ends(machine: Machine, loop: Loop, counter: int) -> tuple[int, ...]:
    """The registers with the addresses that a counter's first number and its limit are read from."""
    stepped = {id(item) for item in instructions_of(loop.step)}
    starts = [
        item.args[0]
        for item in machine.facts.writers.get(counter, ())
        if id(item) not in stepped and item.args
    ]
    test = machine.facts.definitions.get(loop.condition_register or -1)
    if len(starts) != 1 or test is None or len(test.args) != 2:
        return ()
    limits = [side for side in test.args if _behind_casts(machine, side) != counter]
    loads = [
        machine.facts.definitions.get(_behind_casts(machine, side)) for side in (*starts, *limits)
    ]
    addresses = [item.args[0] for item in loads if item is not None and item.op is Op.LOAD]
    return tuple(addresses) if len(addresses) == 2 else ()


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
    return variable_behind(machine.facts.definitions, machine.frames[-1].code.variables, register)
