"""Where along a grid guards turn: blocks at which a comparison of known numbers changes its outcome.

A sample of blocks that knows these places can give every stretch between them its exact weight, so that
``if (i < n)`` on an oversized grid or ``if (blockIdx.x == 37)`` are counted exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.program.code import Op

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.trace import Lanes

Edges = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""For each axis of the grid, blocks that behave differently from the block before them."""

MAX_EDGES = 6
"""Edges of one axis that are kept; more are no stretches but a pattern."""
_MOST_APART = 1.0
"""Blocks between the places where comparisons turn that are taken for one."""
_EQUALITIES = frozenset({Op.EQ, Op.NE})


class EdgeFinder:
    """Collects the edges of one kernel run."""

    def __init__(self, grid: tuple[int, int, int], lanes: Lanes) -> None:
        self._grid = grid
        self._lanes = lanes
        self._found: tuple[set[int], set[int], set[int]] = (set(), set(), set())
        self._explained: dict[int, bool] = {}
        per_block = lanes.lanes_per_block
        self._blocks = np.stack([axis[::per_block] for axis in lanes.bid], axis=1).astype(float)

    def explained(self, register: int) -> bool | None:
        """Whether a comparison turns at edges, if it turns at all; None where it has not been looked at yet."""
        return self._explained.get(register)

    def note(self, register: int, op: Op, difference: NDArray[np.generic]) -> bool:
        """Look at ``a - b`` of a comparison, over all lanes; whether the edges say all about it.

        Differences that are affine in the block index along one axis, the same for every thread of a block, turn at
        one place for each thread; those places lie in one block or in neighbouring ones.
        """
        found = self._explained[register] = self._note(op, difference)
        return found

    def _note(self, op: Op, difference: NDArray[np.generic]) -> bool:
        rows = difference.reshape(-1, self._lanes.lanes_per_block).astype(float)
        steps = rows - rows[0]
        if len(rows) < 2 or not np.allclose(steps, steps[:, :1], rtol=0, atol=1e-9):
            return False
        moved = self._blocks - self._blocks[0]
        axes = [axis for axis in range(3) if self._grid[axis] > 1]
        slopes, *_ = np.linalg.lstsq(moved[:, axes], steps[:, 0], rcond=None)
        exists = self._lanes.exists[: self._lanes.lanes_per_block]
        if np.allclose(moved[:, axes] @ slopes, steps[:, 0], rtol=1e-9, atol=1e-6):
            turning = [
                (axis, slope) for axis, slope in zip(axes, slopes, strict=True) if abs(slope) > 1e-6
            ]
            if len(turning) != 1:
                return not turning
            axis, slope = turning[0]
            zeros = self._blocks[0, axis] - rows[0][exists] / slope
        else:
            # Whole numbers along a line are up to one half off it.
            reach = [
                abs(slope) * self._grid[axis] for axis, slope in zip(axes, slopes, strict=True)
            ]
            axis = axes[int(np.argmax(reach))]
            slope = float(slopes[axes.index(axis)])
            apart = steps[:, 0] - slope * moved[:, axis]
            if op in _EQUALITIES or np.ptp(apart) > _MOST_APART * abs(slope):
                return False
            zeros = (self._blocks[:, axis, None] - rows[:, exists] / slope).ravel()
        if op in _EQUALITIES:
            zeros = np.rint(zeros[np.abs(zeros - np.rint(zeros)) < 1e-6])
            if not zeros.size:
                return True
        for edge in (np.ceil(zeros.min() - 1e-6), np.floor(zeros.max() + 1e-6) + 1):
            if 0 < edge < self._grid[axis]:
                self._found[axis].add(int(edge))
        return True

    @property
    def edges(self) -> Edges | None:
        """The edges, where a sample without them would be off; None otherwise."""
        x, y, z = (tuple(sorted(found)) if len(found) <= MAX_EDGES else () for found in self._found)
        inner = any(
            edge not in (1, size - 1)
            for edges, size in zip((x, y, z), self._grid, strict=True)
            for edge in edges
        )
        return (x, y, z) if inner else None
