"""When a loop ends: its condition, its breaks and those of inner loops, solved for the iterations of each lane."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.jumps import direct_leaves
from roofstat.execution.loops import host_loops
from roofstat.execution.loops.carried import EXPECTED, drawn_by
from roofstat.execution.loops.ending_forms import halves_range, merged_lists, trips_by_form
from roofstat.execution.loops.entry import InnerBreak
from roofstat.execution.loops.facts import copied_from
from roofstat.execution.loops.linear import (
    advanced,
    all_equal,
    difference,
    even_end,
    first_false,
)
from roofstat.execution.loops.scaled_variables import gallops, scaled_trips
from roofstat.execution.loops.strides import counter_stride, moved_bytes
from roofstat.execution.loops.tree_walks import leaf_trips
from roofstat.execution.loops.unknown_trips import (
    DEFAULT,
    HOST_DEFAULT_TRIPS,
    assumed_trips,
    cleared_bits,
    contended_trips,
    drawn_trips,
    note_trips,
    shifted_trips,
)
from roofstat.execution.numbers import comparisons
from roofstat.execution.numbers.comparisons import comparison_distance, conjunction_of
from roofstat.execution.numbers.known_arithmetic import NUMPY
from roofstat.execution.numbers.unknowns import drawn
from roofstat.execution.numbers.values import NUMBERS, OPEN, Mixed, Unknown
from roofstat.program.code import Op, instructions_of
from roofstat.program.comparisons import COMPARE, NEGATED, ORDERS

if TYPE_CHECKING:
    from roofstat.execution.loops.linear import Steps, Trips
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import If, Instruction

_SIDE_EFFECTS = frozenset(
    {Op.STORE, Op.ATOMIC, Op.CALL, Op.CALL_POINTER, Op.LIBRARY, Op.LAUNCH, Op.COPY}
)
_HOST_SIDE_EFFECTS = frozenset({Op.STORE, Op.ATOMIC, Op.LAUNCH, Op.COPY})
"""Host code is looked ahead through calls: nothing is stored meanwhile."""
_WIDEST_ELEMENT = 8
"""Bytes of the largest number that says where a row begins."""
_MOST_EMPTY = 0.25
"""Ranges that may be empty by chance: of two independent numbers of one range the second is the smaller in half of the cases."""
_MOST_UNEVEN = 3.0
"""Ranges of one loop are no longer than so many times the shortest."""
FEWEST_EXITS = 0.1
"""The part of the threads that has to have left a loop for the others to be taken to leave as often.

Of a thousand sampled threads these are a hundred, which give the mean to 10 % (one over the root of the exits).
"""
_FEWEST_MARKS = 3
_STEADY = 0.1
"""Part of the pace by which that of the first half of the iterations may differ."""
_GROWTH = 2.0
"""A step that is so many times the one before is one of a search that branches: two iterations lie between marks."""
_PART = 0.75
"""The part of a whole number that an iteration leaves where it is divided by two or more, or taken by a remainder."""
_REACH = 2.0**24
"""How much farther than the last step the end may lie: a few dozen iterations, as steps grow."""
_OPAQUE_READS = frozenset({Op.LOAD, Op.CALL, Op.CALL_POINTER, Op.LIBRARY})


def remaining(
    run: LoopRun,
    active: Mask,
    steps: Steps,
    *,
    last_resort: bool,
) -> Trips | None:
    """Iterations still to come, for each lane; None where it cannot be said yet.

    As a last resort, conditions that break out and cannot be solved are taken not to.
    """
    loop = run.loop
    trips: Trips = float("inf")
    if run.entry.forced is not None:
        left = np.maximum(np.asarray(run.entry.forced) - run.iteration, 0.0)
        trips = float(left) if left.ndim == 0 else left
        trips = _within_known_bound(run, trips, active, steps)
    elif loop.condition_register is not None:
        solved = _condition_trips(run, active, steps)
        if solved is None:
            return None
        trips = solved
    for found in run.entry.inner_breaks.values():
        trips = np.minimum(trips, _inner_break_trips(run, found, active))
    if run.entry.converges is not None:
        # The iteration in which a break comes is the last, and decides that by itself.
        for after in run.entry.converges.exits.values():
            trips = np.minimum(trips, max(after - 1 - run.iteration, 0))
    if run.entry.has_opaque_break and not last_resort:
        return None
    unforeseen = _unforeseen(run, steps, active) if run.entry.breaks else frozenset()
    for region, distances in run.entry.breaks.values():
        solved = _break_trips(run, region, distances, active, unforeseen)
        if solved is not None:
            trips = np.minimum(trips, solved)
        elif not last_resort:
            return None
    return trips


def _within_known_bound(run: LoopRun, trips: Trips, active: Mask, steps: Steps) -> Trips:
    """Assumed iterations, no more than a counter allows that the condition tests as well."""
    register = run.loop.condition_register
    fewest = (
        1 if run.entry.open_breaks else 2
    )  # the test that nobody knows is one of them, or stands in the body
    if register is None or len(conjunction_of(run.machine, register) or ()) < fewest:
        return trips
    solved = _condition_trips(run, active, steps)
    if solved is None:
        return trips
    if run.entry.may_be_anywhere and np.all(np.isfinite(solved)):
        half = np.maximum(trips, (run.iteration + np.asarray(solved)) / 2.0 - run.iteration)
        trips = float(half) if half.ndim == 0 else half
        run.entry.forced = run.iteration + trips
        run.entry.may_be_anywhere = False
    return np.minimum(trips, solved)


def _condition_trips(run: LoopRun, active: Mask, steps: Steps) -> Trips | None:
    """Solve the loop condition by looking at it now, one and two iterations ahead."""
    machine, loop = run.machine, run.loop
    register = loop.condition_register
    assert register is not None
    operations_ = {item.op for item in instructions_of(loop.condition)}
    if operations_ & (_HOST_SIDE_EFFECTS if machine.is_host else _SIDE_EFFECTS):
        return None
    base = run.state()
    saved = list(machine.frames[-1].registers)
    leaves = conjunction_of(machine, register)
    if leaves is None:
        return None
    carried = _unforeseen(run, steps, active)
    series: dict[int, list[Value | None]] = {leaf.dest: [] for leaf in leaves}
    open_end: Unknown | None = None
    offset = 0 if loop.tests_before else 1
    run.moves = host_loops.host_moves(run, steps) if machine.is_host else None
    machine.dry += 1
    try:
        for ahead in (0, 1, 2):
            run.jump(base, steps, ahead + offset, active)
            machine.run(loop.condition, active)
            condition = machine.read(register)
            if isinstance(condition, OPEN):
                open_end = condition.unknown if isinstance(condition, Mixed) else condition
            for leaf in leaves:
                series[leaf.dest].append(_distance(run, leaf))
    finally:
        machine.dry -= 1
        machine.frames[-1].registers[:] = saved
        if run.moves is not None:
            run.moves.undo()
            run.moves = None
    trips: Trips = float("inf")
    solved_any = False
    for leaf in leaves:
        values = series[leaf.dest]
        if any(value is None for value in values):
            continue
        if leaf.dest in run.facts.uneven or _depends_on(run, leaf, carried):
            return None
        distances = [value for value in values if value is not None]
        solved = first_false(_turning(leaf.op, distances[0]), distances, active.lanes)
        if solved is None:
            return None
        if machine.is_host and operations_ & _OPAQUE_READS and not np.isfinite(solved).any():
            return None  # what it reads may change in a way that nobody foresees
        _note_last_turn(run, leaf, [value for value in values if value is not None], solved)
        solved_any = True
        trips = np.minimum(trips, solved + offset)
    if not solved_any and all(any(value is None for value in series[leaf.dest]) for leaf in leaves):
        return _unknown_condition_trips(run, active)
    if open_end is not None and not machine.is_host and run.entry.forced is None:
        # The known part of the condition is a bound, no more; the rest has only now become unknown.
        run.entry.forced = assume_trips(run, open_end, active)
        trips = np.minimum(trips, max(run.entry.forced - run.iteration, 0.0))
    return trips


def _turning(op: Op, distance: Value) -> Op:
    """The comparison to solve: iterators stop at the end, which an expected one need not meet, so that they stop past it."""
    if op is not Op.NE or not isinstance(distance, float):
        return op
    return Op.LT if distance < 0 else Op.GT


def _note_last_turn(run: LoopRun, leaf: Instruction, values: list[Value], trips: Trips) -> None:
    """Where along the grid the last iterations end: the distance after as many as every lane has."""
    if run.machine.is_host or not isinstance(trips, np.ndarray) or trips.ndim == 0:
        return
    fewest = float(trips.min())
    if not np.isfinite(fewest) or fewest == float(trips.max()):
        return
    first, second = (np.asarray(value, np.float64) for value in values[:2])
    note_edge(run, leaf, np.broadcast_to(first + fewest * (second - first), trips.shape))


def note_edge(run: LoopRun, leaf: Instruction, distance: Value | None) -> bool:
    """The same for a loop of the outermost level; in inner ones the place moves with the outer iteration."""
    return len(run.machine.loop_stack) == 1 and comparisons.note_edge(run.machine, leaf, distance)


def _unforeseen(run: LoopRun, steps: Steps, active: Mask) -> frozenset[int]:
    """Variables that change unevenly, or under a branch that may go another way in later iterations."""
    uneven = run.facts.assigned - steps.keys()
    if run.facts.branched and not run.is_alike(steps, active):
        return uneven | run.facts.branched
    return uneven


def _depends_on(run: LoopRun, leaf: Instruction, carried: frozenset[int]) -> bool:
    """Whether a comparison reads a known variable that is not affine, in what the loop computes for it."""
    registers = run.machine.frames[-1].registers
    definitions = run.machine.facts.definitions
    stack = list(leaf.args)
    seen: set[int] = set()
    while stack:
        register = stack.pop()
        if register in seen:
            continue
        seen.add(register)
        if register in carried:
            if isinstance(registers[register], Unknown):
                _draw(run, carried)
            if not isinstance(registers[register], OPEN):
                return True
        if register in run.facts.computed:
            stack.extend(definitions[register].args)
    return False


def _draw(run: LoopRun, carried: frozenset[int]) -> None:
    """Follow what a loop makes of nothing but itself from the numbers that are there now."""
    machine, registers = run.machine, run.machine.frames[-1].registers
    if machine.is_host or run.facts.ends_on_memory:
        return
    for register in carried & run.facts.carried:
        value = registers[register]
        if value is not None:
            registers[register] = drawn(value, machine.lane_count)


def _distance(run: LoopRun, leaf: Instruction) -> Value | None:
    """How far a comparison is from turning; of bounded unknowns in host code the distance that the loop's turn has drawn."""
    machine = run.machine
    found = comparison_distance(machine, leaf.dest)
    if found is not None or not machine.is_host:
        return found
    lot = run.entry.lot if leaf.scalar.is_integer else EXPECTED
    first, second = (drawn_by(machine.frames[-1].registers[item], lot) for item in leaf.args)
    return first - second if first is not None and second is not None else None


def expected_condition(run: LoopRun) -> bool | None:
    """Whether a host loop goes on where its bounds have their expected values; None where they are not told or change."""
    machine = run.machine
    register = run.loop.condition_register
    leaves = None if register is None else conjunction_of(machine, register)
    if not leaves:
        return None
    registers = machine.frames[-1].registers
    keys = {
        value.key
        for leaf in leaves
        for value in (registers[item] for item in leaf.args)
        if isinstance(value, Unknown)
    }
    if run.entry.bounds is None:
        run.entry.bounds = keys
    elif not keys <= run.entry.bounds:
        return None
    goes_on = True
    for leaf in leaves:
        distance = _distance(run, leaf)
        if not isinstance(distance, NUMBERS):
            return None
        first = float(run.entry.first_distances.setdefault(leaf.dest, distance))
        turning = _turning(leaf.op, first)
        if turning not in ORDERS:
            return None
        goes_on &= COMPARE[turning](distance, 0)
    return goes_on


def _unknown_condition_trips(run: LoopRun, active: Mask) -> Trips | None:
    condition = run.machine.frames[-1].registers[run.loop.condition_register or 0]
    if isinstance(condition, Unknown) and run.entry.forced is None:
        assumed = assume_trips(run, condition, active)
        run.entry.forced = assumed
        return max(assumed - run.iteration, 0.0)
    return None


def assume_trips(run: LoopRun, unknown: Unknown, active: Mask) -> float:
    """State a trip count for a loop on unknown data."""
    machine = run.machine
    if machine.is_host:
        lasts = drawn_trips(run.loop, unknown)
        run.entry.is_drawn = lasts is not None
        return HOST_DEFAULT_TRIPS if lasts is None else lasts
    spanned = spanned_bytes(run, active)
    # What the loop itself stores is no array of offsets.
    touched = () if unknown.origin in _stored(run) else run.entry.touched
    moved = moved_bytes(run, active)
    stride = counter_stride(run, active)
    trips, why = assumed_trips(machine, run.loop, unknown, touched, stride, moved, spanned)
    lists = merged_lists(machine, run.loop)
    if lists > 1:
        trips, why = trips * lists, f"{why}, of each of {lists} lists that are merged"
    trips, why = leaf_trips(machine, unknown) or (trips, why)
    if halves_range(machine, run.loop):
        trips, why = math.log2(trips) + 1.0, f"{why}, halved by each"
    elif gallops(machine, run.loop):
        trips, why = math.log2(trips) + 1.0, f"{why}, by steps that each doubles"
    trips, why = trips_by_form(run, active) or scaled_trips(run, active) or (trips, why)
    contended = contended_trips(machine, run.loop)
    if contended is not None:
        trips, why = contended, "lanes that meet at one address succeed one after the other"
    bits = cleared_bits(machine, run.loop)
    if bits is not None:
        trips, why = bits, "half of the bits of a word are set"
    shifted = shifted_trips(machine, run.loop)
    if shifted is not None:
        trips, why = shifted, "half of a word is shifted out"
    run.totals.source = "assumed"
    is_flagged = bool(run.entry.open_breaks) and not run.entry.open_orders
    run.entry.may_be_anywhere = why is DEFAULT and is_flagged and not run.facts.ends_on_swap
    note_trips(machine, run.loop, unknown, active, trips, why)
    return trips


def _are_of_one_row(one: Value | None, other: Value | None) -> bool:
    """Whether both are running sums, of elements side by side: where a row begins, and where the next one does."""
    if not isinstance(one, Unknown) or not isinstance(other, Unknown):
        return False
    if one.rises_over is None or other.rises_over is None:
        return False
    if one.lane_index is None or other.lane_index is None:
        return False
    apart = np.abs(one.lane_index - other.lane_index)
    return bool((apart <= _WIDEST_ELEMENT).all())


def trips_between_strangers(run: LoopRun, active: Mask) -> float | None:
    """A stated trip count where a range's two ends are drawn without regard to each other; None for other loops.

    Ranges of a program do not end before they begin: where many would, what ties one end to the other got lost.
    """
    machine, register = run.machine, run.loop.condition_register
    leaves = None if register is None else conjunction_of(machine, register)
    for leaf in leaves or ():
        ends = [machine.frames[-1].registers[item] for item in leaf.args]
        sources = [copied_from(item, machine.facts.definitions) for item in leaf.args]
        moving = [item in run.facts.assigned for item in sources]
        if leaf.op not in ORDERS or not leaf.scalar.is_integer or moving[0] == moving[1]:
            continue
        if not all(isinstance(end, Unknown) and end.origin is not None for end in ends):
            continue
        if _are_of_one_row(*ends):
            continue  # lanes beyond its end have nothing to do
        distance = comparison_distance(machine, leaf.dest)
        if not isinstance(distance, np.ndarray):
            continue
        begins = NUMPY[leaf.op](distance, np.zeros_like(distance))
        weight = np.where(active.lanes, machine.weight, 0.0)
        fixed = ends[moving.index(False)]
        if isinstance(fixed, Unknown) and 1 - np.average(begins, weights=weight) > _MOST_EMPTY:
            return assume_trips(run, fixed, active)
    return None


def _stored(run: LoopRun) -> set[int]:
    """Numbers of the buffers that a loop's stores and atomics go to, in whichever arms they stand."""
    machine, loop = run.machine, run.loop
    found: set[int] = set()
    for item in instructions_of([*loop.condition, *loop.body, *loop.step]):
        if item.op in (Op.STORE, Op.ATOMIC):
            address = machine.frames[-1].registers[_base(machine, item.args[0])]
            reached = machine.memory.find(address) if isinstance(address, int) else None
            if reached is not None:
                found.add(reached.buffer.number)
    return found


def _base(machine: Machine, register: int) -> int:
    """The register of the array that an address leads into."""
    definition = machine.facts.definitions.get(register)
    while definition is not None and definition.op is Op.PTR_ADD:
        register = definition.args[0]
        definition = machine.facts.definitions.get(register)
    return register


def spanned_bytes(run: LoopRun, active: Mask) -> float:
    """How far apart a range's two ends stand in the array of offsets, in the mean of the lanes; 0 where that is not known.

    Near the edges of a grid ranges are shorter; places that nobody knows are any distance apart.
    """
    register = run.loop.condition_register
    leaves = None if register is None else conjunction_of(run.machine, register)
    weight = np.where(active.lanes, run.machine.weight, 0.0)
    for leaf in leaves or ():
        one, two = (run.machine.frames[-1].registers[item] for item in leaf.args)
        if not isinstance(one, Unknown) or not isinstance(two, Unknown) or one.key != two.key:
            continue
        if one.lane_index is None or two.lane_index is None or not weight.any():
            continue
        apart = np.abs(two.lane_index - one.lane_index)
        if apart[active.lanes].max() <= _MOST_UNEVEN * apart[active.lanes].min():
            return float(np.average(apart, weights=weight))
    return 0.0


def _break_trips(
    run: LoopRun, region: If, distances: list[Value], active: Mask, unforeseen: frozenset[int]
) -> Trips | None:
    """When a known comparison will first break out of the loop."""
    definition = run.machine.facts.definitions.get(region.condition)
    if definition is None or len(distances) < 2:
        return float("inf")
    if region.condition in run.facts.uneven or _depends_on(run, definition, unforeseen):
        return None
    leaves_when_true = bool(direct_leaves(region.then))
    op = definition.op
    stay = NEGATED[op] if leaves_when_true else op
    if leaves_when_true and bool(direct_leaves(region.otherwise)):
        return 0.0
    recent = distances[-3:]
    step = difference(recent[-1], recent[-2])
    nexts: list[Value] = [
        advanced(recent[-1], step),
        advanced(recent[-1], step, 2),
        advanced(recent[-1], step, 3),
    ]
    if len(recent) == 3 and not all_equal(difference(recent[-2], recent[-3]), step, active.lanes):
        return None
    return first_false(stay, nexts, active.lanes)


def _inner_break_trips(run: LoopRun, found: InnerBreak, active: Mask) -> Trips:
    """When a condition in an inner loop may first leave this one, where its range moves on evenly."""
    region = found.region
    definition = run.machine.facts.definitions.get(region.condition)
    last = found.last_three(run.iteration - 1)
    if definition is None or last is None:
        return float("inf")
    leaves_when_true = bool(direct_leaves(region.then))
    op = definition.op if leaves_when_true else NEGATED[definition.op]
    lows, highs = zip(*last, strict=True)
    if op in (Op.GT, Op.GE):
        return even_end(NEGATED[op], highs, active.lanes)
    if op in (Op.LT, Op.LE):
        return even_end(NEGATED[op], lows, active.lanes)
    if op is Op.EQ:
        above = even_end(Op.GT, lows, active.lanes)
        below = even_end(Op.LT, highs, active.lanes)
        return np.maximum(above, below)
    return float("inf")


def tell_outer_loops(run: LoopRun) -> None:
    """Conditions that leave loops around this one: how near to turning they have come in this run."""
    machine = run.machine
    ranges = {number: found.latest() for number, found in run.entry.inner_breaks.items()}
    regions = {number: found.region for number, found in run.entry.inner_breaks.items()}
    for number, (region, distances) in run.entry.breaks.items():
        first = end = np.asarray(distances[0], np.float64)
        if len(distances) > 1 and run.bodies > 1:
            end = advanced(first, difference(distances[1], distances[0]), run.bodies - 1)
        ranges[number] = (np.minimum(first, end), np.maximum(first, end))
        regions[number] = region
    for number, region in regions.items():
        labels = machine.facts.leaving_labels(region)
        for outer in machine.loop_stack[:-1]:
            at = outer.coordinate.iteration
            if outer.frame is not run.entry.frame or not isinstance(at, int):
                continue
            if labels - outer.inner_labels:
                found = outer.inner_breaks.setdefault(number, InnerBreak(region))
                found.note(at, *ranges[number])


def mark_progress(run: LoopRun) -> None:
    """Remember how far each part of the condition is from turning."""
    register = run.loop.condition_register
    leaves = None if register is None else conjunction_of(run.machine, register)
    if not leaves:
        return
    marked: list[tuple[Op, Value]] = []
    for leaf in leaves:
        distance = comparison_distance(run.machine, leaf.dest)
        if distance is None or isinstance(distance, OPEN):
            return
        marked.append((leaf.op, distance))
    run.marks.append((run.iteration, marked))


def trips_by_progress(run: LoopRun, active: Mask) -> Trips | None:
    """Remaining iterations at the mean pace since half of those run; None where the end does not come nearer."""
    now = run.iteration
    trips = _progress_of_breaks(run, active)
    if len(run.marks) >= 2 and run.marks[-1][0] == now:
        then, earlier = next(mark for mark in run.marks if 2 * mark[0] >= now)
        if then == now:
            then, earlier = run.marks[-2]
        for (op, distance), (_, before) in zip(run.marks[-1][1], earlier, strict=True):
            trips = np.minimum(trips, _at_pace(op, before, distance, now - then, active))
    if not np.isfinite(np.where(active.lanes, trips, 0.0)).all():
        return None
    run.totals.source = "assumed"
    run.machine.assume(
        "trip-count",
        f"loop whose end could not be computed: estimated by its progress in {now} iterations",
        run.loop.position,
        active,
    )
    return trips


def cap_of(run: LoopRun, active: Mask) -> Trips | None:
    """Iterations that a count of them allows in a kernel's loop, where the rest of the condition stands still.

    ``while (alive && steps < 100000)`` tells by its progress how long it runs at most. None for other loops.
    """
    if run.machine.is_host or len(run.marks) < 2 or run.marks[-1][0] != run.iteration:
        return None
    (then, earlier), (now, latest) = run.marks[-2:]
    still = False
    cap: Trips | None = None
    for (op, distance), (_, before) in zip(latest, earlier, strict=True):
        moved = np.broadcast_to(difference(distance, before), active.lanes.shape)[active.lanes]
        if not moved.any():
            still = True
        elif (np.abs(moved) == now - then).all():
            cap = _at_pace(op, before, distance, now - then, active)
        else:
            return None
    return cap if still else None


def comes_steadily(run: LoopRun, active: Mask) -> bool:
    """Whether what is left of a condition goes down as fast as before: items that are fetched in each round from a counter in memory."""
    if len(run.marks) < _FEWEST_MARKS:
        return False
    earlier, then, now = run.marks[0], run.marks[len(run.marks) // 2], run.marks[-1]
    for (_, left), (_, before), (_, first) in zip(now[1], then[1], earlier[1], strict=True):
        to_go, behind, at_first = (_mean(value, active) for value in (left, before, first))
        step = (behind - to_go) / (now[0] - then[0])
        step_before = (at_first - behind) / (then[0] - earlier[0])
        if abs(to_go) < abs(behind) and abs(step - step_before) <= _STEADY * abs(step):
            return True
    return False


def comes_ever_faster(run: LoopRun, active: Mask) -> bool:
    """Whether what is left of a condition goes down by steps that grow, as in searches through the levels of a tree, or by factors."""
    if len(run.marks) < _FEWEST_MARKS:
        return False
    earlier, then, now = run.marks[-_FEWEST_MARKS:]
    if now[0] - then[0] != then[0] - earlier[0]:
        return False
    for (op, left), (_, before), (_, first) in zip(now[1], then[1], earlier[1], strict=True):
        if _shrinks(left, before, active) and _shrinks(before, first, active):
            return True
        if op not in ORDERS:
            continue
        # Numbers that were drawn differ by more than they grow: their means tell.
        to_go, behind, at_first = (_mean(value, active) for value in (left, before, first))
        step, step_before = abs(behind - to_go), abs(at_first - behind)
        if abs(to_go) < abs(behind) < abs(at_first) and (
            _GROWTH * step_before <= step >= abs(to_go) / _REACH
        ):
            return True
    return False


def _shrinks(distance: Value, before: Value, active: Mask) -> bool:
    """Whether what is left of whole numbers is a part of what it was: halves of halves come to nothing, remainders too."""
    is_whole = all(np.asarray(item).dtype.kind in "iu" for item in (distance, before))
    left = abs(_mean(distance, active))
    return is_whole and 0 < left <= _PART * abs(_mean(before, active))


def _mean(distance: Value, active: Mask) -> float:
    numbers = np.asarray(distance, np.float64)
    return float(numbers[active.lanes].mean()) if numbers.ndim else float(numbers)


def _progress_of_breaks(run: LoopRun, active: Mask) -> Trips:
    """The same by the comparisons that break out of a kernel's loop and were made in all iterations since then."""
    trips: Trips = float("inf")
    if run.machine.is_host:
        return trips
    for region, distances in run.entry.breaks.values():
        definition = run.machine.facts.definitions.get(region.condition)
        if definition is None or len(distances) != run.iteration:
            continue
        leaves_when_true = bool(direct_leaves(region.then))
        if leaves_when_true == bool(direct_leaves(region.otherwise)):
            continue
        stay = NEGATED[definition.op] if leaves_when_true else definition.op
        half = run.iteration // 2
        before, distance = distances[-1 - half], distances[-1]
        trips = np.minimum(trips, _at_pace(stay, before, distance, half, active))
    return trips


def _at_pace(op: Op, before: Value, distance: Value, iterations: int, active: Mask) -> Trips:
    """Iterations until a comparison fails that has come so much nearer in the last ones; infinity where it has not."""
    pace = difference(distance, before) / iterations
    points: list[Value] = [advanced(distance, pace, ahead) for ahead in range(3)]
    found = first_false(op, points, active.lanes)
    return float("inf") if found is None else found


def trips_by_exits(run: LoopRun, active: Mask, cap: Trips = float("inf")) -> float | None:
    """Mean remaining iterations of a kernel's loop that threads leave at random times; None where few have left.

    Walks until something is reached and draws until one is accepted end like that: all runs of the loop have the same mean.
    Without longer ones before, each iteration is taken to be as likely the last: iterations over exits are the likeliest mean.
    Loops that end on loaded data are none of these: where their end is not found, the data are not what they are in a run.

    Args:
        run: The loop.
        active: Who is still in it.
        cap: The most that are still to come.
    """
    threads, _ = active.totals(run.machine.weight)
    if run.machine.is_host or run.facts.ends_on_memory or not threads:
        return None
    totals = run.totals
    inside = threads / run.threads
    trips = (totals.iterations - run.iterated_before) / run.threads
    further = (totals.trips / totals.runs - trips) / inside if totals.runs else 0.0
    if further < 1.0:
        if 1.0 - inside < FEWEST_EXITS:
            return None
        further = trips / (1.0 - inside)
    further = min(further, float(np.where(active.lanes, cap, 0.0).max()))
    totals.source = "assumed"
    run.machine.assume(
        "trip-count",
        f"loop whose end could not be computed: who is still in it takes {further:.3g} more iterations, as others did",
        run.loop.position,
        active,
    )
    return further
