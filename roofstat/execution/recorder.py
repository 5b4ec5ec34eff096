"""Collects what a kernel run does, with bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.sampling.nest_share import NestTotals, scale_nests
from roofstat.execution.trace import (
    EVENTS_PER_SITE,
    AccessEvent,
    DivisionTotals,
    LoopCoordinate,
    LoopTotals,
    RunAssumption,
    SiteTotals,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.expressions import Position
    from roofstat.execution.mask import Mask
    from roofstat.execution.sampling.block_edges import EdgeFinder
    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Space


_FIRST_EVENTS = 8
"""Adjacent executions, which show strides, that are kept of each instruction."""
_EVENTS_ON_BUFFER = 8
"""Events that are kept on each buffer of an instruction that goes to many."""
_MOST_EVENTS = 4 * EVENTS_PER_SITE


@dataclass(slots=True)
class _OnBuffer:
    """Sums over the executions of an instruction on one buffer."""

    events: int = 0
    threads: float = 0.0


class Recorder:
    """Writes into a `LaunchTrace`; switched off while the machine looks ahead."""

    def __init__(self, trace: LaunchTrace) -> None:
        self.trace = trace
        self.enabled = True
        self.blocks_differ = False
        """Whether sampled blocks (tails apart) decided differently on known data, in more than a few threads."""
        self.blocks_vary = False
        """Whether they did so in any thread."""
        self.chooses_warps = False
        """Whether branches ask for the numbers of warps in their block."""
        self.asked_warps: set[int] = set()
        """Warps that hold the only thread of each block which a branch asks for."""
        self.has_windows = False
        """Whether warps in the middle of a block decide otherwise than those at both of its ends."""
        self.edges: EdgeFinder | None = None
        """Where along the grid guards turn; None where that is of no interest."""
        self.work = 0.0
        """Thread-level block executions so far; equal differences mean equal iterations."""
        self.nests: dict[int, NestTotals] = {}
        """Number of a branch that guards a nest -> what was seen of it."""
        self.missed_nests = False
        """Whether lanes are taken to lie inside of nests, after a run in which none did."""
        self._events: dict[int, list[AccessEvent]] = {}
        self._stride: dict[int, int] = {}
        self._bounds: dict[int, int] = {}
        self._seen: dict[int, dict[int | None, _OnBuffer]] = {}
        """What an instruction does on each buffer: where it goes to several by turns, some events of each are kept."""
        self._order = 0
        self._assumptions: dict[tuple[str, str, int], RunAssumption] = {}

    def take_over(self, before: Recorder) -> None:
        """What a run on another sample has noticed of how blocks and warps differ holds as well."""
        self.blocks_differ |= before.blocks_differ
        self.blocks_vary |= before.blocks_vary
        self.chooses_warps |= before.chooses_warps
        self.has_windows |= before.has_windows

    def block(
        self, number: int, threads: float, warps: float, *, is_doubtful: bool = False
    ) -> None:
        """One execution of a block; `is_doubtful` if a guess decided that it runs."""
        if not self.enabled:
            return
        trace = self.trace
        trace.block_threads[number] = trace.block_threads.get(number, 0.0) + threads
        trace.block_warps[number] = trace.block_warps.get(number, 0.0) + warps
        if is_doubtful:
            trace.doubtful_threads[number] = trace.doubtful_threads.get(number, 0.0) + threads
        self.work += threads * (1.0 + number * 1e-3)

    def division(
        self,
        site: int,
        threads: float,
        *,
        of_zero: float = 0.0,
        of_words: float = 0.0,
        of_pairs: float = 0.0,
    ) -> None:
        """One execution of a division of floating-point numbers or long integers."""
        if self.enabled:
            totals = self.trace.divisions.setdefault(site, DivisionTotals())
            totals.threads += threads
            totals.of_zero += of_zero
            totals.of_words += of_words
            totals.of_pairs += of_pairs

    def loop(self, number: int) -> LoopTotals:
        """Totals of a loop."""
        return self.trace.loops.setdefault(number, LoopTotals())

    def access(
        self,
        site: int,
        buffer: int | None,
        space: Space | None,
        address: NDArray[np.int64] | None,
        mask: Mask,
        weight: NDArray[np.float64],
        loops: tuple[LoopCoordinate, ...],
        *,
        is_guess: bool,
        even_share: float = 0.0,
        is_order: bool = False,
        is_doubtful: bool = False,
    ) -> None:
        """One execution of a memory instruction; `address` is None where nothing is known of it.

        Args:
            site: Number of the instruction.
            buffer: Number of the buffer.
            space: Its space.
            address: First byte of each lane.
            mask: Active lanes.
            weight: Threads that each lane stands for.
            loops: Where the enclosing loops are.
            is_guess: Whether the addresses rest on unknown data.
            even_share: How often the program itself has drawn the places.
            is_order: Whether those are drawn without meeting.
            is_doubtful: Whether a guess decided that it runs.
        """
        if not self.enabled:
            return
        threads, warps = mask.totals(weight)
        totals = self.trace.sites.setdefault(site, SiteTotals())
        totals.threads += threads
        totals.warps += warps
        totals.events += 1
        totals.space = space or totals.space
        if is_doubtful:
            totals.doubtful_threads += threads
        if address is None:
            totals.unknown_address_threads += threads
            return
        self._order += 1
        stride = self._stride.get(site, 1)
        seen = self._seen.setdefault(site, {}).setdefault(buffer, _OnBuffer())
        seen.events += 1
        seen.threads += threads
        if seen.events % stride:
            return
        kept = self._events.setdefault(site, [])
        kept.append(
            AccessEvent(
                site=site,
                buffer=buffer,
                address=address,
                active=mask.lanes,
                weight=weight,
                loops=loops,
                is_guess=is_guess,
                even_share=even_share,
                is_order=is_order,
                order=self._order,
            )
        )
        if len(kept) >= self._bounds.get(site, EVENTS_PER_SITE):
            self._thin(site, kept)

    def _thin(self, site: int, kept: list[AccessEvent]) -> None:
        """Keep the first few (adjacent iterations show strides) and thin the rest out evenly, on each buffer."""
        on_buffers: dict[int | None, list[AccessEvent]] = {}
        for event in kept[_FIRST_EVENTS:]:
            on_buffers.setdefault(event.buffer, []).append(event)
        bound = min(_EVENTS_ON_BUFFER * len(on_buffers), _MOST_EVENTS)
        if len(kept) < bound:
            self._bounds[site] = bound
            return
        thinned = [event for events in on_buffers.values() for event in events[::2]]
        self._events[site] = kept[:_FIRST_EVENTS] + sorted(thinned, key=lambda event: event.order)
        self._stride[site] = 2 * self._stride.get(site, 1)

    def branch(self, number: int, *, uniform: bool) -> None:
        """How a branch behaved within warps."""
        if self.enabled:
            known = self.trace.branch_uniform.get(number, True)
            self.trace.branch_uniform[number] = known and uniform

    def nest(self, number: int, expected: float, seen: float) -> None:
        """One execution of a branch that guards a nest: threads that lie inside by its bounds, and by the lanes."""
        if self.enabled:
            totals = self.nests.setdefault(number, NestTotals())
            totals.expected += expected
            totals.seen += seen

    def conflict(self, site: int, lanes_per_address: float, warps_per_address: float) -> None:
        """Lanes of a warp, and warps of a block, that meet at one address of an atomic."""
        if self.enabled:
            _average(self.trace.atomic_conflicts, site, lanes_per_address)
            _average(self.trace.atomic_warps, site, warps_per_address)

    def assume(self, kind: str, text: str, position: Position, threads: float) -> None:
        """A guess, weighted with the threads that depend on it."""
        if not self.enabled:
            return
        key = (kind, text, position.line)
        found = self._assumptions.get(key)
        if found is None:
            found = RunAssumption(kind=kind, text=text, position=position, weight=0.0)
            self._assumptions[key] = found
            self.trace.assumptions.append(found)
        found.weight = min(1.0, max(found.weight, threads / max(self.trace.threads, 1)))

    def finish(self) -> None:
        """Put the events in order and rescale their weights to the totals."""
        scale_nests(self.trace, self.nests)
        events: list[AccessEvent] = []
        weights = _Weights()
        for site, kept in self._events.items():
            # Of thinned executions the first are there whole, the others stand for those between them.
            first = _FIRST_EVENTS if self._stride.get(site, 1) > 1 else 0
            whole, rest = weights.threads(kept[:first]), weights.threads(kept[first:])
            seen = self._seen[site]
            totals = self.trace.sites[site]
            target = totals.threads - totals.unknown_address_threads
            scale = target / max(sum(seen[buffer].threads for buffer in whole | rest), 1e-300)
            for place, event in enumerate(kept):
                on_buffer = scale * seen[event.buffer].threads
                of_rest = rest.get(event.buffer, 0.0)
                of_whole = whole.get(event.buffer, 0.0)
                factor = 1.0
                if place >= first and of_rest > 0.0 and of_whole < on_buffer:
                    factor = (on_buffer - of_whole) / of_rest
                elif of_rest <= 0.0 < of_whole:
                    factor = on_buffer / of_whole
                if abs(factor - 1.0) > 1e-12:
                    event.weight = weights.scaled(event.weight, factor)
                events.append(event)
        events.sort(key=lambda event: event.order)
        self.trace.events = events


class _Weights:
    """Sums and multiples of weights, each made once: instructions that run together have one weight and one mask.

    What is known goes by the identity of arrays, which are held for as long.
    """

    def __init__(self) -> None:
        self._sums: dict[tuple[int, int], float] = {}
        self._multiples: dict[tuple[int, float], NDArray[np.float64]] = {}
        self._held: list[NDArray[Any]] = []

    def threads(self, events: list[AccessEvent]) -> dict[int | None, float]:
        """Threads that executions stand for, on each buffer."""
        found: dict[int | None, float] = {}
        for event in events:
            key = (id(event.weight), id(event.active))
            threads = self._sums.get(key)
            if threads is None:
                threads = self._sums[key] = float(event.weight[event.active].sum())
                self._held += [event.weight, event.active]
            found[event.buffer] = found.get(event.buffer, 0.0) + threads
        return found

    def scaled(self, weight: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """A weight times a factor."""
        key = (id(weight), factor)
        if key not in self._multiples:
            self._multiples[key] = weight * factor
            self._held.append(weight)
        return self._multiples[key]


def _average(values: dict[int, float], site: int, value: float) -> None:
    old = values.get(site)
    values[site] = value if old is None else (old + value) / 2
