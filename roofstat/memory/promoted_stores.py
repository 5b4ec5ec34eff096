"""Stores that a compiler moves behind a loop or leaves out.

`sum[i] += ...` in a loop becomes an addition in a register and one store at the end, where the address does not change
in the loop and nothing else in it may touch the same memory. A store that a later one overwrites before anything may
read it is not made at all.
"""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING

import numpy as np

from roofstat.program.code import AtomicAccess, MemoryAccess, Op

if TYPE_CHECKING:
    from roofstat.execution.trace import AccessEvent
    from roofstat.memory.pointers import PointerRoots
    from roofstat.memory.structure import CodeStructure
    from roofstat.program.code import Instruction


_MAX_PENDING = 32
"""Stores that are watched at a time."""


class PromotedStores:
    """Finds stores to invariant addresses, and stores that are overwritten."""

    def __init__(
        self,
        instructions: dict[int, Instruction],
        roots: PointerRoots,
        structure: CodeStructure,
    ) -> None:
        self._instructions = instructions
        self._roots = roots
        self._structure = structure
        self._distinct: dict[tuple[int, int], bool] = {}

    def kept_shares(self, events: list[AccessEvent], redundant: set[int]) -> dict[int, float]:
        """Return for each promoted store the share of its executions that remains.

        Args:
            events: All events of global memory, in order.
            redundant: Orders of loads that are not emitted; they stand in no store's way.
        """
        by_site: dict[int, list[AccessEvent]] = {}
        others: list[AccessEvent] = []
        for event in events:
            if self._instructions[event.site].op is Op.STORE:
                by_site.setdefault(event.site, []).append(event)
            elif event.order not in redundant:
                others.append(event)
        shares = {}
        for site, executions in by_site.items():
            if len(executions) < 2 or not self._structure.is_unconditional(site):
                continue
            share = self._share(executions, others)
            if share < 1.0:
                shares[site] = share
        return shares

    def overwritten(self, events: list[AccessEvent], redundant: set[int]) -> set[int]:
        """Return the orders of stores that another store of the same iteration makes void, whichever iteration that is.

        Where two addresses meet in some iterations only (the diagonal of a matrix), a compiler knows of none.

        Args:
            events: All events of global memory, in order.
            redundant: Orders of loads that are not emitted; they see nothing.
        """
        found: set[int] = set()
        pending: list[AccessEvent] = []
        between: tuple[object, ...] = ()
        for event in events:
            instruction = self._instructions[event.site]
            if instruction.op is not Op.STORE:
                if pending and event.order not in redundant:
                    pending = [store for store in pending if self._are_apart(event, store)]
                continue
            place = self._structure.barrier_place(event)
            if place != between:
                between, pending = place, []
            detail = instruction.detail
            if not isinstance(detail, MemoryAccess) or detail.is_volatile:
                continue
            if self._structure.is_unconditional(event.site):
                void = {store.order for store in pending if self._is_void(store, event)}
                found |= void
                pending = [store for store in pending if store.order not in void]
            pending = [*pending[1 - _MAX_PENDING :], event]
        needed = {event.site for event in events if event.order not in found}
        return {
            event.order for event in events if event.order in found and event.site not in needed
        }

    def _is_void(self, store: AccessEvent, later: AccessEvent) -> bool:
        """Whether a later store writes all that a store wrote, in the same iteration of the same loops."""
        if store.buffer != later.buffer or len(store.loops) != len(later.loops):
            return False
        widths = (_width(self._instructions[one.site]) for one in (store, later))
        if next(widths) > next(widths) or bool((store.active & ~later.active).any()):
            return False
        for one, two in zip(store.loops, later.loops, strict=True):
            if one.loop != two.loop or bool(np.any(np.asarray(one.iteration) != two.iteration)):
                return False
        return bool((store.address[store.active] == later.address[store.active]).all())

    def _share(self, executions: list[AccessEvent], others: list[AccessEvent]) -> float:
        """One over the trips of the inner loops within which the address stays and nobody interferes."""
        depth = len(executions[0].loops)
        moves = [
            (
                _outermost_moved(one, two),
                self._is_same_place(one, two) and not self._is_disturbed(one, two, others),
            )
            for one, two in itertools.pairwise(executions)
        ]
        share = 1.0
        for level in range(depth - 1, -1, -1):
            here = [stays for moved, stays in moves if moved == level]
            if not here or not all(here):
                break
            share /= max(executions[0].loops[level].trips, 1.0)
        return share

    def _is_same_place(self, one: AccessEvent, two: AccessEvent) -> bool:
        both = one.active & two.active
        return bool(both.any()) and bool((one.address[both] == two.address[both]).all())

    def _is_disturbed(self, one: AccessEvent, two: AccessEvent, others: list[AccessEvent]) -> bool:
        """Whether a load or an atomic between two executions may see the stored value, or a barrier shows it."""
        if self._structure.barrier_place(one) != self._structure.barrier_place(two):
            return True
        start = bisect.bisect_left(others, one.order, key=_order)
        end = bisect.bisect_left(others, two.order, key=_order)
        return not all(self._are_apart(other, one) for other in others[start:end])

    def _are_apart(self, other: AccessEvent, store: AccessEvent) -> bool:
        """Whether a compiler knows that an access misses what a store wrote: another object, or a fixed distance."""
        instructions = self._instructions
        key = (other.site, store.site)
        known = self._distinct.get(key)
        if known is None:
            known = self._roots.are_distinct(instructions[other.site], instructions[store.site])
            self._distinct[key] = known
        if known:
            return True
        if other.buffer is None or other.buffer != store.buffer:
            return False
        distance = (other.address - store.address)[other.active & store.active]
        if not len(distance) or not bool((distance == distance[0]).all()):
            return False
        width = (
            _width(instructions[store.site])
            if distance[0] > 0
            else _width(instructions[other.site])
        )
        return abs(int(distance[0])) >= width


def _order(event: AccessEvent) -> int:
    return event.order


def _width(instruction: Instruction) -> int:
    detail = instruction.detail
    if isinstance(detail, MemoryAccess | AtomicAccess):
        return detail.access_bytes
    return instruction.scalar.size_bytes


def _outermost_moved(one: AccessEvent, two: AccessEvent) -> int:
    """Depth of the outermost loop that is in another iteration."""
    for depth, (first, second) in enumerate(zip(one.loops, two.loops, strict=False)):
        if bool(np.any(np.asarray(first.iteration) != np.asarray(second.iteration))):
            return depth
    return len(one.loops)
