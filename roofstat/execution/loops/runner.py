"""Runs a loop: a few iterations as they are, the rest through representatives that stand for it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.jumps import all_leaves
from roofstat.execution.loops import best_places, budget, ends, found_places, host_loops
from roofstat.execution.loops.abandoned_sums import abandoned_trips
from roofstat.execution.loops.asides import run_within_budget
from roofstat.execution.loops.carried import EXPECTED, lot_of
from roofstat.execution.loops.convergence import convergence_of
from roofstat.execution.loops.ending_forms import (
    DRAWS,
    LONGEST_DRAWS,
    leaving_trips,
    search_trips,
)
from roofstat.execution.loops.entry import LoopEntry, open_condition
from roofstat.execution.loops.facts import LoopFacts, facts_of, never_turns
from roofstat.execution.loops.launch_turns import LaunchTurns, looks_further
from roofstat.execution.loops.linear import Steps, Trips, whole_periods
from roofstat.execution.loops.lists import list_trips
from roofstat.execution.loops.probes import MOST_PROBES, probes_of
from roofstat.execution.loops.roots import drawn_root_trips, root_trips
from roofstat.execution.loops.run_state import LoopRun
from roofstat.execution.loops.scaled_variables import wrapping_trips
from roofstat.execution.loops.shared_rows import shared_row_trips
from roofstat.execution.loops.short_runs import short_run_trips
from roofstat.execution.loops.tree_walks import begin_walk, forget_found, keep_stack, tree_walk_of
from roofstat.execution.loops.turns import next_turn
from roofstat.execution.loops.unknown_sums import move_unknown_sums, unknown_sums
from roofstat.execution.loops.unknown_trips import (
    DEFAULT_TRIPS,
    NO_BETTER,
    contended_trips,
    finds_better,
    note_trips,
)
from roofstat.execution.numbers.comparisons import (
    comparison_distance,
    conjunction_of,
    note_block_difference,
)
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import NUMBERS, OPEN, Mixed, Unknown
from roofstat.execution.run_ends import BudgetExceededError
from roofstat.execution.sampling.representatives import (
    Count,
    Position,
    common_places,
    representatives,
    scattered,
)
from roofstat.execution.trace import LoopCoordinate, LoopTotals
from roofstat.program.code import Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Loop

RUN_LIMIT = 1_500
"""Iterations of a loop whose end cannot be computed, run one by one."""
HURRIED_LIMIT = 64
"""The same once a quarter of the budget is spent."""
LONGEST_LOOP = 1 << 42
"""A host loop of more iterations is a miscalculation."""
MOST_JUMPS = 4
"""A host loop that has not ended after skipping iterations so often is left."""
MOST_TURNS = 8
"""Stretches of one loop that are told apart by where decisions turn."""
UNENDING_TRIPS = 16
"""Iterations of a loop of which no end is in sight."""
NODES_AT_A_TIME = 4.0
"""Nodes of a walk through a tree that are looked at one by one at its end."""
FEWEST_PLACES = 4
"""Places in a loop of which lanes have drawn how long they run it: one would be behind the end of half of them."""
LONG_LOOP = 2_000
"""Iterations of a host loop from which on it is not run whole, whatever one costs."""


def run_loop(machine: Machine, loop: Loop, mask: Mask) -> Mask | None:
    """Run a loop; returns the lanes that leave it through its condition."""
    first = LoopCoordinate(loop=loop.number, iteration=0, trips=0.0)
    facts = facts_of(machine, loop)
    entry = LoopEntry(loop, machine.frame, facts.inner_labels, first)
    entry.first_store = machine.store_count + 1
    entry.dry = machine.dry
    entry.weights = machine.weight
    entry.probes = probes_of(machine, loop, facts)
    entry.converges = convergence_of(machine, loop)
    entry.walk = tree_walk_of(machine, loop, facts)
    if entry.walk is not None:
        begin_walk(machine, entry, entry.walk, mask)
    recorder = machine.recorder
    totals = LoopTotals() if recorder is None or machine.dry else recorder.loop(loop.number)
    threads, _ = mask.totals(machine.weight)
    totals.entries += threads
    before = totals.iterations
    starts = found_places.counters_at_start(machine, loop, facts)
    if machine.is_host and machine.loop_stack and not machine.dry:
        entry.lot = _lot(machine, loop)
    machine.loop_stack.append(entry)
    launches, exits = machine.library.launches_so_far(), machine.guessed_exits
    try:
        run = _Runner(machine, loop, entry, totals, facts, threads, before).run
        left = run_within_budget(machine, entry, facts, run, mask)
    except BudgetExceededError:
        host_loops.forget_stores(entry)
        raise
    finally:
        machine.loop_stack.pop()
    if machine.is_host:
        found_places.keep_middle(machine, loop, entry.taken, starts, mask)
        if entry.forced is not None or totals.source == "assumed" or machine.guessed_exits != exits:
            machine.library.doubt_count_since(launches, loop)
        if entry.forced is not None and not entry.is_drawn:
            host_loops.forget_rest(entry)
    elif entry.forced is not None and not entry.is_drawn:
        forget_counts(machine, facts, mask, ends_at_once=entry.ends_by_difference)
        if entry.walk is not None:
            forget_found(machine, loop, entry.walk, facts, mask)
    trips = (totals.iterations - before) / threads if threads else 0.0
    if entry.found_rows:
        found_places.keep_middles(machine, entry, trips)
    totals.runs += 1
    totals.trips += trips
    for coordinate in entry.coordinates:
        coordinate.trips = trips
    return left


def _lot(machine: Machine, loop: Loop) -> float:
    """What an inner loop of host code draws this time; the expectation where an iteration around it stands for others."""
    if any(entry.share != 1.0 for entry in machine.loop_stack):
        return EXPECTED
    place = (machine.frame.code.key, loop.number)
    turn = machine.turns_of_loops.get(place, 0)
    machine.turns_of_loops[place] = turn + 1
    return lot_of(turn)


@dataclass(slots=True, eq=False)
class _Runner(LoopRun):
    """Runs one loop: when to look for a pattern, which iterations to run, with which weights."""

    exited: Mask | None = None
    turns: int = 0
    """Stretches that ended where a decision turns."""
    is_given_up: bool = False
    """Whether the loop was left before its end."""
    is_entered_unseen: bool = False
    """Whether the first test rests on data that nobody knows: the loop is taken to run."""
    is_foretold: bool = False
    """Whether its length is stated before it begins: along a list of known mean length, or between ends that say nothing."""
    launches: LaunchTurns | None = None
    """Of a host loop that launches under conditions: what its iterations launch."""
    counted: dict[tuple[int, int], NDArray[np.float64]] = field(default_factory=dict)
    """Device counters before the last iteration."""

    # Running

    def run(self, mask: Mask) -> Mask | None:
        """Run to the end; returns the lanes that left through the condition."""
        machine = self.machine
        nested = len(machine.loop_stack) > 1
        self.next_check = 2 if nested or machine.executed > machine.budget // 16 else 3
        if machine.is_host and self.facts.period > 1:
            # What each fourth iteration launches is first launched by the fourth.
            self.next_check = max(self.next_check, self.facts.period)
        started = machine.memory.reached(Space.GLOBAL)
        launching = machine.library.launching(self.loop) if machine.is_host else None
        if launching is not None and not machine.dry:
            self.launches = LaunchTurns(launching, dict(machine.library.launch_counts()))
        active: Mask | None = mask
        while active is not None:
            if self.iteration == self.next_check:
                self.snapshots.append(self.state())
                if machine.is_host:
                    self.trail.append((self.iteration, self.snapshots[-1]))
                self.next_check = self._later()
                active = self._check(active, nested=nested)
                if active is None:
                    break
            self.snapshots = [*self.snapshots[-2:], self.state()]
            if machine.is_host:
                self.reached = [*self.reached[-1:], machine.memory.reached(Space.GLOBAL)]
            self.entry.advance(self.iteration)
            self.counted = machine.counters.values.copy()
            active = self._timed_iteration(active)
            self.iteration += 1
        if not machine.is_host and len(machine.loop_stack) > 1:
            ends.tell_outer_loops(self)
        if self.launches is not None and self.launches.is_estimate:
            varying, seen = self.launches.varying(), len(self.launches.seen)
            machine.library.note_estimates(varying, seen, self.bodies, self.loop)
        if machine.is_host:
            first, end = started, machine.memory.reached(Space.GLOBAL)
            if first < end and not machine.dry:
                machine.memory.note_rows(first, end)
            if self.entry.stores or self.entry.fills or self.entry.tallies:
                host_loops.summarise(self)
            is_guessed = isinstance(self.entry.forced, float) and not self.entry.is_drawn
            if self.is_given_up or is_guessed:
                host_loops.doubt_counters(self)
        return self.exited

    def _later(self) -> int:
        """When to look for an affine pattern again: soon after a change of behaviour, then ever more rarely."""
        return self.iteration + 2 if self.iteration < 16 else self.iteration * 2

    def _timed_iteration(self, active: Mask) -> Mask | None:
        machine = self.machine
        started = machine.executed
        before = machine.recorder.work if machine.recorder is not None else 0.0
        after = self._iterate(active)
        self.cost = machine.executed - started
        if self.launches is not None and self.bodies > self.iteration:
            self.launches.note(dict(machine.library.launch_counts()))
            if self.jumps == 0:
                self.launches.keep(self)
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
        threads, warps = active.totals(machine.weight)
        self.totals.iterations += threads
        if self.iteration == 0:
            self.totals.starts += threads
            self.totals.warp_starts += warps
        guesses = int(self.entry.forced is not None or self.is_entered_unseen)
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
        if self.iteration == 0 and not machine.is_host and self.entry.forced is None:
            self.entry.forced = list_trips(self, active)
            if self.entry.forced is None:
                self.entry.forced = drawn_root_trips(self, active)
            if self.entry.forced is None:
                self.entry.forced = ends.trips_between_strangers(self, active)
            self.is_foretold = self.entry.forced is not None
        if self.entry.walk is not None and self.iteration > 0:
            keep_stack(machine, self.entry.walk)
        if self.is_foretold or self.entry.walk is not None:
            self.totals.source = "assumed"
            condition = new_unknown("an end")  # the length that is stated says more
        elif self._has_settled(condition, reached):
            condition = False
        elif self.iteration == 0 and loop.tests_before and not finds_better(machine, loop):
            note_trips(machine, loop, new_unknown("the best so far"), active, 0.0, NO_BETTER)
            condition = False
        unsure = [*self.entry.open_tests, *self.entry.open_breaks]
        if unsure:
            condition = open_condition(condition, unsure[0])
        if isinstance(condition, NUMBERS):
            if self.iteration == 0 and machine.is_host:
                self._judge_length()
            if condition or self._is_entered_for_launches():
                return active
            self.exited = machine.union(self.exited, active)
            return None
        if isinstance(condition, OPEN):
            expected = ends.expected_condition(self) if machine.is_host else None
            lanes = (
                self._forced_lanes(condition, active)
                if expected is None or self.entry.forced is not None
                else np.full(machine.lane_count, expected)
            )
        else:
            lanes = condition.astype(np.bool_)
        going = machine.intersect(active, lanes)
        if going is not active:
            if not machine.is_host and not isinstance(condition, OPEN):
                self._note_turns(active, lanes)
            stopped = active if going is None else machine.intersect(active, ~lanes)
            if self.entry.is_drawn and self.entry.found_arms:
                machine.doubt += 1
                stopped = machine.run(self.entry.found_arms[0], stopped)
                machine.doubt -= 1
            self.exited = machine.union(self.exited, stopped)
        return going

    def _has_settled(self, condition: Value, active: Mask) -> bool:
        """Whether a known condition that asks for a tolerance still holds where the loop is taken to have converged."""
        converges = self.entry.converges
        if converges is None or converges.trips is None or isinstance(condition, OPEN):
            return False
        done = self.iteration if self.loop.tests_before else self.iteration + 1
        if done < converges.trips or not np.any(condition):
            return False
        self.totals.source = "assumed"
        self.machine.assume("trip-count", converges.reason, self.loop.position, active)
        return True

    def _is_entered_for_launches(self) -> bool:
        """Whether a host loop that has no iteration is run once all the same, for what it launches."""
        machine = self.machine
        is_first = self.iteration == 0 and self.loop.tests_before and machine.is_host
        return is_first and not machine.dry and machine.library.enters(self.loop)

    def _note_turns(self, active: Mask, lanes: NDArray[np.bool_]) -> None:
        """Some lanes leave and others go on: find where along the grid that turns, else notice that blocks differ."""
        machine = self.machine
        register = self.loop.condition_register
        assert register is not None
        leaves = conjunction_of(machine, register) or []
        distances = [comparison_distance(machine, leaf.dest) for leaf in leaves]
        explained = [
            ends.note_edge(self, leaf, distance)
            for leaf, distance in zip(leaves, distances, strict=True)
        ]
        if not explained or not all(explained):
            note_block_difference(machine, active, lanes)

    def _judge_length(self) -> None:
        """Before the first iteration of a host loop: whether its condition is far from turning."""
        machine = self.machine
        register = self.loop.condition_register
        assert register is not None
        for leaf in conjunction_of(machine, register) or ():
            distance = comparison_distance(machine, leaf.dest)
            if isinstance(distance, NUMBERS) and abs(distance) > LONG_LOOP:
                self.entry.is_long = True

    def _forced_lanes(self, condition: Unknown | Mixed, active: Mask) -> NDArray[np.bool_]:
        machine = self.machine
        count = machine.lane_count
        probes = self.entry.probes
        register = self.loop.condition_register
        if probes is not None and register is not None and register in probes.tests:
            self._assume_search(active)
            drawn = machine.draws(new_unknown("a search in a table"))
            ends_here = drawn < probes.tests[register]
            return self._known_lanes(condition, ~ends_here)
        done = self.iteration if self.loop.tests_before else self.iteration + 1
        if self.entry.forced is None:
            to_come = root_trips(self, active)
            if to_come is None:
                to_come = search_trips(self, active)
            if to_come is None:
                to_come = abandoned_trips(self, active)
            if to_come is None:
                to_come = leaving_trips(self, active)
            if to_come is None:
                to_come = short_run_trips(self, active)
            if to_come is None:
                to_come = wrapping_trips(self, active)
            if to_come is None:
                spanned = ends.spanned_bytes(self, active)
                to_come = shared_row_trips(self, active, spanned)
            self.entry.forced = None if to_come is None else done + to_come
        if self.entry.forced is None:
            if done == 0:
                self.is_entered_unseen = True
                lanes = np.ones(count, np.bool_)
                return self._known_lanes(condition, lanes)
            unknown = condition if isinstance(condition, Unknown) else condition.unknown
            assumed = ends.assume_trips(self, unknown, active)
            to_come = leaving_trips(self, active, max(assumed - done, 0.0))
            self.entry.forced = assumed if to_come is None else done + to_come
        lanes = np.broadcast_to(done < np.asarray(self.entry.forced), (count,)).copy()
        return self._known_lanes(condition, lanes)

    def _assume_search(self, active: Mask) -> None:
        self.totals.source = "assumed"
        self.machine.assume(
            "trip-count",
            "search in a table: half of the places end it (half of the table is full)",
            self.loop.position,
            active,
        )

    @staticmethod
    def _known_lanes(condition: Unknown | Mixed, lanes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if isinstance(condition, Mixed):
            return np.where(condition.known, condition.values.astype(np.bool_), lanes)
        return lanes

    # Extrapolation

    def _check(self, active: Mask, *, nested: bool) -> Mask | None:
        """Extrapolate if possible; returns the lanes that go on from where the loop then is."""
        machine = self.machine
        if self.entry.probes is not None and self.iteration < MOST_PROBES:
            if self.entry.has_unknown_break:
                self._assume_search(active)
            return active
        hurried = machine.is_hurried
        limit = HURRIED_LIMIT if hurried else RUN_LIMIT
        if budget.passes_borders(self):
            return active
        steps = self.steps(active)
        ends.mark_progress(self)
        if budget.outlasts_arrays(self):
            limit = self.iteration
        trips = ends.remaining(self, active, steps, last_resort=False)
        if trips is None:
            if self.iteration < limit or (hurried and budget.sees_more_exits(self, active)):
                is_over = self.iteration > UNENDING_TRIPS and not machine.is_host
                return self._give_up(active) if is_over and self._has_no_exit() else active
            trips = ends.remaining(self, active, steps, last_resort=True)
            cap = ends.cap_of(self, active) if trips is None else trips
            further = None if cap is None else ends.trips_by_exits(self, active, cap)
            if further is None and trips is None:
                trips = ends.trips_by_progress(self, active)
                further = ends.trips_by_exits(self, active) if trips is None else None
            if further is not None:
                self._extrapolate(active, {}, further, 0, 1)
                self.exited = machine.union(self.exited, active)
                return None
            if trips is None:
                return active if budget.goes_on(self) else self._give_up(active)
        if not self.loop.tests_before or machine.is_host:
            # The last iteration decides by itself that it is the last; host code may go on with its values.
            trips = trips - 1.0
        longest = float(np.where(active.lanes, trips, 0.0).max())
        is_even = False
        if not np.isfinite(longest) and self._may_tell_progress(limit, active):
            nearer = ends.trips_by_progress(self, active)
            is_even = nearer is not None and self.iteration < limit
            trips = trips if nearer is None else nearer
            longest = float(np.where(active.lanes, trips, 0.0).max())
        if not np.isfinite(longest):
            if self.iteration < self._most_tries() or (
                self.iteration >= limit and budget.goes_on(self)
            ):
                return active
            if ends.comes_ever_faster(self, active):
                return active
            return self._give_up(active)
        if longest <= 1.0:
            return active
        if self.entry.walk is not None and longest > NODES_AT_A_TIME:
            # One node is as good as any other, and what is on the stack nobody knows. A branch ends it in the midst of one.
            last = 0.0 if self.entry.walk.exit is None else 1.0
            return self._extrapolate(active, {}, trips - last, 1, 1)
        if machine.is_host and (self.jumps >= MOST_JUMPS or longest > LONGEST_LOOP):
            return self._give_up(active)
        alike = hurried or (not machine.is_host and self.is_alike(steps, active))
        pairs, period = self._sample_size(alike=alike, nested=nested, hurried=hurried)
        if is_even:
            # What an iteration fetches is for the next one.
            pairs, period = max(pairs, 1), max(period, 2)
        if machine.is_host:
            if budget.host_runs_whole(self, longest, nested=nested, hurried=hurried):
                return active
            if not hurried and (budget.looks_longer(self) or budget.learns_decisions(self, steps)):
                return active
            if self.launches is not None:
                if looks_further(self, self.launches, longest, steps):
                    return active
                if self.launches.places or self.launches.period > 1:
                    pairs, period = 0, self.launches.period
        elif (
            longest <= max(2 * pairs * period, 1) + 1
            or budget.keeps_arrays(self, longest)
            or budget.keeps_sums(self, longest, steps)
        ):
            return active
        is_told_apart = not alike or self.is_uneven(steps)
        may_be_whole = is_told_apart and not hurried and not machine.is_host
        if may_be_whole and budget.runs_whole(self, longest, steps, nested=nested, alike=alike):
            return active
        if may_be_whole and not alike and self.turns < MOST_TURNS:
            turn = self._next_turn(steps, longest, period, active)
            if turn < longest:
                self.turns += 1
                trips = np.minimum(trips, turn)
                stated = self.entry.forced
                after = self._extrapolate(active, steps, trips, pairs, period)
                self.entry.forced = stated  # a stretch ends there, not the loop
                return after
        return self._extrapolate(active, steps, trips, pairs, period)

    def _next_turn(
        self,
        steps: Steps,
        longest: float,
        period: int,
        active: Mask,
    ) -> float:
        """Iterations until a decision turns, as far as it follows from variables that change evenly."""
        base = self.state()
        pace = self.pace(steps, active)

        def move(distance: int) -> None:
            self.jump(base, steps, distance, active)
            self.move_sums(base, pace, distance, active)

        return next_turn(self.machine, self.loop, move, int(longest), period, active)

    def _most_tries(self) -> float:
        """Iterations of a loop of which no end is in sight: those of a search, where only data can end it."""
        if self.machine.is_host or not self.entry.has_unknown_break:
            return UNENDING_TRIPS
        if self.facts.draws_again:
            return LONGEST_DRAWS if self._has_no_end() else DRAWS
        contended = contended_trips(self.machine, self.loop)
        return DEFAULT_TRIPS if contended is None else contended

    def _may_tell_progress(self, limit: float, active: Mask) -> bool:
        """Whether the end of a kernel's loop may be told by how it has come nearer: after many iterations, or even ones."""
        if self.machine.is_host:
            return False
        return self.iteration >= limit or (
            self.iteration >= self._most_tries() and ends.comes_steadily(self, active)
        )

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

    def _give_up(self, active: Mask) -> Mask | None:
        machine = self.machine
        self.is_given_up = True
        self.totals.source = "assumed"
        is_endless = not machine.is_host and self._has_no_exit()
        what = "loop that nothing leaves" if is_endless else "loop whose end could not be computed"
        machine.assume(
            "endless-loop" if is_endless else "trip-count",
            f"{what}: left after {self.iteration} iterations",
            self.loop.position,
            active,
        )
        self.exited = machine.union(self.exited, active)
        return None

    def _has_no_exit(self) -> bool:
        """Whether nothing in the loop leads out, and its condition is none, or one that iterations do not change."""
        return not all_leaves([*self.loop.body, *self.loop.step]) and self._has_no_end()

    def _has_no_end(self) -> bool:
        """Whether the condition of the loop is none, or one that iterations do not change."""
        definitions = self.machine.facts.definitions
        return never_turns(self.loop.condition_register, definitions, self.facts)

    def _extrapolate(
        self,
        active: Mask,
        steps: Steps,
        trips: Trips,
        pairs: int,
        period: int,
    ) -> Mask | None:
        """Run representative iterations with weights, then put everything where the remaining iterations begin."""
        machine = self.machine
        base = self.state()
        weight = machine.weight
        start = self.iteration
        counters = machine.counters.since(self.counted)
        self.moves = host_loops.host_moves(self, steps) if machine.is_host else None
        if self.moves is not None:
            exact = host_loops.go_through_all(self, trips, period)
            known = {} if exact is None else exact.registers
            steps = {
                item: step
                for item, step in steps.items()
                if item not in self.moves.sums and (item not in known or np.any(step))
            }
            self.moves.take(exact)
            if self.launches is not None and self.launches.period > 1:
                steps = self.launches.keep_phase(steps, self.moves)
        if self.totals.source == "exact":
            self.totals.source = "extrapolated"
        pace, open_sums = self.pace(steps, active), unknown_sums(self, steps)
        groups, scale = whole_periods(trips, active, period)
        running = machine.intersect(active, np.broadcast_to(groups > 0, active.lanes.shape))
        idle = None if running is active else machine.intersect(active, np.asarray(groups <= 0))
        keeps_phase = self.launches is not None and self.launches.period > 1
        first: Count = 0.0
        for place, share in self._places(groups, pairs, period):
            machine.weight = weight * (share * scale)
            # Of lanes that have drawn their number of iterations those take part that have come so far.
            there, others = running, None
            if running is not None and self._shares_places(groups):
                come = np.asarray(share) > 0
                there, others = machine.intersect(running, come), machine.intersect(running, ~come)
            for ahead in range(period):
                is_next = ahead > 0 or int(np.max(place)) == 0
                if there is not None and keeps_phase and is_next:
                    stands_for = float(np.max(share)) * scale
                    self.entry.advance(start + int(np.max(place)) * period + ahead, stands_for)
                    there = self._sample_iteration(there)
                elif there is not None:
                    distance = place * period + ahead
                    self.entry.advance(start + distance, float(np.max(share)) * scale)
                    if machine.is_host:
                        host_loops.publish_fills(self, start + int(np.max(distance)))
                    machine.counters.values = counters.ahead(distance)
                    self.jump(base, steps, distance, there)
                    self.move_sums(base, pace, distance, there)
                    move_unknown_sums(self, open_sums, distance, there)
                    before = best_places.before_representative(self)
                    there = self._sample_iteration(there)
                    if there is not None and before is not None:
                        stretch = best_places.Stretch(
                            first * period + ahead, share, distance, period
                        )
                        best_places.spread(self, before, steps, stretch, there)
                    if self.moves is not None and there is not None and not keeps_phase:
                        self.moves.learn(machine, float(np.max(share)))
            running = machine.union(there, others)
            if self.moves is not None:
                self.moves.settle()
            machine.weight = weight
            first = first + share
        survivors = machine.union(running, idle)
        self.is_extrapolated = True
        self.jumps += 1
        if survivors is None:
            self.moves = None
            return None
        whole = np.asarray(groups * period)
        machine.counters.values = counters.ahead(whole)
        end = int(whole) if whole.ndim == 0 else whole.astype(np.int64)
        if machine.is_host:
            host_loops.publish_fills(self, start + int(whole.max()))
        self.jump(base, steps, end, survivors)
        self.move_sums(base, pace, end, survivors)
        move_unknown_sums(self, open_sums, end, survivors)
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

    def _places(self, groups: Count, pairs: int, period: int) -> Sequence[tuple[Position, Count]]:
        """Where the sampled iterations lie, and how many each stands for."""
        if self.launches is not None and self.launches.places:
            return self.launches.places
        if self.machine.is_host:
            places = budget.host_places(self, int(np.max(groups)), pairs, period)
            if places:
                return scattered(int(np.max(groups)), places)
        if self._shares_places(groups):
            return common_places(np.asarray(groups), max(2 * pairs, FEWEST_PLACES))
        if pairs:
            return representatives(groups, pairs)
        middle = np.asarray(groups // 2, np.int64)
        return [(int(middle) if middle.ndim == 0 else middle, groups)]

    def _shares_places(self, groups: Count) -> bool:
        """Whether lanes that have drawn how long they run are looked at in the same iterations, as they run side by side."""
        is_kernel = not self.machine.is_host
        return is_kernel and self.entry.is_drawn and isinstance(groups, np.ndarray)

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
        if self.launches is not None:
            self.launches.note(dict(machine.library.launch_counts()))
        return after


def forget_counts(
    machine: Machine, facts: LoopFacts, mask: Mask, *, ends_at_once: bool = False
) -> None:
    """After a loop whose trip count is a guess: what it has counted is as unknown, and another number in each lane.

    What a loop around this one carries on stays at the guess: that loop may end by it. Where the guess is that it ends
    at once, so do counts: they have not come to the end of what was compared.
    """
    outer = [facts_of(machine, entry.loop) for entry in machine.loop_stack]
    registers = machine.frames[-1].registers
    for variable in facts.sums:
        value = registers[variable]
        if any(variable in around.carried for around in outer):
            continue
        if isinstance(value, bool | float | Unknown | Mixed):
            continue
        if isinstance(value, np.ndarray) and value.dtype.kind not in "iu":
            continue
        unknown = new_unknown("a loop whose trip count is not known")
        values = np.broadcast_to(np.asarray(value), (machine.lane_count,))
        if ends_at_once:
            unknown = replace(unknown, offset=values.astype(np.int64), low=-1.0, high=0.0)
        is_everywhere = bool(mask.lanes.all())
        registers[variable] = unknown if is_everywhere else Mixed(values, ~mask.lanes, unknown)
