"""Host loops that are not run whole: counters in memory that move on, fills that their stores make."""

from __future__ import annotations

import math
from dataclasses import field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.all_iterations import all_iterations
from roofstat.execution.loops.allocations import skipped_allocations
from roofstat.execution.loops.carried import (
    FEW_POINTS,
    LARGEST_COUNT,
    Bounds,
    CellHistory,
    grown_sum,
    growth,
    is_settled,
    mean_slope,
)
from roofstat.execution.loops.fills import (
    among,
    by_allocation,
    by_turn,
    continued_fills,
    continued_rows,
    continued_stores,
    last_of_fixed,
    lies_on,
    line_of,
    summarise_fills,
    summarise_stores,
    with_single_elements,
)
from roofstat.execution.loops.generators import state_range
from roofstat.execution.loops.scattered_numbers import settle_scattered
from roofstat.execution.loops.tallies import settle_tallies
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import NUMBERS, Unknown, number_of
from roofstat.execution.stored.fill import Pattern, merged
from roofstat.program.code import Space

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.execution.loops.all_iterations import AllIterations
    from roofstat.execution.loops.allocations import SkippedAllocations
    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.loops.fills import StoreRecord
    from roofstat.execution.loops.linear import Steps, Trips
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.execution.stored.fill import Fill


_MOST_APART = 1.5
"""Paces of a counter in two parts of a loop that are taken for the same, within this factor.

Beyond it as well where chance explains the difference: counts of rare events spread by their root.
"""


_SLACK = 0.02
"""Part of what a counter has risen by that it may have been seen too high."""


@dataclass(slots=True, eq=False)
class RunningSum:
    """A counter that each iteration adds another number to: its later values follow the mean of those seen."""

    now: float
    pace: float
    """Mean addend of the first iterations, until others are seen."""
    weight: float = 0.0
    added: float = 0.0
    before: float = 0.0
    is_expected: bool = False
    """The pace is what is expected, and no iteration tells more."""
    earlier: float = 0.0
    """Iterations on end that its first pace is the mean of."""
    looks: int = 0
    """Iterations that were looked at since."""
    first_pace: float = 0.0
    spread: float = 0.0
    """Standard deviation of what each of these added."""
    reached: float | None = None
    """Where a counter that has never fallen stood after the last of them: if little less is likely later, it is no less."""

    def at(self, distance: int, scalar: Scalar) -> Value:
        """The likely value after so many iterations."""
        value = self.now + self.pace * distance
        if self.reached is not None and value < self.reached <= value + _SLACK * (value - self.now):
            value = self.reached
        self.before = value if scalar.is_float else round(value)
        return number_of(self.before, scalar)

    def learn(self, after: Value | None, share: float) -> None:
        """See the value after an iteration that began where `at` was asked for last."""
        if isinstance(after, NUMBERS) and share > 0 and not self.is_expected:
            self.weight += share
            self.added += share * (after - self.before)
            is_rising = after >= self.before and (not self.looks or self.reached is not None)
            self.reached = float(after) if is_rising else None
            self.looks += 1

    def settle(self) -> None:
        """Go on at the pace of all iterations that were looked at: of whole periods, lest it swings within one."""
        if self.looks:
            self.pace = self._settled(self.added / self.weight)

    def _settled(self, seen: float) -> float:
        """The mean of what was seen later and of many iterations before, unless these were unlike the later ones."""
        if not self.earlier:
            return seen
        is_near = self.first_pace <= _MOST_APART * seen <= _MOST_APART**2 * self.first_pace
        likely = self.first_pace * self.looks
        chance = max(math.sqrt(max(likely, 1.0)), self.spread * math.sqrt(self.looks))
        if not is_near and abs(seen * self.looks - likely) > 2.0 * chance:
            return seen
        return (self.first_pace * self.earlier + seen * self.looks) / (self.earlier + self.looks)


@dataclass(slots=True, eq=False)
class HostMoves:
    """Sums and memory cells as they will be in later iterations of a host loop."""

    start: int
    """The first iteration that is skipped."""
    types: list[Scalar]
    grown: dict[int, tuple[tuple[Bounds, Bounds], list[Value]]]
    """Variables whose bounds grow evenly, with their last values."""
    sums: dict[int, RunningSum]
    """Variables that uneven numbers are added to."""
    lost: dict[int, Bounds | None]
    """Variables that change in another way, with bounds where they are states of generators."""
    cells: list[CellHistory]
    entry: LoopEntry
    counters: dict[tuple[int, int], tuple[CellHistory, RunningSum]] = field(default_factory=dict)
    """Cells that the loop counts in, by buffer and offset."""
    fresh: dict[tuple[int, int], tuple[int, float]] = field(default_factory=dict)
    """Of cells that were first counted in while iterations were skipped: the value before, what was added, by shares."""
    looked_at: float = 0.0
    """Iterations that those which were run since stand for."""
    saved: list[tuple[CellHistory, tuple[Scalar, Value] | None]] = field(default_factory=list)
    exact: AllIterations | None = None
    """What is known of every iteration, where all were gone through at once."""
    allocations: SkippedAllocations | None = None

    def apply(self, machine: Machine, distance: int) -> None:
        """Move everything to the beginning of a later iteration."""
        registers = machine.frames[-1].registers
        for variable, (change, values) in self.grown.items():
            is_float = self.types[variable].is_float
            registers[variable] = grown_sum(change, distance, values, is_float=is_float)
        for variable, found in self.sums.items():
            registers[variable] = found.at(distance, self.types[variable])
        if distance > 0:
            for variable, bounds in self.lost.items():
                low, high = bounds or (None, None)
                registers[variable] = Unknown(
                    new_key(),
                    uniform=True,
                    low=low,
                    high=high,
                    reason="a variable that a loop changes",
                    is_float=self.types[variable].is_float,
                )
        if machine.dry and not self.saved:
            kept = [*self.cells, *(item for item, _ in self.counters.values())]
            self.saved = [(item, item.found.contents.cells.get(item.offset)) for item in kept]
        for item in self.cells:
            moved = item.moved(self.start + distance, self.start)
            if moved is not None:
                item.found.contents.store(item.offset, item.scalar, moved)
        for item, counted in self.counters.values():
            if item.sites.isdisjoint(self.entry.wandering):
                value = counted.at(distance, item.scalar)
            else:
                value = number_of(counted.now, item.scalar)
            item.found.contents.store(item.offset, item.scalar, value)
        if self.exact is not None:
            self.exact.apply(machine, distance)
        if self.allocations is not None and not machine.dry:
            self.allocations.apply(distance)

    def learn(self, machine: Machine, share: float) -> None:
        """Take what an iteration that stands for `share` others has added to the sums as what each of those adds."""
        registers = machine.frames[-1].registers
        for variable, found in self.sums.items():
            found.learn(registers[variable], share)
        for item, counted in self.counters.values():
            cell = item.found.contents.cells.get(item.offset)
            counted.learn(cell[1] if cell is not None else None, share)
        if self.allocations is not None:
            self.allocations.learn(share)
        self.looked_at += share
        for place, item in self.entry.cells.items():
            if item.is_counter and place not in self.counters and self.exact is None:
                self._learn_fresh(item, share)

    def take(self, exact: AllIterations | None) -> None:
        """What is known of every iteration is not estimated as well: the estimates would learn from numbers not their own."""
        self.exact = exact
        if exact is None:
            return
        places = {(found.buffer.number, offset) for found, offset, _, _ in exact.cells}
        self.sums = {at: found for at, found in self.sums.items() if at not in exact.registers}
        self.cells += [item for at, (item, _) in self.counters.items() if at in places]
        self.counters = {at: item for at, item in self.counters.items() if at not in places}

    def settle(self) -> None:
        """After a whole period: what was learned is the pace from now on."""
        for found in self.sums.values():
            found.settle()
        for _, counted in self.counters.values():
            counted.settle()
        if self.allocations is not None:
            self.allocations.settle()

    def _learn_fresh(self, item: CellHistory, share: float) -> None:
        """A counter that none of the iterations before has touched, or only once."""
        if item.points[-1][0] != self.entry.coordinate.iteration or len(item.points) < 2:
            return
        before, after = item.points[-2][1], item.points[-1][1]
        if not isinstance(before, int) or not isinstance(after, int) or after >= LARGEST_COUNT:
            return
        base, added = self.fresh.get(item.place, (before, 0.0))
        added += share * (after - before)
        self.fresh[item.place] = base, added
        if item.is_counted_in(self.entry.wandering):
            found = RunningSum(base, added / self.looked_at, self.looked_at, added)
            self.counters[item.place] = item, found
            self.cells = [cell for cell in self.cells if cell.place != item.place]

    def undo(self) -> None:
        """Put the cells back that a look ahead has moved."""
        for item, before in self.saved:
            if before is None:
                item.found.contents.cells.pop(item.offset, None)
            else:
                item.found.contents.cells[item.offset] = before
        self.saved = []

    def publish(self, outer: list[LoopEntry]) -> None:
        """Tell the loops around of the cells' final values; what was skipped has allocated its memory."""
        if self.allocations is not None:
            self.allocations.finish()
        for item in (*self.cells, *(item for item, _ in self.counters.values())):
            cell = item.found.contents.cells.get(item.offset)
            if cell is not None:
                for entry in outer:
                    adding = item.sites if item.is_counter else ()
                    entry.note_cell(item.found, item.offset, item.scalar, cell[1], adding)


def host_moves(run: LoopRun, steps: Steps) -> HostMoves:
    """What has to be moved on besides affine registers when iterations are skipped."""
    machine = run.machine
    frame = machine.frames[-1]
    states = run.snapshots[-3:]
    grown: dict[int, tuple[tuple[Bounds, Bounds], list[Value]]] = {}
    sums: dict[int, RunningSum] = {}
    lost: dict[int, Bounds | None] = {}
    # What only a branch adds to may have risen evenly so far by chance.
    even = steps.keys() - (run.facts.sums & run.facts.conditional)
    for variable, parts in run.entry.expected.items():
        value = states[-1].get(variable)
        if isinstance(value, int) and variable in run.facts.sums & run.facts.conditional:
            sums[variable] = RunningSum(value, sum(parts.values()), is_expected=True)
    for variable in run.facts.carried - even - sums.keys():
        values = [state[variable] for state in states]
        if any(value is None for value in values):
            continue
        known = [value for value in values if value is not None]
        change = growth(known)
        if change is not None:
            grown[variable] = (change, known)
            continue
        last = known[-1]
        if isinstance(last, int) and variable in run.facts.sums & run.facts.conditional:
            # That none of the last iterations has added to it says little of others.
            first = states[0][variable]
            if isinstance(first, int) and trail_slope(run, variable) is None:
                sums[variable] = RunningSum(last, (last - first) / max(len(states) - 1, 1))
                continue
        slope = trail_slope(run, variable) if variable in run.facts.sums else None
        if slope is not None and isinstance(last, int):
            sums[variable] = RunningSum(last, slope, is_expected=run.entry.reads_chance)
            continue
        if not isinstance(last, NUMBERS) or is_settled(known):
            continue
        numbers = [value for value in known if isinstance(value, NUMBERS)]
        if variable in run.facts.sums and len(numbers) == len(known):
            sums[variable] = RunningSum(last, (last - numbers[0]) / (len(numbers) - 1))
        else:
            lost[variable] = state_range(values, frame.code.register_types[variable])
    cells = [item.copy() for item in run.entry.cells.values() if len(item.points) > 1]
    for item in cells:
        item.rest_until(run.iteration - 1)
    counters = _counters(run, cells)
    cells = [item for item in cells if item.place not in counters]
    types = frame.code.register_types
    moves = HostMoves(run.iteration, types, grown, sums, lost, cells, run.entry, counters)
    reached = [*run.reached, machine.memory.reached(Space.GLOBAL)]
    moves.allocations = skipped_allocations(machine.memory, reached)
    return moves


def go_through_all(run: LoopRun, trips: Trips, period: int) -> AllIterations | None:
    """What is known of all iterations that are about to be skipped; what they store is in memory then where none reads what was there."""
    count = float(np.max(trips)) // period * period
    exact = all_iterations(run, int(count)) if math.isfinite(count) else None
    if exact is not None:
        run.exact.append(exact)
    return exact


def _counters(
    run: LoopRun, cells: list[CellHistory]
) -> dict[tuple[int, int], tuple[CellHistory, RunningSum]]:
    """The cells that the loop counts in, and their pace so far."""
    counters: dict[tuple[int, int], tuple[CellHistory, RunningSum]] = {}
    for item in cells:
        pace = item.pace(run.iteration) if item.is_counted_in(run.entry.wandering) else None
        cell = item.found.contents.cells.get(item.offset)
        if pace is not None and cell is not None and cell[1] == pace[0]:
            value, step, earlier = pace
            found = RunningSum(
                value, step, earlier=earlier, first_pace=step, spread=item.spread_of_steps()
            )
            counters[item.place] = item, found
    return counters


def trail_slope(run: LoopRun, variable: int) -> float | None:
    """Mean step of a sum over all iterations so far; None where there were few, or where it does not rise all along."""
    points: list[tuple[int, int]] = []
    for iteration, state in run.trail:
        value = state[variable]
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        points.append((iteration, value))
    if not points or points[-1][0] - points[0][0] < FEW_POINTS:
        return None
    return mean_slope(points)


def has_uneven_counters(run: LoopRun) -> bool:
    """Whether the loop adds another number each time to something: its mean is the surer the more iterations are run."""
    if run.entry.reads_chance or any(item.is_uneven for item in run.entry.cells.values()):
        return True
    for variable in run.facts.sums & run.facts.carried:
        values = [state[variable] for state in run.snapshots[-3:]]
        numbers = [value for value in values if isinstance(value, int)]
        if len(numbers) == 3 and numbers[1] - numbers[0] != numbers[2] - numbers[1]:
            return True
    return False


def stores_uneven_numbers(run: LoopRun) -> bool:
    """Whether a store of the loop goes on to another place each time with known numbers that need follow no line."""
    if not run.facts.stores_uneven:
        return False
    for stores in run.entry.stores.values():
        last = stores[-3:]
        are_known = all(isinstance(record.value, NUMBERS) for record in last)
        if are_known and len({record.offset for record in last}) == 3:
            return True
    return False


def publish_fills(run: LoopRun, trips: int) -> None:
    """Before iterations are skipped that read what earlier ones have stored: fill in what those would have stored."""
    entry = run.entry
    filled: list[tuple[MemoryObject, Fill | None]] = []
    for _, stores in sorted(entry.stores.items()):
        if stores[-1].found.buffer.number in entry.read_buffers:
            filled.append((stores[-1].found, continued_stores(stores, trips)))
    for _, fills in sorted(entry.fills.items()):
        if fills[0].found.buffer.number in entry.read_buffers:
            filled.append((fills[0].found, continued_fills(fills, trips)))
    for found, fill in filled:
        if fill is not None:
            found.contents.add_fill(fill)
    for exact in run.exact:
        if not exact.is_in_place or trips >= exact.end:
            exact.publish()


def _fills(run: LoopRun) -> list[tuple[int, MemoryObject, Fill]]:
    """(site, allocation, fill) of the stores of a loop, in the order of the code: later ones overwrite earlier ones."""
    entry, trips = run.entry, run.bodies
    filled: list[tuple[int, MemoryObject, Fill]] = []
    for site, stores in sorted(_joined_stores(entry, trips).items()):
        is_mixture = site in entry.doubtful
        parts = [turn for part in by_allocation(stores) for turn in by_turn(part)]
        begun = entry.begun.get(site, ()) if len(parts) == parts[0][1] == 1 else ()
        for part, turns in parts:
            found = part[-1].found
            fill = summarise_stores(part, trips * turns, begun, is_mixture=is_mixture)
            if fill is not None and (len(parts) == 1 or fill.pattern is not Pattern.UNKNOWN):
                filled.append((site, found, _among_former(run, site, found, fill)))
    for site, every in sorted(entry.fills.items()):
        rows = [turn for part in by_allocation(every) for turn in by_turn(part)]
        singles = entry.stores.get(site, ()) if len(rows) == rows[0][1] == 1 else ()
        for fills, turns in rows:
            # An inner loop of one iteration stores once and fills nothing.
            fill = continued_rows(with_single_elements(fills, singles), trips * turns)
            fill = fill or summarise_fills(fills, trips * turns)
            found = fills[0].found
            if fill is not None and (len(rows) == 1 or fill.pattern is not Pattern.UNKNOWN):
                filled.append((site, found, _among_former(run, site, found, fill)))
    return filled


def _among_former(run: LoopRun, site: int, found: MemoryObject, fill: Fill) -> Fill:
    """A fill of which only some iterations store an element among what the others leave as it was."""
    entry, conditional = run.entry, run.facts.conditional_stores
    before = entry.former[found.buffer.number].below(fill)
    if before is None or found.buffer.number in entry.read_buffers:
        return fill  # What updates elements in place works on what others have left there.
    if site in entry.counting or site not in map(run.machine.facts.site_of_all, conditional):
        return fill
    return among(fill, entry.stored[site] / run.bodies, before)


def _joined_stores(entry: LoopEntry, bodies: int) -> dict[int, list[StoreRecord]]:
    """The stores of a loop by site; those of arms go with others to the same elements."""
    found = dict(entry.stores)
    lines: dict[tuple[int, Scalar, tuple[float, float]], list[int]] = {}
    own_lines = {site: line_of(stores) for site, stores in entry.stores.items()}
    for site, line in own_lines.items():
        if line is not None:
            first = entry.stores[site][0]
            lines.setdefault((first.found.buffer.number, first.scalar, line), [])
    for site, stores in sorted(entry.stores.items()):
        line, first = own_lines[site], stores[0]
        for key, sites in lines.items():
            # The line of a single store is unknown.
            is_same = key[:2] == (first.found.buffer.number, first.scalar)
            if is_same and line in (key[2], None) and lies_on(key[2], first):
                sites.append(site)
                break
    for (number, _, _), sites in lines.items():
        is_partial = any(entry.stored[site] < bodies for site in sites)
        are_arms = is_partial and number not in entry.read_buffers
        if len(sites) < 2 or not (are_arms or not entry.doubtful.isdisjoint(sites)):
            continue
        shares = sum(entry.stored[site] for site in sites)
        for site in sites:
            del found[site]
        found[sites[-1]] = _last_stores(entry, sites, bodies)
        entry.doubtful.add(sites[-1])
        entry.stored[sites[-1]] = shares
    return found


def _last_stores(entry: LoopEntry, sites: list[int], bodies: int) -> list[StoreRecord]:
    """What is left of stores to the same elements: later ones overwrite earlier ones."""
    last: dict[int, StoreRecord] = {}
    left = float(bodies)
    for site in reversed(sites):
        records = [item for item in entry.stores[site] if item.iteration not in last]
        share = min(entry.stored[site], left)
        left -= share
        seen = sum(item.share for item in records)
        if share > 0:
            last |= {r.iteration: replace(r, share=r.share * share / seen) for r in records}
    return [last[iteration] for iteration in sorted(last)]


def doubt_counters(run: LoopRun) -> None:
    """After a loop whose length nobody knows: what it counted is unknown."""
    registers = run.machine.frames[-1].registers
    first = run.snapshots[0] if run.snapshots else {}
    for variable in run.facts.carried & first.keys():
        before, after = first[variable], registers[variable]
        is_number = isinstance(after, NUMBERS) and abs(after) < LARGEST_COUNT
        if is_number and after != before and not _went_back(run, variable):
            registers[variable] = Unknown(
                new_key(), uniform=True, reason="counted in a loop of unknown length"
            )
    for item in run.entry.cells.values():
        numbers = [value for _, value in item.points if isinstance(value, NUMBERS)]
        is_known = 1 < len(numbers) == len(item.points)
        if is_known and numbers[-1] != numbers[-2] and abs(numbers[-1]) < LARGEST_COUNT:
            doubt = Unknown(
                new_key(),
                uniform=True,
                reason="counted in a loop of unknown length",
                is_float=item.scalar.is_float,
            )
            item.found.contents.store(item.offset, item.scalar, doubt)


def _went_back(run: LoopRun, variable: int) -> bool:
    """Whether the last iterations moved a variable up and down, as they do what says which of two buffers is next."""
    numbers = [state[variable] for state in run.snapshots[-3:]]
    steps = [
        after - before
        for before, after in pairwise(numbers)
        if isinstance(before, NUMBERS) and isinstance(after, NUMBERS)
    ]
    return bool(steps) and min(steps) < 0 < max(steps)


def forget_stores(entry: LoopEntry) -> None:
    """Of arrays that a host loop was storing to when it was cut off nobody knows what they hold."""
    stored = [record.found for records in entry.stores.values() for record in records]
    filled = [record.found for records in entry.fills.values() for record in records]
    for found in (*stored, *filled):
        found.contents.forget()


def forget_rest(entry: LoopEntry) -> None:
    """Of arrays that a host loop of unknown length has gone along nobody knows how far: what was there before may be gone."""
    for records in entry.stores.values():
        first, last = records[0], records[-1]
        if first.found is last.found and first.offset != last.offset:
            last.found.contents.initial = None
            last.found.contents.is_lost = True


def summarise(run: LoopRun) -> None:
    """Turn the stores of a host loop into fills, for this loop and for the one around it."""
    entry = run.entry
    outer = run.machine.loop_stack[-2] if len(run.machine.loop_stack) > 1 else None
    settle_scattered(run)
    for site in settle_tallies(run):
        entry.stores.pop(site, None)
        entry.fills.pop(site, None)
    for exact in run.exact:
        exact.take_in_neighbours()
    filled = _fills(run)
    seen = {site for site, _, _ in filled}
    for site, stores in entry.stores.items():
        if outer is not None and site not in seen:
            for last in last_of_fixed(stores):
                outer.note_store(site, last.found, last.offset, last.scalar, last.value)
    for site, found, fill in filled:
        if outer is not None:
            outer.note_fill(site, found, merged(fill))
        if run.is_extrapolated and not any(exact.covers(found, fill) for exact in run.exact):
            found.contents.add_fill(fill)
            _keep_last(run, site, fill)
    for exact in run.exact:
        exact.publish()


def _keep_last(run: LoopRun, site: int, fill: Fill) -> None:
    """The last element of a row of uneven numbers is what the last iteration has computed: sizes come from it."""
    stores = run.entry.stores.get(site)
    if not stores or fill.pattern not in (Pattern.RANDOM, Pattern.UNKNOWN):
        return
    last = stores[-1]
    if last.iteration == run.bodies - 1 and isinstance(last.value, NUMBERS):
        last.found.contents.store(last.offset, last.scalar, last.value)
