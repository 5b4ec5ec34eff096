"""Host loops that launch under conditions: which iterations launch what, so that those that are run stand for their like.

Conditions of plain arithmetic are worked out for all iterations at once, as lanes. Where they rest on more than that
(functions that launch by themselves, counters that start again), cheap loops are run whole, and of longer ones a
stretch, whose pattern repeats. Where none is seen, the next stretch stands for the rest, and that their number is an estimate is said.
"""

from __future__ import annotations

from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.iteration_lanes import LanePass
from roofstat.execution.loops.lane_stores import LaneStores, NotPlainError
from roofstat.execution.numbers.values import NUMBERS
from roofstat.execution.sampling.representatives import representatives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.library_model import LaunchingBlocks
    from roofstat.execution.loops.host_loops import HostMoves
    from roofstat.execution.loops.lane_stores import Known, Store
    from roofstat.execution.loops.linear import Steps
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject

MOST_ITERATIONS = 4_000_000
"""Loops of more iterations are sampled."""
MOST_AT_ONCE = 200_000_000
"""Instructions of all iterations together that are gone through for what they launch."""
MOST_KINDS = 16
"""Ways of launching that are told apart."""
WHOLE_SHARE = 8
"""The part of the budget that the iterations of one loop may take which are run for what they launch."""
NESTED_SHARE = 8
"""The part of that for a loop inside of another one."""
MOST_CELLS = 64
"""Places in memory whose values in earlier iterations are remembered."""
REPEATS = 3
"""Times that a pattern has to be seen."""
_ROUNDS = 3


@dataclass(slots=True, eq=False)
class LaunchTurns:
    """What the iterations of one entry of a loop launch."""

    launching: LaunchingBlocks
    counts: dict[str, int]
    """Launches of each kernel before the iteration that runs."""
    seen: list[dict[str, int]] = field(default_factory=list)
    """What each iteration that was run has launched, by kernel."""
    places: list[tuple[int, float]] = field(default_factory=list)
    """Iterations that are run for the rest, with how many each stands for."""
    period: int = 1
    """Iterations after which launches repeat."""
    is_estimate: bool = False
    """Whether iterations were skipped of which nobody knows what they launch."""

    states: list[dict[int, Value | None]] = field(default_factory=list)
    """The loop's variables after each iteration before the first that was skipped."""
    cells: list[dict[tuple[int, int], Value]] = field(default_factory=list)
    """Places in memory that it stores to, at the same times, by buffer and offset."""

    def note(self, counts: dict[str, int]) -> None:
        """See what an iteration has launched."""
        before = self.counts
        self.seen.append({key: n - before.get(key, 0) for key, n in counts.items()})
        self.counts = counts

    def varying(self) -> list[str]:
        """Kernels that not every iteration has launched as often as the others."""
        kernels = {key for found in self.seen for key in found}
        return [key for key in kernels if len({one.get(key, 0) for one in self.seen}) > 1]

    def pattern(self) -> int | None:
        """After how many iterations launches repeat, as far as was seen; None where they do not, or have not differed."""
        seen = [{key: n for key, n in one.items() if n} for one in self.seen]
        for period in range(2, len(seen) // REPEATS + 1):
            if seen[period:] == seen[:-period]:
                return period if seen[1:period] != seen[: period - 1] else None
        return None

    def keep(self, run: LoopRun) -> None:
        """Remember what an iteration has left."""
        self.states.append(run.state())
        few = islice(run.entry.cells.items(), MOST_CELLS)
        self.cells.append({place: item.points[-1][1] for place, item in few})

    def keep_phase(self, steps: Steps, moves: HostMoves) -> Steps:
        """The mean steps of variables over whole periods; what comes back to where it was does not move on.

        Args:
            steps: Those from one of the last iterations to the next.
            moves: What else is moved on when iterations are skipped.
        """
        now, before, earlier = (self.states[-1 - n * self.period] for n in range(3))
        found = {variable: step for variable, step in steps.items() if variable not in now}
        for variable, value in now.items():
            first, second = earlier[variable], before[variable]
            if (
                not isinstance(value, NUMBERS)
                or not isinstance(first, NUMBERS)
                or not isinstance(second, NUMBERS)
                or value - second != second - first
            ):
                continue
            rise = value - second
            found[variable] = rise // self.period if rise % self.period == 0 else rise / self.period
            for moved in (moves.lost, moves.sums, moves.grown):
                moved.pop(variable, None)
        last, former = self.cells[-1], self.cells[-1 - self.period]
        moves.cells = [
            cell
            for cell in moves.cells
            if cell.place not in former or former[cell.place] != last.get(cell.place)
        ]
        return found


@dataclass(slots=True, eq=False)
class _Steady(LaneStores):
    """Memory of which only that is known which the loop leaves as it is."""

    run: LoopRun | None = None

    def keep(self, store: Store) -> None:
        """What is stored is not known any more."""
        self.tainted.add(store.found.buffer.number)

    def value_at(
        self,
        found: MemoryObject,
        address: int | NDArray[np.int64],
        scalar: Scalar,
        lanes: NDArray[np.bool_],  # noqa: ARG002 - as for other memories
    ) -> Known | None:
        """What was there before the loop, where none of its iterations has stored."""
        assert self.run is not None
        number, entry = found.buffer.number, self.run.entry
        is_one = isinstance(address, int)
        if number in self.tainted or (not is_one and number in entry.former):
            return None
        offset = address - found.base
        if is_one and (number, offset) in entry.cells:
            return None
        value = found.contents.load(offset, scalar, number, found.buffer.name)
        return value if isinstance(value, int | np.ndarray) else None


def looks_further(run: LoopRun, turns: LaunchTurns, longest: float, steps: Steps) -> bool:
    """Whether the next iterations of a host loop are run before the rest is skipped; else `turns` says which stand for it."""
    turns.places, turns.period = [], 1
    count = int(longest)
    kinds = None if turns.launching.decides_in_calls else _kinds(run, turns, count, steps)
    if kinds is not None:
        turns.places = _places_of_each(kinds, run.facts.period)
        return False
    machine = run.machine
    depth = min(len(machine.loop_stack) - 1, 2)
    share = min(machine.budget // WHOLE_SHARE, (machine.limit - machine.executed) // 2)
    share //= NESTED_SHARE**depth
    cost = max(run.cost, 1)
    if count * cost <= share:
        run.next_check = run.iteration + count + 2
        return True
    if run.jumps == 0:
        period = turns.pattern()
        if period is not None:
            turns.period = period
            return False
        ahead = min(max(run.iteration, 1), (share - run.iteration * cost) // cost)
        if ahead > 0:
            run.next_check = run.iteration + ahead
            return True
        _take_stretch(run, turns, longest, share // 2 // cost)
    return False


def _take_stretch(run: LoopRun, turns: LaunchTurns, longest: float, most: int) -> None:
    """The next iterations on end stand for all that follow, where these can be run."""
    turns.is_estimate = True
    period = min(len(turns.seen) // REPEATS, int(longest) // 2, most)
    if run.jumps or period < 2 or not turns.varying():
        return
    turns.period = period
    turns.places = [(0, float(int(longest) // period))]


def _kinds(run: LoopRun, turns: LaunchTurns, count: int, steps: Steps) -> NDArray[np.int64] | None:
    """Which way of launching each of the next iterations takes; None where that is not known."""
    machine = run.machine
    if not 1 < count <= MOST_ITERATIONS:
        return None
    try:
        with np.errstate(all="ignore"):
            lanes = _pass(run, turns, count, steps)
    except (NotPlainError, OverflowError):
        return None
    if lanes is None:
        return None
    machine.lane_allowance -= lanes.spent
    rows = np.stack([*lanes.launches.values(), np.zeros(count, np.int64)])
    for table in (rows, np.minimum(rows, 1)):
        ways, kinds = np.unique(table, axis=1, return_inverse=True)
        if ways.shape[1] <= MOST_KINDS:
            return kinds.reshape(-1)
    return None


def _pass(run: LoopRun, turns: LaunchTurns, count: int, steps: Steps) -> LanePass | None:
    """All iterations at once, where what they begin with is what the ones before end with."""
    machine = run.machine
    registers = machine.frames[-1].registers
    starts: dict[int, NDArray[np.int64] | None] = {}
    for variable in run.facts.carried:
        value, step = registers[variable], steps.get(variable, 0)
        starts[variable] = None
        if isinstance(value, int) and isinstance(step, int | float):
            first = np.int64(Scalar.I64.wrapped(value))
            starts[variable] = first + np.int64(step) * np.arange(count)
    for _ in range(_ROUNDS):
        memory = _Steady(count, {}, set(), run=run)
        lanes = LanePass(machine, count, run.facts, starts, memory)
        lanes.launching = turns.launching.blocks
        lanes.limit = min(MOST_AT_ONCE, machine.lane_allowance)
        lanes.iterate(run.loop)
        is_over = True
        for variable, start in list(starts.items()):
            if start is None:
                continue
            end = lanes.values.get(variable)
            if end is None:
                starts[variable], is_over = None, False
                continue
            reached = np.broadcast_to(np.asarray(end), (count,)).astype(np.int64)
            if np.array_equal(reached[:-1], start[1:]):
                continue
            is_over = False
            rise = reached - start
            is_sum = variable in run.facts.sums
            starts[variable] = (
                np.concatenate([start[:1], start[0] + np.cumsum(rise[:-1])]) if is_sum else None
            )
        if is_over:
            return lanes
    return None


def _places_of_each(kinds: NDArray[np.int64], period: int) -> list[tuple[int, float]]:
    """Iterations that stand for those that launch as they do; none where all do, or where they alternate in short periods."""
    if np.all(kinds == kinds[0]) or (
        period > 1 and len(kinds) > period and np.array_equal(kinds[period:], kinds[:-period])
    ):
        return []
    found: list[tuple[int, float]] = []
    for kind in np.unique(kinds):
        own = np.flatnonzero(kinds == kind)
        stand = representatives(float(len(own)), 1) if len(own) > 1 else [(0, 1.0)]
        found += [(int(own[place]), float(weight)) for place, weight in stand]
    return sorted(found)
