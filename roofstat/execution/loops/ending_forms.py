"""Loops on unknown data whose form tells how long they run: searches for a difference, integrations up to an end."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.loops.facts import copied_from
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import MemoryAccess, Op, blocks, instructions_of
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import COPIES, variable_behind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Instruction, Loop, Region

DIFFERENCE_TRIPS = 1.0
"""Trips of a loop that goes on while elements of two sequences agree.

Measured in three searches of texts: 0.04, 0.05 and 0.14 elements agreed in the mean.
"""
DIFFERENCE = "elements of two sequences differ at once, as a rule"
_INTEGRATION_TRIPS = 64.0
"""Trips of a loop that goes on to an end by steps that it chooses. Measured in three integrators: 50, 57 and 377."""
DRAWS = 2.0
"""Trips of a loop that draws until a test is passed: the middle between one that nearly all pass and one that few do."""
LONGEST_DRAWS = 16.0
"""Trips after which as good as all threads have passed a test that half of them pass."""
DRAWN = "half of what is drawn is taken"
_SHORT_SEARCH = 16.0
"""Elements of a search of which all lanes of a warp are taken to see half."""
_COUNTED = frozenset({*ORDERS, Op.NE})
_HALVING = frozenset({(Op.DIV, 2), (Op.SHR, 1)})
"""Operators, with the constant on their right, that make the middle of a sum."""


def trips_by_form(run: LoopRun, active: Mask) -> tuple[float, str] | None:
    """Trip count and its reason; None for loops of no known form."""
    converges = run.entry.converges
    if converges is not None and converges.trips is not None:
        return float(converges.trips), converges.reason
    if _goes_on_while_equal(run):
        run.entry.ends_by_difference = True
        return DIFFERENCE_TRIPS, DIFFERENCE
    if _integrates(run):
        return _INTEGRATION_TRIPS, "steps of a chosen size up to an end"
    if run.facts.draws_again:
        return DRAWS, DRAWN
    count = _count_beside_interval(run, active)
    if count is not None:
        return count, "what data narrow is not empty before the count ends"
    return None


def halves_range(machine: Machine, loop: Loop) -> bool:
    """Whether a loop narrows a range to one of its halves: it takes the middle of two variables that its condition compares."""
    definitions, code = machine.facts.definitions, machine.frames[-1].code
    sources = partial(variable_behind, definitions, code.variables)
    compared = [
        part
        for leaf in loop_conditions(machine, loop)
        for side in leaf.args
        for part in _terms(definitions.get(sources(side))) or (side,)
    ]
    ends = set(map(sources, compared)) & machine.facts.loops[loop.number].assigned
    for item in instructions_of(loop.body):
        if item.args and (item.op, code.constants.get(item.args[-1])) in _HALVING:
            parts = set(map(sources, _terms(definitions.get(sources(item.args[0])))))
            if len(parts) > 1 and parts <= ends:
                return True
    return False


def _terms(item: Instruction | None) -> tuple[int, ...]:
    """The registers that an instruction adds up or subtracts; none for others."""
    return item.args if item is not None and item.op in (Op.ADD, Op.SUB) else ()


def _count_beside_interval(run: LoopRun, active: Mask) -> float | None:
    """The count of a loop that stops sooner only where an interval is empty both ends of which data move; None for others.

    Searches through an index by the symbols of a pattern are such loops: most patterns are there, or nearly.
    """
    registers, definitions = run.machine.frames[-1].registers, run.machine.facts.definitions
    has_interval, count = False, None
    for leaf in loop_conditions(run.machine, run.loop):
        if leaf.op not in ORDERS or not leaf.scalar.is_integer:
            return None
        sources = {copied_from(item, definitions) for item in leaf.args}
        values = [registers[item] for item in leaf.args]
        if sources & run.facts.sums:
            one, two = (_numbers(value, active) for value in values)
            if one is not None and two is not None:
                count = float(np.abs(one - two)[active.lanes].mean())
                count += leaf.op in (Op.LE, Op.GE)
        elif sources <= run.facts.assigned and any(
            isinstance(value, Unknown | Mixed) for value in values
        ):
            has_interval = True
    return run.iteration + count if has_interval and count is not None else None


def merged_lists(machine: Machine, loop: Loop) -> int:
    """How many lists a loop goes through side by side, each by steps that what it finds decides, until one has come to its end.

    The last element of one list is as a rule among the last of the others: nearly all elements of all are passed.
    """
    facts, definitions = machine.facts.loops[loop.number], machine.facts.definitions
    places = {
        variable
        for leaf in loop_conditions(machine, loop)
        if leaf.op in (Op.LT, Op.NE) and leaf.scalar.is_integer
        for variable in {leaf.args[0], copied_from(leaf.args[0], definitions)} & facts.sums
    }

    def waits(variable: int) -> bool:
        steps = (definitions.get(item.args[0]) for item in machine.facts.writers[variable])
        return variable in facts.conditional or any(
            part in facts.computed and copied_from(part, definitions) != variable
            for step in steps
            if step is not None and step.dest in facts.computed
            for part in step.args
        )

    return len(places) if all(waits(variable) for variable in places) else 1


def search_trips(run: LoopRun, active: Mask) -> NDArray[np.float64] | None:
    """Trips to come of each lane in a search for where sums or sorted numbers pass a given one, or for its place; None for others.

    Draws by a distribution are made so. Any place is as likely as another, unless each lane begins at its own, as one that a
    search has found, and all go on to the same end of the array at most.
    """
    machine = run.machine
    leaves = loop_conditions(machine, run.loop)
    if machine.is_host or not (
        run.entry.open_orders
        or any(leaf.scalar.is_float and is_passing(machine, run.loop, leaf) for leaf in leaves)
    ):
        return None
    registers = machine.frames[-1].registers
    elements: NDArray[np.float64] | None = None
    for leaf in leaves:
        if leaf.scalar.is_integer:
            sides = [_numbers(registers[item], active) for item in leaf.args]
            if sides[0] is not None and sides[1] is not None:
                if _varies(sides[0], active) != _varies(sides[1], active):
                    return None  # on from a place of its own: the end lies near it
                elements = np.abs(sides[0] - sides[1])
    if elements is None:
        return None
    run.totals.source = "assumed"
    machine.assume(
        "trip-count",
        f"search for where a number is passed: half of {elements[active.lanes].mean():,.0f} elements",
        run.loop.position,
        active,
    )
    if any(leaf.op not in ORDERS for leaf in run.entry.open_orders):
        run.entry.is_drawn = True  # what is looked up is in the table
        return np.floor(machine.draws(new_unknown("where an element is")) * elements)
    if float(elements[active.lanes].max()) <= _SHORT_SEARCH:
        return np.floor((elements + 1.0) / 2.0)
    run.entry.is_drawn = True
    return np.floor(machine.draws(new_unknown("where a number is passed")) * (elements + 1.0))


def is_counted(machine: Machine, loop: Loop) -> bool:
    """Whether a loop ends, if not sooner, by a count."""
    facts, definitions = machine.facts.loops[loop.number], machine.facts.definitions
    return any(
        leaf.op in _COUNTED
        and leaf.scalar.is_integer
        and len({copied_from(item, definitions) for item in leaf.args} & facts.sums) == 1
        for leaf in loop_conditions(machine, loop)
    )


def iterations_left(machine: Machine, loop: Loop, active: Mask) -> NDArray[np.float64] | None:
    """The iterations that the count of a loop still allows, for each lane, by ones; None where nobody knows."""
    facts, definitions = machine.facts.loops[loop.number], machine.facts.definitions
    registers, constants = machine.frames[-1].registers, machine.frames[-1].code.constants
    for leaf in loop_conditions(machine, loop):
        if leaf.op not in _COUNTED or not leaf.scalar.is_integer:
            continue
        sides = [_numbers(registers[item], active) for item in leaf.args]
        counters = {copied_from(item, definitions) for item in leaf.args} & facts.sums
        if sides[0] is None or sides[1] is None or len(counters) != 1:
            continue
        written = [definitions.get(item.args[0]) for item in machine.facts.writers[counters.pop()]]
        steps = {
            abs(constants.get(part, 0))
            for item in written
            if item is not None and item.op in (Op.ADD, Op.SUB) and item.dest in facts.computed
            for part in item.args[1:]
        }
        if steps == {1}:
            return np.abs(sides[0] - sides[1])
    return None


def leaving_trips(
    run: LoopRun, active: Mask, most: float | None = None
) -> NDArray[np.float64] | None:
    """Trips to come of each lane in a counted loop that data may end: any may be the last; None for others.

    Args:
        run: The loop.
        active: Who is in it.
        most: What its count is taken to allow, where nobody knows that.
    """
    entry = run.entry
    if not entry.may_be_left or entry.open_orders:
        return None
    left = iterations_left(run.machine, run.loop, active)
    if left is None and most is not None:
        left = np.full(active.lanes.shape, most)
    if left is None:
        return None
    run.totals.source = "assumed"
    entry.is_drawn = True
    run.machine.assume(
        "trip-count",
        f"left by data anywhere: half of {left[active.lanes].mean():,.3g} iterations",
        run.loop.position,
        active,
    )
    return np.floor(run.machine.draws(new_unknown("where data end a loop")) * (left + 1.0))


def _varies(numbers: NDArray[np.float64], active: Mask) -> bool:
    """Whether active lanes have different numbers."""
    return float(np.ptp(numbers[active.lanes])) > 0.0


def _numbers(value: Value | None, active: Mask) -> NDArray[np.float64] | None:
    """A whole number of each lane; None where some of the active ones are not known."""
    if isinstance(value, Mixed):
        value = None if (active.lanes & ~value.known).any() else value.values
    if value is None or isinstance(value, Unknown):
        return None
    return np.broadcast_to(np.asarray(value, np.float64), active.lanes.shape)


def is_passing(machine: Machine, loop: Loop, comparison: Instruction) -> bool:
    """Whether a comparison asks whether a sum, or an element that moves on with the loop, has passed a given number."""
    if comparison.op not in ORDERS or _changes_own(loop):
        return False
    facts, definitions = machine.facts.loops[loop.number], machine.facts.definitions
    for number, given in (comparison.args, comparison.args[::-1]):
        if reaches_assigned(machine, facts, (given,)):
            continue
        if is_moving_element(machine, facts, number) or any(
            _is_sum_of_elements(machine, facts, variable)
            for variable in {number, copied_from(number, definitions)} & facts.sums
        ):
            return True
    return False


def finds_place(machine: Machine, loop: Loop, comparison: Instruction, arm: list[Region]) -> bool:
    """Whether a comparison looks for the element that equals a given number, of which an arm keeps the place.

    What is looked up for its place is there, as a rule, where a test for membership keeps but the answer.
    """
    if not comparison.scalar.is_integer or _changes_own(loop):
        return False
    facts = machine.facts.loops[loop.number]
    if not any(
        is_moving_element(machine, facts, element)
        and not reaches_assigned(machine, facts, (given,))
        for element, given in (comparison.args, comparison.args[::-1])
    ):
        return False
    return any(
        item.op is Op.MOV and item.scalar.is_integer and {*item.args} & facts.sums
        for item in instructions_of(arm)
    )


def _changes_own(loop: Loop) -> bool:
    """Whether a loop stores to an array that it reads, as where it inserts into a sorted list."""
    arrays: dict[Op, set[str]] = {Op.LOAD: set(), Op.STORE: set()}
    for block in blocks([*loop.condition, *loop.body, *loop.step]):
        for item in block.instructions:
            if isinstance(item.detail, MemoryAccess) and item.op in arrays:
                arrays[item.op].add(item.detail.array)
    return not arrays[Op.LOAD].isdisjoint(arrays[Op.STORE])


def _is_sum_of_elements(machine: Machine, facts: LoopFacts, variable: int) -> bool:
    """Whether a loop adds an element to a variable that moves on with it."""
    return any(
        is_moving_element(machine, facts, part)
        for item in machine.facts.writers[variable]
        if item.args[0] in facts.computed
        for part in machine.facts.definitions[item.args[0]].args
    )


def loop_conditions(machine: Machine, loop: Loop) -> list[Instruction]:
    """The comparisons that all have to hold for the loop to go on."""
    register = loop.condition_register
    if register is None:
        return []
    return conjunction_of(machine, register, is_lazy=True) or []


def _goes_on_while_equal(run: LoopRun) -> bool:
    equal = (
        leaf
        for leaf in loop_conditions(run.machine, run.loop)
        if leaf.op is Op.EQ and leaf.scalar.is_integer
    )
    return any(compares_sequences(run.machine, run.facts, leaf) for leaf in equal)


def compares_sequences(machine: Machine, facts: LoopFacts, comparison: Instruction) -> bool:
    """Whether a comparison is one of two loaded numbers that both move on with the loop."""
    return all(is_moving_element(machine, facts, item) for item in comparison.args)


def is_moving_element(machine: Machine, facts: LoopFacts, register: int) -> bool:
    """Whether a register holds a loaded number whose place moves on with a loop."""
    definitions = machine.facts.definitions
    while register in facts.computed:
        item = definitions[register]
        if item.op is Op.LOAD:
            return reaches_assigned(machine, facts, item.args)
        if item.op not in COPIES:
            return False
        register = item.args[0]
    return False


def reaches_assigned(machine: Machine, facts: LoopFacts, registers: tuple[int, ...]) -> bool:
    """Whether an address follows from what the loop changes."""
    stack, seen = list(registers), set()
    while stack:
        register = stack.pop()
        if register in facts.assigned:
            return True
        if register in seen or register not in facts.computed:
            continue
        seen.add(register)
        stack.extend(machine.facts.definitions[register].args)
    return False


def _integrates(run: LoopRun) -> bool:
    """Whether the loop goes on until a sum has come to an end, and computes how far that is (``h = end - t``)."""
    definitions = run.machine.facts.definitions
    compared = [
        tuple(copied_from(register, definitions) for register in leaf.args)
        for leaf in loop_conditions(run.machine, run.loop)
        if leaf.op in ORDERS and leaf.scalar.is_float
    ]
    ends = {
        (end, reached)
        for pair in compared
        for end, reached in (pair, pair[::-1])
        if reached in run.facts.sums
    }
    return any(
        item.op is Op.SUB and tuple(copied_from(part, definitions) for part in item.args) in ends
        for item in instructions_of(run.loop.body)
    )
