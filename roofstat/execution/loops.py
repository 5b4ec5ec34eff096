"""Loops: a few iterations are run, the rest is extrapolated, so that the cost does not grow with the trip count.

After two or three iterations every variable that the loop writes is compared with its earlier values. Those that change
by a constant are affine; with them the loop's condition (and conditions that break out) are solved for the trip count of
each lane. Then representative iterations are run with weights that stand for the others, and the loop goes on from its
last iteration as if nothing had happened: it ends by its own condition or break. Short loops whose iterations differ are
run whole while an allowance lasts. Loops whose exit cannot be solved are run as they are, up to a limit; loops that depend
on unknown data get a stated trip count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution import operations
from roofstat.execution.arithmetic import COMPARISONS, new_key
from roofstat.execution.carried import (
    MAX_HISTORIES,
    Bounds,
    CellHistory,
    grown_unknown,
    growth,
    is_settled,
    middle_of,
)
from roofstat.execution.fills import (
    FillRecord,
    StoreRecord,
    is_fixed,
    summarise_fills,
    summarise_stores,
)
from roofstat.execution.loop_facts import LoopFacts, loop_facts
from roofstat.execution.representatives import Count, Position, representatives
from roofstat.execution.trace import LoopCoordinate, LoopTotals
from roofstat.execution.turns import next_turn
from roofstat.execution.unknown_trips import (
    DEFAULT_TRIPS,
    assumed_trips,
    cleared_bits,
    contended_trips,
)
from roofstat.execution.values import (
    DTYPES,
    Mixed,
    Unknown,
    Value,
    number_of,
    same_draw,
    shifted,
)
from roofstat.program.code import Block, If, Leave, Loop, Op, Scope, blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.address_space import MemoryObject
    from roofstat.execution.contents import Fill
    from roofstat.execution.machine import Frame, Machine, Mask
    from roofstat.program.code import If, Instruction, Region

RUN_LIMIT = 1_500
"""Iterations of a loop whose end cannot be computed, run one by one."""
HURRIED_LIMIT = 64
"""The same once a quarter of the budget is spent."""
MAX_RECORDS = 64
"""Stores of one instruction that are remembered for one entry of a host loop."""
LONGEST_LOOP = 1 << 42
"""A host loop of more iterations is a miscalculation."""
MOST_JUMPS = 4
"""A host loop that has not ended after skipping iterations so often is left."""
LARGEST_COUNT = 1 << 33
"""Larger numbers are addresses."""
MOST_TURNS = 8
"""Stretches of one loop that are told apart by where decisions turn."""
UNENDING_TRIPS = 16
"""Iterations of a loop of which no end is in sight."""
LONG_LOOP = 2_000
"""Iterations of a host loop from which on it is not run whole, whatever one costs."""

_NEGATED = {
    Op.LT: Op.GE,
    Op.GE: Op.LT,
    Op.GT: Op.LE,
    Op.LE: Op.GT,
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
}
Trips = float | np.ndarray
"""Remaining iterations, for all lanes or for each; infinity where no end is in sight."""


@dataclass(slots=True, eq=False)
class InnerBreak:
    """A comparison in an inner loop that leaves the loop around it, and its distance from turning."""

    region: If
    ranges: list[tuple[int, NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=list)
    """(iteration of the outer loop, least and greatest distance in it), of the last few."""

    def note(self, iteration: int, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Add the range of one run of the inner loop."""
        if self.ranges and self.ranges[-1][0] == iteration:
            _, before_low, before_high = self.ranges.pop()
            low, high = np.minimum(low, before_low), np.maximum(high, before_high)
        self.ranges = [*self.ranges[-2:], (iteration, low, high)]

    def latest(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The range over all iterations that are remembered."""
        low, high = self.ranges[0][1:]
        for _, other_low, other_high in self.ranges[1:]:
            low, high = np.minimum(low, other_low), np.maximum(high, other_high)
        return low, high

    def last_three(
        self, iteration: int
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]] | None:
        """The ranges in three iterations on end, the last of which is given."""
        wanted = [iteration - 2, iteration - 1, iteration]
        if [item[0] for item in self.ranges] != wanted:
            return None
        return [(low, high) for _, low, high in self.ranges]


@dataclass(slots=True, eq=False)
class LoopEntry:
    """One entry of a loop by a set of lanes."""

    loop: Loop
    frame: Frame
    inner_labels: frozenset[int]
    """Scopes inside the loop: leaving to them does not leave the loop."""
    coordinate: LoopCoordinate
    coordinates: list[LoopCoordinate] = field(default_factory=list)
    breaks: dict[int, tuple[If, list[Value]]] = field(default_factory=dict)
    inner_breaks: dict[int, InnerBreak] = field(default_factory=dict)
    """Conditions in inner loops that leave this one too."""
    has_opaque_break: bool = False
    """A known condition that leaves the loop, but not a comparison that could be solved."""
    has_unknown_break: bool = False
    """Data that nobody knows may leave the loop."""
    forced: Trips | None = None
    touched: set[int] = field(default_factory=set)
    stores: dict[int, list[StoreRecord]] = field(default_factory=dict)
    cells: dict[tuple[int, int], CellHistory] = field(default_factory=dict)
    """Host memory that the loop writes, by buffer and offset."""
    testing: bool = False
    """The condition is being evaluated."""
    open_tests: list[Unknown] = field(default_factory=list)
    """Data that nobody knows, and that a part of the condition rests on that was taken to go on."""
    first_store: int = 0
    """Number of the first store that a kernel makes inside."""
    is_long: bool = False
    """A host loop of so many iterations that only some of them will be run."""
    fills: dict[int, list[FillRecord]] = field(default_factory=dict)

    def advance(self, iteration: int | NDArray[np.int64]) -> None:
        """Go to another iteration."""
        self.coordinate = LoopCoordinate(loop=self.loop.number, iteration=iteration, trips=0.0)
        self.coordinates.append(self.coordinate)

    def note_break(self, region: If, distance: Value | None, *, known: bool) -> None:
        """Remember a condition whose arm leaves the loop (or a function around it)."""
        if distance is None:
            self.has_opaque_break = self.has_opaque_break or known
            self.has_unknown_break = self.has_unknown_break or not known
            return
        self.breaks.setdefault(region.number, (region, []))[1].append(distance)

    def note_store(
        self, site: int, found: MemoryObject, offset: int, scalar: Scalar, value: Value
    ) -> None:
        """Remember a host store, to summarise the loop as a fill."""
        iteration = self.coordinate.iteration
        kept = self.stores.setdefault(site, [])
        if isinstance(iteration, int) and len(kept) < MAX_RECORDS:
            kept.append(StoreRecord(iteration, found, offset, scalar, value))

    def note_cell(self, found: MemoryObject, offset: int, scalar: Scalar, value: Value) -> None:
        """Remember what a host store (before it is made) does to one cell, to move a counter on."""
        iteration = self.coordinate.iteration
        if not isinstance(iteration, int):
            return
        place = (found.buffer.number, offset)
        history = self.cells.get(place)
        if history is None:
            if len(self.cells) >= MAX_HISTORIES:
                return
            history = CellHistory(found, offset, scalar)
            self.cells[place] = history
            before = found.contents.cells.get(offset)
            if before is not None and before[0] is scalar:
                history.points.append((iteration - 1, before[1]))
        history.note(iteration, value)

    def note_fill(self, site: int, found: MemoryObject, fill: Fill) -> None:
        """Remember what a store in an inner loop filled."""
        iteration = self.coordinate.iteration
        kept = self.fills.setdefault(site, [])
        if isinstance(iteration, int) and len(kept) < MAX_RECORDS:
            kept.append(FillRecord(iteration, found, fill))


def run_loop(machine: Machine, loop: Loop, mask: Mask) -> Mask | None:
    """Run a loop; returns the lanes that leave it through its condition."""
    first = LoopCoordinate(loop=loop.number, iteration=0, trips=0.0)
    facts = facts_of(machine, loop)
    entry = LoopEntry(loop, machine.frame, facts.inner_labels, first)
    entry.first_store = machine.store_count + 1
    recorder = machine.recorder
    totals = LoopTotals() if recorder is None or machine.dry else recorder.loop(loop.number)
    threads, _ = mask.totals(machine.weight)
    totals.entries += threads
    before = totals.iterations
    machine.loop_stack.append(entry)
    launches, exits = machine.library.launches_so_far(), machine.guessed_exits
    try:
        left = _Runner(machine, loop, entry, totals, facts).run(mask)
    finally:
        machine.loop_stack.pop()
    if machine.is_host and (
        entry.forced is not None or totals.source == "assumed" or machine.guessed_exits != exits
    ):
        machine.library.doubt_count_since(launches, loop)
    trips = (totals.iterations - before) / threads if threads else 0.0
    for coordinate in entry.coordinates:
        coordinate.trips = trips
    return left


class _Runner:
    """The state of one run of a loop."""

    def __init__(
        self,
        machine: Machine,
        loop: Loop,
        entry: LoopEntry,
        totals: LoopTotals,
        facts: LoopFacts,
    ) -> None:
        self.machine = machine
        self.loop = loop
        self.entry = entry
        self.totals = totals
        self.facts = facts
        self.iteration = 0
        """Iterations completed; the number of the one that runs."""
        self.bodies = 0
        """Iterations whose body was entered."""
        self.next_check = 0
        self.cost = 0
        """Instructions that the last iteration took."""
        self.exited: Mask | None = None
        self.variables = facts.assigned
        self.snapshots: list[dict[int, Value | None]] = []
        self.work: list[float] = []
        self.marks: list[tuple[int, Op, Value]] = []
        """(iteration, comparison, distance) of the condition whenever it was looked at."""
        self.is_extrapolated = False
        self.jumps = 0
        """How often iterations were skipped."""
        self.turns = 0
        """Stretches that ended where a decision turns."""
        self.moves: HostMoves | None = None
        self.counted: dict[tuple[int, int], NDArray[np.float64]] = {}
        """Device counters before the last iteration."""

    # Running

    def run(self, mask: Mask) -> Mask | None:
        """Run to the end; returns the lanes that left through the condition."""
        machine = self.machine
        nested = len(machine.loop_stack) > 1
        self.next_check = 2 if nested or machine.executed > machine.budget // 16 else 3
        active: Mask | None = mask
        while active is not None:
            if self.iteration == self.next_check:
                self.snapshots.append(self._state())
                self.next_check = self._later()
                active = self._check(active, nested=nested)
                if active is None:
                    break
            self.snapshots = [*self.snapshots[-2:], self._state()]
            self.entry.advance(self.iteration)
            self.counted = machine.counters.values.copy()
            active = self._timed_iteration(active)
            self.iteration += 1
        if not machine.is_host and len(machine.loop_stack) > 1:
            self._tell_outer_loops()
        if machine.is_host:
            if self.entry.stores or self.entry.fills:
                self._summarise()
            if self.entry.forced is not None and isinstance(self.entry.forced, float):
                self._doubt_counters()
        return self.exited

    def _tell_outer_loops(self) -> None:
        """Conditions that leave loops around this one: how near to turning they have come in this run."""
        machine = self.machine
        ranges = {number: found.latest() for number, found in self.entry.inner_breaks.items()}
        regions = {number: found.region for number, found in self.entry.inner_breaks.items()}
        for number, (region, distances) in self.entry.breaks.items():
            first = end = np.asarray(distances[0], np.float64)
            if len(distances) > 1 and self.bodies > 1:
                end = _sum(first, _difference(distances[1], distances[0]), self.bodies - 1)
            ranges[number] = (np.minimum(first, end), np.maximum(first, end))
            regions[number] = region
        for number, region in regions.items():
            labels = machine.leaving_labels(region)
            for outer in machine.loop_stack[:-1]:
                at = outer.coordinate.iteration
                if outer.frame is not self.entry.frame or not isinstance(at, int):
                    continue
                if labels - outer.inner_labels:
                    found = outer.inner_breaks.setdefault(number, InnerBreak(region))
                    found.note(at, *ranges[number])

    def _inner_break_trips(self, found: InnerBreak, active: Mask) -> Trips:
        """When a condition in an inner loop may first leave this one, where its range moves on evenly."""
        region = found.region
        definition = self.machine.facts.definitions.get(region.condition)
        last = found.last_three(self.iteration - 1)
        if definition is None or last is None:
            return float("inf")
        leaves_when_true = bool(direct_leaves(region.then))
        op = definition.op if leaves_when_true else _NEGATED[definition.op]
        lows, highs = zip(*last, strict=True)
        if op in (Op.GT, Op.GE):
            return _even_end(_NEGATED[op], highs, active.lanes)
        if op in (Op.LT, Op.LE):
            return _even_end(_NEGATED[op], lows, active.lanes)
        if op is Op.EQ:
            above = _even_end(Op.GT, lows, active.lanes)
            below = _even_end(Op.LT, highs, active.lanes)
            return np.maximum(above, below)
        return float("inf")

    def _later(self) -> int:
        """When to look for an affine pattern again: soon after a change of behaviour, then ever more rarely."""
        return self.iteration + 2 if self.iteration < 16 else self.iteration * 2

    def _timed_iteration(self, active: Mask) -> Mask | None:
        machine = self.machine
        started = machine.executed
        before = machine.recorder.work if machine.recorder is not None else 0.0
        after = self._iterate(active)
        self.cost = machine.executed - started
        if machine.recorder is not None:
            self.work.append(machine.recorder.work - before)
        return after

    def _iterate(self, active: Mask) -> Mask | None:
        """One iteration at full weight."""
        machine, loop = self.machine, self.loop
        if loop.tests_before:
            going = self._test(active)
            if going is None:
                return None
            active = going
        self.bodies = self.iteration + 1
        threads, _ = active.totals(machine.weight)
        self.totals.iterations += threads
        guesses = int(self.entry.forced is not None)
        machine.doubt += guesses
        after = machine.run(loop.step, machine.run(loop.body, active))
        machine.doubt -= guesses
        if after is None or loop.tests_before:
            return after
        return self._test(after)

    def _test(self, active: Mask) -> Mask | None:
        """Evaluate the condition; lanes that fail it have left."""
        machine, loop = self.machine, self.loop
        self.entry.testing = True
        self.entry.open_tests.clear()
        reached = machine.run(loop.condition, active)
        self.entry.testing = False
        if loop.condition_register is None or reached is None:
            return reached
        condition = machine.read(loop.condition_register)
        if self.entry.open_tests:
            condition = _open_condition(condition, self.entry.open_tests[0])
        if isinstance(condition, int | float):
            if self.iteration == 0 and machine.is_host:
                self._judge_length()
            if condition:
                return active
            self.exited = machine.union(self.exited, active)
            return None
        if isinstance(condition, Unknown | Mixed):
            lanes = self._forced_lanes(condition, active)
        else:
            lanes = condition.astype(np.bool_)
        going = machine.intersect(active, lanes)
        if going is not active:
            if not machine.is_host and not isinstance(condition, Unknown | Mixed):
                self._note_turns(active, lanes)
            stopped = active if going is None else machine.intersect(active, ~lanes)
            self.exited = machine.union(self.exited, stopped)
        return going

    def _note_turns(self, active: Mask, lanes: NDArray[np.bool_]) -> None:
        """Some lanes leave and others go on: find where along the grid that turns, else notice that blocks differ."""
        machine = self.machine
        register = self.loop.condition_register
        assert register is not None
        leaves = _comparison_leaves(machine, register) or []
        distances = [operations.comparison_distance(machine, leaf.dest) for leaf in leaves]
        explained = [
            self._note_edge(leaf, distance)
            for leaf, distance in zip(leaves, distances, strict=True)
        ]
        if not explained or not all(explained):
            machine.note_block_difference(active, lanes)

    def _note_edge(self, leaf: Instruction, distance: Value | None) -> bool:
        machine = self.machine
        edges = machine.recorder.edges if machine.recorder is not None else None
        if edges is None or len(machine.loop_stack) > 1 or not isinstance(distance, np.ndarray):
            return False
        return edges.note(leaf.dest, leaf.op, distance)

    def _note_last_turn(self, leaf: Instruction, values: list[Value], trips: Trips) -> None:
        """Where along the grid the last iterations end: the distance after as many as every lane has."""
        if self.machine.is_host or not isinstance(trips, np.ndarray) or trips.ndim == 0:
            return
        fewest = float(trips.min())
        if not np.isfinite(fewest) or fewest == float(trips.max()):
            return
        first, second = (np.asarray(value, np.float64) for value in values[:2])
        self._note_edge(leaf, np.broadcast_to(first + fewest * (second - first), trips.shape))

    def _judge_length(self) -> None:
        """Before the first iteration of a host loop: whether its condition is far from turning."""
        machine = self.machine
        register = self.loop.condition_register
        assert register is not None
        for leaf in _comparison_leaves(machine, register) or ():
            distance = operations.comparison_distance(machine, leaf.dest)
            if isinstance(distance, int | float) and abs(distance) > LONG_LOOP:
                self.entry.is_long = True

    def _forced_lanes(self, condition: Unknown | Mixed, active: Mask) -> NDArray[np.bool_]:
        machine = self.machine
        count = machine.lane_count
        done = self.iteration if self.loop.tests_before else self.iteration + 1
        if self.entry.forced is None:
            if done == 0:
                lanes = np.ones(count, np.bool_)
                return self._known_lanes(condition, lanes)
            unknown = condition if isinstance(condition, Unknown) else condition.unknown
            self.entry.forced = self._assume_trips(unknown, active)
        lanes = np.broadcast_to(done < np.asarray(self.entry.forced), (count,)).copy()
        return self._known_lanes(condition, lanes)

    @staticmethod
    def _known_lanes(condition: Unknown | Mixed, lanes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if isinstance(condition, Mixed):
            return np.where(condition.known, condition.values.astype(np.bool_), lanes)
        return lanes

    def _assume_trips(self, unknown: Unknown, active: Mask) -> float:
        """State a trip count for a loop on unknown data."""
        machine = self.machine
        trips, why = assumed_trips(machine, unknown, self.entry.touched)
        contended = None if machine.is_host else contended_trips(machine, self.loop)
        if contended is not None:
            trips, why = contended, "lanes that meet at one address succeed one after the other"
        bits = None if machine.is_host else cleared_bits(machine, self.loop)
        if bits is not None:
            trips, why = bits, "half of the bits of a word are set"
        if machine.is_host:
            return trips
        self.totals.source = "assumed"
        machine.assume(
            "trip-count",
            f"loop on {unknown.reason or 'unknown data'}: {trips:.3g} iterations ({why})",
            self.loop.position,
            active,
        )
        return trips

    # Extrapolation

    def _state(self) -> dict[int, Value | None]:
        registers = self.machine.frames[-1].registers
        return {variable: registers[variable] for variable in self.variables}

    def _check(self, active: Mask, *, nested: bool) -> Mask | None:
        """Extrapolate if possible; returns the lanes that go on from where the loop then is."""
        machine = self.machine
        hurried = machine.is_hurried
        limit = HURRIED_LIMIT if hurried else RUN_LIMIT
        steps = self._steps(active)
        self._mark_progress()
        trips = self._remaining(active, steps, last_resort=self.iteration >= limit)
        if trips is None:
            if self.iteration < limit:
                return active
            trips = self._trips_by_progress(active)
            if trips is None:
                return self._give_up(active)
        if not self.loop.tests_before or machine.is_host:
            # The last iteration decides by itself that it is the last; host code may go on with its values.
            trips = trips - 1.0
        longest = float(np.where(active.lanes, trips, 0.0).max())
        if not np.isfinite(longest):
            return active if self.iteration < self._most_tries() else self._give_up(active)
        if longest <= 1.0:
            return active
        if machine.is_host and (self.jumps >= MOST_JUMPS or longest > LONGEST_LOOP):
            return self._give_up(active)
        alike = hurried or (not machine.is_host and self._is_alike(steps, active))
        pairs, period = self._sample_size(alike=alike, nested=nested, hurried=hurried)
        if machine.is_host:
            if self._host_runs_whole(longest, nested=nested, hurried=hurried):
                return active
        elif longest <= max(2 * pairs * period, 1) + 1:
            return active
        may_be_whole = not alike and not hurried and not machine.is_host
        if may_be_whole and self._run_whole(longest, steps, nested=nested):
            return active
        if may_be_whole and self.turns < MOST_TURNS:
            turn = self._next_turn(steps, longest, period, active)
            if turn < longest:
                self.turns += 1
                trips = np.minimum(trips, turn)
        return self._extrapolate(active, steps, trips, pairs, period)

    def _next_turn(
        self,
        steps: dict[int, int | float | NDArray[np.generic]],
        longest: float,
        period: int,
        active: Mask,
    ) -> float:
        """Iterations until a decision turns, as far as it follows from variables that change evenly."""
        base = self._state()
        pace = self._pace(steps, active)

        def move(distance: int) -> None:
            self._jump(base, steps, distance, active)
            self._move_sums(base, pace, distance, active)

        return next_turn(self.machine, self.loop, move, int(longest), period, active)

    def _most_tries(self) -> float:
        """Iterations of a loop of which no end is in sight: those of a search, where only data can end it."""
        if self.machine.is_host or not self.entry.has_unknown_break:
            return UNENDING_TRIPS
        contended = contended_trips(self.machine, self.loop)
        return DEFAULT_TRIPS if contended is None else contended

    def _host_runs_whole(self, longest: float, *, nested: bool, hurried: bool) -> bool:
        """Short and cheap host loops are run whole: they read arguments and fill small tables."""
        machine = self.machine
        few, share = (6, 600) if nested else (48, 6_000)
        if hurried:
            few, share = few // 4, share // 8
        price = longest * max(self.cost, 1)
        is_cheap = price <= min(share, machine.whole_loop_allowance)
        if not is_cheap and (longest > few or price > 20 * share):
            return False
        machine.whole_loop_allowance -= int(price)
        self.next_check = self.iteration + int(longest) + 2
        return True

    def _is_alike(self, steps: dict[int, int | float | NDArray[np.generic]], active: Mask) -> bool:
        """Whether nothing that an iteration decides by changes from one to the next."""
        registers = self.machine.frames[-1].registers
        is_random = self.facts.reads_memory
        for variable in self.facts.control & self.facts.carried:
            step = steps.get(variable)
            if step is None:
                if not isinstance(registers[variable], Unknown | Mixed):
                    return False
                is_random = True
            elif np.any(step[active.lanes] if isinstance(step, np.ndarray) else step):
                return False
        return not is_random or self._worked_alike()

    def _worked_alike(self) -> bool:
        work = self.work
        return len(work) >= 2 and abs(work[-1] - work[-2]) <= 1e-9 * max(abs(work[-1]), 1.0)

    def _sample_size(self, *, alike: bool, nested: bool, hurried: bool) -> tuple[int, int]:
        """(pairs of sampled places, 0 for a single one; adjacent iterations at each)."""
        if alike:
            return 0, 1
        period = self.facts.period
        if period > 3:
            return 1, period
        if self.machine.is_host:
            return (0 if nested or hurried else 2), period
        return (2 if nested or period > 1 else 3), period

    def _run_whole(
        self,
        longest: float,
        steps: dict[int, int | float | NDArray[np.generic]],
        *,
        nested: bool,
    ) -> bool:
        """Spend some of the allowance on the rest of the loop, or on its next iterations where it cannot be foreseen."""
        machine = self.machine
        allowance = machine.whole_loop_allowance // (4 if nested else 1)
        price = longest * max(self.cost, 1)
        if price <= allowance:
            machine.whole_loop_allowance -= int(price)
            self.next_check = self.iteration + int(longest) + 2
            return True
        if not self._is_erratic(steps):
            return False
        price = (self.next_check - self.iteration) * max(self.cost, 1)
        machine.whole_loop_allowance -= price
        return price <= allowance

    def _is_erratic(self, steps: dict[int, int | float | NDArray[np.generic]]) -> bool:
        """Whether decisions depend on known variables that do not change evenly."""
        registers = self.machine.frames[-1].registers
        return any(
            (variable not in steps or variable in self.facts.branched)
            and not isinstance(registers[variable], Unknown | Mixed)
            for variable in self.facts.control & self.facts.carried
        )

    def _give_up(self, active: Mask) -> Mask | None:
        machine = self.machine
        self.totals.source = "assumed"
        machine.assume(
            "trip-count",
            f"loop whose end could not be computed: left after {self.iteration} iterations",
            self.loop.position,
            active,
        )
        self.exited = machine.union(self.exited, active)
        return None

    def _steps(self, active: Mask) -> dict[int, int | float | NDArray[np.generic]]:
        """Affine variables and their change in an iteration."""
        if len(self.snapshots) < 3:
            return {}
        first, second, third = self.snapshots[-3:]
        steps: dict[int, int | float | NDArray[np.generic]] = {}
        for variable in self.variables:
            step = _constant_step(first[variable], second[variable], third[variable], active.lanes)
            if step is not None:
                steps[variable] = step
        return steps

    def _pace(
        self, steps: dict[int, int | float | NDArray[np.generic]], active: Mask
    ) -> dict[int, NDArray[np.float64]]:
        """Mean change in an iteration of variables that a kernel's loop adds uneven values to."""
        if self.machine.is_host or len(self.snapshots) < 2:
            return {}
        pace: dict[int, NDArray[np.float64]] = {}
        for variable in self.facts.sums - steps.keys():
            seen = [snapshot[variable] for snapshot in self.snapshots]
            known = [
                np.asarray(value, np.float64)
                for value in seen
                if value is not None and not isinstance(value, Unknown | Mixed)
            ]
            if len(known) == len(seen):
                rows = np.stack([np.broadcast_to(values, active.lanes.shape) for values in known])
                mean = _likely_step(np.diff(rows, axis=0), active.lanes)
                if np.isfinite(mean[active.lanes]).all():
                    pace[variable] = mean
        return pace

    def _move_sums(
        self,
        base: dict[int, Value | None],
        pace: dict[int, NDArray[np.float64]],
        distance: Position,
        active: Mask,
    ) -> None:
        """Set sums of active lanes to what they are likely to be `distance` iterations after `base`."""
        frame = self.machine.frames[-1]
        if not active.is_full:
            distance = np.where(active.lanes, distance, 0)
        for variable, step in pace.items():
            start = base[variable]
            if start is None or isinstance(start, Unknown | Mixed):
                continue
            scalar = frame.code.register_types[variable]
            moved = np.asarray(start, np.float64) + step * distance
            if not scalar.is_float:
                moved = np.rint(moved).astype(np.int64)
            frame.registers[variable] = np.broadcast_to(moved, (self.machine.lane_count,)).astype(
                DTYPES[scalar]
            )

    def _jump(
        self,
        base: dict[int, Value | None],
        steps: dict[int, int | float | NDArray[np.generic]],
        distance: Position,
        active: Mask,
    ) -> None:
        """Set the affine variables of active lanes to their values `distance` iterations after `base`."""
        frame = self.machine.frames[-1]
        if self.moves is not None:
            self.moves.apply(self.machine, int(np.max(distance)))
        if self.machine.stores and not self.machine.dry and np.any(distance):
            for stores in self.machine.stores.values():
                stores.forget_since(self.entry.first_store)
        if not active.is_full:
            distance = np.where(active.lanes, distance, 0)
        for variable, step in steps.items():
            start = base[variable]
            if start is None or isinstance(start, Mixed):
                continue
            if isinstance(start, Unknown):
                frame.registers[variable] = shifted(start, _integer_product(step, distance))
                continue
            scalar = frame.code.register_types[variable]
            if isinstance(step, int | float) and step == 0:
                frame.registers[variable] = start
            elif (
                isinstance(start, int | float)
                and isinstance(step, int | float)
                and isinstance(distance, int)
            ):
                frame.registers[variable] = number_of(start + step * distance, scalar)
            elif scalar.is_float:
                moved = np.asarray(start, np.float64) + np.asarray(step, np.float64) * distance
                frame.registers[variable] = np.broadcast_to(
                    moved, (self.machine.lane_count,)
                ).astype(DTYPES[scalar])
            else:
                shifted_by = _integer_product(step, distance)
                whole = np.broadcast_to(
                    np.asarray(start).astype(np.int64) + shifted_by, (self.machine.lane_count,)
                )
                frame.registers[variable] = (
                    whole.copy() if _is_pointer_array(start) else whole.astype(DTYPES[scalar])
                )

    def _remaining(
        self,
        active: Mask,
        steps: dict[int, int | float | NDArray[np.generic]],
        *,
        last_resort: bool,
    ) -> Trips | None:
        """Iterations still to come, for each lane; None where it cannot be said yet.

        As a last resort, conditions that break out and cannot be solved are taken not to.
        """
        loop = self.loop
        trips: Trips = float("inf")
        if self.entry.forced is not None:
            left = np.maximum(np.asarray(self.entry.forced) - self.iteration, 0.0)
            trips = float(left) if left.ndim == 0 else left
            trips = self._within_known_bound(trips, active, steps)
        elif loop.condition_register is not None:
            solved = self._condition_trips(active, steps)
            if solved is None:
                return None
            trips = solved
        for found in self.entry.inner_breaks.values():
            trips = np.minimum(trips, self._inner_break_trips(found, active))
        if self.entry.has_opaque_break and not last_resort:
            return None
        unforeseen = self._unforeseen(steps, active) if self.entry.breaks else frozenset()
        for region, distances in self.entry.breaks.values():
            solved = self._break_trips(region, distances, active, unforeseen)
            if solved is not None:
                trips = np.minimum(trips, solved)
            elif not last_resort:
                return None
        return trips

    def _within_known_bound(
        self, trips: Trips, active: Mask, steps: dict[int, int | float | NDArray[np.generic]]
    ) -> Trips:
        """Assumed iterations, no more than a counter allows that the condition tests as well."""
        register = self.loop.condition_register
        if register is None or len(_comparison_leaves(self.machine, register) or ()) < 2:
            return trips
        solved = self._condition_trips(active, steps)
        return trips if solved is None else np.minimum(trips, solved)

    def _condition_trips(
        self, active: Mask, steps: dict[int, int | float | NDArray[np.generic]]
    ) -> Trips | None:
        """Solve the loop condition by looking at it now, one and two iterations ahead."""
        machine, loop = self.machine, self.loop
        register = loop.condition_register
        assert register is not None
        operations_ = {item.op for block in blocks(loop.condition) for item in block.instructions}
        if operations_ & (_HOST_SIDE_EFFECTS if machine.is_host else _SIDE_EFFECTS):
            return None
        base = self._state()
        saved = list(machine.frames[-1].registers)
        leaves = _comparison_leaves(machine, register)
        if leaves is None:
            return None
        carried = self._unforeseen(steps, active)
        series: dict[int, list[Value | None]] = {leaf.dest: [] for leaf in leaves}
        offset = 0 if loop.tests_before else 1
        self.moves = self._host_moves(steps) if machine.is_host else None
        machine.dry += 1
        try:
            for ahead in (0, 1, 2):
                self._jump(base, steps, ahead + offset, active)
                machine.run(loop.condition, active)
                for leaf in leaves:
                    series[leaf.dest].append(self._distance(leaf))
        finally:
            machine.dry -= 1
            machine.frames[-1].registers[:] = saved
            if self.moves is not None:
                self.moves.undo()
                self.moves = None
        trips: Trips = float("inf")
        solved_any = False
        for leaf in leaves:
            values = series[leaf.dest]
            if any(value is None for value in values):
                continue
            if leaf.dest in self.facts.uneven or self._depends_on(leaf, carried):
                return None
            solved = _first_false(
                leaf.op, [value for value in values if value is not None], active.lanes
            )
            if solved is None:
                return None
            if machine.is_host and operations_ & _OPAQUE_READS and not np.isfinite(solved).any():
                return None  # what it reads may change in a way that nobody foresees
            self._note_last_turn(leaf, [value for value in values if value is not None], solved)
            solved_any = True
            trips = np.minimum(trips, solved + offset)
        if not solved_any and all(
            any(value is None for value in series[leaf.dest]) for leaf in leaves
        ):
            return self._unknown_condition_trips(active)
        return trips

    def _unforeseen(
        self, steps: dict[int, int | float | NDArray[np.generic]], active: Mask
    ) -> frozenset[int]:
        """Variables that change unevenly, or under a branch that may go another way in later iterations."""
        uneven = self.variables - steps.keys()
        if self.facts.branched and not self._is_alike(steps, active):
            return uneven | self.facts.branched
        return uneven

    def _mark_progress(self) -> None:
        """Remember how far the condition is from turning."""
        register = self.loop.condition_register
        leaves = None if register is None else _comparison_leaves(self.machine, register)
        if leaves is not None and len(leaves) == 1:
            distance = operations.comparison_distance(self.machine, leaves[0].dest)
            if distance is not None and not isinstance(distance, Unknown | Mixed):
                self.marks.append((self.iteration, leaves[0].op, distance))

    def _trips_by_progress(self, active: Mask) -> Trips | None:
        """Remaining iterations at the mean pace since half of those run; None where the end does not come nearer."""
        if len(self.marks) < 2 or self.marks[-1][0] != self.iteration:
            return None
        now, op, distance = self.marks[-1]
        then, _, before = next(mark for mark in self.marks if 2 * mark[0] >= now)
        if then == now:
            then, _, before = self.marks[-2]
        pace = _difference(distance, before) / (now - then)
        points: list[Value] = [_sum(distance, pace, ahead) for ahead in range(3)]
        trips = _first_false(op, points, active.lanes)
        if trips is None or not np.isfinite(np.where(active.lanes, trips, 0.0)).all():
            return None
        self.totals.source = "assumed"
        self.machine.assume(
            "trip-count",
            f"loop whose end could not be computed: estimated by its progress in {now} iterations",
            self.loop.position,
            active,
        )
        return trips

    def _distance(self, leaf: Instruction) -> Value | None:
        """How far a comparison is from turning; of bounded unknowns in host code the expected distance."""
        machine = self.machine
        found = operations.comparison_distance(machine, leaf.dest)
        if found is not None or not machine.is_host:
            return found
        first, second = (middle_of(machine.frames[-1].registers[item]) for item in leaf.args)
        return first - second if first is not None and second is not None else None

    def _unknown_condition_trips(self, active: Mask) -> Trips | None:
        condition = self.machine.frames[-1].registers[self.loop.condition_register or 0]
        if isinstance(condition, Unknown) and self.entry.forced is None:
            assumed = self._assume_trips(condition, active)
            self.entry.forced = assumed
            return max(assumed - self.iteration, 0.0)
        return None

    def _depends_on(self, leaf: Instruction, carried: frozenset[int]) -> bool:
        """Whether a comparison reads a known variable that is not affine, in what the loop computes for it."""
        registers = self.machine.frames[-1].registers
        definitions = self.machine.facts.definitions
        stack = list(leaf.args)
        seen: set[int] = set()
        while stack:
            register = stack.pop()
            if register in seen:
                continue
            seen.add(register)
            if register in carried and not isinstance(registers[register], Unknown | Mixed):
                return True
            if register in self.facts.computed:
                stack.extend(definitions[register].args)
        return False

    def _break_trips(
        self, region: If, distances: list[Value], active: Mask, unforeseen: frozenset[int]
    ) -> Trips | None:
        """When a known comparison will first break out of the loop."""
        definition = self.machine.facts.definitions.get(region.condition)
        if definition is None or len(distances) < 2:
            return float("inf")
        if region.condition in self.facts.uneven or self._depends_on(definition, unforeseen):
            return None
        leaves_when_true = bool(direct_leaves(region.then))
        op = definition.op
        stay = _NEGATED[op] if leaves_when_true else op
        if leaves_when_true and bool(direct_leaves(region.otherwise)):
            return 0.0
        recent = distances[-3:]
        step = _difference(recent[-1], recent[-2])
        nexts: list[Value] = [
            _sum(recent[-1], step),
            _sum(recent[-1], step, 2),
            _sum(recent[-1], step, 3),
        ]
        if len(recent) == 3 and not _all_equal(
            _difference(recent[-2], recent[-3]), step, active.lanes
        ):
            return None
        return _first_false(stay, nexts, active.lanes)

    def _extrapolate(
        self,
        active: Mask,
        steps: dict[int, int | float | NDArray[np.generic]],
        trips: Trips,
        pairs: int,
        period: int,
    ) -> Mask | None:
        """Run representative iterations with weights, then put everything where the remaining iterations begin."""
        machine = self.machine
        base = self._state()
        weight = machine.weight
        start = self.iteration
        counters = machine.counters.since(self.counted)
        self.moves = self._host_moves(steps) if machine.is_host else None
        if self.totals.source == "exact":
            self.totals.source = "extrapolated"
        pace = self._pace(steps, active)
        groups, scale = _groups(trips, active, period)
        running = machine.intersect(active, np.broadcast_to(groups > 0, active.lanes.shape))
        idle = None if running is active else machine.intersect(active, np.asarray(groups <= 0))
        for place, share in self._places(groups, pairs):
            machine.weight = weight * (share * scale)
            for ahead in range(period):
                if running is not None:
                    distance = place * period + ahead
                    self.entry.advance(start + distance)
                    machine.counters.values = counters.ahead(distance)
                    self._jump(base, steps, distance, running)
                    self._move_sums(base, pace, distance, running)
                    running = self._sample_iteration(running)
            machine.weight = weight
        survivors = machine.union(running, idle)
        self.is_extrapolated = True
        self.jumps += 1
        if survivors is None:
            self.moves = None
            return None
        whole = np.asarray(groups * period)
        machine.counters.values = counters.ahead(whole)
        end = int(whole) if whole.ndim == 0 else whole.astype(np.int64)
        self._jump(base, steps, end, survivors)
        self._move_sums(base, pace, end, survivors)
        if self.moves is not None:
            self.moves.publish(machine.loop_stack[:-1])
            self.moves = None
        self.iteration = start + int(whole.max())
        self.bodies = self.iteration
        self.next_check = self.iteration + 4
        self.snapshots = []
        if self.entry.forced is not None:
            self.entry.forced = float(self.iteration + (0 if self.loop.tests_before else 1))
        return survivors

    def _places(self, groups: Count, pairs: int) -> list[tuple[Position, Count]]:
        """Where the sampled iterations lie, and how many each stands for."""
        if pairs:
            return representatives(groups, pairs)
        middle = np.asarray(groups // 2, np.int64)
        return [(int(middle) if middle.ndim == 0 else middle, groups)]

    def _sample_iteration(self, running: Mask) -> Mask | None:
        machine, loop = self.machine, self.loop
        mask: Mask | None = running
        if loop.tests_before:
            mask = machine.run(loop.condition, running)
        if mask is None:
            return None
        threads, _ = mask.totals(machine.weight)
        self.totals.iterations += threads
        guesses = int(self.entry.forced is not None)
        machine.doubt += guesses
        after = machine.run(loop.step, machine.run(loop.body, mask))
        machine.doubt -= guesses
        if after is not None and not loop.tests_before:
            after = machine.run(loop.condition, after)
        return after

    # Host loops

    def _host_moves(self, steps: dict[int, int | float | NDArray[np.generic]]) -> HostMoves:
        """What has to be moved on besides affine registers when iterations are skipped."""
        machine = self.machine
        frame = machine.frames[-1]
        states = [*self.snapshots[-2:], self._state()]
        grown: dict[int, tuple[tuple[Bounds, Bounds], Value]] = {}
        lost: list[int] = []
        for variable in self.facts.carried - steps.keys():
            values = [state[variable] for state in states]
            if any(value is None for value in values):
                continue
            known = [value for value in values if value is not None]
            change = growth(known)
            if change is not None:
                grown[variable] = (change, known[-1])
            elif isinstance(known[-1], int | float) and not is_settled(known):
                lost.append(variable)
        cells = [item.copy() for item in self.entry.cells.values() if len(item.points) > 1]
        return HostMoves(self.iteration, frame.code.register_types, grown, lost, cells)

    def _doubt_counters(self) -> None:
        """After a loop whose length nobody knows: what it counted is unknown."""
        registers = self.machine.frames[-1].registers
        first = self.snapshots[0] if self.snapshots else {}
        for variable in self.facts.carried & first.keys():
            before, after = first[variable], registers[variable]
            if isinstance(after, int | float) and after != before:
                registers[variable] = Unknown(
                    new_key(), uniform=True, reason="counted in a loop of unknown length"
                )
        for item in self.entry.cells.values():
            numbers = [value for _, value in item.points if isinstance(value, int | float)]
            is_known = 1 < len(numbers) == len(item.points)
            if is_known and numbers[-1] != numbers[-2] and abs(numbers[-1]) < LARGEST_COUNT:
                doubt = Unknown(
                    new_key(),
                    uniform=True,
                    reason="counted in a loop of unknown length",
                    is_float=item.scalar.is_float,
                )
                item.found.contents.store(item.offset, item.scalar, doubt)

    def _summarise(self) -> None:
        """Turn the stores of a host loop into fills, for this loop and for the one around it."""
        entry = self.entry
        outer = self.machine.loop_stack[-2] if len(self.machine.loop_stack) > 1 else None
        filled: list[tuple[int, MemoryObject, Fill]] = []
        for site, stores in entry.stores.items():
            fill = summarise_stores(stores, self.bodies)
            if fill is not None:
                filled.append((site, stores[0].found, fill))
            elif outer is not None and is_fixed(stores):
                last = stores[-1]
                outer.note_store(site, last.found, last.offset, last.scalar, last.value)
        for site, fills in entry.fills.items():
            fill = summarise_fills(fills, self.bodies)
            if fill is not None:
                filled.append((site, fills[0].found, fill))
        for site, found, fill in filled:
            if self.is_extrapolated:
                found.contents.add_fill(fill)
            if outer is not None:
                outer.note_fill(site, found, fill)


@dataclass(slots=True, eq=False)
class HostMoves:
    """Sums and memory cells as they will be in later iterations of a host loop."""

    start: int
    """The first iteration that is skipped."""
    types: list[Scalar]
    grown: dict[int, tuple[tuple[Bounds, Bounds], Value]]
    """Variables whose bounds grow evenly."""
    lost: list[int]
    """Variables that change in another way."""
    cells: list[CellHistory]
    saved: list[tuple[CellHistory, tuple[Scalar, Value] | None]] = field(default_factory=list)

    def apply(self, machine: Machine, distance: int) -> None:
        """Move everything to the beginning of a later iteration."""
        registers = machine.frames[-1].registers
        for variable, (change, value) in self.grown.items():
            is_float = self.types[variable].is_float
            registers[variable] = grown_unknown(change, distance, value, is_float=is_float)
        if distance > 0:
            for variable in self.lost:
                registers[variable] = Unknown(
                    new_key(),
                    uniform=True,
                    reason="a variable that a loop changes",
                    is_float=self.types[variable].is_float,
                )
        if machine.dry and not self.saved:
            self.saved = [(item, item.found.contents.cells.get(item.offset)) for item in self.cells]
        for item in self.cells:
            moved = item.moved(self.start + distance, self.start)
            if moved is not None:
                item.found.contents.store(item.offset, item.scalar, moved)

    def undo(self) -> None:
        """Put the cells back that a look ahead has moved."""
        for item, before in self.saved:
            if before is None:
                item.found.contents.cells.pop(item.offset, None)
            else:
                item.found.contents.cells[item.offset] = before
        self.saved = []

    def publish(self, outer: list[LoopEntry]) -> None:
        """Tell the loops around of the cells' final values."""
        for item in self.cells:
            cell = item.found.contents.cells.get(item.offset)
            if cell is not None:
                for entry in outer:
                    entry.note_cell(item.found, item.offset, item.scalar, cell[1])


_SIDE_EFFECTS = frozenset(
    {Op.STORE, Op.ATOMIC, Op.CALL, Op.CALL_POINTER, Op.LIBRARY, Op.LAUNCH, Op.COPY}
)
_HOST_SIDE_EFFECTS = frozenset({Op.STORE, Op.ATOMIC, Op.LAUNCH, Op.COPY})
"""Host code is looked ahead through calls: nothing is stored meanwhile."""
_OPAQUE_READS = frozenset({Op.LOAD, Op.CALL, Op.CALL_POINTER, Op.LIBRARY})


def _open_condition(condition: Value, unknown: Unknown) -> Value:
    """A condition that holds as far as is known: what is not known of it may end the loop all the same."""
    if isinstance(condition, Unknown | Mixed):
        return condition
    if isinstance(condition, int | float):
        return unknown if condition else condition
    values = condition.astype(np.bool_)
    return Mixed(values, ~values, unknown) if values.any() else values


def goes_on_with(entry: LoopEntry, region: If) -> bool | None:
    """Which arm of an operator ``&&`` or ``||`` on unknown data leaves the loop's condition to its other operand.

    None where the branch is no part of the condition that is being evaluated.
    """
    if not entry.testing or region.kind != "logical":
        return None
    stack = list(entry.loop.condition)
    while stack:
        found = stack.pop()
        if isinstance(found, If) and found.kind == "logical":
            if found is region:
                return _size(region.then) >= _size(region.otherwise)
            stack += [*found.then, *found.otherwise]
    return None


def _size(regions: list[Region]) -> int:
    return sum(len(block.instructions) for block in blocks(regions))


def facts_of(machine: Machine, loop: Loop) -> LoopFacts:
    """Static facts of a loop of the running code, found once."""
    facts = machine.facts
    found = facts.loops.get(loop.number)
    if found is None:
        found = loop_facts(machine.frames[-1].code, loop, facts.definitions)
        facts.loops[loop.number] = found
    return found


def direct_leaves(regions: list[Region]) -> frozenset[int]:
    """Labels that an arm surely leaves to: its own jumps, not those under further conditions."""
    found: set[int] = set()
    for region in regions:
        if isinstance(region, Leave):
            found.add(region.label)
        elif isinstance(region, Scope):
            found |= direct_leaves(region.body) - {region.label}
    return frozenset(found)


def _groups(trips: Trips, active: Mask, period: int) -> tuple[Count, float]:
    """(whole periods among the remaining iterations, by what to multiply their weights for a fractional mean count)."""
    remaining = np.where(active.lanes, trips, 0.0)
    counted = remaining[active.lanes]
    if np.all(counted == counted[0]):
        single = float(counted[0])
        groups = float(single // period)
        return groups, single / groups if groups > 0 and period == 1 else 1.0
    return np.maximum(remaining // period, 0.0), 1.0


def _comparison_leaves(machine: Machine, register: int) -> list[Instruction] | None:
    """The comparisons that a condition is a conjunction of; None for other shapes."""
    definition = machine.facts.definitions.get(register)
    if definition is None:
        return None
    if definition.op in COMPARISONS:
        return [definition]
    if definition.op is Op.AND and definition.scalar is Scalar.BOOL:
        left = _comparison_leaves(machine, definition.args[0])
        right = _comparison_leaves(machine, definition.args[1])
        return left + right if left is not None and right is not None else None
    return None


def _is_pointer_array(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.int64


def _integer_product(
    step: float | NDArray[np.generic], distance: int | NDArray[np.int64]
) -> int | NDArray[np.int64]:
    if isinstance(step, int | float) and isinstance(distance, int):
        return int(step) * distance
    product = np.asarray(step).astype(np.int64) * np.asarray(distance)
    return product if product.ndim else int(product)


def _constant_step(
    a: Value | None, b: Value | None, c: Value | None, lanes: NDArray[np.bool_]
) -> int | float | NDArray[np.generic] | None:
    """The difference b - a where c - b equals it, for the active lanes."""
    if a is None or b is None or c is None:
        return None
    if isinstance(a, int | float) and isinstance(b, int | float) and isinstance(c, int | float):
        step = b - a
        if isinstance(step, float):
            return step if abs((c - b) - step) <= 1e-9 * max(abs(step), abs(c), 1e-30) else None
        return step if c - b == step else None
    if isinstance(a, Unknown) and isinstance(b, Unknown) and isinstance(c, Unknown):
        if not (a.scale == b.scale == c.scale and same_draw(a, b) and same_draw(b, c)):
            return None
        return _array_step(a.offset, b.offset, c.offset, lanes)
    if (
        isinstance(a, Unknown | Mixed)
        or isinstance(b, Unknown | Mixed)
        or isinstance(c, Unknown | Mixed)
    ):
        return None
    return _array_step(a, b, c, lanes)


def _array_step(
    a: float | NDArray[np.generic],
    b: float | NDArray[np.generic],
    c: float | NDArray[np.generic],
    lanes: NDArray[np.bool_],
) -> int | float | NDArray[np.generic] | None:
    if all(isinstance(value, int) for value in (a, b, c)):
        return b - a if c - b == b - a else None  # type: ignore[operator]
    is_float = any(
        (isinstance(v, np.ndarray) and v.dtype.kind == "f") or isinstance(v, float)
        for v in (a, b, c)
    )
    kind = np.float64 if is_float else np.int64
    x, y, z = (np.asarray(value).astype(kind) for value in (a, b, c))
    first = np.broadcast_to(y - x, lanes.shape)[lanes]
    second = np.broadcast_to(z - y, lanes.shape)[lanes]
    if not np.array_equal(first, second) and not (
        is_float and np.allclose(first, second, rtol=1e-5, atol=1e-30)
    ):
        return None
    if len(first) and np.all(first == first[0]):
        only = first[0].item()
        return only if isinstance(only, int | float) else None
    step: NDArray[np.generic] = np.broadcast_to(y - x, lanes.shape).copy()
    return step


def _likely_step(changes: NDArray[np.float64], lanes: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean change for each lane, drawn to that of all lanes as far as chance explains how lanes differ."""
    mean: NDArray[np.float64] = changes.mean(axis=0)
    overall = float(mean[lanes].mean())
    spread = float(mean[lanes].var())
    chance = 0.0
    if len(changes) > 1:
        chance = float(changes[:, lanes].var(axis=0, ddof=1).mean()) / len(changes)
    kept = max(1.0 - chance / spread, 0.0) if spread > 0 else 0.0
    return overall + kept * (mean - overall)


def _difference(a: Value, b: Value) -> float | NDArray[np.float64]:
    return np.asarray(a, np.float64) - np.asarray(b, np.float64)


def _sum(a: Value, step: float | NDArray[np.float64], times: int = 1) -> NDArray[np.float64]:
    return np.asarray(a, np.float64) + np.asarray(step, np.float64) * times


def _all_equal(
    a: float | NDArray[np.float64], b: float | NDArray[np.float64], lanes: NDArray[np.bool_]
) -> bool:
    x = np.broadcast_to(a, lanes.shape)[lanes]
    y = np.broadcast_to(b, lanes.shape)[lanes]
    return bool(np.allclose(x, y, rtol=1e-9, atol=1e-30))


def _first_false(op: Op, values: list[Value], lanes: NDArray[np.bool_]) -> Trips | None:
    """Smallest t >= 0 at which ``d(t) op 0`` is false, for linear d given at t = 0, 1, 2; None where d is not linear."""
    d0, d1, d2 = (np.asarray(value, np.float64) for value in values[:3])
    step = d1 - d0
    if not _all_equal(step, d2 - d1, lanes):
        return None
    d0, step = np.broadcast_arrays(d0, step)
    scalar = d0.ndim == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        match op:
            case Op.LT:
                t = np.where(d0 >= 0, 0.0, np.where(step > 0, np.ceil(-d0 / step), np.inf))
            case Op.LE:
                t = np.where(d0 > 0, 0.0, np.where(step > 0, np.floor(-d0 / step) + 1, np.inf))
            case Op.GT:
                t = np.where(d0 <= 0, 0.0, np.where(step < 0, np.ceil(-d0 / step), np.inf))
            case Op.GE:
                t = np.where(d0 < 0, 0.0, np.where(step < 0, np.floor(-d0 / step) + 1, np.inf))
            case Op.NE:
                quotient = -d0 / step
                hits = (step != 0) & (quotient >= 0) & (quotient == np.floor(quotient))
                t = np.where(d0 == 0, 0.0, np.where(hits, quotient, np.inf))
            case _:
                t = np.where(d0 != 0, 0.0, np.where(step != 0, 1.0, np.inf))
    return float(t) if scalar else t


def _even_end(op: Op, values: Sequence[NDArray[np.float64]], lanes: NDArray[np.bool_]) -> Trips:
    """For how many more iterations a distance that grows evenly keeps its relation to 0; infinity where it does not."""
    step = _difference(values[2], values[1])
    if not _all_equal(_difference(values[1], values[0]), step, lanes):
        return float("inf")
    found = _first_false(op, [_sum(values[2], step, ahead) for ahead in (1, 2, 3)], lanes)
    return float("inf") if found is None else found


def loop_blocks(loop: Loop) -> list[Block]:
    """All blocks of a loop."""
    return [block for part in (loop.condition, loop.body, loop.step) for block in blocks(part)]
