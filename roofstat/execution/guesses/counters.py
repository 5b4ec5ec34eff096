"""Counters: what integer atomics return when threads of a launch, or of a block, count.

At one address the order in which threads arrive is taken to be that of their numbers. The values are then as dense as they
are on a device: a stream compaction writes side by side, a work queue ends, and one block draws the last ticket. Of counts
at places all over an array only the distribution is known.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.guesses.queues import room_of
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import drawn, value_bounds
from roofstat.execution.numbers.values import DTYPES, Mixed, Unknown, to_array
from roofstat.execution.stored.distributions import counted_anywhere, even_quantiles
from roofstat.execution.stored.kernel_stores import stores_of
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import AtomicAccess, Space, SpecialRegister

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.sampling.representatives import Count, Position
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.execution.stored.kernel_stores import KernelStores
    from roofstat.program.code import Instruction

_COUNTING = frozenset({"add", "inc"})
_Floats = np.ndarray
"""One number for each sampled warp, in rows of a block."""


@dataclass(slots=True)
class Counters:
    """The counters of one run of a kernel, by buffer and offset."""

    values: dict[tuple[int, int], _Floats] = field(default_factory=dict)
    """What the next thread will find, for each sampled block: blocks have their own shared memory."""
    rooms: dict[tuple[int, int], float] = field(default_factory=dict)
    """How many places there are, where a counter gives places of an array."""

    def forget(self, buffer: int) -> None:
        """Something else than counting happened to a buffer."""
        for place in [place for place in self.values if place[0] == buffer]:
            del self.values[place]

    def reached(self, place: tuple[int, int]) -> _Floats | None:
        """What the next thread will find; no more than there are places to give."""
        value = self.values.get(place)
        return None if value is None else np.minimum(value, self.rooms.get(place, np.inf))

    def since(self, before: dict[tuple[int, int], _Floats]) -> Progress:
        """How the counters have moved in an iteration of a loop."""
        steps = {
            place: value - before[place] for place, value in self.values.items() if place in before
        }
        return Progress(self.values.copy(), steps)


@dataclass(frozen=True, slots=True)
class Progress:
    """Counters that move evenly from one iteration to the next."""

    values: dict[tuple[int, int], _Floats]
    steps: dict[tuple[int, int], _Floats]

    def ahead(self, distance: Count | Position) -> dict[tuple[int, int], _Floats]:
        """The counters so many iterations later."""
        iterations = float(np.max(distance))
        return {
            place: value + self.steps[place] * iterations if place in self.steps else value
            for place, value in self.values.items()
        }


def counted(
    machine: Machine,
    item: Instruction,
    found: MemoryObject,
    address: int | NDArray[np.int64],
    mask: Mask,
) -> Value | None:
    """The old values that an atomic returns; None where it does not count, or not at one address."""
    access = item.detail
    assert isinstance(access, AtomicAccess)
    if access.name not in _COUNTING or not item.scalar.is_integer:
        return None
    if machine.is_host or machine.dry or machine.lane_count < WARP_SIZE:
        return None
    place = _one_place(found, address, mask)
    steps = _steps(machine, item, access, mask)
    if place is None or steps is None:
        return None
    lanes_of_warps = steps.reshape(-1, WARP_SIZE)
    rows = (-1, machine.lanes.lanes_per_block // WARP_SIZE)
    in_warp = np.cumsum(lanes_of_warps, axis=1) - lanes_of_warps
    in_block, by_block = _in_blocks(machine, lanes_of_warps.sum(axis=1).reshape(rows))
    before = _start(machine, item, found, place, mask, len(by_block))
    if before is None:
        return None
    # Iterations that stand for several count several times.
    share = float(machine.weight.sum() / machine.lanes.weight.sum())
    if found.buffer.space is Space.SHARED:
        first = before
        after = before + by_block * share
    else:
        in_launch, total = _before_blocks(machine, by_block)
        first = before + in_launch
        after = before + total * share
        stores_of(found, machine.run_number).count(place, item.scalar, float(after[0]))
    machine.counters.values[(found.buffer.number, place)] = after
    room = room_of(machine, item)
    if room is not None:
        machine.counters.rooms[found.buffer.number, place] = room
    values = np.round(first[:, None] + in_block).ravel()[:, None] + in_warp
    if room is not None:
        values = np.minimum(values, room)
    return _wrapped(machine, item, access, values.ravel())


def tallied(machine: Machine, item: Instruction, found: MemoryObject, mask: Mask) -> Unknown | None:
    """The old values of an atomic that counts at places all over an array; None where it does not, or nobody knows."""
    access = item.detail
    assert isinstance(access, AtomicAccess)
    stores = stores_of(found, machine.run_number)
    steps = _steps(machine, item, access, mask) if access.name == "add" else None
    is_known = item.scalar.is_integer and not machine.is_host and steps is not None
    if not is_known or steps is None or found.buffer.space is Space.LOCAL:
        stores.lose_counts()
        return None
    times, total = stores.tally(
        item.scalar,
        float(machine.weight[mask.lanes].sum()),
        float((machine.weight * steps).sum()),
        is_guess=machine.doubt > 0,
    )
    size = found.buffer.size_bytes
    if not size or not total or found.buffer.space is Space.SHARED:
        return None
    sample = found.contents.counts_found(item.scalar, total / times, times, size)
    if sample is None:
        return None
    return Unknown(
        new_key(),
        low=float(sample[0]),
        high=float(sample[-1]),
        reason=f"result of an atomic on {found.buffer.name}",
        sample=sample,
    )


def shared_count(
    machine: Machine, found: MemoryObject, address: int, scalar: Scalar
) -> Value | None:
    """What the threads of each block find in a shared counter after counting; None where that is not known.

    A cell is a store since then.
    """
    offset = address - found.base
    count = machine.counters.reached((found.buffer.number, offset))
    if count is None or offset in found.contents.cells:
        return None
    whole = np.round(count).astype(np.int64).astype(DTYPES[scalar])
    if (whole == whole[0]).all():
        return int(whole[0])
    return np.repeat(whole, machine.lanes.lanes_per_block)


def shared_tally(
    machine: Machine, found: MemoryObject, stores: KernelStores, scalar: Scalar
) -> NDArray[np.float64] | None:
    """What elements of a block's array hold that was zero at first and counted in; None where that is not known."""
    size, tally = found.buffer.size_bytes, stores.tallies.get(scalar)
    is_known = stores.only == 0 and not stores.are_counts_lost and not stores.scattered
    if not size or tally is None or len(stores.tallies) > 1 or not is_known:
        return None
    times, total = tally
    mean = times / math.prod(_grid(machine)) * scalar.size_bytes / size
    held = counted_anywhere({0: 1.0}, scalar, total / times, mean)
    shares = np.cumsum(list(held.values()))
    places = np.searchsorted(shares, even_quantiles() * shares[-1])
    sample: NDArray[np.float64] = np.array(list(held), np.float64)[places]
    return sample


def _one_place(found: MemoryObject, address: int | NDArray[np.int64], mask: Mask) -> int | None:
    """The offset that all active lanes count at."""
    if found.buffer.space is Space.LOCAL:
        return None
    if isinstance(address, int):
        return address - found.base
    places = address[mask.lanes]
    if not len(places) or (places != places[0]).any():
        return None
    return int(places[0]) - found.base


def _steps(
    machine: Machine, item: Instruction, access: AtomicAccess, mask: Mask
) -> NDArray[np.float64] | None:
    """How far each lane moves the counter; 0 for inactive lanes."""
    step: Value = 1
    if access.name == "add" and len(item.args) > 1:
        step = machine.read(item.args[1])
    if isinstance(step, Mixed):
        return None
    if isinstance(step, Unknown):
        bounds = value_bounds(step)
        if bounds is None or bounds[0] < 0:
            return None
        is_moved = step.scale != 1 or isinstance(step.offset, np.ndarray) or step.offset != 0
        sample = bounds if step.sample is None or is_moved else step.sample
        step = max(int(np.mean(sample)), 1)
    steps = to_array(step, Scalar.I64, machine.lane_count).astype(np.float64)
    return np.where(mask.lanes, steps, 0.0) if (steps[mask.lanes] >= 0).all() else None


def _in_blocks(machine: Machine, sums: _Floats) -> tuple[_Floats, _Floats]:
    """(what the warps of the block before each sampled one have counted, what the block counts)."""
    positions = machine.lanes.warp_of_block.reshape(-1, WARP_SIZE)[: sums.shape[1], 0]
    dimensions = machine.launch_dimensions
    threads = 1
    for register in (SpecialRegister.NTID_X, SpecialRegister.NTID_Y, SpecialRegister.NTID_Z):
        threads *= dimensions.get(register.value, 1)
    return _before(positions, sums, -(-threads // WARP_SIZE))


def _before_blocks(machine: Machine, by_block: _Floats) -> tuple[_Floats, float]:
    """(what the blocks before each sampled one have counted, what the launch counts)."""
    lanes, grid = machine.lanes, _grid(machine)
    x, y, z = (axis[:: lanes.lanes_per_block] for axis in lanes.bid)
    before, total = _before(x + grid[0] * (y + grid[1] * z), by_block[None, :], int(np.prod(grid)))
    return before[0], float(total[0])


def _grid(machine: Machine) -> list[int]:
    """Blocks along each axis."""
    axes = (SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z)
    return [machine.launch_dimensions.get(register.value, 1) for register in axes]


def _before(positions: NDArray[np.int64], sums: _Floats, count: int) -> tuple[_Floats, _Floats]:
    """Sums over what comes before sampled positions, and over all; what is not sampled is like what was before it."""
    order = np.argsort(positions, kind="stable")
    ordered, place = sums[:, order], positions[order]
    gaps = np.diff(place, append=count)
    ends = np.cumsum(ordered * gaps, axis=1) + place[0] * ordered[:, :1]
    before = np.empty_like(ordered)
    before[:, order] = ends - ordered * gaps
    return before, ends[:, -1]


def _start(
    machine: Machine, item: Instruction, found: MemoryObject, offset: int, mask: Mask, blocks: int
) -> _Floats | None:
    """The counter before the first thread that counts now, for each block; a store begins anew.

    None where it is not known and nobody looks at it.
    """
    place = (found.buffer.number, offset)
    value: Value | None = None
    if found.buffer.space is Space.SHARED:
        cell = found.contents.cells.pop(offset, None)
        value = cell[1] if cell is not None else None
    if value is None:
        reached = machine.counters.reached(place)
        if reached is not None:
            return reached
    if value is None:
        value = drawn(
            found.contents.load(offset, item.scalar, found.buffer.number, ""), machine.lane_count
        )
    if isinstance(value, int | float):
        return np.full(blocks, float(value))
    if isinstance(value, np.ndarray):
        return value[:: machine.lanes.lanes_per_block].astype(np.float64)
    access = item.detail
    if isinstance(access, AtomicAccess) and not access.result_used:
        return None
    machine.assume(
        "counter", f"the counter {found.buffer.name} is taken to start at 0", item.position, mask
    )
    return np.zeros(blocks)


def _wrapped(
    machine: Machine, item: Instruction, access: AtomicAccess, values: NDArray[np.float64]
) -> Value:
    whole = values.astype(np.int64)
    if access.name == "inc" and len(item.args) > 1:
        limit = machine.read(item.args[1])
        if isinstance(limit, int) and limit >= 0:
            whole = whole % (limit + 1)
    return whole.astype(DTYPES[item.scalar])
