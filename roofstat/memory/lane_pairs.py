"""Sampled lanes as pairs that differ in one coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.memory.extents import Axis
from roofstat.memory.fits import BLOCK_AXIS, LOOP_AXIS
from roofstat.memory.pointers import AddressSources
from roofstat.program.code import SpecialRegister

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.trace import Lanes, LaunchTrace
    from roofstat.memory.pointers import Remainder
    from roofstat.memory.sites import AccessSite
    from roofstat.program.code import Instruction

_BLOCK_REGISTERS = (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z)
_PAIRS = 128
"""Pairs of lanes looked at for each coordinate."""


class LanePairs:
    """Pairs of sampled lanes that differ in one coordinate, for each of the six lane coordinates."""

    def __init__(self, trace: LaunchTrace) -> None:
        lanes = trace.lanes
        self.coordinates: tuple[NDArray[np.int64], ...] = (*lanes.tid, *lanes.bid)
        self.sizes = (*trace.block, *trace.grid)
        self.weight = lanes.weight
        """Threads of the launch that each lane stands for."""
        self._thread, self._thread_count = self._number(lanes, range(BLOCK_AXIS))
        self._block, self._block_count = self._number(lanes, range(BLOCK_AXIS, LOOP_AXIS))
        self._axes = tuple(self._make_axis(lanes, axis) for axis in range(LOOP_AXIS))
        self._sources = AddressSources(trace)
        self._buffers: dict[int, set[int]] = {}
        for event in trace.events:
            if event.buffer is not None:
                self._buffers.setdefault(event.site, set()).add(event.buffer)
        self.pairs = tuple(self._pairs(lanes, axis) for axis in range(LOOP_AXIS))

    def is_source(self, instruction: Instruction, axis: int) -> bool:
        """Whether the code computes the address of an instruction from this block coordinate."""
        return _BLOCK_REGISTERS[axis - BLOCK_AXIS] in self._sources.coordinates(instruction)

    def remainders(self, instruction: Instruction) -> tuple[Remainder, ...]:
        """The remainders that enter the address of an instruction."""
        return self._sources.remainders(instruction)

    def is_decided(self, instruction: Instruction) -> bool:
        """Whether no loaded value enters the address of an instruction."""
        return not self._sources.rests_on_data(instruction)

    def hashed_share(self, site: AccessSite) -> float | None:
        """Share of the accesses that a hash function sends to another place; None where none enters the address."""
        draws = self._sources.hashed_draws(site.instruction)
        return None if draws is None else min(draws / site.threads, 1.0)

    def shared_elements(self, instruction: Instruction) -> int | None:
        """Elements of the smallest array in shared memory from which a part of the address comes; None without one."""
        return self._sources.shared_elements(instruction)

    def chase(self, site: AccessSite) -> tuple[bool, bool]:
        """Whether an address is computed from what was loaded from the same buffer, and whether by mixing its bits.

        The next element of a list and a child are read off what is loaded as it is.
        """
        if site.buffer is None:
            return False, False
        mixed = [
            is_mixed
            for source, is_mixed in self._sources.loads(site.instruction).items()
            if site.buffer.number in self._buffers.get(source, ())
        ]
        return bool(mixed), any(mixed)

    def used(self, lanes_used: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Threads of the block and blocks of the grid, among those sampled, that are active somewhere."""
        threads = np.zeros(self._thread_count, dtype=np.bool_)
        threads[self._thread[lanes_used]] = True
        blocks = np.zeros(self._block_count, dtype=np.bool_)
        blocks[self._block[lanes_used]] = True
        return threads, blocks

    def axis(self, axis: int) -> Axis:
        """The sampled coordinates of an axis."""
        return self._axes[axis]

    def _number(self, lanes: Lanes, axes: range) -> tuple[NDArray[np.int64], int]:
        """Number of the position of each lane along some axes; padding stands with its block's last thread."""
        key = np.zeros(lanes.count, dtype=np.int64)
        for axis in axes:
            key = key * self.sizes[axis] + self.coordinates[axis]
        number = np.unique(key, return_inverse=True)[1].reshape(-1)
        return number, int(number.max(initial=0)) + 1

    def _make_axis(self, lanes: Lanes, axis: int) -> Axis:
        is_thread = axis < BLOCK_AXIS
        number, count = (
            (self._thread, self._thread_count) if is_thread else (self._block, self._block_count)
        )
        first = np.zeros(count, dtype=np.int64)
        first[number] = np.arange(lanes.count)
        each = np.where(lanes.exists, lanes.weight, 0.0)
        weight = np.bincount(number, weights=each, minlength=count).astype(np.float64)
        group = range(BLOCK_AXIS) if is_thread else range(BLOCK_AXIS, LOOP_AXIS)
        others = [self.coordinates[other][first] for other in group if other != axis]
        return Axis(self.sizes[axis], self.coordinates[axis][first], others, weight)

    def _pairs(
        self, lanes: Lanes, axis: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """First lanes, second lanes and coordinate differences; also at distances of 2 to 32 lanes along x."""
        empty = np.zeros(0, dtype=np.int64)
        if self.sizes[axis] <= 1:
            return empty, empty, empty
        rest = np.zeros(lanes.count, dtype=np.int64)
        for other in range(LOOP_AXIS):
            if other != axis and self.sizes[other] > 1:
                rest = rest * self.sizes[other] + self.coordinates[other]
        order = np.lexsort((self.coordinates[axis], rest))
        order = order[lanes.exists[order]]
        firsts, seconds = [], []
        for distance in (1, 2, 4, 8, 16, 32) if axis == 0 else (1, 2):
            if len(order) <= distance:
                break
            one, two = order[:-distance], order[distance:]
            same = rest[one] == rest[two]
            one, two = one[same], two[same]
            if len(one) > _PAIRS:
                pick = np.linspace(0, len(one) - 1, _PAIRS).astype(int)
                one, two = one[pick], two[pick]
            firsts.append(one)
            seconds.append(two)
        if not firsts:
            return empty, empty, empty
        first, second = np.concatenate(firsts), np.concatenate(seconds)
        step = self.coordinates[axis][second] - self.coordinates[axis][first]
        useful = step > 0
        return first[useful], second[useful], step[useful]
