"""Group the address samples of a trace by memory instruction and buffer."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.stored.distinct import distinct
from roofstat.hardware.units import WARP_SIZE
from roofstat.memory.bursts import NO_BURSTS
from roofstat.memory.pointers import PointerRoots
from roofstat.memory.records import Direction
from roofstat.memory.redundancy import without_redundant_loads
from roofstat.program.code import AtomicAccess, MemoryAccess, Op, Space
from roofstat.program.implied_accesses import implied_accesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from roofstat.execution.trace import AccessEvent, Buffer, LaunchTrace
    from roofstat.memory.bursts import Bursts
    from roofstat.program.code import Instruction

_T = TypeVar("_T", bound=np.generic)
MOST_BUFFERS = 128
"""Buffers that one access is split into; others count as unknown."""
EVENTS_USED = 20
"""Executions of one instruction that are looked at; more add cost and no information."""
_FEWEST_EVENTS = 8
_FEWEST_ON_BUFFER = 4
_FEWEST_BUFFERS = 3
"""Buffers of different blocks that are seen before there are taken to be more."""
_MOST_PLACES = 1 << 25
"""Lanes of all executions, times buffers, beyond which a buffer's site has only executions that may reach it."""
_LANES_USED = 30_000
"""Lanes of all executions together, where many lanes were sampled."""


@dataclass(slots=True, eq=False, kw_only=True)
class AccessSite:
    """One memory instruction on one buffer: E sampled executions by L lanes."""

    instruction: Instruction
    direction: Direction
    space: Space
    buffer: Buffer | None
    element_bytes: int
    address: NDArray[np.int64]
    """(E, L) first byte of each lane."""
    active: NDArray[np.bool_]
    """(E, L)."""
    weight: NDArray[np.float64]
    """(E, L) threads that each lane stands for; 0 where inactive."""
    warp_weight: NDArray[np.float64]
    """(E, L / 32) requests that each warp stands for; 0 where no lane is active."""
    loops: tuple[int, ...]
    """Numbers of the enclosing loops, outermost first."""
    iterations: NDArray[np.int64]
    """(loops, E, L or 1) iteration of each enclosing loop."""
    trips: tuple[float, ...]
    """Largest trip count of each enclosing loop that was seen."""
    mean_trips: tuple[float, ...]
    """Mean trip count of each enclosing loop, by threads."""
    orders: tuple[int, ...]
    """(E) sequence numbers."""
    threads: float
    """Thread-level executions in the launch."""
    warps: float
    """Warp-level executions in the launch."""
    guess_share: float
    """Share of the executions whose addresses rest on unknown data."""
    even_share: float = 0.0
    """Share of the executions to places that the program itself has drawn."""
    is_order: bool = False
    """Whether all of them are drawn without meeting."""
    certain_share: float = 1.0
    """Share of the executions that no guess about a branch or a trip count decided on."""
    others: tuple[int, float] | None = None
    """Where each coordinate along a grid axis has a buffer of its own: the axis, and the share of its coordinates that the one
    seen here stands for."""

    @property
    def number(self) -> int:
        """Number of the instruction in its code."""
        return self.instruction.site

    @property
    def is_volatile(self) -> bool:
        """Whether it goes past the L1, which may be stale."""
        detail = self.instruction.detail
        return isinstance(detail, MemoryAccess) and detail.is_volatile

    @property
    def array(self) -> str:
        """Name for reports."""
        detail = self.instruction.detail
        name = detail.array if isinstance(detail, MemoryAccess | AtomicAccess) else ""
        return name or (self.buffer.name if self.buffer is not None else "")


@dataclass(slots=True, eq=False, kw_only=True)
class UnseenSite:
    """A memory instruction that ran without a known address."""

    instruction: Instruction
    direction: Direction
    space: Space
    element_bytes: int
    threads: float
    warps: float


_OPERATIONS = {
    Op.LOAD: (Direction.READ,),
    Op.STORE: (Direction.WRITE,),
    Op.ATOMIC: (Direction.ATOMIC,),
}


def memory_instructions(trace: LaunchTrace) -> dict[int, Instruction]:
    """Memory instructions of the kernel by site, members of a vector access left out."""
    found = {}
    for _, instruction in trace.code.instructions():
        if instruction.op in _OPERATIONS and access_bytes(instruction) > 0:
            found[instruction.site] = instruction
        else:
            found.update({implied.site: implied for implied in implied_accesses(instruction)})
    return found


def access_bytes(instruction: Instruction) -> int:
    """Bytes that one thread touches; 0 for the further members of a vector access."""
    detail = instruction.detail
    if isinstance(detail, MemoryAccess | AtomicAccess):
        return detail.access_bytes
    return detail if isinstance(detail, int) else instruction.scalar.size_bytes


def collect_sites(
    trace: LaunchTrace,
    local_slots: frozenset[int] = frozenset(),
    known_loads: frozenset[int] = frozenset(),
    bursts: Bursts = NO_BURSTS,
) -> tuple[list[AccessSite], list[UnseenSite]]:
    """Return the memory instructions with sampled addresses, and those without.

    An instruction that touches several buffers becomes one site for each. Private arrays outside of `local_slots` live in
    registers and are left out, and so are `known_loads`, whose values the compiler knows.
    Of loops that `bursts` calls copied, only copies of their bodies are left.
    """
    instructions = memory_instructions(trace)
    for number in known_loads:
        instructions.pop(number, None)
    roots = PointerRoots(trace.code)
    for number, totals in trace.sites.items():
        if totals.space is Space.LOCAL and number in instructions:
            slot = roots.slot(instructions[number])
            if not local_slots or (slot is not None and slot not in local_slots):
                del instructions[number]
    by_site: dict[int, list[AccessEvent]] = {}
    events, kept = without_redundant_loads(
        trace, instructions, roots, bursts.copied, bursts.iterations
    )
    for event in events:
        if event.site in instructions:
            by_site.setdefault(event.site, []).append(event)
    finder = _BufferFinder(trace.buffers)
    seen: list[AccessSite] = []
    unseen: list[UnseenSite] = []
    for number, totals in trace.sites.items():
        instruction = instructions.get(number)
        if instruction is None or totals.threads <= 0:
            continue
        direction = _OPERATIONS[instruction.op][0]
        site_events = by_site.get(number, [])
        space = totals.space or _static_space(instruction, roots, trace)
        emitted = kept.get(number, 1.0)
        if site_events:
            for site in _split(instruction, direction, site_events, finder, trace):
                site.threads *= emitted
                site.warps *= emitted
                is_bound = site.buffer is not None and space is not Space.TEXTURE
                site.space = site.buffer.space if is_bound and site.buffer is not None else space
                seen.append(site)
            known = totals.threads - totals.unknown_address_threads
            if known <= 0.99 * totals.threads:
                unseen.append(
                    _unseen(instruction, direction, space, totals.unknown_address_threads, totals)
                )
        elif emitted > 0.0:
            unseen.append(_unseen(instruction, direction, space, totals.threads, totals))
    return seen, unseen


def _static_space(instruction: Instruction, roots: PointerRoots, trace: LaunchTrace) -> Space:
    """The space of the array that the code names, where no address was seen."""
    slot = roots.slot(instruction)
    return trace.code.slots[slot].space if slot is not None else Space.GENERIC


def _unseen(
    instruction: Instruction,
    direction: Direction,
    space: Space,
    threads: float,
    totals: object,
) -> UnseenSite:
    share = threads / totals.threads  # type: ignore[attr-defined]
    return UnseenSite(
        instruction=instruction,
        direction=direction,
        space=space,
        element_bytes=access_bytes(instruction),
        threads=threads,
        warps=totals.warps * share,  # type: ignore[attr-defined]
    )


class _BufferFinder:
    """Finds the buffer of an address."""

    def __init__(self, buffers: dict[int, Buffer]) -> None:
        self.buffers = buffers
        ordered = sorted(buffers.values(), key=lambda buffer: buffer.base)
        self._bases = np.array([buffer.base for buffer in ordered], dtype=np.int64)
        self._numbers = np.array([buffer.number for buffer in ordered], dtype=np.int64)

    def numbers(self, address: NDArray[np.int64]) -> NDArray[np.int64]:
        """Buffer number of each address, -1 below the first."""
        if not len(self._bases):
            return np.full(address.shape, -1, dtype=np.int64)
        place = np.searchsorted(self._bases, address, side="right") - 1
        return np.where(place >= 0, self._numbers[np.maximum(place, 0)], -1)


def _thin(events: list[AccessEvent]) -> tuple[list[AccessEvent], NDArray[np.float64]]:
    """Keep some executions, on each buffer that they reach by turns; how many of all each then stands for."""
    used = min(EVENTS_USED, max(_FEWEST_EVENTS, _LANES_USED // len(events[0].active)))
    buffers = {event.buffer for event in events}
    if len(events) <= used or None in buffers or len(buffers) == 1:
        return _thinned(events, used)
    used = max(2 * used // len(buffers), _FEWEST_ON_BUFFER)
    parts = [
        _thinned([event for event in events if event.buffer == buffer], used) for buffer in buffers
    ]
    kept = [pair for part in parts for pair in zip(*part, strict=True)]
    kept.sort(key=lambda pair: pair[0].order)
    return [event for event, _ in kept], np.array([number for _, number in kept])


def _thinned(events: list[AccessEvent], used: int) -> tuple[list[AccessEvent], NDArray[np.float64]]:
    """Keep the first executions (neighbours in every loop) and the last; others are drawn evenly from all threads between.

    Executions of many threads are drawn more often, and then stand for fewer others.
    """
    if len(events) <= used:
        return events, np.ones(len(events))
    head = used // 2
    drawn = used - head - 1
    between = events[head:-1]
    threads = np.array([float(event.weight[event.active].sum()) for event in between])
    each = float(threads.sum()) / drawn
    places = each * (np.arange(drawn) + 0.5)
    kept, times = np.unique(np.searchsorted(threads.cumsum(), places), return_counts=True)
    kept = kept[threads[kept] > 0.0]
    stands_for = times[: len(kept)] * each / threads[kept]
    return (
        [*events[:head], *(between[index] for index in kept), events[-1]],
        np.concatenate([np.ones(head), stands_for, [1.0]]),
    )


def _without_lightest(of_lane: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """The buffers of lanes, where only those that most lanes reach keep their numbers: stray pointers reach thousands."""
    numbers, places = np.unique(of_lane, return_inverse=True)
    reached = np.bincount(places.ravel(), weights=weight.ravel())
    kept = numbers[np.argsort(-reached, kind="stable")[: MOST_BUFFERS - 1]]
    return np.where(np.isin(of_lane, kept), of_lane, -1)


def _split(
    instruction: Instruction,
    direction: Direction,
    events: list[AccessEvent],
    finder: _BufferFinder,
    trace: LaunchTrace,
) -> Iterator[AccessSite]:
    totals = trace.sites[instruction.site]
    events, stands_for = _thin(sorted(events, key=lambda event: event.order))
    nest = tuple(coordinate.loop for coordinate in events[0].loops)
    is_same = [tuple(c.loop for c in event.loops) == nest for event in events]
    events = list(itertools.compress(events, is_same))
    stands_for = stands_for[is_same]
    address = _stack([event.address for event in events])
    active = _stack([event.active for event in events])
    weight = np.where(active, _stack([event.weight for event in events]), 0.0)
    weight *= stands_for[:, None]
    by_event = weight.sum(axis=1)
    total = float(by_event.sum())
    if total <= 0.0:
        return
    guess = float(by_event[[event.is_guess for event in events]].sum()) / total
    even = float(by_event @ [event.even_share for event in events]) / total
    iterations = _iterations(events, len(nest), address.shape)
    trips = np.array([[c.trips for c in event.loops] for event in events]).reshape(len(events), -1)
    mean_trips = tuple(float(v) for v in (trips * by_event[:, None]).sum(axis=0) / total)
    orders = np.array([event.order for event in events])
    known = totals.threads - totals.unknown_address_threads
    known_share = known / totals.threads if known > 0 else 1.0
    numbers = {event.buffer for event in events}
    of_lane = None
    if None in numbers or len(numbers) > 1:
        of_lane = finder.numbers(address)
        numbers = set(of_lane[active].tolist())
    listed = None if of_lane is None else _listed_along(of_lane, active, trace)
    if of_lane is not None and len(numbers) > MOST_BUFFERS:
        of_lane = _without_lightest(of_lane, weight)
        numbers = set(of_lane[active].tolist())
    by_warp = _by_warp(weight).max(axis=2)
    requests = float((by_warp * _by_warp(active).any(axis=2)).sum())
    is_large = len(numbers) * address.size > _MOST_PLACES
    reached = _reached(of_lane, active) if is_large and of_lane is not None else None
    for number in sorted(numbers, key=lambda value: -1 if value is None else value):
        rows: slice | NDArray[np.intp] = slice(None)
        if reached is not None and number is not None:
            rows = np.flatnonzero((reached[0] <= number) & (number <= reached[1]))
        mine = active if of_lane is None else active[rows] & (of_lane[rows] == number)
        mine_weight = weight if of_lane is None else np.where(mine, weight[rows], 0.0)
        share = known_share if of_lane is None else float(mine_weight.sum()) / total * known_share
        warp_share = share
        if of_lane is not None:
            used = float((by_warp[rows] * _by_warp(mine).any(axis=2)).sum())
            warp_share = known_share * (used / max(requests, 1e-300))
        yield AccessSite(
            instruction=instruction,
            direction=direction,
            space=totals.space or Space.GENERIC,
            buffer=finder.buffers.get(number) if number is not None else None,
            element_bytes=access_bytes(instruction),
            address=address[rows],
            active=mine,
            weight=mine_weight,
            warp_weight=_by_warp(mine_weight).max(axis=2),
            loops=nest,
            iterations=iterations[:, rows],
            trips=tuple(float(v) for v in trips.max(axis=0)) if nest else (),
            mean_trips=mean_trips,
            orders=tuple(orders[rows].tolist()),
            threads=totals.threads * share,
            warps=totals.warps * warp_share,
            guess_share=guess,
            even_share=even,
            is_order=all(event.is_order for event in events),
            certain_share=1.0 - totals.doubtful_threads / totals.threads,
            others=None if listed is None else (listed, float(mine_weight.sum()) / total),
        )


def _listed_along(
    of_lane: NDArray[np.int64], active: NDArray[np.bool_], trace: LaunchTrace
) -> int | None:
    """The grid axis each coordinate of which leads to a buffer of its own, as far as seen; None without one."""
    buffers = of_lane[active]
    count = len(distinct(buffers))
    if count < _FEWEST_BUFFERS:
        return None
    for axis, coordinate in enumerate(trace.lanes.bid):
        if trace.grid[axis] < _FEWEST_BUFFERS:
            continue
        places = np.broadcast_to(coordinate, active.shape)[active]
        # Pairs are looked at where there may be as many as places and as buffers: to sort them takes long.
        if len(distinct(places)) == count == len(distinct(np.stack([places, buffers], 1), axis=0)):
            return axis
    return None


def _stack(rows: list[NDArray[_T]]) -> NDArray[_T]:
    """Arrays as rows of one; a view where there is only one."""
    return rows[0][None, :] if len(rows) == 1 else np.stack(rows)


def _by_warp(lanes: NDArray[_T]) -> NDArray[_T]:
    """(E, L / 32, 32) of (E, L)."""
    return lanes.reshape(len(lanes), -1, WARP_SIZE)


def _reached(
    of_lane: NDArray[np.int64], active: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and the highest buffer that the active lanes of each execution reach."""
    last = np.iinfo(np.int64).max
    lowest = np.where(active, of_lane, last).min(axis=1)
    return lowest, np.where(active, of_lane, -last).max(axis=1)


def _iterations(events: list[AccessEvent], depth: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    varies = any(
        isinstance(coordinate.iteration, np.ndarray)
        for event in events
        for coordinate in event.loops
    )
    if not varies:
        table = np.array(
            [[coordinate.iteration for coordinate in event.loops] for event in events],
            dtype=np.int64,
        ).reshape(len(events), depth)
        return table.T[:, :, None]
    result = np.zeros((depth, *shape), dtype=np.int64)
    for index, event in enumerate(events):
        for level, coordinate in enumerate(event.loops):
            result[level, index] = coordinate.iteration
    return result
