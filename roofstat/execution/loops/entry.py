"""What is remembered of one entry of a loop: its breaks, and what host code stores in it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.carried import MAX_HISTORIES, CellHistory
from roofstat.execution.loops.fills import FillRecord, StoreRecord
from roofstat.execution.loops.scattered_numbers import ScatteredNumbers
from roofstat.execution.loops.tallies import Tally
from roofstat.execution.numbers.values import NUMBERS, Mixed, Unknown
from roofstat.execution.trace import LoopCoordinate
from roofstat.program.code import If, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from clang_queries.ir.types import Scalar
    from roofstat.execution.activation import Frame
    from roofstat.execution.loops.convergence import Convergence
    from roofstat.execution.loops.found_places import FoundRow
    from roofstat.execution.loops.linear import Trips
    from roofstat.execution.loops.probes import Probes
    from roofstat.execution.loops.tree_walks import TreeWalk
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.execution.stored.contents import Contents
    from roofstat.execution.stored.fill import Fill
    from roofstat.program.code import Instruction, Loop, Region

MAX_RECORDS = 64
"""Stores of one instruction that are remembered for one entry of a host loop."""
FIRST_RECORDS = 32
"""Those of the first iterations on end that are remembered besides: they tell how unevenly a sum rises."""


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
    read_buffers: set[int] = field(default_factory=set)
    """Buffers that host code reads."""
    reads_chance: bool = False
    """Whether host code reads elements of which only their distribution is known."""
    stores: dict[int, list[StoreRecord]] = field(default_factory=dict)
    stored: dict[int, float] = field(default_factory=dict)
    """Iterations that store, by site."""
    former: dict[int, Contents] = field(default_factory=dict)
    """What buffers held before the loop stored to them, by number."""
    expected: dict[int, dict[int, float]] = field(default_factory=dict)
    """What branches that nobody can decide add to a variable in an iteration, on the average."""
    doubtful: set[int] = field(default_factory=set)
    """Sites of stores in arms that nobody can choose."""
    cells: dict[tuple[int, int], CellHistory] = field(default_factory=dict)
    """Host memory that the loop writes, by buffer and offset."""
    counting: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Stores of host code that add to what their place holds -> the first place."""
    wandering: set[int] = field(default_factory=set)
    """Those that add in several places."""
    bounds: set[int] | None = None
    """Identities of the unknowns that the condition of a host loop compares with, once it does."""
    first_distances: dict[int, float] = field(default_factory=dict)
    """How far the tests of a host loop were from turning when it was entered."""
    testing: bool = False
    """The condition is being evaluated."""
    found_rows: dict[int, list[FoundRow]] = field(default_factory=dict)
    """Rows in which host code has found what it looks for, by branch."""
    taken: set[int] = field(default_factory=set)
    """Branches of host code that were taken."""
    open_breaks: list[Unknown] = field(default_factory=list)
    """Data that nobody knows, and by which a branch of the body may end the loop."""
    ends_by_difference: bool = False
    """Whether it is taken to end at once, at elements of two sequences that differ."""
    may_be_anywhere: bool = False
    """Whether nothing is known of where a search ends but how far it can go."""
    open_orders: list[Instruction] = field(default_factory=list)
    """The comparisons of such branches that end a search where a given number is passed."""
    may_be_left: bool = False
    """Whether data may leave it in any of a known number of iterations."""
    found_arms: list[list[Region]] = field(default_factory=list)
    """The arms by which they leave."""
    is_drawn: bool = False
    """Whether each lane got a place of its own at which its search ends."""
    open_tests: list[Unknown] = field(default_factory=list)
    """Data that nobody knows, and that a part of the condition rests on that was taken to go on."""
    first_store: int = 0
    """Number of the first store that a kernel makes inside."""
    dry: int = 0
    """How often the machine was looking ahead when the loop was entered."""
    lot: float = 0.5
    """What part of bounded unknowns lies below those that a host loop ends by, this time."""
    is_long: bool = False
    """A host loop of so many iterations that only some of them will be run."""
    fills: dict[int, list[FillRecord]] = field(default_factory=dict)
    share: float = 1.0
    """Iterations that the present one stands for."""
    weights: NDArray[np.float64] = field(default_factory=lambda: np.ones(1))
    """Threads that each lane stands for in this entry: for host code how often it enters the loop."""
    converges: Convergence | None = None
    """How it ends by a tolerance."""
    walk: TreeWalk | None = None
    """How it walks through a tree that nobody knows."""
    probes: Probes | None = None
    """What ends the loop where it searches a table."""
    begun: dict[int, list[tuple[int, Value]]] = field(default_factory=dict)
    """(iteration, number) of each store of host code in the first iterations on end."""
    candidates: dict[int, float] = field(default_factory=dict)
    """How many values each branch has compared with the best so far."""
    abandoned: dict[int, float] = field(default_factory=dict)
    """How many sums each loop inside has compared with the best so far, by its number."""
    tallies: dict[int, Tally] = field(default_factory=dict)
    """Stores of host code that add to what their elements hold, by site."""
    scattered: dict[int, ScatteredNumbers] = field(default_factory=dict)
    """Stores of host code of known numbers to elements that nobody knows, by site."""

    def advance(self, iteration: int | NDArray[np.int64], share: float = 1.0) -> None:
        """Go to another iteration, which stands for so many."""
        self.share = share
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
        if isinstance(iteration, int):
            kept = self.stores.setdefault(site, [])
            self._count_store(site, kept, found)
            _thin(kept)
            kept.append(StoreRecord(iteration, found, offset, scalar, value, self.share))
            begun = self.begun.setdefault(site, [])
            if len(begun) == iteration < FIRST_RECORDS:
                begun.append((iteration, value))

    def note_tally(
        self,
        site: int,
        found: MemoryObject,
        offset: int | None,
        scalar: Scalar,
        step: float,
        weight: float,
    ) -> None:
        """Remember that a host store adds to what its element holds; at places that nobody knows where there is none."""
        tally = self.tallies.get(site)
        if tally is None or tally.found is not found:
            tally = Tally(found, scalar)
            self.tallies[site] = tally
        tally.add(step, weight / float(self.weights[0]), offset)

    def note_scattered(
        self, site: int, found: MemoryObject, scalar: Scalar, value: Value, weight: float
    ) -> None:
        """Remember that a host store puts a value into an element that nobody knows."""
        kept = self.scattered.get(site)
        if kept is None or kept.found is not found:
            kept = ScatteredNumbers(found, scalar)
            self.scattered[site] = kept
        kept.add(self.coordinate.iteration, value, weight / float(self.weights[0]))

    def note_cell(
        self,
        found: MemoryObject,
        offset: int,
        scalar: Scalar,
        value: Value,
        adding: Iterable[int] = (),
    ) -> None:
        """Remember what a host store (before it is made) does to one cell, to move a counter on.

        Args:
            found: Where the cell lies.
            offset: Of the cell in it.
            scalar: Type of the cell.
            value: What it will hold.
            adding: The store, where that is what the cell holds now and something more; several of a loop inside.
        """
        iteration = self.coordinate.iteration
        if not isinstance(iteration, int):
            return
        place = (found.buffer.number, offset)
        for site in adding:
            if self.counting.setdefault(site, place) != place:
                self.wandering.add(site)
        history = self.cells.get(place)
        if history is None:
            if len(self.cells) >= MAX_HISTORIES:
                return
            history = CellHistory(found, offset, scalar, is_counter=bool(adding))
            self.cells[place] = history
            before = found.contents.cells.get(offset)
            if before is not None and before[0] is scalar:
                history.points.append((iteration - 1, before[1]))
        history.is_counter &= bool(adding)
        history.sites.update(adding)
        history.note(iteration, value)

    def note_fill(self, site: int, found: MemoryObject, fill: Fill) -> None:
        """Remember what a store in an inner loop filled."""
        iteration = self.coordinate.iteration
        if isinstance(iteration, int):
            kept = self.fills.setdefault(site, [])
            self._count_store(site, kept, found)
            _thin(kept)
            kept.append(FillRecord(iteration, found, fill, self.share))

    def _count_store(
        self, site: int, kept: Sequence[StoreRecord | FillRecord], found: MemoryObject
    ) -> None:
        if found.buffer.number not in self.former:
            self.former[found.buffer.number] = found.contents.rules()
        if not kept or kept[-1].iteration != self.coordinate.iteration:
            self.stored[site] = self.stored.get(site, 0.0) + self.share


def _thin(records: list[StoreRecord] | list[FillRecord]) -> None:
    """Make room: the records of every other iteration go, but neither the first nor the last two."""
    if len(records) < MAX_RECORDS:
        return
    iterations = list(dict.fromkeys(record.iteration for record in records))
    gone = set(iterations[1:-2:2])
    if not gone:
        del records[1:-2:2]
    for at in range(len(records) - 1, -1, -1):
        if records[at].iteration in gone:
            del records[at]


def open_condition(condition: Value, unknown: Unknown) -> Value:
    """A condition that holds as far as is known: what is not known of it may end the loop all the same."""
    if isinstance(condition, Unknown):
        return condition
    if isinstance(condition, Mixed):
        held = condition.values.astype(np.bool_)
        return Mixed(held, condition.known & ~held, condition.unknown)
    if isinstance(condition, NUMBERS):
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
