"""Sampled lanes as pairs that differ in one coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.memory.pointers import AddressSources
from roofstat.program.code import SpecialRegister

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.trace import Lanes, LaunchTrace
    from roofstat.program.code import Instruction

BLOCK_AXIS = 3
LOOP_AXIS = 6
"""Axes 0 to 2 are threadIdx, 3 to 5 blockIdx; loop number n is axis `LOOP_AXIS + n`."""
_BLOCK_REGISTERS = (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z)
_PAIRS = 256
"""Pairs of lanes looked at for each coordinate."""


class LanePairs:
    """Pairs of sampled lanes that differ in one coordinate, for each of the six lane coordinates."""

    def __init__(self, trace: LaunchTrace) -> None:
        lanes = trace.lanes
        self.coordinates: tuple[NDArray[np.int64], ...] = (*lanes.tid, *lanes.bid)
        self.sizes = (*trace.block, *trace.grid)
        self.sampled = tuple(np.unique(axis[lanes.exists]) for axis in self.coordinates)
        """Coordinates that were sampled, for each axis."""
        self._represented = tuple(self._count_represented(lanes, axis) for axis in range(LOOP_AXIS))
        """How many coordinates each sampled one stands for, in the order of `sampled`."""
        self._sources = AddressSources(trace.code)
        self.pairs = tuple(self._pairs(lanes, axis) for axis in range(LOOP_AXIS))

    def is_source(self, instruction: Instruction, axis: int) -> bool:
        """Whether the code computes the address of an instruction from this block coordinate."""
        return _BLOCK_REGISTERS[axis - BLOCK_AXIS] in self._sources.coordinates(instruction)

    def active_range(self, axis: int, lanes_used: NDArray[np.bool_]) -> tuple[int, int]:
        """First and last coordinate that is active, taken to reach as far as no sampled coordinate contradicts."""
        sampled = self.sampled[axis]
        values = self.coordinates[axis][lanes_used]
        first, last = int(values.min()), int(values.max())
        before = int(np.searchsorted(sampled, first))
        after = int(np.searchsorted(sampled, last, side="right"))
        low = int(sampled[before - 1]) + 1 if before > 0 else 0
        high = int(sampled[after]) - 1 if after < len(sampled) else self.sizes[axis] - 1
        return low, high

    def active_extent(
        self, axis: int, lanes_used: NDArray[np.bool_]
    ) -> tuple[int, float]:
        """First active coordinate, and how many are active.

        Sampled coordinates stand for as many as their weights say, within the range that nothing contradicts.
        """
        low, high = self.active_range(axis, lanes_used)
        values = np.unique(self.coordinates[axis][lanes_used])
        count = float(self._represented[axis][np.isin(self.sampled[axis], values)].sum())
        first = low if low == 0 or count > high - low else int(values[0])
        last = min(float(high - first + 1), max(count, float(values[-1] - first + 1)))
        return first, max(float(round(last)), 1.0)

    def _count_represented(self, lanes: Lanes, axis: int) -> NDArray[np.float64]:
        where = np.searchsorted(self.sampled[axis], self.coordinates[axis][lanes.exists])
        weights = lanes.weight[lanes.exists]
        weight = np.bincount(where, weights=weights, minlength=len(self.sampled[axis]))
        total = float(weights.sum())
        if total <= 0.0:
            return np.ones(len(weight))
        result: NDArray[np.float64] = self.sizes[axis] * weight / total
        return result

    def active_step(
        self, axis: int, lanes_used: NDArray[np.bool_], first: int, last: int
    ) -> tuple[int, int]:
        """Distance of the coordinates that are active, and the first of them: 2 where only every second thread works.

        Gaps count only where a coordinate in them was sampled and found inactive.
        """
        values = self.coordinates[axis][lanes_used]
        lowest = int(values.min())
        step = max(int(np.gcd.reduce(values - lowest)), 1)
        if step == 1:
            return 1, first
        between = self.sampled[axis]
        between = between[(between > first) & (between < last)]
        return (step, lowest) if bool(((between - lowest) % step != 0).any()) else (1, first)

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
