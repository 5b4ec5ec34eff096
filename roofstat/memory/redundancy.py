"""Loads that a compiler does not emit: the value is still in a register.

Three cases are removed, as optimisers remove them: a load of an address that this thread loaded or stored before in the
same iteration of its loops, where those of which nothing is left but copies do not count; one whose address was loaded or
stored in the iteration before (the value is carried over in a register: sliding windows); and one whose address never
changes within its loop (it is hoisted).
Stores in between end the life of a value for the lanes that store, barriers for all, unless they cannot touch it. Within a thread this is seen on the
sampled addresses: equal for all lanes means equal in the code, for all practical purposes, but for two parameters that a
launch gives one array (``dot(n, r, r)`` loads twice), for places that are computed of floating-point numbers, and for quotients
of a loop's numbers, which are the same by need in the copies of one round only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.values import splitmix
from roofstat.execution.stored.distinct import distinct
from roofstat.memory.followed import first_iterations, share_by_place, split_followed
from roofstat.memory.promoted_stores import PromotedStores
from roofstat.memory.rounded_addresses import RoundedAddresses
from roofstat.memory.same_places import SamePlaces
from roofstat.memory.structure import CodeStructure
from roofstat.program.code import MemoryAccess, Op, Space

if TYPE_CHECKING:
    from collections.abc import Mapping, Set as AbstractSet

    from numpy.typing import NDArray

    from roofstat.execution.trace import AccessEvent, LaunchTrace, LoopCoordinate
    from roofstat.memory.pointers import PointerRoots
    from roofstat.program.code import Instruction, ParameterPiece

_Copy = tuple[int, tuple[int, ...]]
"""A site, and iterations of the loops around it that are copies."""

_PROBED_LANES = 6
"""Lanes whose addresses stand for the whole in the test for a constant distance."""


@dataclass(slots=True, eq=False)
class _Value:
    """What a register holds: the contents of memory at an address of each lane."""

    event: AccessEvent
    size_bytes: int
    probe: tuple[int, ...]
    is_read_only: bool
    alive: bool = True
    lost: NDArray[np.bool_] | None = None
    """Lanes that have stored to it; what others load is still there, as where those that store leave."""

    def is_there(self, event: AccessEvent) -> bool:
        """Whether the lanes of a later load still have it."""
        if not self.alive or bool((event.active & ~self.event.active).any()):
            return False
        return self.lost is None or not bool((event.active & self.lost).any())


class RedundantLoads:
    """Finds the events of a trace that cost nothing."""

    def __init__(
        self,
        trace: LaunchTrace,
        instructions: dict[int, Instruction],
        roots: PointerRoots,
        copied: AbstractSet[int] = frozenset(),
        batches: Mapping[int, int] | None = None,
    ) -> None:
        self._instructions = instructions
        self._batches = batches or {}
        """For loops with copies of straight bodies, how many."""
        self._copied = copied
        """Loops of which only copies of their bodies are left: straight code."""
        self.structure = CodeStructure(trace.code)
        self._rounded = RoundedAddresses(trace.code)
        self._places = SamePlaces(trace.code)
        self._in_place: dict[tuple[int, int, int], _Value] = {}
        """Address as the code has it, and bytes -> what was there last."""
        self._roots = roots
        count = trace.lanes.count
        self._checksum = _odd_multipliers(count)
        self._smallest_member = min(
            (item.scalar.size_bytes for item in instructions.values() if item.op is Op.LOAD),
            default=1,
        )
        self._checksum_of_one = int(self._checksum.sum())
        """What the checksum changes by where all addresses grow by one byte."""
        self._lanes = distinct(np.linspace(0, count - 1, _PROBED_LANES).astype(int))
        self._values: dict[tuple[int, int, ParameterPiece | None], _Value] = {}
        """Checksum of the addresses, bytes and pointer -> what is there."""
        self._exposed: list[_Value] = []
        """Living values that a store may end."""
        self._distinct: dict[tuple[int, int], bool] = {}
        self._last_of_site: dict[int, tuple[int, _Value]] = {}
        self._last_of_copy: dict[_Copy, tuple[int, _Value]] = {}
        self._carried: dict[int, bool] = {}
        """Sites, and whether every execution so far whose previous iteration was sampled got its value from there."""
        self._barrier: tuple[object, ...] = ()

    def find(self, events: list[AccessEvent]) -> set[int]:
        """Return the `order` of the events that are loads without cost; `events` are in order."""
        redundant: set[int] = set()
        for event in events:
            instruction = self._instructions.get(event.site)
            if instruction is None:
                continue
            self._pass_barriers(event)
            if instruction.op is Op.LOAD:
                if self._load(event, instruction):
                    redundant.add(event.order)
            else:
                self._write(event, instruction)
        return redundant

    def _pass_barriers(self, event: AccessEvent) -> None:
        """Values that others may change end at a barrier: when the barrier count or a loop around one moves on."""
        place = self.structure.barrier_place(event)
        if place != self._barrier:
            self._barrier = place
            for value in self._exposed:
                value.alive = False
            self._exposed = []

    def _load(self, event: AccessEvent, instruction: Instruction) -> bool:
        detail = instruction.detail
        if not isinstance(detail, MemoryAccess) or detail.is_volatile:
            return False
        checksum = int(event.address @ self._checksum)
        known = self._values.get(
            (checksum, detail.access_bytes, self._roots.parameter(instruction))
        ) or self._of_more_lanes(event, instruction)
        last = self._last_of_site.get(event.site)
        copy = self._copy(event)
        by_chance = bool(event.loops) and self._rounded.move_with(instruction, event.loops[-1].loop)
        found = known is not None and self._is_earlier(known, event, iterations_apart=0)
        if found and known is not None:
            is_same_site = known.event.site == event.site
            found = not (by_chance and is_same_site) and self._is_in_round(
                known, event, instruction
            )
        if not found and not by_chance and self.structure.is_unconditional(event.site):
            before = self._last_of_copy.get(copy, last)
            found = (
                before is not None
                and self._is_in_round(before[1], event, instruction)
                and (_is_hoisted(checksum, before, event) or self._is_carried(known, last, event))
            )
        if found and known is not None and known.is_there(event):
            self._last_of_site[event.site] = self._last_of_copy[copy] = (checksum, known)
            return True
        value = self._remember(
            event,
            detail.access_bytes,
            checksum,
            is_read_only=detail.is_read_only or self._roots.is_read_only(instruction),
        )
        self._last_of_site[event.site] = self._last_of_copy[copy] = (checksum, value)
        return found

    def _of_more_lanes(self, event: AccessEvent, instruction: Instruction) -> _Value | None:
        """What was loaded from the same place before a branch that some lanes of this load have taken.

        Addresses are known of the lanes alone that are active, so that those of all say nothing. On a few lanes others may be
        the same by chance: the code must have them the same.
        """
        assert isinstance(instruction.detail, MemoryAccess)
        size = instruction.detail.access_bytes
        value = self._in_place.get((*self._places.place(instruction), size))
        if value is None or bool(event.active.all()):
            return None
        is_same = bool((value.event.address == event.address)[event.active].all())
        return value if is_same and value.is_there(event) else None

    def _remember(
        self, event: AccessEvent, size_bytes: int, checksum: int, *, is_read_only: bool
    ) -> _Value:
        probe = tuple(event.address[self._lanes].tolist())
        value = _Value(event=event, size_bytes=size_bytes, probe=probe, is_read_only=is_read_only)
        instruction = self._instructions[event.site]
        pointer, detail = self._roots.parameter(instruction), instruction.detail
        self._values[checksum, size_bytes, pointer] = value
        if isinstance(detail, MemoryAccess):
            self._in_place[(*self._places.place(instruction), size_bytes)] = value
        if isinstance(detail, MemoryAccess) and detail.group is not None:
            self._remember_members(value, checksum, pointer)
        if not is_read_only:
            self._exposed.append(value)
        return value

    def _remember_members(
        self, value: _Value, checksum: int, pointer: ParameterPiece | None
    ) -> None:
        """The parts of a vector are at hand, too."""
        size = value.size_bytes // 2
        while size >= self._smallest_member:
            for offset in range(0, value.size_bytes, size):
                shifted = checksum + offset * self._checksum_of_one
                member = (shifted + (1 << 63)) % (1 << 64) - (1 << 63)
                self._values[member, size, pointer] = value
            size //= 2

    def _is_carried(
        self, known: _Value | None, last: tuple[int, _Value] | None, event: AccessEvent
    ) -> bool:
        """Whether the iteration before had the value; where that one was not sampled, earlier iterations tell."""
        if not event.loops or last is None:
            return False
        gap = _iterations_between(last[1].event, event)
        if gap == 1:
            found = known is not None and self._is_earlier(known, event, iterations_apart=1)
            self._carried[event.site] = found and self._carried.get(event.site, True)
            return found
        return gap > 1 and self._carried.get(event.site, False)

    def _is_in_round(self, value: _Value, event: AccessEvent, instruction: Instruction) -> bool:
        """Whether the code has the address of an earlier execution: quotients do in the copies of one round alone."""
        around = next((c for c in reversed(event.loops) if c.loop not in self._copied), None)
        if around is None or not self._rounded.step_with(instruction, around.loop):
            return True
        before = next((c for c in value.event.loops if c.loop == around.loop), None)
        if before is None:
            return False
        copies = self._batches.get(around.loop, 1)
        rounds = np.asarray(around.iteration) // copies, np.asarray(before.iteration) // copies
        return bool(np.all(rounds[0] == rounds[1]))

    def _is_earlier(self, value: _Value, event: AccessEvent, *, iterations_apart: int) -> bool:
        """Whether a value is from the same iteration, or the one before, of the loops around both."""
        if not value.alive:
            return False
        mine, other = value.event.loops, event.loops
        if not iterations_apart:
            mine, other = self._rolled(mine), self._rolled(other)
        if len(mine) > len(other) or (iterations_apart and len(mine) != len(other)):
            return False
        innermost = len(other) - 1
        for depth, (one, two) in enumerate(zip(mine, other, strict=False)):
            apart = iterations_apart if depth == innermost else 0
            if one.loop != two.loop:
                return False
            if one.iteration is two.iteration and not apart:
                continue
            if not bool(np.all(np.asarray(two.iteration) - one.iteration == apart)):
                return False
        return value.is_there(event)

    def _copy(self, event: AccessEvent) -> _Copy:
        """The copy of the body that an execution is, where loops have left nothing but copies: a load in each has its own address."""
        if self._copied.isdisjoint(coordinate.loop for coordinate in event.loops):
            return event.site, ()
        iterations = [
            np.asarray(coordinate.iteration)
            for coordinate in event.loops
            if coordinate.loop in self._copied
        ]
        return event.site, tuple(int(iteration.flat[0]) for iteration in iterations)

    def _rolled(self, loops: tuple[LoopCoordinate, ...]) -> tuple[LoopCoordinate, ...]:
        if self._copied.isdisjoint(coordinate.loop for coordinate in loops):
            return loops
        return tuple(coordinate for coordinate in loops if coordinate.loop not in self._copied)

    def _write(self, event: AccessEvent, instruction: Instruction) -> None:
        detail = instruction.detail
        size = detail.access_bytes if isinstance(detail, MemoryAccess) else 16
        probe = tuple(event.address[self._lanes].tolist())
        living = []
        for value in self._exposed:
            if not value.alive:
                continue
            if self._may_touch(value, event, probe, size):
                value.lost = event.active if value.lost is None else value.lost | event.active
                value.alive = bool((value.event.active & ~value.lost).any())
            if value.alive:
                living.append(value)
        self._exposed = living
        if instruction.op is Op.STORE and isinstance(detail, MemoryAccess):
            checksum = int(event.address @ self._checksum)
            self._remember(event, size, checksum, is_read_only=False)

    def _may_touch(
        self, value: _Value, event: AccessEvent, probe: tuple[int, ...], size: int
    ) -> bool:
        if value.event.buffer != event.buffer or event.buffer is None:
            return not self._are_distinct(value.event.site, event.site)
        distance = value.probe[0] - probe[0]
        if -value.size_bytes < distance < size:
            return True
        # A distance that varies from lane to lane is not known to the compiler.
        return any(one - two != distance for one, two in zip(value.probe, probe, strict=True))

    def _are_distinct(self, one: int, two: int) -> bool:
        known = self._distinct.get((one, two))
        if known is None:
            known = self._roots.are_distinct(self._instructions[one], self._instructions[two])
            self._distinct[one, two] = known
        return known


def _odd_multipliers(count: int) -> NDArray[np.int64]:
    """Factors whose products with the addresses of the lanes add up, with wrap-around, to a checksum of them.

    Their bits are mixed: with factors in a row, the left and the right neighbours of a whole periodic row have one checksum.
    """
    return (splitmix(np.arange(count, dtype=np.uint64)) | np.uint64(1)).view(np.int64)


def _is_hoisted(checksum: int, last: tuple[int, _Value] | None, event: AccessEvent) -> bool:
    """Whether the addresses of all that are active are those of the execution before; those of others are not kept."""
    if last is None or not last[1].is_there(event):
        return False
    before = last[1].event
    return last[0] == checksum or bool((event.address == before.address)[event.active].all())


def _iterations_between(one: AccessEvent, two: AccessEvent) -> int:
    """Iterations of the innermost loop between two executions of a site; 0 where another loop moved on, too."""
    for depth, (first, second) in enumerate(zip(one.loops, two.loops, strict=False)):
        change = np.asarray(second.iteration) - np.asarray(first.iteration)
        if depth == len(two.loops) - 1:
            return max(int(change.flat[0]), 0)
        if bool(np.any(change != 0)):
            return 0
    return 0


def without_redundant_loads(
    trace: LaunchTrace,
    instructions: dict[int, Instruction],
    roots: PointerRoots,
    copied: AbstractSet[int] = frozenset(),
    batches: Mapping[int, int] | None = None,
) -> tuple[list[AccessEvent], dict[int, float]]:
    """Return the events that cost something, and for each site the share of its weight that they hold.

    Local memory is left alone: what stays there is decided by the instruction model. So are stores to shared memory, which
    other threads wait for.
    """
    relevant = [
        event
        for event in trace.events
        if event.site in instructions
        and event.site in trace.sites
        and trace.sites[event.site].space is not Space.LOCAL
    ]
    followed, later, amid = split_followed(
        relevant, {site for site, item in instructions.items() if item.op is Op.LOAD}
    )
    loads = RedundantLoads(trace, instructions, roots, copied, batches)
    redundant = loads.find(followed)
    beyond = [event for event in followed if trace.sites[event.site].space is not Space.SHARED]
    stores = PromotedStores(instructions, roots, loads.structure)
    shares = stores.kept_shares(beyond, redundant)
    redundant |= stores.overwritten(beyond, redundant)
    redundant |= _like_followed(followed, later, redundant)
    # What stands for whole loops has the addresses of the iterations that load, too.
    standing = _like_followed(followed, amid, redundant)
    if not redundant:
        return trace.events, shares
    in_part = {event.site for event in amid}
    left_out = redundant | standing
    of_followed = _by_site(followed)
    for site, events in _by_site(relevant).items():
        emitted = {event.order for event in events} - left_out
        if len(emitted) < len(events):
            is_whole = trace.sites[site].events <= len(events) and site not in in_part
            share = share_by_place(events, of_followed.get(site, []), emitted, is_whole=is_whole)
            shares[site] = shares.get(site, 1.0) * share
        if not emitted:
            redundant.update(event.order for event in events)
    return [event for event in trace.events if event.order not in redundant], shares


def _by_site(events: list[AccessEvent]) -> dict[int, list[AccessEvent]]:
    found: dict[int, list[AccessEvent]] = {}
    for event in events:
        found.setdefault(event.site, []).append(event)
    return found


def _like_followed(
    followed: list[AccessEvent], later: list[AccessEvent], redundant: set[int]
) -> set[int]:
    """Later executions behave as the last one that was followed in the same place of its loops, or of its innermost."""
    last: dict[tuple[int, tuple[bool, ...]], bool] = {}
    for event in followed:
        place = first_iterations(event)
        for start in range(len(place) + 1):
            last[event.site, place[start:]] = event.order in redundant
    found = set()
    for event in later:
        place = first_iterations(event)
        known = ((event.site, place[start:]) for start in range(len(place) + 1))
        if next((last[key] for key in known if key in last), False):
            found.add(event.order)
    return found
