"""Host loops of plain arithmetic, all of their iterations at once: running sums as they are, not as they rise in the mean.

Iterations are lanes. What one hands to the next, in variables and in memory, is a guess at first; what the lanes make of
it leads to a better one, since sums of numbers that do not depend on them follow by adding up. Once every lane ends with
what the next one began with, all of it is what the loop would have computed.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.iteration_lanes import LanePass, is_plain
from roofstat.execution.loops.lane_stores import LaneStores, Load, NotPlainError, TooMuchError
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import DTYPES, number_of
from roofstat.execution.sampling.representatives import scattered
from roofstat.execution.stored.fill import Fill, Pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.loops.lane_stores import Store
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.stored.address_space import MemoryObject

FEWEST_LANES = 8
"""Loops of fewer iterations are not worth it."""
MOST_LANES = 4_000_000
"""Loops of more iterations are sampled."""
MOST_AT_ONCE = 100_000_000
"""Instructions of all iterations together that are gone through once."""
_PLACES = 2_048
"""Iterations that tell whether the others need to be looked at, half of them the first and the last ones."""
_MOST_FOR_A_LOOK = 16_000_000
"""Instructions of those."""
_ROUNDS = 6
"""Times that guesses are mended before what still moves counts as unknown."""
_SUMS = 4
"""Those that take what changes for a sum; in the others what each lane ends with is taken as it is."""
_LOOKS = 2
"""Those after which each has looked at its own elements."""
_RESTARTS = 2


@dataclass(slots=True, eq=False)
class AllIterations:
    """What iterations of a loop, from one that was about to run, begin with, and what they leave in memory."""

    registers: dict[int, NDArray[np.generic]]
    """Variables at the beginning of each iteration, and behind the last."""
    cells: list[tuple[MemoryObject, int, Scalar, NDArray[np.generic]]]
    """The same of single places in memory."""
    tables: list[tuple[MemoryObject, Fill]]
    """Numbers stored side by side that follow no line."""
    end: int
    """The iteration behind the last of them."""
    is_in_place: bool
    """Whether arrays are read that the loop overwrites: they must not hold yet what will be stored."""
    types: Sequence[Scalar] = field(default_factory=tuple)

    def apply(self, machine: Machine, distance: int) -> None:
        """Set everything to what the iteration so far ahead begins with."""
        registers = machine.frames[-1].registers
        for variable, values in self.registers.items():
            registers[variable] = number_of(values[distance].item(), self.types[variable])
        if machine.dry:
            return
        for found, offset, scalar, values in self.cells:
            found.contents.store(offset, scalar, number_of(values[distance].item(), scalar))

    def publish(self) -> None:
        """Put into memory what the iterations store."""
        for found, fill in self.tables:
            found.contents.add_fill(fill)

    def covers(self, found: MemoryObject, fill: Fill) -> bool:
        """Whether most of what a fill of an allocation describes is known better."""
        return any(
            own is found and 2 * (table.end - table.start) >= fill.end - fill.start
            for own, table in self.tables
        )

    def take_in_neighbours(self) -> None:
        """What iterations before and behind have stored next to it, which were run one by one, belongs to it."""
        self.tables = [(found, _with_neighbours(found, fill)) for found, fill in self.tables]


def all_iterations(run: LoopRun, count: int) -> AllIterations | None:
    """Go through the next `count` iterations of a host loop at once; None where that is not possible or not worth it."""
    machine = run.machine
    price = count * max(run.cost, 1)
    if machine.dry or not FEWEST_LANES <= count <= MOST_LANES:
        return None
    if price > min(MOST_AT_ONCE, machine.lane_allowance):
        return None
    if not is_plain(run.loop, keeps=_keeps_numbers(run)):
        return None
    try:
        try:
            return _found(_Search(run, count))
        except TooMuchError:
            return _found(_Search(run, count, passes_over=True))
    except (NotPlainError, OverflowError):
        return None


def _keeps_numbers(run: LoopRun) -> bool:
    """Whether a loop hands on an integer, read from memory or not, that it does not add to, as the longest row so far is."""
    types = run.machine.frames[-1].code.register_types
    return run.facts.reads_memory or any(
        types[variable].is_integer for variable in run.facts.carried - run.facts.sums
    )


def _found(search: _Search) -> AllIterations | None:
    try:
        with np.errstate(all="ignore"):
            found = search.solve() if search.is_uneven() else None
            return None if found is None else search.result(found)
    finally:
        search.run.machine.lane_allowance -= search.spent


@dataclass(slots=True, eq=False)
class _Search:
    """Looks for what every iteration begins with."""

    run: LoopRun
    count: int
    passes_over: bool = False
    """Whether inner loops are left out."""
    spent: int = 0
    starts: dict[int, NDArray[np.int64] | None] = field(default_factory=dict)
    """What variables hold at the beginning of each iteration; None where nobody knows."""
    seen: dict[int, NDArray[np.int64] | None] = field(default_factory=dict)
    """What loads find of what earlier iterations, or nobody, have stored."""
    tainted: set[int] = field(default_factory=set)
    """Buffers that calls may change."""

    def is_uneven(self) -> bool:
        """Whether integers that the loop stores or adds up follow no line, as far as iterations all over it tell."""
        places, facts = _places(self.count), self.run.facts
        steps = self.run.steps(self.run.machine.full_mask())
        self._begin(len(places))
        for variable, start in self.starts.items():
            step = steps.get(variable)
            if start is not None and isinstance(step, int):
                self.starts[variable] = start + step * places
        lanes = self._pass(len(places), _MOST_FOR_A_LOOK)
        stored = {store.found.buffer.number for store in lanes.memory.stores} | self.tainted
        for number, load in enumerate(lanes.memory.loads):
            found = lanes.memory.before(load)
            if found is not None or load.found.buffer.number not in stored:
                self.seen[number] = found
        if self.seen:
            lanes = self._pass(len(places), _MOST_FOR_A_LOOK)
        self.seen.clear()
        for variable, start in self.starts.items():
            end = lanes.values.get(variable)
            # The best so far has often stayed as it is for a while.
            is_even = variable in steps and (bool(steps[variable]) or variable in facts.sums)
            if start is not None and end is not None and not is_even:
                rise = np.asarray(end).astype(np.int64) - start
                if rise.ndim and np.any(rise != rise[0]):
                    return True
        return any(
            store.value is not None and _is_off_line(np.asarray(store.value), store.lanes, places)
            for store in lanes.memory.stores
            if store.scalar.is_integer
        )

    def _begin(self, count: int) -> None:
        """Every iteration begins with what the first does."""
        registers = self.run.machine.frames[-1].registers
        types = self.run.machine.frames[-1].code.register_types
        for variable in self.run.facts.carried:
            value = registers[variable]
            is_known = isinstance(value, int) and types[variable].is_integer
            first = Scalar.I64.wrapped(value) if isinstance(value, int) else 0
            self.starts[variable] = np.full(count, first) if is_known else None

    def solve(self) -> LanePass | None:
        """Mend the guesses until they hold; the last pass through the loop's body."""
        self._begin(self.count)
        for _ in range(_RESTARTS + 1):
            for number in range(_ROUNDS):
                lanes = self._pass(self.count, MOST_AT_ONCE)
                moving = self._mend(lanes, number)
                if not moving:
                    return lanes
        return None

    def _pass(self, count: int, limit: int) -> LanePass:
        memory = LaneStores(count, self.seen, set(self.tainted))
        lanes = LanePass(self.run.machine, count, self.run.facts, self.starts, memory)
        lanes.passes_over = self.passes_over
        lanes.limit = min(limit, self.run.machine.lane_allowance - self.spent)
        try:
            lanes.iterate(self.run.loop)
        finally:
            self.spent += lanes.spent
        self.tainted |= memory.tainted
        return lanes

    def _mend(self, lanes: LanePass, number: int) -> bool:
        """Better guesses from what the lanes end with; whether there were any."""
        moving = False
        types = self.run.machine.frames[-1].code.register_types
        registers = self.run.machine.frames[-1].registers
        for variable, start in list(self.starts.items()):
            if start is None:
                continue
            end = lanes.values.get(variable)
            if end is None:
                self.starts[variable], moving = None, True
                continue
            reached = np.broadcast_to(np.asarray(end), (self.count,)).astype(np.int64)
            first = registers[variable]
            assert isinstance(first, int)
            found = np.concatenate([[np.int64(Scalar.I64.wrapped(first))], reached[:-1]])
            if np.array_equal(found, start):
                continue
            moving = True
            rise = np.concatenate([[0], reached[:-1] - start[:-1]])
            mended = found
            is_sum = variable in self.run.facts.sums
            extremes = None if is_sum else _extremes(found, reached - start)
            is_moved = is_sum or types[variable] is Scalar.U64  # as pointers are
            if not is_moved and number < _LOOKS and np.all(reached != start):
                mended = start  # iterations have looked at the same elements so far
            elif extremes is not None:
                mended = extremes
            elif number < _SUMS:
                mended = _wrapped(found[0] + np.cumsum(rise), types[variable])
            self.starts[variable] = None if number == _ROUNDS - 1 else mended
        for place, load in enumerate(lanes.memory.loads):
            moving |= self._mend_load(lanes, place, load, number)
        return moving

    def _mend_load(self, lanes: LanePass, place: int, load: Load, number: int) -> bool:
        if place in self.seen and self.seen[place] is None:
            return False
        found = lanes.memory.found_by(load)
        if found is None:
            self.seen[place] = None
            return True
        values, source = found
        guess = load.guess
        if np.array_equal(values[load.rest], guess[load.rest]):
            self.seen[place] = guess
            return False
        if number == _ROUNDS - 1:
            self.seen[place] = None
            return True
        at = np.arange(self.count)
        is_handed_on = (source == at - 1) & (source >= 0)
        if number >= _SUMS or not np.array_equal(is_handed_on, source >= 0):
            self.seen[place] = values
            return True
        rise = np.zeros(self.count, np.int64)
        rise[1:] = np.where(is_handed_on[1:], values[1:] - guess[:-1], 0)
        total = np.cumsum(rise)
        begin = np.maximum.accumulate(np.where(is_handed_on, 0, at))
        self.seen[place] = _wrapped(values[begin] + total - total[begin], load.scalar)
        return True

    # What was found

    def result(self, lanes: LanePass) -> AllIterations:
        """The trajectories of variables and places, and the numbers that were stored."""
        types = self.run.machine.frames[-1].code.register_types
        registers: dict[int, NDArray[np.generic]] = {}
        for variable, start in self.starts.items():
            end = lanes.values.get(variable)
            if start is not None and end is not None:
                last = np.broadcast_to(np.asarray(end), (self.count,))[-1]
                registers[variable] = np.append(start, np.int64(Scalar.I64.wrapped(int(last))))
        tables = [
            item for item in _tables(lanes) if item[0].buffer.number not in lanes.memory.tainted
        ]
        stored = {found.buffer.number for found, _ in tables}
        in_place = any(
            load.found.buffer.number in stored and load.is_overwritten
            for load in lanes.memory.loads
        )
        end = self.run.iteration + self.count
        return AllIterations(registers, list(self._cells(lanes)), tables, end, in_place, types)

    def _cells(
        self, lanes: LanePass
    ) -> list[tuple[MemoryObject, int, Scalar, NDArray[np.generic]]]:
        cells: list[tuple[MemoryObject, int, Scalar, NDArray[np.generic]]] = []
        places: dict[tuple[int, int], Store] = {}
        for store in lanes.memory.stores:
            if isinstance(store.address, int):
                places[store.found.buffer.number, store.address] = store
        for (number, address), store in places.items():
            if number in lanes.memory.tainted or not store.scalar.is_integer:
                continue
            every = np.ones(self.count, np.bool_)
            zeros = np.zeros(self.count, np.int64)
            found = lanes.memory.found_by(Load(store.found, address, store.scalar, every, zeros))
            last = lanes.memory.last_at(store.found, address)
            if found is not None and last is not None:
                offset = address - store.found.base
                cells.append((store.found, offset, store.scalar, np.append(found[0], last)))
        return cells


def _places(count: int) -> NDArray[np.int64]:
    """Iterations at both ends and, in no order, between them."""
    if count <= _PLACES:
        return np.arange(count)
    quarter = _PLACES // 4
    between = [place for place, _ in scattered(count - 2 * quarter, 2 * quarter)]
    parts = (np.arange(quarter), quarter + np.array(between), np.arange(count - quarter, count))
    return np.concatenate(parts)


def _is_off_line(
    value: NDArray[np.generic], lanes: NDArray[np.bool_], places: NDArray[np.int64]
) -> bool:
    """Whether what lanes store is no affine function of their iterations."""
    if not value.ndim:
        return False
    numbers, at = value.astype(np.int64)[lanes], places[lanes]
    if len(numbers) < 3:
        return False
    rise, ahead = numbers - numbers[0], at - at[0]
    return bool(np.any(rise * ahead[-1] != rise[-1] * ahead))


def _extremes(found: NDArray[np.int64], rise: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """What iterations begin with that keep the largest or the smallest number; None for those that do neither."""
    if np.all(rise):
        return None  # what changes each time is a sum
    if np.all(rise >= 0):
        return np.maximum.accumulate(found)
    return np.minimum.accumulate(found) if np.all(rise <= 0) else None


def _wrapped(values: NDArray[np.int64], scalar: Scalar) -> NDArray[np.int64]:
    """Sums in the range of their type."""
    return values.astype(DTYPES[scalar]).astype(np.int64)


def _tables(lanes: LanePass) -> list[tuple[MemoryObject, Fill]]:
    """The numbers that stores have left side by side: those of all to an array together, else, where they lie apart, of each."""
    arrays: dict[tuple[int, Scalar], list[Store]] = {}
    for store in lanes.memory.stores:
        if not isinstance(store.address, int) and store.scalar.is_integer:
            arrays.setdefault((store.found.buffer.number, store.scalar), []).append(store)
    tables: list[tuple[MemoryObject, Fill]] = []
    for stores in arrays.values():
        found = stores[0].found
        whole = _table(*lanes.memory.left_by(stores))
        if whole is not None:
            tables.append((found, whole))
            continue
        sites: dict[object, list[Store]] = {}
        for store in stores:
            sites.setdefault(store.site, []).append(store)
        if len(sites) > 1:
            left = [lanes.memory.left_by(own) for own in sites.values()]
            if sum(len(places) for places, *_ in left) == len(lanes.memory.left_by(stores)[0]):
                parts = [_table(*own) for own in left]
                tables += [(found, part) for part in parts if part is not None]
    return [(found, fill) for found, fill in tables if fill.pattern is Pattern.TABLE]


def _table(
    addresses: NDArray[np.int64],
    values: NDArray[np.int64],
    is_known: NDArray[np.bool_],
    scalar: Scalar,
) -> Fill | None:
    """The elements at some places of an array, None where they do not lie evenly or where nobody knows them."""
    if len(addresses) < FEWEST_LANES or not is_known.all():
        return None
    strides = np.diff(addresses)
    stride = int(strides[0])
    if stride < scalar.size_bytes or np.any(strides != stride):
        return None
    steps = np.diff(values)
    is_even = bool((steps == steps[0]).all())
    return Fill(
        start=int(addresses[0]),
        dims=((stride, len(addresses)),),
        scalar=scalar,
        pattern=Pattern.AFFINE if is_even else Pattern.TABLE,
        first=int(values[0]),
        table=None if is_even else values,
        key=new_key(),
    )


def _with_neighbours(found: MemoryObject, fill: Fill) -> Fill:
    """A table that takes in the elements before and behind that are known one by one."""
    ((stride, count),) = fill.dims
    assert fill.table is not None
    before: list[int] = []
    behind: list[int] = []
    for step, begin, kept in (
        (-stride, fill.start - stride, before),
        (stride, fill.start + stride * count, behind),
    ):
        at = begin
        while (value := _number_at(found, at, fill.scalar)) is not None:
            kept.append(value)
            at += step
    if not before and not behind:
        return fill
    table = np.concatenate(
        [np.array(before[::-1], np.int64), fill.table, np.array(behind, np.int64)]
    )
    return Fill(
        start=fill.start - stride * len(before),
        dims=((stride, len(table)),),
        scalar=fill.scalar,
        pattern=Pattern.TABLE,
        first=int(table[0]),
        table=table,
        key=fill.key,
    )


def _number_at(found: MemoryObject, offset: int, scalar: Scalar) -> int | None:
    cell = found.contents.cells.get(offset)
    if cell is None or cell[0] is not scalar or not isinstance(cell[1], int):
        return None
    return Scalar.I64.wrapped(cell[1])
