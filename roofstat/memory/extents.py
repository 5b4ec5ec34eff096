"""Which coordinates of an axis are active, judged from those that were sampled.

A sampled coordinate speaks for an access only where it was sampled together with other coordinates at which the access
is active: the middle of the face x = 0 says nothing about y, since no other block of that face was sampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Axis:
    """The sampled coordinates of one axis, at distinct positions (threads of a block, or blocks).

    Args:
        size: Coordinates of the launch.
        places: The coordinate of each position.
        others: The other coordinates of each position.
        weight: Threads that each position stands for.
    """

    def __init__(
        self,
        size: int,
        places: NDArray[np.int64],
        others: Sequence[NDArray[np.int64]],
        weight: NDArray[np.float64],
    ) -> None:
        self.size = size
        self.sampled, self._place = np.unique(places, return_inverse=True)
        key = np.zeros(len(places), dtype=np.int64)
        for other in others:
            key = key * (int(other.max(initial=0)) + 1) + other
        self._line = np.unique(key, return_inverse=True)[1]
        total = float(weight.sum())
        per_place = np.bincount(self._place, weights=weight, minlength=len(self.sampled))
        self._represented = size * per_place / total if total > 0.0 else np.ones(len(per_place))

    def active(self, used: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of `sampled` are active; those that no active position can be compared with are taken to be.

        Args:
            used: Positions that are active.
        """
        lines = np.bincount(self._line[used], minlength=int(self._line.max()) + 1) > 0
        seen = np.zeros(len(self.sampled), dtype=np.bool_)
        seen[self._place[lines[self._line]]] = True
        mine = np.zeros(len(self.sampled), dtype=np.bool_)
        mine[self._place[used]] = True
        return mine | ~seen

    def range(self, active: NDArray[np.bool_]) -> tuple[int, int]:
        """First and last coordinate, taken to reach as far as no sampled coordinate contradicts."""
        places = np.flatnonzero(active)
        before, after = int(places[0]), int(places[-1]) + 1
        low = int(self.sampled[before - 1]) + 1 if before > 0 else 0
        high = int(self.sampled[after]) - 1 if after < len(self.sampled) else self.size - 1
        return low, high

    def extent(self, active: NDArray[np.bool_]) -> tuple[int, float]:
        """First coordinate, and how many are active: as many as the weights say, within the range."""
        low, high = self.range(active)
        values = self.sampled[active]
        count = float(self._represented[active].sum())
        first = low if low == 0 or count > high - low else int(values[0])
        most = min(float(high - first + 1), max(count, float(values[-1] - first + 1)))
        return first, max(float(round(most)), 1.0)

    def step(self, active: NDArray[np.bool_]) -> tuple[int, int, int]:
        """First and last coordinate, and their distance: 2 where only every second thread works.

        Gaps count only where a coordinate in them was found inactive.
        """
        first, last = self.range(active)
        values = self.sampled[active]
        lowest = int(values[0])
        step = max(int(np.gcd.reduce(values - lowest)), 1)
        between = self.sampled[(self.sampled > first) & (self.sampled < last)]
        if step > 1 and bool(((between - lowest) % step != 0).any()):
            return lowest, last, step
        return first, last, 1
